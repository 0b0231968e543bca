"""Work that several want at once and that is done once."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any


class Shared:
    """Work that is done once for all who want it while it is under way."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, None]], *, name: str) -> None:
        self._work, self._name = work, name
        self._task: asyncio.Task[None] | None = None

    async def done(self) -> None:
        """Wait for the work; raises what it raises."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name=self._name)
            self._task.add_done_callback(_heard)
        # One of several who wait may be cancelled.
        await asyncio.shield(self._task)

    async def close(self) -> None:
        """Give up what is under way."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})


def _heard(task: asyncio.Task[None]) -> None:
    """Take an error that nobody waits for any more."""
    if not task.cancelled():
        task.exception()
