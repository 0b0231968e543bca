"""The routes of our own few files."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.server.guard import GuardedRoute
from assent.server.service import service_of

# The address carries the version of the content, so that what is kept is never old.
_KEPT: Final = "public, max-age=31536000, immutable"
# Any other address: of an older page, or of another replica's. Kept, but asked for each time.
_ASKED: Final = "no-cache"


async def serve(request: Request) -> Response:
    """A file, for as long as its address stands for it."""
    assets = service_of(request).pages.assets
    asset = assets.get(request.path_params["name"])
    is_current = request.path_params.get("version") == assets.version
    headers = {"etag": f'"{asset.hash}"', "cache-control": _KEPT if is_current else _ASKED}
    if headers["etag"] in _known(request):
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)


async def worker(request: Request) -> Response:
    """The service worker, at the top: below a folder it could open nothing but that folder."""
    asset = service_of(request).pages.assets.get("sw.js")
    return Response(asset.content, media_type=asset.media_type, headers={"cache-control": _ASKED})


def _known(request: Request) -> list[str]:
    """What the browser has; a proxy that compresses makes its tags weak."""
    tags = request.headers.get("if-none-match", "").split(",")
    return [tag.strip().removeprefix("W/") for tag in tags]


routes: list[BaseRoute] = [
    GuardedRoute("/sw.js", worker, methods=["GET"]),
    GuardedRoute("/static/{name}", serve, methods=["GET"]),
    GuardedRoute("/static/{version}/{name}", serve, methods=["GET"]),
]
