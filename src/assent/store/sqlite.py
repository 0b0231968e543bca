"""The SQLite store: every transaction in one writer thread, several to a commit if several wait."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue
from typing import TypeVar

from sqlalchemy import Table, Update
from sqlalchemy.sql import ClauseElement

from assent.errors import StoreUnavailable
from assent.ports import Clock, Tx
from assent.store import file_hints
from assent.store.batching.jobs import Job, Line
from assent.store.file_hints import FileHints
from assent.store.files import DatabaseFile, open_database
from assent.store.inserts import insert_one
from assent.store.migrations import schema
from assent.store.rows import Params, Row, micros
from assent.store.statements import CLOCK, Compiled, Compiler
from assent.store.transaction import Transaction

T = TypeVar("T")
MAX_BATCH = 128
# How long the thread may take to answer: a disk may hang, or another process hold the file.
WAIT_SECONDS = 10.0
WATCH_SECONDS = 0.1
MEMORY = ":memory:"
# The time of the newest write, by two indexes.
LATEST = """
SELECT max(at) FROM audit UNION ALL
SELECT at FROM events WHERE id = (SELECT max(id) FROM events)
"""


class SqliteDriver:
    """The sqlite3 connection inside one transaction; what it writes is written at once.

    Later transactions that share the commit see all of it. See
    docs/decisions/0009-transactions-one-after-the-other.md.
    """

    def __init__(
        self, connection: sqlite3.Connection, compiler: Compiler, now: Callable[[], int]
    ) -> None:
        self._connection, self._compiler = connection, compiler
        # Read once: nothing else happens in the database while a transaction runs.
        self._now = now()
        # While this is False, a failure leaves nothing to undo.
        self.has_written = False
        self.leaves_work = False

    def rows(self, statement: ClauseElement, params: Params) -> Sequence[Row]:
        compiled = self._compiler(statement)
        self.has_written |= not compiled.only_reads
        return self._connection.execute(compiled.sql, self._ordered(compiled, params)).fetchall()

    # Nothing is locked: there is no other writer while this one runs.
    def look(
        self, statement: ClauseElement, params: Params, *, locking: ClauseElement
    ) -> Sequence[Row]:
        del locking
        return self.rows(statement, params)

    def expect(self, row: str, statement: Update, params: Params) -> bool:
        del row
        return bool(self.rows(statement, params))

    def along(self, row: str, statement: Update, params: Params) -> None:
        self.expect(row, statement, params)

    def insert(self, table: Table, rows: list[Params]) -> None:
        self.has_written = True
        compiled = self._compiler(insert_one(table))
        self._connection.executemany(compiled.sql, map(compiled.ordered, rows))

    def _ordered(self, compiled: Compiled, params: Params) -> tuple[object, ...]:
        if compiled.wants_clock:
            params = {**params, CLOCK: self._now}
        return compiled.ordered(params)

    def clock(self) -> int:
        return self._now


class ForwardClock:
    """The latest time that the clock ever showed, plus the time since: it never runs backwards.

    With a clock that is set back an approval would be accepted after its deadline.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # How far the time is ahead of the monotonic clock; it only grows.
        self._ahead = 0

    def now(self) -> int:
        """Return the time in microseconds since 1970."""
        passed = int(self._clock.monotonic() * 1_000_000)
        self._ahead = max(self._ahead, (micros(self._clock.now()) or 0) - passed)
        return self._ahead + passed

    def not_before(self, at: int) -> None:
        """Move the time forward to that of the newest row, if it is behind."""
        self._ahead = max(self._ahead, at - int(self._clock.monotonic() * 1_000_000))


class _Watch:
    """Finds commits by other processes of which no hint came: `data_version` changes with them."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._seen = self._version()
        self._next = time.monotonic()

    def sees_a_change(self) -> bool:
        """Return True if another process committed since the last look; looks only now and then."""
        if (now := time.monotonic()) < self._next:
            return False
        self._next = now + WATCH_SECONDS
        try:
            before, self._seen = self._seen, self._version()
        except sqlite3.Error:
            # The next read or write reports it; the thread has to go on.
            return False
        return self._seen != before

    def _version(self) -> int:
        return self._connection.execute("PRAGMA data_version").fetchone()[0]


class SqliteStore:
    """One file (or `:memory:`), one worker, any number of processes that read and decide."""

    def __init__(self, path: str, *, clock: Clock, wait: float = WAIT_SECONDS) -> None:
        self._path, self._wait = path, wait
        self._clock = ForwardClock(clock)
        self._compiler = Compiler.sqlite()
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._file: DatabaseFile | None = None
        self._hints: FileHints | None = None
        self._heard: list[Callable[[frozenset[str]], None]] = []
        self._found_work: list[Callable[[], None]] = []

    @property
    def url(self) -> str:
        """The URL of the database."""
        return f"sqlite:///{self._path}"

    async def open(self, *, worker: bool) -> None:
        self._loop = asyncio.get_running_loop()
        self._line = Line(self._loop, self._wait)
        if self._path != MEMORY:
            self._file = DatabaseFile(self._path, worker=worker)
        started: asyncio.Future[None] = self._loop.create_future()
        self._thread = threading.Thread(
            target=self._work, args=(started,), name="assent-sqlite", daemon=True
        )
        self._thread.start()
        try:
            await started
        except BaseException:
            self._let_go()
            raise
        if self._file is not None:
            self._hints = file_hints.join(self._path, self._tell_of_others)

    async def close(self) -> None:
        # From here on no job is accepted: behind the None none would ever be taken.
        thread, self._thread = self._thread, None
        if thread is not None:
            self._jobs.put(None)
            await asyncio.to_thread(thread.join)
            self._line.close()
        if self._hints is not None:
            self._hints.close()
            self._hints = None
        self._let_go()

    async def run(self, fn: Callable[[Tx], T]) -> T:
        if self._thread is None:
            raise StoreUnavailable("it is not open: use the engine inside `async with assent`")
        job = self._line.join(fn)
        self._jobs.put(job)
        return await job.future

    def listen(self, heard: Callable[[frozenset[str]], None]) -> None:
        self._heard.append(heard)

    def listen_for_work(self, found: Callable[[], None]) -> None:
        self._found_work.append(found)

    def _let_go(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _tell(self, touched: frozenset[str]) -> None:
        for heard in self._heard:
            heard(touched)

    def _tell_of_others(self, *, work: bool = True) -> None:
        """Report a commit of another process; without a hint it is assumed to have left work."""
        self._tell(frozenset())
        if work:
            for found in self._found_work:
                found()

    def _work(self, started: asyncio.Future[None]) -> None:
        try:
            connection = self._connect()
        except Exception as error:  # noqa: BLE001 - raised in the task that opens the store
            self._loop.call_soon_threadsafe(started.set_exception, _unavailable(error))
            return
        self._loop.call_soon_threadsafe(started.set_result, None)
        watch = _Watch(connection)
        while (batch := self._next_batch()) is not None:
            if batch:
                changes = connection.total_changes
                self._answer(connection, batch)
                self._loop.call_soon_threadsafe(self._settle, batch)
                if connection.total_changes != changes and self._hints is not None:
                    self._hints.send(work=any(job.leaves_work for job in batch))
            if watch.sees_a_change():
                self._loop.call_soon_threadsafe(self._tell_of_others)
        connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = open_database(self._path)
        try:
            schema.ensure_sqlite(connection)
            for [at] in connection.execute(LATEST):
                self._clock.not_before(at or 0)
            if self._file is not None:
                self._file.want_parts()
        except BaseException:
            connection.close()
            raise
        return connection

    def _next_batch(self) -> list[Job] | None:
        """Return the waiting jobs, up to a limit; an empty list on timeout, None when closing."""
        batch: list[Job] = []
        try:
            job = self._jobs.get(timeout=WATCH_SECONDS)
            # The event loop goes first: callers that are about to send a job share the commit.
            time.sleep(0)
            while job is not None:
                batch.append(job)
                if len(batch) == MAX_BATCH:
                    return batch
                job = self._jobs.get_nowait()
        except Empty:
            return batch
        if batch:
            # Closing: jobs queued before are still done, then None comes up again.
            self._jobs.put(None)
            return batch
        return None

    def _answer(self, connection: sqlite3.Connection, batch: list[Job]) -> None:
        """Answer every job, whatever happens: only this thread can."""
        try:
            self._want_there()
            self._transact(connection, batch)
        except Exception as error:  # noqa: BLE001 - raised in the tasks that wait
            for job in batch:
                job.error = _unavailable(error)

    def _want_there(self) -> None:
        if self._file is not None:
            self._file.want_there()

    def _transact(self, connection: sqlite3.Connection, batch: list[Job]) -> None:
        """Commit all jobs of a batch together; a job that fails does not fail the others."""
        while batch and (failed := self._attempt(connection, batch)):
            _rollback(connection)
            # Functions start from the rows and write nothing else: the others just run again.
            batch = [job for job in batch if job not in failed]

    def _attempt(self, connection: sqlite3.Connection, batch: list[Job]) -> list[Job]:
        """Return the jobs that failed halfway, because of which nothing was committed."""
        try:
            _begin(connection)
            for job in batch:
                if not self._perform(connection, job):
                    return [job]
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            for job in batch:
                job.error = _unavailable(error)
            return batch
        return []

    def _perform(self, connection: sqlite3.Connection, job: Job) -> bool:
        """Run a job; return False if it failed after it had written something."""
        if not job.begins():
            return True
        driver = SqliteDriver(connection, self._compiler, self._clock.now)
        tx = Transaction(driver)
        job.error = None
        try:
            job.result = job.fn(tx)
            job.touched = tx.finish()
            job.wrote, job.leaves_work = driver.has_written, driver.leaves_work
        except BaseException as error:  # noqa: BLE001 - raised in the task that awaits this job
            job.error = _unavailable(error)
            return not driver.has_written
        return True

    def _settle(self, batch: list[Job]) -> None:
        touched: set[str] = set()
        for job in batch:
            if job.error is None:
                touched |= job.touched
            job.settle()
        self._line.leave()
        if touched:
            self._tell(frozenset(touched))


def _begin(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_READONLY:
            raise
        # A read-only database: nothing can be written, but people can still see what waits.
        connection.execute("BEGIN")


def _rollback(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _unavailable(error: BaseException) -> BaseException:
    # A broken constraint is the fault of one transaction, and trying it again does not help.
    if isinstance(error, sqlite3.Error) and not isinstance(error, sqlite3.IntegrityError):
        return StoreUnavailable(str(error))
    return error
