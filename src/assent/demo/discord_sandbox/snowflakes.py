"""Ids as Discord makes them: milliseconds since 2015, and 22 bits that tell the rest apart."""

from collections.abc import Callable
from datetime import UTC, datetime

Now = Callable[[], datetime]

_DISCORD_EPOCH_MS = 1_420_070_400_000
_COUNTER_BITS = 22
# Guilds, channels and people are older than any message, and the same in every sandbox.
LONG_AGO = datetime(2024, 5, 17, 9, 30, tzinfo=UTC)


def utc_now() -> datetime:
    """Return the time of the machine."""
    return datetime.now(UTC)


class Snowflakes:
    """A source of ids that only grow; with a clock that stands still they are always the same."""

    def __init__(self, now: Now) -> None:
        self._now = now
        self._last = 0

    def next(self) -> int:
        """Return an id that was not used before."""
        milliseconds = int(self._now().timestamp() * 1000) - _DISCORD_EPOCH_MS
        self._last = max(self._last + 1, milliseconds << _COUNTER_BITS)
        return self._last
