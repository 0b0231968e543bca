"""The feed has one order, shows what is safe to show, and loses nothing to commits out of order."""

import asyncio
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace

from assent.app import open_store
from assent.domain.events import START, Cursor, EventKind, Fact, News
from assent.domain.people import Person
from assent.errors import BadCursor
from assent.ports import Store, Tx
from assent.store import feed
from assent.store.statements import Compiler
from tests.store.rawsql import RawSql
from tests.store.samples import CONVERSATION, REQUEST, TURN, add_request, add_turn

ADA, GRACE, EVE = Person("ada"), Person("grace", roles=frozenset({"ops"})), Person("eve")


def add_turns(*ids: str) -> Callable[[Tx], None]:
    def add(tx: Tx) -> None:
        for id in ids:
            tx.conversations.add(replace(CONVERSATION, id=f"conv_of_{id}"))
            add_turn(tx, replace(TURN, id=id, conversation_id=f"conv_of_{id}"))

    return add


def tell(turn_id: str, kind: EventKind = EventKind.CALL, **data: Any) -> Callable[[Tx], None]:
    return lambda tx: tx.journal.tell(turn_id, Fact(kind, data))


async def read(store: Store, after: Cursor = START) -> list[News]:
    """Everything after a cursor, page by page."""
    found: list[News] = []
    while (page := await store.run(lambda tx, after=after: tx.feed.page(after))).last != after:
        found += page.news
        after = page.last
    return found


async def test_events_of_all_turns_come_in_one_order(store: Store) -> None:
    await store.run(add_turns("turn_a", "turn_b"))
    for number in range(6):
        await store.run(tell("turn_a" if number % 2 else "turn_b", status=f"s{number}"))

    found = await read(store)

    assert [news.data["status"] for news in found] == [f"s{number}" for number in range(6)]
    assert [news.turn_id for news in found] == ["turn_b", "turn_a"] * 3
    assert [news.seq for news in found] == [1, 1, 2, 2, 3, 3]
    cursors = [news.cursor for news in found]
    assert cursors == sorted(set(cursors))


async def test_the_words_of_an_answer_are_not_in_the_feed(store: Store) -> None:
    await store.run(add_turns("turn_a"))
    for kind in EventKind:
        await store.run(tell("turn_a", kind))

    kinds = {news.kind for news in await read(store)}

    words = {EventKind.TEXT, EventKind.REASONING, EventKind.PROGRESS, EventKind.PROPOSED}
    assert kinds == set(EventKind) - words - {EventKind.STEP}


async def test_only_ids_and_states_are_told(store: Store) -> None:
    await store.run(add_turns("turn_a"))
    shown = {"call_id": "call_9", "tool": "pay", "status": "succeeded"}
    hidden = {"output": "canary", "text": "canary", "message": "canary", "arguments": "canary"}
    await store.run(tell("turn_a", EventKind.RESULT, **shown, **hidden))
    await store.run(tell("turn_a", EventKind.RESET, reason="x" * 10_000))

    result, reset = await read(store)

    assert result.data == shown
    assert reset.data == {"reason": "x" * 200}


async def test_news_of_a_call_concerns_whoever_is_asked_about_it(store: Store) -> None:
    await store.run(add_request)
    await store.run(tell("turn_1", EventKind.PENDING, request_id=REQUEST.id, call_id="call_1"))
    await store.run(tell("turn_1", EventKind.CALL, call_id="call_2"))
    await store.run(tell("turn_1", EventKind.WAITING, requests=[REQUEST.id]))

    pending, other, waiting = await read(store)

    assert (pending.conversation_id, pending.owner) == ("conv_1", "ada")
    # Not to decide, she is excluded: to see.
    assert [news.concerns(ADA) for news in (pending, other, waiting)] == [True, True, True]
    assert [news.concerns(GRACE) for news in (pending, other, waiting)] == [True, False, False]
    assert not any(news.concerns(EVE) for news in (pending, other, waiting))


async def test_a_long_feed_is_read_in_pages_that_meet_without_a_gap(store: Store) -> None:
    await store.run(add_turns("turn_a"))
    total = 2 * feed.PAGE + 7
    facts = [Fact(EventKind.CALL, {"status": str(n)}) for n in range(total)]
    await store.run(lambda tx: tx.journal.tell("turn_a", *facts))

    first = await store.run(lambda tx: tx.feed.page(START))
    found = await read(store)

    assert len(first.news) == feed.PAGE
    assert [news.data["status"] for news in found] == [str(n) for n in range(total)]
    assert await store.run(lambda tx: tx.feed.head()) == found[-1].cursor


async def test_events_of_a_turn_that_is_gone_are_passed(store: Store, raw: RawSql) -> None:
    await store.run(add_turns("turn_a", "turn_b"))
    await store.run(tell("turn_a"))
    gone = [Fact(EventKind.CALL)] * (feed.PAGE + 1)
    await store.run(lambda tx: tx.journal.tell("turn_b", *gone))
    await store.run(tell("turn_a"))
    await raw.rows("DELETE FROM turns WHERE id = 'turn_b'")

    assert [news.seq for news in await read(store)] == [1, 2]


async def test_a_place_is_never_given_twice(store: Store, raw: RawSql) -> None:
    await store.run(add_turns("turn_a", "turn_b"))
    await store.run(tell("turn_a"))
    [seen] = await read(store)
    await raw.rows("DELETE FROM events")

    await store.run(tell("turn_b"))

    assert [news.turn_id for news in await read(store, seen.cursor)] == ["turn_b"]


# requirement: R21
async def test_a_reader_that_follows_concurrent_writers_gets_each_event_once(url: str) -> None:
    stores = [open_store(url) for _ in range(3)]
    for number, opened in enumerate(stores):
        await opened.open(worker=number == 0)
    try:
        await stores[0].run(add_turns(*(f"turn_{n}" for n in range(8))))
        written = asyncio.gather(
            *(stores[n % 2].run(tell(f"turn_{n % 8}", status=str(n))) for n in range(240))
        )
        found: list[News] = []
        while len(found) < 240:
            async with asyncio.timeout(20):
                found += await read(stores[2], found[-1].cursor if found else START)
        await written
        found += await read(stores[2], found[-1].cursor)
    finally:
        for opened in stores:
            await opened.close()
    assert sorted(int(str(news.data["status"])) for news in found) == list(range(240))
    assert [news.cursor for news in found] == sorted(news.cursor for news in found)


@pytest.mark.postgres
async def test_what_was_committed_beside_an_older_transaction_waits_for_it(
    postgres_url: str,
) -> None:
    store = open_store(postgres_url)
    await store.open(worker=True)
    older: Any = await asyncpg.connect(postgres_url)
    try:
        await store.run(add_turns("turn_a"))
        begun = older.transaction()
        await begun.start()
        insert = "INSERT INTO events (turn_id, seq, kind, data, at) VALUES ($1, 1, 'call', '{}', 0)"
        await older.execute(insert, "turn_a")
        await store.run(add_turns("turn_b"))
        await store.run(tell("turn_b"))

        before = await store.run(lambda tx: tx.feed.page(START))
        await begun.commit()
        after = await store.run(lambda tx: tx.feed.page(START))
    finally:
        await older.close()
        await store.close()

    # A reader that had taken turn_b's event would never have looked for turn_a's again.
    assert (before.news, before.held) == ((), True)
    assert ([news.turn_id for news in after.news], after.held) == (["turn_a", "turn_b"], False)


@pytest.mark.postgres
async def test_rows_restored_from_another_server_are_older_than_what_comes(
    postgres_url: str,
) -> None:
    raw, page = RawSql(postgres_url), None
    for visit in range(2):
        store = open_store(postgres_url)
        await store.open(worker=True)
        if visit == 0:
            await store.run(add_turns("turn_a", "turn_b"))
            await store.run(tell("turn_a"))
            await raw.rows("UPDATE events SET xid = 4000000000000")
        else:
            await store.run(tell("turn_b"))
        page = await store.run(lambda tx: tx.feed.page(START))
        await store.close()

    assert page is not None
    assert ([news.turn_id for news in page.news], page.held) == (["turn_a", "turn_b"], False)


async def test_reading_on_looks_at_no_more_than_what_is_new(store: Store, raw: RawSql) -> None:
    await store.run(add_turns("turn_a"))
    facts = [Fact(kind) for kind in (EventKind.TEXT, EventKind.CALL) for _ in range(400)]
    await store.run(lambda tx: tx.journal.tell("turn_a", *facts))
    compiler = Compiler.sqlite() if raw.is_sqlite else Compiler.postgres(server_clock=True)
    statement = compiler(feed.NEWS).sql
    for name, value in {"?": "790", "$1": "0", "$2": "790"}.items():
        statement = statement.replace(name, value)
    if raw.is_sqlite:
        plan = await raw.rows(f"EXPLAIN QUERY PLAN {statement}")
        assert "SEARCH events USING INTEGER PRIMARY KEY" in str(plan)
    else:
        await raw.rows("ANALYZE events")
        plan = await raw.rows(f"EXPLAIN {statement}")
        assert "Index Scan using ix_events_feed" in str(plan)


def test_a_cursor_survives_being_written_down() -> None:
    for cursor in (START, Cursor(12, 345), Cursor(2**63 - 1, 2**63 - 1)):
        assert Cursor.parse(str(cursor)) == cursor


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1-",
        "-1-2",
        "1-2-3",
        "01-2",
        "1-2\n",
        " 1-2",
        "1.0-2",
        "a-b",
        "١-٢",
        "9" * 40 + "-1",
    ],
)
def test_what_was_never_given_out_is_no_cursor(text: str) -> None:
    with pytest.raises(BadCursor):
        Cursor.parse(text)


async def test_the_newest_event_is_never_deleted_so_that_its_number_is_not_given_out_again(
    store: Store, raw: RawSql
) -> None:
    """On SQLite the next number is one more than the highest that is there."""
    await store.run(add_turns("turn_a"))
    given: set[int] = set()
    for text in ("a", "b"):
        for kind in (EventKind.TEXT, EventKind.REASONING, EventKind.TEXT, EventKind.RESET):
            await store.run(tell("turn_a", kind, text=text))
            newest = await raw.one("SELECT max(id) FROM events")
            assert newest > max(given, default=0)
            given.add(newest)
    # What a reset takes back is gone; the reset itself stays.
    left = await raw.rows("SELECT kind FROM events ORDER BY id")
    assert [kind for (kind,) in left] == ["reset", "reset"]
