"""Figures over many decisions, for charts."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import TypeVar

from assent.domain.decisions import VerdictName
from assent.domain.insights import (
    Answers,
    DecisionRow,
    Hourly,
    Insights,
    RecordRows,
    RequestCount,
    StatusCount,
    Survey,
    Votes,
    bars,
    surges,
)
from assent.domain.lifecycle import RequestStatus
from assent.ports import Store, Tx

T = TypeVar("T")
# One transaction per batch: SQLite has one thread for all, and a decision must not wait for a
# chart.
_BATCH = 4_000


async def gather(store: Store, survey: Survey, *, batch: int = _BATCH) -> Insights:
    """Return all figures of a survey; its window fixes the rows, so the figures agree."""
    answered, more_answers = await _newest(
        store, survey, batch, lambda tx, upto, n: tx.insights.answered(survey, upto=upto, limit=n)
    )
    asked, more_asked = await _newest(
        store, survey, batch, lambda tx, upto, n: tx.insights.asked(survey, upto=upto, limit=n)
    )
    refused, _ = await _newest(
        store, survey, batch, lambda tx, upto, n: tx.insights.refused(survey, upto=upto, limit=n)
    )
    cut = more_answers or more_asked
    # In a thread: a hundred thousand of them take longer than the event loop may be blocked.
    return await asyncio.to_thread(_figures, survey, answered, asked, refused, cut=cut)


def _figures(
    survey: Survey,
    answered: Sequence[DecisionRow],
    asked: Sequence[RequestCount],
    refused: Sequence[Hourly],
    *,
    cut: bool,
) -> Insights:
    hours = _hours(asked)
    return Insights(
        survey=survey,
        total=Answers.of("", answered) if answered else None,
        tools=_grouped(answered, attrgetter("tool")),
        people=_grouped(answered, attrgetter("person")),
        waits=bars(answered),
        votes=_votes(answered),
        outcomes=_outcomes(asked),
        hours=hours,
        surges=surges(hours, _summed(refused)),
        cut=cut,
    )


async def _newest(
    store: Store,
    survey: Survey,
    batch: int,
    read: Callable[[Tx, str | None, int], RecordRows[T]],
) -> tuple[list[T], bool]:
    """Return the newest rows, up to the survey's limit, and True if there are more."""
    found: list[T] = []
    upto, left = None, survey.most
    while left > 0:
        limit = min(batch, left)
        part = await store.run(lambda tx, upto=upto, limit=limit: read(tx, upto, limit))
        found += part.items
        upto, left = part.next, left - limit
        if upto is None:
            return found, False
    return found, True


def _grouped(
    answers: Iterable[DecisionRow], by: Callable[[DecisionRow], str]
) -> tuple[Answers, ...]:
    """Return the figures of each group, the largest first."""
    groups: dict[str, list[DecisionRow]] = defaultdict(list)
    for each in answers:
        groups[by(each)].append(each)
    found = [Answers.of(name, group) for name, group in groups.items()]
    return tuple(sorted(found, key=lambda each: (-each.count, each.name)))


def _votes(answers: Iterable[DecisionRow]) -> tuple[Votes, ...]:
    counts = Counter((each.slot, each.verdict, each.edited) for each in answers)
    return tuple(
        Votes(slot=slot, verdict=VerdictName(verdict), edited=edited, count=count)
        for (slot, verdict, edited), count in sorted(counts.items())
    )


def _outcomes(asked: Iterable[RequestCount]) -> tuple[StatusCount, ...]:
    counts = Counter[tuple[str, RequestStatus]]()
    for each in asked:
        counts[each.tool, each.status] += each.count
    return tuple(
        StatusCount(tool=tool, status=status, count=count)
        for (tool, status), count in sorted(counts.items())
    )


def _hours(asked: Iterable[RequestCount]) -> tuple[Hourly, ...]:
    return _summed([Hourly(agent=e.agent, hour=e.hour, count=e.count) for e in asked])


def _summed(hourly: Sequence[Hourly]) -> tuple[Hourly, ...]:
    """Join the counts of each agent's hour: a batch may have ended within it."""
    counts = Counter[tuple[str, datetime]]()
    for each in hourly:
        counts[each.agent, each.hour] += each.count
    return tuple(
        Hourly(agent=agent, hour=hour, count=count)
        for (agent, hour), count in sorted(counts.items())
    )
