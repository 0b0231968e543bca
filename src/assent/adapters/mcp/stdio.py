"""Servers that are commands: their messages are lines on the standard streams.

The SDK's own transport keeps a line of any length and starts a task for every notification. Here
lines are bounded while they are read, and what nobody listens to is dropped unread.
"""

import asyncio
import logging
import os
import re
import signal
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, cast

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, jsonrpc_message_adapter

from assent.adapters.mcp.faults import Fault, fault_answer
from assent.adapters.mcp.limits import McpLimits
from assent.domain.mcp_servers import McpServer

log = logging.getLogger(__name__)
Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Streams = tuple[
    MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]
]
_GRACE_SECONDS: Final = 2.0
_STDERR_LINES: Final = 20
_STDERR_CHARS: Final = 500
# Anything else is dropped before it costs a task.
_HEARD: Final = frozenset(
    {
        "notifications/tools/list_changed",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/progress",
        "notifications/cancelled",
        "notifications/subscriptions/acknowledged",
    }
)
# Where SDKs write the id of an answer: right at the start, or right at the end.
_ID_FIRST: Final = re.compile(rb'^\s*\{\s*"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(\d+)\s*,')
_ID_LAST: Final = re.compile(rb'"id"\s*:\s*(\d+)\s*\}\s*$')
_ENDS: Final = 200


@dataclass(slots=True)
class Pace:
    """Slows the reading of a server that says more than it may in a second."""

    per_second: int
    _begun: float = 0.0
    _count: int = 0

    async def step(self) -> None:
        """Count one message; wait for the next second if there were too many."""
        now = time.monotonic()
        if now - self._begun >= 1.0:
            self._begun, self._count = now, 0
        self._count += 1
        if self._count > self.per_second:
            await asyncio.sleep(max(0.0, self._begun + 1.0 - now))


@dataclass(frozen=True, slots=True)
class _Unread:
    """A line that cannot be read; its ends may tell which answer it was."""

    head: bytes
    tail: bytes

    @property
    def request_id(self) -> int | None:
        found = _ID_FIRST.search(self.head) or _ID_LAST.search(self.tail)
        return None if found is None else int(found[1])


async def _line(reader: asyncio.StreamReader) -> bytes | _Unread | None:
    try:
        return await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        return await _skipped(reader, error.consumed)


async def _skipped(reader: asyncio.StreamReader, consumed: int) -> _Unread | None:
    """Read a long line to its end and keep only its ends."""
    head = tail = b""
    while True:
        chunk = await reader.readexactly(consumed)
        head = head or chunk[:_ENDS]
        tail = (tail + chunk[-_ENDS:])[-_ENDS:]
        try:
            rest = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError:
            return None
        except asyncio.LimitOverrunError as error:
            consumed = error.consumed
        else:
            return _Unread(head, (tail + rest[-_ENDS:])[-_ENDS:])


@dataclass(kw_only=True)
class StdioServer:
    """A running server command: its process, and the streams that a session speaks through."""

    server: McpServer
    limits: McpLimits
    # Called once, when the process has closed its output; the text says why as far as is known.
    gone: Callable[[str], None]
    errors: deque[str] = field(default_factory=lambda: deque[str](maxlen=_STDERR_LINES))
    _garbage: int = 0

    @asynccontextmanager
    async def streams(self) -> AsyncGenerator[Streams]:
        """Start the command; stop it, and all that it started, at the end."""
        process = await self._started()
        incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        tasks = [
            asyncio.create_task(work, name=f"assent-mcp-{self.server.name}-{name}")
            for name, work in (
                ("reader", self._read(process, incoming)),
                ("writer", self._write(process, outgoing, incoming)),
                ("errors", self._keep_errors(process)),
            )
        ]
        try:
            yield read, write
        finally:
            await _through(_stopped(process))
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            for stream in (incoming, read, write, outgoing):
                stream.close()

    async def _started(self) -> asyncio.subprocess.Process:
        spawning = asyncio.ensure_future(self._spawned())
        try:
            return await asyncio.shield(spawning)
        except asyncio.CancelledError:
            # Cancelled itself, it kills the command, but not what that has started by then.
            await _through(_unwanted(spawning))
            raise

    async def _spawned(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            cast("str", self.server.command),
            *self.server.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # Not our whole environment: it holds our own keys.
            env=get_default_environment() | dict(self.server.env),
            cwd=self.server.cwd,
            limit=self.limits.message_bytes,
            # Its own group, so that whatever it starts ends with it.
            start_new_session=True,
        )

    async def _read(self, process: asyncio.subprocess.Process, incoming: Incoming) -> None:
        reader, pace = (
            cast("asyncio.StreamReader", process.stdout),
            Pace(self.limits.messages_per_second),
        )
        why = "it closed its output"
        try:
            async with incoming:
                while (line := await _line(reader)) is not None:
                    await pace.step()
                    await self._take(line, incoming)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            why = "the session ended"
        except _GivenUp as error:
            why = str(error)
        except (OSError, ValueError) as error:
            why = f"its output cannot be read: {error}"
        self.gone(self._why(process, why))

    def _why(self, process: asyncio.subprocess.Process, why: str) -> str:
        code = "" if process.returncode is None else f", exit code {process.returncode}"
        said = f"; its last words: {self.errors[-1]}" if self.errors else ""
        return f"{why}{code}{said}"

    async def _take(self, line: bytes | _Unread, incoming: Incoming) -> None:
        if isinstance(line, _Unread):
            await self._refuse(line, incoming)
            return
        if not line.strip():
            return
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            await self._unreadable(line, incoming)
            return
        if isinstance(message, JSONRPCNotification) and message.method not in _HEARD:
            return
        await incoming.send(SessionMessage(message))

    async def _unreadable(self, line: bytes, incoming: Incoming) -> None:
        """Answer a request whose answer is no message, so that nobody waits for it."""
        request_id = _Unread(line[:_ENDS], line[-_ENDS:]).request_id
        if request_id is None:
            self._count_garbage(line)
            return
        answer = fault_answer(request_id, Fault.UNKEPT, "its answer cannot be read")
        await incoming.send(SessionMessage(answer))

    async def _refuse(self, line: _Unread, incoming: Incoming) -> None:
        most = self.limits.message_bytes
        if (request_id := line.request_id) is None:
            raise _GivenUp(f"it sent a message of more than {most:,} bytes")
        said = f"its answer has more than {most:,} bytes, and was not read"
        answer = fault_answer(request_id, Fault.UNKEPT, said)
        await incoming.send(SessionMessage(answer))

    def _count_garbage(self, line: bytes) -> None:
        self._garbage += 1
        if self._garbage == 1:
            log.warning(
                "MCP server %r writes lines to stdout that are no messages, such as %r; ignored",
                self.server.name,
                line[:80],
            )
        if self._garbage > self.limits.garbage_lines:
            raise _GivenUp(f"it wrote {self._garbage:,} lines that are no messages")

    async def _write(
        self,
        process: asyncio.subprocess.Process,
        outgoing: MemoryObjectReceiveStream[SessionMessage],
        incoming: Incoming,
    ) -> None:
        stdin = cast("asyncio.StreamWriter", process.stdin)
        try:
            async with outgoing:
                async for item in outgoing:
                    text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                    stdin.write(text.encode("utf-8", "backslashreplace") + b"\n")
                    await stdin.drain()
        except (OSError, anyio.ClosedResourceError):
            # The session must see the end now, not wait for answers that cannot come.
            incoming.close()
            self.gone(self._why(process, "it closed its input"))

    async def _keep_errors(self, process: asyncio.subprocess.Process) -> None:
        stderr = cast("asyncio.StreamReader", process.stderr)
        # Chunks, not lines: stderr is a stranger's, too, and need not have any.
        while chunk := await stderr.read(65_536):
            text = chunk.decode("utf-8", "replace")
            self.errors.extend(
                line.strip()[:_STDERR_CHARS] for line in text.splitlines() if line.strip()
            )


class _GivenUp(Exception):
    """The server does not speak the protocol, and is not listened to any more."""


async def _through(work: Coroutine[Any, Any, None]) -> None:
    """Await work to its end, however often we are cancelled meanwhile: a process would be left."""
    task, cancelled = asyncio.ensure_future(work), None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


async def _unwanted(spawning: asyncio.Future[asyncio.subprocess.Process]) -> None:
    """Stop a process that nobody waits for any more, if it is started at all."""
    await asyncio.wait({spawning})
    if not spawning.cancelled() and spawning.exception() is None:
        await _stopped(spawning.result())


async def _stopped(process: asyncio.subprocess.Process) -> None:
    """Close its input, then end its process group: first politely, then not."""
    stdin = cast("asyncio.StreamWriter", process.stdin)
    with suppress(OSError):
        stdin.close()
    for sent in (None, signal.SIGTERM, signal.SIGKILL):
        if sent is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, sent)
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE_SECONDS)
            break
    # Children that outlived their parent.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
