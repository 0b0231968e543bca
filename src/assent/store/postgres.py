"""The PostgreSQL store: pooled asyncpg connections, with plain functions run in greenlets."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, Generic, NamedTuple, TypeVar, cast

import asyncpg  # pyright: ignore[reportMissingTypeStubs]
from sqlalchemy.util import greenlet_spawn

from assent.errors import StoreUnavailable
from assent.ports import Clock, Tx
from assent.store.batching.commits import (
    LANE_SETTINGS,
    LOST,
    UNUSABLE,
    Commits,
    Cut,
    committing,
    settle,
    witness_of,
)
from assent.store.batching.writes import Writes, WriteStatements
from assent.store.connections import CLOSE_SECONDS, WAIT_SECONDS, Connection, Connections
from assent.store.feed import ADOPT
from assent.store.migrations import schema
from assent.store.postgres_driver import PostgresDriver
from assent.store.rows import micros
from assent.store.transaction import Transaction

T = TypeVar("T")
log = logging.getLogger(__name__)

CHANNEL = "assent"
NEWS, WORK = "news", "work"
HINT_SECONDS = 0.02
RESYNC_SECONDS = 30.0
WATCH_SECONDS = 1.0
# The part of our waiting time after which a working server ends a statement itself, and says so.
STATEMENT_SHARE = 0.8
# Of several transactions that meet at one row one wins each time, so the last loses as often as
# there are others.
MAX_DEFEATS = 100
_DEFEATS = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    # A turn, a key or an event number that was free when we looked; the next look finds it taken.
    asyncpg.UniqueViolationError,
    # Another process upgraded the schema: prepared statements are prepared again.
    asyncpg.InvalidCachedStatementError,
    asyncpg.OutdatedSchemaCacheError,
)


class _Done(NamedTuple, Generic[T]):
    """The result of a function, the turns it touched, and its writes that are not sent yet."""

    result: T
    touched: frozenset[str]
    has_written: bool
    leaves_work: bool
    writes: Writes | None = None
    # True if nothing was written, and the reads are from several moments.
    is_loose: bool = False


class PostgresStore:
    """One database, any number of processes."""

    def __init__(
        self,
        url: str,
        *,
        clock: Clock | None = None,
        connections: int = 16,
        wait: float = WAIT_SECONDS,
    ) -> None:
        self.url = url
        self._wait = wait
        self._clock = clock
        self._most = connections
        self._statements = WriteStatements.shared(server_clock=clock is None)
        self._connections: Connections | None = None
        self._commits: Commits | None = None
        self._heard: list[Callable[[frozenset[str]], None]] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._found_work: list[Callable[[], None]] = []
        self._hint = asyncio.Event()
        # True if the next hint is also about work to claim.
        self._leaves_work = False
        self._offset_micros = 0

    async def open(self, *, worker: bool) -> None:
        del worker  # PostgreSQL takes any number of them.
        connections = Connections(self._connect, self._most, self._wait)
        connection = await connections.take()
        try:
            await self._prepare(connection)
        except BaseException as error:
            await connections.discard(connection)
            if isinstance(error, LOST):
                raise StoreUnavailable(_said(error)) from error
            raise
        connections.give(connection)
        self._connections = connections
        self._commits = Commits(
            lambda: self._connect(**LANE_SETTINGS), self._statements, self._wait
        )
        self._tasks = [
            asyncio.create_task(self._exchange_hints(), name="assent-pg-hints"),
        ]
        self._watch = asyncio.create_task(_end_silent(connections), name="assent-pg-watch")

    async def _prepare(self, connection: Connection) -> None:
        async with asyncio.timeout(self._wait):
            version = await schema.postgres_version(connection.raw)
        # It is unknown beforehand how long an upgrade of the schema takes.
        if version is None or not schema.is_current(version):
            await schema.ensure_postgres(connection.raw, _dsn(self.url))
        async with asyncio.timeout(self._wait):
            with contextlib.suppress(asyncpg.ReadOnlySQLTransactionError):
                await connection.execute(ADOPT)
            await self._synchronise(connection.raw)

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        if self._connections is not None:
            connections, self._connections = self._connections, None
            if self._commits is not None:
                await self._commits.close()
            await connections.close()
            # Last: lent connections come back even if the server no longer answers.
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)

    async def _connect(self, **settings: str) -> Connection:
        try:
            raw = await cast("Any", asyncpg).connect(
                _dsn(self.url),
                timeout=self._wait,
                # By the server: a timer per statement in this process would cost more than most
                # statements.
                server_settings={
                    "statement_timeout": f"{self._wait * STATEMENT_SHARE * 1000:.0f}ms",
                    # Our statements find rows by key: planning one again for its values is waste.
                    "plan_cache_mode": "force_generic_plan",
                    "jit": "off",
                    **settings,
                },
            )
        # Here, so that it is never mistaken for a connection that ended in the middle of a write.
        except (OSError, asyncpg.PostgresError, ValueError, *UNUSABLE) as error:
            raise StoreUnavailable(f"cannot connect: {_said(error)}") from error
        return Connection(raw)

    async def run(self, fn: Callable[[Tx], T]) -> T:
        if self._connections is None:
            raise StoreUnavailable("it is not open: use the engine inside `async with assent`")
        try:
            done = await self._transacted(self._connections, fn)
        except (
            OSError,
            asyncpg.PostgresConnectionError,
            asyncpg.InsufficientResourcesError,
            asyncpg.ReadOnlySQLTransactionError,
            asyncpg.OperatorInterventionError,
            # The driver's errors for a connection that the server has just ended.
            *UNUSABLE,
        ) as error:
            raise StoreUnavailable(str(error)) from error
        if done.touched:
            self._tell(done.touched)
        if done.has_written:
            self._leaves_work |= done.leaves_work
            self._hint.set()
        return done.result

    async def _transacted(self, connections: Connections, fn: Callable[[Tx], T]) -> _Done[T]:
        """Run a function on trust; if that was wrong or another one won, run it again with locks.

        A function that only reads, and reads several things, runs again on a snapshot: everything
        it shows was so at one moment. Writes are guarded, each row by what was read of it.
        """
        try:
            done = await _lent(connections, lambda its: self._attempt(its, fn, trusting=True))
            if done.writes is not None:
                await self._commit(connections, done.writes)
            elif done.is_loose:
                done = await _lent(connections, lambda its: self._attempt(its, fn, still=True))
        except (asyncpg.InvalidTextRepresentationError, *_DEFEATS) as error:
            log.debug("a transaction runs again, with locks: %s", error)
            done = await _lent(connections, lambda its: self._persist(its, fn))
        return done

    async def _commit(self, connections: Connections, writes: Writes) -> None:
        """Commit together with others of its kind; if that fails with nothing written, alone."""
        try:
            with committing():
                if self._commits is None or not await self._commits.send(writes):
                    await _lent(connections, lambda its: self._statements.write(its, writes))
        except Cut as cut:
            await settle(self._connect, witness_of(writes.inserts), cut)

    async def _persist(self, connection: Connection, fn: Callable[[Tx], T]) -> _Done[T]:
        """Run a function until it wins: functions start from the rows, so they can run again."""
        for _ in range(MAX_DEFEATS - 1):
            try:
                return await self._attempt(connection, fn)
            except _DEFEATS as error:
                log.debug("a transaction lost to another and runs again: %s", error)
        return await self._attempt(connection, fn)

    async def _attempt(
        self,
        connection: Connection,
        fn: Callable[[Tx], T],
        *,
        trusting: bool = False,
        still: bool = False,
    ) -> _Done[T]:
        driver = PostgresDriver(connection, self._statements, self._now, trusting=trusting)
        try:
            result, touched = await greenlet_spawn(_perform, fn, driver, still)
            writes = driver.collected()
            if trusting and not driver.began:
                is_loose = writes is None and driver.sent > 1
                wrote, leaves_work = driver.has_written, driver.leaves_work
                return _Done(result, touched, wrote, leaves_work, writes, is_loose)
            await self._end(connection, driver, writes)
        except Exception:
            if driver.began:
                await _rollback(connection)
            raise
        return _Done(result, touched, driver.has_written, driver.leaves_work)

    async def _end(
        self, connection: Connection, driver: PostgresDriver, writes: Writes | None
    ) -> None:
        try:
            await self._finish(connection, writes, began=driver.began)
        except Cut as cut:
            await settle(self._connect, driver.witness, cut)

    async def _finish(self, connection: Connection, writes: Writes | None, *, began: bool) -> None:
        """Write the rest and commit; without BEGIN one statement is the whole transaction."""
        if not began:
            if writes is not None:
                with committing():
                    await self._statements.write(connection, writes)
            return
        if writes is not None:
            await self._statements.write(connection, writes)
        with committing():
            await connection.execute("COMMIT")

    def listen(self, heard: Callable[[frozenset[str]], None]) -> None:
        self._heard.append(heard)

    def listen_for_work(self, found: Callable[[], None]) -> None:
        self._found_work.append(found)

    def _tell(self, touched: frozenset[str]) -> None:
        for heard in self._heard:
            heard(touched)

    def _hinted(self, connection: Any, sender: int, _: str, payload: str) -> None:
        # Our own hints come back, too; changes made here are known here.
        if sender == connection.get_server_pid():
            return
        self._tell(frozenset())
        # Releases that send no payload may mean work.
        if payload != NEWS:
            for found in self._found_work:
                found()

    def _now(self) -> int:
        """Return the server's time, estimated between readings; guards read the clock itself."""
        if self._clock is not None:
            return micros(self._clock.now()) or 0
        return time.monotonic_ns() // 1000 + self._offset_micros

    async def _synchronise(self, connection: Any) -> None:
        before = time.monotonic_ns() // 1000
        at = await connection.fetchval("SELECT extract(epoch from clock_timestamp()) * 1000000")
        after = time.monotonic_ns() // 1000
        self._offset_micros = int(at) - (before + after) // 2

    async def _exchange_hints(self) -> None:
        """Send hints of changes to other processes, and receive theirs, on a connection of its own.

        Commits close together share a hint. Readers poll as well, so a lost hint only delays.
        """
        while True:
            try:
                connection = (await self._connect()).raw
                try:
                    async with asyncio.timeout(self._wait):
                        await connection.add_listener(CHANNEL, self._hinted)
                    while not connection.is_closed():
                        await self._exchange(connection)
                finally:
                    with contextlib.suppress(OSError, asyncpg.PostgresError, *UNUSABLE):
                        await connection.close(timeout=CLOSE_SECONDS)
            except (OSError, asyncpg.PostgresError, StoreUnavailable, *UNUSABLE) as error:
                log.warning("exchanging hints was interrupted: %s", _said(error))
                await asyncio.sleep(1)

    async def _exchange(self, connection: Any) -> None:
        try:
            async with asyncio.timeout(RESYNC_SECONDS):
                await self._hint.wait()
        except TimeoutError:
            async with asyncio.timeout(self._wait):
                await self._synchronise(connection)
            return
        self._hint.clear()
        payload, self._leaves_work = WORK if self._leaves_work else NEWS, False
        async with asyncio.timeout(self._wait):
            await connection.execute(f"NOTIFY {CHANNEL}, '{payload}'")
        await asyncio.sleep(HINT_SECONDS)


async def _end_silent(connections: Connections) -> None:
    while True:
        await asyncio.sleep(WATCH_SECONDS)
        if ended := connections.end_silent():
            log.warning("PostgreSQL says nothing any more: %d connections were ended", ended)


def _perform(
    fn: Callable[[Tx], T], driver: PostgresDriver, still: bool
) -> tuple[T, frozenset[str]]:
    if still:
        driver.hold_still()
    tx = Transaction(driver)
    return fn(tx), tx.finish()


async def _lent(connections: Connections, use: Callable[[Connection], Awaitable[T]]) -> T:
    """Lend a connection to a function and return its result."""
    connection = await connections.take()
    try:
        done = await use(connection)
    except UNUSABLE:
        # It may not know yet that it is closed: it must not be given out again.
        connection.raw.terminate()
        connections.give(connection)
        raise
    except Exception:
        connections.give(connection)
        raise
    except BaseException:
        # Shielded: a cancelled caller must not leave a statement behind that still runs.
        await asyncio.shield(connections.discard(connection))
        raise
    connections.give(connection)
    return done


async def _rollback(connection: Connection) -> None:
    with contextlib.suppress(OSError, asyncpg.PostgresError, *UNUSABLE):
        await connection.execute("ROLLBACK")


def _said(error: BaseException) -> str:
    return str(error) or "it did not answer in time"


def _dsn(url: str) -> str:
    return url.replace("postgresql+asyncpg://", "postgresql://", 1)
