"""The OpenAPI document says what is there; reading changes nothing."""

from typing import Any

import httpx
import pytest

from assent.server.access import ACCESS
from assent.server.app import ROUTES
from assent.server.guard import GuardedApi
from tests.conftest import World
from tests.server.api.desk import Desk, script
from tests.server.api.dumps import dump
from tests.server.conftest import Serve
from tests.server.test_matrix import ROWS, filled, scene

VERBS = ("get", "post", "put", "patch", "delete")


@pytest.fixture
def file_world(tmp_path: Any) -> World:
    return World(f"sqlite:///{tmp_path / 'assent.db'}")


@pytest.fixture
def document(file_world: World) -> dict[str, Any]:
    from assent.server import create_app

    return create_app(file_world(script, *Desk().tools)).openapi()


def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {
        f"{verb.upper()} {path}": operation
        for path, verbs in document["paths"].items()
        for verb, operation in verbs.items()
    }


def test_every_typed_route_is_described(document: dict[str, Any]) -> None:
    routes = [route for route in ROUTES if isinstance(route, GuardedApi)]
    names = {f"{verb} {route.path_format}" for route in routes for verb in route.methods or ()}
    described = operations(document)
    assert set(described) == names
    ids = [operation["operationId"] for operation in described.values()]
    assert len(set(ids)) == len(ids)
    for name, operation in described.items():
        assert operation["tags"], name
        assert operation["summary"], name
        assert operation["description"], name


def test_every_refusal_is_a_problem(document: dict[str, Any]) -> None:
    for name, operation in operations(document).items():
        for status, response in operation["responses"].items():
            kinds = set(response.get("content", {}))
            if status.startswith("2"):
                is_file = operation["operationId"] in ("download_file", "download_message_file")
                own = "application/octet-stream" if is_file else "application/json"
                # One answer has no body: there is nothing to say of what is gone.
                assert kinds == ({own} if status != "204" else set()), name
            else:
                assert kinds == {"application/problem+json"}, (name, status)
        if operation["security"]:
            assert {"401", "403"} <= set(operation["responses"]), name


def test_what_a_route_wants_is_said(document: dict[str, Any]) -> None:
    described = operations(document)
    for row, need in ACCESS.items():
        operation = described.get(row.replace(":path", ""))
        if operation is None:
            continue
        assert bool(operation["security"]) is not need.public, row
        assert operation.get("x-assent-scope") == need.scope, row
        assert operation.get("x-assent-roles", []) == sorted(need.roles), row


def test_references_in_the_document_lead_somewhere(document: dict[str, Any]) -> None:
    def references(value: Any) -> list[str]:
        if isinstance(value, dict):
            own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
            return own + [ref for item in value.values() for ref in references(item)]
        if isinstance(value, list):
            return [ref for item in value for ref in references(item)]
        return []

    schemas = document["components"]["schemas"]
    for ref in references(document):
        assert ref.removeprefix("#/components/schemas/") in schemas, ref


def readable(things: dict[str, str]) -> list[str]:
    """Every address that can be read."""
    streams = ("/api/events",)
    rows = [row for name, row in ROWS.items() if name.startswith("GET ")]
    return [filled(row.path, things) for row in rows if row.path not in streams]


# requirement: W1
async def test_reading_everything_twice_changes_nothing(serve: Serve, world: World) -> None:
    async with serve(script, *Desk().tools) as served:
        things = await scene(served)
        clients = [served.client(name) for name in ("admin", "user", "stranger")]
        clients.append(served.client(None))
        for client in clients:
            # That a key was used is recorded, at most once a minute.
            await client.get("/api/me")
        await _quiet(served.assent)
        before = await dump(world.url)
        for _ in range(2):
            for client in clients:
                for path in readable(things):
                    for method in ("GET", "HEAD"):
                        await _read(client, method, path)
        await _quiet(served.assent)
        assert await dump(world.url) == before


async def _quiet(assent: Any) -> None:
    await assent.kernel.tasks.quiet("people")


async def _read(client: httpx.AsyncClient, method: str, path: str) -> None:
    async with client.stream(method, path) as response:
        assert response.status_code < 500, (method, path)
        if method == "HEAD":
            assert await response.aread() == b""


async def test_head_is_get_without_a_body_and_options_names_what_there_is(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        client = served.client()
        for path in ("/api/conversations", "/healthz", "/api/tools/look_up"):
            got, headed = await client.get(path), await client.head(path)
            assert (headed.status_code, headed.content) == (got.status_code, b"")
            assert headed.headers["content-type"] == got.headers["content-type"]
        assert (await served.client(None).head("/api/conversations")).status_code == 401
        for method in ("OPTIONS", "PUT", "TRACE"):
            refused = await client.request(method, "/api/conversations")
            assert refused.status_code == 405
            assert refused.headers["allow"] == "GET, POST"
            assert refused.headers["content-type"] == "application/problem+json"
