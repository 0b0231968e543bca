"""A real client of `GET /api/events`: reads what comes, and comes back where it was."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx


@dataclass(frozen=True)
class Sent:
    """One event as it came, and when."""

    id: str
    event: str
    data: dict[str, Any]
    at: float


@dataclass
class Listener:
    """What a stream has said so far."""

    headers: httpx.Headers
    sent: list[Sent] = field(default_factory=list[Sent])
    last_id: str = ""
    blocks: int = 0
    retry: str = ""
    raw: bytes = b""
    ended: bool = False
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def kinds(self) -> list[str]:
        return [each.event for each in self.sent]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [each.data for each in self.sent if each.event == kind]

    async def until(self, condition: Callable[["Listener"], object], seconds: float = 10) -> None:
        """Wait for something to be so."""
        async with asyncio.timeout(seconds):
            while not condition(self):
                self._news.clear()
                await self._news.wait()

    async def read(self, chunks: AsyncIterator[bytes]) -> None:
        """Read to the end, as the specification of EventSource says."""
        try:
            fields: dict[str, str] = {}
            async for chunk in chunks:
                self.raw += chunk
                *lines, rest = (fields.pop("", "") + chunk.decode()).split("\n")
                for line in lines:
                    self._line(line, fields)
                fields[""] = rest
        finally:
            self.ended = True
            self._news.set()

    def _line(self, line: str, fields: dict[str, str]) -> None:
        if line:
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
            return
        self.blocks += 1
        self.last_id = fields.pop("id", self.last_id)
        self.retry = fields.pop("retry", self.retry)
        if "data" in fields:
            kind = fields.pop("event", "message")
            data = json.loads(fields.pop("data"))
            self.sent.append(Sent(self.last_id, kind, data, time.monotonic()))
        self._news.set()


@asynccontextmanager
async def listening_to(
    client: httpx.AsyncClient, path: str = "/api/events", *, last_id: str = ""
) -> AsyncGenerator[Listener]:
    """Listen until the block ends; the stream has said its first words when it begins."""
    headers = {"Last-Event-ID": last_id} if last_id else {}
    async with client.stream("GET", path, headers=headers, timeout=60) as answer:
        assert answer.status_code == 200, await answer.aread()
        listener = Listener(answer.headers)
        reading = asyncio.create_task(listener.read(answer.aiter_raw()))
        try:
            await listener.until(lambda listener: listener.blocks)
            yield listener
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


@asynccontextmanager
async def listening_lightly(base: str, key: str, *, last_id: str = "") -> AsyncGenerator[Listener]:
    """The same over a bare socket: a hundred of these cost the test what a few clients do."""
    host, port = base.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = ["GET /api/events HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {key}"]
    lines += [f"Last-Event-ID: {last_id}"] if last_id else []
    writer.write("\r\n".join([*lines, "", ""]).encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    assert head.startswith("HTTP/1.1 200"), head
    listener = Listener(httpx.Headers())
    reading = asyncio.create_task(listener.read(_chunks(reader)))
    try:
        await listener.until(lambda listener: listener.blocks)
        yield listener
    finally:
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        writer.close()


async def _chunks(reader: asyncio.StreamReader) -> AsyncGenerator[bytes]:
    while size := int(await reader.readline() or b"0", 16):
        yield (await reader.readexactly(size + 2))[:-2]
