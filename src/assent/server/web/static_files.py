"""The route of our own few files."""

from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.server.guard import GuardedRoute
from assent.server.service import service_of

# The address carries the content's hash, so that what is kept is never old.
_KEPT: Final = "public, max-age=31536000, immutable"


async def serve(request: Request) -> Response:
    """A file, for as long as the browser likes to keep it."""
    asset = service_of(request).pages.assets.get(request.path_params["name"])
    headers = {"etag": f'"{asset.hash}"', "cache-control": _KEPT}
    return Response(asset.content, media_type=asset.media_type, headers=headers)


routes: list[BaseRoute] = [GuardedRoute("/static/{name}", serve, methods=["GET"])]
