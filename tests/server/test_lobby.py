"""Connections that want nothing, or too many of them: others are served all the same."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from assent.server.connections import Lobby, Patience
from tests.server.conftest import listening

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Ha"
HALF_A_BODY = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf"
QUICK = Patience(connections=50, head=0.3, reading=0.3)
SECONDS = 20.0


class Theatre:
    """A small app: a page, a play that goes on until it is told to end, a book nobody reads."""

    base = ""

    def __init__(self) -> None:
        self.curtain, self.left = asyncio.Event(), asyncio.Event()
        self.guests: list[Guest] = []

    async def guest(self, sent: bytes) -> "Guest":
        """Somebody who connects and sends this, and stays until the test is over."""
        found = urlsplit(self.base)
        guest = Guest(*await asyncio.open_connection(found.hostname, found.port))
        self.guests.append(guest)
        guest.writer.write(sent)
        return guest

    async def answer(self, path: str) -> httpx.Response:
        """What somebody gets who comes now."""
        async with httpx.AsyncClient(
            base_url=self.base, trust_env=False, timeout=SECONDS
        ) as client:
            return await client.get(path)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for what in ("startup", "shutdown"):
                assert (await receive())["type"] == f"lifespan.{what}"
                await send({"type": f"lifespan.{what}.complete"})
            return
        while scope["method"] == "POST" and (message := await receive()).get("more_body"):
            assert message["type"] == "http.request"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"once ", "more_body": True})
        if scope["path"] == "/play":
            await self.curtain.wait()
        if scope["path"] == "/book":
            for _ in range(1_000):
                await send({"type": "http.response.body", "body": b"x" * 65_536, "more_body": True})
            self.left.set()
        await send({"type": "http.response.body", "body": b"upon a time"})


@asynccontextmanager
async def theatre(patience: Patience = QUICK) -> AsyncGenerator[Theatre]:
    app = Theatre()
    async with listening(app, http=Lobby(patience), ws="none") as app.base:
        try:
            yield app
        finally:
            app.curtain.set()
            for guest in app.guests:
                guest.writer.transport.abort()


class Guest:
    """A bare connection that has sent this."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ended(self) -> bytes:
        """What it was told until it was ended."""
        async with asyncio.timeout(SECONDS):
            try:
                return await self.reader.read()
            except ConnectionResetError:
                return b""

    async def hears(self, wanted: bytes) -> None:
        async with asyncio.timeout(SECONDS):
            await self.reader.readuntil(wanted)


def asking(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


@pytest.mark.parametrize("sent", [b"", HALF, asking("/") + HALF], ids=["nothing", "half", "later"])
async def test_a_connection_without_a_whole_request_is_ended(sent: bytes) -> None:
    async with theatre() as app:
        await (await app.guest(sent)).ended()


async def test_a_letter_now_and_then_does_not_keep_a_connection() -> None:
    async with theatre() as app:
        guest = await app.guest(HALF)
        ended = asyncio.ensure_future(guest.ended())
        while not ended.done():
            guest.writer.write(b"x")
            await asyncio.wait({ended}, timeout=0.02)


async def test_a_body_that_nobody_waits_for_does_not_keep_a_connection_either() -> None:
    async with theatre() as app:
        # The answer to GET does not read it.
        told = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nhalf"
        guest = await app.guest(told)
        await guest.hears(b"upon a time")
        ended = asyncio.ensure_future(guest.ended())
        while not ended.done():
            guest.writer.write(b"x")
            await asyncio.wait({ended}, timeout=0.02)


async def test_an_answer_may_take_as_long_as_it_likes() -> None:
    async with theatre() as app:
        stream = await app.guest(asking("/play"))
        await stream.hears(b"once ")
        # By then more than all patience has passed, several times.
        for _ in range(3):
            await (await app.guest(HALF)).ended()
        app.curtain.set()
        await stream.hears(b"upon a time")


async def test_who_does_not_read_an_answer_is_ended() -> None:
    async with theatre() as app:
        guest = await app.guest(asking("/book"))
        guest.writer.transport.pause_reading()  # type: ignore[attr-defined]
        async with asyncio.timeout(SECONDS):
            await app.left.wait()


@pytest.mark.parametrize("sent", [b"", HALF, HALF_A_BODY], ids=["nothing", "head", "body"])
async def test_who_has_no_whole_request_makes_way_for_others(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "assent.server.connections")
    patient = Patience(connections=3, head=3_600)
    async with theatre(patient) as app:
        idle = [await app.guest(sent) for _ in range(4)]
        # One too many: whoever waits longest is gone, and the next goes for somebody who asks.
        await idle[0].ended()
        assert (await app.answer("/")).text == "once upon a time"
        await idle[1].ended()
        async with asyncio.timeout(SECONDS):
            while not caplog.records:  # noqa: ASYNC110 - a log tells nobody
                await asyncio.sleep(0.01)
    # However many they were.
    assert len(caplog.records) <= 2
    assert "made way for others" in caplog.records[0].getMessage()


async def test_when_every_place_is_taken_health_is_answered_and_others_hear_when_to_come() -> None:
    async with theatre(Patience(connections=2, head=3_600)) as app:
        streams = [await app.guest(asking("/play")) for _ in range(2)]
        for stream in streams:
            await stream.hears(b"once ")
        for path in ("/healthz", "/readyz"):
            assert (await app.answer(path)).text == "once upon a time"
        refused = await app.answer("/")
        assert refused.status_code == 503
        assert refused.headers["content-type"] == "application/problem+json"
        assert int(refused.headers["retry-after"]) > 0
        assert refused.headers["connection"] == "close"
        assert json.loads(refused.text)["code"] == "crowded"
        app.curtain.set()
        for stream in streams:
            await stream.hears(b"upon a time")
        assert (await app.answer("/")).status_code == 200
