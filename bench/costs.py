"""What one cycle makes each database do: commits, rows, index entries, log and statements."""

import asyncio
import re
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import asyncpg

from assent import Assent
from assent.ports import Clock, Store
from assent.store.connections import Connection
from assent.store.postgres import PostgresStore
from assent.store.rows import Row
from assent.store.sqlite import SqliteStore
from bench.cycle import agent, one

CYCLES = 50
S = TypeVar("S", bound=Store)


class Cost(NamedTuple):
    """Of one cycle, on average."""

    commits: float
    rows: float
    index_entries: float
    log_bytes: float
    statements: float

    def __str__(self) -> str:
        """All of it in one line."""
        return (
            f"{self.commits:.1f} commits, {self.rows:.1f} rows, {self.index_entries:.1f} index "
            f"entries, {self.log_bytes / 1024:.0f} KiB of log, {self.statements:.1f} statements"
        )


@asynccontextmanager
async def _opened(url: str, make: Callable[[Clock], S]) -> AsyncIterator[tuple[Assent, S]]:
    assent = Assent(url, agents=[agent()])
    assent.kernel.store = store = make(assent.kernel.clock)
    async with assent:
        for _ in range(5):
            await one(assent)
        yield assent, store


async def _cycles(assent: Assent) -> None:
    for _ in range(CYCLES):
        await one(assent)


class CountingSqlite(SqliteStore):
    """Counts what one file is told to do; its log is never begun anew."""

    commits = rows = statements = 0

    def _connect(self) -> sqlite3.Connection:
        connection = super()._connect()
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.set_trace_callback(self._traced)
        return connection

    def _traced(self, sql: str) -> None:
        del sql
        self.statements += 1

    def _transact(self, connection: sqlite3.Connection, batch: Any) -> None:
        before = connection.total_changes
        super()._transact(connection, batch)
        changed = connection.total_changes - before
        self.commits += changed > 0
        self.rows += changed


class IndexCountingSqlite(SqliteStore):
    """Counts index entries that come and go, by triggers: SQLite itself keeps no such count."""

    connection: sqlite3.Connection

    def _connect(self) -> sqlite3.Connection:
        self.connection = super()._connect()
        self.connection.execute("CREATE TEMP TABLE written (entries INTEGER)")
        self.connection.execute("INSERT INTO written VALUES (0)")
        for statement in _triggers(self.connection):
            self.connection.execute(statement)
        return self.connection

    async def entries(self) -> int:
        """How many so far."""
        found = await self.run(
            lambda _: self.connection.execute("SELECT * FROM written").fetchone()
        )
        return found[0]


def _triggers(connection: sqlite3.Connection) -> Iterator[str]:
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for [table] in connection.execute(tables).fetchall():
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info('{table}')")]
        indexes = list(_indexes(connection, table))
        if not indexes:
            continue

        def there(where: str, row: str, columns: list[str] = columns) -> str:
            fields = ", ".join(f'{row}."{column}"' for column in columns)
            names = ", ".join(f'"{column}"' for column in columns)
            given = f"WITH given({names}) AS (SELECT {fields})"
            return f"coalesce(({given} SELECT ({where}) FROM given), 0)"

        inserted = " + ".join(there(where, "NEW") for _, where in indexes)
        deleted = " + ".join(there(where, "OLD") for _, where in indexes)
        updated = " + ".join(
            f"CASE WHEN {_differ(keys)} OR {there(where, 'OLD')} <> {there(where, 'NEW')} "
            f"THEN {there(where, 'OLD')} + {there(where, 'NEW')} ELSE 0 END"
            for keys, where in indexes
        )
        for event, count in (("INSERT", inserted), ("DELETE", deleted), ("UPDATE", updated)):
            yield (
                f"CREATE TEMP TRIGGER count_{table}_{event} AFTER {event} ON main.{table} "
                f"BEGIN UPDATE written SET entries = entries + {count}; END"
            )


def _differ(keys: list[str]) -> str:
    return " OR ".join(f'OLD."{key}" IS NOT NEW."{key}"' for key in keys)


def _indexes(connection: sqlite3.Connection, table: str) -> Iterator[tuple[list[str], str]]:
    """The columns of each index, and which rows are in it."""
    for _, name, *_ in connection.execute(f"PRAGMA index_list('{table}')").fetchall():
        keys = [row[2] for row in connection.execute(f"PRAGMA index_info('{name}')")]
        [sql] = connection.execute(
            "SELECT coalesce(sql, '') FROM sqlite_master WHERE name = ?", (name,)
        ).fetchone()
        yield keys, sql.partition(" WHERE ")[2] or "1"


async def sqlite_cost(folder: Path) -> Cost:
    """On a file."""
    path = folder / "cost.db"
    log = Path(f"{path}-wal")
    made = partial(CountingSqlite, str(path))
    async with _opened(f"sqlite:///{path}", lambda clock: made(clock=clock)) as (assent, store):
        before = store.commits, store.rows, store.statements, _size(log)
        await _cycles(assent)
        after = store.commits, store.rows, store.statements, _size(log)
    commits, rows, statements, size = (b - a for a, b in zip(before, after, strict=True))
    path = folder / "entries.db"
    counting = partial(IndexCountingSqlite, str(path))
    async with _opened(f"sqlite:///{path}", lambda clock: counting(clock=clock)) as (assent, its):
        first = await its.entries()
        await _cycles(assent)
        entries = await its.entries() - first
    found = (commits, rows, entries, size, statements)
    return Cost(*(count / CYCLES for count in found))


def _size(log: Path) -> int:
    return log.stat().st_size


class CountingPostgres(PostgresStore):
    """Counts the statements that go to the server, hints included."""

    statements = 0

    async def _connect(self, **settings: str) -> Connection:
        made = await super()._connect(**settings)
        # Of what is prepared asyncpg says nothing.
        made.raw.add_query_logger(self._logged)
        return _CountingConnection(made.raw, self)

    def _logged(self, record: object) -> None:
        del record
        self.statements += 1


class _CountingConnection(Connection):
    def __init__(self, raw: Any, store: CountingPostgres) -> None:
        super().__init__(raw)
        self._store = store

    async def fetch(self, sql: str, params: Sequence[object]) -> Sequence[Row]:
        self._store.statements += 1
        return await super().fetch(sql, params)


async def postgres_cost(url: str, waldump: Path, data: Path, *, workers: int = 1) -> Cost:
    """On a server whose log we can read; with other workers beside the one that works."""
    watch: Any = await asyncpg.connect(url)
    lsn = "SELECT pg_current_wal_insert_lsn()::text"
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(_opened(url, lambda _: CountingPostgres(url)))
            for _ in range(workers)
        ]
        first = sum(store.statements for _, store in opened)
        start = await watch.fetchval(lsn)
        await _cycles(opened[0][0])
        end = await watch.fetchval(lsn)
        statements = sum(store.statements for _, store in opened) - first
    size = await watch.fetchval("SELECT $1::text::pg_lsn - $2::text::pg_lsn", end, start)
    # What was logged last is on disk once the log has gone on.
    await watch.execute("SELECT pg_switch_wal()")
    await watch.close()
    logged = await asyncio.to_thread(_records, waldump, data, start, end)
    rows = sum(logged.get(f"Heap/{kind}", 0) for kind in _CHANGES)
    entries = sum(count for name, count in logged.items() if name in _ENTRIES)
    found = (logged.get("Transaction/COMMIT", 0), rows, entries, int(size), statements)
    return Cost(*(count / CYCLES for count in found))


_CHANGES = ("INSERT", "INSERT+INIT", "UPDATE", "UPDATE+INIT", "HOT_UPDATE", "DELETE")
_ENTRIES = ("Btree/INSERT_LEAF", "Btree/INSERT_POST", "Btree/SPLIT_L", "Btree/SPLIT_R")


def _records(waldump: Path, data: Path, start: str, end: str) -> dict[str, int]:
    """How many of each kind the log has between two places."""
    command = [waldump, "--stats=record", "-p", data / "pg_wal", "-s", start, "-e", end]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^(\w+/[\w+]+)\s+(\d+) ", said, re.MULTILINE)
    return {name: int(count) for name, count in found}
