"""The page of statistics about requests and their answers: plots with their numbers."""

from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.insights import (
    MOST,
    SURGE_LEAST,
    SURGE_TIMES,
    AnswerFigures,
    Insights,
    Period,
    Survey,
)
from assent.engine.queries.visibility import sees_everything
from assent.presentation.text import safe_line
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of
from assent.server.web.history.export import csv_row
from assent.server.web.insights import figures, plots
from assent.server.web.insights.figures import OUTCOMES, VERDICTS, by_slot, ranges

Row = tuple[str, str, str, float | int]
_HEADER = ("figure", "of", "measure", "value")


def table(insights: Insights) -> str:
    """Return all figures as CSV: times in seconds, shares from 0 to 1, moments in UTC."""
    rows = (
        csv_row((f, safe_line(of), measure, value)) for f, of, measure, value in _rows(insights)
    )
    return "".join((csv_row(_HEADER), *rows))


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


def _answers(figure: str, answers: AnswerFigures) -> Iterator[Row]:
    name = answers.name
    yield figure, name, "decisions", answers.count
    yield figure, name, "approved", answers.approved
    yield figure, name, "rejected", answers.rejected
    if answers.approval_rate is not None:
        yield figure, name, "approval_rate", answers.approval_rate
    yield figure, name, "under_2_seconds", answers.quick
    yield figure, name, "median_seconds", answers.median.total_seconds()
    yield figure, name, "percentile_90_seconds", answers.slow.total_seconds()


_PERIODS = {
    Period.DAY: "24 hours",
    Period.WEEK: "7 days",
    Period.MONTH: "30 days",
    Period.QUARTER: "90 days",
}
_LONGEST_NAME = 200
# The number of lines that a table shows; the CSV has all of them.
_ROWS = 12


async def page(request: Request) -> Response:
    """Show the plots and tables."""
    service, period = service_of(request), _period(request)
    found = await _gathered(request, service, period)
    survey = found.survey
    return service.pages.render(
        request,
        "insights",
        found=found,
        window=survey.window,
        figures=figures,
        patterns=plots.PATTERNS,
        swatch=plots.swatch,
        length=figures.length,
        share=figures.share,
        periods=_PERIODS,
        period=period,
        is_kept=service.surveys.is_costly(found),
        rules={"most": MOST, "times": SURGE_TIMES, "least": SURGE_LEAST, "rows": _ROWS},
        everything=survey.concerning is None,
        asked={"period": str(period), "tool": survey.tool or "", "agent": survey.agent or ""},
        choices=_choices(service, survey),
    )


async def numbers(request: Request) -> Response:
    """Download the same numbers as CSV."""
    service, period = service_of(request), _period(request)
    found = await _gathered(request, service, period)
    name = f"assent-insights-{period}-{found.survey.window.end:%Y-%m-%d}.csv"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(table(found), media_type="text/csv; charset=utf-8", headers=headers)


async def _gathered(request: Request, service: Service, period: Period) -> Insights:
    person = caller_of(request).person
    return await service.surveys.of(
        period,
        tool=_name(request, "tool"),
        agent=_name(request, "agent"),
        concerning=None if sees_everything(person) else person.id,
    )


def _period(request: Request) -> Period:
    given = request.query_params.get("period", "")
    return next((period for period in Period if period == given), Period.WEEK)


def _name(request: Request, of: str) -> str | None:
    given = request.query_params.get(of, "")
    # No name holds a NUL, and PostgreSQL rejects it.
    return given.replace("\x00", "")[:_LONGEST_NAME] or None


def _choices(service: Service, survey: Survey) -> dict[str, list[str]]:
    """Return the filter values: existing tools and agents, and the chosen ones even if gone."""
    catalogue = service.assent.catalogue
    tools = {item.tool.name for item in catalogue.every_tool()} | {survey.tool}
    agents = {*catalogue.names(), survey.agent}
    return {"tools": sorted(filter(None, tools)), "agents": sorted(filter(None, agents))}


routes: list[BaseRoute] = [
    GuardedRoute("/insights", page, methods=["GET"]),
    GuardedRoute("/insights/numbers.csv", numbers, methods=["GET"]),
]
