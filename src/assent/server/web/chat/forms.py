"""Forms in a conversation: an input form or a wanted result, answered where it was asked for."""

import asyncio
from dataclasses import replace
from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.lifecycle import RequestKind
from assent.domain.verdicts import Verb
from assent.engine.queries.review import Review
from assent.errors import (
    AlreadySettled,
    AssentError,
    DraftChanged,
    InvalidCommand,
    NotAuthenticated,
    NotFound,
    StaleDigest,
)
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.guard import GuardedRoute
from assent.server.problems import facts_of
from assent.server.service import service_of
from assent.server.uploads import parts_of
from assent.server.web.chat.inline_form import InlineState
from assent.server.web.chat.routes import page
from assent.server.web.review import shown_token, suggestion_buttons
from assent.server.web.review.answering import MOVES, POSTS, clashes
from assent.server.web.review.files import take_in
from assent.server.web.review.form_sheet import SEEN, STEP
from assent.server.web.review.routes import Meant, decide_as, errors_of, form_meant, words_for
from assent.server.web.review.searching import FIND, SearchResult, search
from assent.server.web.review.verdicts import ANSWER, MORE, verdict_of

# The buttons that decide nothing: more rows of a table, a search, and those beside a suggestion.
_AGAIN: Final = (MORE, FIND, suggestion_buttons.USE, suggestion_buttons.STOP)
_KINDS: Final = {RequestKind.INPUT: POSTS, RequestKind.RESULT: frozenset({str(Verb.SUPPLY)})}


async def answer(request: Request) -> Response:
    """Take a form of a conversation; if it does not count, show it again there, with the reason."""
    matter, posted, parts = await _matter(request), await posted_of(request), parts_of(request)
    try:
        if parts is not None:
            try:
                await take_in(request, matter, parts)
            finally:
                # Files that came are shown again, whatever else was wrong.
                matter, posted = await _matter(request), parts.posted
        if any(name in posted for name in _AGAIN):
            return await _again(request, matter, posted)
        meant = await asyncio.to_thread(_meant, matter, posted)
        await decide_as(request, matter, meant, posted)
    except (NotAuthenticated, NotFound):
        raise
    except AssentError as error:
        return await _refused(request, matter, posted, error)
    return RedirectResponse(_onward(request, matter, meant, posted), 303)


async def _matter(request: Request) -> Review:
    person, id = caller_of(request).person, request.path_params["request_id"]
    [review] = await service_of(request).assent.queries.requests.reviews(person, [id])
    matter = await asyncio.to_thread(review)
    if matter.request.conversation_id != request.path_params["id"]:
        raise NotFound("request", id)
    return matter


async def _again(request: Request, matter: Review, posted: Posted) -> Response:
    """Show the form as its button asks for; nothing is decided."""
    id, place, came = matter.request.id, posted.one(STEP), SearchResult(found=None, errors={})
    if FIND in posted:
        came = await search(service_of(request), caller_of(request).person, id, posted)
    if suggestion_buttons.STOP in posted:
        await suggestion_buttons.stop(request, matter, posted)
    state = InlineState(
        request_id=id, place=place, posted=posted, found=came.found, errors=came.errors
    )
    return await page(request, form=state)


def _meant(matter: Review, posted: Posted) -> Meant:
    verb = posted.one("verdict")
    if verb not in _KINDS.get(matter.request.kind, ()):
        raise InvalidCommand("This form can only be answered: open its own page for the rest")
    if matter.request.kind is RequestKind.INPUT:
        return form_meant(matter, posted)
    verdict = verdict_of(matter.request, matter.tool, posted)
    return Meant(verdict=verdict, asks=shown_token.ASKED)


def _onward(request: Request, matter: Review, meant: Meant, posted: Posted) -> str:
    conversation = request.path_params["id"]
    if posted.one("verdict") not in MOVES:
        return f"/chat/{conversation}#newest"
    asked = [("form", matter.request.id), ("step", meant.place)]
    left = [("left", name) for name in meant.left]
    query = urlencode([(name, value) for name, value in (*asked, *left) if value])
    return f"/chat/{conversation}?{query}#{matter.call.id}"


async def _refused(
    request: Request, matter: Review, posted: Posted, error: AssentError
) -> Response:
    status, words = facts_of(error)[0], words_for(error)
    if isinstance(error, AlreadySettled | StaleDigest):
        # There may be another form by now: what is said about this one stands above them all.
        return await page(request, trouble=words, status=status)
    state = InlineState(
        request_id=matter.request.id,
        place=posted.one(STEP),
        problem=words,
        errors=errors_of(error),
        posted=posted,
    )
    if isinstance(error, DraftChanged):
        errors = await asyncio.to_thread(clashes, await _matter(request), posted, error)
        gone = {f"{ANSWER}{name}" for name in error.fields} - errors.keys()
        state = replace(state, errors=errors, posted=posted.without(gone | {SEEN}))
    return await page(request, form=state, status=status)


routes: list[BaseRoute] = [
    GuardedRoute("/chat/{id}/requests/{request_id}", answer, methods=["POST"])
]
