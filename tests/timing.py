"""Times of our own code, in a process that has run a thousand other tests before."""

import gc
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
