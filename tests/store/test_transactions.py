"""Pages, numbers and transactions: what either store promises over several rows."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from assent.app import open_store
from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.domain.paging import RequestFilter
from assent.domain.people import Audience, Person
from assent.domain.tools import Risk
from assent.engine.queries.listing import Inbox, waiting
from assent.errors import StoreUnavailable
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


def with_requests(
    audience: Callable[[int], Audience], count: int, **more: Callable[[int], str]
) -> Callable[[Tx], None]:
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
                    closed_at=None,
                    **{name: value(n) for name, value in more.items()},
                )
                for n in range(count)
            ]
        )

    return add


async def pages(store: Store, size: int, person: Person | None = None) -> list[list[str]]:
    found: list[list[str]] = []
    after: str | None = None
    while True:
        page = await store.run(lambda tx, after=after: waiting(tx, person, after=after, limit=size))
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


OPS = Person("grace", roles=frozenset({"ops"}))
RISKS = list(Risk)


async def boxes(store: Store, size: int, **wanted: Any) -> list[list[str]]:
    """The pages of what OPS may decide, the most dangerous first."""
    box = Inbox(person=OPS, wanted=RequestFilter(**wanted), mine=True, by_danger=True)
    found, after, more = list[list[str]](), None, True
    while more:
        page = await store.run(lambda tx, after=after: box.page(tx, after=after, limit=size))
        found.append([request.id for request in page.items])
        after, more = page.next, page.next is not None
    return found


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 9, 50])
async def test_the_newest_danger_comes_first_without_gap_or_repetition(
    store: Store, size: int
) -> None:
    # By turns safe, moderate and dangerous, so that the newest is always of another tier.
    add = with_requests(lambda _: Audience.of("ops"), 9, risk=lambda n: RISKS[n % 3])
    await store.run(add)
    expected = [f"req_{n:03}" for n in (8, 5, 2, 7, 4, 1, 6, 3, 0)]
    found = await boxes(store, size)
    assert [id for page in found for id in page] == expected
    assert {len(page) for page in found[:-1]} <= {size}


async def test_of_one_tier_the_newest_comes_first(store: Store) -> None:
    add = with_requests(lambda _: Audience.of("ops"), 9, risk=lambda n: RISKS[n % 3])
    await store.run(add)
    assert await boxes(store, 2, risk="moderate") == [["req_007", "req_004"], ["req_001"]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DELETE", [1, 0]),
        ("_f", [0]),
        ("%", [2]),
        ("\\", []),
        ("ada", [2, 1, 0]),
        ("agen", [2, 1, 0]),
        ("Öz", [2]),
        ("öZ", [2]),
        ("nobody", []),
    ],
)
async def test_a_piece_of_a_name_finds_requests_in_either_case(
    store: Store, text: str, found: list[int]
) -> None:
    tools = ["delete_file", "DeleteFolder", "Özpay%"]
    await store.run(with_requests(lambda _: Audience.of("ops"), 3, tool=tools.__getitem__))
    pages = await boxes(store, 10, text=text)
    assert pages == [[f"req_{n:03}" for n in found]]


async def test_a_page_goes_on_after_a_request_that_was_closed_meanwhile(store: Store) -> None:
    await store.run(with_requests(lambda _: Audience(), 6))
    last = replace(REQUEST, id="req_003")
    await store.run(lambda tx: tx.requests.close(last, RequestStatus.REJECTED, by="ada"))
    page = await store.run(lambda tx: waiting(tx, None, after="req_003", limit=9))
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
