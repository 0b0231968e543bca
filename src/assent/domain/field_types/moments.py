"""Days and times of day."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Final

from assent.domain.canonical import Json
from assent.domain.field_types.kinds import refuse

if TYPE_CHECKING:
    from assent.domain.fields import Field

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# Some browsers and models add seconds.
_TIME: Final = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])(?::00)?")


def read_date(field: Field, value: object) -> str:
    """Read a day of the calendar."""
    text = value.strip() if isinstance(value, str) else ""
    # fromisoformat() alone also takes weeks and 20250131.
    if not _DATE.fullmatch(text) or not is_in_calendar(text):
        refuse(field, "Enter a date as YYYY-MM-DD.")
    return text


def is_in_calendar(text: str) -> bool:
    """Return True if there is such a day."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def read_time(field: Field, value: object) -> str:
    """Read a time of day, in minutes."""
    found = _TIME.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        refuse(field, "Enter a time as HH:MM, from 00:00 to 23:59.")
    return f"{int(found[1]):02}:{found[2]}"


def date_schema(_field: Field) -> dict[str, Json]:
    """Describe a day."""
    return {"type": "string", "format": "date"}


def time_schema(_field: Field) -> dict[str, Json]:
    """Describe a time of day; the format "time" would want an offset."""
    return {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
