"""Rows are found by an index where there are a hundred thousand of them, on both databases."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from sqlalchemy import Boolean, Table
from sqlalchemy.sql import ClauseElement

from assent.domain.deliveries import DeliveryStatus
from assent.store import (
    calls,
    channel_tables,
    counts,
    deliveries,
    feed,
    journal,
    listing,
    preference_tables,
    record,
    requests,
    snapshots,
    suggestions,
    tables,
)
from assent.store.inserts import PARENTS_FIRST
from assent.store.migrations import schema
from assent.store.statements import Compiler

MANY = 100_000
FILLED = (
    *(tables.conversations, tables.turns, tables.messages, tables.calls, tables.requests),
    *(tables.audit, tables.events, channel_tables.deliveries),
    preference_tables.last_calls,
)
# Each with the index that keeps it from reading more than it needs.
READ: dict[str, tuple[ClauseElement, str]] = {
    "entries about a call": (journal.ENTRIES_OF_CALL, "ix_audit_call"),
    "entries of a conversation": (journal.ENTRIES_OF_CONVERSATION, "ix_audit_conversation"),
    "the record of a call": (record.ENTRIES_OF_CALL, "ix_audit_call"),
    "the record of a conversation": (record.ENTRIES_OF_CONVERSATION, "ix_audit_conversation"),
    "entries, page by page": (
        listing.ENTRIES_OF_CONVERSATION,
        "ix_audit_conversation",
    ),
    "entries about a call, page by page": (listing.ENTRIES_OF_CALL, "ix_audit_call"),
    "requests of a turn": (requests.REQUESTS_OF_TURN, "ix_requests_call"),
    "requests of a call": (requests.REQUESTS_OF_CALL, "ix_requests_call"),
    "calls of a turn": (calls.CALLS_OF_TURN, "ix_calls_turn"),
    "approved calls that nobody came for": (calls.UNCLAIMED_CALLS, "ix_calls_unclaimed"),
    "a turn with its last answer": (snapshots.SNAPSHOT, "ix_messages_answers"),
    "a conversation and its calls": (snapshots.CONVERSATION, "ix_calls_turn"),
    "what the feed asks about": (feed.ASKED, "ix_requests_call"),
    "the newest successful call of a person": (suggestions.NEWEST, "ix_last_calls_newest"),
    "deliveries that are due": (deliveries.DUE, "ix_deliveries_due"),
    "how many deliveries are due": (counts.DELIVERIES[DeliveryStatus.DUE], "ix_deliveries_due"),
    "how many were told": (counts.DELIVERIES[DeliveryStatus.TOLD], "ix_deliveries_told"),
}


def _value(column: Any) -> str:
    """An expression for one column of row n, which no two rows have where they must not."""
    if column.name == "status":
        return "'done'" if column.table.name == "turns" else STATUS[column.table.name]
    if column.foreign_keys or column.name in ("turn_id", "call_id", "conversation_id"):
        return "'id' || (n / 3)"
    if column.name in ("position", "number", "seq", "created_at", "at"):
        return "n"
    if column.name == "address":
        return "'id' || n"
    if column.name == "role":
        return "CASE n % 2 WHEN 0 THEN 'assistant' ELSE 'user' END"
    if column.primary_key:
        return "n" if column.table is tables.events else "'id' || n"
    if column.nullable:
        return "NULL"
    if isinstance(column.type, Boolean):
        return "FALSE"
    return "'id'" if column.type.python_type is str else "0"


STATUS = {
    "calls": "'failed'",
    "requests": "'approved'",
    # Most were told; of a thousand one is due and one is dead.
    "deliveries": "CASE n % 1000 WHEN 0 THEN 'due' WHEN 1 THEN 'dead' ELSE 'told' END",
}


def _filled(table: Table, numbers: str) -> str:
    columns = [column for column in table.columns if column.server_default is None]
    names = ", ".join(f'"{column.name}"' for column in columns)
    values = ", ".join(_value(column) for column in columns)
    return f"INSERT INTO {table.name} ({names}) SELECT {values} FROM {numbers}"


@pytest.fixture(scope="module")
def sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    path: Path = tmp_path_factory.mktemp("plans") / "full.db"
    connection = sqlite3.connect(path, isolation_level=None)
    schema.ensure_sqlite(connection)
    numbers = "WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < ?) SELECT n FROM r"
    connection.execute("CREATE TEMP TABLE numbers (n INTEGER)")
    connection.execute(f"INSERT INTO numbers {numbers}", (MANY,))
    for table in PARENTS_FIRST:
        if table in FILLED:
            connection.execute(_filled(table, "numbers"))
    yield connection
    connection.close()


@pytest.mark.parametrize("what", READ)
def test_sqlite_reads_no_table_from_end_to_end(sqlite_file: sqlite3.Connection, what: str) -> None:
    statement, index = READ[what]
    compiled = Compiler.sqlite()(statement)
    given = {**dict.fromkeys(compiled.names, ""), **compiled.literals}
    rows = sqlite_file.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.ordered(given))
    plan = [row[3] for row in rows.fetchall()]
    assert any(f"INDEX {index} " in step for step in plan), plan
    names = "|".join(table.name for table in FILLED)
    assert not [step for step in plan if re.search(rf"SCAN ({names})\b", step)], plan


@pytest.fixture
async def postgres_full(postgres_url: str) -> Any:
    connection: Any = await asyncpg.connect(postgres_url)
    await connection.execute("SET session_replication_role = replica")
    for table in PARENTS_FIRST:
        if table in FILLED:
            await connection.execute(_filled(table, f"generate_series(1, {MANY}) AS r(n)"))
    await connection.execute("ANALYZE")
    # As our own connections are.
    await connection.execute("SET plan_cache_mode = force_generic_plan")
    yield connection
    await connection.close()


@pytest.mark.postgres
async def test_postgres_reads_no_table_from_end_to_end(postgres_full: Any) -> None:
    compiler = Compiler.postgres(server_clock=True)
    found = dict[str, str]()
    for number, (what, (statement, index)) in enumerate(READ.items()):
        # Inside a function: a driver would want values for the parameters.
        await postgres_full.execute(
            f"CREATE FUNCTION plan_{number}() RETURNS SETOF text LANGUAGE plpgsql AS $f$ BEGIN "
            f"RETURN QUERY EXECUTE $q$EXPLAIN (GENERIC_PLAN) {compiler(statement).sql}$q$; "
            "END $f$"
        )
        rows = await postgres_full.fetch(f"SELECT plan_{number}()")
        plan = "\n".join(row[0] for row in rows)
        if "Seq Scan" in plan or index not in plan:
            found[what] = plan
    assert not found
