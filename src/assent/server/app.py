"""The composition of the service: all routes and middleware in one app."""

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Final

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute, Match

from assent.domain import parameters
from assent.engine.assent import Assent
from assent.errors import InvalidParameter
from assent.server import channel_hooks, problems
from assent.server.api import (
    audit,
    calls,
    channels,
    conversations,
    document,
    events,
    field_options,
    files,
    health,
    notifications,
    own_rules,
    people,
    preferences,
    request_cards,
    requests,
    tools,
)
from assent.server.auth import pages
from assent.server.auth.authenticator import Authenticator
from assent.server.caller_tools import CallerTools
from assent.server.open_streams import OpenStreams, on_stop
from assent.server.pictures import Pictures
from assent.server.security import Protection
from assent.server.service import DatabasePulse, Service
from assent.server.settings import Settings
from assent.server.streams import user_input, validate_tool
from assent.server.streams.agui import AguiProtocol
from assent.server.streams.data_stream import DataStreamProtocol
from assent.server.streams.protocol import StreamProtocol, routes_of
from assent.server.streams.ui_messages import UiMessageProtocol
from assent.server.web import error_pages, static_files, stop
from assent.server.web.admin import channels as channel_pages
from assent.server.web.admin import keys
from assent.server.web.admin import notifications as notification_pages
from assent.server.web.admin import own_rules as own_rule_pages
from assent.server.web.admin import people as people_pages
from assent.server.web.admin import preferences as preference_pages
from assent.server.web.admin import settings as settings_pages
from assent.server.web.admin import tools as tool_pages
from assent.server.web.chat import files as chat_files
from assent.server.web.chat import forms as chat_forms
from assent.server.web.chat import routes as chat_pages
from assent.server.web.history import routes as history_pages
from assent.server.web.inbox import batch, inbox
from assent.server.web.insights import routes as insight_pages
from assent.server.web.insights.cache import Surveys
from assent.server.web.pages import Pages
from assent.server.web.review import files as review_files
from assent.server.web.review import link
from assent.server.web.review import routes as review_pages

# Headers that frontends on other origins read to tell the streams apart and to know when to retry.
EXPOSED = ("x-vercel-ai-data-stream", "x-vercel-ai-ui-message-stream", "retry-after")
PROTOCOLS: Sequence[StreamProtocol] = (
    UiMessageProtocol(),
    DataStreamProtocol(),
    AguiProtocol(),
)
# Routes are made once, when their modules load; a path without a row in `access` fails there.
ROUTES: Sequence[BaseRoute] = (
    *health.router.routes,
    *conversations.router.routes,
    *calls.router.routes,
    *calls.reports.routes,
    *requests.router.routes,
    *request_cards.router.routes,
    *field_options.router.routes,
    *files.router.routes,
    *conversations.values_router.routes,
    *tools.router.routes,
    *audit.router.routes,
    *events.routes,
    *notifications.router.routes,
    *own_rules.router.routes,
    *preferences.router.routes,
    *channels.router.routes,
    *people.router.routes,
    *(route for each in PROTOCOLS for route in routes_of(each)),
    *validate_tool.routes,
    *user_input.routes,
    *channel_hooks.routes,
    *pages.routes,
    *static_files.routes,
    *inbox.routes,
    *batch.routes,
    *review_pages.routes,
    *review_files.routes,
    *chat_files.routes,
    *link.routes,
    *stop.routes,
    *chat_pages.routes,
    *chat_forms.routes,
    *history_pages.routes,
    *insight_pages.routes,
    *tool_pages.routes,
    *people_pages.routes,
    *keys.routes,
    *settings_pages.routes,
    *notification_pages.routes,
    *own_rule_pages.routes,
    *preference_pages.routes,
    *channel_pages.routes,
)


def create_app(
    assent: Assent,
    settings: Settings | None = None,
    *,
    protocols: Sequence[StreamProtocol] = (),
) -> FastAPI:
    """Return an ASGI app that serves this engine, alone or mounted in another app.

    It opens the engine when it starts. A mounted app is not started: open the engine in the outer
    app. `protocols` are stream protocols of your own, besides those that are built in.
    """
    parameters.instance(Assent).taken("create_app", "assent", assent)
    settings = Settings() if settings is None else settings
    parameters.instance(Settings).taken("create_app", "settings", settings)
    own = _PROTOCOLS.taken("create_app", "protocols", protocols)
    assent.limit(settings.quotas)
    app = FastAPI(
        title="Assent",
        version=version("assent"),
        lifespan=_lifespan,
        docs_url=None,
        redoc_url=None,
    )
    auth = Authenticator(assent, settings)
    live = OpenStreams(auth, settings)
    app.state.service = Service(
        assent=assent,
        settings=settings,
        auth=auth,
        live=live,
        pages=Pages(assent.vault),
        surveys=Surveys(assent.queries.record, assent.clock.monotonic),
        pictures=Pictures(),
        pulse=DatabasePulse(assent),
        tools=CallerTools(),
    )
    app.router.routes.extend(ROUTES)
    for protocol in own:
        app.router.routes.extend(_own_routes(protocol, app.router.routes))
    app.add_middleware(Protection, settings=settings)
    # Outermost, because pages of other origins must be able to read refusals, too.
    app.add_middleware(
        CORSMiddleware,
        allow_origins=settings.frontends,
        allow_methods=("GET", "POST", "PUT", "PATCH", "DELETE"),
        allow_headers=("authorization", "content-type", "idempotency-key", "last-event-id"),
        expose_headers=EXPOSED,
    )
    problems.install(app)
    error_pages.install(app)
    document.install(app)
    return app


_PROTOCOLS: Final = parameters.several(
    parameters.instance(StreamProtocol), tuple, "a StreamProtocol or several of them"
)
_PARAMETER: Final = re.compile(r"\{[^}]*\}")


def _own_routes(protocol: StreamProtocol, others: Sequence[BaseRoute]) -> Sequence[BaseRoute]:
    """Return the routes of a protocol; raises if a path is taken: one would hide the other."""
    found = routes_of(protocol)
    for route in found:
        scope = {"type": "http", "method": "GET", "path": _PARAMETER.sub("x", route.path)}
        if any(other.matches(scope)[0] is not Match.NONE for other in others):
            name = type(protocol).__name__
            raise InvalidParameter(name, "a path", "one that no other route has", repr(route.path))
    return found


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncGenerator[None]:
    service: Service = app.state.service
    async with service.assent:
        with on_stop(service.live.close):
            yield
