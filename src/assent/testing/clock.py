"""A clock that a test moves."""

from datetime import UTC, datetime, timedelta
from typing import Final

from assent.domain import parameters
from assent.domain.parameters import Check


def _aware(given: object) -> object:
    return given if isinstance(given, datetime) and given.tzinfo else parameters.unfit()


_NOW: Final = Check("a datetime with a time zone", _aware)


class VirtualClock:
    """A clock that stands still until a test moves it; deadlines and leases go by it.

    Pass it as `Assent(…, clock=clock)`: it then also stands for the database's clock.
    """

    def __init__(self, now: datetime = datetime(2030, 1, 1, tzinfo=UTC)) -> None:
        self._now: datetime = _NOW.taken("VirtualClock", "now", now)

    def now(self) -> datetime:
        """Return the time that the test has set."""
        return self._now

    def monotonic(self) -> float:
        """Return the same time in seconds."""
        return self._now.timestamp()

    def advance(self, by: timedelta) -> None:
        """Let time pass."""
        self._now += by
