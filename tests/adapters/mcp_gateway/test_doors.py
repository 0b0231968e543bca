"""The gateway over HTTP: who may connect, and from which pages."""

from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from assent.cli.gateway import add_gateway_options, gateway
from assent.errors import InvalidCommand, InvalidParameter
from tests.adapters.mcp_gateway.processes import command, config_in, listening
from tests.adapters.mcp_gateway.stage import ALLOWED, SECONDS, runs_in, staged, text_of

KEY = "of the tests-0123456789abcdef".replace(" ", "-")
OURS = "https://gateway.example.com"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
TAKES = {"accept": "application/json, text/event-stream"}
RIGHT = {"authorization": f"Bearer {KEY}"}
HERE = "http://127.0.0.1:8765"


@asynccontextmanager
async def door(folder: Path, key: str | None = KEY) -> AsyncIterator[httpx.AsyncClient]:
    """Requests to the gateway's app, without a socket."""
    async with staged(folder) as stage:
        app = stage.gateway.http_app(origins=[OURS], key=key)
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url=HERE) as http,
        ):
            yield http


@pytest.mark.parametrize("key", ["", " ", "a key", 5])
async def test_a_key_that_would_let_everybody_in_is_refused(tmp_path: Path, key: Any) -> None:
    with pytest.raises(InvalidParameter, match="key"):
        async with door(tmp_path, key=key):
            pass


@pytest.mark.parametrize("origins", ["example.com", ["https://a.example/mcp"], [5], None])
async def test_what_is_no_origin_is_refused(tmp_path: Path, origins: Any) -> None:
    async with staged(tmp_path) as stage:
        with pytest.raises(InvalidParameter, match="origins"):
            stage.gateway.http_app(origins=origins)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Basic {KEY}",
        f"Bearer {KEY}x",
        f"Bearer {KEY[:-1]}",
        f"Bearer {KEY.upper()}",
        "Bearer \u00e9".encode().decode("latin-1"),
    ],
)
async def test_without_its_key_a_request_gets_nowhere(tmp_path: Path, said: str) -> None:
    async with door(tmp_path) as http:
        headers = {**TAKES, "authorization": said.encode("latin-1")}
        answer = await http.post("/mcp", json=LIST, headers=headers)

        assert (answer.status_code, KEY in answer.text) == (401, False)
        assert answer.headers["www-authenticate"].startswith("Bearer")


async def test_two_keys_are_none(tmp_path: Path) -> None:
    async with door(tmp_path) as http:
        headers = [*TAKES.items(), ("authorization", "Bearer x"), *RIGHT.items()]

        assert (await http.post("/mcp", json=LIST, headers=headers)).status_code == 401


@pytest.mark.parametrize("way", ["bearer", "Bearer", "BEARER"])
async def test_with_its_key_a_request_is_answered(tmp_path: Path, way: str) -> None:
    async with door(tmp_path) as http:
        headers = {**TAKES, "authorization": f"{way} {KEY}"}

        assert (await http.post("/mcp", json=LIST, headers=headers)).status_code not in (401, 403)


@pytest.mark.parametrize("key", [None, KEY])
@pytest.mark.parametrize(
    ("told", "status"),
    [
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://gateway.example.com.evil.example"}, 403),
        ({"host": "evil.example"}, 421),
        ({"host": "evil.example:8765"}, 421),
        ({"host": "127.0.0.1.evil.example:8765"}, 421),
    ],
)
async def test_a_page_of_another_site_gets_nowhere(
    tmp_path: Path, key: str | None, told: dict[str, str], status: int
) -> None:
    async with door(tmp_path, key) as http:
        answer = await http.post("/mcp", json=LIST, headers={**TAKES, **RIGHT, **told})

        assert answer.status_code == status


async def test_it_answers_at_its_own_address(tmp_path: Path) -> None:
    async with door(tmp_path) as http:
        told = {"host": "gateway.example.com", "origin": OURS}
        answer = await http.post("/mcp", json=LIST, headers={**TAKES, **RIGHT, **told})

        assert answer.status_code not in (401, 403, 421)


def _options(folder: Path, *more: str) -> Namespace:
    parser = ArgumentParser()
    add_gateway_options(parser)
    return parser.parse_args(command(folder, *more)[4:])


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--http", "0.0.0.0:0"), "can be reached from other machines"),
        (("--http", "127.0.0.1:0", "--origin", OURS), "others can connect"),
        (("--origin", OURS), "--origin is for clients over HTTP"),
        (("--http-key-file", "/dev/null"), "--http-key-file is for clients over HTTP"),
        (("--http", "127.0.0.1:0", "--http-key-file", "/dev/null"), "that is no key"),
    ],
)
async def test_what_would_let_others_in_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: tuple[str, ...], said: str
) -> None:
    config_in(tmp_path)
    monkeypatch.delenv("ASSENT_GATEWAY_KEY", raising=False)

    with pytest.raises(InvalidCommand, match=said):
        await gateway(_options(tmp_path, "--no-web", *more))


@pytest.mark.parametrize("key", ["", " ", "short", "x" * 23, "with a space in the middle of it"])
async def test_a_key_that_can_be_guessed_is_refused_and_not_repeated(
    tmp_path: Path, key: str
) -> None:
    config_in(tmp_path)
    file = tmp_path / "key"
    file.write_text(f"{key}\n")

    with pytest.raises(InvalidCommand, match="that is no key") as refused:
        await gateway(_options(tmp_path, "--http", "127.0.0.1:0", "--http-key-file", str(file)))

    assert not key.strip() or key not in str(refused.value)


@pytest.mark.slow
async def test_a_client_with_the_key_is_served_by_the_real_command(tmp_path: Path) -> None:
    config_in(tmp_path, send=ALLOWED)
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    async with (
        listening(tmp_path, "--http-key-file", str(file)) as url,
        httpx2.AsyncClient(trust_env=False, timeout=SECONDS) as http,
    ):
        refused = await http.post(url, json=LIST, headers=TAKES)
        http.headers.update(RIGHT)
        async with Client(streamable_http_client(url, http_client=http)) as client:
            assert text_of(await client.call_tool("up__send", {"text": "hi"})) == "sent hi"

    assert refused.status_code == 401
    assert len(runs_in(tmp_path)) == 1
