"""Commits of PostgreSQL: transactions written in a few lanes, together where they can be.

If the connection is lost during a commit, a row that only this transaction writes tells later
whether it was committed.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy import Table, bindparam, select
from sqlalchemy.dialects.postgresql import insert

from assent.errors import StoreUnavailable, WriteUncertain
from assent.store.batching.writes import Kind, Writes, WriteStatements, merged
from assent.store.connections import IDLE_SECONDS, WAIT_SECONDS, Connection
from assent.store.inserts import given
from assent.store.rows import Params, dump
from assent.store.statements import Compiler
from assent.store.tables import audit, messages, turns

log = logging.getLogger(__name__)
# While one batch is written the next one gathers: more lanes make smaller batches, not more work
# done.
LANES = 2
MOST = 32
# The settings of a lane's connection. Its statements find rows by key, whatever the planner makes
# of tables that it knows nothing about yet; and none waits long behind a locked row.
LANE_SETTINGS = {
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_seqscan": "off",
    "lock_timeout": "100ms",
}
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


class _Waiting(NamedTuple):
    writes: Writes
    written: asyncio.Future[bool]

    def end(self, *, written: bool) -> None:
        if not self.written.done():
            self.written.set_result(written)

    def fail(self, error: Exception) -> None:
        if not self.written.done():
            self.written.set_exception(error)


class Commits:
    """Takes the writes of transactions, and tells each when its own are committed."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[Connection]],
        statements: WriteStatements,
        wait: float = WAIT_SECONDS,
    ) -> None:
        self._connect, self._statements, self._wait = connect, statements, wait
        # By kind; the kind that has waited longest is first.
        self._waiting: dict[Kind, list[_Waiting]] = {}
        self._some = asyncio.Event()
        self._closing = False
        self._lanes = [
            asyncio.create_task(self._work(), name=f"assent-commits-{n}") for n in range(LANES)
        ]

    async def send(self, writes: Writes) -> bool:
        """Return True once it is committed; False if nothing was written: it may succeed alone."""
        if self._closing:
            return False
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(writes.kind(), []).append(_Waiting(writes, written))
        self._some.set()
        return await written

    async def close(self) -> None:
        """Close after writing what was sent before."""
        self._closing = True
        self._some.set()
        await asyncio.gather(*self._lanes, return_exceptions=True)

    async def _work(self) -> None:
        connection: Connection | None = None
        used = 0.0
        try:
            while (load := await self._next()) is not None:
                if connection is not None and time.monotonic() - used > IDLE_SECONDS:
                    connection.raw.terminate()
                if connection is None or connection.raw.is_closed():
                    connection = await self._opened(load)
                if connection is not None:
                    await self._commit(connection, *load)
                used = time.monotonic()
        finally:
            if connection is not None:
                connection.raw.terminate()

    async def _next(self) -> tuple[Kind, list[_Waiting]] | None:
        """Return all waiting writes of one kind, up to a limit; None at the end."""
        while not self._waiting:
            if self._closing:
                return None
            self._some.clear()
            await self._some.wait()
        kind = next(iter(self._waiting))
        waiting = self._waiting.pop(kind)
        if waiting[MOST:]:
            self._waiting[kind] = waiting[MOST:]
        # Skip those whose caller was cancelled meanwhile.
        return kind, [each for each in waiting[:MOST] if not each.written.done()]

    async def _opened(self, load: tuple[Kind, Sequence[_Waiting]]) -> Connection | None:
        try:
            return await self._connect()
        except Exception as error:  # noqa: BLE001 - raised in the tasks that wait
            for each in load[1]:
                each.fail(error)
            return None

    async def _commit(
        self, connection: Connection, kind: Kind, waiting: Sequence[_Waiting]
    ) -> None:
        if not waiting:
            return
        writes = merged(kind, [each.writes for each in waiting])
        try:
            async with asyncio.timeout(self._wait):
                await self._statements.write(connection, writes)
        except Exception as error:  # noqa: BLE001 - raised in the tasks that wait
            log.debug("not written together: %s", error)
            # A statement that failed wrote nothing. If the connection was cut, it is unknown.
            is_known = isinstance(error, asyncpg.PostgresError) and not connection.raw.is_closed()
            if not is_known:
                connection.raw.terminate()
            for each in waiting:
                each.end(written=False) if is_known else each.fail(error)
        else:
            for each in waiting:
                each.end(written=True)


class Witness(NamedTuple):
    """A row that exists if its transaction was committed, and only then."""

    table: Table
    row: Params


class Cut(Exception):
    """Raised if it is unknown whether a transaction was committed."""


def witness_of(inserts: Mapping[Table, Sequence[Params]]) -> Witness | None:
    """Return a row that tells later whether the transaction was committed, if it has one."""
    found = (Witness(table, inserts[table][0]) for table in _WITNESSES if table in inserts)
    return next(found, None)


@contextmanager
def committing() -> Generator[None]:
    """Wrap the last statement of a transaction; raises `Cut` if the connection is lost in it."""
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
