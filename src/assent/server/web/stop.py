"""The page of a stop link: at the end of a mail, for whoever wants no more of them."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.engine.people.stop_links import StopLink
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of

_DEAD = "This link is not complete, or not from here."


async def look(request: Request) -> Response:
    """Show a button; opening the link changes nothing, because mail scanners open links."""
    service = service_of(request)
    attempt = service.auth.link_attempt(request)
    service.auth.throttle.begin(attempt)
    link = service.assent.people.stop_links.look(request.path_params["token"])
    if link is None:
        service.auth.throttle.failed(attempt)
        return _dead(service, request)
    return _page(service, request, link, is_stopped=False)


async def stop(request: Request) -> Response:
    """Stop the mails; mail programs post here by themselves when asked to (RFC 8058)."""
    service = service_of(request)
    attempt = service.auth.link_attempt(request)
    service.auth.throttle.begin(attempt)
    link = await service.assent.people.stop_links.stop(request.path_params["token"])
    if link is None:
        service.auth.throttle.failed(attempt)
        return _dead(service, request)
    return _page(service, request, link, is_stopped=True)


def _page(service: Service, request: Request, link: StopLink, *, is_stopped: bool) -> Response:
    return service.pages.render(
        request, "stop", channel=link.channel, person=link.person, is_stopped=is_stopped
    )


def _dead(service: Service, request: Request) -> Response:
    return service.pages.render(request, "dead_link", status=404, problem=_DEAD)


routes: list[BaseRoute] = [
    GuardedRoute("/stop/{token}", look, methods=["GET"]),
    GuardedRoute("/stop/{token}", stop, methods=["POST"]),
]
