"""Bring a database to this release's schema.

An empty one is created whole and stamped, without loading alembic; an older one is upgraded by its
revisions. A test checks that both ways give the same result.
"""

import sqlite3
from collections.abc import Iterator
from typing import Any

from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from assent.errors import UnsupportedVersion
from assent.store.channel_tables import POSTGRES_TRIGGERS, SQLITE_TRIGGERS
from assent.store.inserts import PARENTS_FIRST
from assent.store.tables import KEEP_NEWEST_EVENT, TOOL_CALLS_VIEW

# Alembic's name for a database that has a version table and no version in it.
BASE = "base"
HEAD = "0011"
KNOWN = (BASE, *(f"{number:04}" for number in range(1, int(HEAD) + 1)))
# Processes that start at the same time take turns; any number will do as long as it is our own.
MIGRATION_LOCK = 0x617373656E74
# Word for word alembic's own table.
STAMP = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, "
    "CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
)


def creation(dialect: Dialect) -> Iterator[str]:
    """Return the statements that make an empty database current."""
    for table in PARENTS_FIRST:
        yield str(CreateTable(table).compile(dialect=dialect))
        indexes = sorted(table.indexes, key=lambda index: str(index.name))
        yield from (str(CreateIndex(index).compile(dialect=dialect)) for index in indexes)
    yield TOOL_CALLS_VIEW
    if dialect.name == "sqlite":
        yield KEEP_NEWEST_EVENT
        yield from SQLITE_TRIGGERS
    else:
        yield from POSTGRES_TRIGGERS
    yield STAMP
    yield f"INSERT INTO alembic_version (version_num) VALUES ('{HEAD}')"  # noqa: S608 - a constant


SQLITE_CREATION = tuple(creation(SQLiteDialect_pysqlite()))


def postgres_creation() -> tuple[str, ...]:
    """Return the statements that make an empty PostgreSQL database current."""
    return tuple(creation(PGDialect_asyncpg()))


def is_current(version: str | None) -> bool:
    """Return True if nothing has to be done; a version from a later release is refused."""
    if version is not None and version not in KNOWN:
        raise UnsupportedVersion("The database's schema", version, HEAD)
    return version == HEAD


def ensure_sqlite(connection: sqlite3.Connection) -> None:
    """Create or upgrade the schema; the write lock keeps two starting processes apart."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _sqlite_version(connection)
        if version is None:
            for statement in SQLITE_CREATION:
                connection.execute(statement)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    if version is not None and not is_current(version):
        from assent.store.migrations import upgrade

        upgrade.sqlite(connection)


def _sqlite_version(connection: sqlite3.Connection) -> str | None:
    known = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'alembic_version'"
    if connection.execute(known).fetchone() is None:
        return None
    found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return BASE if found is None else found[0]


async def ensure_postgres(connection: Any, dsn: str) -> None:
    """Create or upgrade the schema; an advisory lock keeps two starting processes apart."""
    # Another process may upgrade for longer than any statement of ours should take.
    await connection.execute("SET statement_timeout = 0")
    await connection.execute("SELECT pg_advisory_lock($1)", MIGRATION_LOCK)
    try:
        version = await postgres_version(connection)
        if version is None:
            async with connection.transaction():
                for statement in postgres_creation():
                    await connection.execute(statement)
        elif not is_current(version):
            from assent.store.migrations import upgrade

            await upgrade.postgres(dsn)
    finally:
        await connection.execute("SELECT pg_advisory_unlock($1)", MIGRATION_LOCK)
        await connection.execute("RESET statement_timeout")


async def postgres_version(connection: Any) -> str | None:
    """Return the version of a PostgreSQL database; None if it is empty."""
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    return await connection.fetchval("SELECT version_num FROM alembic_version") or BASE
