"""Keeping the event loop free: large work goes to a thread, and foreign exceptions end nothing."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import ParamSpec, TypeVar, cast

P = ParamSpec("P")
T = TypeVar("T")

# JSON of this size is read, validated and frozen in a few milliseconds.
LARGE_CHARS = 16_384
_AT_ONCE = 32
# Whatever a hook, a model or a tool body raises is its own fault, except for these two: the process
# is being ended, or our coroutine is being closed. `sys.exit()` counts as a fault: a tool must not
# end the process that all share.
OURS = (KeyboardInterrupt, GeneratorExit)


async def offload(
    characters: int, work: Callable[P, T], /, *args: P.args, **options: P.kwargs
) -> T:
    """Call the function here if it handles few characters, else in a thread."""
    if characters <= LARGE_CHARS:
        return work(*args, **options)
    return await asyncio.to_thread(work, *args, **options)


def weight(value: object) -> int:
    """Return about how many characters a value has as JSON, counted only until it is large.

    An object that is no plain JSON counts as large: its own code may take any time.
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
    """Yield the same items and close the generator at the end; let other tasks run in between."""
    async with aclosing(items):
        count = 0
        async for item in items:
            yield item
            count += 1
            if count % _AT_ONCE == 0:
                await asyncio.sleep(0)


def is_ours(error: BaseException) -> bool:
    """Return True if this exception must be passed on: one of `OURS`, or this task is cancelled.

    A `CancelledError` from something that we awaited is a fault like any other.
    """
    if not isinstance(error, asyncio.CancelledError):
        return isinstance(error, OURS)
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # In a thread beside the loop, where no task can be cancelled.
        return False
    return task is not None and task.cancelling() > 0
