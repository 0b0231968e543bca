"""Notice of a stop signal before the server waits for its connections.

ASGI tells an app that it stops only after the last response; an open stream would keep the process
from ending.
"""

import asyncio
import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def on_stop(stop: Callable[[], None]) -> Generator[None]:
    """Call `stop` in the loop at the first stop signal; earlier signal handlers still run."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread receives signals: in other threads the embedding program has to stop
        # us.
        yield
        return
    loop = asyncio.get_running_loop()
    chained = {number: _chain(number, loop, stop) for number in SIGNALS}
    try:
        yield
    finally:
        for number, (ours, before) in chained.items():
            if signal.getsignal(number) is ours:
                signal.signal(number, before)


_Handler = Callable[[int, FrameType | None], object] | int | None


def _chain(
    number: int, loop: asyncio.AbstractEventLoop, stop: Callable[[], None]
) -> tuple[_Handler, _Handler]:
    before = signal.getsignal(number)
    if not callable(before):
        # No handler would stop the process in an orderly way, so the default action must stay.
        return None, before

    def heard(signum: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)
        before(signum, frame)

    signal.signal(number, heard)
    return heard, before
