"""The inbox over each of its back ends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assent import Agent, Assent, Person
from assent.cli.inbox_app.remote_backend import RemoteBackend
from assent.cli.inbox_app.server_client import ServerClient
from assent.domain.people import Scope
from assent.server import create_app
from assent.testing import ScriptedModel
from tests.cli.inbox_app.office import ANA, BEN, TWO, Office, Tools, in_database, script
from tests.conftest import QUICK
from tests.server.conftest import listening

ROOT = Person("root", roles=frozenset({"admin"}))


def engine(path: Path, tools: Tools) -> tuple[str, Assent]:
    """An engine over a fresh database."""
    url = f"sqlite:///{path / 'assent.db'}"
    agent = Agent("agent", model=ScriptedModel(script), tools=tools.all())
    return url, Assent(url, agents=[agent], times=QUICK, rules=[TWO])


async def introduce(assent: Assent) -> dict[str, str]:
    """Accounts for both people, with a key for each."""
    keys: dict[str, str] = {}
    for person in (ANA, BEN):
        await assent.people.add(person, by=ROOT)
        scopes = frozenset({Scope.READ, Scope.DECIDE})
        _, keys[person.id] = await assent.people.issue_key(
            person.id, label="inbox", scopes=scopes, by=ROOT
        )
    return keys


@pytest.fixture
async def local_office(tmp_path: Path) -> AsyncIterator[Office]:
    """An inbox beside a running worker, in the same SQLite file."""
    tools = Tools()
    url, assent = engine(tmp_path, tools)
    async with assent:
        await introduce(assent)
        yield Office(assent, tools, url, lambda person: in_database(url, person))


@pytest.fixture
async def remote_office(tmp_path: Path) -> AsyncIterator[Office]:
    """An inbox over a real server on loopback, with a real key."""
    tools = Tools()
    url, assent = engine(tmp_path, tools)
    async with listening(create_app(assent)) as base:
        keys = await introduce(assent)

        @asynccontextmanager
        async def opened(person: Person) -> AsyncIterator[RemoteBackend]:
            async with ServerClient(base, keys[person.id]) as client:
                yield await RemoteBackend.of(client, base)

        yield Office(assent, tools, url, opened, "api")


@pytest.fixture(params=["local", "remote"])
def office(request: pytest.FixtureRequest) -> Office:
    """An office over each back end in turn."""
    return request.getfixturevalue(f"{request.param}_office")
