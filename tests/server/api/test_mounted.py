"""The API inside somebody else's app, under a prefix of theirs."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.routing import Mount

from assent.server import create_app
from tests.conftest import World
from tests.server.api.desk import Desk, script
from tests.server.conftest import accounts, listening


async def test_a_mounted_api_works_under_its_prefix(world: World) -> None:
    assent = world(script, *Desk().tools)

    @asynccontextmanager
    async def lifespan(_: Any) -> AsyncGenerator[None]:
        async with assent:
            yield

    host = Starlette(routes=[Mount("/people", create_app(assent))], lifespan=lifespan)
    async with listening(host) as base:
        keys = await accounts(assent)
        headers = {"Authorization": f"Bearer {keys['user']}"}
        async with httpx.AsyncClient(base_url=base, headers=headers, trust_env=False) as client:
            made = await client.post("/people/api/conversations", json={"agent": "agent"})
            assert made.status_code == 201
            assert made.headers["location"].startswith("/people/api/conversations/")
            shown = await client.get(made.headers["location"])
            assert shown.json()["id"] == made.json()["id"]
            missing = await client.get("/people/api/conversations/none")
            assert missing.headers["content-type"] == "application/problem+json"
            refused = await client.delete("/people/api/conversations")
            assert (refused.status_code, refused.headers["allow"]) == (405, "GET, POST")
