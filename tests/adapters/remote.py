"""Guards over HTTP: a real server on loopback, and an address where there is none."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assent import Assent, Person
from assent.client import AsyncClient
from assent.domain.people import Scope
from assent.server import create_app
from tests.server.conftest import listening

ANA = Person("ana", roles=frozenset({"requester"}))
ROOT = Person("root", roles=frozenset({"admin"}))


@asynccontextmanager
async def served(assent: Assent) -> AsyncIterator[AsyncClient]:
    """The guard of an agent of Ana's, on a server."""
    async with listening(create_app(assent)) as base:
        await assent.people.add(ANA, by=ROOT)
        _, key = await assent.people.issue_key(
            "ana", label="agent", scopes=frozenset({Scope.CHAT}), by=ROOT
        )
        async with AsyncClient(base, key=key, agent="shop") as client:
            yield client


@asynccontextmanager
async def nowhere() -> AsyncIterator[AsyncClient]:
    """A guard whose server does not answer."""
    with socket.socket() as taken:
        # Bound and not listening: nobody else can listen there either.
        taken.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
        async with AsyncClient(address, key="key", agent="shop") as client:
            yield client
