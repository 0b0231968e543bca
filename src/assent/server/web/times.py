"""Times as people read them: how long ago, how long still, and the exact moment."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


def span(length: timedelta) -> str:
    """Return a length of time in its largest unit."""
    seconds = max(0, int(length.total_seconds()))
    size, unit = next(((s, u) for s, u in _UNITS if seconds >= s), (1, "s"))
    return f"{seconds // size} {unit}"


def ago(moment: datetime) -> str:
    """Return how long ago a moment was."""
    passed = datetime.now(UTC) - moment
    return "just now" if passed < timedelta(seconds=5) else f"{span(passed)} ago"


def left(moment: datetime) -> str:
    """Return how long it is until a moment."""
    remaining = moment - datetime.now(UTC)
    return f"{span(remaining)} left" if remaining > timedelta(0) else "over"


def exact(moment: datetime) -> str:
    """Return a moment in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "ago": ago,
    "left": left,
    "exact": exact,
    "iso": datetime.isoformat,
}
