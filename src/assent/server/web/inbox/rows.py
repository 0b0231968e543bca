"""Requests as rows of a list, with their arguments on a line."""

from dataclasses import dataclass
from typing import Final

from assent.domain.paging import Subject
from assent.domain.requests import Request
from assent.engine.agents import Catalogue
from assent.engine.queries.requests import InboxPage
from assent.presentation.markup import Html, element
from assent.presentation.values import entries_of, hints_of
from assent.server.web.history.wording import on_a_line

# Longer arguments are not read from the database for a list.
LONGEST: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A request in a list with its arguments on a line; it is too short to decide by."""

    request: Request
    about: Html


def rows_of(found: InboxPage, catalogue: Catalogue) -> list[Row]:
    """Return the rows of these requests."""
    return [
        Row(request=each, about=_about(each, found.subjects.get(each.call_id), catalogue))
        for each in found.requests
    ]


def _about(request: Request, subject: Subject | None, catalogue: Catalogue) -> Html:
    # If the call changed since, the list shows nothing rather than other arguments.
    if subject is None or subject.revision != request.revision:
        return Html("")
    if subject.arguments is None:
        return element("span", f"arguments of {subject.size:,} characters", class_="remark")
    hints = hints_of(catalogue.tool(request.agent, request.tool))
    return on_a_line(entries_of(subject.arguments, hints))
