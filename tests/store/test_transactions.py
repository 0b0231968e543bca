"""Pages, numbers and transactions: what either store promises over several rows."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assent.app import open_store
from assent.domain.errors import StoreUnavailable
from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.domain.people import Audience, Person
from assent.ports import Store, Tx
from tests.store.samples import (
    CALL,
    CONVERSATION,
    DECISION,
    ENTRY,
    MESSAGE,
    NOON,
    REQUEST,
    add_request,
    add_turn,
)

MICROSECOND = timedelta(microseconds=1)


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
    with pytest.raises(StoreUnavailable, match="not open"):
        await store.run(lambda tx: tx.now())
