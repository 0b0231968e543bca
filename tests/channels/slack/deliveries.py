"""How Slack brings events and interactions to the app, over HTTP or through its socket."""

import asyncio
import hashlib
import hmac
import json
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

RETRIES = 3


class DeliveryKind(StrEnum):
    """The kinds of deliveries, by their names in Socket Mode."""

    EVENT = "events_api"
    INTERACTION = "interactive"
    COMMAND = "slash_commands"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The app's reply to one attempt; `failure` is Slack's reason to try again, if there is one."""

    failure: str | None = None
    status: int | None = None
    body: dict[str, Any] = field(default_factory=dict)
    no_retry: bool = False


@dataclass(slots=True, kw_only=True)
class Delivery:
    """One payload and the replies to every attempt to bring it."""

    kind: DeliveryKind
    payload: dict[str, Any]
    replies: list[Reply] = field(default_factory=list)

    @property
    def acknowledged(self) -> bool:
        return any(reply.failure is None for reply in self.replies)

    @property
    def trouble(self) -> str | None:
        """The reason why the user is told that it did not work."""
        return None if self.acknowledged else self.replies[-1].failure

    @property
    def answer(self) -> dict[str, Any]:
        """The content of the first acknowledgement."""
        return next((reply.body for reply in self.replies if reply.failure is None), {})


class Transport(Protocol):
    """A way to the app."""

    async def send(self, delivery: Delivery, *, retry: int, reason: str) -> Reply: ...


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Slack's signature of a request, version 0."""
    signed = b"v0:" + timestamp.encode() + b":" + body
    return "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


class HttpTransport:
    """Posts to the app's request URL, signed."""

    def __init__(self, url: str, secret: str) -> None:
        self.url, self._secret = url, secret
        # Slack waits so long for an acknowledgement.
        self.seconds = 3.0

    async def send(self, delivery: Delivery, *, retry: int, reason: str) -> Reply:
        body, content_type = _encoded(delivery)
        headers = self.signed(body) | {"Content-Type": content_type}
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": reason}
        return await self.post(body, headers)

    def signed(self, body: bytes, *, at: float | None = None) -> dict[str, str]:
        """The headers that prove where a body comes from."""
        timestamp = str(int(time.time() if at is None else at))
        return {
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": signature(self._secret, timestamp, body),
        }

    async def post(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Send exactly these bytes and headers, as an attacker could."""
        timeout = aiohttp.ClientTimeout(total=self.seconds)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(self.url, data=body, headers=dict(headers)) as response,
            ):
                text = await response.text()
        except TimeoutError:
            return Reply(failure="http_timeout")
        except aiohttp.ClientError:
            return Reply(failure="connection_failed")
        ok = 200 <= response.status < 300
        return Reply(
            failure=None if ok else "http_error",
            status=response.status,
            body=_decoded(text, response.content_type),
            no_retry="X-Slack-No-Retry" in response.headers,
        )


def _encoded(delivery: Delivery) -> tuple[bytes, str]:
    if delivery.kind is DeliveryKind.EVENT:
        return json.dumps(delivery.payload).encode(), "application/json"
    fields = delivery.payload
    if delivery.kind is DeliveryKind.INTERACTION:
        fields = {"payload": json.dumps(delivery.payload)}
    return urlencode(fields).encode(), "application/x-www-form-urlencoded"


def _decoded(text: str, content_type: str) -> dict[str, Any]:
    if not text:
        return {}
    return json.loads(text) if content_type == "application/json" else {"text": text}


@dataclass(slots=True, eq=False)
class Socket:
    """One connection in Socket Mode, and the envelopes on it that are not acknowledged yet."""

    websocket: web.WebSocketResponse
    request: web.Request
    waiting: dict[str, asyncio.Future[Reply]] = field(default_factory=dict)

    async def envelope(self, body: dict[str, Any], seconds: float) -> Reply:
        """Send an envelope and wait for its acknowledgement."""
        id = str(uuid.uuid4())
        self.waiting[id] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(seconds):
                await self.websocket.send_json({"envelope_id": id, **body})
                return await self.waiting[id]
        except TimeoutError:
            return Reply(failure="timeout")
        except ConnectionError:
            return Reply(failure="connection_failed")
        finally:
            del self.waiting[id]

    def acknowledge(self, ack: dict[str, Any]) -> None:
        """Take what the app sent."""
        future = self.waiting.get(ack.get("envelope_id", ""))
        if future and not future.done():
            future.set_result(Reply(status=200, body=ack.get("payload") or {}))

    def lose(self) -> None:
        """Give up on everything that was sent here: the connection is gone."""
        for future in self.waiting.values():
            if not future.done():
                future.set_result(Reply(failure="connection_failed"))

    def drop(self) -> None:
        """Break the connection without a goodbye."""
        if self.request.transport:
            self.request.transport.abort()


class SocketTransport:
    """Sends envelopes through the sockets that the app opened, each through one of them."""

    def __init__(self) -> None:
        self.sockets: list[Socket] = []
        self.seconds = 3.0
        self._turn = 0

    async def send(self, delivery: Delivery, *, retry: int, reason: str) -> Reply:
        if not self.sockets:
            return Reply(failure="connection_failed")
        self._turn += 1
        body = {
            "type": str(delivery.kind),
            "payload": delivery.payload,
            "accepts_response_payload": delivery.kind is not DeliveryKind.EVENT,
        }
        if delivery.kind is DeliveryKind.EVENT:
            body |= {"retry_attempt": retry, "retry_reason": reason}
        return await self.sockets[self._turn % len(self.sockets)].envelope(body, self.seconds)
