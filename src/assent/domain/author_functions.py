"""Calling the functions that tool authors write, without blocking the event loop."""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, Final

# Such functions mostly wait. Python's default pool has a handful of threads; a call that queues
# there would use up its time limit before it begins.
MOST: Final = 128
_THREADS: Final = ThreadPoolExecutor(MOST, thread_name_prefix="assent-function")


async def call_function(function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
    """Call a function and return its result; one that is not async runs in a thread."""
    if inspect.iscoroutinefunction(function):
        return await function(*given, **named)
    made = await asyncio.wrap_future(_begun(partial(function, *given, **named)))
    # A lambda or a callable object may still have returned an awaitable.
    return await made if inspect.isawaitable(made) else made


async def call_to_end(function: Callable[..., Any], /, *given: Any, **named: Any) -> Any:
    """Call a function with side effects; unlike `call_function`, wait for its thread if cancelled.

    A running thread cannot be stopped. Only a second cancellation returns before it has ended.
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
        # A future cannot hold a StopIteration: awaiting it would never end.
        raise RuntimeError("it raised StopIteration") from error
