"""How long the event loop is held: the CPU time of its thread, step by step."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.timing import fair, uncollected


@dataclass
class Lag:
    """What the loop did between two chances for everybody else, and the longest of it."""

    seconds: float = 0.0
    of: str = ""
    steps: int = 0
    # When the step that runs now began.
    since: float = 0.0

    def count(self, of: object) -> None:
        """Count the step that runs now, as far as it has come."""
        taken = time.thread_time() - self.since
        self.steps += 1
        if taken > self.seconds:
            self.seconds, self.of = taken, str(of)


@contextmanager
def loop_lag() -> Iterator[Lag]:
    """Watch each step of the running loop. CPU time: what other processes do does not count."""
    lag, loop_thread, run = Lag(), threading.get_ident(), asyncio.Handle._run

    def watched(handle: Any) -> None:
        if threading.get_ident() != loop_thread:
            run(handle)
            return
        lag.since = time.thread_time()
        run(handle)
        lag.count(handle)

    asyncio.Handle._run = watched  # type: ignore[method-assign]
    lag.since = time.thread_time()
    try:
        yield lag
    finally:
        asyncio.Handle._run = run  # type: ignore[method-assign]
        # The step that ends the block goes on after it, and has perhaps done the most.
        lag.count("the last step")


@contextmanager
def nobody_held_up() -> Iterator[None]:
    """Watches what is done inside; not around it, where modules are imported for the first time."""
    with uncollected(), loop_lag() as lag:
        yield
    assert lag.steps
    assert lag.seconds < fair(0.1), lag.of
