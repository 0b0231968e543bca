"""Template filters for foreign text, times, addresses and form values."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from assent.domain.cards import Blank, Number, Text, Truth
from assent.presentation.markup import Html, isolated
from assent.presentation.text import safe_block, safe_line


def line(text: str) -> Html:
    """Return foreign text on one line: visible, inert, and without effect on the text around it."""
    return isolated(safe_line(text))


def prose(text: str) -> Html:
    """Return foreign text with its line breaks."""
    return isolated(safe_block(text))


def query(asked: Mapping[str, str], **more: object) -> str:
    """Return the query of an address: the filters so far, and more parameters."""
    given = {name: value for name, value in asked.items() if value}
    return urlencode(given | {name: str(value) for name, value in more.items()})


def prefilled(blank: Blank) -> str:
    """Return the first value of a form control."""
    match blank.prefilled:
        case Text(text=text):
            return text
        case Number(literal=literal):
            return literal
        case Truth(value=value):
            return "true" if value else "false"
        case _:
            return "" if blank.field.default is None else str(blank.field.default)


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


def day(moment: datetime) -> str:
    """Return the day of a moment in UTC, with its year."""
    at = moment.astimezone(UTC)
    return f"{at.day} {at:%B %Y}"


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "line": line,
    "prose": prose,
    # For attributes and titles, where no markup can be.
    "plain": safe_line,
    "query": query,
    "ago": ago,
    "left": left,
    "exact": exact,
    "day": day,
    "iso": datetime.isoformat,
}
