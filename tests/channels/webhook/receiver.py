"""A receiver of webhooks on loopback: verifies with the reference library, answers as told."""

import asyncio
import contextlib
import ssl
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self, assert_never

from standardwebhooks import Webhook

from tests.accepting import accepted
from tests.providers.http import HttpRequest, read_request


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer."""

    status: int = 204
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Hang:
    """No answer until the sender goes away."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A connection that ends before the answer, or in the middle of it."""

    after: bytes = b""


@dataclass(frozen=True, slots=True)
class Endless:
    """An answer whose body never ends."""


Script = Answer | Hang | Cut | Endless


class WebhookReceiver:
    """A server on a loopback port; what is scripted is answered in order, then 204.

    `async with WebhookReceiver(secret="whsec_…") as receiver: …`
    """

    def __init__(self, secret: str = "", tls: ssl.SSLContext | None = None) -> None:
        self.secret, self._tls = secret, tls
        self.requests: list[HttpRequest] = []
        # The messages whose signatures the reference library has verified.
        self.messages: list[Any] = []
        self.answers: list[Script] = []
        self.connections = self.port = 0
        self._script: deque[Script] = deque()
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    def script(self, *answers: Script) -> None:
        """Answer the next requests like this."""
        self._script.extend(answers)

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.go_down()

    async def listen(self) -> None:
        """Take connections, after an outage on the same port as before."""
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", self.port, ssl=self._tls
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def go_down(self) -> None:
        """Refuse connections, and drop those that there are."""
        assert self._server is not None
        await accepted()
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    @property
    def url(self) -> str:
        """The address to send to."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/hook"

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        self.connections += 1
        try:
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                while request := await read_request(reader):
                    await self._take(request, writer)
        finally:
            self._serving.discard(task)
            writer.close()

    async def _take(self, request: HttpRequest, writer: asyncio.StreamWriter) -> None:
        self.requests.append(request)
        if self.secret:
            self.messages.append(Webhook(self.secret).verify(request.body, dict(request.headers)))
        answer = self._script.popleft() if self._script else Answer()
        self.answers.append(answer)
        match answer:
            case Answer():
                writer.write(_head(answer.status, answer.headers, len(answer.body)) + answer.body)
            case Hang():
                await asyncio.Event().wait()
            case Cut(after=start):
                writer.write(start)
                writer.close()
            case Endless():
                writer.write(_head(200, {}, 10**9))
                while True:
                    writer.write(b"x" * 1000)
                    await writer.drain()
            case _:
                assert_never(answer)
        if not writer.is_closing():
            await writer.drain()


def _head(status: int, headers: Mapping[str, str], length: int) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {text}" for name, text in headers.items())]
    # Neither of these has a body, nor says how long it would be.
    if status not in (204, 304):
        lines.append(f"Content-Length: {length}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")
