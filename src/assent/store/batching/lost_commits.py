"""What became of a transaction on PostgreSQL whose connection was lost while it was committed."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy import Table

from assent.errors import StoreUnavailable, WriteUncertain
from assent.store.batching.bulk import Load, Shape, inserted, parameters
from assent.store.connections import Connection
from assent.store.rows import Params, dump
from assent.store.tables import audit, messages, turns

# How long somebody waits to hear what became of it; the database may be on its way back.
FATE_SECONDS = 5.0
PAUSE_SECONDS = 0.2
CUT_OFF = "cut_off"
# What the driver says of a connection that has ended, or that it can make no sense of.
UNUSABLE = (asyncpg.InterfaceError, asyncpg.InternalClientError)
LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    *UNUSABLE,
)
# Their ids are made for one transaction, so that whoever finds one finds all of it.
_WITNESSES = (audit, messages, turns)
_ENTRY = Load(audit, Shape.ONE)
_TAKE = f"{inserted(_ENTRY).sql} ON CONFLICT (id) DO NOTHING RETURNING id"


class Witness(NamedTuple):
    """A row that is there if its transaction was committed, and only then."""

    table: Table
    row: Params


class Cut(Exception):
    """Nobody heard whether a transaction was committed."""


def witness_of(inserts: Mapping[Table, list[Params]]) -> Witness | None:
    """The row to ask for later."""
    found = (Witness(table, inserts[table][0]) for table in _WITNESSES if table in inserts)
    return next(found, None)


@contextmanager
def committing() -> Generator[None]:
    """The last that is sent of a transaction: a connection that ends here leaves it open."""
    try:
        yield
    except LOST as error:
        raise Cut(str(error) or type(error).__name__) from error


async def settle(
    connect: Callable[[], Awaitable[Connection]], witness: Witness | None, cut: Cut
) -> None:
    """Return if it was written; raises `StoreUnavailable` if not, `WriteUncertain` if in doubt."""
    is_written = None if witness is None else await _found(connect, witness)
    if is_written is None:
        raise WriteUncertain(str(cut)) from cut
    if not is_written:
        raise StoreUnavailable(str(cut)) from cut


async def _found(connect: Callable[[], Awaitable[Connection]], witness: Witness) -> bool | None:
    try:
        async with asyncio.timeout(FATE_SECONDS):
            while True:
                try:
                    connection = await connect()
                    try:
                        return await _look(connection, witness)
                    finally:
                        connection.raw.terminate()
                except (*LOST, StoreUnavailable):
                    await asyncio.sleep(PAUSE_SECONDS)
    except (TimeoutError, asyncpg.PostgresError):
        return None


async def _look(connection: Connection, witness: Witness) -> bool | None:
    if witness.table is audit:
        # Taken: a server that works on it still waits for us, or fails; it cannot come later.
        row = {**witness.row, "action": CUT_OFF, "source": None, "target": None}
        row["data"] = dump({"action": str(witness.row["action"])})
        return not await connection.fetch(_TAKE, parameters(_ENTRY, [row]))
    known = f'SELECT 1 FROM "{witness.table.name}" WHERE id = $1'  # noqa: S608 - our own names
    # One that is not there may still be on its way.
    return True if await connection.fetch(known, [witness.row["id"]]) else None
