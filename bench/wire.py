"""A client that costs little: bare sockets, requests written beforehand."""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


def post(path: str, body: bytes, key: str = "") -> bytes:
    """One POST, as it goes over the wire."""
    head = [f"POST {path} HTTP/1.1", "Host: bench", f"Content-Length: {len(body)}"]
    head += ["Content-Type: application/json"] + ([f"Authorization: Bearer {key}"] if key else [])
    return "\r\n".join([*head, "", ""]).encode() + body


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> bytes:
    """Send one request and read its answer; anything but 2xx is an error."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    body = await reader.readexactly(length)
    if not head.startswith(b"HTTP/1.1 2"):
        raise RuntimeError(f"{head!r} {body!r}")
    return body


async def rate(port: int, requests: Sequence[bytes], connections: int) -> float:
    """Answers per second over so many connections that are kept open."""
    left = iter(requests)
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(connections)]

    async def work(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, mine: Iterator[bytes]
    ) -> None:
        for request in mine:
            await exchange(reader, writer, request)

    await work(*opened[0], iter([next(left) for _ in range(len(requests) // 20)]))
    rest = list(left)
    shared = iter(rest)
    started = time.perf_counter()
    await asyncio.gather(*(work(reader, writer, shared) for reader, writer in opened))
    seconds = time.perf_counter() - started
    for _, writer in opened:
        writer.close()
    return len(rest) / seconds


class Listener(asyncio.Protocol):
    """Counts itself in when the stream has begun, and notes when a word came."""

    __slots__ = ("_crowd", "_request", "_seen")

    def __init__(self, crowd: "Crowd", request: bytes) -> None:
        self._crowd, self._request, self._seen = crowd, request, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._crowd.transports.append(transport)
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        crowd = self._crowd
        if crowd.word in data:
            crowd.heard.append(time.time())
        if b"retry:" in data:
            crowd.listening += 1


@dataclass
class Crowd:
    """Many who listen to one stream."""

    word: bytes
    listening: int = 0
    heard: list[float] = field(default_factory=list[float])
    transports: list[asyncio.Transport] = field(default_factory=list[asyncio.Transport])

    async def gather(self, port: int, count: int, key: str) -> None:
        """Connect so many, and wait until all of them listen."""
        lines = ["GET /api/events HTTP/1.1", "Host: bench", f"Authorization: Bearer {key}"]
        request = "\r\n".join([*lines, "", ""]).encode()
        loop = asyncio.get_running_loop()
        wanted = self.listening + count
        for first in range(0, count, 50):
            batch = range(min(50, count - first))
            await asyncio.gather(
                *(
                    loop.create_connection(lambda: Listener(self, request), "127.0.0.1", port)
                    for _ in batch
                )
            )
        await self.until(lambda: self.listening >= wanted)

    async def until(self, condition: object, seconds: float = 60) -> None:
        """Wait for something to be so."""
        assert callable(condition)
        async with asyncio.timeout(seconds):
            while not condition():  # noqa: ASYNC110 - the client is one process with one loop
                await asyncio.sleep(0.005)

    def leave(self) -> None:
        """Hang up, all of them."""
        for transport in self.transports:
            transport.abort()
