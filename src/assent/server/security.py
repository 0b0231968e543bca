"""Protection of every request and response, on all routes."""

import asyncio
import json
import logging
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assent.domain.canonical import refuse_deep
from assent.engine.threads import offload
from assent.errors import (
    AssentError,
    BadAddress,
    InvalidJson,
    JsonFault,
    NotFound,
    TooLarge,
    TooSlow,
    WrongHost,
)
from assent.server.auth.peers import host_of, is_loopback, peer_of
from assent.server.headers import HEADERS
from assent.server.problems import problem_of
from assent.server.settings import Settings

log = logging.getLogger(__name__)
MAX_TARGET_BYTES: Final = 8_192
FORM: Final = "application/x-www-form-urlencoded"
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_HTTPS_ONLY: Final = "max-age=31536000"


class Protection:
    """Middleware around the whole app: it limits requests, and adds headers to responses."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        headers = dict(HEADERS)
        if urlsplit(settings.origin).scheme == "https":
            headers["strict-transport-security"] = _HTTPS_ONLY
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = list(message.get("headers", ()))
                there = {name for name, _ in given}
                missing = (each for each in self._headers if each[0] not in there)
                message["headers"] = [*given, *missing]
            await send(message)

        try:
            self._check(scope)
        except AssentError as error:
            await problem_of(error)(scope, receive, protected)
            return
        try:
            await self._app(scope, receive, protected)
        except ClientDisconnect:
            # This happens every day, and there is no client left to answer.
            log.info(
                "%s %s: the client left before the response was complete",
                scope["method"],
                scope["path"],
            )

    def _check(self, scope: Scope) -> None:
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_TARGET_BYTES:
            raise TooLarge("address", MAX_TARGET_BYTES)
        # No path contains a NUL character, and PostgreSQL does not accept one.
        if "\0" in scope["path"]:
            raise NotFound("path", scope["path"])
        if b"%00" in scope["query_string"]:
            raise BadAddress
        size = sum(len(name) + len(value) for name, value in scope["headers"])
        if size > self._settings.max_header_bytes:
            raise TooLarge("header", self._settings.max_header_bytes)
        if self._settings.local:
            connection = HTTPConnection(scope)
            # The check of the host name stops pages of a site that points its own name at this
            # machine.
            if not (is_loopback(peer_of(connection)) and is_loopback(host_of(connection))):
                raise WrongHost


class RequestBody:
    """The body of a request, read once and whole, within the limits of size and depth."""

    def __init__(self, content: bytes, rest: Receive) -> None:
        self.content = content
        self._rest, self._given = rest, False

    @classmethod
    async def read(
        cls, scope: Scope, receive: Receive, settings: Settings, *, history: bool = False
    ) -> "RequestBody":
        """Read the body, or raise; nothing beyond the limit is ever kept."""
        headers = Headers(scope=scope)
        limit = settings.max_history_bytes if history else settings.max_body_bytes
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > limit:
            raise TooLarge("body", limit)
        content = b""
        # Over HTTP/2 a body may come without a declared length.
        if scope["method"] not in _WITHOUT_BODY or declared not in ("", "0"):
            seconds = settings.body_within.total_seconds()
            try:
                async with asyncio.timeout(seconds):
                    content = await _whole(receive, limit)
            except TimeoutError:
                raise TooSlow(seconds) from None
        body = cls(content, receive)
        if content and not is_form(headers):
            await offload(len(content), body.refuse_deep, settings.max_json_depth)
        return body

    async def receive(self) -> Message:
        """Return the message that the handler reads the body from."""
        if self._given:
            return await self._rest()
        self._given = True
        return {"type": "http.request", "body": self.content, "more_body": False}

    def refuse_deep(self, depth: int) -> None:
        """Raise if the JSON is nested too deeply, before any recursive parser reads it."""
        try:
            refuse_deep(self.content.decode(json.detect_encoding(self.content)), depth)
        except UnicodeDecodeError as error:
            raise InvalidJson(JsonFault.ENCODING, f"byte {error.start} cannot be decoded") from None


async def _whole(receive: Receive, limit: int) -> bytes:
    content, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientDisconnect
        content += message.get("body", b"")
        if len(content) > limit:
            raise TooLarge("body", limit)
        more = message.get("more_body", False)
    return bytes(content)


def is_form(headers: Headers) -> bool:
    """Return True if the body is a posted form; every other content type is read as JSON."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == FORM
