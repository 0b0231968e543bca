"""Pages to sign in and out with a browser; all of them work without a script."""

from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.credentials import Purpose, SignIn
from assent.domain.people import PersonKind
from assent.errors import IdentityUnavailable, NotFound, SignInFailed, TooManyRequests
from assent.server.auth.csrf import csrf_token
from assent.server.auth.flow import START, Flow, local_path
from assent.server.caller import Method, caller_of
from assent.server.form_data import posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of

_WRONG_KEY: Final = "This key is not valid. Is it complete, and has it not expired?"
_DEAD_LINK: Final = "This link was used already, or it has expired. Ask for a new one."


def _page(request: Request, template: str, status: int = 200, **values: object) -> Response:
    return service_of(request).pages.render(request, template, status=status, **values)


def _ask(request: Request, *, target: str, problem: str = "", status: int = 200) -> Response:
    issuers = [
        each.openid.name
        for each in service_of(request).auth.issuers.values()
        if each.openid.client_id is not None
    ]
    page = _page(
        request,
        "sign_in",
        status,
        target=local_path(target),
        problem=problem,
        issuers=issuers,
    )
    if status == 401:
        page.headers["www-authenticate"] = "Bearer"
    return page


async def ask(request: Request) -> Response:
    """Show the sign-in page; a person who is signed in already is sent on."""
    service = service_of(request)
    caller = await service.auth.identify(request)
    # A person who came by the link to one request may want to see more.
    if caller is not None and caller.method is Method.SESSION and caller.request_id is None:
        return RedirectResponse(local_path(request.query_params.get("next", START)), 303)
    return _ask(request, target=request.query_params.get("next", START))


async def sign_in(request: Request) -> Response:
    """Sign in with an API key."""
    service, form = service_of(request), await posted_of(request)
    target = form.one("next", START)
    try:
        found = await service.auth.key_of(request, form.one("key").strip())
    except TooManyRequests as error:
        page = _ask(request, target=target, problem=str(error), status=429)
        page.headers["retry-after"] = str(error.retry_after)
        return page
    if found is None or found[0].kind is PersonKind.AGENT:
        return _ask(request, target=target, problem=_WRONG_KEY, status=401)
    _, token = await service.assent.people.sessions.open(
        found[0].id, SignIn.KEY, key=found[1], replacing=service.auth.cookies.session(request)
    )
    return _signed_in(service, target, token)


async def look(request: Request) -> Response:
    """Show the page of a sign-in link, with a button.

    Opening it changes nothing, because mail scanners open links, too.
    """
    service, token = service_of(request), request.path_params["token"]
    attempt = service.auth.link_attempt(request)
    service.auth.throttle.begin(attempt)
    link = await service.assent.people.links.look(token)
    if link is None or link.purpose is not Purpose.SIGN_IN:
        service.auth.throttle.failed(attempt)
        return _page(request, "dead_link", 404, problem=_DEAD_LINK)
    account = await service.assent.people.get(link.person)
    return _page(request, "sign_in_link", token=token, name=account.name)


async def redeem(request: Request) -> Response:
    """Sign in with a link, once."""
    service, form = service_of(request), await posted_of(request)
    attempt = service.auth.link_attempt(request)
    service.auth.throttle.begin(attempt)
    people = service.assent.people
    link = await people.links.redeem(form.one("token"), Purpose.SIGN_IN)
    if link is None:
        service.auth.throttle.failed(attempt)
        return _page(request, "dead_link", 404, problem=_DEAD_LINK)
    _, token = await people.sessions.open(
        link.person, SignIn.LINK, replacing=service.auth.cookies.session(request)
    )
    return _signed_in(service, form.one("next", START), token)


async def leave(request: Request) -> Response:
    """Send the browser to the sign-in page of an issuer."""
    service = service_of(request)
    if request.method == "HEAD":
        return Response()
    flow, target = _flow(service, request.path_params["name"]), request.query_params.get("next", "")
    try:
        address, sealed = await flow.begin(target)
    except (IdentityUnavailable, SignInFailed) as error:
        return _ask(request, target=target, problem=str(error), status=503)
    response = RedirectResponse(address, 303)
    service.auth.cookies.keep_flow(response, sealed)
    return response


async def come_back(request: Request) -> Response:
    """Finish a sign-in: the issuer sends the browser back here with a code."""
    service = service_of(request)
    if request.method == "HEAD":
        return Response()
    flow = _flow(service, request.path_params["name"])
    attempt = service.auth.link_attempt(request)
    service.auth.throttle.begin(attempt)
    try:
        arrived = await flow.finish(service.auth.cookies.flow(request), dict(request.query_params))
    except SignInFailed as error:
        service.auth.throttle.failed(attempt)
        return _failed(service, request, str(error))
    except IdentityUnavailable as error:
        return _ask(request, target=START, problem=str(error), status=503)
    people = service.assent.people
    account = await people.welcome(arrived.person, name=arrived.name)
    if account.disabled or PersonKind.AGENT in (account.kind, arrived.person.kind):
        return _failed(service, request, "This account may not sign in here.")
    _, token = await people.sessions.open(
        account.id,
        SignIn.OIDC,
        roles=arrived.person.roles,
        replacing=service.auth.cookies.session(request),
    )
    response = _signed_in(service, arrived.target, token)
    service.auth.cookies.drop_flow(response)
    return response


async def sign_out(request: Request) -> Response:
    """End the session, here and for every stream that it opened."""
    service, caller = service_of(request), caller_of(request)
    if caller.method is Method.SESSION:
        await service.assent.people.sessions.end(caller.credential, by=caller.person)
    response = RedirectResponse("/sign-in", 303)
    service.auth.cookies.drop_session(response)
    response.headers["clear-site-data"] = '"cache", "storage"'
    return response


async def session(request: Request) -> Response:
    """Return the signed-in person, and the `X-CSRF-Token` to send with every change."""
    service, caller = service_of(request), caller_of(request)
    return JSONResponse(
        {
            "person": caller.person.id,
            "kind": caller.person.kind,
            "roles": sorted(caller.person.roles),
            "method": caller.method,
            "scopes": sorted(caller.scopes),
            "csrf_token": csrf_token(service.assent.vault, caller),
        }
    )


def _flow(service: Service, name: str) -> Flow:
    tokens = service.auth.issuers.get(name)
    if tokens is None or tokens.openid.client_id is None:
        raise NotFound("issuer", name)
    return Flow(tokens, service.assent.vault, service.settings.origin)


def _signed_in(service: Service, target: str, token: str) -> Response:
    response = RedirectResponse(local_path(target), 303)
    service.auth.cookies.keep_session(response, token)
    return response


def _failed(service: Service, request: Request, problem: str) -> Response:
    response = _ask(request, target=START, problem=problem, status=403)
    service.auth.cookies.drop_flow(response)
    return response


routes: list[BaseRoute] = [
    GuardedRoute("/sign-in", ask, methods=["GET"]),
    GuardedRoute("/sign-in", sign_in, methods=["POST"]),
    GuardedRoute("/sign-in/link", redeem, methods=["POST"]),
    GuardedRoute("/sign-in/link/{token}", look, methods=["GET"]),
    GuardedRoute("/sign-in/openid/{name}", leave, methods=["GET"]),
    GuardedRoute("/sign-in/openid/{name}/callback", come_back, methods=["GET"]),
    GuardedRoute("/sign-out", sign_out, methods=["POST"]),
    GuardedRoute("/api/session", session, methods=["GET"]),
]
