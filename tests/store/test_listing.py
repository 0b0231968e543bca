"""Pages are found by an index, however many rows there are."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.sql import ClauseElement

from assent.store import counts, listing
from assent.store.migrations import schema
from assent.store.statements import Compiler

PAGES = {
    "open requests": (listing.OPEN_REQUESTS, "ix_requests_open"),
    "all requests": (listing.ALL_REQUESTS, "ix_requests_created"),
    "open requests of an owner": (listing.OPEN_OF_OWNER, "ix_requests_owner_open"),
    "all requests of an owner": (listing.ALL_OF_OWNER, "ix_requests_owner"),
    "open requests put to a role": (listing.OPEN_PUT_TO, "ix_request_audience_open"),
    "all requests put to a role": (listing.ALL_PUT_TO, "ix_request_audience_all"),
    "all conversations": (listing.ALL_CONVERSATIONS, "ix_conversations_created"),
    "the record": (listing.ENTRIES, "ix_audit_at"),
    "open requests counted by owner": (counts.OPEN_OF_OWNER, "ix_requests_owner_open"),
    "open requests counted by agent": (counts.OPEN_OF_AGENT, "ix_requests_agent_open"),
    "open requests counted by who may decide": (counts.OPEN_FOR, "ix_request_audience_open"),
    "messages counted by person": (counts.TURNS_WITHIN, "ix_turns_owner_created"),
}


@pytest.fixture
def connection(tmp_path: Path) -> sqlite3.Connection:
    found = sqlite3.connect(tmp_path / "empty.db", isolation_level=None)
    schema.ensure_sqlite(found)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_a_page_reads_an_index_in_order(connection: sqlite3.Connection, page: str) -> None:
    statement: ClauseElement
    statement, index = PAGES[page]
    compiled = Compiler.sqlite()(statement)
    wanted = {**dict.fromkeys(compiled.names, ""), **compiled.literals}
    rows = connection.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.ordered(wanted))
    plan = [row[3] for row in rows.fetchall()]
    connection.close()
    assert any(f"INDEX {index} " in f"{step} " for step in plan), plan
    sorting = [step for step in plan if "ORDER BY" in step]
    # What is left to sort is a page, never a table.
    assert not sorting or any("page" in step for step in plan), plan
