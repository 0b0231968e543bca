"""The service object that every handler works with."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection, Request

from assent.engine.assent import Assent
from assent.server.auth.authenticator import Authenticator
from assent.server.caller import Caller, caller_of
from assent.server.database_health import Pulse
from assent.server.open_streams import Live
from assent.server.settings import Settings
from assent.server.web.insights.cache import Surveys
from assent.server.web.pages import Pages


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The engine and the parts that serve it, wired once by `create_app`."""

    assent: Assent
    settings: Settings
    auth: Authenticator
    live: Live
    pages: Pages
    surveys: Surveys
    pulse: Pulse


def service_of(connection: HTTPConnection) -> Service:
    """Return the service behind a connection."""
    return connection.app.state.service


# Coroutines, because FastAPI would run a plain function in a thread, twice for each request.
async def _service(request: Request) -> Service:
    return service_of(request)


async def _caller(request: Request) -> Caller:
    return caller_of(request)


ServiceDep = Annotated[Service, Depends(_service)]
CallerDep = Annotated[Caller, Depends(_caller)]
