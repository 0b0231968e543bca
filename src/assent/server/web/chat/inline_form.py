"""The form that a conversation shows where it was asked for: one at a time."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from assent.domain.lifecycle import RequestKind
from assent.domain.people import Person
from assent.domain.preferences import Keep
from assent.domain.requests import Request
from assent.engine.queries.review import Review
from assent.errors import NotFound
from assent.server.form_data import Posted
from assent.server.service import Service
from assent.server.web.review.editing.json_text import spelt
from assent.server.web.review.form_sheet import FormSheet, SheetState, sheet_of
from assent.server.web.review.searching import FoundPage, Searches

KINDS: Final = frozenset({RequestKind.INPUT, RequestKind.RESULT})


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineState:
    """Which form a page was asked to show, and what came of the last post of it."""

    request_id: str = ""
    place: str = ""
    problem: str = ""
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    posted: Posted | None = None
    left: Sequence[str] = ()
    # What the search of a field found.
    found: FoundPage | None = None

    def value(self, name: str, default: str = "") -> str:
        """Return the value that was typed before, so that nothing is lost."""
        return default if self.posted is None or name not in self.posted else self.posted.one(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineForm:
    """An input form, or the field for a wanted result (then `sheet` is None)."""

    matter: Review
    said: InlineState
    sheet: FormSheet | None
    # How long the person can keep their answers, if they have a choice.
    keeps: Sequence[Keep] = ()

    @property
    def wanted(self) -> str:
        """The format that the tool declares for its result, as JSON; empty if it declares none."""
        tool = self.matter.tool
        output = None if tool is None else tool.tool.output
        return "" if output is None else spelt(output.schema)


async def inline_form(
    service: Service, person: Person, pending: Iterable[Request], state: InlineState
) -> InlineForm | None:
    """Return the form to show: the one that was asked for, else the first that waits."""
    mine = [each for each in pending if is_inline(each) and each.admits(person)]
    chosen = next((each for each in mine if each.id == state.request_id), next(iter(mine), None))
    if chosen is None:
        return None
    said = state if chosen.id == state.request_id else InlineState()
    try:
        [review] = await service.assent.queries.requests.reviews(person, [chosen.id])
    except NotFound:
        return None
    return await asyncio.to_thread(lambda: _drawn(service, person, review(), said))


def is_inline(request: Request) -> bool:
    """Return True if a request is filled in within the conversation."""
    return request.kind in KINDS


def _drawn(
    service: Service, person: Person, matter: Review, said: InlineState
) -> InlineForm | None:
    # It may have been answered since the conversation was read.
    if not matter.may_decide:
        return None
    state = SheetState(
        place=said.place,
        posted=said.posted,
        errors=said.errors,
        left=said.left,
        searches=Searches.within(service, matter, said.posted, said.found),
        person=person,
    )
    sheet = sheet_of(matter, state)
    keeps = matter.request.keeps_for(person) if sheet is not None and sheet.sends else ()
    return InlineForm(matter=matter, said=said, sheet=sheet, keeps=keeps)
