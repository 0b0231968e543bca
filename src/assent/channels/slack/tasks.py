"""Tasks of a channel: each has an owner, and ends with it."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)
T = TypeVar("T")


class Tasks:
    """Work that goes on after a platform has its acknowledgement."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._running: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Begin some work."""
        task = asyncio.create_task(work, name=self._name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def end(self, seconds: float) -> None:
        """Let the work finish for a while, then cancel it."""
        if not self._running:
            return
        _, late = await asyncio.wait(set(self._running), timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
