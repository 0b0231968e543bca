"""Moments: a day and a time in a zone, kept as RFC 3339 writes them, with the offset."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast
from zoneinfo import ZoneInfo, available_timezones

from assent.domain.canonical import Json
from assent.domain.field_types.kinds import refuse

if TYPE_CHECKING:
    from assent.domain.fields import Field

_DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK: Final = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?"
_MOMENT: Final = re.compile(rf"({_DAY})[Tt ]({_CLOCK})(?:\s*(\S{{1,64}}))?")
_OFFSET: Final = re.compile(r"([+-])([01][0-9]|2[0-3]):([0-5][0-9])")
_UTC: Final = frozenset({"z", "utc"})
# The zone of this machine, which is not that of the person who writes "localtime".
_NO_PLACES: Final = frozenset({"localtime", "Factory"})
_WANTED: Final = "Enter a date and a time with its zone, such as 2026-01-31 14:30 Europe/Berlin."


def read_datetime(field: Field, value: object) -> str:
    """Read a moment: as text with its zone at the end, or as an object with `local` and `zone`."""
    local, named = _parts(field, value)
    if not named:
        refuse(field, "Add the zone, such as Europe/Berlin or +01:00.")
    zone = _zone(named)
    if zone is None:
        refuse(field, "Enter the zone as a place such as Europe/Berlin, an offset, or UTC.")
    try:
        return _in_zone(field, datetime.fromisoformat(local), zone)
    except (ValueError, OverflowError):
        refuse(field, _WANTED)


def _parts(field: Field, value: object) -> tuple[str, str]:
    given, zone = value, ""
    match value:
        case {"local": str(given), "zone": str(zone)}:
            pass
        case _:
            pass
    found = _MOMENT.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is None or (found[3] and zone):
        refuse(field, _WANTED)
    return f"{found[1]}T{found[2]}", found[3] or zone.strip()


def _zone(name: str) -> tzinfo | None:
    if name.lower() in _UTC:
        return timezone.utc  # noqa: UP017 - one of the two names is enough here
    if found := _OFFSET.fullmatch(name):
        length = timedelta(hours=int(found[2]), minutes=int(found[3]))
        return timezone(length if found[1] == "+" else -length)
    known = _zones().get(name.lower())
    return None if known is None else ZoneInfo(known)


@lru_cache(maxsize=1)
def _zones() -> Mapping[str, str]:
    # A name is looked up here first: ZoneInfo opens files, and raises for some folders.
    return {name.lower(): name for name in available_timezones() - _NO_PLACES}


def _in_zone(field: Field, local: datetime, zone: tzinfo) -> str:
    first, second = local.replace(tzinfo=zone, fold=0), local.replace(tzinfo=zone, fold=1)
    before, after = _offset(first), _offset(second)
    if before < after:
        refuse(field, "There is no such time: the clocks are set forward then. Enter another.")
    if before > after:
        words = f"{_written(before)} for the first, {_written(after)} for the second"
        refuse(
            field,
            f"This time comes twice, because the clocks are set back: enter {words} as the zone.",
        )
    if before.total_seconds() % 60:
        refuse(field, "Enter the offset itself as the zone, such as +01:00.")
    return first.isoformat()


def _offset(moment: datetime) -> timedelta:
    return moment.utcoffset() or timedelta(0)


def _written(offset: timedelta) -> str:
    return datetime(2000, 1, 1, tzinfo=timezone(offset)).isoformat()[-6:]


def split_datetime(_field: Field, value: Json) -> list[str]:
    """Return the texts of the two controls; the offset stands for the zone."""
    moment = datetime.fromisoformat(cast("str", value))
    local = moment.replace(tzinfo=None).isoformat().removesuffix(":00")
    return [local, _written(_offset(moment))]


def spell_datetime(field: Field, value: Json) -> str:
    """Write a moment as text."""
    local, zone = split_datetime(field, value)
    return f"{local.replace('T', ' ')} {zone}"


def join_datetime(_field: Field, texts: Sequence[str]) -> object:
    """Return what the two controls say; without a time there is no answer."""
    local, zone = (*texts, "", "")[:2]
    return {"local": local, "zone": zone} if local.strip() else None


def datetime_schema(_field: Field) -> dict[str, Json]:
    """Describe a moment."""
    return {"type": "string", "format": "date-time"}
