"""Functions that tool authors wrote, as they are called: without stopping everything else."""

import asyncio
import inspect
from collections.abc import Callable
from functools import partial
from typing import Any


async def called(function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
    """What it returns: a coroutine function runs here; a plain one may block, so in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*given, **named)
    made = await asyncio.to_thread(_contained, partial(function, *given, **named))
    # Asynchronous after all, behind a lambda or an object.
    return await made if inspect.isawaitable(made) else made


def _contained(function: Callable[[], object]) -> object:
    try:
        return function()
    except StopIteration as error:
        # No future can hold one: whoever awaits the thread would wait for ever.
        raise RuntimeError("it raised StopIteration") from error
