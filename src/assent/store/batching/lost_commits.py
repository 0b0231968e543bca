"""The fate of a PostgreSQL transaction whose connection was lost during its commit."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy import Table, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from assent.errors import StoreUnavailable, WriteUncertain
from assent.store.connections import Connection
from assent.store.inserts import given
from assent.store.rows import Params, dump
from assent.store.statements import Compiler
from assent.store.tables import audit, messages, turns

# How long a caller waits to learn its fate; the database may be coming back.
FATE_SECONDS = 5.0
PAUSE_SECONDS = 0.2
CUT_OFF = "cut_off"
# The driver's errors for a connection that has ended, or that it cannot understand.
UNUSABLE = (asyncpg.InterfaceError, asyncpg.InternalClientError)
LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    *UNUSABLE,
)
# Their ids are made for one transaction: if one row is there, all of the transaction is.
_WITNESSES = (audit, messages, turns)
_TAKE = (
    insert(audit)
    .values({c.name: bindparam(c.name, type_=c.type) for c in given(audit)})
    .on_conflict_do_nothing(index_elements=[audit.c.id])
    .returning(audit.c.id)
)
_KNOWN = {
    table: select(table.c.id).where(table.c.id == bindparam("id")) for table in (messages, turns)
}
_compile = Compiler.postgres(server_clock=True)


class Witness(NamedTuple):
    """A row that exists if its transaction was committed, and only then."""

    table: Table
    row: Params


class Cut(Exception):
    """Raised if it is unknown whether a transaction was committed."""


def witness_of(inserts: Mapping[Table, Sequence[Params]]) -> Witness | None:
    """Return the row to look for later."""
    found = (Witness(table, inserts[table][0]) for table in _WITNESSES if table in inserts)
    return next(found, None)


@contextmanager
def committing() -> Generator[None]:
    """Wrap the last statement of a transaction: if the connection ends here, its fate is open."""
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
        # The insert takes the id: a server still working on the transaction waits for us or fails,
        # and cannot commit later.
        row = {**witness.row, "action": CUT_OFF, "source": None, "target": None}
        row["data"] = dump({"action": str(witness.row["action"])})
        take = _compile(_TAKE)
        return not await connection.fetch(take.sql, take.ordered(row))
    known = _compile(_KNOWN[witness.table])
    # A row that is missing may still be on its way.
    return True if await connection.fetch(known.sql, known.ordered(witness.row)) else None
