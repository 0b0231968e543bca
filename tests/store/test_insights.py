"""Figures that were computed by hand, on both databases."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assent.domain.decisions import VerdictName
from assent.domain.identifiers import first_id
from assent.domain.insights import AnswerFigures, Hourly, Period, StatusCount, Survey, Votes, Window
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.engine.ids import new_id
from assent.engine.queries.record import gather
from assent.ports import Store
from assent.store import insights
from assent.store.migrations import schema
from assent.store.statements import Compiler
from tests.store.ledger import Ledger

# A Tuesday, half past ten: the week's window began on Wednesday the 2nd at midnight.
NOW = datetime(2030, 1, 8, 10, 30, tzinfo=UTC)
WEEK = Survey(window=Window.of(Period.WEEK, NOW))
TODAY = NOW.replace(hour=9)
REJECT = VerdictName.REJECT


async def written(store: Store, write: Callable[[Ledger], Any]) -> None:
    await store.run(lambda tx: write(Ledger(tx)))


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


# requirement: F6
async def test_percentiles_are_times_that_somebody_really_waited(store: Store) -> None:
    def write(ledger: Ledger) -> None:
        for wait in (7, 1, 10, 3, 9, 5, 2, 8, 4, 6):
            ledger.answer(TODAY, wait, verdict=REJECT if wait > 8 else VerdictName.APPROVE)

    await written(store, write)
    assert (await gather(store, WEEK)).total == AnswerFigures(
        name="",
        count=10,
        approved=8,
        rejected=2,
        quick=1,
        median=seconds(5),
        slow=seconds(9),
    )


# requirement: F6
async def test_each_tool_and_each_approver_has_figures_of_its_own(store: Store) -> None:
    def write(ledger: Ledger) -> None:
        ledger.answer(TODAY, 1.5, tool="mail", person="grace")
        ledger.answer(TODAY, 60, tool="mail", person="grace", verdict=REJECT)
        ledger.answer(TODAY, 30, tool="mail", person="linus")
        ledger.answer(TODAY, 1.999999, tool="shell", person="linus", verdict=VerdictName.GIVE)

    await written(store, write)
    found = await gather(store, WEEK)
    mail, shell = found.tools
    assert (mail.name, mail.count, mail.approved, mail.rejected, mail.quick) == ("mail", 3, 2, 1, 1)
    assert (mail.median, mail.slow, mail.approval_rate) == (seconds(30), seconds(60), 2 / 3)
    assert (shell.name, shell.count, shell.quick, shell.approval_rate) == ("shell", 1, 1, None)
    grace, linus = found.people
    assert (grace.name, grace.count, grace.quick_share) == ("grace", 2, 0.5)
    # Of two the first is the median: nobody waited for what is between them.
    assert (grace.median, grace.slow) == (seconds(1.5), seconds(60))
    assert (linus.name, linus.median, linus.slow) == ("linus", seconds(1.999999), seconds(30))


async def test_a_wait_falls_into_the_bar_that_begins_with_it(store: Store) -> None:
    def write(ledger: Ledger) -> None:
        for wait in (0, 1.999999, 2, 4.999999, 5, 3_600, 86_400, 259_199, 259_200, 500_000):
            ledger.answer(TODAY, wait)

    await written(store, write)
    found = await gather(store, WEEK)
    assert found.waits == (2, 2, 1, 0, 0, 0, 0, 1, 0, 0, 2, 2)


async def test_a_day_begins_at_midnight_in_utc(store: Store) -> None:
    midnight = datetime(2030, 1, 5, tzinfo=UTC)
    tick = timedelta(microseconds=1)

    def write(ledger: Ledger) -> None:
        ledger.answer(midnight - tick, 5)
        ledger.answer(midnight, 5)
        ledger.answer(midnight, 5, verdict=REJECT)
        ledger.answer(midnight + tick, 5, arguments="{}")
        # Not in the window: just before it, and not yet.
        ledger.answer(WEEK.window.start - tick, 5)
        ledger.answer(WEEK.window.start, 5)
        ledger.answer(NOW, 5)

    await written(store, write)
    approve = VerdictName.APPROVE
    assert list((await gather(store, WEEK)).votes) == [
        Votes(slot=0, verdict=approve, edited=False, count=1),
        Votes(slot=2, verdict=approve, edited=False, count=1),
        Votes(slot=3, verdict=approve, edited=False, count=1),
        Votes(slot=3, verdict=approve, edited=True, count=1),
        Votes(slot=3, verdict=REJECT, edited=False, count=1),
    ]


async def test_what_became_of_questions_is_counted_by_when_they_were_asked(store: Store) -> None:
    def write(ledger: Ledger) -> None:
        ledger.ask(TODAY, status=RequestStatus.EXPIRED, tool="mail")
        ledger.ask(TODAY, status=RequestStatus.OPEN, tool="mail")
        for _ in range(3):
            ledger.ask(TODAY, tool="mail")
        ledger.ask(WEEK.window.start - seconds(1), status=RequestStatus.EXPIRED, tool="mail")

    await written(store, write)
    found = await gather(store, WEEK)
    assert list(found.outcomes) == [
        StatusCount(tool="mail", status=RequestStatus.APPROVED, count=3),
        StatusCount(tool="mail", status=RequestStatus.EXPIRED, count=1),
        StatusCount(tool="mail", status=RequestStatus.OPEN, count=1),
    ]
    assert (found.asked, found.expiry_rate(), found.expiry_rate("mail")) == (5, 0.25, 0.25)
    assert found.expiry_rate("shell") is None


async def test_one_person_sees_their_own_decisions_and_conversations(store: Store) -> None:
    def write(ledger: Ledger) -> None:
        ledger.answer(TODAY, 3, owner="ada", person="grace")
        ledger.answer(TODAY, 4, owner="linus", person="ada")
        ledger.answer(TODAY, 5, owner="linus", person="grace")
        ledger.ask(TODAY, owner="ada", status=RequestStatus.EXPIRED)
        ledger.call(TODAY, status=CallStatus.FAILED, cleared_by="quota")

    await written(store, write)
    ada, linus = [await gather(store, replace(WEEK, concerning=name)) for name in ("ada", "linus")]
    assert sum(ada.waits) == 2
    assert [(each.name, each.count) for each in ada.people] == [("ada", 1), ("grace", 1)]
    assert (ada.asked, ada.ended(RequestStatus.EXPIRED)) == (3, 1)
    assert [each.refused for each in ada.surges] == [1]
    assert (sum(linus.waits), linus.asked, linus.surges) == (2, 2, ())
    nobody = await gather(store, replace(WEEK, concerning="mallory"))
    assert nobody.total is None
    assert (nobody.tools, nobody.people, nobody.asked, sum(nobody.waits)) == ((), (), 0, 0)


async def test_a_filter_leaves_one_tool_or_one_agent(store: Store) -> None:
    def write(ledger: Ledger) -> None:
        ledger.answer(TODAY, 3, tool="mail", agent="desk")
        ledger.answer(TODAY, 3, tool="mail", agent="shop")
        ledger.answer(TODAY, 3, tool="shell", agent="shop")

    await written(store, write)
    mail = await gather(store, replace(WEEK, tool="mail"))
    shop = await gather(store, replace(WEEK, agent="shop"))
    both = await gather(store, replace(WEEK, tool="mail", agent="shop"))
    assert [(sum(each.waits), each.asked) for each in (mail, shop, both)] == [
        (2, 2),
        (2, 2),
        (1, 1),
    ]


async def test_only_the_newest_are_looked_at_and_that_is_said(store: Store) -> None:
    def write(ledger: Ledger) -> None:
        for number in range(5):
            ledger.answer(TODAY + seconds(number), 10 + number)

    await written(store, write)
    few = await gather(store, replace(WEEK, most=2))
    assert (few.cut, few.asked, sum(few.waits)) == (True, 2, 2)
    assert few.total is not None
    assert few.total.median == seconds(13)
    all_of_them = await gather(store, replace(WEEK, most=5))
    assert (all_of_them.cut, all_of_them.asked) == (False, 5)


async def test_hours_count_what_agents_asked_and_what_a_quota_refused(store: Store) -> None:
    hour = NOW.replace(minute=0)

    def write(ledger: Ledger) -> None:
        ledger.ask(hour, agent="desk")
        ledger.ask(hour + timedelta(minutes=29), agent="desk")
        ledger.ask(hour - timedelta(microseconds=1), agent="desk")
        ledger.call(hour, agent="desk", status=CallStatus.FAILED, cleared_by="quota")
        ledger.call(hour, agent="desk", status=CallStatus.FAILED, cleared_by="refused")
        old = WEEK.window.start - timedelta(minutes=1)
        ledger.call(old, agent="desk", status=CallStatus.FAILED, cleared_by="quota")

    await written(store, write)
    found = await gather(store, WEEK)
    assert list(found.hours) == [
        Hourly(agent="desk", hour=hour - timedelta(hours=1), count=1),
        Hourly(agent="desk", hour=hour, count=2),
    ]
    assert [(each.hour, each.count, each.refused) for each in found.surges] == [(hour, 2, 1)]


@pytest.mark.parametrize("batch", [1, 2, 3, 7])
async def test_figures_are_the_same_however_many_rows_are_read_at_once(
    store: Store, batch: int
) -> None:
    def write(ledger: Ledger) -> None:
        for number in range(7):
            at = TODAY + seconds(number)
            ledger.answer(at, number, tool=f"tool {number % 2}", verdict=REJECT)
            ledger.call(at, status=CallStatus.FAILED, cleared_by="quota")

    await written(store, write)
    at_once = await gather(store, WEEK)
    assert (sum(at_once.waits), at_once.asked, at_once.surges[0].refused) == (7, 7, 7)
    assert await gather(store, WEEK, batch=batch) == at_once


async def test_a_decision_of_the_window_on_an_older_question_counts(store: Store) -> None:
    await written(store, lambda ledger: ledger.answer(TODAY, 30 * 86_400))
    found = await gather(store, WEEK)
    assert found.total is not None
    assert (found.total.median, found.asked) == (timedelta(days=30), 0)


async def test_an_empty_record_has_no_figures(store: Store) -> None:
    found = await gather(store, WEEK)
    assert (found.total, found.tools, found.votes, sum(found.waits)) == (None, (), (), 0)
    assert (found.outcomes, found.hours, found.surges, found.cut) == ((), (), (), False)


def test_ids_made_from_a_moment_on_sort_behind_its_first_id() -> None:
    now = datetime.now(UTC)
    made = new_id("dec")
    assert first_id("dec", now) <= made < first_id("dec", now + timedelta(minutes=1))


LED = {
    "answers": (insights.ANSWERED, "decisions"),
    "requests": (insights.ASKED, "requests"),
    "refusals": (insights.REFUSED, "calls"),
    "the decision after": (insights.NEXT_DECISION, "decisions"),
    "the request after": (insights.NEXT_REQUEST, "requests"),
    "the call after": (insights.NEXT_CALL, "calls"),
}


@pytest.mark.parametrize("figure", LED)
def test_a_figure_reads_a_range_of_a_key_and_no_table_through(tmp_path: Path, figure: str) -> None:
    statement, table = LED[figure]
    connection = sqlite3.connect(tmp_path / "empty.db", isolation_level=None)
    schema.ensure_sqlite(connection)
    compiled = Compiler.sqlite()(statement)
    wanted = {**dict.fromkeys(compiled.names, ""), **compiled.literals}
    rows = connection.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.ordered(wanted))
    plan = [row[3] for row in rows.fetchall()]
    connection.close()
    assert any(f"INDEX sqlite_autoindex_{table}_1 (id>? AND id<?)" in step for step in plan), plan
    tables = ("decisions", "requests", "calls", "conversations")
    assert not [step for step in plan if step.startswith(tuple(f"SCAN {t}" for t in tables))], plan
