"""Files of requests and messages: upload, list, download, and take back."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from fastapi.responses import StreamingResponse

from assent.domain.files import FileReference, FileUse
from assent.errors import InvalidCommand
from assent.server.api.routing import Id, NativeApi
from assent.server.api.schemas import FileFacts, Shape
from assent.server.service import CallerDep, ServiceDep
from assent.server.uploads import (
    Parts,
    attach_bytes,
    attach_part,
    download,
    download_attached,
    parts_of,
    receive_bytes,
    receive_part,
)

router = APIRouter(route_class=NativeApi, tags=["files"])

FieldName = Annotated[
    str, Path(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$", description="The field of the form.")
]
Key = Annotated[
    str,
    Path(
        pattern=r"^(?:[0-9a-f]{64}|fil_[A-Za-z0-9_-]{1,64})$",
        description="The `sha256` of the file, or `sealed` of one that is sealed.",
    ),
]


class RequestFile(FileFacts):
    """A file of a request, with the field that it was uploaded for."""

    field: str
    by: str


class MessageFiles(Shape):
    """Files that were uploaded for a message: send them with it within the hour."""

    items: list[FileFacts]


class RequestFiles(Shape):
    """The files that were uploaded for a request or are in its arguments, the oldest first."""

    items: list[RequestFile]


_BYTES = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    },
    "parameters": [
        {
            "name": "name",
            "in": "query",
            "required": False,
            "schema": {"type": "string"},
            "description": "The name of the file.",
        },
        {
            "name": "Content-Digest",
            "in": "header",
            "required": False,
            "schema": {"type": "string"},
            "description": "`sha-256=:…:`; a file that arrives otherwise is refused.",
        },
    ],
}
_FORM = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "description": "A part for each file, named like its field.",
                    "additionalProperties": {"type": "string", "format": "binary"},
                }
            }
        },
    }
}


@router.post("/api/files", operation_id="upload_message_files", openapi_extra=_FORM)
async def attach_form(request: Request) -> MessageFiles:
    """Upload files of a message as a form, in parts of any name."""
    parts = _parts(request, "of its own")
    kept = [await attach_part(request, file) for _, file in parts.files]
    return MessageFiles(items=[FileFacts.of(each) for each in kept])


@router.put("/api/files", operation_id="upload_message_file", openapi_extra=_BYTES)
async def attach(request: Request) -> FileFacts:
    """Upload a file of a message as the body; send it with the message within the hour."""
    return FileFacts.of(await attach_bytes(request))


@router.get(
    "/api/conversations/{id}/files/{key}",
    operation_id="download_message_file",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def attached(id: Id, key: Key, request: Request) -> StreamingResponse:
    """Download a file that a message of the conversation carries."""
    return await download_attached(request, id, key)


@router.get("/api/requests/{id}/files", operation_id="list_files")
async def files(id: Id, service: ServiceDep, caller: CallerDep) -> RequestFiles:
    """List the files that were uploaded for a request's form, or are in its call's arguments."""
    found = await service.assent.files.of_request(id, by=caller.person)
    return RequestFiles(items=[_listed(each) for each in found])


@router.post("/api/requests/{id}/files", operation_id="upload_files", openapi_extra=_FORM)
async def upload_form(id: Id, request: Request, caller: CallerDep) -> RequestFiles:
    """Upload files as a form: each part is named like the field that it is for."""
    made = [
        RequestFile(**_facts(kept), field=field, by=caller.person.id)
        for field, file in _parts(request, "named like its field").files
        for kept in [await receive_part(request, id, field, file)]
    ]
    return RequestFiles(items=made)


@router.put("/api/requests/{id}/files/{field}", operation_id="upload_file", openapi_extra=_BYTES)
async def upload_bytes(id: Id, field: FieldName, request: Request) -> FileFacts:
    """Upload a file as the body; it is checked while it arrives, and nothing is kept of a half."""
    return FileFacts.of(await receive_bytes(request, id, field))


@router.get(
    "/api/requests/{id}/files/{key}",
    operation_id="download_file",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/octet-stream": {}}}},
)
async def content(id: Id, key: Key, request: Request) -> StreamingResponse:
    """Download a file; a sealed one is for its tool only."""
    return await download(request, id, key)


@router.delete(
    "/api/requests/{id}/files/{field}/{key}", operation_id="remove_file", status_code=204
)
async def remove(
    id: Id, field: FieldName, key: Key, service: ServiceDep, caller: CallerDep
) -> None:
    """Take back an upload while its request is open."""
    await service.assent.files.remove(id, field, key, by=caller.person)


def _parts(request: Request, which: str) -> Parts:
    parts = parts_of(request)
    if parts is None or not parts.files:
        raise InvalidCommand(f"Send multipart/form-data with a file in a part {which}")
    return parts


def _facts(reference: FileReference) -> dict[str, Any]:
    return {**reference.to_json()}


def _listed(use: FileUse) -> RequestFile:
    return RequestFile(**_facts(use.reference), field=use.field, by=use.by)
