"""Work on large values, kept off the event loop: everybody else waits while it is held."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

# So much JSON is read, validated and frozen in a few milliseconds.
LARGE_CHARS = 16_384
_AT_ONCE = 32


async def aside(characters: int, work: Callable[P, T], /, *args: P.args, **options: P.kwargs) -> T:
    """Do it here if it is about few characters, else in a thread."""
    if characters <= LARGE_CHARS:
        return work(*args, **options)
    return await asyncio.to_thread(work, *args, **options)


def weight(value: object) -> int:
    """About how many characters a value has as JSON, counted only until it is large.

    An object that is no plain JSON counts as large: nobody knows what its own code does.
    """
    total, pending = 0, [value]
    while pending and total <= LARGE_CHARS:
        item = pending.pop()
        total += len(cast("str", item)) if isinstance(item, str | list | dict) else 1
        if total > LARGE_CHARS:
            break
        if isinstance(item, list):
            pending.extend(cast("list[object]", item))
        elif isinstance(item, dict):
            pending.extend(
                part for pair in cast("dict[object, object]", item).items() for part in pair
            )
        elif not isinstance(item, str | int | float | None):
            return LARGE_CHARS + 1
    return total


async def unhurried(items: AsyncGenerator[T]) -> AsyncGenerator[T]:
    """The same items, closed with them; now and then everybody else has a turn in between."""
    async with aclosing(items):
        count = 0
        async for item in items:
            yield item
            count += 1
            if count % _AT_ONCE == 0:
                await asyncio.sleep(0)
