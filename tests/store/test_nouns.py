"""What both stores promise, noun by noun."""

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from assent.domain.errors import StoreUnavailable
from assent.domain.events import Event, EventKind, Fact
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.people import Audience, Person
from assent.ports import Store, Tx
from tests.conftest import VirtualClock
from tests.store.samples import (
    AWKWARD,
    CALL,
    CONVERSATION,
    DECISION,
    ENTRY,
    LEASE,
    MESSAGE,
    NOON,
    REQUEST,
    REVISION,
    SAVED,
    SEALED,
    TURN,
    add_call,
    add_request,
    add_turn,
)

MICROSECOND = timedelta(microseconds=1)
# What the two databases say when a constraint is broken.
BROKEN = (sqlite3.IntegrityError, asyncpg.IntegrityConstraintViolationError)


# Round trips


async def test_a_conversation_comes_back_as_it_was(store: Store) -> None:
    await store.run(lambda tx: tx.conversations.add(CONVERSATION))
    assert await store.run(lambda tx: tx.conversations.get("conv_1")) == CONVERSATION
    assert await store.run(lambda tx: tx.conversations.get("conv_2")) is None


async def test_conversations_of_an_owner_are_the_newest_first(store: Store) -> None:
    made = [
        replace(CONVERSATION, id=f"conv_{n}", created_at=NOON + n * MICROSECOND) for n in range(4)
    ]
    foreign = replace(CONVERSATION, id="conv_x", owner=Person("eve"))
    for each in (*made, foreign):
        await store.run(lambda tx, each=each: tx.conversations.add(each))
    found = await store.run(lambda tx: tx.conversations.of_owner("ada", limit=3))
    assert found == made[:0:-1]


async def test_a_turn_comes_back_as_it_was(store: Store) -> None:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx, key="key")

    await store.run(add)
    assert await store.run(lambda tx: tx.turns.get("turn_1")) == TURN
    assert await store.run(lambda tx: tx.turns.newest("conv_1")) == TURN
    assert await store.run(lambda tx: tx.turns.by_key("ada", "key")) == (TURN, "body")
    assert await store.run(lambda tx: tx.turns.by_key("eve", "key")) is None


async def test_messages_come_back_in_the_order_they_were_appended(store: Store) -> None:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)
        for number in (1, 2, 3):
            tx.messages.append(replace(MESSAGE, id=f"msg_{10 - number}"))

    await store.run(add)
    found = await store.run(lambda tx: tx.messages.of_conversation("conv_1"))
    assert found == [
        replace(MESSAGE, id=f"msg_{10 - number}", position=number) for number in (1, 2, 3)
    ]


async def test_a_call_comes_back_as_it_was(store: Store) -> None:
    await store.run(add_call)
    assert await store.run(lambda tx: tx.calls.get("call_1")) == CALL
    assert await store.run(lambda tx: tx.calls.by_task("task_1")) == CALL
    assert await store.run(lambda tx: tx.calls.of_turn("turn_1")) == [CALL]
    assert await store.run(lambda tx: tx.calls.of_conversation("conv_1")) == [CALL]


async def test_a_call_with_nothing_optional_comes_back_as_it_was(store: Store) -> None:
    bare = replace(
        CALL,
        cleared_by=None,
        approved=False,
        run_by=None,
        worker=None,
        lease_until=None,
        task_id=None,
        metadata=None,
        supplied=None,
        output=None,
        settled_at=None,
        note=None,
    )
    await store.run(lambda tx: add_call(tx, bare))
    assert await store.run(lambda tx: tx.calls.get("call_1")) == bare


async def test_revisions_come_back_in_their_order(store: Store) -> None:
    def add(tx: Tx) -> None:
        add_call(tx)
        tx.calls.revise(REVISION)
        tx.calls.revise(replace(REVISION, revision=1))

    await store.run(add)
    found = await store.run(lambda tx: tx.calls.revisions("call_1"))
    assert found == [replace(REVISION, revision=1), REVISION]


async def test_a_request_comes_back_as_it_was(store: Store) -> None:
    await store.run(add_request)
    assert await store.run(lambda tx: tx.requests.get("req_1")) == REQUEST
    assert await store.run(lambda tx: tx.requests.case("req_1")) == (REQUEST, CALL, CONVERSATION)
    assert await store.run(lambda tx: tx.requests.of_call("call_1")) == [REQUEST]
    assert await store.run(lambda tx: tx.requests.of_turn("turn_1")) == [REQUEST]
    assert await store.run(lambda tx: tx.requests.case("req_2")) is None


async def test_a_decision_comes_back_as_it_was(store: Store) -> None:
    def add(tx: Tx) -> None:
        add_request(tx)
        tx.decisions.add(DECISION)

    await store.run(add)
    assert await store.run(lambda tx: tx.decisions.of_request("req_1")) == [DECISION]
    assert await store.run(lambda tx: tx.decisions.by_key("ada", "key")) == DECISION
    assert await store.run(lambda tx: tx.decisions.by_key("eve", "key")) is None


async def test_an_entry_comes_back_as_it_was(store: Store) -> None:
    other = replace(ENTRY, id="aud_2", call_id="call_2", at=NOON - MICROSECOND)

    def note(tx: Tx) -> None:
        tx.journal.note(ENTRY)
        tx.journal.note(other)

    await store.run(note)
    assert await store.run(lambda tx: tx.journal.entries(call_id="call_1")) == [ENTRY]
    of_conversation = await store.run(lambda tx: tx.journal.entries(conversation_id="conv_1"))
    assert of_conversation == [other, ENTRY]
    assert await store.run(lambda tx: tx.journal.entries()) == [other, ENTRY]


async def test_an_event_comes_back_as_it_was(store: Store) -> None:
    def tell(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)
        tx.journal.tell("turn_1", Fact(EventKind.TEXT, {"text": AWKWARD}))

    await store.run(tell)
    found = await store.run(lambda tx: tx.journal.events("turn_1", 0, 10))
    event = Event(turn_id="turn_1", seq=1, kind=EventKind.TEXT, data={"text": AWKWARD}, at=NOON)
    assert found == [event]


async def test_a_saved_value_comes_back_as_it_was_and_the_last_one_counts(store: Store) -> None:
    newer = replace(SAVED, value=None)
    await store.run(lambda tx: tx.values.save([SAVED]))
    assert await store.run(lambda tx: tx.values.saved("conv_1")) == [SAVED]
    await store.run(lambda tx: tx.values.save([newer]))
    assert await store.run(lambda tx: tx.values.saved("conv_1")) == [newer]


async def test_clearing_a_scope_forgets_its_values_and_their_secrets_only(store: Store) -> None:
    secret = replace(SAVED, name="password", value={"$secret": "sec_1"}, secret=True)
    elsewhere = replace(SAVED, scope="other")

    def save(tx: Tx) -> None:
        tx.values.save([SAVED, secret, elsewhere])
        tx.values.seal([SEALED])

    await store.run(save)
    assert await store.run(lambda tx: tx.values.clear("conv_1", "mail")) == 2
    assert await store.run(lambda tx: tx.values.saved("conv_1")) == [elsewhere]
    assert await store.run(lambda tx: tx.values.sealed(["sec_1"])) == []
    assert await store.run(lambda tx: tx.values.clear("conv_1", None)) == 1


async def test_a_sealed_secret_comes_back_as_it_was_until_its_call_is_purged(store: Store) -> None:
    kept = replace(SEALED, id="sec_2", call_id=None)
    await store.run(lambda tx: tx.values.seal([SEALED, kept]))
    assert await store.run(lambda tx: tx.values.sealed(["sec_2", "sec_1", "sec_3"])) == [
        kept,
        SEALED,
    ]
    assert await store.run(lambda tx: tx.values.purge("call_1")) == 1
    assert await store.run(lambda tx: tx.values.sealed(["sec_1", "sec_2"])) == [kept]


async def test_settings_come_back_as_they_were_and_can_be_taken_back(store: Store) -> None:
    await store.run(lambda tx: tx.settings.override("t", "first", "ada"))
    await store.run(lambda tx: tx.settings.override("t", AWKWARD, "ada"))
    assert await store.run(lambda tx: tx.settings.overrides()) == {"t": AWKWARD}
    await store.run(lambda tx: tx.settings.override("t", None, "ada"))
    assert await store.run(lambda tx: tx.settings.overrides()) == {}
    assert await store.run(lambda tx: tx.settings.fact("f")) is None
    await store.run(lambda tx: tx.settings.set_fact("f", "1"))
    await store.run(lambda tx: tx.settings.set_fact("f", "2"))
    assert await store.run(lambda tx: tx.settings.fact("f")) == "2"


async def test_a_snapshot_is_the_turn_its_answer_its_calls_and_its_open_requests(
    store: Store,
) -> None:
    second = replace(CALL, id="call_2", position=2, task_id=None)

    def add(tx: Tx) -> None:
        add_request(tx)
        tx.calls.add([second])
        closed = replace(REQUEST, id="req_2", call_id="call_2", status=RequestStatus.APPROVED)
        tx.requests.add([closed])

    await store.run(add)
    found = await store.run(lambda tx: tx.snapshots.turn("turn_1"))
    assert found == (TURN, MESSAGE.text, [CALL, second], [REQUEST])
    assert await store.run(lambda tx: tx.snapshots.turn("turn_2")) is None


# Guards


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


# Pages and numbers


def with_requests(audience: Callable[[int], Audience], count: int) -> Callable[[Tx], None]:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)
        tx.messages.append(MESSAGE)
        tx.calls.add([replace(CALL, id=f"call_{n}", task_id=None) for n in range(count)])
        tx.requests.add(
            [
                replace(
                    REQUEST,
                    id=f"req_{n:03}",
                    call_id=f"call_{n}",
                    # Several of one moment: only the id tells them apart.
                    created_at=NOON + n // 3 * MICROSECOND,
                    audience=audience(n),
                )
                for n in range(count)
            ]
        )

    return add


async def pages(store: Store, size: int, person: Person | None = None) -> list[list[str]]:
    found: list[list[str]] = []
    after: str | None = None
    while True:
        page = await store.run(
            lambda tx, after=after: tx.requests.pending(person=person, limit=size, after=after)
        )
        if not page:
            return found
        found.append([request.id for request in page])
        after = page[-1].id


async def test_pages_of_pending_requests_are_newest_first_without_gap_or_repetition(
    store: Store,
) -> None:
    await store.run(with_requests(lambda _: Audience(), 11))
    expected = [f"req_{n:03}" for n in reversed(range(11))]
    assert await pages(store, 4) == [expected[:4], expected[4:8], expected[8:]]


async def test_a_page_goes_on_after_a_request_that_was_closed_meanwhile(store: Store) -> None:
    await store.run(with_requests(lambda _: Audience(), 6))
    last = replace(REQUEST, id="req_003")
    await store.run(lambda tx: tx.requests.close(last, RequestStatus.REJECTED, by="ada"))
    page = await store.run(lambda tx: tx.requests.pending(person=None, limit=9, after="req_003"))
    assert [request.id for request in page] == ["req_002", "req_001", "req_000"]


async def test_a_person_sees_only_what_they_may_decide_and_full_pages_of_it(store: Store) -> None:
    audience = {0: Audience.of("ops"), 1: Audience.of("staff")}
    await store.run(with_requests(lambda n: audience[n % 2], 130))
    person = Person("grace", roles=frozenset({"ops"}))
    expected = [f"req_{n:03}" for n in reversed(range(0, 130, 2))]
    assert await pages(store, 20, person) == [
        expected[:20],
        expected[20:40],
        expected[40:60],
        expected[60:],
    ]
    assert await pages(store, 20, Person("eve")) == []


async def test_events_are_numbered_densely_under_concurrent_writers(url: str) -> None:
    from assent.app import open_store

    stores = [open_store(url) for _ in range(3)]
    for number, opened in enumerate(stores):
        await opened.open(worker=number == 0)
    try:

        def start(tx: Tx) -> None:
            tx.conversations.add(CONVERSATION)
            add_turn(tx)

        await stores[0].run(start)

        def tell(number: int) -> Callable[[Tx], None]:
            facts = [Fact(EventKind.TEXT, {"writer": number, "n": n}) for n in range(3)]
            return lambda tx: tx.journal.tell("turn_1", *facts)

        await asyncio.gather(*(stores[n % 3].run(tell(n)) for n in range(60)))
        found = await stores[0].run(lambda tx: tx.journal.events("turn_1", 0, 1_000))
    finally:
        for opened in stores:
            await opened.close()
    assert [event.seq for event in found] == list(range(1, 181))
    writers = [event.data["writer"] for event in found]
    # Facts of one transaction stay together and in order.
    assert writers[::3] == writers[1::3] == writers[2::3]
    assert sorted(writers[::3]) == list(range(60))  # pyright: ignore[reportArgumentType]
    assert [event.data["n"] for event in found] == [0, 1, 2] * 60


async def test_events_are_read_from_a_cursor_in_pages(store: Store) -> None:
    def tell(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)
        tx.journal.tell("turn_1", *(Fact(EventKind.STEP) for _ in range(5)))

    await store.run(tell)
    page = await store.run(lambda tx: tx.journal.events("turn_1", 2, 2))
    assert [event.seq for event in page] == [3, 4]


# Transactions


async def test_what_a_function_raises_reaches_its_caller_and_leaves_nothing(store: Store) -> None:
    def fail(tx: Tx) -> None:
        add_request(tx)
        tx.journal.note(ENTRY)
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        await store.run(fail)
    assert await store.run(lambda tx: tx.conversations.get("conv_1")) is None
    assert await store.run(lambda tx: tx.journal.entries()) == []


async def test_a_transaction_sees_what_it_wrote_itself(store: Store) -> None:
    def write_and_read(tx: Tx) -> Any:
        add_request(tx)
        tx.decisions.add(DECISION)
        return (
            tx.requests.get("req_1"),
            tx.decisions.of_request("req_1"),
            tx.calls.move(CALL, CallStatus.CANCELLED),
            tx.requests.close(REQUEST, RequestStatus.CANCELLED, by="ada"),
        )

    assert await store.run(write_and_read) == (REQUEST, [DECISION], True, True)


async def test_whoever_listens_hears_which_turns_changed_after_the_commit(store: Store) -> None:
    heard: list[frozenset[str]] = []
    store.listen(heard.append)

    def tell(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)
        tx.journal.tell("turn_1", Fact(EventKind.STEP))

    def fail(tx: Tx) -> None:
        tx.journal.tell("turn_1", Fact(EventKind.STEP))
        raise LookupError

    await store.run(tell)
    with pytest.raises(LookupError):
        await store.run(fail)
    assert heard.count(frozenset({"turn_1"})) == 1


async def test_a_closed_store_refuses(store: Store) -> None:
    await store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        await store.run(lambda tx: tx.now())
