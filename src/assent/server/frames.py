"""The wire format of streams: lines, headers, and keep-alives."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from datetime import timedelta
from typing import Generic, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from assent.domain.canonical import Json
from assent.errors import AssentError
from assent.server.caller import Caller, caller_of
from assent.server.open_streams import Ending, OpenStreams
from assent.server.service import service_of

log = logging.getLogger(__name__)
T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)
# A proxy that buffers the response would hold back the questions to people.
_UNBUFFERED = {"cache-control": "no-cache, no-transform", "x-accel-buffering": "no"}
EVENT_STREAM = "text/event-stream"
SSE_BEAT = b": keep-alive\n\n"
_AGAIN = "The turn goes on and can be followed again."
_FAREWELLS = {
    Ending.SIGNED_OUT: "You are no longer signed in.",
    Ending.CLOSING: f"The server is stopping. {_AGAIN}",
}
# Characters that end a line for some readers, though not in JSON.
_BREAKS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"}


class Encoder(Protocol[T_contra]):
    """A stream protocol: encodes the steps of one stream."""

    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def beat(self) -> bytes:
        """A line without meaning that keeps an idle connection alive."""
        ...

    def encode(self, step: T_contra) -> Iterable[bytes]: ...
    def broken(self, message: str) -> Iterable[bytes]:
        """Encode that the stream cannot go on; the turn itself is not affected."""
        ...

    def close(self) -> Iterable[bytes]: ...


def compact(value: Json) -> str:
    """Return JSON on one line; characters that some readers take for a line break are escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character, escaped in _BREAKS.items():
        text = text.replace(character, escaped)
    return text


def utf8(text: str) -> bytes:
    """Encode text as UTF-8; half a surrogate pair cannot be encoded and becomes a question mark."""
    return text.encode("utf-8", "replace")


def sse(value: Json) -> bytes:
    """Return one server-sent event; lines end with LF, because some readers take nothing else."""
    return utf8(f"data: {compact(value)}\n\n")


def streamed(request: Request, steps: AsyncGenerator[T], encoder: Encoder[T]) -> Response:
    """Return a response that streams these steps; refusals must come before it, not inside."""
    service = service_of(request)
    return TurnStream(steps, encoder, service.live, caller_of(request), service.settings.keep_alive)


class TurnStream(StreamingResponse, Generic[T]):
    """The stream of a turn; it ends early if the reader's credential or the process ends."""

    def __init__(
        self,
        steps: AsyncGenerator[T],
        encoder: Encoder[T],
        live: OpenStreams,
        caller: Caller,
        keep_alive: timedelta,
    ) -> None:
        self._ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._live, self._stream = live, live.open(caller, self._told, finishes=True)
        self._encoder: Encoder[T] = encoder
        lines = kept_alive(_encoded(steps, encoder), encoder.beat, keep_alive, self._ended)
        super().__init__(self._whole(lines), headers={**_UNBUFFERED, **encoder.headers})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._live.leave(self._stream)

    def _told(self) -> None:
        if self._stream.ending is not None and not self._ended.done():
            self._ended.set_result(None)

    async def _whole(self, lines: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        async with aclosing(lines):
            async for line in lines:
                yield line
        if self._stream.ending is not None:
            for line in self._encoder.broken(_FAREWELLS[self._stream.ending]):
                yield line
        for line in self._encoder.close():
            yield line


async def _encoded(steps: AsyncGenerator[T], encoder: Encoder[T]) -> AsyncGenerator[bytes]:
    try:
        async with aclosing(steps):
            async for step in steps:
                for line in encoder.encode(step):
                    yield line
    except AssentError as error:
        log.warning("a stream ended with an error: %s", error)
        for line in encoder.broken(str(error)):
            yield line
    except Exception:
        log.exception("a stream ended with an unexpected error")
        for line in encoder.broken(f"The stream broke. {_AGAIN}"):
            yield line


async def kept_alive(
    lines: AsyncGenerator[bytes], beat: bytes, every: timedelta, ended: asyncio.Future[None]
) -> AsyncGenerator[bytes]:
    """Yield the lines, and a beat whenever none came for a while, until `ended` is done."""
    waiting: asyncio.Future[bytes | None] | None = None
    try:
        while not ended.done():
            waiting = waiting or asyncio.ensure_future(anext(lines, None))
            done, _ = await asyncio.wait(
                {waiting, ended},
                timeout=every.total_seconds(),
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not done:
                yield beat
            elif waiting in done:
                line, waiting = waiting.result(), None
                if line is None:
                    return
                yield line
    finally:
        if waiting is not None:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        await lines.aclose()
