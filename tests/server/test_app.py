"""The app as a whole."""

from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI

from assent.server import create_app
from tests.conftest import World
from tests.server.conftest import Serve, accounts, listening


async def test_it_says_that_it_lives_and_that_it_is_ready(serve: Serve) -> None:
    async with serve(lambda prompt: "hello") as served:
        client = served.client(None)
        assert (await client.get("/healthz")).json()["status"] == "alive"
        ready = await client.get("/readyz")
        assert ready.status_code == 200
        assert ready.json()["status"] == "ready"


async def test_what_does_not_exist_is_a_problem(serve: Serve) -> None:
    async with serve(lambda prompt: "hello") as served:
        answer = await served.client().get("/nothing/here")
        assert answer.status_code == 404
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:assent:problem:not_found"


async def test_mounted_in_somebodys_own_app_it_works_below_a_path(world: World) -> None:
    assent = world(lambda prompt: "hello")

    @asynccontextmanager
    async def lifespan(_: FastAPI):
        async with assent:
            yield

    host = FastAPI(lifespan=lifespan)
    host.mount("/assent", create_app(assent))
    async with listening(host) as base, httpx.AsyncClient(trust_env=False) as client:
        keys = await accounts(assent)
        headers = {"Authorization": f"Bearer {keys['user']}"}
        made = await client.post(
            f"{base}/assent/api/conversations", json={"agent": "agent"}, headers=headers
        )
        assert made.status_code == 201, made.text
        listed = await client.get(f"{base}/assent/api/conversations", headers=headers)
        assert [each["id"] for each in listed.json()["items"]] == [made.json()["id"]]


async def test_mounted_without_an_open_engine_it_says_what_to_do(world: World) -> None:
    host = FastAPI()
    host.mount("/assent", create_app(world(lambda prompt: "hello")))
    async with listening(host) as base, httpx.AsyncClient(trust_env=False) as client:
        answer = await client.get(f"{base}/assent/readyz")
        assert answer.status_code == 503
        assert "async with" in answer.json()["detail"]
