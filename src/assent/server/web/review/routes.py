"""Routes of one request: show its page, and decide with a plain form."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.decisions import Approve, RunAgain, RunVerdict, Verdict
from assent.domain.lifecycle import RequestStatus
from assent.domain.verdicts import Verb
from assent.engine.queries.review import Review
from assent.errors import (
    AlreadySettled,
    AssentError,
    ConfirmationRequired,
    DraftChanged,
    InvalidAnswer,
    InvalidOutput,
    NotAuthenticated,
    NotFound,
    StaleDigest,
    Superseded,
    TooEarly,
)
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.problems import facts_of
from assent.server.service import service_of
from assent.server.uploads import parts_of
from assent.server.web.review import shown_token, suggestion_buttons
from assent.server.web.review.answering import MOVES, POSTS, clashes, form_post
from assent.server.web.review.confirm_page import confirmation_page, is_confirmed, phrase_for
from assent.server.web.review.edit_form import DO, BadEdit, EditForm, Revising, as_text
from assent.server.web.review.editing.json_text import sentence
from assent.server.web.review.files import take_in
from assent.server.web.review.form_sheet import SEEN, STEP, SheetState, sheet_of
from assent.server.web.review.request_page import FormState, request_page
from assent.server.web.review.searching import FIND, Searches, search
from assent.server.web.review.told import Told, told_of
from assent.server.web.review.verdicts import ANSWER, DRAFT, MORE, RUNS, verdict_of

# The pages that a decision may lead back to: only our conversations, with any id of a client.
_BACK: Final = re.compile(r"/chat/(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Meant:
    """The verdict of a person, and what the page that they answered must have asked."""

    verdict: Verdict
    asks: str
    # Of an input form: the step that follows, and the fields whose answers are not kept.
    place: str = ""
    left: tuple[str, ...] = ()


async def show(request: Request) -> Response:
    """Show the whole card, with what this person may do about it."""
    matter = await _matter(request)
    told = await told_of(request, matter.request.id)
    return await asyncio.to_thread(_shown, request, matter, told)


async def decide(request: Request) -> Response:
    """Decide; if that takes another step or fails, show a page that says so."""
    matter, posted, parts = await _matter(request), await posted_of(request), parts_of(request)
    try:
        if parts is not None:
            try:
                await take_in(request, matter, parts)
            finally:
                # Files that came are shown again, whatever else was wrong.
                posted = parts.posted
                matter = await _matter(request)
        is_answer = posted.one("verdict") in POSTS
        if FIND in posted and is_answer:
            return await _searched(request, matter, posted)
        if suggestion_buttons.STOP in posted and is_answer:
            await suggestion_buttons.stop(request, matter, posted)
            done = f"done={suggestion_buttons.STOP}#answer"
            return RedirectResponse(f"/requests/{matter.request.id}?{done}", 303)
        return await _answered(request, matter, posted)
    except (NotAuthenticated, NotFound):
        raise
    except BadEdit as error:
        said = _said(posted, "Some of it does not fit the tool.", 422, edit=error.edit)
        return await asyncio.to_thread(_drawn, request, matter, said)
    except AssentError as error:
        return await _refused(request, matter, posted, error)


async def _searched(request: Request, matter: Review, posted: Posted) -> Response:
    """Search for the options of a field, and show the form again with them."""
    person, id = caller_of(request).person, matter.request.id
    came = await search(service_of(request), person, id, posted)
    # Nothing was asked to be decided, so an error of the search is no refusal.
    said = replace(_said(posted, "", 200), found=came.found, errors=came.errors)
    return await asyncio.to_thread(_drawn, request, matter, said)


def _shown(request: Request, matter: Review, told: Sequence[Told]) -> Response:
    asked = request.query_params
    verb = asked.get("do", "")
    edit = Revising(matter).begin() if verb == Verb.EDIT and matter.may_edit else None
    said = FormState(
        verb=verb,
        edit=edit,
        done=asked.get("done", ""),
        back=_way_back(asked.get("back")),
        place=asked.get("step", ""),
        left=asked.getlist("left"),
        told=told,
    )
    return _drawn(request, matter, said)


def _drawn(request: Request, matter: Review, said: FormState) -> Response:
    posted = said.posted if said.verb in POSTS else None
    searches = Searches.within(service_of(request), matter, posted, said.found)
    state = SheetState(
        place=said.place,
        posted=posted,
        errors=said.errors,
        left=said.left,
        searches=searches,
        person=caller_of(request).person,
    )
    return request_page(request, matter, said, sheet_of(matter, state))


async def _matter(request: Request) -> Review:
    service, caller = service_of(request), caller_of(request)
    id, alone = request.path_params["id"], caller.request_id is not None
    [review] = await service.assent.queries.requests.reviews(caller.person, [id], alone=alone)
    return await asyncio.to_thread(review)


async def _answered(request: Request, matter: Review, posted: Posted) -> Response:
    # In a thread: a model's text can take long to check and lay out and would block others.
    found = await asyncio.to_thread(_taken, request, matter, posted)
    if isinstance(found, Response):
        return found
    await decide_as(request, matter, found, posted)
    verb, back = posted.one("verdict"), _way_back(posted.one("back"))
    if verb in MOVES:
        return RedirectResponse(_onward(matter, found, verb, back), 303)
    if back:
        return RedirectResponse(f"{back}#newest", 303)
    return RedirectResponse(f"/requests/{matter.request.id}?done={verb}", 303)


def _onward(matter: Review, meant: Meant, verb: str, back: str) -> str:
    """Return the address of the step that follows a post of a form."""
    asked = {"step": meant.place, "done": DRAFT if verb == DRAFT else "", "back": back}
    pairs = [(name, value) for name, value in asked.items() if value]
    query = urlencode([*pairs, *(("left", name) for name in meant.left)], safe="/:")
    return f"/requests/{matter.request.id}?{query}{'#answer' if meant.place else ''}"


def _taken(request: Request, matter: Review, posted: Posted) -> Response | Meant:
    """Turn the posted form into a verdict, or into another page if it needs one."""
    verb, edited = posted.one("verdict"), None
    # Beside an answer: the edit form has names of its own.
    if MORE in posted and verb in POSTS:
        return _drawn(request, matter, _said(posted, "", 200))
    if suggestion_buttons.USE in posted and verb in POSTS:
        _refuse_stale(matter, posted)
        # The form again, with what is suggested in its control; nothing is decided.
        said = replace(_said(posted, "", 200), verb=Verb.ANSWER, place=posted.one(STEP))
        return _drawn(request, matter, said)
    if verb == Verb.EDIT:
        _refuse_stale(matter, posted)
        if DO in posted:
            edit = Revising(matter).again(posted)
            return _drawn(request, matter, _said(posted, "", 200, edit=edit))
        edited = Revising(matter).read(posted)
    if verb in POSTS and matter.request.question.form is not None:
        return form_meant(matter, posted)
    whole = None if edited is None else Revising(matter).whole(edited)
    verdict = verdict_of(matter.request, matter.tool, posted, whole)
    if _needs_step(matter, verdict, posted):
        _refuse_stale(matter, posted)
        return confirmation_page(request, matter, posted, edited)
    _refuse_mistyped(matter, verdict, edited)
    return Meant(verdict=verdict, asks=_asks(posted, edited))


def form_meant(matter: Review, posted: Posted) -> Meant:
    """Return what a posted input form means; raises `InvalidAnswer` for a step that is not done."""
    found = form_post(matter, posted)
    asks = shown_token.ASKED
    return Meant(verdict=found.verdict, asks=asks, place=found.place, left=found.left)


async def decide_as(request: Request, matter: Review, meant: Meant, posted: Posted) -> None:
    """Decide a request as the person meant it, with the proof of what their page showed."""
    service, caller, shown = service_of(request), caller_of(request), None
    # If the person may not decide, or no longer, the engine refuses it and says why.
    if matter.may_decide:
        by, asked, voted = caller.person, matter.request, matter.has_voted
        sight = shown_token.Sight(person=by, request=asked, asks=meant.asks, has_voted=voted)
        shown = shown_token.witnessed(service, sight, posted.one(shown_token.FIELD), meant.verdict)
    await service.assent.decide(
        matter.request.id,
        meant.verdict,
        by=caller.person,
        digest=posted.one("digest") or "none",
        channel=caller.channel,
        shown=shown,
    )


def _asks(posted: Posted, edited: Mapping[str, Json] | None) -> str:
    """Return what the previous page must have asked; for an edit, with the same arguments."""
    if not is_confirmed(posted):
        return shown_token.ASKED
    return shown_token.confirming(None if edited is None else as_text(edited), posted.one(RUNS))


def _needs_step(matter: Review, verdict: Verdict, posted: Posted) -> bool:
    """Return True if a confirmation comes first: for edits, running again, or where demanded."""
    if is_confirmed(posted):
        return False
    match verdict:
        case Approve(arguments=None):
            return matter.card.confirmation is not Confirmation.CLICK
        case Approve() | RunAgain():
            return True
        case _:
            return False


def _refuse_mistyped(matter: Review, verdict: Verdict, edited: Mapping[str, Json] | None) -> None:
    """Raise if the typed value is wrong, as the engine does, but before `TooEarly` is raised."""
    if not isinstance(verdict, RunVerdict):
        return
    phrase = phrase_for(matter, edited)
    if phrase is not None and not phrase.is_typed(verdict.typed):
        is_typed = bool(verdict.typed)
        raise phrase.refusal(matter.request.id, typed=is_typed)


def _refuse_stale(matter: Review, posted: Posted) -> None:
    """Raise if the request is closed or changed, before the person does more work on it."""
    request = matter.request
    if not request.is_open:
        raise AlreadySettled.of(
            request.id, request.status, by=request.closed_by, at=request.closed_at
        )
    if posted.one("digest") != request.digest:
        raise StaleDigest(request.id)


async def _refused(
    request: Request, matter: Review, posted: Posted, error: AssentError
) -> Response:
    # Another person was faster, or the request changed: show it as it is now.
    is_old = isinstance(error, AlreadySettled | StaleDigest | DraftChanged)
    fresh = await _matter(request) if is_old else matter
    if isinstance(error, Superseded) and fresh.later is not None and posted.one(SEEN):
        # The form has changed: the new one has the answers that fit it, and says which do not.
        back = _way_back(posted.one("back"))
        then = f"?back={back}" if back else ""
        return RedirectResponse(f"/requests/{fresh.later.id}{then}", 303)
    return await asyncio.to_thread(_again, request, fresh, posted, error)


def _again(request: Request, matter: Review, posted: Posted, error: AssentError) -> Response:
    status, is_edit = facts_of(error)[0], posted.one("verdict") == Verb.EDIT
    if isinstance(error, ConfirmationRequired | TooEarly) and matter.may_decide:
        edited = Revising(matter).read(posted) if is_edit else None
        return confirmation_page(request, matter, posted, edited, problem=error, status=status)
    edit = Revising(matter).kept(posted, error) if is_edit and matter.may_edit else None
    kept, errors = posted, errors_of(error)
    if isinstance(error, DraftChanged):
        errors = clashes(matter, posted, error)
        kept = posted.without({SEEN} | {f"{ANSWER}{n}" for n in error.fields} - errors.keys())
    said = _said(kept, words_for(error), status, edit=edit)
    return _drawn(request, matter, replace(said, errors=errors))


def words_for(error: AssentError) -> str:
    """Tell the person why nothing was decided."""
    match error:
        case AlreadySettled(status=RequestStatus.EXPIRED):
            return "Its deadline had passed when this came: nothing of it was recorded."
        case AlreadySettled(status=status, by=by):
            who = f" by {by}" if by else ""
            return f"It was already {status}{who} when this came: nothing of it was recorded."
        case StaleDigest():
            return "It is not what was shown: look again, then decide. Nothing was recorded."
        case InvalidAnswer():
            return "Some answers are missing or do not fit:"
        case DraftChanged():
            return "Answers came from elsewhere since you opened this. Look at them, then go on:"
        case InvalidOutput():
            return "This result does not fit what the tool declares:"
        case _:
            return str(error)


def errors_of(error: AssentError) -> Mapping[str, str]:
    """Return the problems by the control that they are about."""
    match error:
        case InvalidAnswer(errors=errors):
            return {f"{ANSWER}{name}": message for name, message in errors.items()}
        case InvalidOutput(reason=reason):
            return {"output": sentence(reason)}
        case _:
            return {}


def _said(posted: Posted, problem: str, status: int, *, edit: EditForm | None = None) -> FormState:
    return FormState(
        verb=posted.one("verdict"),
        problem=problem,
        posted=posted,
        status=status,
        edit=edit,
        back=_way_back(posted.one("back")),
        place=posted.one(STEP),
    )


def _way_back(given: str | None) -> str:
    return given if given and _BACK.fullmatch(given) else ""


routes: list[BaseRoute] = [
    GuardedRoute("/requests/{id}", show, methods=["GET"]),
    GuardedRoute("/requests/{id}", decide, methods=["POST"]),
]
