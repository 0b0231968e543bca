"""Checks before every handler: authentication, permission, and protection against CSRF."""

from collections.abc import Mapping
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from assent.engine.threads import offload
from assent.errors import InvalidCommand, NotAllowed, NotAuthenticated
from assent.server.access import Need, need_of
from assent.server.auth import csrf
from assent.server.caller import Caller
from assent.server.form_data import Posted
from assent.server.security import RequestBody, is_form
from assent.server.service import Service, service_of
from assent.server.uploads import UploadBody, is_multipart, let_go
from assent.server.web.pages import waiting_for


async def admit(need: Need, scope: Scope, receive: Receive) -> Receive:
    """Let the caller through to a route with this need, or raise; return the body to read from."""
    connection = HTTPConnection(scope)
    service = service_of(connection)
    connection.state.need = need
    is_safe = scope["method"] in csrf.SAFE_METHODS
    if need.public:
        if not is_safe:
            csrf.check_origin(connection, service.settings.origin)
    else:
        caller = connection.state.caller = await _known(need, connection, service)
        if need.page:
            await welcome(connection, caller, service)
    if need.files and not is_safe and (is_multipart(connection.headers) or not need.page):
        return await _admit_upload(service, connection, receive)
    body = await RequestBody.read(scope, receive, service.settings, history=need.history)
    if not (need.public or is_safe):
        await _check_intent(service, connection, await _token_in(connection, body))
    return body.receive


async def _admit_upload(service: Service, connection: HTTPConnection, receive: Receive) -> Receive:
    """Let a file through as it arrives; a form with files is read to its end, onto the disk."""
    body = UploadBody(connection.scope, receive, service.settings)
    if not is_multipart(connection.headers):
        await _check_intent(service, connection, "")
        return body.receive
    if connection.scope["method"] == "PUT":
        raise InvalidCommand("The body of a PUT is the file itself; a form with files is a POST")
    parts = connection.state.parts = await body.parts()
    await _check_intent(service, connection, parts.posted.one(csrf.FIELD))
    return body.receive


async def welcome(connection: HTTPConnection, caller: Caller, service: Service) -> None:
    """Store the facts that every page shows: the caller, and how many requests wait for them."""
    connection.state.caller = caller
    if caller.request_id is None:
        connection.state.waiting = await waiting_for(service.assent, caller.person)


async def _known(need: Need, connection: HTTPConnection, service: Service) -> Caller:
    caller = await service.auth.identify(connection)
    if caller is None:
        raise NotAuthenticated
    service.auth.throttle.spend(caller.person.id)
    _check(need, caller, door(connection.scope))
    _check_link(need, caller, connection.path_params)
    return caller


def door(scope: Scope) -> str:
    """Return the name of a route for its refusals."""
    return f"{scope['method']} {scope['path']}"


def _check(need: Need, caller: Caller, what: str) -> None:
    person = caller.person
    allowed = (
        person.kind in need.kinds
        and (need.scope is None or need.scope in caller.scopes)
        and (not need.roles or not need.roles.isdisjoint(person.roles))
    )
    if not allowed:
        raise NotAllowed(person.id, what)


def _check_link(need: Need, caller: Caller, about: Mapping[str, str]) -> None:
    """Raise if the caller came by the link to one request and asks for anything else.

    For everything else the recipient of the link has to sign in.
    """
    only = caller.request_id
    if only is not None and not (need.by_link and about.get("id", only) == only):
        raise NotAuthenticated


async def _token_in(connection: HTTPConnection, body: RequestBody) -> str:
    """Return the token in a posted form."""
    if connection.headers.get(csrf.HEADER) or not is_form(connection.headers):
        return ""
    return (await offload(len(body.content), Posted, body.content)).one(csrf.FIELD)


async def _check_intent(service: Service, connection: HTTPConnection, in_form: str) -> None:
    """Raise unless the person meant to send this request.

    Cookies and other credentials that browsers add by themselves prove only who the person is.
    """
    caller: Caller = connection.state.caller
    if caller.method not in csrf.AMBIENT:
        return
    csrf.check_origin(connection, service.settings.origin)
    given = connection.headers.get(csrf.HEADER, "") or in_form
    csrf.check_token(service.assent.vault, caller, given)


class _Guarded:
    """A mixin for routes: looks up the needs when the route is made, checks them on each call."""

    path: str
    methods: set[str] | None
    needs: Mapping[str, Need]

    def _look_up(self, given: Mapping[str, Need] | None = None) -> None:
        methods = self.methods or ()
        if given is None:
            self.needs = {method: need_of(method, self.path) for method in methods}
        else:
            self.needs = {method: given[method] for method in methods}

    async def _admitted(self, scope: Scope, receive: Receive) -> Receive:
        need = self.needs.get(scope["method"])
        return receive if need is None else await admit(need, scope, receive)


class GuardedRoute(_Guarded, Route):
    """A plain route behind the guard; `needs` replaces its rows in the access table."""

    def __init__(self, *args: Any, needs: Mapping[str, Need] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._look_up(needs)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().handle(scope, await self._admitted(scope, receive), send)
        finally:
            await let_go(scope)


class GuardedApi(_Guarded, APIRoute):
    """A typed route behind the guard: `APIRouter(route_class=GuardedApi)`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._look_up()

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().handle(scope, await self._admitted(scope, receive), send)
        finally:
            await let_go(scope)
