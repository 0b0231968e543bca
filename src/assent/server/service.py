"""The service object that every handler works with, and its health check."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import Depends
from starlette.requests import HTTPConnection, Request

from assent.engine.assent import Assent
from assent.errors import NotReady
from assent.server.auth.authenticator import Authenticator
from assent.server.caller import Caller, caller_of
from assent.server.caller_tools import CallerTools
from assent.server.open_streams import OpenStreams
from assent.server.pictures import Pictures
from assent.server.settings import Settings
from assent.server.web.insights.cache import Surveys
from assent.server.web.pages import Pages

# Shorter than health checks usually wait.
PULSE_SECONDS: Final = 3.0


class DatabasePulse:
    """Checks the database, one check at a time; callers that come meanwhile share its result."""

    def __init__(self, assent: Assent) -> None:
        self._assent = assent
        self._look: asyncio.Task[Exception | None] | None = None

    async def check(self) -> None:
        """Raise unless the database answers within `PULSE_SECONDS`."""
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._answer(), name="assent-pulse")
        # The check is not cancelled: leaving a silent database takes longer than reporting it.
        done, _ = await asyncio.wait({self._look}, timeout=PULSE_SECONDS)
        if not done:
            raise NotReady(f"its database did not answer within {PULSE_SECONDS:g} s")
        if (error := self._look.result()) is not None:
            raise error

    async def _answer(self) -> Exception | None:
        try:
            await self._assent.queries.record.ping()
        except Exception as error:  # noqa: BLE001 - it is raised to every caller
            return error
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The engine and the parts that serve it, wired once by `create_app`."""

    assent: Assent
    settings: Settings
    auth: Authenticator
    live: OpenStreams
    pages: Pages
    surveys: Surveys
    pictures: Pictures
    pulse: DatabasePulse
    tools: CallerTools


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
