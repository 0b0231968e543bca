"""PostgreSQL: each transaction on a pooled asyncpg connection, plain functions in a greenlet."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy import Table
from sqlalchemy.sql import ClauseElement
from sqlalchemy.util import await_only, greenlet_spawn

from assent.domain.errors import StoreUnavailable
from assent.ports import Clock, Tx
from assent.store.inserts import insert_all
from assent.store.migrations import schema
from assent.store.rows import Params, Row, micros
from assent.store.statements import CLOCK, Compiled, Compiler
from assent.store.transaction import Transaction

T = TypeVar("T")
log = logging.getLogger(__name__)

CHANNEL = "assent"
HINT_SECONDS = 0.02
RESYNC_SECONDS = 30.0
STATEMENT_TIMEOUT = "60s"
# Of several that meet at one row one wins each time: the last loses as often as there are others.
MAX_DEFEATS = 100
_DEFEATS = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    # A turn, a key or an event number that was free when we looked: the next look finds it taken.
    asyncpg.UniqueViolationError,
)
# Any two processes that start at once take turns; the number only has to be ours.
MIGRATION_LOCK = 0x617373656E74


class _Guard(NamedTuple):
    """An update that must find its row, and what to raise if it does not."""

    sql: str
    params: tuple[object, ...]
    error: Exception | None


class PostgresDriver:
    """The asyncpg connection inside one transaction."""

    def __init__(self, connection: Any, compiler: Compiler, now: Callable[[], int]) -> None:
        self._connection, self._compiler, self._now = connection, compiler, now
        self.began = False
        self._pending: dict[Table, list[Params]] = {}
        self._guard: _Guard | None = None

    def _prepare(self, statement: ClauseElement) -> Compiled:
        # Under READ COMMITTED every statement has a snapshot of its own, so plain reads before
        # the first write or lock need no transaction; one that only reads costs no BEGIN at all.
        compiled = self._compiler(statement)
        if not (self.began or (compiled.only_reads and self._guard is None)):
            self.began = True
            await_only(self._connection.execute("BEGIN"))
        if self._guard is not None:
            self.flush()
        # A statement must see what was inserted before it.
        if self._pending and any(table.name in compiled.tables for table in self._pending):
            self.flush()
        return compiled

    def rows(self, statement: ClauseElement, params: Params) -> Sequence[Row]:
        compiled = self._prepare(statement)
        ordered = self._ordered(compiled, params)
        return await_only(self._connection.fetch(compiled.sql, *ordered))

    def _ordered(self, compiled: Compiled, params: Params) -> tuple[object, ...]:
        if compiled.wants_clock:
            params = {**params, CLOCK: self._now()}
        return compiled.ordered(params)

    def guard(self, statement: ClauseElement, params: Params, error: Exception) -> None:
        """Opens a transaction that otherwise only inserts: then both are one statement."""
        if self.began or self._pending or self._guard is not None:
            if not self.rows(statement, params):
                raise error
            return
        compiled = self._compiler(statement)
        self._guard = _Guard(compiled.sql, self._ordered(compiled, params), error)

    def insert(self, table: Table, rows: list[Params]) -> None:
        if rows:
            self._pending.setdefault(table, []).extend(rows)

    def flush(self) -> None:
        """Write what was collected, in one statement."""
        if self._guard is None and not self._pending:
            return
        pending, self._pending = self._pending, {}
        guard, self._guard = self._guard, None
        held = guard or _Guard("", (), None)
        bulk = insert_all(frozenset(pending), held.sql, len(held.params))
        params = (*held.params, *bulk.params(pending))
        [found] = await_only(self._connection.fetch(bulk.sql, *params))
        if held.error is not None and found[0] == 0:
            raise held.error

    def clock(self) -> int:
        return self._now()


class PostgresStore:
    """One database, any number of processes."""

    def __init__(self, url: str, *, clock: Clock | None = None, connections: int = 16) -> None:
        self.url = url
        self._clock = clock
        self._connections = connections
        self._compiler = Compiler.postgres(server_clock=clock is None)
        self._pool: Any = None
        self._heard: list[Callable[[frozenset[str]], None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._hint = asyncio.Event()
        self._offset_micros = 0

    async def open(self, *, worker: bool) -> None:
        del worker  # PostgreSQL takes any number of them.
        try:
            self._pool = await cast("Any", asyncpg).create_pool(
                _dsn(self.url),
                min_size=1,
                max_size=self._connections,
                # By the server: a timer per statement in this process would cost more than most.
                server_settings={
                    "statement_timeout": STATEMENT_TIMEOUT,
                    # Our statements find rows by key: planning one again for its values is waste.
                    "plan_cache_mode": "force_generic_plan",
                    "jit": "off",
                },
                # We leave no session state behind, so a connection needs no cleaning.
                reset=_nothing_to_reset,
                max_cacheable_statement_size=64 * 1024,
                statement_cache_size=500,
            )
        except (OSError, asyncpg.PostgresError, ValueError) as error:
            raise StoreUnavailable(f"cannot connect: {error}") from error
        try:
            async with self._pool.acquire() as connection:
                await _ensure_schema(connection, self.url)
                await self._synchronise(connection)
        except BaseException:
            await self.close()
            raise
        self._tasks = [
            asyncio.create_task(self._exchange_hints(), name="assent-pg-hints"),
        ]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    async def run(self, fn: Callable[[Tx], T]) -> T:
        if self._pool is None:
            raise StoreUnavailable("it is closed")
        try:
            async with self._pool.acquire() as connection:
                result, touched = await self._persist(connection, fn)
        except (
            OSError,
            asyncpg.PostgresConnectionError,
            asyncpg.InsufficientResourcesError,
            asyncpg.ReadOnlySQLTransactionError,
            asyncpg.OperatorInterventionError,
        ) as error:
            raise StoreUnavailable(str(error)) from error
        if touched:
            self._tell(touched)
            self._hint.set()
        return result

    async def _persist(self, connection: Any, fn: Callable[[Tx], T]) -> tuple[T, frozenset[str]]:
        """Functions are plain and start from the rows: one that lost to another runs again."""
        for _ in range(MAX_DEFEATS):
            try:
                return await self._transact(connection, fn)
            except _DEFEATS as error:
                log.debug("a transaction lost to another and runs again: %s", error)
        return await self._transact(connection, fn)

    async def _transact(self, connection: Any, fn: Callable[[Tx], T]) -> tuple[T, frozenset[str]]:
        driver = PostgresDriver(connection, self._compiler, self._now)
        try:
            result, touched = await greenlet_spawn(_perform, fn, driver)
            if driver.began:
                await connection.execute("COMMIT")
        except BaseException:
            # Shielded: a cancelled caller must not hand a half-open transaction back to the pool.
            if driver.began:
                await asyncio.shield(_rollback(connection))
            raise
        return result, touched

    def listen(self, heard: Callable[[frozenset[str]], None]) -> None:
        self._heard.append(heard)

    def _tell(self, touched: frozenset[str]) -> None:
        for heard in self._heard:
            heard(touched)

    def _hinted(self, connection: Any, sender: int, *_: object) -> None:
        # Our own hints come back too; what changed here is known here.
        if sender != connection.get_server_pid():
            self._tell(frozenset())

    def _now(self) -> int:
        """The server's clock, estimated between readings; guards read the clock itself."""
        if self._clock is not None:
            return micros(self._clock.now()) or 0
        return time.monotonic_ns() // 1000 + self._offset_micros

    async def _synchronise(self, connection: Any) -> None:
        before = time.monotonic_ns() // 1000
        at = await connection.fetchval("SELECT extract(epoch from clock_timestamp()) * 1000000")
        after = time.monotonic_ns() // 1000
        self._offset_micros = int(at) - (before + after) // 2

    async def _exchange_hints(self) -> None:
        """Tell others that something changed, and hear it from them, on a connection of its own.

        No payload, and not once per commit. Readers poll as well, so a lost hint only delays.
        """
        while True:
            try:
                connection = await cast("Any", asyncpg).connect(_dsn(self.url))
                try:
                    await connection.add_listener(CHANNEL, self._hinted)
                    while not connection.is_closed():
                        await self._exchange(connection)
                finally:
                    await connection.close()
            except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
                log.warning("exchanging hints was interrupted: %s", error)
                await asyncio.sleep(1)

    async def _exchange(self, connection: Any) -> None:
        try:
            async with asyncio.timeout(RESYNC_SECONDS):
                await self._hint.wait()
        except TimeoutError:
            await self._synchronise(connection)
            return
        self._hint.clear()
        await connection.execute(f"NOTIFY {CHANNEL}")
        await asyncio.sleep(HINT_SECONDS)


def _perform(fn: Callable[[Tx], T], driver: PostgresDriver) -> tuple[T, frozenset[str]]:
    tx = Transaction(driver)
    result, touched = fn(tx), tx.finish()
    # Nothing begun means that this one statement is the whole transaction.
    driver.flush()
    return result, touched


async def _nothing_to_reset(connection: Any) -> None:
    del connection


async def _rollback(connection: Any) -> None:
    with contextlib.suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        await connection.execute("ROLLBACK")


def _dsn(url: str) -> str:
    return url.replace("postgresql+asyncpg://", "postgresql://", 1)


async def _ensure_schema(connection: Any, url: str) -> None:
    # Another process may upgrade for longer than any statement of ours should take.
    await connection.execute("SET statement_timeout = 0")
    await connection.execute("SELECT pg_advisory_lock($1)", MIGRATION_LOCK)
    try:
        version = await _version(connection)
        if version is None:
            async with connection.transaction():
                for statement in schema.postgres_creation():
                    await connection.execute(statement)
        elif not schema.is_current(version):
            from assent.store.migrations import upgrade

            await upgrade.postgres(_dsn(url))
    finally:
        await connection.execute("SELECT pg_advisory_unlock($1)", MIGRATION_LOCK)
        await connection.execute("RESET statement_timeout")


async def _version(connection: Any) -> str | None:
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    return await connection.fetchval("SELECT version_num FROM alembic_version") or schema.BASE
