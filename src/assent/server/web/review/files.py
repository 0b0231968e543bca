"""The files of a request on its page: uploads with a form or by script, downloads and pictures."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from assent.domain.fields import Field
from assent.domain.forms import UserInput
from assent.engine.queries.review import Review
from assent.errors import FileRefused, InvalidAnswer, OverQuota, TooLarge, TooSlow
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.uploads import Parts, download, receive_bytes, receive_part
from assent.server.web.review.verdicts import ANSWER
from assent.server.web.shown_files import ShownFile


async def take_in(request: Request, matter: Review, parts: Parts) -> None:
    """Store the files of a posted form; they become answers of its fields.

    Raises `InvalidAnswer` for files that their fields do not take; the others are kept.
    """
    form = matter.request.question.form
    wanted: Mapping[str, Field] = {} if form is None else UserInput.from_json(form).files
    posted, errors = parts.posted, dict[str, str]()
    for name, file in parts.files:
        field = wanted.get(name.removeprefix(ANSWER))
        if field is None or not name.startswith(ANSWER):
            continue
        try:
            kept = await receive_part(request, matter.request.id, field.name, file)
        except FileRefused as refusal:
            errors[field.name] = refusal.reason
        else:
            # A new file takes the place of the only one there may be.
            posted = posted.with_value(name, kept.key, alone=field.max_files == 1)
    parts.posted = posted
    if errors:
        raise InvalidAnswer(errors)


async def upload(request: Request) -> Response:
    """Store a file that a script of the page sends."""
    path = request.path_params
    try:
        kept = await receive_bytes(request, path["id"], path["field"])
    except (FileRefused, OverQuota, TooLarge, TooSlow) as error:
        # Not an error of the page: it tells the person, and the form goes on.
        said = error.reason if isinstance(error, FileRefused) else f"{error}."
        return JSONResponse({"problem": said})
    shown = ShownFile(kept)
    told = {"key": kept.key, "facts": shown.facts, "picture": shown.is_drawable}
    return JSONResponse({**kept.to_json(), **told})


async def saved(request: Request) -> Response:
    """Send a file, to be saved."""
    return await download(request, request.path_params["id"], request.path_params["key"])


async def picture(request: Request) -> Response:
    """Show an image, drawn anew."""
    caller = caller_of(request)
    service = service_of(request)
    _, content = await service.assent.files.open(
        request.path_params["id"], request.path_params["key"], by=caller.person
    )
    drawn, kind = await service.pictures.draw(content)
    return Response(drawn, media_type=kind)


routes: list[BaseRoute] = [
    GuardedRoute("/requests/{id}/files/{field}", upload, methods=["PUT"]),
    GuardedRoute("/requests/{id}/files/{key}", saved, methods=["GET"]),
    GuardedRoute("/requests/{id}/files/{key}/picture", picture, methods=["GET"]),
]
