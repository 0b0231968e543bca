"""A wire to PostgreSQL that can be cut at a write: before the server hears of it, or after."""

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from enum import Enum, auto
from urllib.parse import parse_qs, urlsplit

from tests.accepting import accepted

_WRITES = ("INSERT", "UPDATE", "DELETE")


class Cut(Enum):
    """What is lost: what was sent, or the server's answer to it."""

    REQUEST = auto()
    REPLY = auto()


class Wire:
    """Forwards connections on loopback, and cuts one of them when `cut_at` writes were sent."""

    def __init__(self, socket: str) -> None:
        self._socket = socket
        self.writes = 0
        self.cut_at = 0
        self.cut = Cut.REPLY
        self.was_cut = asyncio.Event()
        self.is_down = False
        self.on_cut: Callable[[], None] = lambda: None
        # What never arrives, and is never answered; its connection stays.
        self.swallows: Callable[[bytes], bool] = lambda _: False
        self.has_swallowed = asyncio.Event()
        # What the server seems to answer to that.
        self.answers_instead = b""
        self._clients: set[asyncio.StreamWriter] = set()

    def arm(self, cut_at: int, cut: Cut) -> None:
        """Count from here on."""
        self.writes, self.cut_at, self.cut = 0, cut_at, cut

    def go_down(self) -> None:
        """Nobody gets through any more: as if the server were not there."""
        self.is_down = True
        for client in self._clients:
            client.transport.abort()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its beginning to its end."""
        if self.is_down:
            writer.transport.abort()
            return
        self._clients.add(writer)
        up_reader, up_writer = await asyncio.open_unix_connection(self._socket)
        line = _Line(self, writer, up_writer)
        back = asyncio.create_task(line.answers(up_reader))
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await line.questions(reader)
        up_writer.close()
        await back
        self._clients.discard(writer)
        writer.transport.abort()

    def is_time(self) -> bool:
        """Whether this write is the one."""
        self.writes += 1
        return self.writes == self.cut_at


class _Line:
    def __init__(
        self, wire: Wire, client: asyncio.StreamWriter, server: asyncio.StreamWriter
    ) -> None:
        self._wire, self._client, self._server = wire, client, server
        self._prepared: dict[bytes, str] = {}
        self._doomed = False

    async def questions(self, reader: asyncio.StreamReader) -> None:
        [length] = struct.unpack("!I", start := await reader.readexactly(4))
        self._server.write(start + await reader.readexactly(length - 4))
        while True:
            kind, length = struct.unpack("!cI", head := await reader.readexactly(5))
            body = await reader.readexactly(length - 4)
            if self._wire.swallows(body):
                self._client.write(self._wire.answers_instead)
                self._wire.has_swallowed.set()
                continue
            if self._is_write(kind, body) and self._wire.is_time():
                if self._wire.cut is Cut.REQUEST:
                    self._end()
                    return
                self._doomed = True
            self._server.write(head + body)

    async def answers(self, reader: asyncio.StreamReader) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                kind, length = struct.unpack("!cI", head := await reader.readexactly(5))
                body = await reader.readexactly(length - 4)
                if not self._doomed:
                    self._client.write(head + body)
                elif kind == b"Z":
                    # Ready for the next: it did what it was told.
                    self._end()
        self._client.close()

    def _end(self) -> None:
        self._wire.on_cut()
        self._wire.was_cut.set()
        self._client.transport.abort()

    def _is_write(self, kind: bytes, body: bytes) -> bool:
        match kind:
            case b"P":
                name, sql, *_ = body.split(b"\0")
                self._prepared[name] = sql.decode()
                return False
            case b"B":
                _, name, *_ = body.split(b"\0", 2)
                return any(word in self._prepared.get(name, "") for word in _WRITES)
            case b"Q":
                return body.startswith(b"COMMIT")
            case _:
                return False


@asynccontextmanager
async def wired(url: str) -> AsyncIterator[tuple[Wire, str]]:
    """The wire, and the URL of the same database at its other end."""
    parts = urlsplit(url)
    [folder] = parse_qs(parts.query)["host"]
    wire = Wire(f"{folder}/.s.PGSQL.5432")
    server = await asyncio.start_server(wire.connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield wire, f"postgresql://postgres@127.0.0.1:{port}{parts.path}?sslmode=disable"
    finally:
        await accepted()
        server.close()
