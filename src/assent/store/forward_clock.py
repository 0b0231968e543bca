"""The clock for SQLite's deadlines: it never runs backwards, even if the system's is set back."""

from assent.ports import Clock
from assent.store.rows import micros

_SECOND = 1_000_000


class Course:
    """The latest time that the clock ever showed, plus the time since.

    With a clock that is set back an approval would be accepted after its deadline.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # How far the time is ahead of the monotonic clock; it only grows.
        self._ahead = 0

    def now(self) -> int:
        """Return the time in microseconds since 1970."""
        passed = int(self._clock.monotonic() * _SECOND)
        self._ahead = max(self._ahead, (micros(self._clock.now()) or 0) - passed)
        return self._ahead + passed

    def not_before(self, at: int) -> None:
        """Move the time forward to that of the newest row, if it is behind."""
        self._ahead = max(self._ahead, at - int(self._clock.monotonic() * _SECOND))
