"""PostgreSQL: what several transactions write at the same time is written in one commit."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace
from sqlalchemy import Update

from assent.app import open_store
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.ports import Store, Tx
from assent.store import calls, conversations, requests
from assent.store.batching.commits import LANE_SETTINGS, LANES, Commits
from assent.store.batching.writes import GuardedUpdate, RowChange, Writes, WriteStatements
from assent.store.connections import Connection
from assent.store.rows import Params
from assent.store.statements import CLOCK, Compiler
from tests.store.rawsql import RawSql
from tests.store.samples import CALL, CONVERSATION, ENTRY, LEASE, MESSAGE, REQUEST, TURN

pytestmark = pytest.mark.postgres
MANY = 12
WAITING = replace(CALL, status=CallStatus.AWAITING_APPROVAL, task_id=None)
STATEMENTS = WriteStatements(Compiler.postgres(server_clock=True))
BATCH = [f"req_{n:02}" for n in range(MANY)]


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[Store]:
    opened = open_store(postgres_url)
    await opened.open(worker=True)
    for n in range(MANY):
        await opened.run(lambda tx, n=n: add_case(tx, f"{n:02}"))
    yield opened
    await opened.close()


@pytest.fixture
def raw(postgres_url: str) -> RawSql:
    return RawSql(postgres_url)


def add_case(tx: Tx, n: str) -> None:
    conversation = replace(CONVERSATION, id=f"conv_{n}")
    tx.conversations.add(conversation)
    turn = replace(TURN, id=f"turn_{n}", conversation_id=conversation.id)
    tx.turns.add(turn, owner="ada", key=None, body=None, lease=LEASE)
    places = {"conversation_id": conversation.id, "turn_id": turn.id}
    tx.messages.append(replace(MESSAGE, id=f"msg_{n}", **places))
    tx.calls.add([replace(WAITING, id=f"call_{n}", message_id=f"msg_{n}", **places)])
    asked = replace(REQUEST, id=f"req_{n}", call_id=f"call_{n}", decide_by=None, **places)
    tx.requests.add([asked])


def approve(id: str) -> Any:
    """Both changes of a decision, with an entry."""

    def work(tx: Tx) -> bool:
        found = tx.requests.case(id)
        assert found is not None
        request, call, _ = found
        if not tx.requests.close(request, RequestStatus.APPROVED, by="grace", in_time=True):
            return False
        tx.journal.note(replace(ENTRY, id=f"aud_{id}", call_id=call.id))
        return tx.calls.move(call, CallStatus.CLEARED)

    return work


async def statuses(raw: RawSql) -> dict[str, tuple[str, str, int]]:
    """Of each request: its own, its call's, and how many entries there are about it."""
    entries = "(SELECT count(*) FROM audit WHERE audit.call_id = c.id)"
    found = await raw.rows(
        f"SELECT r.id, r.status, c.status, {entries} FROM requests r JOIN calls c ON c.id=r.call_id"
    )
    return {id: (request, call, int(count)) for id, request, call, count in found}


DONE = ("approved", "cleared", 1)
OPEN = ("open", "awaiting_approval", 0)


async def test_nobody_waits_for_a_row_that_somebody_else_holds(
    store: Store, raw: RawSql, postgres_url: str
) -> None:
    holder: Any = await asyncpg.connect(postgres_url)
    held, others = BATCH[: LANES + 1], BATCH[LANES + 1 :]
    async with asyncio.timeout(30):
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM requests WHERE id = ANY($1) FOR UPDATE", held)
            stuck = asyncio.gather(*(store.run(approve(id)) for id in held))
            assert all(await asyncio.gather(*(store.run(approve(id)) for id in others)))
            assert not stuck.done()
            assert {id for id, found in (await statuses(raw)).items() if found == DONE} == {*others}
        assert all(await stuck)
    await holder.close()
    assert set((await statuses(raw)).values()) == {DONE}


async def test_one_that_was_wrong_takes_nobody_with_it(store: Store, raw: RawSql) -> None:
    taken, tries = BATCH[5], list[str]()
    await raw.rows(f"UPDATE requests SET status = 'rejected' WHERE id = '{taken}'")
    stale = asyncio.Event()

    def late(tx: Tx) -> bool:
        tries.append(taken)
        found = tx.requests.case(taken)
        assert found is not None
        # What it saw is older than what is there.
        seen = replace(found[0], status=RequestStatus.OPEN)
        if not tx.requests.close(seen, RequestStatus.APPROVED, by="grace", in_time=True):
            stale.set()
            return False
        tx.journal.note(replace(ENTRY, id=f"aud_{taken}", call_id=found[1].id))
        return tx.calls.move(found[1], CallStatus.CLEARED)

    work = [late if id == taken else approve(id) for id in BATCH]
    done = await asyncio.gather(*(store.run(each) for each in work))
    assert done == [id != taken for id in BATCH]
    assert len(tries) == 2
    assert stale.is_set()
    found = await statuses(raw)
    assert found.pop(taken) == ("rejected", "awaiting_approval", 0)
    assert set(found.values()) == {DONE}


class Lanes:
    """Lanes that cannot begin before they are let go: until then everything gathers."""

    def __init__(self, url: str, **settings: str) -> None:
        self.go = asyncio.Event()
        self._url, self._settings = url, settings
        self.commits = Commits(self._connect, STATEMENTS)

    async def _connect(self) -> Connection:
        await self.go.wait()
        connect: Any = asyncpg.connect
        return Connection(await connect(self._url, server_settings=self._settings))

    async def gathered(self, many: list[Writes]) -> list[bool]:
        """What comes of these when they wait at the same time."""
        sent = [asyncio.ensure_future(self.commits.send(writes)) for writes in many]
        await asyncio.sleep(0)
        self.go.set()
        return await asyncio.gather(*sent)


@pytest.fixture
async def lanes(postgres_url: str) -> AsyncIterator[Lanes]:
    made = Lanes(postgres_url, **LANE_SETTINGS)
    yield made
    made.go.set()
    await made.commits.close()


def closing(id: str) -> Writes:
    """What closes a request, as a driver collects it."""
    params: Params = {"request": id, "to_status": "approved", "by": id}
    return Writes({}, {GuardedUpdate(requests.CLOSE_IN_TIME): [RowChange(id, params)]})


async def commits(raw: RawSql) -> int:
    [(count,)] = await raw.rows(
        "SELECT count(DISTINCT xmin::text) FROM requests WHERE status = 'approved'"
    )
    return count


async def test_those_of_one_kind_that_wait_share_a_commit(
    store: Store, raw: RawSql, lanes: Lanes
) -> None:
    assert all(await lanes.gathered([closing(id) for id in BATCH]))
    found = await raw.rows("SELECT id, closed_by FROM requests WHERE status = 'approved'")
    # Each with its own values.
    assert sorted(found) == [(id, id) for id in BATCH]
    # Each lane had one in hand before the others came.
    assert await commits(raw) <= LANES + 1


async def test_of_those_that_go_together_all_are_written_or_none(
    store: Store, raw: RawSql, lanes: Lanes
) -> None:
    await raw.rows(f"UPDATE requests SET status = 'rejected' WHERE id = '{BATCH[-1]}'")
    written = await lanes.gathered([closing(id) for id in BATCH])
    approved = await raw.one("SELECT count(*) FROM requests WHERE status = 'approved'")
    assert approved == sum(written) <= LANES
    assert not written[-1]


async def test_two_changes_of_one_row_do_not_go_together(
    store: Store, raw: RawSql, lanes: Lanes
) -> None:
    # The lanes' own first, then one load with the same row twice.
    same = [closing(BATCH[0]), closing(BATCH[1]), *[closing(BATCH[2]) for _ in range(2)]]
    written = await lanes.gathered(same)
    assert sum(written[2:]) < 2
    assert await raw.one("SELECT count(*) FROM requests WHERE status='approved'") == sum(written)


async def test_who_gave_up_before_it_was_sent_writes_nothing(
    store: Store, raw: RawSql, lanes: Lanes
) -> None:
    others = [asyncio.ensure_future(lanes.commits.send(closing(id))) for id in BATCH[:-1]]
    gone = asyncio.ensure_future(lanes.commits.send(closing(BATCH[-1])))
    await asyncio.sleep(0)
    gone.cancel()
    await asyncio.sleep(0)
    lanes.go.set()
    assert all(await asyncio.gather(*others))
    assert (await statuses(raw))[BATCH[-1]] == OPEN


async def test_what_was_sent_before_the_end_is_still_written(
    store: Store, raw: RawSql, lanes: Lanes
) -> None:
    sent = [asyncio.ensure_future(lanes.commits.send(closing(id))) for id in BATCH]
    await asyncio.sleep(0)
    lanes.go.set()
    await lanes.commits.close()
    assert all(await asyncio.gather(*sent))
    assert await raw.one("SELECT count(*) FROM requests WHERE status='approved'") == MANY


async def test_what_comes_after_the_end_is_not_written_and_waits_for_nobody(
    store: Store, raw: RawSql, lanes: Lanes
) -> None:
    lanes.go.set()
    await lanes.commits.close()
    async with asyncio.timeout(10):
        assert not await lanes.commits.send(closing(BATCH[0]))
    assert (await statuses(raw))[BATCH[0]] == OPEN


async def test_a_lane_that_lost_its_connection_says_so_and_takes_another(
    store: Store, raw: RawSql, lanes: Lanes, postgres_url: str
) -> None:
    assert all(await lanes.gathered([closing(id) for id in BATCH[:4]]))
    mine = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'ClientRead'"
    await raw.rows(f"{mine} AND pid <> pg_backend_pid() AND query LIKE 'WITH change_0%'")
    for id in BATCH[4:]:
        try:
            assert await lanes.commits.send(closing(id))
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            # Nobody knows what came of it, so nobody is told that nothing did.
            continue
    assert await raw.one("SELECT count(*) FROM requests WHERE status='approved'") >= MANY - LANES


async def test_those_that_wait_for_a_lock_past_a_deadline_come_too_late_together(
    store: Store, raw: RawSql, postgres_url: str
) -> None:
    patient = {name: value for name, value in LANE_SETTINGS.items() if name != "lock_timeout"}
    lanes = Lanes(postgres_url, **patient)
    deadline = datetime.now(UTC) + timedelta(seconds=1)
    late, micros = BATCH[LANES], int(deadline.timestamp() * 1_000_000)
    await raw.rows(f"UPDATE requests SET decide_by = {micros} WHERE id = '{late}'")
    holder: Any = await asyncpg.connect(postgres_url)
    async with asyncio.timeout(20):
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM requests WHERE id = $1 FOR UPDATE", BATCH[-1])
            waiting = asyncio.ensure_future(lanes.gathered([closing(id) for id in BATCH]))
            while not await holder.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            while datetime.now(UTC) <= deadline:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        written = await waiting
    await holder.close()
    await lanes.commits.close()
    assert not any(written[LANES:])


async def test_a_transaction_that_closes_many_requests_does_so_in_one_change(
    store: Store, raw: RawSql
) -> None:
    def close_all(tx: Tx) -> None:
        for id in reversed(BATCH):
            assert (found := tx.requests.case(id)) is not None
            assert tx.requests.close(found[0], RequestStatus.APPROVED, by=id, in_time=True)

    await store.run(close_all)
    found = await raw.rows("SELECT id, closed_by FROM requests WHERE status = 'approved'")
    assert sorted(found) == [(id, id) for id in BATCH]
    few, many = closed_together(2), closed_together(MANY)
    assert few.kind() == many.kind()
    assert STATEMENTS.compiled(few.kind(), few) is STATEMENTS.compiled(many.kind(), many)


def closed_together(count: int) -> Writes:
    update = GuardedUpdate(requests.CLOSE_IN_TIME)
    return Writes({}, {update: [RowChange(id, {}) for id in BATCH[:count]]})


async def test_with_a_clock_of_its_own_each_of_many_goes_by_its_own_time(
    store: Store, raw: RawSql, postgres_url: str
) -> None:
    await raw.rows("UPDATE requests SET decide_by = 50")
    statements = WriteStatements(Compiler.postgres(server_clock=False))
    update = GuardedUpdate(requests.CLOSE_IN_TIME)

    def closing_at(*times: int) -> Writes:
        changes = list[RowChange]()
        for id, at in zip(BATCH, times, strict=False):
            params: Params = {"request": id, "to_status": "approved", "by": "ada", CLOCK: at}
            changes.append(RowChange(id, params))
        return Writes({}, {update: changes})

    connect: Any = asyncpg.connect
    connection = Connection(await connect(postgres_url))
    with pytest.raises(asyncpg.InvalidTextRepresentationError):
        await statements.write(connection, closing_at(40, 60))
    await statements.write(connection, closing_at(40, 41))
    await connection.raw.close()
    closed = await raw.rows("SELECT id, closed_at FROM requests WHERE status = 'approved'")
    assert sorted(closed) == [(BATCH[0], 40), (BATCH[1], 41)]


BY_KEY: dict[str, Update] = {
    "close": requests.CLOSE,
    "close in time": requests.CLOSE_IN_TIME,
    "expire": requests.EXPIRE,
    "draft": requests.KEEP_DRAFT,
    "wake a turn": conversations.WAKE_SEEN,
    "settle": conversations.SETTLE_SEEN,
    "run": calls._move(("fence", "worker", "lease_until"), False, True),
}


def filled(table: str) -> str:
    """More rows, as nobody would go through one by one; only their keys matter here."""
    row = f"jsonb_populate_record(NULL::{table}, to_jsonb(t) || {OTHERWISE})"
    return (
        f"INSERT INTO {table} SELECT (p).* FROM (SELECT {row} AS p FROM "
        f"(SELECT * FROM {table} LIMIT 1) t, generate_series(1, 500) n) made"
    )


# Whatever has to be unique, in any of them.
OTHERWISE = """jsonb_build_object('id', 'x' || n, 'status', CASE to_jsonb(t)->>'status' WHEN 'open'
    THEN 'approved' WHEN 'running' THEN 'done' ELSE to_jsonb(t)->>'status' END, 'position', n + 9,
    'number', n + 9, 'task_id', NULL)"""


@pytest.mark.parametrize("name", BY_KEY)
async def test_many_rows_are_looked_for_by_their_keys_one_by_one(
    store: Store, raw: RawSql, name: str
) -> None:
    update, rows = GuardedUpdate(BY_KEY[name]), [RowChange("a", {}), RowChange("b", {})]
    many = Writes({}, {update: rows})
    sql = STATEMENTS.compiled(many.kind(), many).sql
    tables = STATEMENTS.compiler(update.statement).tables
    settings = " ".join(
        f"SET {setting} = {value}" for setting, value in LANE_SETTINGS.items() if value == "off"
    )
    # Inside a function: a driver would want values for the parameters.
    explain = (
        f"CREATE FUNCTION plan() RETURNS SETOF text LANGUAGE plpgsql {settings} AS $f$"
        f" BEGIN RETURN QUERY EXECUTE $q$EXPLAIN (GENERIC_PLAN) {sql}$q$; END $f$"
    )
    plan = str(await raw.rows(*map(filled, tables), "ANALYZE", explain, "SELECT plan()"))
    assert "Seq Scan" not in plan
    used = set(re.findall(r"using (\w+)", plan))
    assert used <= {"pk_requests", "pk_calls", "pk_turns", "pk_messages"}
    assert used
