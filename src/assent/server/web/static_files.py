"""Routes of the static files."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.server.guard import GuardedRoute
from assent.server.service import service_of

# The address has the version of the content, so that a cached file is never outdated.
_KEPT: Final = "public, max-age=31536000, immutable"
# Any other address, of an older page or another replica: cached, but checked each time.
_ASKED: Final = "no-cache"


async def serve(request: Request) -> Response:
    """Serve a file; an address with the current version may be cached for good."""
    assets = service_of(request).pages.assets
    asset = assets.get(request.path_params["name"])
    is_current = request.path_params.get("version") == assets.version
    headers = {"etag": f'"{asset.hash}"', "cache-control": _KEPT if is_current else _ASKED}
    if headers["etag"] in _known(request):
        return Response(status_code=304, headers=headers)
    return Response(asset.content, media_type=asset.media_type, headers=headers)


async def worker(request: Request) -> Response:
    """Serve the service worker at the top: below a folder it would control only that folder."""
    asset = service_of(request).pages.assets.get("sw.js")
    return Response(asset.content, media_type=asset.media_type, headers={"cache-control": _ASKED})


def _known(request: Request) -> list[str]:
    """Return the ETags that the browser has; compressing proxies make them weak."""
    tags = request.headers.get("if-none-match", "").split(",")
    return [tag.strip().removeprefix("W/") for tag in tags]


routes: list[BaseRoute] = [
    GuardedRoute("/sw.js", worker, methods=["GET"]),
    GuardedRoute("/static/{name}", serve, methods=["GET"]),
    GuardedRoute("/static/{version}/{name}", serve, methods=["GET"]),
]
