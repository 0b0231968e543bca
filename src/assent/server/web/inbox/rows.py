"""Requests as rows of a list: with what each is about, read in one go."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from assent.domain.paging import Subject
from assent.domain.requests import Request
from assent.engine.agents import Catalogue
from assent.ports import Tx
from assent.presentation.markup import Html, element
from assent.presentation.values import entries_of, hints_of
from assent.server.web.history.summaries import on_a_line

# Longer arguments are not even read for a list.
LONGEST: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A request in a list, and its arguments on a line; nothing is decided from there."""

    request: Request
    about: Html


def read_rows(tx: Tx, catalogue: Catalogue, requests: Sequence[Request]) -> list[Row]:
    """The rows of these requests."""
    subjects = tx.subjects.arguments(_calls(requests), longest=LONGEST)
    return [
        Row(request=each, about=_about(each, subjects.get(each.call_id), catalogue))
        for each in requests
    ]


def _calls(requests: Iterable[Request]) -> list[str]:
    return list(dict.fromkeys(request.call_id for request in requests))


def _about(request: Request, subject: Subject | None, catalogue: Catalogue) -> Html:
    # Of a call that moved on since, the list says nothing rather than something else.
    if subject is None or subject.revision != request.revision:
        return Html("")
    if subject.arguments is None:
        return element("span", f"arguments of {subject.size:,} characters", class_="remark")
    hints = hints_of(catalogue.tool(request.agent, request.tool))
    return on_a_line(entries_of(subject.arguments, hints))
