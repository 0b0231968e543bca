"""The client for code without an event loop; it has one of its own, in a thread."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Coroutine, Generator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Final, Self, TypeVar

from assent.client.http import AsyncClient
from assent.domain.tools import Tool
from assent.errors import InvalidParameter
from assent.guard import GuardedCall, new_token, want

T = TypeVar("T")
_CLOSING_SECONDS: Final = 5.0


class Client:
    """A guard for plain code: `Client("https://…", key="…").run(tool, {...}, body)`.

    Use it as a context manager. It may be shared by threads.
    """

    def __init__(self, url: str, *, key: str, agent: str = "caller") -> None:
        self._guard = AsyncClient(url, key=key, agent=agent)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections and end the thread."""
        if self._loop.is_closed():
            return
        self._wait(self._ended())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _ended(self) -> None:
        # A run that was just interrupted still has to be put in doubt.
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            await asyncio.wait(others, timeout=_CLOSING_SECONDS)
        await self._guard.aclose()

    def propose(
        self,
        tool: Tool | str,
        arguments: Mapping[str, Any],
        *,
        key: str | None = None,
        conversation_id: str | None = None,
        wait: float | None = 0,
    ) -> GuardedCall:
        """Record a call and let policy rule on it, as `Guard.propose` does."""
        return self._wait(
            self._guard.propose(
                tool, arguments, key=key, conversation_id=conversation_id, wait=wait
            )
        )

    def look(self, call_id: str, *, wait: float | None = 0) -> GuardedCall:
        """Return a call in its present state, waiting for people as long as `wait` says."""
        return self._wait(self._guard.look(call_id, wait=wait))

    def withdraw(self, call_id: str) -> GuardedCall:
        """Give up a call that has not begun."""
        return self._wait(self._guard.withdraw(call_id))

    def run(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        body: Callable[[Mapping[str, Any]], Any],
        *,
        key: str | None = None,
        conversation_id: str | None = None,
        wait: float | None = None,
    ) -> GuardedCall:
        """Propose a call, wait for people, run a plain function once, and record its outcome.

        The function runs in this thread while its claim is renewed in the other one.
        """
        want(own_tool=tool)
        _want_plain(body)
        call = self._guard.propose(
            tool,
            arguments,
            key=key,
            conversation_id=conversation_id,
            wait=wait,
            token=new_token(),
        )
        return self.finish(self._wait(call), body, tool=tool)

    def finish(
        self,
        call: GuardedCall,
        body: Callable[[Mapping[str, Any]], Any],
        *,
        tool: Tool | None = None,
    ) -> GuardedCall:
        """Run a call that may run, and return it settled, as `Guard.finish` does."""
        _want_plain(body)
        mine: list[tuple[Mapping[str, Any], asyncio.Future[Any]]] = []
        ready = threading.Event()

        async def in_this_thread(arguments: Mapping[str, Any]) -> Any:
            mine.append((arguments, self._loop.create_future()))
            ready.set()
            return await mine[0][1]

        whole = asyncio.run_coroutine_threadsafe(
            self._guard.finish(call, in_this_thread, tool=tool), self._loop
        )
        whole.add_done_callback(lambda _: ready.set())
        with _given_up(whole):
            ready.wait()
            if mine:
                self._perform(body, *mine[0])
            return whole.result()

    def _perform(
        self,
        body: Callable[[Mapping[str, Any]], Any],
        arguments: Mapping[str, Any],
        answer: asyncio.Future[Any],
    ) -> None:
        try:
            output = body(arguments)
        except StopIteration as error:
            # A future does not take it, and whoever awaits it would wait for ever.
            stopped = RuntimeError(f"the body raised {error!r}")
            self._loop.call_soon_threadsafe(answer.set_exception, stopped)
        except Exception as error:  # noqa: BLE001 - told to the guard, which records it
            self._loop.call_soon_threadsafe(answer.set_exception, error)
        else:
            self._loop.call_soon_threadsafe(answer.set_result, output)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        doing = asyncio.run_coroutine_threadsafe(work, self._loop)
        with _given_up(doing):
            return doing.result()


def _want_plain(body: Callable[[Mapping[str, Any]], Any]) -> None:
    want(body=body)
    if inspect.iscoroutinefunction(body):
        raise InvalidParameter("Client", "body", "a plain function", "async: use an AsyncClient")


@contextmanager
def _given_up(work: Future[Any]) -> Generator[None]:
    """Cancel work in the other thread if this one is interrupted, say by Ctrl+C.

    A claim would otherwise be renewed for ever; cancelled in the middle of a body, it is in doubt.
    """
    try:
        yield
    except BaseException:
        work.cancel()
        raise
