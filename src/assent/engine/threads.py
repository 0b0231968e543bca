"""Work on large values, kept off the event loop: everybody else waits while it is held."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

# So much JSON is read, validated and frozen in a few milliseconds.
LARGE_CHARS = 16_384


async def aside(characters: int, work: Callable[P, T], /, *args: P.args, **options: P.kwargs) -> T:
    """Do it here if it is about few characters, else in a thread."""
    if characters <= LARGE_CHARS:
        return work(*args, **options)
    return await asyncio.to_thread(work, *args, **options)
