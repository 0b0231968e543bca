"""Connections: bounded, handed on, and never handed on in a state that nobody knows."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from assent.store.connections import Connection, Connections

pytestmark = pytest.mark.postgres


@pytest.fixture
async def connections(postgres_url: str) -> AsyncIterator[Connections]:
    async def connect() -> Connection:
        raw: Any = await asyncpg.connect(postgres_url)
        return Connection(raw)

    few = Connections(connect, most=2)
    yield few
    await few.close()


async def test_the_one_used_last_is_used_next(connections: Connections) -> None:
    first, second = await connections.take(), await connections.take()
    connections.give(first)
    connections.give(second)
    assert await connections.take() is second
    connections.give(second)


async def test_whoever_finds_none_free_waits_in_line(connections: Connections) -> None:
    first, second = await connections.take(), await connections.take()
    waiting = [asyncio.ensure_future(connections.take()) for _ in range(2)]
    await asyncio.sleep(0)
    assert not any(each.done() for each in waiting)
    connections.give(second)
    connections.give(first)
    assert [await each for each in waiting] == [second, first]
    connections.give(first)
    connections.give(second)


async def test_who_stops_waiting_takes_no_connection_away(connections: Connections) -> None:
    first, second = await connections.take(), await connections.take()
    impatient = asyncio.ensure_future(connections.take())
    patient = asyncio.ensure_future(connections.take())
    await asyncio.sleep(0)
    # Cancelled in the moment it was served.
    connections.give(first)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    assert await patient is first
    connections.give(first)
    connections.give(second)


async def test_a_lost_connection_makes_room_for_another(connections: Connections) -> None:
    first, second = await connections.take(), await connections.take()
    waiting = asyncio.ensure_future(connections.take())
    await asyncio.sleep(0)
    first.raw.terminate()
    connections.give(first)
    fresh = await waiting
    assert fresh is not first
    assert await fresh.fetch("SELECT $1::int", [1])
    connections.give(fresh)
    await connections.discard(second)


async def test_closing_waits_for_what_is_still_used(connections: Connections) -> None:
    used = await connections.take()
    closing = asyncio.ensure_future(connections.close())
    await asyncio.sleep(0.05)
    assert not closing.done()
    assert await used.fetch("SELECT 1", [])
    connections.give(used)
    await closing
    assert used.raw.is_closed()


async def test_what_was_prepared_survives_a_change_of_the_schema(connections: Connections) -> None:
    connection = await connections.take()
    await connection.execute("CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
    assert [tuple(row) for row in await connection.fetch("SELECT * FROM t", [])] == [(1,)]
    await connection.execute("ALTER TABLE t ADD b int")
    with pytest.raises((asyncpg.InvalidCachedStatementError, asyncpg.OutdatedSchemaCacheError)):
        await connection.fetch("SELECT * FROM t", [])
    assert [tuple(row) for row in await connection.fetch("SELECT * FROM t", [])] == [(1, None)]
    connections.give(connection)
