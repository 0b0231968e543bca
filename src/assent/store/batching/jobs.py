"""Jobs of SQLite's writer thread: transactions that wait for it, and callers who wait for them."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from assent.errors import StoreUnavailable, WriteUncertain
from assent.ports import Tx


class Job:
    """A transaction that waits for the writer thread, and the future of its caller."""

    __slots__ = (
        "_begun",
        "_lock",
        "_void",
        "error",
        "fn",
        "future",
        "leaves_work",
        "result",
        "touched",
        "until",
        "wrote",
    )

    def __init__(self, fn: Callable[[Tx], Any], future: asyncio.Future[Any], until: float) -> None:
        self.fn, self.future = fn, future
        # How long its caller waits, by the clock of the loop.
        self.until = until
        self.result: Any = None
        self.error: BaseException | None = None
        self.touched: frozenset[str] = frozenset()
        # False once it has run and written nothing.
        self.wrote = True
        self.leaves_work = False
        self._lock = threading.Lock()
        self._begun = self._void = False

    def begins(self) -> bool:
        """Return True if it may run, False if its caller was already told that it did not."""
        with self._lock:
            self._begun = not self._void
            return self._begun

    def give_up(self, seconds: float) -> None:
        """Tell a caller that waited too long; a job not begun yet never runs."""
        if self.future.done():
            return
        reason = f"it did not answer within {seconds:g} s"
        with self._lock:
            self._void = not self._begun
            is_clear = self._void or not self.wrote
        error = StoreUnavailable(reason) if is_clear else WriteUncertain(reason)
        self.future.set_exception(error)

    def settle(self) -> None:
        """Tell the caller what came of it, unless the caller left or was told before."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(self.result)


class Line:
    """The jobs whose callers wait, oldest first, and the one timer for all of them.

    A timer for each transaction would cost as much as a statement.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, seconds: float) -> None:
        self._loop, self._seconds = loop, seconds
        self._jobs: deque[Job] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def join(self, fn: Callable[[Tx], Any]) -> Job:
        """Return a job for this function; it is given up when its time is over."""
        job = Job(fn, self._loop.create_future(), self._loop.time() + self._seconds)
        self._jobs.append(job)
        if self._timer is None:
            self._timer = self._loop.call_at(job.until, self._give_up)
        return job

    def leave(self) -> None:
        """Forget the jobs at the front whose callers wait no more."""
        while self._jobs and self._jobs[0].future.done():
            self._jobs.popleft()

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer, now = None, self._loop.time()
        while self._jobs and (self._jobs[0].future.done() or self._jobs[0].until <= now):
            self._jobs.popleft().give_up(self._seconds)
        if self._jobs:
            self._timer = self._loop.call_at(self._jobs[0].until, self._give_up)
