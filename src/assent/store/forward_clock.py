"""The time by which SQLite's deadlines go: it never runs backwards, whatever a clock is set to."""

from assent.ports import Clock
from assent.store.rows import micros

_SECOND = 1_000_000


class Course:
    """The latest that the clock ever said, and what has passed since.

    A clock that is set back would let in an approval after its deadline.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # How far the time is ahead of the monotonic clock; it only grows.
        self._ahead = 0

    def now(self) -> int:
        """Microseconds of the epoch."""
        passed = int(self._clock.monotonic() * _SECOND)
        self._ahead = max(self._ahead, (micros(self._clock.now()) or 0) - passed)
        return self._ahead + passed

    def not_before(self, at: int) -> None:
        """It was that late already, by what is on record."""
        self._ahead = max(self._ahead, at - int(self._clock.monotonic() * _SECOND))
