"""What waits: for me first, then what else I may see."""

from enum import StrEnum
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.pages import Place, RequestFilter
from assent.domain.tools import Risk
from assent.engine.listing import Inbox
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.visibility import sees_everything

_PAGE = 30
T = TypeVar("T", bound=StrEnum)


async def inbox(request: Request) -> Response:
    """One page of requests, with filters."""
    service, person = service_of(request), caller_of(request).person
    asked = request.query_params
    is_open = asked.get("show", "open") != "all"
    box = Inbox(
        person=person,
        wanted=RequestFilter(
            status=RequestStatus.OPEN if is_open else None,
            kind=_one_of(RequestKind, asked.get("kind", "")),
            risk=_one_of(Risk, asked.get("risk", "")),
            tool=asked.get("tool") or None,
        ),
        everything=sees_everything(person),
        mine=asked.get("whose", "mine") == "mine",
    )
    begin = Place.parse(asked["after"]) if asked.get("after") else None
    found = await service.assent.kernel.store.run(lambda tx: box.page(tx, after=begin, limit=_PAGE))
    return service.pages.render(
        request,
        "inbox",
        items=found.items,
        next=found.next,
        kinds=list(RequestKind),
        risks=list(Risk),
        asked={name: asked.get(name, "") for name in ("show", "whose", "risk", "kind", "tool")},
    )


def _one_of(kind: type[T], given: str) -> T | None:
    """A filter that is none of its values is no filter."""
    return next((value for value in kind if value == given), None)


routes: list[BaseRoute] = [GuardedRoute("/", inbox, methods=["GET"])]
