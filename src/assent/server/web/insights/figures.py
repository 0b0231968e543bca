"""Statistics as plots: their columns, labels and descriptions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from math import log
from typing import Final

from assent.domain.decisions import VerdictName
from assent.domain.insights import (
    DAY,
    EDGES,
    HOUR,
    AnswerFigures,
    Hourly,
    Insights,
    Surge,
    Votes,
    Window,
)
from assent.domain.lifecycle import RequestStatus
from assent.presentation.markup import Html
from assent.presentation.text import safe_line
from assent.server.web.insights import plots
from assent.server.web.insights.plots import Caption, Column, Label, Mark, Piece

# From bottom to top. Results, and statements about calls in doubt, count as answers, too.
VERDICTS: Final = {
    "approved": "Approved as shown",
    "edited": "Approved with changes",
    "rejected": "Rejected",
    "answered": "Answered",
    "withdrawn": "Withdrawn",
}
OUTCOMES: Final = {
    RequestStatus.APPROVED: ("approved", "Approved"),
    RequestStatus.REJECTED: ("rejected", "Rejected"),
    RequestStatus.ANSWERED: ("answered", "Answered"),
    RequestStatus.EXPIRED: ("expired", "Expired"),
    RequestStatus.CANCELLED: ("withdrawn", "Withdrawn"),
    RequestStatus.SUPERSEDED: ("superseded", "Replaced by a newer one"),
    RequestStatus.OPEN: ("open", "Still open"),
}
# Up to this many columns, each has a label.
_ROOMY: Final = 12
_LABELS: Final = 6
# As tall as the list of numbers beside the plot.
_TALL: Final = 264
# The part of a plot's width that a few words take up on a phone.
_ROOM: Final = 0.5
_WEEK: Final = timedelta(days=7)
_MONTH: Final = 31
_TOLD: Final = 3
# The first and the last bar span this factor beyond the outermost edges.
_BEYOND: Final = 3


def ranges() -> list[str]:
    """Return labels for the bars of the waiting times: `2 s to 5 s`."""
    edges = [length(edge) for edge in EDGES]
    between = [f"{low} to {high}" for low, high in pairwise(edges)]
    return [f"under {edges[0]}", *between, f"{edges[-1]} or more"]


def waits(insights: Insights) -> Html:
    """Plot how long requests waited for their answers."""
    total = insights.total
    shown = [
        Column(
            pieces=(Piece(kind="quick" if not number else "plain", size=count),),
            hint=f"{name}: {count:,}",
            figure=f"{count:,}" if count else "",
        )
        for number, (name, count) in enumerate(zip(ranges(), insights.waits, strict=True))
    ]
    lines = [] if total is None else _percentiles(total)
    said = ", ".join(line.text for line in lines)
    text = f"Columns: answers by how long the request had waited, up to over 3 days; {said}."
    labels = [
        Label(at=number / len(shown), text=length(edge), kept=number % 2 == 1)
        for number, edge in enumerate(EDGES, 1)
    ]
    caption = Caption(id="waits", title="How long requests wait for an answer", text=text)
    return plots.columns(caption, shown, labels, lines=lines, tall=_TALL)


def _percentiles(answers: AnswerFigures) -> list[Mark]:
    """Return the two marks; the right one is higher, so its text may cross the other's line."""
    median, slow = place(answers.median, EDGES), place(answers.slow, EDGES)
    return [
        Mark(at=slow, text=f"90 % within {length(answers.slow)}", before=slow > _ROOM),
        Mark(at=median, text=f"median {length(answers.median)}", before=median > _ROOM / 2),
    ]


def kind_of(votes: Votes) -> str:
    """Return the kind of decision that these votes count as."""
    match votes.verdict:
        case VerdictName.APPROVE:
            return "edited" if votes.edited else "approved"
        case VerdictName.REJECT:
            return "rejected"
        case VerdictName.CANCEL:
            return "withdrawn"
        case _:
            return "answered"


def by_slot(insights: Insights) -> list[tuple[datetime, dict[str, int]]]:
    """Return the decisions of each hour or day, counted by kind."""
    counts = Counter[tuple[int, str]]()
    for votes in insights.votes:
        counts[votes.slot, kind_of(votes)] += votes.count
    return [
        (begin, {kind: counts[number, kind] for kind in VERDICTS})
        for number, begin in enumerate(insights.survey.window.slots)
    ]


def recent(insights: Insights) -> list[tuple[datetime, dict[str, int]]]:
    """Return the slots that have decisions, newest first, and no more than a person would read."""
    return [each for each in reversed(by_slot(insights)) if any(each[1].values())][:_MONTH]


def decisions(insights: Insights) -> Html:
    """Plot the decisions per hour or day, by kind."""
    window, slots = insights.survey.window, by_slot(insights)
    shown = [
        Column(
            pieces=tuple(Piece(kind=kind, size=size) for kind, size in counts.items()),
            hint=f"{moment(begin, window)}: {sum(counts.values()):,}",
        )
        for begin, counts in slots
    ]
    every = "hour" if window.slot == HOUR else "day"
    text = f"Stacked columns, one for each {every} in UTC: {_listed(_summed(slots))}."
    caption = Caption(id="decisions", title=f"Decisions per {every}", text=text)
    return plots.columns(caption, shown, _labels(window))


def totals(insights: Insights) -> list[tuple[str, str, int]]:
    """Return the kinds of decisions with their names and numbers."""
    sums = _summed(by_slot(insights))
    return [(kind, name, sums[kind]) for kind, name in VERDICTS.items() if sums[kind]]


def _summed(slots: Iterable[tuple[datetime, dict[str, int]]]) -> Counter[str]:
    total = Counter[str]()
    for _, counts in slots:
        total.update(counts)
    return total


def _listed(counts: dict[str, int] | Counter[str]) -> str:
    said = [f"{VERDICTS[kind].lower()} {count:,}" for kind, count in counts.items() if count]
    return ", ".join(said) or "none"


def moment(begin: datetime, window: Window) -> str:
    """Return the label of an hour or a day, by the window's slots."""
    return hour(begin) if window.slot == HOUR else day(begin)


def day(begin: datetime) -> str:
    """Return the label of a day: `Mon 3 Mar`."""
    return f"{begin:%a} {begin.day} {begin:%b}"


def hour(begin: datetime) -> str:
    """Return the label of an hour: `Mon 3 Mar 14:00`."""
    return f"{day(begin)} {begin:%H:%M}"


def _labels(window: Window) -> Iterator[Label]:
    """Yield labels at even distances, counted back from the newest column."""
    slots = window.slots
    step = 1 if len(slots) <= _ROOMY else -(-len(slots) // (_LABELS + 2))
    for number, begin in enumerate(slots):
        back = len(slots) - 1 - number
        if back % step == 0:
            kept = back % (2 * step) == 0
            yield Label(at=(number + 0.5) / len(slots), text=_short(begin, window), kept=kept)


def _short(begin: datetime, window: Window) -> str:
    if window.slot == HOUR:
        return f"{begin:%H:%M}"
    if len(window.slots) <= _ROOMY:
        return f"{begin:%a} {begin.day}"
    return f"{begin.day} {begin:%b}"


def outcomes(insights: Insights) -> Html:
    """Plot the final statuses of the requests."""
    pieces = [Piece(kind=k, size=insights.ended(s)) for s, (k, _) in OUTCOMES.items()]
    said = [f"{name.lower()} {insights.ended(s):,}" for s, (_, name) in OUTCOMES.items()]
    text = f"One bar of {insights.asked:,} requests: {', '.join(said)}."
    caption = Caption(id="outcomes", title="How requests ended", text=text)
    return plots.strip(caption, [piece for piece in pieces if piece.size])


def floods(insights: Insights) -> Html:
    """Plot the requests per hour, with flags where an agent stood out."""
    window = insights.survey.window
    is_hourly = window.slot == HOUR or window.end - window.start <= _WEEK
    step, said = (HOUR, hour) if is_hourly else (DAY, day)
    # Whole days, including the rest of today: the labels are those of days.
    count = len(window.slots) * (window.slot // step)
    busiest = _busiest(insights.hours, window.start, step)
    shown = [
        Column(
            pieces=(Piece(kind="plain", size=busiest[number]),),
            hint=f"{said(window.start + number * step)}: {busiest[number]:,}",
        )
        for number in range(count)
    ]
    what = "of every hour" if is_hourly else "in the busiest hour of every day"
    text = f"Columns: requests {what}. Hours that stand out: {len(insights.surges)}."
    caption = Caption(id="floods", title="Requests per hour", text=text)
    flags = _flags(insights, step, count)
    return plots.columns(caption, shown, _labels(window), flags=flags)


def _flags(insights: Insights, step: timedelta, count: int) -> list[Mark]:
    """Return one flag for each column with hours that stand out, however many there are."""
    told: dict[int, list[str]] = {}
    for surge in insights.surges:
        number = (surge.hour - insights.survey.window.start) // step
        told.setdefault(number, []).append(_surge(surge))
    return [
        Mark(at=(number + 0.5) / count, text="; ".join(texts[:_TOLD]))
        for number, texts in told.items()
    ]


def _busiest(hours: Sequence[Hourly], start: datetime, step: timedelta) -> Counter[int]:
    total = Counter[datetime]()
    for each in hours:
        total[each.hour] += each.count
    busiest = Counter[int]()
    for hour, count in total.items():
        number = (hour - start) // step
        busiest[number] = max(busiest[number], count)
    return busiest


def _surge(surge: Surge) -> str:
    refused = f", {surge.refused:,} refused" if surge.refused else ""
    return f"{hour(surge.hour)}, {safe_line(surge.agent)}: {surge.count:,} requests{refused}"


def place(time: timedelta, edges: Sequence[timedelta]) -> float:
    """Return the place of a time from 0 to 1, among bars with these edges; logarithmic in a bar."""
    outer = (edges[0] / _BEYOND, *edges, edges[-1] * _BEYOND)
    for number, (low, high) in enumerate(pairwise(outer)):
        if time < high:
            within = log(max(time, low) / low) / log(high / low)
            return (number + within) / (len(outer) - 1)
    return 1.0


def spread(median: timedelta, slow: timedelta) -> Html:
    """Draw the median and the 90th percentile on the axis of the waiting times."""
    return plots.spread(place(median, EDGES), place(slow, EDGES))


def rate(part: float | None, kind: str) -> Html:
    """Draw a share as a bar; empty if there is none."""
    return plots.meter(part, kind) if part is not None else Html()


def headline(insights: Insights) -> list[tuple[str, str, str]]:
    """Return the most important numbers: name, value, and explanation."""
    total = insights.total
    return [
        ("Decisions", f"{total.count:,}" if total else "0", f"requests opened: {insights.asked:,}"),
        ("Median wait", length(total.median) if total else "–", "from request to answer"),
        ("90th percentile", length(total.slow) if total else "–", "nine in ten were faster"),
        (
            "Approval rate",
            share(total.approval_rate if total else None),
            "of approved and rejected",
        ),
        (
            "Under 2 seconds",
            share(total.quick_share if total else None),
            "too fast to have been read",
        ),
        ("Expired", share(insights.expiry_rate()), "of requests no longer open"),
    ]


_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_FINE_TENTHS: Final = 100
_SLIVER: Final = 0.01


def length(time: timedelta) -> str:
    """Return a length of time in its two largest units; below ten seconds with a tenth."""
    tenths = round(time.total_seconds() * 10)
    if tenths < _FINE_TENTHS:
        return f"{tenths / 10:g} s"
    seconds = round(time.total_seconds())
    at = next(i for i, (size, _) in enumerate(_UNITS) if seconds >= size)
    parts: list[str] = []
    for size, unit in _UNITS[at : at + 2]:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts)


def share(part: float | None) -> str:
    """Return a share as a percentage; a dash if there is none, and never 0 % for a little."""
    if part is None:
        return "–"
    if 0 < part < _SLIVER:
        return "< 1 %"
    if 1 - _SLIVER < part < 1:
        return "> 99 %"
    return f"{part * 100:.0f} %"
