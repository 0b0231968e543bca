"""Routes of the native API: their class, strict about JSON, and the parameters they share."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, ClassVar

from fastapi import Header, Path, Query, Request, Response
from pydantic import Field
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from assent.domain.canonical import Json, JsonLimits, parse
from assent.domain.paging import MAX_PLACE_CHARS, Place
from assent.engine.threads import offload
from assent.server.guard import GuardedApi
from assent.server.service import service_of

# A body wraps arguments, which may themselves be as deep as those of a call.
_DEPTH = 36
# Matches every id, ours or a chat client's; no control characters, no slashes.
ID = r"^[A-Za-z0-9._:@|~=+-]{1,200}$"
WORD = r"^[^\x00-\x1f\x7f]{1,200}$"
Id = Annotated[str, Path(pattern=ID, description="The id of it.")]
Word = Annotated[str | None, Query(pattern=WORD)]
IdFilter = Annotated[str | None, Query(pattern=ID)]
Limit = Annotated[int, Query(ge=1, le=200, description="How many, at most.")]
After = Annotated[
    str | None,
    Query(
        pattern=r"^[A-Za-z0-9_-]+$",
        max_length=MAX_PLACE_CHARS,
        description="The `next` of the page before.",
    ),
]
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        pattern=r"^[!-~]{1,200}$",
        description="Sent again with the same body, the first answer comes back.",
    ),
]
Digest = Annotated[
    str,
    Field(
        pattern=r"^[0-9a-f]{64}$",
        description="The `digest` of the request as you saw it; another one is refused with 409.",
    ),
]


class StrictRequest(Request):
    """A request with unambiguous JSON only: no repeated keys, no NaN, limited depth."""

    async def json(self) -> Json:
        """Return the parsed body; raises `InvalidJson`, also if it is empty."""
        if not hasattr(self, "_read"):
            body = await self.body()
            self._read = await offload(len(body), self._parsed, body)
        return self._read

    def _parsed(self, body: bytes) -> Json:
        most = service_of(self).settings.max_body_bytes
        return parse(body, JsonLimits(bytes=most, depth=_DEPTH))


class ReportRequest(StrictRequest):
    """A request that says what a tool returned: nobody approves that, so it may be any JSON."""

    def _parsed(self, body: bytes) -> Json:
        settings = service_of(self).settings
        limits = JsonLimits(bytes=settings.max_history_bytes, depth=settings.max_json_depth)
        return parse(body, limits, any_number=True)


class NativeApi(GuardedApi):
    """The route class of `APIRouter(route_class=NativeApi)`; every GET route also answers HEAD."""

    # Reads the body.
    request: ClassVar[type[StrictRequest]] = StrictRequest

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
            strict = self.request(request.scope, request.receive)
            # Read here: FastAPI would report every refusal of the body as a parse error, without
            # the reason.
            if self.body_field is not None and await strict.body():
                await strict.json()
            return await handle(strict)

        return handler


class ReportApi(NativeApi):
    """The route class of reports of what tools returned."""

    request = ReportRequest


def at(request: Request, path: str) -> dict[str, str]:
    """Return the `Location` header of a new resource, with the prefix the app is mounted under."""
    return {"Location": f"{request.scope.get('root_path', '')}{path}"}


def place(after: str | None) -> Place | None:
    """Return the position at which a page begins; raises `BadPage`."""
    return None if after is None else Place.parse(after)
