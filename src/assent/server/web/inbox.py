"""What waits: for me first, then what else I may see."""

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


async def inbox(request: Request) -> Response:
    """One page of requests, with filters."""
    service, person = service_of(request), caller_of(request).person
    asked = request.query_params
    is_open = asked.get("show", "open") != "all"
    risk, kind = _one_of(Risk, asked.get("risk")), _one_of(RequestKind, asked.get("kind"))
    box = Inbox(
        person=person,
        wanted=RequestFilter(
            status=RequestStatus.OPEN if is_open else None,
            kind=kind,
            risk=risk,
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


def _one_of(kind: type[Risk] | type[RequestKind], given: str | None) -> str | None:
    return given if given in set(kind) else None


routes: list[BaseRoute] = [GuardedRoute("/", inbox, methods=["GET"])]
