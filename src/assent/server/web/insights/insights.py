"""The page of statistics about requests and their answers: plots with their numbers."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.insights import (
    MOST,
    SURGE_LEAST,
    SURGE_TIMES,
    Insights,
    Period,
    Survey,
)
from assent.engine.queries.visibility import sees_everything
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of
from assent.server.web.insights import figures, textures, units
from assent.server.web.insights.csv_rows import table

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
        patterns=textures.PATTERNS,
        swatch=textures.swatch,
        length=units.length,
        share=units.share,
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
