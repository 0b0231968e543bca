"""PostgreSQL on trust: changes are sent together at the end, and done again where it was wrong."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace
from sqlalchemy.sql import ClauseElement
from sqlalchemy.util import await_only

from assent.app import open_store
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.ports import Store, Tx
from assent.store import calls, conversations, requests
from assent.store.statements import Compiler
from tests.store.rawsql import RawSql
from tests.store.samples import CALL, CONVERSATION, ENTRY, LEASE, MESSAGE, REQUEST, TURN

pytestmark = pytest.mark.postgres
WAITING = replace(CALL, status=CallStatus.AWAITING_APPROVAL)
# By the server's clock, which the sample's deadline knows nothing of.
ASKED = replace(REQUEST, decide_by=None)


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[Store]:
    opened = open_store(postgres_url)
    await opened.open(worker=True)
    await opened.run(add_case)
    yield opened
    await opened.close()


@pytest.fixture
def raw(postgres_url: str) -> RawSql:
    return RawSql(postgres_url)


def add_case(tx: Tx) -> None:
    tx.conversations.add(CONVERSATION)
    tx.turns.add(TURN, owner="ada", key=None, body=None, lease=LEASE)
    tx.messages.append(MESSAGE)
    tx.calls.add([WAITING])
    tx.requests.add([ASKED])


def approve(tx: Tx) -> bool:
    """Both changes of a decision, with an entry."""
    found = tx.requests.case("req_1")
    assert found is not None
    request, call, _ = found
    tx.journal.note(replace(ENTRY, id="aud_1", call_id=call.id))
    closed = tx.requests.close(request, RequestStatus.APPROVED, by="grace", in_time=True)
    return closed and tx.calls.move(call, CallStatus.CLEARED)


async def statuses(raw: RawSql) -> tuple[str, str, int]:
    request = await raw.one("SELECT status FROM requests WHERE id = 'req_1'")
    call = await raw.one("SELECT status FROM calls WHERE id = 'call_1'")
    return request, call, await raw.one("SELECT count(*) FROM audit")


async def test_all_changes_of_a_transaction_happen(store: Store, raw: RawSql) -> None:
    assert await store.run(approve)
    assert await statuses(raw) == ("approved", "cleared", 1)


@pytest.mark.parametrize(
    "meanwhile",
    [
        "UPDATE requests SET status = 'rejected' WHERE id = 'req_1'",
        "UPDATE calls SET revision = revision + 1 WHERE id = 'call_1'",
    ],
)
async def test_what_changed_after_it_was_read_is_read_again_and_nothing_was_written(
    store: Store, raw: RawSql, meanwhile: str
) -> None:
    answers: list[bool] = []

    def late(tx: Tx) -> bool:
        tx.requests.case("req_1")
        if not answers:
            await_only(raw.rows(meanwhile))
        answers.append(approve_seen(tx))
        return answers[-1]

    def approve_seen(tx: Tx) -> bool:
        # What the first try saw is what it goes by.
        closed = tx.requests.close(seen[0], RequestStatus.APPROVED, by="grace", in_time=True)
        return closed and tx.calls.move(seen[1], CallStatus.CLEARED)

    seen = (ASKED, WAITING)
    assert not await store.run(late)
    # The first time it was told yes, on trust; the second time it was told the truth.
    assert answers == [True, False]
    call = await raw.one("SELECT status FROM calls WHERE id = 'call_1'")
    assert call == "awaiting_approval"


async def test_of_two_that_decide_at_once_one_writes_and_the_other_learns_of_it(
    store: Store, raw: RawSql
) -> None:
    both_read = asyncio.Barrier(2)
    tries: list[str] = []

    def decide(by: str) -> Any:
        def work(tx: Tx) -> bool:
            found = tx.requests.case("req_1")
            assert found is not None
            tries.append(by)
            if len(tries) <= 2:
                await_only(both_read.wait())
            if not tx.requests.close(found[0], RequestStatus.APPROVED, by=by, in_time=True):
                return False
            tx.journal.note(replace(ENTRY, id=f"aud_{by}"))
            return tx.calls.move(found[1], CallStatus.CLEARED)

        return work

    won = await asyncio.gather(store.run(decide("ada")), store.run(decide("grace")))
    assert sorted(won) == [False, True]
    assert len(tries) == 3
    assert await statuses(raw) == ("approved", "cleared", 1)


async def test_a_second_change_of_a_row_follows_the_first(store: Store, raw: RawSql) -> None:
    def twice(tx: Tx) -> list[bool]:
        cleared = replace(WAITING, status=CallStatus.CLEARED)
        return [
            tx.calls.move(WAITING, CallStatus.CLEARED),
            tx.calls.move(cleared, CallStatus.RUNNING, fence=4),
            tx.calls.move(cleared, CallStatus.RUNNING, fence=5),
        ]

    assert await store.run(twice) == [True, True, False]
    assert await raw.one("SELECT fence FROM calls WHERE id = 'call_1'") == 4


async def test_a_transaction_reads_what_it_changed_on_trust(store: Store) -> None:
    def change_and_read(tx: Tx) -> tuple[CallStatus, str | None]:
        tx.calls.move(WAITING, CallStatus.CLEARED)
        tx.requests.close(ASKED, RequestStatus.APPROVED, by="grace")
        call, [request] = tx.calls.get("call_1"), tx.requests.of_call("call_1")
        assert call is not None
        return call.status, request.closed_by

    assert await store.run(change_and_read) == (CallStatus.CLEARED, "grace")


async def test_a_row_is_changed_in_the_transaction_that_adds_it(store: Store, raw: RawSql) -> None:
    def reroute(tx: Tx) -> bool:
        tx.requests.close(ASKED, RequestStatus.SUPERSEDED, by="grace")
        tx.requests.add([replace(ASKED, id="req_2")])
        second = replace(ASKED, id="req_2")
        return tx.requests.close(second, RequestStatus.APPROVED, by="grace", in_time=True)

    assert await store.run(reroute)
    found = await raw.rows("SELECT id, status FROM requests ORDER BY id")
    assert found == [("req_1", "superseded"), ("req_2", "approved")]


async def test_what_fails_after_a_change_on_trust_changes_nothing(
    store: Store, raw: RawSql
) -> None:
    def change_and_fail(tx: Tx) -> None:
        assert approve(tx)
        tx.messages.of_conversation("conv_1")
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        await store.run(change_and_fail)
    assert await statuses(raw) == ("open", "awaiting_approval", 0)


async def test_a_plain_read_of_what_was_only_inserted_does_not_commit_it(
    store: Store, raw: RawSql
) -> None:
    def insert_and_read(tx: Tx) -> None:
        tx.messages.append(replace(MESSAGE, id="msg_2"))
        assert len(tx.messages.of_conversation("conv_1")) == 2
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        await store.run(insert_and_read)
    assert await raw.one("SELECT count(*) FROM messages") == 1


async def test_a_decision_that_waits_for_a_lock_past_its_deadline_comes_too_late(
    store: Store, raw: RawSql, postgres_url: str
) -> None:
    deadline = datetime.now(UTC) + timedelta(seconds=1)
    micros = int(deadline.timestamp() * 1_000_000)
    await raw.rows(f"UPDATE requests SET decide_by = {micros} WHERE id = 'req_1'")
    holder: Any = await asyncpg.connect(postgres_url)
    async with asyncio.timeout(20):
        # Only locked, never changed: what PostgreSQL does not look at again after the wait.
        async with holder.transaction():
            await holder.execute("SELECT 1 FROM requests WHERE id = 'req_1' FOR UPDATE")
            waiting = asyncio.ensure_future(store.run(approve))
            while not await holder.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            while datetime.now(UTC) <= deadline:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert not await waiting
    await holder.close()
    assert (await statuses(raw))[:2] == ("open", "awaiting_approval")


BY_KEY: dict[str, ClauseElement] = {
    "close": requests.CLOSE,
    "close in time": requests.CLOSE_IN_TIME,
    "expire": requests.EXPIRE,
    "draft": requests.KEEP_DRAFT,
    "renew a call": calls.RENEW_CALL,
    "claim a turn": conversations.CLAIM_TURN,
    "wake a turn": conversations.WAKE_SEEN,
    "rouse a turn": conversations.ROUSE_TURN,
}


@pytest.mark.parametrize("name", BY_KEY)
async def test_one_row_is_looked_for_by_its_key_and_not_among_all_that_are_open(
    store: Store, raw: RawSql, name: str
) -> None:
    sql = Compiler.postgres(server_clock=True)(BY_KEY[name]).sql
    # Inside a function: a driver would want values for the parameters.
    explain = (
        "CREATE FUNCTION plan() RETURNS SETOF text LANGUAGE plpgsql SET enable_seqscan = off AS $f$"
        f" BEGIN RETURN QUERY EXECUTE $q$EXPLAIN (GENERIC_PLAN) {sql}$q$; END $f$"
    )
    plan = str(await raw.rows(explain, "SELECT plan()"))
    used = set(re.findall(r"using (\w+)", plan))
    assert used <= {"pk_requests", "pk_calls", "pk_turns"}
    assert used
