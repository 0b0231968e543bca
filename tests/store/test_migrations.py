"""A database made whole and one upgraded by revisions are the same; others are refused."""

import asyncio
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from assent.app import open_store
from assent.errors import StoreUnavailable, UnsupportedVersion
from assent.store.migrations import schema, upgrade
from assent.store.tables import metadata

EMPTY_VERSIONS = schema.STAMP
SQLITE = "sqlite:///"
SOURCE = Path(__file__).parents[2] / "src"

# Everything that has a definition, by name. What it says is compared as the database keeps it.
SQLITE_DEFINITIONS = """
    SELECT type || ' ' || name, sql FROM sqlite_master
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
"""
POSTGRES_DEFINITIONS = """
    SELECT 'column ' || table_name || '.' || column_name,
           ordinal_position || ' ' || data_type || ' ' || is_nullable
             || ' ' || coalesce(column_default, '-')
      FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL
    SELECT 'constraint ' || conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
      FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL
    SELECT 'index ' || indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL
    SELECT 'view ' || viewname, definition FROM pg_views WHERE schemaname = 'public'
"""


def plain(definition: str) -> str:
    """A definition without the line breaks and spaces that only lay it out."""
    return re.sub(r"(?<=\() | (?=[,)])", "", " ".join(definition.split()))


class Database:
    """One database of a test, looked at from outside the store."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_sqlite = url.startswith(SQLITE)
        self.path = url.removeprefix(SQLITE)

    def make_private(self) -> None:
        """As we make files ourselves; others are warned of."""
        if self.is_sqlite:
            Path(self.path).chmod(0o600)

    async def rows(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements; the rows of the last one."""
        if self.is_sqlite:
            with sqlite3.connect(self.path, isolation_level=None) as connection:
                found = [connection.execute(each).fetchall() for each in statements][-1]
            connection.close()
            return found
        connection: Any = await asyncpg.connect(self.url)
        try:
            return [tuple(r) for r in [await connection.fetch(s) for s in statements][-1]]
        finally:
            await connection.close()

    async def definitions(self) -> dict[str, str]:
        query = SQLITE_DEFINITIONS if self.is_sqlite else POSTGRES_DEFINITIONS
        return {name: plain(text) for name, text in await self.rows(query)}

    async def version(self) -> str:
        [(version,)] = await self.rows("SELECT version_num FROM alembic_version")
        return version

    async def clear(self) -> None:
        if self.is_sqlite:
            await asyncio.to_thread(Path(self.path).unlink)
        else:
            await self.rows("DROP SCHEMA public CASCADE", "CREATE SCHEMA public")

    async def create(self) -> None:
        async with opened(self.url):
            pass

    async def upgrade(self) -> None:
        if not self.is_sqlite:
            return await upgrade.postgres(self.url)
        connection = sqlite3.connect(self.path, isolation_level=None)
        try:
            upgrade.sqlite(connection)
        finally:
            connection.close()

    async def with_connection(self, function: Callable[[sa.Connection], Any]) -> Any:
        if self.is_sqlite:
            engine = sa.create_engine(f"sqlite:///{self.path}", poolclass=NullPool)
            with engine.connect() as connection:
                return function(connection)
        driver: Any = asyncpg
        asynchronous = create_async_engine(
            "postgresql+asyncpg://",
            async_creator=lambda: driver.connect(self.url),
            poolclass=NullPool,
        )
        async with asynchronous.connect() as connection:
            return await connection.run_sync(function)


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[None]:
    store = open_store(url)
    await store.open(worker=False)
    try:
        yield
    finally:
        await store.close()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database URL with nothing behind it yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'assent.db'}"
    return request.getfixturevalue("empty_postgres_url")


@pytest.fixture
def database(url: str) -> Database:
    return Database(url)


def disagreements(upgraded: dict[str, str], created: dict[str, str]) -> dict[str, dict[str, Any]]:
    """What alembic's revisions and tables.py say differently, by name."""
    return {
        name: {"versions/*.py": upgraded.get(name), "tables.py": created.get(name)}
        for name in sorted(upgraded.keys() | created.keys())
        if upgraded.get(name) != created.get(name)
    }


# requirement: R25
async def test_an_upgraded_database_equals_one_created_from_the_tables(database: Database) -> None:
    await database.create()
    created, created_version = await database.definitions(), await database.version()
    await database.clear()

    await database.upgrade()

    found = disagreements(await database.definitions(), created)
    assert not found, f"a revision is missing for:\n{json.dumps(found, indent=2)}"
    assert await database.version() == created_version == schema.HEAD


@pytest.mark.parametrize("way", ["create", "upgrade"])
async def test_alembic_finds_nothing_to_change(database: Database, way: str) -> None:
    await getattr(database, way)()

    def compare(connection: sa.Connection) -> list[Any]:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        return compare_metadata(context, metadata)

    assert await database.with_connection(compare) == []


def test_the_known_versions_are_those_of_the_revisions() -> None:
    scripts = ScriptDirectory.from_config(upgrade.configuration())

    revisions = [script.revision for script in scripts.walk_revisions()]

    assert (schema.BASE, *reversed(revisions)) == schema.KNOWN
    assert scripts.get_current_head() == schema.HEAD


async def test_opening_an_older_database_upgrades_it(database: Database) -> None:
    await database.rows(EMPTY_VERSIONS)

    await database.create()

    assert await database.version() == schema.HEAD
    assert await database.rows("SELECT * FROM tool_calls") == []


async def test_opening_a_current_database_leaves_its_rows_alone(database: Database) -> None:
    await database.create()
    await database.rows("INSERT INTO facts (name, value) VALUES ('kept', 'yes')")

    await database.create()

    assert await database.rows("SELECT name, value FROM facts") == [("kept", "yes")]


async def test_an_upgrade_that_fails_halfway_leaves_nothing_behind(database: Database) -> None:
    await database.rows(EMPTY_VERSIONS, "CREATE TABLE decisions (id INTEGER)")
    before = await database.definitions()

    with pytest.raises((DBAPIError, StoreUnavailable)):
        await database.create()

    assert await database.definitions() == before


# requirement: R25
async def test_a_database_from_the_future_is_refused_by_its_version(database: Database) -> None:
    await database.create()
    await database.rows("UPDATE alembic_version SET version_num = '9042'")

    with pytest.raises(UnsupportedVersion, match="9042") as caught:
        await database.create()

    assert (caught.value.version, caught.value.known) == ("9042", schema.HEAD)
    assert await database.version() == "9042"


OPEN = """
import asyncio, sys
from assent.app import open_store

async def main() -> None:
    for _ in range(int(sys.argv[2])):
        store = open_store(sys.argv[1])
        print("ready", flush=True)
        sys.stdin.readline()
        await store.open(worker=False)
        await store.close()
    print("alembic" in sys.modules)

asyncio.run(main())
"""


def opening(url: str, times: int = 1) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", OPEN, url, str(times)]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={"PYTHONPATH": str(SOURCE)},
    )


@pytest.mark.parametrize("state", ["empty", "older"])
async def test_processes_that_start_at_once_take_turns(database: Database, state: str) -> None:
    if state == "older":
        await database.rows(EMPTY_VERSIONS)
        database.make_private()
    processes = [opening(database.url) for _ in range(3)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"

    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    ended = [process.communicate(timeout=60) for process in processes]

    assert [(p.returncode, error) for p, (_, error) in zip(processes, ended, strict=True)] == [
        (0, "")
    ] * 3
    assert await database.version() == schema.HEAD


async def test_an_empty_and_a_current_database_need_no_alembic(database: Database) -> None:
    process = opening(database.url, times=2)

    output, error = process.communicate("go\ngo\n", timeout=60)

    assert error == ""
    assert output.splitlines() == ["ready", "ready", "False"]
