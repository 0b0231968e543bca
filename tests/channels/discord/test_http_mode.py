"""Interactions over HTTP: signed, fresh, answered in time, by the real server."""

import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent import Agent, Assent, Person, tool
from assent.channels.discord import Discord
from assent.demo.discord_sandbox import DiscordSandbox, InteractionStatus
from assent.errors import InvalidParameter
from assent.models.scripted import calls, says
from assent.server import Settings, create_app
from tests.channels.discord.bots import eventually
from tests.channels.discord.company import known, scripted
from tests.channels.discord.stage import buttons_of, text_of
from tests.server.conftest import listening

HOOK = "/channels/discord"


@tool(requires_approval=True)
def wipe(path: str) -> str:
    """Delete a file."""
    return f"wiped {path}"


class Key:
    """Discord's side of the signature."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.generate()

    @property
    def public(self) -> str:
        return self._key.public_key().public_bytes_raw().hex()

    def headers(self, body: bytes, *, at: float | None = None) -> dict[str, str]:
        moment = str(int(time.time() if at is None else at))
        signature = self._key.sign(moment.encode() + body).hex()
        return {"X-Signature-Ed25519": signature, "X-Signature-Timestamp": moment}


@asynccontextmanager
async def served(url: str, key: str, api_url: str, token: str = "t") -> AsyncGenerator[Any]:
    script, model = scripted()
    channel = Discord(token, interactions="http", public_key=key, api_url=api_url)
    assent = Assent(
        url,
        agents=[Agent("agent", model=model, tools=[wipe])],
        channels=[channel],
        review_url="https://assent.test",
    )
    app = create_app(assent, Settings(local=True))
    async with listening(app) as base, httpx.AsyncClient(base_url=base) as client:
        yield client, assent, script


def ping() -> bytes:
    return json.dumps({"type": 1, "id": "1"}).encode()


def command(id: str, user: str = "7") -> bytes:
    payload = {
        "type": 2,
        "id": id,
        "token": "secret-token",
        "application_id": "1",
        "user": {"id": user, "username": "ada"},
        "data": {"name": "assent", "options": [{"name": "inbox", "type": 1}]},
    }
    return json.dumps(payload).encode()


# requirement: W12
async def test_a_signed_ping_is_answered_and_anything_else_refused(url: str):
    key = Key()
    async with served(url, key.public, "http://127.0.0.1:9/api") as (client, _, _):
        body = ping()
        good = await client.post(HOOK, content=body, headers=key.headers(body))
        assert (good.status_code, good.json()) == (200, {"type": 1})

        old = key.headers(body, at=time.time() - 301)
        # However slow the machine is, it is still early when it arrives.
        early = key.headers(body, at=time.time() + 900)
        other = Key().headers(body)
        altered = key.headers(body + b" ")
        broken = {**key.headers(body), "X-Signature-Ed25519": "zz"}
        undated = {**key.headers(body), "X-Signature-Timestamp": "now"}
        for headers in ({}, old, early, other, altered, broken, undated):
            refused = await client.post(HOOK, content=body, headers=headers)
            assert (refused.status_code, refused.content) == (401, b"")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'{"type": 2}', b'{"type": "x"}', b"1" * 5000])
async def test_a_signed_body_that_makes_no_sense_is_refused(url: str, body: bytes):
    key = Key()
    async with served(url, key.public, "http://127.0.0.1:9/api") as (client, _, _):
        reply = await client.post(HOOK, content=body, headers=key.headers(body))

    assert reply.status_code == 400


# requirement: W12
async def test_a_repeated_interaction_is_ignored(url: str):
    key = Key()
    async with served(url, key.public, "http://127.0.0.1:9/api") as (client, _, _):
        body = command("42")
        first = await client.post(HOOK, content=body, headers=key.headers(body))
        second = await client.post(HOOK, content=body, headers=key.headers(body))

    assert "not linked" in first.json()["data"]["content"]
    assert first.json()["data"]["flags"] == 64
    assert (second.status_code, second.content) == (202, b"")


async def test_a_card_is_decided_over_http_without_any_gateway(url: str):
    async with DiscordSandbox(rate_limited=False) as sandbox:
        ada = sandbox.add_member("Ada")
        key, token = sandbox.application.verify_key, sandbox.token
        async with served(url, key, sandbox.api_url, token) as (client, assent, script):
            await known(assent, "ada", str(ada.id), "Ada")
            await sandbox.endpoint.use(str(client.base_url.join(HOOK)))
            script.append(says("", calls("wipe", path="a.txt")))
            await assent.send("agent", "wipe it", by=Person("ada"))
            direct = sandbox.world.direct_channel(ada.user)
            card = await ada.sees(direct, lambda message: bool(buttons_of(message)))

            rejected = ada.press(card, buttons_of(card)[2])
            await ada.sees_modal()
            done = await ada.settled(ada.submit({"reason": "no"}))
            await eventually(lambda: not buttons_of(card))

    assert sandbox.gateway.sessions == {}
    assert rejected.status is done.status is InteractionStatus.ANSWERED
    assert "Rejected by ada via discord" in text_of(card)


async def test_a_slow_answer_is_deferred_and_filled_in_later(url: str, monkeypatch):
    monkeypatch.setattr("assent.channels.discord.interactions.ANSWER_SECONDS", 0.0)
    async with DiscordSandbox(rate_limited=False) as sandbox:
        ada = sandbox.add_member("Ada")
        general = sandbox.add_channel("general")
        key, token = sandbox.application.verify_key, sandbox.token
        async with served(url, key, sandbox.api_url, token) as (client, _, _):
            await sandbox.endpoint.use(str(client.base_url.join(HOOK)))
            await eventually(lambda: sandbox.application.commands)
            ada.command(general, "assent inbox")
            message = await ada.sees(general, lambda each: "not linked" in each.content)

    assert message.is_ephemeral


async def test_the_hook_is_not_there_in_gateway_mode(url: str):
    key = Key()
    _, model = scripted()
    channel = Discord("t", public_key=key.public, api_url="http://127.0.0.1:9/api")
    assent = Assent(url, agents=[Agent("agent", model=model)], channels=[channel])
    app = create_app(assent, Settings(local=True))
    async with listening(app) as base, httpx.AsyncClient(base_url=base) as client:
        body = ping()
        reply = await client.post(HOOK, content=body, headers=key.headers(body))

    assert reply.status_code == 404


@pytest.mark.parametrize(
    "options",
    [
        {"token": ""},
        {"token": 5},
        {"interactions": "http"},
        {"interactions": "carrier pigeon"},
        {"public_key": "zz"},
        {"public_key": "00"},
        {"rooms": ["general"]},
        {"rooms": [-1]},
        {"strangers": "ignore"},
        {"decide_within": 0},
        {"api_url": "ftp://x"},
        {"name": " "},
        {"reads_messages": "yes"},
    ],
)
def test_a_channel_that_is_described_wrongly_is_refused(options: dict[str, Any], monkeypatch):
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    monkeypatch.delenv("DISCORD_PUBLIC_KEY", raising=False)
    with pytest.raises(InvalidParameter) as refused:
        Discord(**{"token": "secret-canary", **options})

    assert "secret-canary" not in str(refused.value)


def test_the_token_comes_from_the_environment_and_is_in_no_repr(monkeypatch):
    monkeypatch.setenv("DISCORD_TOKEN", "secret-canary")
    assert "secret-canary" not in repr(Discord())
    monkeypatch.delenv("DISCORD_TOKEN")
    with pytest.raises(InvalidParameter, match="DISCORD_TOKEN"):
        Discord()
