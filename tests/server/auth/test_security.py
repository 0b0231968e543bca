"""What every request is held to, and what every response says to a browser."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from assent.server import Settings, create_app
from assent.server.form_data import MAX_FIELDS
from assent.server.headers import POLICY
from tests.conftest import World
from tests.server.conftest import Serve, Served, accounts, listening

SMALL = Settings(max_body_bytes=1_000, max_history_bytes=2_000, max_header_bytes=4_000)


async def broken(_: Request) -> Response:
    raise RuntimeError("no")


def directives(answer: httpx.Response) -> dict[str, str]:
    parts = answer.headers["content-security-policy"].split("; ")
    return {name: rest for name, _, rest in (part.partition(" ") for part in parts)}


# requirement: W6
@pytest.mark.parametrize(
    ("account", "method", "path", "status"),
    [
        (None, "GET", "/sign-in", 200),
        (None, "GET", "/sign-in/link/nothing", 404),
        (None, "GET", "/healthz", 200),
        (None, "GET", "/openapi.json", 200),
        (None, "GET", "/api/me", 401),
        ("user", "GET", "/api/me", 200),
        ("user", "GET", "/api/audit", 403),
        ("user", "GET", "/api/conversations/nothing", 404),
        ("user", "GET", "/no/such/path", 404),
        ("user", "DELETE", "/api/me", 405),
        ("user", "POST", "/api/conversations", 422),
        ("user", "HEAD", "/api/me", 200),
        ("user", "GET", "/broken", 500),
    ],
)
async def test_every_response_says_what_a_browser_may_do_with_it(
    world: World, account: str | None, method: str, path: str, status: int
) -> None:
    assent = world([])
    app = create_app(assent)
    app.router.routes.append(Route("/broken", broken))
    async with listening(app) as base:
        served = Served(base, assent, await accounts(assent))
        answer = await served.client(account).request(method, path)
        for client in served.clients:
            await client.aclose()
    if method != "HEAD" or status != 200:
        assert answer.status_code == status
    policy = directives(answer)
    assert "unsafe" not in str(policy)
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["form-action"] == policy["script-src"] == "'self'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-opener-policy"] == "same-origin"
    assert answer.headers["cache-control"]


# requirement: W6
@pytest.mark.parametrize("path", ["/sign-in", "/sign-in/link/x"])
async def test_pages_have_nothing_inline(serve: Serve, path: str) -> None:
    async with serve([]) as served:
        text = (await served.client(None).get(path)).text
        assert not re.search(
            r"<script|<style|\sstyle=|\son[a-z]+=|javascript:", text, re.IGNORECASE
        )


async def test_a_mistake_of_ours_says_nothing_about_itself(world: World) -> None:
    app = create_app(world([]))
    app.router.routes.append(Route("/broken", broken))
    async with listening(app) as base, httpx.AsyncClient(trust_env=False) as client:
        answer = await client.get(f"{base}/broken")
        assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
        assert "RuntimeError" not in answer.text
        page = await client.get(f"{base}/broken", headers={"accept": "text/html"})
        assert (page.status_code, page.headers["content-security-policy"]) == (500, POLICY)
        assert "Something went wrong" in page.text
        assert "RuntimeError" not in page.text


async def pieces(size: int) -> AsyncIterator[bytes]:
    for _ in range(size // 100):
        yield b"x" * 100


# requirement: V6
@pytest.mark.parametrize("announced", [True, False], ids=["announced", "in chunks"])
@pytest.mark.parametrize("path", ["/api/conversations", "/sign-in", "/api/chat", "/agui"])
async def test_a_body_that_is_too_large_is_refused(
    serve: Serve, path: str, announced: bool
) -> None:
    async with serve([], settings=SMALL) as served:
        body: Any = b"x" * 2_100 if announced else pieces(2_100)
        answer = await served.client("user").post(path, content=body)
        assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


# requirement: V6
async def test_a_body_is_not_read_before_it_is_known_whose_it_is(serve: Serve) -> None:
    async with serve([]) as served:
        host, port = served.base.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        head = "POST /api/conversations HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
        writer.write(head.encode())
        async with asyncio.timeout(5):
            assert (await reader.readline()).startswith(b"HTTP/1.1 401")
        writer.close()


# requirement: V6
async def test_headers_and_addresses_that_are_too_long_are_refused(serve: Serve) -> None:
    async with serve([], settings=SMALL) as served:
        client = served.client("user")
        answer = await client.get("/api/me", headers={"X-Long": "x" * 5_000})
        assert (answer.status_code, answer.json()["part"]) == (413, "header")
        answer = await client.get("/api/me", params={"q": "x" * 9_000})
        assert (answer.status_code, answer.json()["part"]) == (413, "address")


# requirement: V6
async def test_more_headers_than_any_server_should_read_end_the_connection(serve: Serve) -> None:
    async with serve([]) as served:
        client = served.client("user")
        try:
            answer = await client.get("/api/me", headers={"X-Long": "x" * 200_000})
        except httpx.TransportError:
            return
        assert 400 <= answer.status_code < 500


DEEP = {
    "lists": "[" * 100 + "]" * 100,
    "objects": '{"a":' * 100 + "1" + "}" * 100,
    "a bomb": "[" * 400_000,
    "a bomb that calls itself text": "[" * 400_000,
}


# requirement: V6
@pytest.mark.parametrize("case", DEEP)
@pytest.mark.parametrize(
    "path", ["/api/conversations", "/api/chat", "/api/qa/validate_tool", "/agui"]
)
async def test_json_that_is_too_deep_is_refused_before_it_is_parsed(
    serve: Serve, path: str, case: str
) -> None:
    kind = "application/octet-stream" if "text" in case else "application/json"
    async with serve([]) as served:
        answer = await served.client("user").post(
            path, content=DEEP[case], headers={"Content-Type": kind}
        )
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_json")


# requirement: V6
async def test_a_form_in_many_parts_is_nothing_we_read(serve: Serve) -> None:
    async with serve([]) as served:
        files = [(f"part{n}", b"x") for n in range(500)]
        for path in ("/api/conversations", "/sign-in", "/api/chat"):
            answer = await served.client("user").post(path, files=files)
            assert 400 <= answer.status_code < 500


# requirement: V6
async def test_a_form_with_too_many_fields_is_an_empty_one(serve: Serve) -> None:
    async with serve([]) as served:
        form = {f"f{n}": "x" for n in range(MAX_FIELDS)} | {"key": served.keys["user"]}
        assert (await served.client(None).post("/sign-in", data=form)).status_code == 401


async def test_half_a_body_is_none(serve: Serve) -> None:
    async with serve([]) as served:
        host, port = served.base.removeprefix("http://").split(":")
        _, writer = await asyncio.open_connection(host, int(port))
        head = (
            "POST /api/conversations HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {served.keys['user']}\r\nContent-Length: 100\r\n\r\n"
        )
        writer.write(head.encode() + b'{"agent": "agent"}')
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        listed = await served.client("user").get("/api/conversations")
        assert listed.json()["items"] == []
