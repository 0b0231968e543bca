"""Figures about requests and decisions over a period."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from statistics import median_low
from typing import Generic, NamedTuple, Self, TypeVar

from assent.domain.decisions import VerdictName
from assent.domain.lifecycle import RequestStatus

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# People take longer to read: an answer that came sooner was given unread.
QUICK = timedelta(seconds=2)
# At least this many answers, and this share of quick ones among them, count as a habit.
HASTY_LEAST, HASTY_SHARE = 10, 0.5
# The limits between the bars of waiting times, each about three times the one before.
EDGES: tuple[timedelta, ...] = tuple(
    timedelta(seconds=seconds)
    for seconds in (2, 5, 15, 60, 180, 600, 1_800, 7_200, 28_800, 86_400, 259_200)
)
# At most this many rows are read, the newest first, which bounds the cost of a figure.
MOST = 100_000
# An hour is a surge if the agent asks this many times more than usual, and at least this often.
SURGE_TIMES, SURGE_LEAST = 4, 20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
T = TypeVar("T")


class Period(StrEnum):
    """A period up to now."""

    DAY = "24h"
    WEEK = "7d"
    MONTH = "30d"
    QUARTER = "90d"

    @property
    def slot(self) -> timedelta:
        """The time that one bar covers."""
        return HOUR if self is Period.DAY else DAY

    @property
    def slots(self) -> int:
        """The number of bars."""
        return int(self.value[:-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Whole hours or days in UTC, up to now; the last one is not over."""

    start: datetime
    end: datetime
    slot: timedelta

    @classmethod
    def of(cls, period: Period, now: datetime) -> Self:
        """Return the window of a period, counted back from the slot that `now` is in."""
        begun = _EPOCH + (now - _EPOCH) // period.slot * period.slot
        return cls(start=begun - (period.slots - 1) * period.slot, end=now, slot=period.slot)

    @property
    def slots(self) -> tuple[datetime, ...]:
        """The start of each slot."""
        count = (self.end - self.start) // self.slot + 1
        return tuple(self.start + number * self.slot for number in range(count))


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A selection of the record; `concerning` limits it to one person's decisions and chats."""

    window: Window
    tool: str | None = None
    agent: str | None = None
    concerning: str | None = None
    most: int = MOST


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordRows(Generic[T]):
    """Some rows of the record, and the row to go on from if there are more."""

    items: Sequence[T]
    next: str | None


class DecisionRow(NamedTuple):
    """One decision: a plain tuple, because there may be a hundred thousand."""

    tool: str
    person: str
    verdict: str
    edited: bool
    slot: int
    wait: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCount:
    """The number of requests of one kind that were opened in one hour."""

    tool: str
    agent: str
    status: RequestStatus
    hour: datetime
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFigures:
    """Figures about the answers to one tool's requests, or of one person.

    `median` and `slow` are waiting times that occurred: ranks n/2 and 9n/10, rounded up.
    """

    name: str
    count: int
    approved: int
    rejected: int
    quick: int
    median: timedelta
    slow: timedelta

    @classmethod
    def of(cls, name: str, answers: Sequence[DecisionRow]) -> Self:
        """Compute the figures of one or more decisions."""
        waits, said = sorted(each.wait for each in answers), [each.verdict for each in answers]
        return cls(
            name=name,
            count=len(waits),
            approved=said.count(VerdictName.APPROVE),
            rejected=said.count(VerdictName.REJECT),
            quick=bisect_left(waits, QUICK),
            median=waits[(len(waits) - 1) // 2],
            slow=waits[(len(waits) * 9 - 1) // 10],
        )

    @property
    def approval_rate(self) -> float | None:
        """The share of approvals among approvals and rejections."""
        judged = self.approved + self.rejected
        return self.approved / judged if judged else None

    @property
    def quick_share(self) -> float:
        """The share of answers that came sooner than people can read."""
        return self.quick / self.count

    @property
    def is_hasty(self) -> bool:
        """True if approving looks like a habit: most answers came sooner than people can read."""
        return self.count >= HASTY_LEAST and self.quick_share >= HASTY_SHARE


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """The number of decisions of one kind in one slot of the window."""

    slot: int
    verdict: VerdictName
    edited: bool
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusCount:
    """The number of a tool's requests that have one status."""

    tool: str
    status: RequestStatus
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hourly:
    """The number of requests or refusals of an agent in one hour."""

    agent: str
    hour: datetime
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surge:
    """An hour in which an agent asked far more than usual, or was refused by a quota."""

    agent: str
    hour: datetime
    count: int
    usual: int
    refused: int
    unusual: bool


def bars(answers: Iterable[DecisionRow]) -> tuple[int, ...]:
    """Count the answers by waiting time, one number for each bar between `EDGES`."""
    waits = sorted(each.wait for each in answers)
    ends = [0, *(bisect_left(waits, edge) for edge in EDGES), len(waits)]
    return tuple(end - begin for begin, end in pairwise(ends))


def surges(asked: Iterable[Hourly], refused: Iterable[Hourly]) -> tuple[Surge, ...]:
    """Return the hours that stand out, newest first."""
    counts: dict[str, dict[datetime, int]] = defaultdict(dict)
    for each in asked:
        counts[each.agent][each.hour] = each.count
    over = {(each.agent, each.hour): each.count for each in refused}
    places = {(agent, hour) for agent, hours in counts.items() for hour in hours} | set(over)
    found = [_surge(agent, hour, counts[agent], over) for agent, hour in places]
    kept = [each for each in found if each.unusual or each.refused]
    return tuple(sorted(kept, key=lambda each: (each.hour, each.agent), reverse=True))


def _surge(
    agent: str,
    hour: datetime,
    hours: Mapping[datetime, int],
    refused: Mapping[tuple[str, datetime], int],
) -> Surge:
    count = hours.get(hour, 0)
    # Usual is the median of the other hours, so that a flood does not count as usual itself.
    usual = 0
    if count >= SURGE_LEAST:
        usual = median_low([n for at, n in hours.items() if at != hour] or [0])
    return Surge(
        agent=agent,
        hour=hour,
        count=count,
        usual=usual,
        refused=refused.get((agent, hour), 0),
        unusual=count >= SURGE_LEAST and count > SURGE_TIMES * usual,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Insights:
    """All figures of one selection.

    Answers, waits and votes are about decisions made in the window; outcomes and hours about
    requests opened in it. `cut` is True if there were more than the newest `most` of either.
    """

    survey: Survey
    total: AnswerFigures | None
    tools: tuple[AnswerFigures, ...]
    people: tuple[AnswerFigures, ...]
    waits: tuple[int, ...]
    votes: tuple[Votes, ...]
    outcomes: tuple[StatusCount, ...]
    hours: tuple[Hourly, ...]
    surges: tuple[Surge, ...]
    cut: bool

    @property
    def asked(self) -> int:
        """The number of requests that were opened."""
        return sum(each.count for each in self.outcomes)

    def ended(self, status: RequestStatus, tool: str | None = None) -> int:
        """Return the number of requests with this status."""
        return sum(
            each.count
            for each in self.outcomes
            if each.status is status and tool in (None, each.tool)
        )

    def expiry_rate(self, tool: str | None = None) -> float | None:
        """Return the share of expired requests among those that are no longer open."""
        closed = sum(
            each.count
            for each in self.outcomes
            if each.status is not RequestStatus.OPEN and tool in (None, each.tool)
        )
        return self.ended(RequestStatus.EXPIRED, tool) / closed if closed else None
