"""PostgreSQL's own: transactions that meet, connections that die, a server that will not write."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
from sqlalchemy import text
from sqlalchemy.util import await_only

from assent import Person, approve, tool
from assent.app import open_store
from assent.domain.lifecycle import TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.errors import StoreUnavailable, WriteUncertain
from assent.ports import Store, Tx
from assent.store.postgres import MAX_DEFEATS, PostgresStore
from assent.testing import calls, says
from tests.conftest import World
from tests.store.samples import CONVERSATION

pytestmark = pytest.mark.postgres
STAFF = Person("ada")


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[Store]:
    opened = open_store(postgres_url)
    await opened.open(worker=True)
    yield opened
    await opened.close()


def update(tx: Any, name: str, value: str) -> None:
    """Change a row in place: locks it until the transaction ends."""
    statement = text("UPDATE facts SET value = value || :value WHERE name = :name")
    tx.driver.rows(statement, {"value": value, "name": name})


async def test_a_transaction_that_loses_a_deadlock_runs_again(store: Store) -> None:
    for name in ("a", "b"):
        await store.run(lambda tx, name=name: tx.settings.set_fact(name, ""))
    tries: list[str] = []
    first_locks_taken = asyncio.Barrier(2)

    def both(first: str, second: str) -> Any:
        def work(tx: Any) -> None:
            tries.append(first)
            update(tx, first, first)
            if tries.count(first) == 1:
                # Each holds one row before either asks for the other.
                meet(first_locks_taken)
            update(tx, second, first)

        return work

    await asyncio.gather(store.run(both("a", "b")), store.run(both("b", "a")))
    # The loser runs again; on a busy machine it may be back early enough to lose once more.
    assert len(tries) > 2
    facts = [await store.run(lambda tx, name=name: tx.settings.fact(name)) for name in ("a", "b")]
    # Both happened, once each, one after the other.
    assert facts in (["ab", "ab"], ["ba", "ba"])


def meet(barrier: asyncio.Barrier) -> None:
    await_only(barrier.wait())


async def test_a_row_that_was_added_first_elsewhere_is_found_by_the_second_look(
    store: Store,
) -> None:
    looked = asyncio.Barrier(2)
    looks: list[str | None] = []

    def add_unless_there(value: str) -> Any:
        def work(tx: Any) -> str:
            found = tx.settings.fact("name")
            looks.append(found)
            if len(looks) <= 2:
                meet(looked)
            if found is None:
                tx.settings.add_fact("name", value)
            return found or value

        return work

    answers = await asyncio.gather(
        store.run(add_unless_there("one")), store.run(add_unless_there("two"))
    )
    assert answers[0] == answers[1]
    assert looks.count(None) == 2
    assert len(looks) == 3


async def test_a_transaction_that_can_never_win_fails_in_the_end(store: Store) -> None:
    tries: list[int] = []

    def add_twice(tx: Tx) -> None:
        tries.append(1)
        for _ in range(2):
            insert_fact(tx)

    with pytest.raises(asyncpg.UniqueViolationError):
        await store.run(add_twice)
    assert len(tries) == MAX_DEFEATS + 1
    assert await store.run(lambda tx: tx.settings.fact("twice")) is None


def insert_fact(tx: Any) -> None:
    tx.driver.rows(text("INSERT INTO facts (name, value) VALUES ('twice', '')"), {})


async def test_a_connection_that_was_cut_is_said_and_the_next_transaction_has_another(
    store: Store, postgres_url: str
) -> None:
    def cut(tx: Any) -> None:
        tx.settings.set_fact("half", "written")
        tx.driver.rows(text("SELECT pg_terminate_backend(pg_backend_pid())"), {})

    with pytest.raises(StoreUnavailable):
        await store.run(cut)
    assert await store.run(lambda tx: tx.settings.fact("half")) is None
    await store.run(lambda tx: tx.settings.set_fact("whole", "1"))
    assert await store.run(lambda tx: tx.settings.fact("whole")) == "1"


async def test_a_caller_that_gives_up_leaves_nothing_half_done_behind(
    store: Store, postgres_url: str
) -> None:
    holder: Any = await asyncpg.connect(postgres_url)
    await store.run(lambda tx: tx.settings.set_fact("row", "0"))
    async with holder.transaction():
        await holder.execute("SELECT 1 FROM facts WHERE name = 'row' FOR UPDATE")

        def work(tx: Any) -> None:
            tx.settings.set_fact("other", "1")
            update(tx, "row", "1")

        waiting = asyncio.ensure_future(store.run(work))
        blocked = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        async with asyncio.timeout(10):
            while not await holder.fetchval(blocked):  # noqa: ASYNC110 - the server's state
                await asyncio.sleep(0.01)
        waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await store.run(lambda tx: tx.settings.fact("other")) is None
    open_ones = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'"
    assert await holder.fetchval(open_ones) == 0
    await holder.close()


async def test_a_server_that_is_not_there_is_said() -> None:
    store = open_store("postgresql://nobody@127.0.0.1:1/nothing")
    with pytest.raises(StoreUnavailable, match="cannot connect"):
        await store.open(worker=True)


def one_call(prompt: Prompt) -> Answer | str:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("I will.", calls("erase", path="a"))


# requirement: R26
async def test_a_read_only_database_lets_nothing_run_and_needs_no_repair(
    postgres_url: str,
) -> None:
    ran: list[str] = []

    @tool(requires_approval=True)
    async def erase(path: str) -> str:
        """Erase a file."""
        ran.append(path)
        return "erased"

    world = World(postgres_url)
    async with world(one_call, erase) as engine:
        turn = await engine.send("agent", "go", by=STAFF)
    [request] = turn.pending
    await read_only(postgres_url, "on")
    async with world(one_call, erase) as engine:
        with pytest.raises(StoreUnavailable, match="read-only"):
            await engine.decide(request.id, approve(), by=STAFF)
        with pytest.raises(StoreUnavailable, match="read-only"):
            await engine.send("agent", "another", by=STAFF)
        assert [waiting.id for waiting in await engine.pending()] == [request.id]
        assert ran == []
    await read_only(postgres_url, "off")
    async with world(one_call, erase) as engine:
        await engine.decide(request.id, approve(), by=STAFF)
        async with asyncio.timeout(20):
            turn = await engine.wait(turn.id)
    assert ran == ["a"]
    assert turn.status is TurnStatus.DONE


async def read_only(url: str, switch: str) -> None:
    """For every connection from now on."""
    admin: Any = await asyncpg.connect(url)
    try:
        await admin.execute("SET default_transaction_read_only = off")
        name = await admin.fetchval("SELECT current_database()")
        await admin.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = {switch}")
    finally:
        await admin.close()


async def test_what_found_no_free_connection_was_not_written_and_is_not_in_doubt(
    postgres_url: str,
) -> None:
    store = PostgresStore(postgres_url, connections=1, wait=2.0)
    await store.open(worker=True)
    rival: Any = await asyncpg.connect(postgres_url)
    entered, leave = asyncio.Event(), asyncio.Event()

    def write(tx: Tx) -> None:
        entered.set()
        tx.conversations.add(CONVERSATION)

    # Another has the table locked: ours cannot be committed together with others, only alone.
    await rival.execute("BEGIN")
    await rival.execute("LOCK TABLE conversations IN ACCESS EXCLUSIVE MODE")
    writing = asyncio.ensure_future(store.run(write))
    await entered.wait()
    holding = asyncio.ensure_future(store.run(lambda _: await_only(leave.wait())))
    with pytest.raises(StoreUnavailable, match="no connection was free") as caught:
        await writing
    assert not isinstance(caught.value, WriteUncertain)
    leave.set()
    await holding
    await rival.close()
    await store.close()


async def test_what_the_driver_cannot_send_is_no_trouble_of_the_databases(store: Store) -> None:
    # Told as trouble it would be tried again for ever.
    with pytest.raises(asyncpg.DataError):
        await store.run(lambda tx: tx.settings.set_fact("half", "\ud800"))


async def test_transactions_whose_backends_end_under_them_hear_of_it_in_our_words(
    store: Store, postgres_url: str
) -> None:
    admin: Any = await asyncpg.connect(postgres_url)
    ended = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE pid <> pg_backend_pid() AND datname = current_database()"
    )
    heard: list[BaseException] = []

    async def write(number: int) -> None:
        for _ in range(30):
            try:
                await store.run(lambda tx: update(tx, f"row-{number}", "there"))
            except BaseException as error:  # noqa: BLE001 - what it is is looked at below
                heard.append(error)

    writers = [asyncio.ensure_future(write(number)) for number in range(16)]
    while not all(writer.done() for writer in writers):
        await admin.execute(ended)
        await asyncio.sleep(0.02)
    await admin.close()
    assert heard
    # What was cut while it was committed may be of unknown outcome, and says so.
    assert all(isinstance(error, StoreUnavailable) for error in heard)
    await store.run(lambda tx: update(tx, "last", "1"))
