"""Servers behind an address: what they answer is bounded while it is read.

The SDK's transport ends with all its calls when one connection fails, and reads a JSON answer
whole. This one stands below it and turns every fault into an answer to the one request it hit.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import httpx2
from mcp.client.streamable_http import streamable_http_client

from assent.adapters.mcp.faults import Fault, fault_answer
from assent.adapters.mcp.limits import McpLimits
from assent.adapters.mcp.stdio import Pace
from assent.domain.mcp_servers import McpServer

_READ_SECONDS: Final = 300.0
_CONNECT_SECONDS: Final = 15.0
# A server that closes its event stream at once is asked for it again no more often than this.
_GET_PAUSE_SECONDS: Final = 1.0
_GOODBYE_SECONDS: Final = 2.0
_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"
# Nothing of the request was looked at; 408 and what is above 499 do not say so.
_REFUSED: Final = frozenset(range(400, 500)) - {408}
_BLANK_LINE: Final = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_UNSENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)


@asynccontextmanager
async def http_streams(
    server: McpServer,
    limits: McpLimits,
    *,
    gone: Callable[[str], None],
    auth: httpx2.Auth | None = None,
) -> AsyncGenerator[Any]:
    """Open the streams that a session speaks through; `gone` hears that the session was lost."""
    url = cast("str", server.url)
    bounded = BoundedTransport(httpx2.AsyncHTTPTransport(), url=url, limits=limits, gone=gone)
    client = httpx2.AsyncClient(
        transport=bounded,
        # Compressed, a small answer could become a large one after it was counted.
        headers={**server.headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(_CONNECT_SECONDS, read=_READ_SECONDS),
        auth=auth,
    )
    async with (
        client,
        streamable_http_client(
            url, http_client=client, max_sse_event_size=2 * limits.message_bytes
        ) as streams,
    ):
        yield streams


class _Oversize(Exception):
    """An answer was longer than is read."""


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Passes requests on; answers to messages are bounded, and faults become answers."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        *,
        url: str,
        limits: McpLimits,
        gone: Callable[[str], None],
    ) -> None:
        self._inner, self._url, self._limits, self._gone = inner, httpx2.URL(url), limits, gone
        self._last_get = float("-inf")

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "GET" and request.url == self._url:
            await self._pause()
        id = _message_id(request) if request.url == self._url else None
        if id is None:
            return await self._passed_on(request)
        try:
            response = await self._inner.handle_async_request(request)
        except _UNSENT as error:
            return _fault(request, id, Fault.NEVER_SENT, f"cannot be reached: {_words(error)}")
        except httpx2.HTTPError as error:
            return _fault(request, id, Fault.UNANSWERED, f"did not answer: {_words(error)}")
        return await self._answer(request, response, id)

    async def _passed_on(self, request: httpx2.Request) -> httpx2.Response:
        # Ending a session is a courtesy: a server that hangs must not hold up our own end.
        limit = _GOODBYE_SECONDS if request.method == "DELETE" else None
        try:
            async with asyncio.timeout(limit):
                return self._limited(await self._inner.handle_async_request(request))
        except TimeoutError as error:
            raise httpx2.ReadTimeout("it does not answer") from error

    async def _pause(self) -> None:
        left = self._last_get + _GET_PAUSE_SECONDS - time.monotonic()
        if left > 0:
            await asyncio.sleep(left)
        self._last_get = time.monotonic()

    def _limited(self, response: httpx2.Response) -> httpx2.Response:
        """Bound what is no answer to a message: pages of a sign-in, the stream of events."""
        pieces = cast("AsyncIterator[bytes]", response.stream)
        if _kind(response) == _EVENTS:
            stream = _Events(pieces, self._limits, None)
        else:
            stream = _Bounded(pieces, self._limits.message_bytes)
        return _with_stream(response, stream)

    async def _answer(
        self, request: httpx2.Request, response: httpx2.Response, id: str | int
    ) -> httpx2.Response:
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            await response.aclose()
            said = "answered compressed, which was not asked for"
            return _fault(request, id, Fault.UNANSWERED, said)
        if response.status_code < 400 and _kind(response) == _EVENTS:
            pieces = cast("AsyncIterator[bytes]", response.stream)
            return _with_stream(response, _Events(pieces, self._limits, id))
        return await self._whole(request, response, id)

    async def _whole(
        self, request: httpx2.Request, response: httpx2.Response, id: str | int
    ) -> httpx2.Response:
        try:
            body = await _read(response, self._limits.message_bytes)
        except _Oversize:
            most = self._limits.message_bytes
            said = f"its answer has more than {most:,} bytes, and was not read"
            return _fault(request, id, Fault.UNKEPT, said)
        except httpx2.HTTPError as error:
            return _fault(request, id, Fault.UNANSWERED, f"stopped answering: {_words(error)}")
        finally:
            await response.aclose()
        status = response.status_code
        if status < 300 and (status == 202 or _kind(response) != _JSON):
            said = f"answered with HTTP status {status} and neither a message nor events"
            return _fault(request, id, Fault.UNANSWERED, said)
        if status == 404 and "mcp-session-id" in request.headers:
            self._gone("it no longer knows the session")
        if status >= 400 and not _is_error(body):
            fault = Fault.NEVER_SENT if status in _REFUSED else Fault.UNANSWERED
            said = f"answered with HTTP status {status}"
            return _fault(request, id, fault, said, status=status, headers=response.headers)
        return httpx2.Response(
            status, headers=_plain(response.headers), content=body, request=request
        )


def _message_id(request: httpx2.Request) -> str | int | None:
    """Return the id of the JSON-RPC request that is posted; None for all else."""
    if request.method != "POST" or not request.headers.get("content-type", "").startswith(_JSON):
        return None
    try:
        said = json.loads(request.content)
    except (ValueError, httpx2.RequestNotRead):
        return None
    match said:
        case {"method": str(), "id": str() | int() as id}:
            return id
        case _:
            return None


def _kind(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _words(error: Exception) -> str:
    return str(error) or type(error).__name__


def _is_error(body: bytes) -> bool:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and isinstance(said.get("error"), dict)  # pyright: ignore[reportUnknownMemberType]


def _plain(headers: httpx2.Headers) -> dict[str, str]:
    """Return headers without those that describe a body we have replaced or read."""
    gone = {"content-length", "transfer-encoding", "content-encoding"}
    return {name: value for name, value in headers.items() if name.lower() not in gone}


def _fault(
    request: httpx2.Request,
    id: str | int,
    fault: Fault,
    said: str,
    *,
    status: int = 200,
    headers: httpx2.Headers | None = None,
) -> httpx2.Response:
    """Return a fault as the server's answer; the status stays, since signing in goes by it."""
    body = fault_answer(id, fault, said).model_dump_json(by_alias=True, exclude_unset=True)
    kept = {} if headers is None else _plain(headers)
    kept = {name: value for name, value in kept.items() if name.lower() != "content-type"}
    return httpx2.Response(
        status, headers={**kept, "content-type": _JSON}, content=body, request=request
    )


def _with_stream(response: httpx2.Response, stream: httpx2.AsyncByteStream) -> httpx2.Response:
    return httpx2.Response(
        response.status_code,
        headers=response.headers,
        stream=stream,
        extensions=response.extensions,
    )


async def _read(response: httpx2.Response, most: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    async for piece in cast("AsyncIterator[bytes]", response.stream):
        size += len(piece)
        if size > most:
            raise _Oversize
        pieces.append(piece)
    return b"".join(pieces)


@dataclass
class _Bounded(httpx2.AsyncByteStream):
    """A body that ends with an error once it is too long."""

    inner: AsyncIterator[bytes]
    most: int

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self.inner:
            size += len(piece)
            if size > self.most:
                raise httpx2.ReadError(f"the answer has more than {self.most:,} bytes")
            yield piece

    async def aclose(self) -> None:
        await cast("Any", self.inner).aclose()


@dataclass
class _Events(httpx2.AsyncByteStream):
    """A stream of events, each bounded, read no faster than a server may speak."""

    inner: AsyncIterator[bytes]
    limits: McpLimits
    id: str | int | None

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pace, kept = Pace(self.limits.messages_per_second), bytearray()
        async for piece in self.inner:
            # A blank line may be split over two pieces.
            start = max(0, len(kept) - 3)
            kept += piece
            # Only whole events are passed on: half of one could not be taken back.
            end = 0
            for found in _BLANK_LINE.finditer(kept, start):
                await pace.step()
                end = found.end()
            if end:
                yield bytes(kept[:end])
                del kept[:end]
            if len(kept) > self.limits.message_bytes:
                yield self._too_large()
                return

    def _too_large(self) -> bytes:
        """Return an answer in the place of an event that is too large."""
        most = self.limits.message_bytes
        if self.id is None:
            raise httpx2.ReadError(f"an event has more than {most:,} bytes")
        said = f"its answer has more than {most:,} bytes, and was not read"
        answer = fault_answer(self.id, Fault.UNKEPT, said)
        body = answer.model_dump_json(by_alias=True, exclude_unset=True)
        return b"event: message\ndata: " + body.encode() + b"\n\n"

    async def aclose(self) -> None:
        await cast("Any", self.inner).aclose()
