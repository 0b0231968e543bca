"""Either store changes a row only if it still is what the caller saw, and only in time."""

import sqlite3
from datetime import timedelta
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace

from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.ports import Store, Tx
from assent.testing import VirtualClock
from tests.store.samples import (
    CALL,
    CONVERSATION,
    DECISION,
    LEASE,
    NOON,
    REQUEST,
    TURN,
    add_call,
    add_request,
    add_turn,
)

MICROSECOND = timedelta(microseconds=1)
# What the two databases say when a constraint is broken.
BROKEN = (sqlite3.IntegrityError, asyncpg.IntegrityConstraintViolationError)


@pytest.mark.parametrize(
    "seen",
    [
        replace(CALL, status=CallStatus.AWAITING_APPROVAL),
        replace(CALL, revision=1),
        replace(CALL, fence=2),
        replace(CALL, id="call_2"),
    ],
    ids=["status", "revision", "fence", "id"],
)
async def test_a_call_that_is_not_what_was_seen_does_not_move(store: Store, seen: Any) -> None:
    await store.run(add_call)
    moved = await store.run(lambda tx: tx.calls.move(seen, CallStatus.CANCELLED))
    assert not moved
    assert await store.run(lambda tx: tx.calls.get("call_1")) == CALL


async def test_a_call_moves_once(store: Store) -> None:
    await store.run(add_call)

    def claim(tx: Tx) -> bool:
        return tx.calls.move(
            CALL, CallStatus.RUNNING, in_time=True, fence=4, attempts=3, lease_until=LEASE
        )

    assert [await store.run(claim), await store.run(claim)] == [True, False]
    now = await store.run(lambda tx: tx.calls.get("call_1"))
    assert now == replace(CALL, status=CallStatus.RUNNING, fence=4, attempts=3)


async def test_a_transition_that_the_table_does_not_have_is_a_bug(store: Store) -> None:
    await store.run(add_call)
    settled = replace(CALL, status=CallStatus.SUCCEEDED)
    with pytest.raises(AssertionError):
        await store.run(lambda tx: tx.calls.move(settled, CallStatus.RUNNING))


@pytest.mark.parametrize(("late", "in_time"), [(-MICROSECOND, True), (timedelta(0), False)])
async def test_a_call_is_claimed_in_time_or_not_at_all(
    store: Store, clock: VirtualClock, late: timedelta, in_time: bool
) -> None:
    await store.run(add_call)
    clock.advance(timedelta(minutes=15) + late)
    moved = await store.run(lambda tx: tx.calls.move(CALL, CallStatus.RUNNING, in_time=True))
    assert moved is in_time


@pytest.mark.parametrize(("late", "is_lost"), [(timedelta(0), False), (MICROSECOND, True)])
async def test_a_running_call_is_lost_once_its_lease_is_over(
    store: Store, clock: VirtualClock, late: timedelta, is_lost: bool
) -> None:
    running = replace(CALL, status=CallStatus.RUNNING)
    await store.run(lambda tx: add_call(tx, running))
    clock.advance(LEASE + late)
    assert bool(await store.run(lambda tx: tx.calls.lost(10))) is is_lost
    moved = await store.run(lambda tx: tx.calls.move(running, CallStatus.IN_DOUBT, lost=True))
    assert moved is is_lost


async def test_cleared_calls_are_claimable_the_oldest_first(store: Store) -> None:
    def add(tx: Tx) -> None:
        add_call(tx, replace(CALL, task_id=None))
        older = replace(CALL, id="call_0", task_id=None, created_at=NOON - MICROSECOND)
        settled = replace(CALL, id="call_2", task_id=None, status=CallStatus.SUCCEEDED)
        tx.calls.add([older, settled])

    await store.run(add)
    assert await store.run(lambda tx: tx.calls.claimable(10)) == ["call_0", "call_1"]
    assert await store.run(lambda tx: tx.calls.claimable(1)) == ["call_0"]


@pytest.mark.parametrize(
    ("seen", "fenced"),
    [
        (replace(TURN, fence=6), True),
        (replace(TURN, id="turn_2"), False),
        (TURN, True),
    ],
    ids=["fence", "id", "status"],
)
async def test_a_turn_that_is_not_what_was_seen_does_not_move(
    store: Store, seen: Any, fenced: bool
) -> None:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)

    await store.run(add)
    status = TurnStatus.WAITING if seen is TURN else TurnStatus.RUNNING
    sources = frozenset({status})
    moved = await store.run(
        lambda tx: tx.turns.move(seen, TurnStatus.DONE, sources=sources, fenced=fenced)
    )
    assert not moved
    assert await store.run(lambda tx: tx.turns.get("turn_1")) == TURN


async def test_a_turn_is_claimed_by_one_and_again_once_the_lease_is_over(
    store: Store, clock: VirtualClock
) -> None:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx, replace(TURN, status=TurnStatus.READY))

    await store.run(add)
    assert await store.run(lambda tx: tx.turns.claimable(5)) == ["turn_1"]
    first = await store.run(lambda tx: tx.turns.claim("turn_1", "worker_2", LEASE))
    assert first is not None
    assert (first.fence, first.worker) == (8, "worker_2")
    assert await store.run(lambda tx: tx.turns.claim("turn_1", "worker_3", LEASE)) is None
    clock.advance(LEASE + MICROSECOND)
    assert await store.run(lambda tx: tx.turns.claimable(5)) == ["turn_1"]
    second = await store.run(lambda tx: tx.turns.claim("turn_1", "worker_3", LEASE))
    assert second is not None
    assert second.fence == 9


async def test_only_a_waiting_turn_is_woken_and_only_once(store: Store) -> None:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx, replace(TURN, status=TurnStatus.WAITING))

    await store.run(add)
    woken = await store.run(lambda tx: tx.turns.wake("turn_1", "worker_2", LEASE))
    assert woken is not None
    assert (woken.status, woken.fence, woken.worker) == (TurnStatus.RUNNING, 8, "worker_2")
    assert await store.run(lambda tx: tx.turns.wake("turn_1", "worker_3", LEASE)) is None
    await store.run(lambda tx: tx.turns.rouse("turn_1"))
    now = await store.run(lambda tx: tx.turns.get("turn_1"))
    assert now is not None
    assert now.status is TurnStatus.RUNNING


async def test_a_conversation_has_one_active_turn(store: Store) -> None:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)

    def add_second(tx: Tx) -> None:
        add_turn(tx, replace(TURN, id="turn_2", number=2, status=TurnStatus.READY))

    def finish(tx: Tx) -> bool:
        return tx.turns.move(TURN, TurnStatus.DONE, sources=frozenset({TurnStatus.RUNNING}))

    await store.run(add)
    with pytest.raises(BROKEN):
        await store.run(add_second)
    assert await store.run(finish)
    await store.run(add_second)
    newest = await store.run(lambda tx: tx.turns.newest("conv_1"))
    assert newest is not None
    assert newest.id == "turn_2"


async def test_a_call_has_one_open_request(store: Store) -> None:
    second = replace(REQUEST, id="req_2")
    await store.run(add_request)
    with pytest.raises(BROKEN):
        await store.run(lambda tx: tx.requests.add([second]))
    assert await store.run(
        lambda tx: tx.requests.close(REQUEST, RequestStatus.SUPERSEDED, by="policy")
    )
    await store.run(lambda tx: tx.requests.add([second]))


async def test_a_person_votes_once_on_a_request(store: Store) -> None:
    def add(tx: Tx) -> None:
        add_request(tx)
        tx.decisions.add(DECISION)

    await store.run(add)
    again = replace(DECISION, id="dec_2", idempotency_key=None)
    with pytest.raises(BROKEN):
        await store.run(lambda tx: tx.decisions.add(again))


async def test_an_open_request_closes_once_and_says_by_whom_and_when(
    store: Store, clock: VirtualClock
) -> None:
    await store.run(add_request)
    clock.advance(timedelta(minutes=1))

    def close(tx: Tx) -> bool:
        return tx.requests.close(REQUEST, RequestStatus.APPROVED, by="grace", in_time=True)

    assert [await store.run(close), await store.run(close)] == [True, False]
    found = await store.run(lambda tx: tx.requests.get("req_1"))
    closed_at = NOON + timedelta(minutes=1)
    assert found == replace(
        REQUEST, status=RequestStatus.APPROVED, closed_by="grace", closed_at=closed_at, draft=None
    )


@pytest.mark.parametrize(("late", "is_due"), [(-MICROSECOND, False), (timedelta(0), True)])
async def test_a_deadline_splits_deciding_from_expiring(
    store: Store, clock: VirtualClock, late: timedelta, is_due: bool
) -> None:
    await store.run(add_request)
    clock.advance(timedelta(hours=24) + late)
    assert await store.run(lambda tx: tx.requests.due(5)) == (["req_1"] if is_due else [])
    kept = await store.run(lambda tx: tx.requests.keep_draft(REQUEST, "newer"))
    expired = await store.run(lambda tx: tx.requests.expire(REQUEST))
    closed = await store.run(
        lambda tx: tx.requests.close(REQUEST, RequestStatus.REJECTED, by="ada", in_time=True)
    )
    assert (kept, expired, closed) == (not is_due, is_due, not is_due)


async def test_a_request_without_a_deadline_is_never_due(store: Store, clock: VirtualClock) -> None:
    endless = replace(REQUEST, decide_by=None)
    await store.run(lambda tx: add_request(tx, endless))
    clock.advance(timedelta(days=36_500))
    assert await store.run(lambda tx: tx.requests.due(5)) == []
    assert not await store.run(lambda tx: tx.requests.expire(endless))
    assert await store.run(
        lambda tx: tx.requests.close(endless, RequestStatus.APPROVED, by="ada", in_time=True)
    )


async def test_settling_counts_the_open_calls_down_and_not_below_zero(store: Store) -> None:
    await store.run(add_call)
    assert await store.run(lambda tx: tx.messages.settle("msg_1")) == 1
    assert await store.run(lambda tx: tx.messages.settle("msg_1")) == 0
    with pytest.raises(BROKEN):
        await store.run(lambda tx: tx.messages.settle("msg_1"))


# Leases


async def test_a_worker_renews_what_it_holds_and_nothing_else(
    store: Store, clock: VirtualClock
) -> None:
    def add(tx: Tx) -> None:
        add_call(tx, replace(CALL, status=CallStatus.RUNNING))
        theirs = replace(
            CALL, id="call_2", task_id=None, status=CallStatus.RUNNING, worker="worker_2"
        )
        unheld = replace(CALL, id="call_3", task_id=None, status=CallStatus.RUNNING)
        tx.calls.add([theirs, unheld])

    await store.run(add)
    clock.advance(timedelta(seconds=10))

    def renew(tx: Tx) -> frozenset[Any]:
        calls = frozenset({("call_1", 3), ("call_2", 3), ("call_9", 3)})
        turns = frozenset({"turn_1"})
        return tx.leases.renew("worker_1", LEASE, calls=calls, turns=turns)

    assert await store.run(renew) == {("call_1", 3)}
    clock.advance(timedelta(seconds=25))
    lost = await store.run(lambda tx: tx.calls.lost(10))
    assert sorted(call.id for call in lost) == ["call_2", "call_3"]
    assert await store.run(lambda tx: tx.turns.claimable(5)) == []


async def test_breaking_leases_ends_those_of_other_workers(store: Store) -> None:
    def add(tx: Tx) -> None:
        add_call(tx, replace(CALL, status=CallStatus.RUNNING))
        theirs = replace(
            CALL, id="call_2", task_id=None, status=CallStatus.RUNNING, worker="worker_2"
        )
        tx.calls.add([theirs])

    await store.run(add)
    await store.run(lambda tx: tx.leases.break_others("worker_2"))
    assert [call.id for call in await store.run(lambda tx: tx.calls.lost(10))] == ["call_1"]
    assert await store.run(lambda tx: tx.turns.claimable(5)) == ["turn_1"]
