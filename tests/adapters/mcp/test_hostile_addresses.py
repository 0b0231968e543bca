"""Servers behind an address that answer with faults of HTTP, or with too much."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import psutil
import pytest

from assent import McpServer, OutcomeUnknown
from assent.adapters.mcp.connection import McpConnection
from assent.errors import AssentError, InvalidOutput, McpUnavailable
from tests.adapters.mcp.conftest import eventually, returned

JSON = "application/json"
EVENTS = "text/event-stream"
INFO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "hostile", "version": "1"},
}


class Wire:
    """A server on loopback, at the level of bytes; `calls` counts what it was asked to run."""

    def __init__(self, fault: str) -> None:
        self.fault, self.calls = fault, 0
        self.sessions = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                fields = head.decode().split("\r\n")
                sizes = [f for f in fields if f.lower().startswith("content-length")]
                size = int(sizes[0].split(":")[1]) if sizes else 0
                body = await reader.readexactly(size)
                await self.answer(fields, body, writer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[int]:
        """Listen on loopback, and wait for every connection to end."""
        tasks: set[asyncio.Task[None]] = set()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            tasks.add(asyncio.create_task(self.serve(reader, writer)))

        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def answer(self, head: list[str], body: bytes, writer: asyncio.StreamWriter) -> None:
        said = json.loads(body or b"{}")
        match said:
            case {} if not head[0].startswith("POST"):
                send(writer, b"", status="405 No")
            case {"method": "initialize", "id": id}:
                self.sessions += 1
                header = f"mcp-session-id: s{self.sessions}\r\n"
                send(writer, result(id, INFO), header=header)
            case {"method": "tools/call", "id": id}:
                self.calls += 1
                self.fail(id, head, writer)
            case {"id": id}:
                refusal = {"code": -32601, "message": "Method not found"}
                send(writer, json.dumps({"jsonrpc": "2.0", "id": id, "error": refusal}).encode())
            case _:
                send(writer, b"", status="202 Accepted")

    def fail(self, id: Any, head: list[str], writer: asyncio.StreamWriter) -> None:  # noqa: C901, PLR0912 - one case per fault
        big = text("x" * 100_000_000) if self.fault in ("big", "big_events", "compressed") else {}
        match self.fault:
            case "big":
                send(writer, result(id, big))
            case "big_events":
                send(writer, b"data: " + result(id, big) + b"\n\n", kind=EVENTS)
            case "compressed":
                body = gzip.compress(result(id, big))
                send(writer, body, header="content-encoding: gzip\r\n")
            case "503":
                send(writer, b"<h1>try later</h1>", status="503 No", kind="text/html")
            case "403":
                send(writer, b"<h1>no</h1>", status="403 No", kind="text/html")
            case "html":
                send(writer, b"<h1>Hello</h1>", kind="text/html")
            case "accepted":
                send(writer, b"", status="202 Accepted")
            case "cut":
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
                writer.write(b"content-length: 1000\r\n\r\n{")
                writer.close()
            case "cut_events":
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hi\n\n")
                writer.close()
            case "closed":
                writer.close()
            case "forgotten" if any("s1" in f for f in head if "session" in f.lower()):
                send(writer, b"", status="404 Gone")
            case "redirect":
                send(writer, b"", status="307 Go", header="location: http://127.0.0.1:9/\r\n")
            case _:
                send(writer, result(id, text("done")))


def send(
    writer: asyncio.StreamWriter,
    body: bytes,
    *,
    status: str = "200 OK",
    kind: str = JSON,
    header: str = "",
) -> None:
    head = (
        f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{header}\r\n"
    )
    writer.write(head.encode() + body)


def result(id: Any, said: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": said}).encode()


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


@asynccontextmanager
async def connected(fault: str) -> AsyncIterator[tuple[Wire, McpConnection]]:
    wire = Wire(fault)
    async with (
        wire.listening() as port,
        McpConnection(McpServer("hostile", url=f"http://127.0.0.1:{port}/")) as it,
    ):
        yield wire, it


@pytest.mark.parametrize("fault", ["big", "big_events"])
async def test_an_answer_of_100_megabytes_is_not_kept(fault: str) -> None:
    async with connected(fault) as (wire, connection):
        await connection.wait()
        before = psutil.Process().memory_info().rss
        wire.fault = fault
        with pytest.raises(InvalidOutput, match="more than 8,000,000 bytes"):
            await connection.call("go", {})
        wire.fault = ""
        assert returned(await connection.call("go", {})) == "done"
        after = psutil.Process().memory_info().rss

    # The server of this test is in this process, and holds its own copies.
    assert after - before < 600_000_000


@pytest.mark.parametrize(
    "fault",
    ["compressed", "503", "html", "accepted", "cut", "cut_events", "closed"],
)
async def test_what_is_no_answer_leaves_the_outcome_unknown_and_the_connection_usable(
    fault: str,
) -> None:
    async with connected(fault) as (wire, connection):
        with pytest.raises(OutcomeUnknown):
            await connection.call("go", {})
        wire.fault = ""
        assert returned(await connection.call("go", {})) == "done"

    assert wire.calls == 2


@pytest.mark.parametrize("fault", ["403", "redirect"])
async def test_what_refuses_a_request_is_a_failure(fault: str) -> None:
    async with connected(fault) as (_, connection):
        with pytest.raises(AssentError) as refused:
            await connection.call("go", {})

    assert not isinstance(refused.value, OutcomeUnknown)


async def test_a_session_that_the_server_forgot_is_opened_again() -> None:
    async with connected("forgotten") as (wire, connection):
        with pytest.raises(McpUnavailable, match="404"):
            await connection.call("go", {})
        await eventually(lambda: wire.sessions == 2 and connection.is_open)
        assert returned(await connection.call("go", {})) == "done"


async def test_calls_at_once_fail_each_on_its_own() -> None:
    async with connected("") as (wire, connection):
        await connection.call("go", {})
        calls = [asyncio.create_task(connection.call("go", {})) for _ in range(20)]
        wire.fault = "closed"
        calls += [asyncio.create_task(connection.call("go", {})) for _ in range(5)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        wire.fault = ""
        again = await connection.call("go", {})

    assert returned(again) == "done"
    failures = [each for each in ended if isinstance(each, BaseException)]
    assert all(isinstance(each, OutcomeUnknown) for each in failures)
