"""The inbox of a server: lost connections, keys that end, and servers that are none of ours."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from assent.cli.inbox_app.app import InboxApp
from assent.cli.inbox_app.backend import Connected, Disconnected, RequestAdded, RequestRemoved
from assent.cli.inbox_app.event_stream import MAX_BYTES, EventReader
from assent.cli.inbox_app.remote_backend import RemoteBackend
from assent.cli.inbox_app.server_client import ServerClient
from assent.domain.people import Scope
from assent.errors import NotFound, ServerRefused, ServerUnreachable
from tests.cli.inbox_app.conftest import ROOT
from tests.cli.inbox_app.office import ANA, SECONDS, SHORT, SIZE, Office, Seat


@asynccontextmanager
async def speaking(answer: Callable[[str], bytes]) -> AsyncIterator[str]:
    """A server on loopback that answers each path with these bytes and hangs up."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(answer(head.decode().split(" ")[1]))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


def told(body: Any, status: str = "200 OK", kind: str = "application/json") -> bytes:
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(content)}\r\n"
    return f"{head}Connection: close\r\n\r\n".encode() + content


class Wire:
    """A line to a server that can be cut and mended."""

    def __init__(self, base: str) -> None:
        self._port = int(base.rpartition(":")[2])
        self._ends: set[asyncio.StreamWriter] = set()
        self.is_cut = False

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.add(writer)
        if self.is_cut:
            writer.transport.abort()
            return
        back, forth = await asyncio.open_connection("127.0.0.1", self._port)
        self._ends.add(forth)
        await asyncio.gather(self._pump(reader, forth), self._pump(back, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(65_536):
                writer.write(chunk)
        writer.transport.abort()

    def cut(self) -> None:
        self.is_cut = True
        for end in self._ends:
            end.transport.abort()


async def test_a_lost_server_is_said_to_be_lost_and_found_again(remote_office: Office) -> None:
    office = remote_office
    await office.asks("note", text="before")
    async with office.opened(ANA) as direct:
        wire = Wire(direct.place)
        key = direct.client.http.headers["Authorization"].removeprefix("Bearer ")
    server = await asyncio.start_server(wire.carry, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, ServerClient(base, key) as client:
        backend = await RemoteBackend.of(client, base)
        app = InboxApp(backend, SHORT)
        async with app.run_test(size=SIZE) as pilot:
            seat = Seat(app, pilot, backend)
            await seat.read()
            await seat.sees('text="before"', "live")
            wire.cut()
            await seat.sees("OFFLINE, trying again", "The server cannot be used")
            # What was read stays readable, and a decision is not said to have had no effect.
            assert 'text="before"' in seat.text
            await seat.press("a")
            await seat.sees("Nobody knows yet whether that counts")
            await office.asks("note", text="after")
            wire.is_cut = False
            await seat.sees('text="before"', 'text="after"', "live")
            await seat.press("a")
            await seat.sees("Approved: note.")
        wire.cut()


async def test_a_revoked_key_ends_the_news_and_says_why(remote_office: Office) -> None:
    office = remote_office
    async with office.seat() as seat:
        await seat.sees("live")
        [key] = [k for k in await office.assent.people.keys("ana", by=ROOT) if k.label == "inbox"]
        await office.assent.people.revoke_key(key.id, by=ROOT)
        await seat.sees("OFFLINE", "You are not signed in")


async def test_a_key_that_may_only_read_says_that_it_may_not_decide(remote_office: Office) -> None:
    office = remote_office
    id = await office.asks("note", text="hello")
    _, key = await office.assent.people.issue_key(
        "ana", label="reading", scopes=frozenset({Scope.READ}), by=ROOT
    )
    async with office.opened(ANA) as whole:
        base = whole.place
    async with ServerClient(base, key) as client:
        backend = await RemoteBackend.of(client, base)
        app = InboxApp(backend, SHORT)
        async with app.run_test(size=(120, 30)) as pilot:
            seat = Seat(app, pilot, backend)
            await seat.read()
            await seat.press("a")
            await seat.sees("That does not count", "may not")
    assert await office.status(id) == "open"


async def test_the_key_is_sent_to_the_server_and_to_no_other() -> None:
    asked: list[str] = []

    def elsewhere(path: str) -> bytes:
        asked.append(path)
        return told({})

    async with speaking(elsewhere) as other:
        moved = f"HTTP/1.1 307 Moved\r\nLocation: {other}/api/me\r\nContent-Length: 0\r\n\r\n"
        async with (
            speaking(lambda _: moved.encode()) as base,
            ServerClient(base, "secret") as client,
        ):
            with pytest.raises(ServerUnreachable):
                await client.get("/api/me")
    assert asked == []


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"not HTTP at all\r\n\r\n",
        told([]),
        told("text"),
        told({"items": [{"id": 1}], "next": None}),
        told({"items": 7, "next": None}),
        told({}, kind="text/html"),
        told({"detail": "<b>no</b>"}, status="502 Bad Gateway"),
    ],
)
async def test_what_is_no_server_of_ours_is_an_error_and_not_a_crash(answer: bytes) -> None:
    async with speaking(lambda _: answer) as base, ServerClient(base, "k") as client:
        backend = RemoteBackend(client=client, person="ana", place=base)
        with pytest.raises((ServerUnreachable, ServerRefused)):
            await backend.page(None)


async def test_a_server_that_escapes_nothing_controls_no_terminal() -> None:
    row = {"id": "req_1", "kind": "approval", "risk": "safe", "tool": "x\x1b[2J", "agent": "a"}
    row |= {"owner": "o\x07", "in_short": "a=\x1b]0;owned\x07\u202e", "decide_by": None}
    span = {"role": "no such role", "text": "\x1b[2Jgone\u202e"}

    def answer(path: str) -> bytes:
        if path.startswith("/api/events"):
            return told({}, status="503 Unavailable")
        if path.startswith("/api/requests?"):
            return told({"items": [row], "next": None})
        request = {**row, "status": "open", "closed_by": None, "digest": "d", "may_decide": True}
        card = {"request": request, "lines": [[span]], "shown": "s", "choices": []}
        card |= {"confirmation": "click", "to_type": None, "may_edit": False, "has_voted": False}
        card |= {"arguments": {}, "form": None, "values": {}, "kept_secrets": []}
        return told(card)

    async with speaking(answer) as base, ServerClient(base, "k") as client:
        backend = RemoteBackend(client=client, person="ana\x1b[2J", place=base)
        app = InboxApp(backend, SHORT)
        async with app.run_test(size=(120, 30)) as pilot:
            seat = Seat(app, pilot, backend)
            await seat.sees("a=⟨ESC⟩]0;owned", "x⟨ESC⟩[2J")
            await seat.press("enter")
            text = await seat.sees("⟨ESC⟩[2Jgone⟨U+202E⟩")
            assert "\x1b" not in text
            assert "\u202e" not in text
            assert "\x07" not in text


async def test_refusals_have_the_class_they_have_in_the_server(remote_office: Office) -> None:
    async with remote_office.opened(ANA) as backend:
        with pytest.raises(NotFound):
            await backend.card("req_none", 80)


async def test_changes_are_told_from_where_a_broken_stream_ended() -> None:
    first = (
        b"retry: 1000\nid: 0-7\n\n"
        b'id: 0-8\nevent: pending\ndata: {"request_id":"req_1"}\n\n'
        b'id: 0-9\nevent: decided\ndata: {"request_id":"req_1","status":"approved","by":"ben"}\n\n'
        b"id: 0-10\nevent: started\ndata: {}\n\nevent: x\ndata: {broken\n\n"
    )
    heads: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        start = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
        for byte in start + first:
            writer.write(bytes([byte]))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, ServerClient(base, "k") as client:
        backend = RemoteBackend(client=client, person="ana", place=base)
        changes, found = backend.changes(), []
        async with asyncio.timeout(SECONDS):
            while len(heads) < 2 or len(found) < 5:
                found.append(await anext(changes))
        await changes.aclose()
    assert found[:3] == [
        Connected(),
        RequestAdded("req_1"),
        RequestRemoved("req_1", "approved", "ben"),
    ]
    assert isinstance(found[3], Disconnected)
    assert "last-event-id: 0-10" in heads[1].lower()


def test_events_come_whole_however_the_bytes_are_cut() -> None:
    text = 'id: 1-2\nevent: pending\ndata: {"request_id":"a\u2028b"}\n\nid: 1-3\n\n'.encode()
    for size in (1, 2, 3, 7, 1000):
        reader = EventReader()
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        events = [event for chunk in chunks for event in reader.take(chunk)]
        assert [event.data for event in events] == [{"request_id": "a\u2028b"}]
        assert reader.place == "1-3"


def test_a_stream_without_an_end_of_line_takes_no_memory() -> None:
    reader = EventReader()
    list(reader.take(b"x" * MAX_BYTES))
    with pytest.raises(ServerUnreachable):
        list(reader.take(b"x"))
