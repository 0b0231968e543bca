"""The settings page of a person: roles, sessions, keys and theme."""

from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.errors import InvalidCommand, NotAllowed, NotFound
from assent.server.auth.flow import local_path
from assent.server.caller import Method, caller_of
from assent.server.form_data import posted_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.web.admin.credentials import (
    SCOPES,
    live_sessions,
    may_end,
    open_scopes,
    scopes_by_key,
)
from assent.server.web.admin.people import KINDS, ROLES
from assent.server.web.pages import Theme, keep_theme, theme_named

_KEYS: Final = 20
_METHODS: Final = {
    Method.KEY: "an API key",
    Method.SESSION: "this browser's session",
    Method.JWT: "a token of your identity provider",
    Method.PROXY: "the proxy in front of this service",
    Method.LOCAL: "this machine",
}


async def show(request: Request) -> Response:
    """Show the caller's own account."""
    service, caller = service_of(request), caller_of(request)
    people, me = service.assent.people, caller.person
    mine = await live_sessions(people, me.id, by=me)
    keys = await people.directory.keys(me.id, by=me, after="", limit=_KEYS)
    return service.pages.render(
        request,
        "settings",
        caller=caller,
        account=await people.find(me.id),
        method=_METHODS[caller.method],
        sessions=[(each, may_end(caller, each)) for each in mine],
        keys=[(each, may_end(caller, each)) for each in keys.items],
        opened=scopes_by_key(keys.items, me),
        now=datetime.now(UTC),
        roles=ROLES,
        kinds=KINDS,
        opens=[SCOPES[scope] for scope in open_scopes(caller.scopes, me)],
        scopes=SCOPES,
        themes=list(Theme),
        done=request.query_params.get("done", ""),
    )


async def end(request: Request) -> Response:
    """Sign out elsewhere: end one session, or all except this one."""
    caller, posted = caller_of(request), await posted_of(request)
    people, me = service_of(request).assent.people, caller.person
    mine = {each.id: each for each in await live_sessions(people, me.id, by=me)}
    if posted.one("do") == "others":
        wanted = [id for id in mine if id != caller.credential and may_end(caller, mine[id])]
    elif posted.one("do") == "one":
        wanted = [posted.one("session")]
    else:
        raise InvalidCommand("No known action was chosen: press one of the buttons of the form")
    for id in wanted:
        if id not in mine:
            raise NotFound("session", id)
        if not may_end(caller, mine[id]):
            raise NotAllowed(me.id, "end a session that may do more than this one")
        await people.sessions.end(id, by=me)
    return RedirectResponse("/settings?done=ended", 303)


async def choose_theme(request: Request) -> Response:
    """Keep the theme in a cookie and go back to where it was chosen."""
    posted = await posted_of(request)
    response = RedirectResponse(local_path(posted.one("next") or "/settings"), 303)
    secure = urlsplit(service_of(request).settings.origin).scheme == "https"
    keep_theme(response, theme_named(posted.one("theme")), secure=secure)
    return response


routes: list[BaseRoute] = [
    GuardedRoute("/settings", show, methods=["GET"]),
    GuardedRoute("/settings/sessions", end, methods=["POST"]),
    GuardedRoute("/settings/appearance", choose_theme, methods=["POST"]),
]
