"""What happened is listed newest first, and no page reads more than it may."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace
from sqlalchemy.sql import ClauseElement

from assent.domain.conversations import Conversation
from assent.domain.events import EventKind, Fact
from assent.domain.identifiers import first_id
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.paging import Place
from assent.domain.people import Person
from assent.domain.record import CallFilter, PastCall, RecordFilter, RecordPage
from assent.ports import Store, Tx
from assent.store import record
from assent.store.migrations import schema
from assent.store.statements import Compiler
from tests.store.rawsql import RawSql
from tests.store.samples import CALL, CONVERSATION, DECISION, ENTRY, MESSAGE, REQUEST, TURN

DAY = datetime(2031, 5, 1, tzinfo=UTC)
BUILT = 30_000


def call_id(number: int) -> str:
    """Ids sort by time: a minute apart."""
    return f"{first_id('call', DAY + timedelta(minutes=number))}{number:016x}"


def turn_of(tx: Tx, name: str, owner: str, at: datetime) -> None:
    """A conversation of one turn."""
    conversation: Conversation = replace(
        CONVERSATION, id=f"conv_{name}", owner=Person(owner), created_at=at
    )
    tx.conversations.add(conversation)
    turn = replace(TURN, id=f"turn_{name}", conversation_id=f"conv_{name}", created_at=at)
    tx.turns.add(turn, owner=owner, key=None, body=None, lease=timedelta(seconds=1))
    message = {"conversation_id": f"conv_{name}", "turn_id": f"turn_{name}"}
    tx.messages.append(replace(MESSAGE, id=f"msg_{name}", **message))


def call_of(name: str, number: int, **changes: Any) -> Any:
    base = {
        "id": call_id(number),
        "conversation_id": f"conv_{name}",
        "turn_id": f"turn_{name}",
        "message_id": f"msg_{name}",
        "status": CallStatus.SUCCEEDED,
        "task_id": None,
        "created_at": DAY + timedelta(minutes=number),
    }
    return replace(CALL, **(base | changes))


def question_of(number: int, **changes: Any) -> Any:
    base = {"id": f"req_{number}", "call_id": call_id(number), "status": RequestStatus.APPROVED}
    return replace(REQUEST, **(base | changes))


def few(tx: Tx) -> None:
    """Five calls of two people: some that waited, some that ran by themselves."""
    turn_of(tx, "a", "ada", DAY)
    turn_of(tx, "b", "bob", DAY + timedelta(minutes=2))
    tx.calls.add(
        [
            call_of("a", 1, tool="read_file", risk="safe", cleared_by="rule:reading"),
            call_of("a", 2, tool="delete_file", agent="Cleaner_50%"),
            call_of("b", 3, tool="delete_file", status=CallStatus.REJECTED),
            call_of("b", 4, tool="pay", status=CallStatus.AWAITING_APPROVAL),
            call_of("a", 5, tool="look", risk="safe"),
        ]
    )
    tx.requests.add(
        [
            question_of(2, created_at=DAY, closed_at=DAY + timedelta(minutes=3), closed_by="grace"),
            question_of(3, status=RequestStatus.REJECTED, closed_by="ada"),
            question_of(4, status=RequestStatus.OPEN, closed_at=None, closed_by=None),
        ]
    )
    tx.decisions.add(replace(DECISION, id="dec_2", request_id="req_2", person="grace"))
    other = {"request_id": "req_3", "person": "ada", "idempotency_key": "other"}
    tx.decisions.add(replace(DECISION, id="dec_3", **other))


def numbers(calls: Iterable[PastCall]) -> list[int]:
    """Which of the calls these are."""
    return [int(call.id[-16:], 16) for call in calls]


async def all_of(store: Store, read: Callable[[Tx, Place | None], RecordPage[Any]]) -> list[Any]:
    """Everything, page by page."""
    found: list[Any] = []
    after: Place | None = None
    while True:
        page = await store.run(lambda tx, after=after: read(tx, after))
        found += page.items
        after = page.next
        if after is None:
            return found


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 50])
async def test_pages_hold_every_call_once_and_newest_first(store: Store, limit: int) -> None:
    await store.run(few)
    found = await all_of(
        store, lambda tx, after: tx.record.calls(CallFilter(), after=after, limit=limit)
    )
    assert numbers(found) == [5, 4, 3, 2, 1]


# requirement: F9
async def test_a_call_that_nobody_was_asked_about_is_listed_with_its_rule(store: Store) -> None:
    await store.run(few)
    page = await store.run(
        lambda tx: tx.record.calls(CallFilter(asked=False), after=None, limit=10)
    )
    assert numbers(page.items) == [5, 1]
    assert page.items[1].cleared_by == "rule:reading"
    assert page.items[1].questions == ()


@pytest.mark.parametrize("limit", [1, 2, 50])
async def test_a_person_finds_the_calls_of_their_own_turns(store: Store, limit: int) -> None:
    await store.run(few)
    of_ada = await all_of(
        store, lambda tx, after: tx.record.calls_of("ada", CallFilter(), after=after, limit=limit)
    )
    of_eve = await all_of(
        store, lambda tx, after: tx.record.calls_of("eve", CallFilter(), after=after, limit=limit)
    )
    assert (numbers(of_ada), of_eve) == ([5, 2, 1], [])


FILTERS: dict[str, tuple[CallFilter, list[int]]] = {
    "status": (CallFilter(status=CallStatus.REJECTED), [3]),
    "waiting": (CallFilter(awaiting=True), [4]),
    "tool": (CallFilter(tool="delete_file"), [3, 2]),
    "agent": (CallFilter(agent="Cleaner_50%"), [2]),
    "risk": (CallFilter(risk="safe"), [5, 1]),
    "who decided": (CallFilter(decided_by="grace"), [2]),
    "who decided nothing": (CallFilter(decided_by="eve"), []),
    "asked": (CallFilter(asked=True), [4, 3, 2]),
    "a piece of the tool": (CallFilter(text="FILE"), [3, 2, 1]),
    "a piece of the agent": (CallFilter(text="r_50%"), [2]),
    "no wildcard": (CallFilter(text="r%5"), []),
    "the owner": (CallFilter(text="bob"), [4, 3]),
    "since": (CallFilter(since=DAY + timedelta(minutes=3)), [5, 4, 3]),
    "until": (CallFilter(until=DAY + timedelta(minutes=3)), [2, 1]),
    "several": (CallFilter(tool="delete_file", asked=True, decided_by="ada"), [3]),
}


@pytest.mark.parametrize("name", FILTERS)
async def test_a_filter_leaves_what_fits(store: Store, name: str) -> None:
    wanted, expected = FILTERS[name]
    await store.run(few)
    page = await store.run(lambda tx: tx.record.calls(wanted, after=None, limit=10))
    mine = await store.run(lambda tx: tx.record.calls_of("ada", wanted, after=None, limit=10))
    assert numbers(page.items) == expected
    assert numbers(mine.items) == [number for number in expected if number in {1, 2, 5}]


async def test_a_listed_call_says_who_decided_and_how_long_it_waited(store: Store) -> None:
    await store.run(few)
    again = {"id": "req_5", "kind": RequestKind.OUTCOME, "closed_by": "deadline"}
    times = {"created_at": DAY + timedelta(hours=1), "closed_at": DAY + timedelta(hours=2)}
    await store.run(lambda tx: tx.requests.add([question_of(2, **again, **times)]))
    [call] = (
        await store.run(
            lambda tx: tx.record.calls(CallFilter(decided_by="grace"), after=None, limit=10)
        )
    ).items
    assert [each.id for each in call.questions] == ["req_2", "req_5"]
    assert (call.decided_by, call.waited) == ("deadline", timedelta(hours=1, minutes=3))
    assert (call.owner, call.arguments) == ("ada", CALL.arguments)


def many(tx: Tx) -> None:
    """More than one look takes in, the wanted one first of all."""
    turn_of(tx, "a", "ada", DAY)
    tx.calls.add([call_of("a", number) for number in range(2, record.CALLS_READ + 40)])
    tx.calls.add([call_of("a", 1, tool="rare")])


async def test_a_look_ends_after_so_many_rows_and_says_where_to_go_on(store: Store) -> None:
    await store.run(many)
    wanted = CallFilter(tool="rare")
    first = await store.run(lambda tx: tx.record.calls(wanted, after=None, limit=30))
    assert (first.items, first.is_cut) == ((), True)
    second = await store.run(lambda tx: tx.record.calls(wanted, after=first.next, limit=30))
    assert (numbers(second.items), second.next, second.is_cut) == ([1], None, False)


async def test_a_look_at_ones_own_ends_after_so_many_turns(store: Store) -> None:
    def turns(tx: Tx) -> None:
        for number in range(record.TURNS_READ + 5):
            turn_of(tx, str(number), "ada", DAY + timedelta(seconds=number))
        tx.calls.add([call_of("0", 1, tool="rare"), call_of("7", 2), call_of("100", 3)])

    await store.run(turns)
    wanted = CallFilter(tool="rare")
    first = await store.run(lambda tx: tx.record.calls_of("ada", wanted, after=None, limit=30))
    assert (first.items, first.is_cut) == ((), True)
    second = await store.run(
        lambda tx: tx.record.calls_of("ada", wanted, after=first.next, limit=30)
    )
    assert (numbers(second.items), second.is_cut) == ([1], False)


def noted(tx: Tx) -> None:
    for number in range(6):
        tx.journal.note(
            replace(
                ENTRY,
                id=f"aud_{number}",
                at=DAY + timedelta(days=number // 2),
                actor="ada" if number % 2 else "grace",
                action="refused" if number == 4 else "approve",
                call_id=f"call_{number // 3}",
                conversation_id="conv_1" if number < 5 else None,
            )
        )


ENTRIES: dict[str, tuple[RecordFilter, list[int]]] = {
    "everything": (RecordFilter(), [5, 4, 3, 2, 1, 0]),
    "actor": (RecordFilter(actor="ada"), [5, 3, 1]),
    "action": (RecordFilter(action="refused"), [4]),
    "conversation": (RecordFilter(conversation_id="conv_1", actor="ada"), [3, 1]),
    "call": (RecordFilter(call_id="call_1"), [5, 4, 3]),
    "call in its conversation": (RecordFilter(conversation_id="conv_1", call_id="call_1"), [4, 3]),
    "since": (RecordFilter(since=DAY + timedelta(days=1)), [5, 4, 3, 2]),
    "until": (RecordFilter(until=DAY + timedelta(days=1)), [1, 0]),
    "one day": (
        RecordFilter(since=DAY + timedelta(days=1), until=DAY + timedelta(days=2)),
        [3, 2],
    ),
    "until, of a call": (RecordFilter(call_id="call_0", until=DAY + timedelta(days=1)), [1, 0]),
}


@pytest.mark.parametrize("limit", [1, 2, 50])
@pytest.mark.parametrize("name", ENTRIES)
async def test_the_record_is_read_by_pages_and_filters(store: Store, name: str, limit: int) -> None:
    wanted, expected = ENTRIES[name]
    await store.run(noted)
    found = await all_of(
        store, lambda tx, after: tx.record.entries(wanted, after=after, limit=limit)
    )
    assert [int(entry.id.removeprefix("aud_")) for entry in found] == expected


async def test_progress_of_a_turn_is_its_last_reports_oldest_first(store: Store) -> None:
    def tell(tx: Tx) -> None:
        turn_of(tx, "a", "ada", DAY)
        facts = [Fact(EventKind.PROGRESS, {"n": n}) for n in range(5)]
        tx.journal.tell("turn_a", *facts[:3], Fact(EventKind.TEXT, {}), *facts[3:])

    await store.run(tell)
    found = await store.run(lambda tx: tx.record.progress("turn_a", limit=3))
    assert [event.data for event in found] == [{"n": 2}, {"n": 3}, {"n": 4}]


PLANS: dict[str, ClauseElement] = {
    "calls": record.CALLS,
    "where a look at calls ends": record.CALLS_FLOOR,
    "calls of a person": record.CALLS_OF_OWNER,
    "where a look at turns ends": record.TURNS_FLOOR,
    "the record": record.ENTRIES,
    "where a look at the record ends": record.ENTRIES_FLOOR,
    "the record of a conversation": record.ENTRIES_OF_CONVERSATION,
    "the record of a call": record.ENTRIES_OF_CALL,
    "progress": record.PROGRESS,
}


@pytest.mark.parametrize("page", PLANS)
def test_no_page_scans_a_table_of_sqlite(tmp_path: Path, page: str) -> None:
    connection = sqlite3.connect(tmp_path / "empty.db", isolation_level=None)
    schema.ensure_sqlite(connection)
    compiled = Compiler.sqlite()(PLANS[page])
    wanted = {**dict.fromkeys(compiled.names, ""), **compiled.literals}
    rows = connection.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.ordered(wanted))
    plan = [row[3] for row in rows.fetchall()]
    connection.close()
    scans = [step for step in plan if step.startswith("SCAN")]
    assert all(step.split()[1] in {"looked", "page", "turns_read"} for step in scans), plan


# A call's row is about a kilobyte; with much smaller ones a scan would be the cheaper plan.
BUILD = """
INSERT INTO conversations (id, agent, owner, owner_kind, owner_roles, created_at)
SELECT 'conv_' || n, 'agent', 'p' || n % 7, 'human', '[]', n FROM numbers;

INSERT INTO turns
       (id, conversation_id, number, agent, owner, status, step, fence, guarded, created_at)
SELECT 'turn_' || n, 'conv_' || n, 1, 'agent', 'p' || n % 7, 'done', 1, 0, false, n FROM numbers;

INSERT INTO calls
       (id, conversation_id, turn_id, message_id, position, provider_id, agent, tool, source, risk,
        definition_hash, status, revision, arguments, arguments_digest, proposed, approved,
        policy_version, turn_number, step, fence, attempts, created_at)
SELECT id, 'conv_' || n, 'turn_' || n, 'msg', 0, 'x', 'agent', 'tool' || n % 50, 'local', 'safe',
       '', 'succeeded', 1, '{}', '', repeat('x', 900), false, '', 1, 1, 0, 1, n FROM numbers;

INSERT INTO requests
       (id, kind, status, call_id, conversation_id, turn_id, revision, owner, agent, tool, risk,
        audience, quorum, digest, policy_version, question, created_at, confirmation)
SELECT 'req_' || n, 'approval', 'approved', id, 'conv_' || n, 'turn_' || n, 1, 'p', 'agent',
       'tool', 'safe', '{}', 1, '', '', '{}', n, 'click' FROM numbers;

INSERT INTO audit (id, at, action, actor, channel, conversation_id, call_id, data)
SELECT 'aud_' || n, n, 'a' || n % 40, 'p' || n % 7, '', 'conv_' || n, id, '{}' FROM numbers;

ANALYZE
"""
NUMBERS = f"""
CREATE TEMP TABLE numbers AS
SELECT n, 'call_' || lpad(to_hex(n), 16, '0') || lpad(to_hex(n), 16, '0') AS id
  FROM generate_series(1, {BUILT}) AS n
"""
SIFTED = ("tool", "asked", "text", "decided_by", "actor")


def read_rows(plan: dict[str, Any]) -> dict[str, float]:
    """How many rows each table gave up, by its name."""
    found: dict[str, float] = {}
    if "Relation Name" in plan:
        read = (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * plan["Actual Loops"]
        found[plan["Relation Name"]] = read
    for child in plan.get("Plans", ()):
        for name, read in read_rows(child).items():
            found[name] = found.get(name, 0) + read
    return found


PARAMETERS: dict[str, Any] = {
    "before": "d",
    "since": "",
    "until": "d",
    "limit": 31,
    "at": 2**62,
    "id": "",
    "owner": "p3",
    "tool": "nothing like it",
    "asked": True,
    "text": "%nothing%",
    "decided_by": "nobody",
    "actor": "nobody",
}


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
async def test_no_page_reads_more_of_postgres_than_its_look_takes_in(
    postgres_url: str, mode: str
) -> None:
    await RawSql(postgres_url).rows(NUMBERS, *BUILD.split(";"))
    connection: Any = await asyncpg.connect(postgres_url)
    await connection.execute(f"SET plan_cache_mode = {mode}")
    for page in ("calls", "calls of a person", "the record"):
        compiled = Compiler.postgres(server_clock=True)(PLANS[page])
        given = {name: PARAMETERS.get(name) for name in compiled.names}
        given["since"] = 0 if page == "the record" else ""
        # Each filter alone, then all of them: what finds nothing reads the most.
        for sifted in (*([name] for name in SIFTED), list(SIFTED)):
            left_out = {name for name in given if name in SIFTED and name not in sifted}
            explained = await connection.fetchval(
                f"EXPLAIN (ANALYZE, FORMAT JSON) {compiled.sql}",
                *compiled.ordered(given | dict.fromkeys(left_out)),
            )
            read = read_rows(json.loads(explained)[0]["Plan"])
            assert all(rows <= 2_200 for rows in read.values()), (page, sifted, read)
    await connection.close()
