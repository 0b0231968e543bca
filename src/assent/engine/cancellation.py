"""Exceptions from the code of users, and which of them the engine must pass on."""

import asyncio

# Whatever a hook, a model or a tool body raises is its own fault, except for these two: the process
# is being ended, or our coroutine is being closed. `sys.exit()` counts as a fault: a tool must not
# end everybody's work.
OURS = (KeyboardInterrupt, GeneratorExit)


def is_ours(error: BaseException) -> bool:
    """Return True if this exception must be passed on: one of `OURS`, or this task is cancelled.

    If something that we awaited was cancelled, the exception is the same, but a fault like others.
    """
    if not isinstance(error, asyncio.CancelledError):
        return isinstance(error, OURS)
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # In a thread beside the loop, where no task can be cancelled.
        return False
    return task is not None and task.cancelling() > 0
