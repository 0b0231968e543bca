"""The form of a person's notification settings: as stored, or as typed with its errors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import time, timedelta
from typing import Final

from assent.domain.notifications import (
    LONGEST_DIGEST,
    NEVER,
    NotificationSettings,
    QuietHours,
)
from assent.domain.tools import Risk
from assent.errors import InvalidParameter
from assent.server.form_data import Posted

LEAST: Final = {
    Risk.SAFE: "Everything",
    Risk.MODERATE: "Moderate and dangerous calls",
    Risk.DANGEROUS: "Dangerous calls only",
    NEVER: "Nothing",
}
URGENT: Final = {
    Risk.DANGEROUS: "Dangerous calls",
    Risk.MODERATE: "Moderate and dangerous calls",
    Risk.SAFE: "Every call",
}
UNITS: Final = {"minutes": 60, "hours": 3_600}
_PREFIX: Final = "least:"
_BOTH: Final = "Enter both times, or neither"
_SAME: Final = "Enter a time that is not the start"
_TIME: Final = "Enter a time like 22:00"
_ZONE: Final = "Enter a time zone like Europe/Berlin"
_NUMBER: Final = "Enter a number above 0, or leave it empty"
_LONG: Final = "Enter seven days at most"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationForm:
    """The value of each control and the errors in them, both by control name."""

    values: Mapping[str, str]
    errors: Mapping[str, str]

    def value(self, name: str) -> str:
        """Return the value of a control; empty if there is none."""
        return self.values.get(name, "")

    def least(self, channel: str) -> str:
        """Return the risk from which on a channel tells."""
        return self.values.get(f"{_PREFIX}{channel}", Risk.SAFE)


def form_of(settings: NotificationSettings) -> NotificationForm:
    """Return the form filled from a person's settings."""
    values = {f"{_PREFIX}{channel}": least for channel, least in settings.least.items()}
    values |= {"urgent": settings.urgent, "unit": "minutes"}
    if settings.quiet is not None:
        quiet = settings.quiet
        values |= {"start": f"{quiet.start:%H:%M}", "end": f"{quiet.end:%H:%M}"}
        values["zone"] = quiet.zone
    if settings.digest is not None:
        values |= _amount(settings.digest.total_seconds())
    return NotificationForm(values=values, errors={})


def settings_in(
    posted: Posted, channels: Iterable[str], kept: NotificationSettings
) -> NotificationSettings | NotificationForm:
    """Return the settings that a posted form asks for, or the form with its errors.

    What is `kept` of other channels stays as it is.
    """
    values = {name: posted.one(name).strip() for name in posted.names()}
    errors: dict[str, str] = {}
    least = dict(kept.least)
    for channel in channels:
        said = values.get(f"{_PREFIX}{channel}", "")
        if said in LEAST:
            least[channel] = said
    quiet, digest = _quiet(values, errors), _digest(values, errors)
    urgent = values.get("urgent", "")
    if errors:
        return NotificationForm(values=values, errors=errors)
    return NotificationSettings(
        least=least,
        quiet=quiet,
        digest=digest,
        urgent=Risk(urgent) if urgent in URGENT else kept.urgent,
    )


def _quiet(values: Mapping[str, str], errors: dict[str, str]) -> QuietHours | None:
    given = {name: values.get(name, "") for name in ("start", "end")}
    zone = values.get("zone", "") or "UTC"
    if not any(given.values()):
        return None
    start, end = (_time(text) for text in given.values())
    for name, text, at in zip(given, given.values(), (start, end), strict=True):
        if at is None:
            errors[name] = _TIME if text else _BOTH
    if start is not None and start == end:
        errors["end"] = _SAME
    try:
        return QuietHours(start=start or time(), end=end or time(), zone=zone)
    except InvalidParameter:
        errors["zone"] = _ZONE
        return None


def _time(text: str) -> time | None:
    # Some browsers send seconds, too.
    try:
        return time.fromisoformat(text).replace(second=0, microsecond=0, tzinfo=None)
    except ValueError:
        return None


def _digest(values: Mapping[str, str], errors: dict[str, str]) -> timedelta | None:
    text = values.get("digest", "")
    if not text:
        return None
    try:
        seconds = float(text) * UNITS.get(values.get("unit", ""), 60)
    except ValueError:
        seconds = 0.0
    # A number that is not one compares as False; less than a second is none.
    if not seconds >= 1:
        errors["digest"] = _NUMBER
    elif seconds > LONGEST_DIGEST.total_seconds():
        errors["digest"] = _LONG
    return None if "digest" in errors else timedelta(seconds=seconds)


def _amount(seconds: float) -> dict[str, str]:
    unit = "hours" if seconds % UNITS["hours"] == 0 else "minutes"
    return {"digest": f"{seconds / UNITS[unit]:g}", "unit": unit}
