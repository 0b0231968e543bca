"""Files in the messages of chat clients: inside their address, or uploaded before."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import unquote_to_bytes

from assent.domain import parameters
from assent.domain.attachments import attachment
from assent.domain.file_names import clean_name
from assent.domain.files import FileReference
from assent.domain.parameters import settle
from assent.engine.threads import offload
from assent.errors import FileRefused
from assent.server.caller import Caller
from assent.server.service import Service

_FIELD: Final = "files"
_UPLOADED: Final = "sha256:"
_INSIDE: Final = "data:"
_ELSEWHERE: Final = (
    "Its address is neither data:… with the file in it nor sha256:… of one that was uploaded."
)


@dataclass(frozen=True, kw_only=True)
class PostedFile:
    """A file of a message as a client posts it; its kind is read from its content.

    `address` is `data:…` with the file in it, or `sha256:…` of one that was uploaded. Others are
    refused: a server that fetches addresses for people can be made to fetch its own.
    """

    address: str
    name: str = ""

    def __post_init__(self) -> None:
        settle(self, _POSTED)

    async def attach(self, service: Service, caller: Caller) -> FileReference:
        """Return the reference to the file, once it is stored."""
        name = clean_name(self.name)
        if self.address.startswith(_UPLOADED):
            return attachment(name, self.address.removeprefix(_UPLOADED))
        if not self.address.startswith(_INSIDE):
            raise FileRefused(_FIELD, _ELSEWHERE)
        content = await offload(len(self.address), _content, self.address)
        files = service.assent.files
        return await files.attach(content, by=caller.person, name=name, channel=caller.channel)


_POSTED: Final = {"address": parameters.text, "name": parameters.text}


def _content(address: str) -> bytes:
    head, _, data = address.removeprefix(_INSIDE).partition(",")
    if not head.endswith(";base64"):
        return unquote_to_bytes(data)
    try:
        return base64.b64decode(unquote_to_bytes(data), validate=True)
    except binascii.Error:
        raise FileRefused(_FIELD, "Its address holds no base64.") from None


def ui_files(parts: Sequence[Mapping[str, Any]]) -> list[PostedFile]:
    """Return the files among the parts of a message of AI SDK 5, 6 or 7."""
    return [
        PostedFile(address=_text(part, "url"), name=_text(part, "filename"))
        for part in parts
        if part.get("type") == "file"
    ]


def attachments(given: Sequence[object]) -> list[PostedFile]:
    """Return the attachments of a message of AI SDK 4."""
    return [PostedFile(address=_text(each, "url"), name=_text(each, "name")) for each in given]


def agui_file(part: Mapping[str, Any]) -> PostedFile:
    """Return the file that a media part of AG-UI holds, also one of before its version 1.0."""
    match part:
        case {"source": {"type": "data", "value": str(data)}}:
            address = f"{_INSIDE};base64,{data}"
        case {"source": {"type": "url", "value": str(url)}} | {"url": str(url)}:
            address = url
        case {"data": str(data)}:
            address = f"{_INSIDE};base64,{data}"
        case _:
            address = ""
    name = _text(part.get("metadata"), "filename") or _text(part, "filename")
    return PostedFile(address=address, name=name)


def _text(given: object, name: str) -> str:
    value = cast("Mapping[Any, Any]", given).get(name) if isinstance(given, Mapping) else None
    return value if isinstance(value, str) else ""
