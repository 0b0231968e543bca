"""Files of a message: sent before it by a script, or with it by a form, and shown below it."""

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from assent.domain.attachments import MESSAGE_FILES, attachment
from assent.domain.file_fields import size_text
from assent.domain.file_names import clean_name
from assent.domain.files import SHA256, FileReference
from assent.errors import FileRefused, OverQuota, TooLarge, TooSlow
from assent.server.caller import caller_of
from assent.server.form_data import Posted
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.uploads import attach_bytes, attach_part, download_attached, parts_of
from assent.server.web.shown_files import ShownFile

# A field of the composer; each value is a digest with the file's name behind it.
FIELD = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComposerFile:
    """A file that was uploaded for the message that is being written."""

    value: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """The files of a message that was posted, and what became of those that came with it."""

    files: Sequence[FileReference] = ()
    trouble: str = ""

    @property
    def kept(self) -> list[ComposerFile]:
        """The files as the composer shows them again, if the message is not sent."""
        return [ComposerFile(value=_value(each), name=each.name) for each in self.files]


@dataclass(frozen=True, slots=True)
class FileLimits:
    """The limits on files beside a message, as the composer states them."""

    most: int = MESSAGE_FILES.max_files
    bytes: int = MESSAGE_FILES.max_bytes

    @property
    def words(self) -> str:
        """The limits in words."""
        return f"Up to {self.most} files of {size_text(self.bytes)} each"


async def composed(request: Request, posted: Posted) -> Composed:
    """Return the files of a posted message; those that came with it are stored."""
    files = [_chosen(value) for value in posted.all(FIELD) if value]
    troubles: list[str] = []
    parts = parts_of(request)
    for _, file in parts.files if parts is not None else ():
        try:
            files.append(await attach_part(request, file))
        except (FileRefused, OverQuota) as error:
            troubles.append(f"{clean_name(file.filename or '')}: {_reason(error)}")
    return Composed(files=files, trouble=" ".join(troubles))


async def upload(request: Request) -> Response:
    """Store a file that a script of the page sends."""
    try:
        kept = await attach_bytes(request)
    except (FileRefused, OverQuota, TooLarge, TooSlow) as error:
        # Not an error of the page: it tells the person, and the message waits.
        return JSONResponse({"problem": _reason(error)})
    told = {"key": _value(kept), "facts": ShownFile(kept).facts, "picture": False}
    return JSONResponse({"name": kept.name, **told})


async def saved(request: Request) -> Response:
    """Send a file of a message, to be saved."""
    return await download_attached(request, request.path_params["id"], request.path_params["key"])


async def picture(request: Request) -> Response:
    """Show an image of a message, drawn anew."""
    service = service_of(request)
    _, content = await service.assent.files.open_attached(
        request.path_params["id"], request.path_params["key"], by=caller_of(request).person
    )
    drawn, kind = await service.pictures.draw(content)
    return Response(drawn, media_type=kind)


def _value(file: FileReference) -> str:
    return f"{file.key}/{file.name}"


def _chosen(value: str) -> FileReference:
    sha256, _, name = value.partition("/")
    if SHA256.fullmatch(sha256) is None:
        raise FileRefused("files", "Choose it again.")
    return attachment(name, sha256)


def _reason(error: Exception) -> str:
    return error.reason if isinstance(error, FileRefused) else f"{error}."


routes: list[BaseRoute] = [
    GuardedRoute("/chat/files", upload, methods=["PUT"]),
    GuardedRoute("/chat/{id}/files/{key}", saved, methods=["GET"]),
    GuardedRoute("/chat/{id}/files/{key}/picture", picture, methods=["GET"]),
]
