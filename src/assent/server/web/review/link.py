"""Links to one request: a page with a button, then a session for that request alone."""

from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.credentials import Link, Purpose, SignIn
from assent.domain.people import Scope
from assent.server.caller import Caller, Method
from assent.server.form_data import posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of

_DEAD: Final = (
    "This link was used before, its time is over, or there is nothing left to decide behind it."
)
_SCOPES: Final = frozenset({Scope.READ, Scope.DECIDE})


def address_of(origin: str, token: str) -> str:
    """Return the address of a link, for the program that sends it."""
    return f"{origin}/r/{token}"


async def look(request: Request) -> Response:
    """Show a button; opening the link changes nothing, because mail scanners open links."""
    service = service_of(request)
    attempt = service.auth.link_attempt(request)
    service.auth.throttle.begin(attempt)
    token = request.path_params["token"]
    link = await service.assent.people.links.look(token)
    if link is None or link.purpose is not Purpose.DECIDE:
        service.auth.throttle.failed(attempt)
        return _dead(service, request)
    account = await service.assent.people.get(link.person)
    return service.pages.render(
        request, "open_request", token=token, name=account.name, until=link.expires_at
    )


async def follow(request: Request) -> Response:
    """Use the link up and open its request."""
    service, token = service_of(request), (await posted_of(request)).one("token")
    attempt = service.auth.link_attempt(request)
    service.auth.throttle.begin(attempt)
    link = await service.assent.people.links.redeem(token, Purpose.DECIDE)
    if link is None:
        service.auth.throttle.failed(attempt)
        return _dead(service, request)
    response = RedirectResponse(f"/requests/{link.request_id}", 303)
    # A signed-in person keeps their session: the link's would shut them out of everything else.
    if not _is_at_home(await service.auth.identify(request), link):
        service.auth.cookies.keep_session(response, await _session(service, request, link))
    return response


def _is_at_home(caller: Caller | None, link: Link) -> bool:
    return (
        caller is not None
        and caller.method is Method.SESSION
        and caller.request_id is None
        and caller.person.id == link.person
        and caller.scopes >= _SCOPES
    )


async def _session(service: Service, request: Request, link: Link) -> str:
    _, token = await service.assent.people.sessions.open(
        link.person,
        SignIn.LINK,
        scopes=_SCOPES,
        request_id=link.request_id,
        until=link.expires_at,
        replacing=service.auth.cookies.session(request),
    )
    return token


def _dead(service: Service, request: Request) -> Response:
    return service.pages.render(request, "dead_link", status=404, problem=_DEAD)


routes: list[BaseRoute] = [
    GuardedRoute("/r", follow, methods=["POST"]),
    GuardedRoute("/r/{token}", look, methods=["GET"]),
]
