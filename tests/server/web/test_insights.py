"""Plots of how questions are answered: what they say, who sees what, and that they are inert."""

import csv
import io
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from assent.domain.decisions import VerdictName
from assent.domain.insights import (
    EDGES,
    AnswerFigures,
    Hourly,
    Insights,
    Period,
    StatusCount,
    Survey,
    Votes,
    Window,
    surges,
)
from assent.domain.lifecycle import RequestStatus
from assent.presentation.markup import Html
from assent.server.web.insights import figures, plots
from assent.server.web.insights.figures import length, place, share
from assent.server.web.insights.plots import ticks
from assent.server.web.insights.routes import table
from tests.server.api.desk import Desk, decide, pending, script
from tests.server.conftest import Serve
from tests.server.web.visitor import Visitor

NOW = datetime(2030, 1, 8, 10, 30, tzinfo=UTC)
HOSTILE = '<script>alert(1)</script>"\u202e=cmd'
TOTAL = AnswerFigures(
    name=HOSTILE,
    count=30,
    approved=20,
    rejected=5,
    quick=3,
    median=timedelta(seconds=42),
    slow=timedelta(hours=3),
)


def sample(period: Period = Period.WEEK) -> Insights:
    """A survey with something in every figure."""
    window = Window.of(period, NOW)
    hour = NOW.replace(minute=0)
    asked = [Hourly(agent=HOSTILE, hour=hour, count=40)]
    refused = [Hourly(agent=HOSTILE, hour=hour, count=7)]
    return Insights(
        survey=Survey(window=window),
        total=TOTAL,
        tools=(TOTAL,),
        people=(replace(TOTAL, name="=1+1"),),
        waits=(3, *(2,) * (len(EDGES) - 1), 7),
        votes=tuple(
            Votes(slot=len(window.slots) - 1, verdict=verdict, edited=False, count=number)
            for number, verdict in enumerate(VerdictName, 1)
        ),
        outcomes=tuple(StatusCount(tool=HOSTILE, status=each, count=2) for each in RequestStatus),
        hours=tuple(asked),
        surges=surges(asked, refused),
        cut=True,
    )


def drawn(insights: Insights) -> list[Html]:
    """All plots of a survey."""
    return [
        figures.waits(insights),
        figures.decisions(insights),
        figures.outcomes(insights),
        figures.floods(insights),
        figures.spread(TOTAL.median, TOTAL.slow),
        figures.rate(0.4, "approved"),
        plots.swatch("rejected"),
        plots.PATTERNS,
    ]


@pytest.mark.parametrize("period", Period)
def test_a_plot_is_well_formed_and_has_neither_script_nor_style(period: Period) -> None:
    for plot in drawn(sample(period)):
        for node in ET.fromstring(plot).iter():
            assert node.tag not in ("script", "style", "foreignObject", "image", "a"), plot
            names = {name.lower() for name in node.attrib}
            assert not [name for name in names if name == "style" or name.startswith("on")], plot


@pytest.mark.parametrize("period", Period)
def test_a_plot_has_a_title_and_a_sentence_for_who_does_not_see_it(period: Period) -> None:
    for plot in drawn(sample(period))[:4]:
        [picture] = [node for node in ET.fromstring(plot).iter() if node.get("role") == "img"]
        title, text = picture.get("aria-labelledby", "").split()
        said = {node.get("id"): node.text for node in picture.iter() if node.get("id")}
        assert said[title], plot
        assert len(said[text] or "") > 20, plot


def test_every_colour_has_a_texture_or_is_the_only_plain_one_of_its_plot() -> None:
    plain = set(re.findall(r'id="fill-(\w+)"[^>]*><rect[^>]*/></pattern>', plots.PATTERNS))
    assert plain == {"plain", "approved", "open"}
    used = {kind for plot in drawn(sample()) for kind in re.findall(r"url\(#fill-(\w+)\)", plot)}
    defined = set(re.findall(r'id="fill-(\w+)"', plots.PATTERNS))
    assert used <= defined


def test_columns_are_as_tall_as_what_they_count() -> None:
    root = ET.fromstring(figures.waits(sample()))
    groups = {node.get("class"): node for node in root.iter("g")}
    bars = [*groups["piece quick"], *groups["piece plain"]]
    heights = [float(node.get("height", "")) for node in bars]
    assert len(heights) == len(EDGES) + 1
    assert heights[0] / heights[1] == pytest.approx(3 / 2, rel=0.02)
    assert heights[-1] / heights[1] == pytest.approx(7 / 2, rel=0.02)


def test_plots_of_ninety_full_days_leave_room_for_the_rest_of_the_page() -> None:
    full = sample(Period.QUARTER)
    days, hours = range(90), range(90 * 24)
    votes = tuple(
        replace(each, slot=day, count=day * 7 % 50 + 13) for day in days for each in full.votes
    )
    begin = full.survey.window.start
    asked = tuple(
        Hourly(agent="desk", hour=begin + timedelta(hours=hour), count=hour % 40 + 1)
        for hour in hours
    )
    drawings = drawn(replace(full, votes=votes, hours=asked))
    assert sum(map(len, drawings)) < 60_000


def test_verdicts_are_stacked_without_losing_any() -> None:
    [(_, counts)] = [each for each in figures.by_slot(sample()) if sum(each[1].values())]
    assert sum(counts.values()) == sum(range(1, len(VerdictName) + 1))
    assert (counts["approved"], counts["rejected"], counts["withdrawn"]) == (1, 2, 6)


def test_an_edited_approval_is_told_from_one_as_shown() -> None:
    votes = Votes(slot=0, verdict=VerdictName.APPROVE, edited=True, count=1)
    assert figures.kind_of(votes) == "edited"
    assert figures.kind_of(replace(votes, edited=False)) == "approved"


@pytest.mark.parametrize(
    ("time", "said"),
    [
        (0, "0 s"),
        (1.26, "1.3 s"),
        (9.99, "10 s"),
        (42, "42 s"),
        (59.9, "1 min"),
        (200, "3 min 20 s"),
        (3_600, "1 h"),
        (7_500, "2 h 5 min"),
        (273_600, "3 d 4 h"),
    ],
)
def test_a_length_of_time_is_said_in_its_two_largest_units(time: float, said: str) -> None:
    assert length(timedelta(seconds=time)) == said


@pytest.mark.parametrize(
    ("part", "said"),
    [(None, "–"), (0, "0 %"), (0.001, "< 1 %"), (0.5, "50 %"), (0.999, "> 99 %"), (1, "100 %")],
)
def test_a_share_never_says_none_or_all_of_nearly_so(part: float | None, said: str) -> None:
    assert share(part) == said


@pytest.mark.parametrize(
    ("highest", "steps"),
    [(0, [0, 1]), (4, [0, 1, 2, 3, 4]), (7, [0, 2, 4, 6, 8]), (101, [0, 50, 100, 150])],
)
def test_ticks_are_round_and_reach_the_highest(highest: int, steps: list[int]) -> None:
    assert ticks(highest) == steps


def test_a_time_is_placed_within_its_bar() -> None:
    bars = len(EDGES) + 1
    assert place(EDGES[0], EDGES) == 1 / bars
    assert place(timedelta(0), EDGES) == 0
    assert place(timedelta(days=400), EDGES) == 1
    # Halfway between 2 and 5 seconds by their logarithms.
    assert place(timedelta(seconds=10**0.5), EDGES) == pytest.approx(1.5 / bars, abs=1e-3)


def test_the_table_says_every_number_and_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO(table(sample()))))
    by_name = {(row["figure"], row["of"], row["measure"]): float(row["value"]) for row in rows}
    assert sum(1 for row in rows if row["measure"] == "median_seconds") == 3
    assert by_name["waiting_time", "3 d or more", "answers"] == 7
    assert by_name["approver", "'=1+1", "approval_rate"] == 0.8
    assert by_name["decisions", "2030-01-08T00:00:00+00:00", "rejected"] == 2
    assert by_name["outcome", "", "expired"] == 2
    assert not [row for row in rows if row["of"].startswith(("=", "+", "-", "@"))]
    assert "\u202e" not in table(sample())


async def decided(served: Any, said: str, by: str, **decision: Any) -> None:
    """The user's agent asks, and somebody answers."""
    request = await pending(served.client("user"), said)
    answer = await decide(served.client(by), request, **decision)
    assert answer.status_code == 200, answer.text


# requirement: F6
async def test_the_page_says_in_numbers_what_was_decided(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        await decided(served, "delete_file a", "user", verdict="approve")
        await decided(served, "delete_file b", "user", verdict="reject")
        await decided(served, "run_command ls", "approver", verdict="approve")
        await pending(served.client("user"), "delete_file c")
        auditor = await Visitor.signed_in(served, "auditor")
        await auditor.open("/insights?period=24h")
        assert auditor.page.status_code == 200
        assert "Decisions 3 requests opened: 4" in auditor.text
        assert "Approval rate 67 %" in auditor.text
        assert "Under 2 seconds 100 %" in auditor.text
        assert "The decisions of all people" in auditor.text
        assert "delete_file 2 50 %" in auditor.text
        assert "run_command 1 100 %" in auditor.text
        assert "Still open 1 25 %" in auditor.text


async def test_who_does_not_see_everything_sees_what_concerns_them(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        await decided(served, "delete_file a", "user", verdict="approve")
        await decided(served, "run_command ls", "approver", verdict="reject")
        approver = await Visitor.signed_in(served, "approver")
        await approver.open("/insights")
        assert "Your own decisions and your own conversations" in approver.text
        assert "Decisions 1 requests opened: 1" in approver.text
        assert "run_command 1 0 %" in approver.text
        assert "delete_file 1" not in approver.text
        found = list(csv.DictReader(io.StringIO((await approver.open(CSV)).text)))
        assert {row["of"] for row in found if row["figure"] == "tool"} == {"run_command"}


CSV = "/insights/numbers.csv?period=24h"


async def test_the_numbers_can_be_downloaded(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        await decided(served, "delete_file a", "user", verdict="approve")
        admin = await Visitor.signed_in(served, "admin")
        page = await admin.open(CSV)
        assert page.headers["content-type"] == "text/csv; charset=utf-8"
        assert page.headers["content-disposition"].startswith("attachment;")
        rows = list(csv.DictReader(io.StringIO(page.text)))
        assert {"figure": "tool", "of": "delete_file", "measure": "decisions", "value": "1"} in rows


async def test_a_filter_leaves_one_tool_and_keeps_the_period(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        await decided(served, "delete_file a", "user", verdict="approve")
        await decided(served, "run_command ls", "approver", verdict="approve")
        auditor = await Visitor.signed_in(served, "auditor")
        await auditor.open("/insights?period=30d&tool=run_command")
        assert "Decisions 1 " in auditor.text
        assert 'href="/insights?tool=run_command&amp;period=90d"' in auditor.page.text
        assert "numbers.csv?period=30d&amp;tool=run_command" in auditor.page.text


async def test_an_empty_period_says_what_will_appear(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        auditor = await Visitor.signed_in(served, "auditor")
        await auditor.open("/insights")
        assert "No requests and no decisions in this period" in auditor.text
        assert "how long requests wait for an answer" in auditor.text
        assert 'role="img"' not in auditor.page.text


async def test_questions_without_an_answer_leave_the_other_plots_empty(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        await pending(served.client("user"), "delete_file a")
        auditor = await Visitor.signed_in(served, "auditor")
        await auditor.open("/insights")
        assert "No decisions in this period. Each one adds to a column here" in auditor.text
        assert "Still open 1 100 %" in auditor.text
        assert auditor.page.text.count('role="img"') == 2


async def test_what_is_no_period_and_no_tool_is_no_error(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        auditor = await Visitor.signed_in(served, "auditor")
        page = await auditor.open("/insights?period=7years&tool=%3Cscript%3E&agent=%E2%80%AE")
        assert page.status_code == 200
        assert "<script>" not in page.text.replace('<script type="module"', "")
        assert 'aria-current="true">7 days' in page.text


async def test_the_whole_page_has_no_inline_style_or_script(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        await decided(served, "delete_file a", "user", verdict="approve")
        auditor = await Visitor.signed_in(served, "auditor")
        text = (await auditor.open("/insights")).text
        assert not re.search(r'\sstyle="|<style|\son\w+="', text)
        assert text.count('role="img"') == 4
