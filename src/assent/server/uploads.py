"""Uploads over HTTP: bodies that are streamed and never held whole, as bytes or as form parts."""

import asyncio
import base64
import binascii
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from functools import partial
from typing import Final
from urllib.parse import quote

from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request
from starlette.responses import StreamingResponse
from starlette.types import Message, Receive, Scope

from assent.domain.files import CHUNK_BYTES, FileReference
from assent.errors import AssentError, FileRefused, InvalidCommand, TooLarge, TooSlow
from assent.server.caller import caller_of
from assent.server.form_data import MAX_FIELDS, Posted
from assent.server.service import service_of
from assent.server.settings import Settings

MULTIPART: Final = "multipart/form-data"
_UTF8: Final = (b"utf-8", b"utf8")
# Files in one form; each field has its own limit below this.
_MOST_PARTS: Final = 100
_DIGEST: Final = re.compile(r"(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):")
# A file is never drawn in a page of ours: whatever it holds, it can run nothing and reach nothing.
_SANDBOX: Final = "sandbox; default-src 'none'"


def is_multipart(headers: Headers) -> bool:
    """Return True if the body is a form with files."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == MULTIPART


class UploadBody:
    """The body of a request, passed on as it arrives, within the limits of size and time."""

    def __init__(self, scope: Scope, receive: Receive, settings: Settings) -> None:
        self._receive, self._limit = receive, settings.max_upload_bytes
        self._text_limit = settings.max_body_bytes
        self._seconds = settings.upload_within.total_seconds()
        self._until, self._size = time.monotonic() + self._seconds, 0
        self.headers = Headers(scope=scope)
        self._broken: Exception | None = None
        declared = self.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self._limit:
            raise TooLarge("body", self._limit)

    async def receive(self) -> Message:
        """Return the next part of the body; raises at the limits."""
        try:
            async with asyncio.timeout(self._until - time.monotonic()):
                message = await self._receive()
        except TimeoutError:
            raise TooSlow(self._seconds) from None
        self._size += len(message.get("body", b""))
        if self._size > self._limit:
            raise TooLarge("body", self._limit)
        return message

    async def parts(self) -> "Parts":
        """Read a form with files; what is larger than a page or two is put on disk meanwhile."""
        _want_utf8(self.headers)
        parser = _FormParser(self.headers, self._text_limit)
        parser.stream = self._stream(parser)
        try:
            found = await parser.parse()
        except (MultiPartException, KeyError) as error:
            if self._broken is not None:
                raise self._broken from None
            said = getattr(error, "message", "it has no boundary")
            raise InvalidCommand(f"The form cannot be read: {said}") from None
        return Parts(list(found.multi_items()))

    async def _stream(self, parser: "_FormParser") -> AsyncGenerator[bytes]:
        more = True
        while more:
            try:
                message = await self.receive()
                if message["type"] != "http.request":
                    raise ClientDisconnect
            except (AssentError, ClientDisconnect) as error:
                # The parser deletes what is on disk only for an error of its own.
                self._broken = error
                raise MultiPartException(str(error)) from None
            yield message.get("body", b"")
            if parser.has_too_much_text:
                self._broken = TooLarge("text of this form", self._text_limit)
                raise MultiPartException(str(self._broken))
            more = message.get("more_body", False)
        if not parser.is_whole:
            raise MultiPartException("it ends before its last boundary")


def _want_utf8(headers: Headers) -> None:
    """Raise for a form in another alphabet: to decode some of them takes hours."""
    _, options = parse_options_header(headers.get("content-type"))
    if options.get(b"charset", b"utf-8").lower() not in _UTF8:
        raise InvalidCommand("The form cannot be read: send it as UTF-8")


class _FormParser(MultiPartParser):
    """Starlette's parser, which holds text in memory and takes a form that was cut off."""

    # For each of its files.
    spool_max_size = 32_768

    def __init__(self, headers: Headers, text_limit: int) -> None:
        super().__init__(headers, _nothing(), max_files=_MOST_PARTS, max_fields=MAX_FIELDS)
        self._text_limit, self._text = text_limit, 0
        self.is_whole = False

    @property
    def has_too_much_text(self) -> bool:
        """True if fields that are no files are larger than a form without files may be."""
        return self._text > self._text_limit

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        """Take in a piece of a part."""
        if self._current_part.file is None:
            self._text += end - start
        super().on_part_data(data, start, end)

    def on_end(self) -> None:
        """Note the last boundary."""
        self.is_whole = True
        super().on_end()


async def _nothing() -> AsyncGenerator[bytes]:
    return
    yield b""


class Parts:
    """The fields and files of a form that was posted with files."""

    def __init__(self, found: Sequence[tuple[str, UploadFile | str]]) -> None:
        self._all = [value for _, value in found if isinstance(value, UploadFile)]
        texts = [(name, value) for name, value in found if isinstance(value, str)]
        # A file control that was left empty sends a part without a name and without bytes.
        self.files = [
            (name, value)
            for name, value in found
            if isinstance(value, UploadFile) and (value.filename or value.size)
        ]
        self.posted = Posted.of(texts)

    async def close(self) -> None:
        """Delete what is on disk."""
        for file in self._all:
            await file.close()


async def pieces_of(file: UploadFile) -> AsyncGenerator[bytes]:
    """Yield the bytes of a file of a form."""
    while data := await file.read(CHUNK_BYTES):
        yield data


async def let_go(scope: Scope) -> None:
    """Delete the files of a form, once its request is handled."""
    if (parts := scope.get("state", {}).get("parts")) is not None:
        await parts.close()


def parts_of(request: Request) -> Parts | None:
    """Return the form with files that the guard has read; None if it was none."""
    return getattr(request.state, "parts", None)


async def receive_bytes(request: Request, id: str, field: str) -> FileReference:
    """Store the body of a request as a file for a field; its name is in the address."""
    return await _stored(
        request,
        (id, field),
        request.stream(),
        name=request.query_params.get("name", ""),
        size=_length(request.headers),
        sha256=_digest(field, request.headers),
    )


async def receive_part(request: Request, id: str, field: str, file: UploadFile) -> FileReference:
    """Store a file of a form."""
    pieces = pieces_of(file)
    return await _stored(request, (id, field), pieces, name=file.filename or "", size=file.size)


async def attach_bytes(request: Request) -> FileReference:
    """Store the body of a request as a file for a message; its name is in the address."""
    return await _stored(
        request,
        None,
        request.stream(),
        name=request.query_params.get("name", ""),
        size=_length(request.headers),
        sha256=_digest("files", request.headers),
    )


async def attach_part(request: Request, file: UploadFile) -> FileReference:
    """Store a file of a form for a message."""
    name = file.filename or ""
    return await _stored(request, None, pieces_of(file), name=name, size=file.size)


async def _stored(
    request: Request,
    place: tuple[str, str] | None,
    pieces: AsyncIterator[bytes],
    *,
    name: str,
    size: int | None,
    sha256: str | None = None,
) -> FileReference:
    caller, files = caller_of(request), service_of(request).assent.files
    store = files.attach if place is None else partial(files.upload, *place)
    return await store(
        pieces, by=caller.person, name=name, channel=caller.channel, size=size, sha256=sha256
    )


def _length(headers: Headers) -> int | None:
    declared = headers.get("content-length", "")
    return int(declared) if declared.isdecimal() else None


def _digest(field: str, headers: Headers) -> str | None:
    """Return the SHA-256 that the sender says, in hex; `Content-Digest` of RFC 9530."""
    said = headers.get("content-digest", "")
    if not said:
        return None
    found = _DIGEST.search(said)
    if found is None:
        raise FileRefused(field, "Its Content-Digest holds no sha-256=:…: in base64.")
    try:
        return base64.b64decode(found[1], validate=True).hex()
    except binascii.Error:
        raise FileRefused(field, "Its Content-Digest is not base64.") from None


async def download(request: Request, id: str, key: str) -> StreamingResponse:
    """Send a file of a request, to be saved."""
    caller = caller_of(request)
    return saved(*await service_of(request).assent.files.open(id, key, by=caller.person))


async def download_attached(request: Request, id: str, key: str) -> StreamingResponse:
    """Send a file of a conversation's message, to be saved."""
    caller = caller_of(request)
    return saved(*await service_of(request).assent.files.open_attached(id, key, by=caller.person))


def saved(reference: FileReference, content: AsyncIterator[bytes]) -> StreamingResponse:
    """Return the response with a file that is never to be shown by the browser."""
    headers = {
        "content-disposition": f"attachment; filename*=UTF-8''{quote(reference.name)}",
        "content-length": str(reference.bytes),
        "content-security-policy": _SANDBOX,
    }
    # Not the kind of the file: a browser would know what to do with HTML.
    return StreamingResponse(content, headers=headers, media_type="application/octet-stream")
