"""Functions that tool authors wrote, as they are called: without stopping everything else."""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, Final

# Such functions mostly wait for something. Python's own pool has a handful of threads, and whoever
# stands in line there uses up the time limit of its call before it begins.
MOST: Final = 128
_THREADS: Final = ThreadPoolExecutor(MOST, thread_name_prefix="assent-function")


async def called(function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
    """What it returns: a coroutine function runs here; a plain one may block, so in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*given, **named)
    made = await asyncio.wrap_future(_begun(partial(function, *given, **named)))
    # Asynchronous after all, behind a lambda or an object.
    return await made if inspect.isawaitable(made) else made


async def seen_through(function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
    """As `called`, for what has effects: a thread that has begun is not left alone when cancelled.

    It cannot be ended, so its end is waited for; only a second cancellation leaves without it.
    """
    if inspect.iscoroutinefunction(function):
        return await function(*given, **named)
    thread = _begun(partial(function, *given, **named))
    end = asyncio.wrap_future(thread)
    try:
        made = await asyncio.shield(end)
    except asyncio.CancelledError:
        if thread.cancel():
            raise
        made = await end
    return await made if inspect.isawaitable(made) else made


def _begun(function: Callable[[], object]) -> Future[Any]:
    return _THREADS.submit(copy_context().run, partial(_contained, function))


def _contained(function: Callable[[], object]) -> object:
    try:
        return function()
    except StopIteration as error:
        # No future can hold one: whoever awaits the thread would wait for ever.
        raise RuntimeError("it raised StopIteration") from error
