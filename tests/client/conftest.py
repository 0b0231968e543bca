"""A guard in both forms, on both databases: in this process, and over HTTP."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from assent import Assent
from assent.client import AsyncClient
from assent.guard import Guard, GuardedCall
from assent.server import create_app
from tests.conftest import World
from tests.server.conftest import accounts, listening

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Guarded:
    """An engine, and guards of agents that act for a person."""

    assent: Assent
    make: Callable[[str], Guard]

    @property
    def guard(self) -> Guard:
        """The guard of the usual person's agent."""
        return self.make("user")

    async def decide(self, call: GuardedCall, verdict: Any, by: str = "user") -> None:
        """Decide what a call waits for."""
        assert call.request_id is not None
        await self.assent.decide(call.request_id, verdict, by=by)


async def eventually(look: Callable[[], Awaitable[T | None]]) -> T:
    """Look again and again until there is something."""
    async with asyncio.timeout(30):
        while (found := await look()) is None:  # noqa: ASYNC110 - the change is in a database
            await asyncio.sleep(0.02)
    return found


Open = Callable[..., AbstractAsyncContextManager[Guarded]]


@pytest.fixture(params=["here", "http"])
def guarded(request: pytest.FixtureRequest, world: World) -> Open:
    """`async with guarded(*tools) as held`: the guard is here or behind a real server."""

    @asynccontextmanager
    async def here(*tools: Any, **options: Any) -> AsyncGenerator[Guarded]:
        async with world([], *tools, **options) as assent:
            yield Guarded(assent=assent, make=lambda who: assent.guard_for(agent="mailer", by=who))

    @asynccontextmanager
    async def http(*tools: Any, **options: Any) -> AsyncGenerator[Guarded]:
        assent = world([], *tools, **options)
        clients = dict[str, AsyncClient]()
        async with listening(create_app(assent)) as base:
            keys = await accounts(assent)

            def client(who: str) -> AsyncClient:
                made = AsyncClient(base, key=keys[who], agent="mailer")
                return clients.setdefault(who, made)

            yield Guarded(assent=assent, make=client)
            for each in clients.values():
                await each.aclose()

    return http if request.param == "http" else here
