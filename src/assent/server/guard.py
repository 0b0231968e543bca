"""What stands before every handler: who is it, and may they?"""

from collections.abc import Mapping
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from assent.domain.errors import NotAllowed, NotAuthenticated
from assent.server.access import Need, need_of
from assent.server.caller import Caller
from assent.server.service import service_of


async def admit(need: Need, scope: Scope, receive: Receive) -> None:
    """Let the caller through to a route with this need, or raise."""
    if need.public:
        return
    connection = HTTPConnection(scope, receive)
    caller = await service_of(connection).auth.identify(connection)
    if caller is None:
        raise NotAuthenticated
    _check(need, caller, f"{scope['method']} {scope['path']}")
    connection.state.caller = caller


def _check(need: Need, caller: Caller, what: str) -> None:
    person = caller.person
    allowed = (
        person.kind in need.kinds
        and (need.scope is None or need.scope in caller.scopes)
        and (not need.roles or not need.roles.isdisjoint(person.roles))
    )
    if not allowed:
        raise NotAllowed(person.id, what)


class _Guarded:
    """Mixed into a route class: looks its needs up when it is made, asks before it handles."""

    path: str
    methods: set[str] | None
    needs: Mapping[str, Need]

    def _look_up(self) -> None:
        self.needs = {method: need_of(method, self.path) for method in self.methods or ()}


class GuardedRoute(_Guarded, Route):
    """A plain route behind the guard."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._look_up()

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        need = self.needs.get(scope["method"])
        if need is not None:
            await admit(need, scope, receive)
        await super().handle(scope, receive, send)


class GuardedApi(_Guarded, APIRoute):
    """A typed route behind the guard: `APIRouter(route_class=GuardedApi)`."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._look_up()

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        need = self.needs.get(scope["method"])
        if need is not None:
            await admit(need, scope, receive)
        await super().handle(scope, receive, send)
