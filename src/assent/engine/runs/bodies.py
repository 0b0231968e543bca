"""The tool bodies that run in this process, including those that outlive their time limit."""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, Final

from assent.engine.runs.outcomes import Outcome, Unknown
from assent.ports import Held

# How long a cancelled body may take to tidy up, and still report how it ended.
LETTING_GO_SECONDS: Final = 1.0


class Bodies:
    """Runs bodies within their time, and knows which still run: a thread cannot be ended."""

    def __init__(self) -> None:
        self._begun: dict[Held, datetime] = {}

    @property
    def held(self) -> frozenset[Held]:
        """The claims whose bodies run here, including claims that were lost or given up."""
        return frozenset(self._begun)

    def since(self, call_id: str) -> datetime | None:
        """Return since when a body of this call has been running here, under any claim."""
        return next((at for (id, _), at in self._begun.items() if id == call_id), None)

    async def run(
        self,
        held: Held,
        body: Coroutine[Any, Any, Outcome],
        limit: timedelta | None,
        *,
        now: datetime,
        late: Callable[[Outcome], None],
    ) -> Outcome:
        """Run a body and return how it ended.

        A body that has not ended in time runs on; `late` is called with its outcome.
        """
        task = asyncio.create_task(body, name=f"assent-body-{held[0]}")
        self._begun[held] = now
        task.add_done_callback(lambda _: self._begun.pop(held))
        try:
            await asyncio.wait({task}, timeout=None if limit is None else limit.total_seconds())
        except asyncio.CancelledError:
            await _let_go(task, late)
            if not task.done() or task.cancelled():
                raise
        if task.done():
            return _outcome(task)
        await _let_go(task, late)
        is_known = task.done() and not task.cancelled()
        return task.result() if is_known else Unknown(f"it did not end within {limit}")


async def _let_go(task: asyncio.Task[Outcome], late: Callable[[Outcome], None]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=LETTING_GO_SECONDS)
    if not task.done():
        task.add_done_callback(lambda ended: late(_outcome(ended)))


def _outcome(task: asyncio.Task[Outcome]) -> Outcome:
    return Unknown("it was cancelled while it ran") if task.cancelled() else task.result()
