"""Processes that the tests' own process starts."""

import asyncio
import os
from pathlib import Path


def _children() -> str:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text()


async def one_more() -> None:
    """Go on round by round of the event loop until there is one more: its pipes are not yet."""
    before = _children()
    while _children() == before:  # noqa: ASYNC110 - counts rounds, not time
        await asyncio.sleep(0)
