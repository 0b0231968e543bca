"""The route class of the native API: behind the guard, and strict about JSON."""

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from assent.domain.canonical import Json, JsonLimits, parse
from assent.engine.threads import aside
from assent.server.guard import GuardedApi
from assent.server.service import service_of

# A body wraps arguments, which may themselves be as deep as a call's may.
_DEPTH = 36


class StrictRequest(Request):
    """A request whose JSON can be read in one way only: no repeated keys, no NaN, no abyss."""

    async def json(self) -> Json:
        """The body, or `InvalidJson`; also where it is empty."""
        if not hasattr(self, "_read"):
            most = service_of(self).settings.max_body_bytes
            body = await self.body()
            limits = JsonLimits(bytes=most, depth=_DEPTH)
            self._read = await aside(len(body), parse, body, limits)
        return self._read


class NativeApi(GuardedApi):
    """`APIRouter(route_class=NativeApi)`: also answers HEAD wherever there is a GET."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return super().matches(self._got(scope))

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().handle(self._got(scope), receive, send)

    def _got(self, scope: Scope) -> Scope:
        # A HEAD is a GET whose body the server does not send.
        headed = scope["type"] == "http" and scope["method"] == "HEAD"
        return {**scope, "method": "GET"} if headed and "GET" in self.needs else scope

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own, given a strict request."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            strict = StrictRequest(request.scope, request.receive)
            # Read here: FastAPI would call every refusal of the body a parse error, without why.
            if self.body_field is not None and await strict.body():
                await strict.json()
            return await handle(strict)

        return handler
