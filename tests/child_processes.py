"""Processes that the tests' own process starts."""

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path


def _children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split())


async def late_with_one_more(holds: Callable[[], bool]) -> None:
    """Hold up the event loop once a process was started, whose pipes are not connected yet.

    It goes on when that process has done something.
    """
    before = _children()
    async with asyncio.timeout(20):
        while _children() <= before:  # noqa: ASYNC110 - counts rounds, not time
            await asyncio.sleep(0)
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)  # noqa: ASYNC251 - the event loop is late
