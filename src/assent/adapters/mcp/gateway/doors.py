"""The gateway's door over HTTP: which addresses it answers at, and the key that opens it."""

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings

from assent.domain import parameters
from assent.domain.parameters import Check, hidden, optional, several, taken

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.types import ASGIApp, Receive, Scope, Send

_HERE: Final = ("127.0.0.1", "localhost", "[::1]")
_BEARER: Final = b"bearer "


def _origin(given: object) -> object:
    scheme, _, host = given.partition("://") if isinstance(given, str) else ("", "", "")
    is_host = bool(host) and not any(each in host for each in "/?#@ ")
    return given if is_host and scheme in ("http", "https") else parameters.unfit()


def _key(given: object) -> object:
    # An empty one would let everybody in who sends the word Bearer.
    fits = isinstance(given, str) and given != "" and not any(map(str.isspace, given))
    return given if fits else parameters.unfit()


_ORIGINS: Final = "an origin such as https://assent.example.com, or several"
_DOOR: Final = {
    "origins": several(Check("an origin", _origin), tuple, _ORIGINS),
    "key": hidden(optional(Check("text without a space", _key))),
}


def http_app(
    server: "Server[object]", *, origins: Iterable[str], key: str | None = None
) -> "Starlette":
    """Return the ASGI app that serves clients at `/mcp`.

    It answers at `origins` and at this machine's own names only: a page whose name was made to
    mean this machine gets nowhere. With a key, clients send `Authorization: Bearer …`.
    """
    given = taken("http_app()", {"origins": origins, "key": key}, _DOOR)
    own: tuple[str, ...] = given["origins"]
    security = TransportSecuritySettings(
        allowed_hosts=[urlsplit(origin).netloc for origin in own] + [f"{host}:*" for host in _HERE],
        allowed_origins=[*own, *(f"http://{host}:*" for host in _HERE)],
    )
    app = server.streamable_http_app(transport_security=security)
    if key is not None:
        app.add_middleware(KeyWanted, key=key)
    return app


@dataclass(frozen=True, slots=True)
class KeyWanted:
    """Answers requests without the key with 401, and says nothing else."""

    app: "ASGIApp"
    key: str

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        if scope["type"] == "http" and not self._is_known(scope):
            from starlette.responses import PlainTextResponse

            headers = {"WWW-Authenticate": 'Bearer realm="assent-gateway"'}
            refusal = PlainTextResponse(
                "The key of this gateway is missing or wrong.", 401, headers
            )
            await refusal(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _is_known(self, scope: "Scope") -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if len(given) != 1 or given[0][: len(_BEARER)].lower() != _BEARER:
            return False
        # As long for a wrong key as for one that is almost right.
        return hmac.compare_digest(given[0][len(_BEARER) :].strip(), self.key.encode())
