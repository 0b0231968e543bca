"""The page of channels for admins: which are served, and what could not be delivered."""

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.engine.deliveries.channels import COUNTED, LISTED
from assent.errors import ChannelInUse, InvalidCommand, NotFound
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.web.admin.channel_names import channel_name
from assent.server.web.admin.credentials import stored_text

_ADDRESS: Final = "/channels"


async def index(request: Request) -> Response:
    """List the channels that the database knows, and the dead letters."""
    return await _index(request)


async def _index(request: Request, *, problem: str = "", status: int = 200) -> Response:
    service, by = service_of(request), caller_of(request).person
    channels, asked = service.assent.channels, request.query_params
    chosen = stored_text(asked.get("channel", "")) or None
    counts = await channels.counts(by=by)
    known = [each for each in await channels.status() if each.name in counts]
    return service.pages.render(
        request,
        "channels",
        status=status,
        channels=known,
        counts=counts,
        letters=await channels.dead_letters(by=by, channel=chosen),
        chosen=chosen or "",
        most=LISTED,
        counted=COUNTED,
        channel_name=channel_name,
        problem=problem,
        done="" if problem else asked.get("done", ""),
    )


async def change(request: Request) -> Response:
    """Do what the pressed button says: send dead letters again, or remove a channel."""
    posted = await posted_of(request)
    match posted.one("do"):
        case "send_again":
            return await _send_again(request, posted)
        case "send_all":
            return await _send_all(request, posted)
        case "remove":
            return await _remove(request, posted)
        case _:
            raise InvalidCommand("No known action was chosen: press one of the buttons of the form")


async def _send_again(request: Request, posted: Posted) -> Response:
    channels, by = service_of(request).assent.channels, caller_of(request).person
    names = ("request", "channel", "address")
    request_id, channel, address = (posted.one(name) for name in names)
    try:
        await channels.send_again(request_id, channel, address, by=by)
    except NotFound:
        # Somebody else was faster, or the request has changed since and is told anyway.
        return RedirectResponse(f"{_ADDRESS}?done=gone", 303)
    return RedirectResponse(f"{_ADDRESS}?done=sent", 303)


async def _send_all(request: Request, posted: Posted) -> Response:
    channels, by = service_of(request).assent.channels, caller_of(request).person
    number = await channels.send_all_again(stored_text(posted.one("channel")), by=by)
    return RedirectResponse(f"{_ADDRESS}?done={'sent' if number else 'gone'}", 303)


async def _remove(request: Request, posted: Posted) -> Response:
    service, by = service_of(request), caller_of(request).person
    name = stored_text(posted.one("channel"))
    if posted.one("confirmed") != "yes":
        counts = await service.assent.channels.counts(by=by)
        if name not in counts:
            raise NotFound("channel", name)
        return service.pages.render(
            request,
            "channel_confirm",
            name=name,
            channel_name=channel_name,
            counts=counts[name],
            counted=COUNTED,
        )
    try:
        await service.assent.channels.remove(name, by=by)
    except ChannelInUse as error:
        return await _index(request, problem=str(error), status=409)
    return RedirectResponse(f"{_ADDRESS}?done=removed", 303)


routes: list[BaseRoute] = [
    GuardedRoute(_ADDRESS, index, methods=["GET"]),
    GuardedRoute(_ADDRESS, change, methods=["POST"]),
]
