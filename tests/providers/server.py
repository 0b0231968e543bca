"""The fake provider: one port, four wire formats, scripted answers."""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self, assert_never
from urllib.parse import urlsplit

from assent.domain.canonical import Json
from tests.accepting import accepted
from tests.providers.anthropic import ANTHROPIC
from tests.providers.dialect import Dialect, Object, SeenRequest, text
from tests.providers.google import GOOGLE
from tests.providers.http import HttpReply, HttpRequest, read_request
from tests.providers.openai_chat import OPENAI_CHAT
from tests.providers.openai_responses import OPENAI_RESPONSES
from tests.providers.script import (
    CutOff,
    Hang,
    RawBody,
    Reply,
    Status,
    Step,
    StreamError,
    Unfinished,
)

_DIALECTS = {
    "/v1/chat/completions": OPENAI_CHAT,
    "/v1/responses": OPENAI_RESPONSES,
    "/v1/messages": ANTHROPIC,
}
Scripted = Step | Callable[[SeenRequest], Step]


class FakeProvider:
    """A model provider on a loopback port that answers as scripted, in order.

    `async with FakeProvider() as provider: provider.script(Reply(text="hi"))`
    """

    def __init__(self) -> None:
        self.requests: list[SeenRequest] = []
        self._script: deque[Scripted] = deque()
        self._connections: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            await accepted()
            self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    @property
    def url(self) -> str:
        """The bare address; what Anthropic's and Google's clients take as base URL."""
        if self._server is None:
            raise RuntimeError("enter the provider first: async with FakeProvider() as provider")
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def openai_url(self) -> str:
        """The base URL for clients of the OpenAI formats."""
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        """The base URL for Anthropic's client."""
        return self.url

    @property
    def google_url(self) -> str:
        """The base URL for Google's client."""
        return self.url

    def script(self, *steps: Scripted) -> None:
        """Append answers, one per request; a callable decides when it sees the request."""
        self._script.extend(steps)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
            task.add_done_callback(self._connections.discard)
        try:
            # A client may hang up at any moment, and closing the server cancels: both are normal.
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                while request := await read_request(reader):
                    await self._answer(request, reader, HttpReply(writer))
                    if writer.is_closing():
                        return
        finally:
            writer.close()

    async def _answer(
        self, request: HttpRequest, reader: asyncio.StreamReader, reply: HttpReply
    ) -> None:
        dialect = _dialect(request.path)
        body: Json = json.loads(request.body or b"null")
        if dialect is None or not isinstance(body, dict):
            await reply.whole(404, b'{"error": {"message": "no such endpoint"}}')
            return
        seen = _seen(dialect, request, body)
        self.requests.append(seen)
        exchange = _Exchange(dialect, seen, reader, reply)
        await exchange.answer(self._next(dialect, seen))

    def _next(self, dialect: Dialect, seen: SeenRequest) -> Step:
        problem = dialect.problem(seen.body)
        if problem:
            return Status(status=400, message=problem)
        if not self._script:
            return Status(status=400, message="nothing is scripted for this request")
        step = self._script.popleft()
        return step(seen) if callable(step) else step


def _dialect(path: str) -> Dialect | None:
    route = urlsplit(path).path
    if route.endswith((":generateContent", ":streamGenerateContent")):
        return GOOGLE
    return _DIALECTS.get(route)


def _seen(dialect: Dialect, request: HttpRequest, body: Object) -> SeenRequest:
    calls, results = dialect.ids(body)
    return SeenRequest(
        dialect=dialect.name,
        path=request.path,
        headers=request.headers,
        body=body,
        streamed=body.get("stream") is True or ":streamGenerateContent" in request.path,
        call_ids=calls,
        result_ids=results,
    )


class _Exchange:
    """One request and how it is answered."""

    def __init__(
        self,
        dialect: Dialect,
        seen: SeenRequest,
        reader: asyncio.StreamReader,
        reply: HttpReply,
    ) -> None:
        self._dialect, self._seen = dialect, seen
        self._reader, self._reply = reader, reply

    async def answer(self, step: Step) -> None:
        match step:
            case Reply():
                await self._send(step)
            case Status():
                await self._refuse(step.status, step.message, step.code)
            case RawBody():
                await self._reply.whole(200, step.body, step.content_type)
            case CutOff():
                await self._cut_off(step)
            case Unfinished():
                await self._leave_unfinished(step)
            case Hang():
                await self._hang(step)
            case StreamError():
                await self._fail_within(step)
            case _:
                assert_never(step)

    async def _send(self, reply: Reply) -> None:
        if not self._seen.streamed:
            await self._reply.whole(200, self._whole(reply))
            return
        await self._begin(self._events(reply))
        await self._reply.end()

    async def _refuse(self, status: int, message: str, code: str | None = None) -> None:
        error = self._dialect.error(status, message, code)
        await self._reply.whole(status, json.dumps(error).encode())

    async def _cut_off(self, step: CutOff) -> None:
        if not self._seen.streamed:
            await self._reply.half(self._whole(step.reply))
            return
        await self._begin(self._first_events(step.reply, step.after))
        await self._reply.break_off()

    async def _leave_unfinished(self, step: Unfinished) -> None:
        if not self._seen.streamed:
            body = self._whole(step.reply)
            await self._reply.whole(200, body[: len(body) // 2])
            return
        await self._begin(self._first_events(step.reply, step.after))
        await self._reply.end()

    async def _hang(self, step: Hang) -> None:
        if self._seen.streamed and step.reply:
            await self._begin(self._first_events(step.reply, step.after))
        await self._reader.read()
        await self._reply.break_off()

    async def _fail_within(self, step: StreamError) -> None:
        if not self._seen.streamed:
            await self._refuse(500, step.message)
            return
        error = self._dialect.stream_error(step.message)
        await self._begin([*self._first_events(step.reply, step.after), error])
        await self._reply.end()

    async def _begin(self, events: list[bytes]) -> None:
        await self._reply.begin()
        for event in events:
            await self._reply.chunk(event)

    def _whole(self, reply: Reply) -> bytes:
        return json.dumps(self._dialect.whole(reply, self._model)).encode()

    def _events(self, reply: Reply) -> list[bytes]:
        return self._dialect.events(reply, self._model)

    def _first_events(self, reply: Reply, after: int | None) -> list[bytes]:
        events = self._events(reply)
        return events[: len(events) // 2 if after is None else after]

    @property
    def _model(self) -> str:
        return text(self._seen.body, "model") or "fake-model"
