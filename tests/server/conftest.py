"""The service as its users meet it: a real server on loopback, real credentials."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
import uvicorn

from assent import Assent, Person
from assent.domain.people import PersonKind, Scope
from assent.server import Settings, create_app
from assent.server.streams import StreamProtocol
from tests.accepting import accepted
from tests.conftest import World

ROLES: dict[str, frozenset[str]] = {
    "user": frozenset({"requester"}),
    "stranger": frozenset({"requester"}),
    "approver": frozenset({"requester", "approver"}),
    "auditor": frozenset({"auditor"}),
    "admin": frozenset({"requester", "admin"}),
    "agent": frozenset({"requester", "approver", "admin"}),
}

# Loopback is plain HTTP: to read the machine's certificates takes longer than most requests.
NO_TLS = False


@dataclass
class Served:
    """A running service: its address, its engine, and a client for each account."""

    base: str
    assent: Assent
    keys: dict[str, str]
    clients: list[httpx.AsyncClient] = field(default_factory=list[httpx.AsyncClient])

    def client(self, account: str | None = "user", **headers: str) -> httpx.AsyncClient:
        """A real HTTP client with this account's key; None for nobody's."""
        if account is not None:
            headers["Authorization"] = f"Bearer {self.keys[account]}"
        client = httpx.AsyncClient(
            base_url=self.base, headers=headers, timeout=30, trust_env=False, verify=NO_TLS
        )
        self.clients.append(client)
        return client


class Server(uvicorn.Server):
    """The real one, which looks ten times a second whether to stop; this one is told."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Finish what was begun, then return from `serve`."""
        self.should_exit = True
        self._stop.set()

    async def main_loop(self) -> None:
        """Tick as the real one does, until `stop`."""
        ticks = 0
        while not await self.on_tick(ticks):
            ticks += 1
            with suppress(TimeoutError):
                async with asyncio.timeout(0.1):
                    await self._stop.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Who only holds a connection is not waited for; the real one sleeps all the same."""
        await accepted()
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        # A transport that was closed says so when the loop comes round.
        await asyncio.sleep(0)
        if self.server_state.connections or self.server_state.tasks:
            await super().shutdown(sockets)
        else:
            await self.lifespan.shutdown()
        # What did not finish in time was cancelled and not waited for.
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)


@asynccontextmanager
async def listening(
    app: Any, *, proxy_headers: bool = False, **options: Any
) -> AsyncGenerator[str]:
    """The app behind the real uvicorn, on a free port of loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        config = uvicorn.Config(
            app,
            log_config=None,
            lifespan="on",
            timeout_graceful_shutdown=5,
            # On a busy machine a client may be as slow as to use a connection that just ends.
            timeout_keep_alive=60,
            # As `assent serve` does.
            proxy_headers=proxy_headers,
            **options,
        )
        server = Server(config)
        task = asyncio.create_task(server.serve(sockets=[listener]), name="uvicorn")
        async with asyncio.timeout(20):
            while not server.started:
                if task.done():
                    task.result()
                await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.stop()
            await task


async def accounts(assent: Assent) -> dict[str, str]:
    """The accounts of every test, each with a key that may do what its person may."""
    root = Person("root", roles=frozenset({"admin"}))
    keys: dict[str, str] = {}
    for name, roles in ROLES.items():
        kind = PersonKind.AGENT if name == "agent" else PersonKind.HUMAN
        await assent.people.add(Person(name, roles=roles, kind=kind), by=root)
        _, keys[name] = await assent.people.issue_key(
            name, label="test", scopes=frozenset(Scope), by=root
        )
    return keys


Serve = Callable[..., AbstractAsyncContextManager[Served]]


@pytest.fixture
def serve(world: World) -> Serve:
    """`async with serve(script, *tools) as served`: on SQLite and PostgreSQL in turn."""

    @asynccontextmanager
    async def serving(
        script: Any,
        *tools: Any,
        settings: Settings | None = None,
        protocols: Sequence[StreamProtocol] = (),
        **options: Any,
    ) -> AsyncGenerator[Served]:
        assent = world(script, *tools, **options)
        async with listening(create_app(assent, settings, protocols=protocols)) as base:
            served = Served(base, assent, await accounts(assent))
            try:
                yield served
            finally:
                for client in served.clients:
                    await client.aclose()

    return serving
