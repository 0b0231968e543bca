"""Notification settings: where and when a person wants to hear of requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from assent.domain import parameters
from assent.domain.parameters import Check, optional, settle
from assent.domain.tools import Risk

__all__ = ["LONGEST_DIGEST", "NEVER", "NotificationSettings", "QuietHours"]

NEVER: Final = "never"
LONGEST_DIGEST: Final = timedelta(days=7)
_RISKS: Final = tuple(Risk)
_UNFIT: Final = parameters.unfit()
_ZONE_CHARS: Final = 100


def _zone(given: object) -> object:
    return given if isinstance(given, str) and _is_zone(given) else _UNFIT


def _is_zone(name: str) -> bool:
    # Looked up by name: a list of all zones takes longer than everything else here.
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return len(name) <= _ZONE_CHARS


def _time_of_day(given: object) -> object:
    if isinstance(given, time):
        return given if given.tzinfo is None else _UNFIT
    try:
        return time.fromisoformat(given) if isinstance(given, str) and len(given) == 5 else _UNFIT
    except ValueError:
        return _UNFIT


def _digest(given: object) -> object:
    length = _DURATION.read(given)
    is_short = isinstance(length, timedelta) and length <= LONGEST_DIGEST
    return length if is_short else _UNFIT


_DURATION: Final = parameters.duration()
_TIME: Final = Check("a time of day like '22:00'", _time_of_day)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """The hours of each day in which only urgent requests come through."""

    start: time
    end: time
    zone: str = "UTC"

    def __post_init__(self) -> None:
        settle(self, _QUIET)

    def end_after(self, now: datetime) -> datetime | None:
        """Return when the quiet hours that `now` is in end; None if it is in none."""
        local = now.astimezone(ZoneInfo(self.zone))
        at = local.time().replace(tzinfo=None)
        is_overnight = self.end <= self.start
        inside = at >= self.start or at < self.end if is_overnight else self.start <= at < self.end
        if not inside:
            return None
        days = 1 if is_overnight and at >= self.start else 0
        ending = (local + timedelta(days=days)).replace(
            hour=self.end.hour,
            minute=self.end.minute,
            second=0,
            microsecond=0,
            # In the second of two equal hours, the end is in the second one, too.
            fold=local.fold,
        )
        return ending.astimezone(UTC)


_QUIET: Final = {
    "start": _TIME,
    "end": _TIME,
    "zone": Check("a time zone like 'Europe/Berlin'", _zone),
}


def _least(given: object) -> object:
    if not isinstance(given, Mapping):
        return _UNFIT
    found: dict[str, str] = {}
    for channel, risk in given.items():  # pyright: ignore[reportUnknownVariableType]
        value = risk if risk == NEVER else _RISK.read(risk)
        if value is _UNFIT or _NAME.read(channel) is _UNFIT:
            return _UNFIT
        found[str(channel)] = str(value)  # pyright: ignore[reportUnknownArgumentType]
    return found


_RISK: Final = parameters.one_of(Risk)
_NAME: Final = parameters.name


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationSettings:
    """The wishes of one person; without any, every channel tells of everything at once.

    `least` maps a channel to the lowest risk that it tells of, or to "never". `digest` gathers what
    is not urgent for this long; what was held comes in one message. Requests of the risk `urgent`
    and above come at once, as do those that would otherwise expire before they are told.
    """

    least: Mapping[str, str] = field(default_factory=dict[str, str])
    quiet: QuietHours | None = None
    digest: timedelta | None = None
    urgent: Risk = Risk.DANGEROUS

    def __post_init__(self) -> None:
        settle(self, _SETTINGS)

    def wants(self, channel: str, risk: str) -> bool:
        """Return True if this channel should tell of requests of this risk."""
        least = self.least.get(channel, Risk.SAFE)
        return least != NEVER and _rank(risk) >= _rank(least)

    def hold_until(self, risk: str, decide_by: datetime | None, now: datetime) -> datetime:
        """Return when to tell of a request that is opened now."""
        until = now
        if _rank(risk) < _rank(self.urgent):
            until = now + (self.digest or timedelta(0))
            until = max(until, self._quiet_end(until) or until)
        return now if decide_by is not None and decide_by <= until else until

    def _quiet_end(self, at: datetime) -> datetime | None:
        return None if self.quiet is None else self.quiet.end_after(at)

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON, for storing."""
        quiet = self.quiet
        return {
            "least": dict(self.least),
            "quiet": None
            if quiet is None
            else {
                "start": f"{quiet.start:%H:%M}",
                "end": f"{quiet.end:%H:%M}",
                "zone": quiet.zone,
            },
            "digest_seconds": None if self.digest is None else self.digest.total_seconds(),
            "urgent": str(self.urgent),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "NotificationSettings":
        """Read what `to_json` wrote; without quiet hours if this machine lacks their time zone."""
        quiet: Any = stored["quiet"]
        digest: Any = stored["digest_seconds"]
        if quiet is not None and not _is_zone(quiet["zone"]):
            quiet = None
        return cls(
            least=stored["least"],
            quiet=None if quiet is None else QuietHours(**quiet),
            digest=None if digest is None else timedelta(seconds=digest),
            urgent=stored["urgent"],
        )


_SETTINGS: Final = {
    "least": Check("a mapping from channels to the lowest risk they tell of, or 'never'", _least),
    "quiet": optional(parameters.instance(QuietHours)),
    "digest": optional(Check("a length of time, seven days at most", _digest)),
    "urgent": _RISK,
}


def _rank(risk: str) -> int:
    """Return the place of a risk; an unknown one counts as the highest."""
    return _RISKS.index(Risk(risk)) if risk in _RISKS else len(_RISKS)
