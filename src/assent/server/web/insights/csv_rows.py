"""Statistics as CSV rows: one number in each."""

import csv
import io
from collections.abc import Iterator

from assent.domain.insights import Answers, Insights
from assent.presentation.text import safe_line
from assent.server.web.insights.figures import OUTCOMES, VERDICTS, by_slot, ranges

Row = tuple[str, str, str, float | int]
_HEADER = ("figure", "of", "measure", "value")
# A spreadsheet would read a cell that begins so as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def table(insights: Insights) -> str:
    """Return all figures as CSV: times in seconds, shares from 0 to 1, moments in UTC."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(_HEADER)
    writer.writerows((f, _inert(of), measure, value) for f, of, measure, value in _rows(insights))
    return out.getvalue()


def _inert(text: str) -> str:
    text = safe_line(text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def _rows(insights: Insights) -> Iterator[Row]:
    yield from _groups(insights)
    yield from _distributions(insights)
    yield from _questions(insights)


def _groups(insights: Insights) -> Iterator[Row]:
    if insights.total is not None:
        yield from _answers("total", insights.total)
    for answers in insights.tools:
        yield from _answers("tool", answers)
        if (rate := insights.expiry_rate(answers.name)) is not None:
            yield "tool", answers.name, "expiry_rate", rate
    for answers in insights.people:
        yield from _answers("approver", answers)


def _distributions(insights: Insights) -> Iterator[Row]:
    for name, count in zip(ranges(), insights.waits, strict=True):
        yield "waiting_time", name, "answers", count
    for begin, counts in by_slot(insights):
        for kind in VERDICTS:
            yield "decisions", begin.isoformat(), kind, counts[kind]


def _questions(insights: Insights) -> Iterator[Row]:
    if (rate := insights.expiry_rate()) is not None:
        yield "total", "", "expiry_rate", rate
    for status, (kind, _) in OUTCOMES.items():
        yield "outcome", "", kind, insights.ended(status)
    for hour in sorted(insights.hours, key=lambda each: (each.hour, each.agent)):
        yield "requests_per_hour", hour.agent, hour.hour.isoformat(), hour.count
    for surge in insights.surges:
        yield "flood", surge.agent, f"{surge.hour.isoformat()} requests", surge.count
        yield "flood", surge.agent, f"{surge.hour.isoformat()} refused", surge.refused


def _answers(figure: str, answers: Answers) -> Iterator[Row]:
    name = answers.name
    yield figure, name, "decisions", answers.count
    yield figure, name, "approved", answers.approved
    yield figure, name, "rejected", answers.rejected
    if answers.approval_rate is not None:
        yield figure, name, "approval_rate", answers.approval_rate
    yield figure, name, "under_2_seconds", answers.quick
    yield figure, name, "median_seconds", answers.median.total_seconds()
    yield figure, name, "percentile_90_seconds", answers.slow.total_seconds()
