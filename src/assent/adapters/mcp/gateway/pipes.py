"""Standard streams of the gateway, read and written by the event loop itself.

The SDK reads and writes them in threads: three changes of thread for every call.
"""

import asyncio
import logging
import os
import stat
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

from mcp.server.stdio import stdio_server

log = logging.getLogger(__name__)
_STDIN, _STDOUT, _STDERR = 0, 1, 2
# One message of a client. What is longer ends the connection: nothing reads it to its end.
_MESSAGE_BYTES: Final = 64_000_000


@asynccontextmanager
async def standard_streams() -> AsyncGenerator[tuple[Any, Any]]:
    """Serve a client at the other end of stdin and stdout; yields the SDK's two streams."""
    if not _are_pipes():
        async with stdio_server() as streams:
            yield streams
        return
    with _taken() as (wire_in, wire_out):
        lines, output = await _lines(wire_in), await _output(wire_out)
        try:
            async with stdio_server(cast("Any", lines), cast("Any", output)) as streams:
                yield streams
        finally:
            lines.transport.close()
            output.writer.transport.abort()


def _are_pipes() -> bool:
    """Return True if both streams can be read and written without a thread, and harm nobody.

    A file cannot. A terminal, or an stdout that is also stderr, is shared with others, who do
    not expect that a write may be turned away.
    """
    if sys.platform == "win32":
        return False
    try:
        given = [os.fstat(number) for number in (_STDIN, _STDOUT, _STDERR)]
    except OSError:
        return False
    is_shared = os.path.samestat(given[_STDOUT], given[_STDERR])
    kinds = [stat.S_ISFIFO(each.st_mode) or stat.S_ISSOCK(each.st_mode) for each in given]
    return kinds[_STDIN] and kinds[_STDOUT] and not is_shared


@contextmanager
def _taken() -> Generator[tuple[int, int]]:
    """Take both streams away from everything else here: a stray print is no message."""
    wire = os.dup(_STDIN), os.dup(_STDOUT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, _STDIN)
    os.close(nothing)
    os.dup2(_STDERR, _STDOUT)
    try:
        # The event loop closes its own copies.
        yield os.dup(wire[0]), os.dup(wire[1])
    finally:
        for number, kept in zip((_STDIN, _STDOUT), wire, strict=True):
            os.set_blocking(kept, True)
            os.dup2(kept, number)
            os.close(kept)


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of stdin, as the SDK iterates over them."""

    reader: asyncio.StreamReader
    transport: asyncio.ReadTransport

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            try:
                line = await self.reader.readuntil(b"\n")
            except asyncio.IncompleteReadError as error:
                line = error.partial
            except asyncio.LimitOverrunError:
                log.error("the client sent a message of more than %d bytes", _MESSAGE_BYTES)
                return
            if not line:
                return
            yield line.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _Output:
    """Where the SDK writes messages for stdout."""

    writer: asyncio.StreamWriter

    async def write(self, text: str) -> None:
        self.writer.write(text.encode("utf-8", "backslashreplace"))

    async def flush(self) -> None:
        try:
            await self.writer.drain()
        except ConnectionError:
            # The client is gone, and the end of stdin says so, too.
            log.debug("the client no longer reads")


async def _lines(number: int) -> _Lines:
    reader = asyncio.StreamReader(limit=_MESSAGE_BYTES)
    made = asyncio.StreamReaderProtocol(reader)
    file = os.fdopen(number, "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: made, file)
    return _Lines(reader, transport)


async def _output(number: int) -> _Output:
    loop = asyncio.get_running_loop()
    file = os.fdopen(number, "wb", buffering=0)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.streams.FlowControlMixin(loop=loop), file
    )
    return _Output(asyncio.StreamWriter(transport, protocol, None, loop))
