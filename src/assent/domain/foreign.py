"""Functions that tool authors wrote, as they are called: without stopping everything else."""

import asyncio
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
    work = partial(_contained, partial(function, *given, **named))
    loop = asyncio.get_running_loop()
    made = await loop.run_in_executor(_THREADS, copy_context().run, work)
    # Asynchronous after all, behind a lambda or an object.
    return await made if inspect.isawaitable(made) else made


def _contained(function: Callable[[], object]) -> object:
    try:
        return function()
    except StopIteration as error:
        # No future can hold one: whoever awaits the thread would wait for ever.
        raise RuntimeError("it raised StopIteration") from error
