"""Open streams: they end if their caller's credential ends, and if the process stops."""

import asyncio
import logging
import signal
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from enum import StrEnum
from types import FrameType
from typing import Final

from assent.errors import NotReady, OverQuota, StoreUnavailable
from assent.server.auth.authenticator import Authenticator
from assent.server.caller import Caller
from assent.server.settings import Settings

log = logging.getLogger(__name__)
# A credential that is revoked anywhere must stop working within a second.
LOOK_SECONDS: Final = 0.5
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


class Ending(StrEnum):
    """The reason why a stream ends early."""

    SIGNED_OUT = "signed_out"
    CLOSING = "closing"


class Stream:
    """One open stream; `told` is called if `ending` is set, or if a keep-alive is due."""

    __slots__ = ("caller", "ending", "finishes", "told")

    def __init__(self, caller: Caller, told: Callable[[], None], *, finishes: bool) -> None:
        self.caller, self.told = caller, told
        # True if it comes to an end by itself soon; then a stopping process waits for it.
        self.finishes = finishes
        self.ending: Ending | None = None

    def end(self, why: Ending) -> None:
        """Ask the stream to end; it does so itself."""
        if self.ending is None:
            self.ending = why
            self.told()


class OpenStreams:
    """All streams of this process, watched by one task while there are any."""

    def __init__(self, auth: Authenticator, settings: Settings) -> None:
        self._auth, self._settings = auth, settings
        self._streams: set[Stream] = set()
        self._of_person: Counter[str] = Counter()
        self._watch: asyncio.Task[None] | None = None
        self.is_closing = False
        # True once a stopping process waits no longer: callers that still wait are told the current
        # state.
        self.is_over = False

    def __len__(self) -> int:
        return len(self._streams)

    def open(self, caller: Caller, told: Callable[[], None], *, finishes: bool = False) -> Stream:
        """Add a stream; raises if its caller has too many, or if the process is stopping."""
        if self.is_closing:
            raise NotReady("it is stopping")
        limit = self._settings.streams_per_person
        if self._of_person[caller.person.id] >= limit:
            raise OverQuota("open streams of one person", limit)
        stream = Stream(caller, told, finishes=finishes)
        self._streams.add(stream)
        self._of_person[caller.person.id] += 1
        if self._watch is None:
            self._watch = asyncio.create_task(self._look(), name="assent-live")
        return stream

    def leave(self, stream: Stream) -> None:
        """Remove a stream that has ended."""
        if stream not in self._streams:
            return
        self._streams.discard(stream)
        person = stream.caller.person.id
        self._of_person[person] -= 1
        if not self._of_person[person]:
            del self._of_person[person]

    def close(self) -> None:
        """Stop the process's streams: endless ones end now, the others get a while to finish."""
        if self.is_closing:
            return
        self.is_closing = True
        _end((stream for stream in self._streams if not stream.finishes), Ending.CLOSING)
        patience = self._settings.closing_patience.total_seconds()
        asyncio.get_running_loop().call_later(patience, self._close_all)

    def _close_all(self) -> None:
        self.is_over = True
        _end(self._streams, Ending.CLOSING)

    async def _look(self) -> None:
        """Twice a second end streams with a revoked credential; send keep-alives when due."""
        loop = asyncio.get_running_loop()
        beat = self._settings.keep_alive.total_seconds()
        due = loop.time() + beat
        while self._streams:
            try:
                await self._end_revoked()
            except StoreUnavailable as error:
                # Without the database there is no news that any reader could see, either.
                log.warning("credentials of open streams will be checked again soon: %s", error)
            except Exception:
                log.exception("checking credentials of open streams failed, and will be repeated")
            if loop.time() >= due:
                due = loop.time() + beat
                for stream in tuple(self._streams):
                    stream.told()
            await asyncio.sleep(LOOK_SECONDS)
        self._watch = None

    async def _end_revoked(self) -> None:
        streams = tuple(self._streams)
        revoked = await self._auth.revoked(stream.caller for stream in streams)
        if revoked:
            _end((stream for stream in streams if stream.caller in revoked), Ending.SIGNED_OUT)


def _end(streams: Iterable[Stream], why: Ending) -> None:
    for stream in tuple(streams):
        stream.end(why)


@contextmanager
def on_stop(stop: Callable[[], None]) -> Generator[None]:
    """Call `stop` in the loop at the first stop signal; earlier signal handlers still run.

    ASGI tells an app that it stops only after the last response, and an open stream has none.
    """
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread receives signals: in other threads the embedding program has to stop
        # us.
        yield
        return
    loop = asyncio.get_running_loop()
    chained = {number: _chain(number, loop, stop) for number in SIGNALS}
    try:
        yield
    finally:
        for number, (ours, before) in chained.items():
            if signal.getsignal(number) is ours:
                signal.signal(number, before)


_Handler = Callable[[int, FrameType | None], object] | int | None


def _chain(
    number: int, loop: asyncio.AbstractEventLoop, stop: Callable[[], None]
) -> tuple[_Handler, _Handler]:
    before = signal.getsignal(number)
    if not callable(before):
        # There is no handler to pass the signal on to, so the default action must stay: it ends us.
        return None, before

    def heard(signum: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)
        before(signum, frame)

    signal.signal(number, heard)
    return heard, before
