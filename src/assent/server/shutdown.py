"""Hearing that the process is to stop, before the server waits for its connections.

ASGI tells an app that it stops only after the last response; a stream would keep it from ending.
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
    """Call `stop` in the loop at the first signal to end; whoever heard it before still does."""
    if threading.current_thread() is not threading.main_thread():
        # Only the main thread hears signals: there whoever runs us has to say.
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
        # Nobody would end the process in an orderly way: then it must end as it always did.
        return None, before

    def heard(signum: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)
        before(signum, frame)

    signal.signal(number, heard)
    return heard, before
