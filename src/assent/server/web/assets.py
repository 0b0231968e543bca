"""What pages load besides themselves: our own few files, served from memory."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.errors import NotFound
from assent.server.guard import GuardedRoute
from assent.server.service import service_of

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}
# The address carries the content's hash, so that what is kept is never old.
_KEPT: Final = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One file."""

    content: bytes
    media_type: str
    hash: str


class Assets:
    """All files of the `static` folder, by name."""

    def __init__(self) -> None:
        self._found: dict[str, Asset] = {}
        for file in files("assent.server.web").joinpath("static").iterdir():
            kind = file.name.rpartition(".")[2]
            if kind in _TYPES:
                content = file.read_bytes()
                digest = hashlib.sha256(content).hexdigest()[:12]
                self._found[file.name] = Asset(
                    content=content, media_type=_TYPES[kind], hash=digest
                )

    def address(self, name: str) -> str:
        """Where a page finds a file."""
        return f"/static/{name}?v={self._found[name].hash}"

    def get(self, name: str) -> Asset:
        """One file; `NotFound` if there is none of that name."""
        try:
            return self._found[name]
        except KeyError:
            raise NotFound("file", name) from None


async def serve(request: Request) -> Response:
    """A file, for as long as the browser likes to keep it."""
    asset = service_of(request).pages.assets.get(request.path_params["name"])
    headers = {"etag": f'"{asset.hash}"', "cache-control": _KEPT}
    return Response(asset.content, media_type=asset.media_type, headers=headers)


routes: list[BaseRoute] = [GuardedRoute("/static/{name}", serve, methods=["GET"])]
