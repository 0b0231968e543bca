"""SQLite's writer thread, held up."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from assent.ports import Store, Tx


@contextmanager
def writer_held(store: Store) -> Iterator[None]:
    """Keep the writer thread busy, so that what is sent meanwhile becomes one batch."""
    running, release = threading.Event(), threading.Event()

    def hold(tx: Tx) -> None:
        running.set()
        assert release.wait(10)

    holding = asyncio.ensure_future(store.run(hold))
    yield
    release.set()
    del holding
