"""The few pages of HTTP/1.1 that a loopback test server needs, on asyncio alone."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

_REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Slow Down"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    """A request as read from a connection; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request on the connection, or None when the client is gone."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    named = (line.split(":", 1) for line in lines)
    headers = {name.strip().lower(): value.strip() for name, value in named}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return HttpRequest(method=method, path=path, headers=headers, body=body)


class HttpReply:
    """The answering side of one request: a whole body, or chunks."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def whole(self, status: int, body: bytes, content_type: str = "application/json") -> None:
        """Send everything, and leave the connection open for the next request."""
        self._head(status, content_type, f"Content-Length: {len(body)}")
        await self._send(body)

    async def half(self, body: bytes) -> None:
        """Promise the whole body and break off in the middle of it."""
        self._head(200, "application/json", f"Content-Length: {len(body)}")
        await self._send(body[: len(body) // 2])
        await self.break_off()

    async def begin(self) -> None:
        """Open an event stream."""
        self._head(200, "text/event-stream", "Transfer-Encoding: chunked")
        await self._writer.drain()

    async def chunk(self, data: bytes) -> None:
        """Send one piece of the stream."""
        await self._send(b"%x\r\n%s\r\n" % (len(data), data))

    async def end(self) -> None:
        """End the stream properly."""
        await self._send(b"0\r\n\r\n")

    async def break_off(self) -> None:
        """Drop the connection without a proper end."""
        self._writer.close()

    def _head(self, status: int, content_type: str, length: str) -> None:
        reason = _REASONS.get(status, "Status")
        lines = [f"HTTP/1.1 {status} {reason}", f"Content-Type: {content_type}", length, "", ""]
        self._writer.write("\r\n".join(lines).encode())

    async def _send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()
