"""The route that changes the theme, without a script."""

from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.server.auth.flow import local_path
from assent.server.form_data import posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.web.themes import keep_theme, named

_BACK = "/settings"


async def choose(request: Request) -> Response:
    """Remember the theme and go back to where it was chosen."""
    posted = await posted_of(request)
    response = RedirectResponse(local_path(posted.one("next") or _BACK), 303)
    secure = urlsplit(service_of(request).settings.origin).scheme == "https"
    keep_theme(response, named(posted.one("theme")), secure=secure)
    return response


routes: list[BaseRoute] = [GuardedRoute("/settings/appearance", choose, methods=["POST"])]
