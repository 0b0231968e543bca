"""The inbox: requests that wait for the person first, then others that they may see."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeVar

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.paging import Place, RequestFilter
from assent.domain.people import Person
from assent.domain.tools import Risk
from assent.engine.queries.listing import Inbox
from assent.engine.queries.visibility import sees_everything
from assent.server.access import CHAT
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of
from assent.server.web.admin.credentials import may
from assent.server.web.inbox.batch_rules import is_simple
from assent.server.web.inbox.rows import LONGEST, Row, rows_of

_PAGE = 30
_LONGEST_WORD = 128
T = TypeVar("T", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The filters as the address has them; empty where there is none."""

    whose: str = ""
    show: str = ""
    risk: str = ""
    kind: str = ""
    tool: str = ""
    q: str = ""

    @classmethod
    def of(cls, given: QueryParams) -> "Asked":
        """Read the filters of an address; longer values than any name are cut."""
        return cls(**{name: given.get(name, "")[:_LONGEST_WORD] for name in cls.__slots__})

    @property
    def is_narrow(self) -> bool:
        """True if a filter hides some of what waits for the person."""
        return any((self.risk, self.kind, self.tool, self.q))

    @property
    def chosen(self) -> int:
        """The number of choices that differ from their defaults."""
        return sum(map(bool, (self.whose, self.show, self.risk, self.kind)))

    @property
    def is_set(self) -> bool:
        """True if the list differs from the default, which is all that waits for the person."""
        return self.is_narrow or self.chosen > 0

    @property
    def given(self) -> dict[str, str]:
        """The filters by name, for the addresses of other pages of the same list."""
        return {name: getattr(self, name) for name in self.__slots__}

    def box(self, person: Person) -> Inbox:
        """Return the query for the list."""
        return Inbox(
            person=person,
            wanted=RequestFilter(
                status=None if self.show == "all" else RequestStatus.OPEN,
                kind=_one_of(RequestKind, self.kind),
                risk=_one_of(Risk, self.risk),
                tool=self.tool or None,
                text=self.q.strip() or None,
            ),
            everything=sees_everything(person),
            mine=self.whose != "all",
            by_danger=True,
        )


def _one_of(kind: type[T], given: str) -> T | None:
    """Return the enum's member with this value; None, which is no filter, if there is none."""
    return next((value for value in kind if value == given), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage:
    """One page of the list."""

    rows: list[Row]
    next: Place | None
    is_newcomer: bool


async def inbox(request: Request) -> Response:
    """Show one page of requests, with filters."""
    service, person = service_of(request), caller_of(request).person
    asked, after = Asked.of(request.query_params), request.query_params.get("after")
    begin = Place.parse(after) if after else None
    found = await service.assent.queries.requests.inbox(
        asked.box(person), after=begin, limit=_PAGE, longest=LONGEST
    )
    rows = rows_of(found, service.assent.catalogue)
    listed = ListedPage(rows=rows, next=found.next, is_newcomer=found.is_newcomer)
    agent, texts = _suggesting(service) if listed.is_newcomer else ("", ())
    values: dict[str, Any] = {
        "listed": listed,
        "asked": asked,
        "later": begin is not None,
        "kinds": list(RequestKind),
        "risks": list(reversed(Risk)),
        "selectable": _selectable(listed.rows, person),
        "may_chat": may(caller_of(request), CHAT),
        "suggesting": agent,
        "suggestions": texts,
    }
    return service.pages.render(request, "inbox", **values)


def _selectable(rows: Sequence[Row], person: Person) -> frozenset[str]:
    """Return the ids of requests that can be decided together with another on this page."""
    simple = [row.request for row in rows if is_simple(row.request, person)]
    times = Counter((each.agent, each.tool, each.risk) for each in simple)
    return frozenset(each.id for each in simple if times[each.agent, each.tool, each.risk] > 1)


def _suggesting(service: Service) -> tuple[str, Sequence[str]]:
    """Return the first agent that suggests first messages, and those messages."""
    catalogue = service.assent.catalogue
    offers = ((name, catalogue.agent(name).suggestions) for name in catalogue.names())
    return next((offer for offer in offers if offer[1]), ("", ()))


async def waiting(request: Request) -> Response:
    """Return only the number beside the inbox, for pages that are costly to reload."""
    return service_of(request).pages.render(request, "waiting")


routes: list[BaseRoute] = [
    GuardedRoute("/", inbox, methods=["GET"]),
    GuardedRoute("/waiting", waiting, methods=["GET"]),
]
