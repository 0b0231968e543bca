"""The page of all calls that a person may see, including those that nobody was asked about."""

import asyncio
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.lifecycle import CallStatus
from assent.domain.paging import Place
from assent.domain.record import PastCall
from assent.domain.tools import Risk
from assent.engine.agents import Catalogue
from assent.engine.queries.visibility import sees_everything
from assent.presentation.card import hints_of
from assent.presentation.markup import Html
from assent.presentation.values import entries_of
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.web.history.filters import CALL_FIELDS, Sieve
from assent.server.web.history.summaries import (
    judge_words,
    lasted,
    on_a_line,
    status_class,
    status_words,
)

PAGE: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One call as the list shows it."""

    call: PastCall
    arguments: Html
    status: str
    colour: str
    decided: Html | None
    waited: str


async def history(request: Request) -> Response:
    """Show one page of calls, with filters."""
    service, person = service_of(request), caller_of(request).person
    sieve = Sieve.of(request.query_params, CALL_FIELDS)
    after = place_of(request)
    found = await service.assent.queries.record.past_calls(
        person, sieve.calls, after=after, limit=PAGE
    )
    catalogue = service.assent.catalogue
    # In a thread: all arguments are read to make a line of them, and they may be large.
    lines = await asyncio.to_thread(lambda: [_line(call, catalogue) for call in found.items])
    return service.pages.render(
        request,
        "history",
        lines=lines,
        found=found,
        asked=sieve.asked,
        is_sifted=bool(sieve),
        is_first=after is None,
        everything=sees_everything(person),
        statuses=[(status.value, status_words(status)) for status in CallStatus],
        risks=list(Risk),
        agents=catalogue.names(),
        tools=sorted({tool.tool.name for tool in catalogue.every_tool()}),
    )


def place_of(request: Request) -> Place | None:
    """Return the place where the page begins; raises `BadPage`."""
    given = request.query_params.get("after")
    return Place.parse(given) if given else None


def _line(call: PastCall, catalogue: Catalogue) -> Line:
    hints = hints_of(catalogue.tool(call.agent, call.tool))
    return Line(
        call=call,
        arguments=on_a_line(entries_of(call.arguments.text, hints)),
        status=status_words(call.status),
        colour=status_class(call.status),
        decided=_decided(call),
        waited="" if call.waited is None else lasted(call.waited),
    )


def _decided(call: PastCall) -> Html | None:
    """Name the person or the part of the policy that decided whether the call may run."""
    by = call.decided_by or (None if call.questions else call.cleared_by)
    return judge_words(by) if by else None


routes: list[BaseRoute] = [GuardedRoute("/history", history, methods=["GET"])]
