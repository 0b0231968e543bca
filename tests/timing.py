"""Times of our own code, in a process that has run a thousand other tests before."""

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: it goes through all that those tests have left behind."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def fair(seconds: float) -> float:
    """A bound on CPU time for this machine at this moment: ours share theirs with strangers."""
    started = time.thread_time()
    sum(number % 7 for number in range(150_000))
    # What that takes on a machine that the bound is meant for.
    return seconds * max(1.0, (time.thread_time() - started) / 0.008)
