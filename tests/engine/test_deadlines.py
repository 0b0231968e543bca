"""The database's clock decides, at the decision and at the claim, also when nobody sweeps."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from assent import (
    approve,
    cancel,
    manual,
    reject,
    supply,
)
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.errors import Expired
from assent.testing import VirtualClock
from tests.conftest import World
from tests.engine.till import (
    DECIDE_WITHIN,
    PATIENT,
    RUN_WITHIN,
    STAFF,
    Till,
    approved,
    ask,
    carried_out,
    one_call,
    rested,
)
from tests.store.rawsql import RawSql

MILLISECOND = timedelta(milliseconds=1)


# requirement: R5, T3
@pytest.mark.parametrize(
    ("late", "status"),
    [
        (-MILLISECOND, CallStatus.SUCCEEDED),
        (timedelta(0), CallStatus.EXPIRED),
        (MILLISECOND, CallStatus.EXPIRED),
    ],
)
async def test_an_approval_can_be_claimed_before_run_by_and_not_from_then_on(
    world: World, clock: VirtualClock, late: timedelta, status: CallStatus
) -> None:
    till = Till()
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    turn = await approved(world, till.pay(), **options)
    clock.advance(RUN_WITHIN + late)
    turn = await carried_out(world, turn, till.pay(), **options)
    assert [call.status for call in turn.calls] == [status]
    assert till.paid == ([(5, "bob")] if status is CallStatus.SUCCEEDED else [])


# conformance: 113
# requirement: R5
@pytest.mark.parametrize(
    ("late", "verdict"),
    [
        (-MILLISECOND, approve()),
        (timedelta(0), approve()),
        (MILLISECOND, approve()),
        (timedelta(0), approve({"amount": 1, "to": "eve"})),
        (timedelta(0), reject()),
    ],
)
async def test_a_decision_counts_before_the_deadline_and_not_from_then_on(
    world: World, clock: VirtualClock, late: timedelta, verdict: Verdict
) -> None:
    till = Till()
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    turn = await ask(world, till.pay(), **options)
    [request] = turn.pending
    clock.advance(DECIDE_WITHIN + late)
    # Nobody sweeps: there is no worker.
    async with world(one_call, till.pay(), worker=False, **options) as deciding:
        if late < timedelta(0):
            decided = await deciding.decide(request.id, verdict, by=STAFF)
            assert decided.status is RequestStatus.APPROVED
            return
        for _ in range(2):
            with pytest.raises(Expired) as refused:
                await deciding.decide(request.id, verdict, by=STAFF)
            assert refused.value.status == RequestStatus.EXPIRED
        settled = await deciding.request(request.id)
    assert settled.status is RequestStatus.EXPIRED
    turn = await carried_out(world, turn, till.pay(), **options)
    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]
    assert till.paid == []


# requirement: R5
async def test_an_output_cannot_be_supplied_from_the_deadline_on(
    world: World, clock: VirtualClock
) -> None:
    within = timedelta(minutes=1)
    pick = manual("pay", description="Pick.", parameters={"type": "object"}, decide_within=within)
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    turn = await ask(world, pick, **options)
    clock.advance(within)
    async with world(one_call, pick, worker=False, **options) as deciding:
        with pytest.raises(Expired):
            await deciding.decide(turn.pending[0].id, supply("late"), by=STAFF)
    turn = await carried_out(world, turn, pick, **options)
    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]


# conformance: 113
async def test_a_late_cancellation_does_not_turn_an_expired_call_into_a_cancelled_one(
    world: World, clock: VirtualClock
) -> None:
    till = Till()
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    turn = await ask(world, till.pay(), **options)
    clock.advance(DECIDE_WITHIN)
    async with world(one_call, till.pay(), **options) as working:
        with pytest.raises(Expired):
            await working.decide(turn.pending[0].id, cancel(), by=STAFF)
        turn = await rested(working, turn.id)
    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]


async def waits_for_lock(connection: Any) -> None:
    """Until some session of this database waits for a lock that we hold."""
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    async with asyncio.timeout(10):
        while not await connection.fetchval(waiting):  # noqa: ASYNC110 - another process's state
            await asyncio.sleep(0.01)


async def until_past(connection: Any, column: str) -> None:
    """Until the server's own clock is past a stored time."""
    left = f"SELECT ({column}) / 1e6 - extract(epoch from clock_timestamp())::float8"
    async with asyncio.timeout(20):
        while (seconds := float(await connection.fetchval(left))) >= 0:  # noqa: ASYNC110 - its clock
            await asyncio.sleep(seconds + 0.01)


async def behind_a_lock(
    url: str, row: str, deadline: str, work: Callable[[], Awaitable[object]]
) -> object:
    """Start work that has to wait for a row until after a deadline that was ahead at its start."""
    holder: Any = await asyncpg.connect(url)
    watcher: Any = await asyncpg.connect(url)
    try:
        held = holder.transaction()
        await held.start()
        await holder.fetch(f"{row} FOR UPDATE")
        working = asyncio.ensure_future(work())
        await waits_for_lock(watcher)
        await until_past(watcher, deadline)
        # Only locked, never changed: PostgreSQL does not look at the conditions again by itself.
        await held.commit()
        return await working
    finally:
        await holder.close()
        await watcher.close()


# conformance: 114
# requirement: R5
@pytest.mark.postgres
async def test_a_decision_that_waited_for_the_lock_beyond_the_deadline_is_refused(
    postgres_url: str,
) -> None:
    world, till = World(postgres_url), Till()
    pay = till.pay(decide_within=timedelta(seconds=1.5))
    turn = await ask(world, pay)
    async with world(one_call, pay, worker=False) as deciding:

        async def decide() -> object:
            try:
                return await deciding.decide(turn.pending[0].id, approve(), by=STAFF)
            except Expired as error:
                return error

        answer = await behind_a_lock(
            postgres_url, "SELECT 1 FROM requests", "SELECT decide_by FROM requests", decide
        )
    assert isinstance(answer, Expired)
    turn = await carried_out(world, turn, pay)
    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]
    assert till.paid == []


# requirement: R5
@pytest.mark.postgres
async def test_a_claim_that_waited_for_the_lock_beyond_run_by_is_refused(
    postgres_url: str,
) -> None:
    world, till = World(postgres_url), Till()
    pay = till.pay()
    turn = await approved(world, pay)
    soon = "UPDATE calls SET run_by = (extract(epoch from clock_timestamp()) + 1.5) * 1000000"
    await RawSql(postgres_url).rows(soon)

    async def claim() -> object:
        return await carried_out(world, turn, pay)

    await behind_a_lock(postgres_url, "SELECT 1 FROM calls", "SELECT run_by FROM calls", claim)
    assert till.paid == []
    assert await RawSql(postgres_url).one("SELECT status FROM calls") == "expired"


# requirement: R5
async def test_an_overdue_request_that_cannot_be_read_holds_up_no_other_and_no_start(
    world: World, clock: VirtualClock
) -> None:
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    damaged = await ask(world, Till().pay(), **options)
    turn = await ask(world, Till().pay(), **options)
    damage = f"UPDATE requests SET audience = '{{' WHERE id = '{damaged.pending[0].id}'"
    await RawSql(world.url).rows(damage)
    clock.advance(DECIDE_WITHIN)

    turn = await carried_out(world, turn, Till().pay(), **options)

    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]
