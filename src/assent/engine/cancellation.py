"""What code of others may raise, and which of it is meant for us."""

import asyncio

# Of whatever a hook, a model or a body raises, these alone are no fault of its own: somebody ends
# the process, or lets go of our coroutine. `sys.exit()` is one: it must not end everybody's work.
OURS = (KeyboardInterrupt, GeneratorExit)


def is_ours(error: BaseException) -> bool:
    """Whether it is to be passed on: one of ours, or a cancellation sent to this very task.

    A cancellation of something that was awaited looks the same and is a fault like any other.
    """
    if not isinstance(error, asyncio.CancelledError):
        return isinstance(error, OURS)
    try:
        task = asyncio.current_task()
    except RuntimeError:
        # In a thread beside the loop: nobody can cancel what runs there.
        return False
    return task is not None and task.cancelling() > 0
