"""The page to decide several requests of one tool: each is shown in full and decided by itself."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.decisions import Verdict
from assent.domain.verdicts import Verb, row_of
from assent.engine.queries.review import Review
from assent.errors import (
    AlreadySettled,
    AssentError,
    InvalidCommand,
    NotEligible,
    StaleDigest,
    StoreUnavailable,
)
from assent.presentation import html
from assent.presentation.outline import RegionName
from assent.presentation.rendering import Rendered
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.problems import facts_of
from assent.server.service import service_of
from assent.server.web.inbox.batch_rules import MOST, check, check_number
from assent.server.web.inbox.rows import LONGEST, Row, rows_of
from assent.server.web.review import shown_token

# Codes in the address of the result page, and the words that the page shows for undecided requests.
_DECIDED: Final = "decided"
_SILENT: Final = "silent"
_WHY: Final[Mapping[str, str]] = {
    "changed": "Not decided: it changed since you looked",
    "settled": "Not decided by you: it was settled before",
    "not_yours": "Not decided: it is not yours to decide",
    "not_you": "Not decided by you",
    _SILENT: "Not decided: the database did not answer",
    "failed": "Not decided: open it to see why",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One request of a batch, as its page shows it; only open ones can be ticked."""

    matter: Review
    card: Rendered
    seal: str
    ticked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """The result for one request, derived from its current state."""

    row: Row
    words: str
    is_good: bool


async def show(request: Request) -> Response:
    """Show all selected requests, each with its whole card."""
    ids = _unique(request.query_params.getlist("id"))
    try:
        matters = await _matters(request, ids)
        # In a thread: fifty cards of models' texts take long to lay out and would block others.
        return await asyncio.to_thread(_page, request, matters, ticked=ids)
    except InvalidCommand as error:
        return await _refused(request, error, ids)


async def decide(request: Request) -> Response:
    """Decide the ticked requests, each with the digest that was shown with it."""
    posted = await posted_of(request)
    ids = _unique(posted.all("id"))
    try:
        matters = await _matters(request, ids)
        verdict = _verdict(posted)
    except InvalidCommand as error:
        return await _refused(request, error, ids)
    said = await _decide_each(request, matters, verdict, posted)
    return RedirectResponse(f"/batch/done?{urlencode(said)}", 303)


async def done(request: Request) -> Response:
    """Show the result for each request."""
    given = request.query_params.multi_items()[:MOST]
    rows = await _rows(request, [id for _, id in given])
    mine = await _mine(request, [row.request.id for row in rows])
    outcomes = [
        _outcome(row, how, is_mine=row.request.id in mine)
        for row, (how, _) in zip(rows, given, strict=True)
    ]
    good = sum(each.is_good for each in outcomes)
    return service_of(request).pages.render(request, "batch_done", outcomes=outcomes, good=good)


async def _rows(request: Request, ids: Sequence[str]) -> list[Row]:
    """Return a row for each of these requests, as they are now."""
    person, assent = caller_of(request).person, service_of(request).assent
    found = await assent.queries.requests.these(person, ids, longest=LONGEST)
    return rows_of(found, assent.catalogue)


async def _mine(request: Request, ids: Sequence[str]) -> set[str]:
    """Return the requests that this person really decided; anyone can type the address."""
    person, assent = caller_of(request).person, service_of(request).assent
    return await assent.queries.requests.decided_by(person, ids)


async def _matters(request: Request, ids: Sequence[str]) -> list[Review]:
    """Return these requests for review; raises `InvalidCommand` if they do not go together."""
    check_number(ids)
    assent, person = service_of(request).assent, caller_of(request).person
    found = await assent.queries.requests.reviews(person, ids)
    matters = await asyncio.to_thread(lambda: [matter() for matter in found])
    check([matter.card for matter in matters])
    return matters


def _unique(ids: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ids))


def _verdict(posted: Posted) -> Verdict:
    verb = posted.one("verdict")
    if verb not in (Verb.APPROVE, Verb.REJECT):
        raise InvalidCommand("The form says neither approve nor reject")
    return row_of(verb).read({"reason": posted.one("reason").strip()})


async def _decide_each(
    request: Request, matters: Sequence[Review], verdict: Verdict, posted: Posted
) -> list[tuple[str, str]]:
    """Decide one after the other; if the database stops answering, the rest is left undecided."""
    said = list[tuple[str, str]]()
    for matter in matters:
        try:
            said.append((await _decide(request, matter, verdict, posted), matter.request.id))
        except StoreUnavailable:
            # The error says that nothing was changed, which is not true of the requests before.
            if not said:
                raise
            break
    return [*said, *((_SILENT, each.request.id) for each in matters[len(said) :])]


async def _decide(request: Request, matter: Review, verdict: Verdict, posted: Posted) -> str:
    """Decide one request and return a code for how it went."""
    service, caller, id = service_of(request), caller_of(request), matter.request.id
    try:
        token, by = posted.one(f"{shown_token.FIELD}.{id}"), caller.person
        sight = shown_token.Sight(person=by, request=matter.request, has_voted=matter.has_voted)
        await service.assent.decide(
            id,
            verdict,
            by=caller.person,
            digest=posted.one(f"digest.{id}") or "none",
            shown=shown_token.witnessed(service, sight, token, verdict),
            channel=caller.channel,
        )
    except StoreUnavailable:
        raise
    except AssentError as error:
        return _why(error)
    return _DECIDED


def _why(error: AssentError) -> str:
    match error:
        case StaleDigest():
            return "changed"
        case AlreadySettled():
            return "settled"
        case NotEligible():
            return "not_yours"
        case _:
            return "failed"


def _outcome(row: Row, how: str, *, is_mine: bool) -> BatchOutcome:
    # If the database did not answer, it was unknown whether the decision counts; now its rows tell.
    if how not in (_DECIDED, _SILENT) or not is_mine:
        words = _WHY.get(how, _WHY["not_you" if how == _DECIDED else "failed"])
        return BatchOutcome(row=row, words=words, is_good=False)
    # If further approvals are needed, the request stays open.
    words = "Recorded: it needs further approvals" if row.request.is_open else "Decided"
    return BatchOutcome(row=row, words=words, is_good=True)


def _page(request: Request, matters: Sequence[Review], ticked: Sequence[str]) -> Response:
    items = [_item(request, matter, ticked) for matter in matters]
    return service_of(request).pages.render(
        request,
        "batch",
        items=items,
        first=matters[0].card,
        deciding=[item for item in items if item.matter.may_decide],
    )


def _item(request: Request, matter: Review, ticked: Sequence[str]) -> Item:
    service, person = service_of(request), caller_of(request).person
    card = html.render(matter.card, level=2, omit={RegionName.SIMILAR}, with_choices=False)
    token = shown_token.seal_of(service, person, matter.request, card) if matter.may_decide else ""
    return Item(matter=matter, card=card, seal=token, ticked=matter.request.id in ticked)


async def _refused(request: Request, error: AssentError, ids: Sequence[str]) -> Response:
    status = facts_of(error)[0]
    rows = await _rows(request, ids) if len(ids) <= MOST else []
    return service_of(request).pages.render(
        request, "batch_refused", status=status, problem=str(error), rows=rows
    )


routes: list[BaseRoute] = [
    GuardedRoute("/batch", show, methods=["GET"]),
    GuardedRoute("/batch", decide, methods=["POST"]),
    GuardedRoute("/batch/done", done, methods=["GET"]),
]
