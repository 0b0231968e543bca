"""Filters in the address of a page or download; an unknown value counts as no filter."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Final, TypeVar

from starlette.requests import Request

from assent.domain.lifecycle import CallStatus
from assent.domain.paging import Place
from assent.domain.record import CallFilter, RecordFilter
from assent.domain.tools import Risk

T = TypeVar("T", bound=StrEnum)
Asked = Mapping[str, str]
CALL_FIELDS: Final = ("q", "status", "people", "risk", "tool", "agent", "by", "from", "to")
RECORD_FIELDS: Final = ("actor", "action", "conversation", "call", "from", "to")
AWAITING: Final = "waiting"
ASKED, ALONE = "asked", "alone"
_LONGEST: Final = 200
# PostgreSQL rejects NUL, and no name holds a control character.
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_FIRST_DAY, _LAST_DAY = date(1970, 1, 2), date(2200, 1, 1)


@dataclass(frozen=True, slots=True)
class HistoryFilters:
    """The requested filters by name; empty where there is none."""

    asked: Asked

    @classmethod
    def of(cls, given: Mapping[str, str], fields: tuple[str, ...]) -> "HistoryFilters":
        """Read these fields from an address."""
        return cls(
            {name: _CONTROL.sub("", given.get(name, ""))[:_LONGEST].strip() for name in fields}
        )

    def __bool__(self) -> bool:
        return any(self.asked.values())

    def __getitem__(self, name: str) -> str:
        return self.asked.get(name, "")

    def _word(self, name: str) -> str | None:
        return self[name] or None

    @property
    def calls(self) -> CallFilter:
        """The filters for a list of calls."""
        people = {ASKED: True, ALONE: False}
        return CallFilter(
            status=_one_of(CallStatus, self["status"]),
            awaiting=self["status"] == AWAITING,
            asked=people.get(self["people"]),
            risk=_one_of(Risk, self["risk"]),
            tool=self._word("tool"),
            agent=self._word("agent"),
            decided_by=self._word("by"),
            text=self._word("q"),
            since=_day(self["from"]),
            until=_day(self["to"], after=1),
        )

    @property
    def entries(self) -> RecordFilter:
        """The filters for entries of the record."""
        return RecordFilter(
            actor=self._word("actor"),
            action=self._word("action"),
            conversation_id=self._word("conversation"),
            call_id=self._word("call"),
            since=_day(self["from"]),
            until=_day(self["to"], after=1),
        )


def place_of(request: Request) -> Place | None:
    """Return the place where the page begins; raises `BadPage`."""
    given = request.query_params.get("after")
    return Place.parse(given) if given else None


def _one_of(kind: type[T], given: str) -> T | None:
    return next((value for value in kind if value == given), None)


def _day(text: str, *, after: int = 0) -> datetime | None:
    """Return the start of a day in UTC, or of the day `after` days later."""
    try:
        day = min(max(date.fromisoformat(text), _FIRST_DAY), _LAST_DAY)
    except ValueError:
        return None
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return start + timedelta(days=after)
