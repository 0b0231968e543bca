"""Figures that are costly to count: kept for a minute, and for nobody else."""

import asyncio

from assent.domain.insights import Insights, Period
from assent.server.web.insights.cache import KEPT_SECONDS, Surveys
from tests.server.conftest import Serve
from tests.server.web.office import Office, ask, script


async def week(surveys: Surveys, concerning: str | None = None) -> Insights:
    return await surveys.of(Period.WEEK, tool=None, agent=None, concerning=concerning)


async def test_few_are_counted_every_time(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        surveys = Surveys(served.assent.queries.record, lambda: 0.0)
        await ask(served, "refund a")
        assert (await week(surveys)).asked == 1
        await ask(served, "refund a")
        assert (await week(surveys)).asked == 2


async def test_many_are_counted_once_a_minute(serve: Serve) -> None:
    now = 0.0
    async with serve(script, *Office().tools) as served:
        surveys = Surveys(served.assent.queries.record, lambda: now, costly=0)
        await ask(served, "refund a")
        first, second = await asyncio.gather(week(surveys), week(surveys))
        assert first is second
        await ask(served, "refund a")
        now = KEPT_SECONDS - 1
        assert await week(surveys) is first
        now = KEPT_SECONDS
        assert (await week(surveys)).asked == 2


async def test_what_is_kept_for_one_is_not_shown_to_another(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        surveys = Surveys(served.assent.queries.record, lambda: 0.0, costly=0)
        await ask(served, "refund a")
        assert (await week(surveys)).asked == 1
        assert (await week(surveys, "stranger")).asked == 0
        tool = await surveys.of(Period.WEEK, tool="no_such", agent=None, concerning=None)
        assert tool.asked == 0
