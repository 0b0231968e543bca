"""Payloads from Slack: over HTTP, signed, or through a socket; taken here in the same way."""

import asyncio
import hmac
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import parse_qs

from slack_sdk.socket_mode.aiohttp import SocketModeClient
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from assent.channels.slack.api import SlackApi, sdk_logger
from assent.domain.deliveries import HttpReply
from assent.errors import ChannelError

log = logging.getLogger(__name__)
# Older requests may be replayed ones.
MOST_SECONDS: Final = 300
CONNECT_SECONDS: Final = 8.0
PING_SECONDS: Final = 5.0

Payload = Mapping[str, Any]
Take = Callable[[Payload], Awaitable[dict[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reception:
    """Where each kind of payload goes; what comes back is the content of the acknowledgement."""

    event: Take
    interaction: Take
    command: Take

    async def receive(self, secret: str, headers: Mapping[str, str], body: bytes) -> HttpReply:
        """Take one request over HTTP; an unsigned one gets 401 and is not looked at."""
        if not is_signed(secret, headers, body, time.time()):
            return HttpReply(status=401, body=b'{"error":"invalid signature"}')
        try:
            answer = await self._parsed(headers, body)
        except (ValueError, KeyError, TypeError) as error:
            log.warning("slack: a request cannot be understood: %s", type(error).__name__)
            return HttpReply(status=400, body=b'{"error":"not understood"}')
        return HttpReply(body=json.dumps(answer).encode() if answer else b"")

    async def _parsed(self, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        if headers.get("content-type", "").startswith("application/json"):
            payload = _object(body)
            if payload.get("type") == "url_verification":
                return {"challenge": str(payload["challenge"])}
            return await self.event(payload)
        form = {name: values[-1] for name, values in parse_qs(body.decode(), True).items()}
        if "payload" in form:
            return await self.interaction(_object(form["payload"]))
        return await self.command(form) if "command" in form else {}

    async def take(self, kind: str, payload: Payload) -> dict[str, Any]:
        """Take one payload from a socket."""
        takes = {
            "events_api": self.event,
            "interactive": self.interaction,
            "slash_commands": self.command,
        }
        return await takes[kind](payload) if kind in takes else {}


def _object(text: str | bytes) -> dict[str, Any]:
    found: Any = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError("a payload is an object")
    return cast("dict[str, Any]", found)


def is_signed(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Return True if Slack sent exactly this body, and not too long ago."""
    stamp = headers.get("x-slack-request-timestamp", "")
    if not (stamp.isascii() and stamp.isdecimal() and len(stamp) < 16):
        return False
    if abs(now - int(stamp)) > MOST_SECONDS:
        return False
    made = hmac.new(secret.encode(), b"v0:" + stamp.encode() + b":" + body, "sha256").hexdigest()
    given = headers.get("x-slack-signature", "")
    return hmac.compare_digest(f"v0={made}".encode(), given.encode("utf-8", "replace"))


class Socket:
    """The connection of Socket Mode; the SDK opens it again when it breaks or is renewed."""

    def __init__(self, api: SlackApi, app_token: str, reception: Reception) -> None:
        self._api, self._token, self._reception = api, app_token, reception
        self._client: SocketModeClient | None = None

    async def connect(self) -> None:
        """Open the connection; raises `ChannelError` where the SDK would try for ever."""
        opened = await self._api.call("apps.connections.open", token=self._token)
        client = SocketModeClient(
            app_token=self._token,
            logger=sdk_logger(),
            web_client=self._api.client,
            ping_interval=PING_SECONDS,
        )
        client.wss_uri = str(opened["url"])
        client.socket_mode_request_listeners.append(self._heard)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await client.connect()
        except TimeoutError:
            await client.close()
            raise ChannelError("Slack opens no socket", whole=True) from None
        except BaseException:
            await client.close()
            raise
        self._client = client

    async def disconnect(self) -> None:
        """Close the connection."""
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    async def _heard(self, client: AsyncBaseSocketModeClient, request: SocketModeRequest) -> None:
        try:
            answer = await self._reception.take(request.type, cast("Payload", request.payload))
        except Exception:
            # Without an acknowledgement Slack sends an event once more.
            log.exception("slack: a payload from the socket failed")
            return
        response = SocketModeResponse(envelope_id=request.envelope_id, payload=answer or None)
        await client.send_socket_mode_response(response)
