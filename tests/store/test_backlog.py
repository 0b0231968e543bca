"""SQLite inserts many rows to a statement, and nobody can tell but by the time it takes."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assent.app import open_store
from assent.domain.events import EventKind, Fact
from assent.ports import Store, Tx
from assent.store.backlog import LOADS
from tests.store.rawsql import RawSql
from tests.store.samples import CONVERSATION, ENTRY, MESSAGE, TURN, add_turn
from tests.store.writer import writer_held

# A load of every size, and some rows that are left over.
MANY = sum(LOADS) + 5


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture
async def store(file_url: str) -> AsyncIterator[Store]:
    opened = open_store(file_url)
    await opened.open(worker=True)
    yield opened
    await opened.close()


async def at_once(store: Store, *works: Callable[[Tx], object]) -> list[object]:
    """What several transactions of one commit answer."""
    with writer_held(store):
        await asyncio.sleep(0)
        waiting = [asyncio.ensure_future(store.run(work)) for work in works]
        await asyncio.sleep(0)
    return await asyncio.gather(*waiting, return_exceptions=True)


def talk(number: int, messages: int) -> Callable[[Tx], None]:
    """A conversation with some messages and as many events."""

    def work(tx: Tx) -> None:
        tx.conversations.add(replace(CONVERSATION, id=f"conv_{number}"))
        turn = replace(TURN, id=f"turn_{number}", conversation_id=f"conv_{number}")
        add_turn(tx, turn)
        for each in range(messages):
            id = f"msg_{number}_{each}"
            tx.messages.append(
                replace(MESSAGE, id=id, conversation_id=turn.conversation_id, turn_id=turn.id)
            )
            tx.journal.tell(turn.id, Fact(EventKind.TEXT, {"n": each}))

    return work


async def test_rows_of_one_statement_are_numbered_each_in_its_own_group(
    store: Store, file_url: str
) -> None:
    answers = await at_once(store, *(talk(number, number) for number in range(1, 12)))
    assert answers == [None] * 11
    await store.run(lambda tx: tx.journal.tell("turn_7", Fact(EventKind.TEXT, {"n": 7})))
    raw = RawSql(file_url)
    for number in range(1, 12):
        where = f"conversation_id = 'conv_{number}' ORDER BY id"
        placed = await raw.rows(f"SELECT id, position FROM messages WHERE {where}")
        wanted = {f"msg_{number}_{each}": each + 1 for each in range(number)}
        assert dict(placed) == wanted
        told = await raw.rows(f"SELECT seq FROM events WHERE turn_id = 'turn_{number}' ORDER BY id")
        assert [seq for (seq,) in told] == list(range(1, number + 1 + (number == 7)))


async def test_every_row_is_there_with_what_was_given(store: Store) -> None:
    entries = [replace(ENTRY, id=f"aud_{n:03}", data={"n": n}) for n in range(MANY)]

    def note(tx: Tx) -> None:
        for entry in entries:
            tx.journal.note(entry)

    await store.run(note)
    assert await store.run(lambda tx: tx.journal.entries()) == entries


async def test_who_comes_later_in_a_commit_sees_what_came_before(store: Store) -> None:
    def read(tx: Tx) -> object:
        return tx.conversations.get("conv_1"), len(tx.messages.of_conversation("conv_1"))

    _, seen = await at_once(store, talk(1, 3), read)
    assert seen == (replace(CONVERSATION, id="conv_1"), 3)


async def test_who_adds_sees_what_it_added(store: Store) -> None:
    def add_and_read(tx: Tx) -> int:
        talk(1, 3)(tx)
        return len(tx.messages.of_conversation("conv_1"))

    assert await store.run(add_and_read) == 3


async def test_a_row_that_is_refused_takes_nobody_with_it(store: Store, file_url: str) -> None:
    # The last of them meets the first at the end of the commit, where nobody is at work any more.
    answers = await at_once(store, *(talk(n, 1) for n in range(1, 12)), talk(3, 1))
    assert answers[:-1] == [None] * 11
    assert isinstance(answers[-1], sqlite3.IntegrityError)
    assert await RawSql(file_url).one("SELECT count(*) FROM conversations") == 11


async def test_a_refused_row_that_another_brings_to_light_is_not_laid_at_its_door(
    store: Store,
) -> None:
    def read(tx: Tx) -> int:
        return len(tx.messages.of_conversation("conv_2"))

    first, second, seen, third = await at_once(store, talk(1, 1), talk(1, 1), read, talk(2, 2))
    assert (first, seen, third) == (None, 0, None)
    assert isinstance(second, sqlite3.IntegrityError)
