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

# A body wraps arguments, which may themselves be as deep as those of a call.
_DEPTH = 36


class StrictRequest(Request):
    """A request with unambiguous JSON only: no repeated keys, no NaN, limited depth."""

    async def json(self) -> Json:
        """Return the parsed body; raises `InvalidJson`, also if it is empty."""
        if not hasattr(self, "_read"):
            most = service_of(self).settings.max_body_bytes
            body = await self.body()
            limits = JsonLimits(bytes=most, depth=_DEPTH)
            self._read = await aside(len(body), parse, body, limits)
        return self._read


class NativeApi(GuardedApi):
    """The route class of `APIRouter(route_class=NativeApi)`; every GET route also answers HEAD."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return super().matches(self._got(scope))

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().handle(self._got(scope), receive, send)

    def _got(self, scope: Scope) -> Scope:
        # A HEAD is handled as a GET whose body the server does not send.
        headed = scope["type"] == "http" and scope["method"] == "HEAD"
        return {**scope, "method": "GET"} if headed and "GET" in self.needs else scope

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's handler, given a strict request."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            strict = StrictRequest(request.scope, request.receive)
            # Read here: FastAPI would report every refusal of the body as a parse error, without
            # the reason.
            if self.body_field is not None and await strict.body():
                await strict.json()
            return await handle(strict)

        return handler
