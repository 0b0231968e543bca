"""The second step: what exactly will run, and the value to type where that is asked for."""

from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

from assent.domain.calls import Frozen
from assent.domain.canonical import Json
from assent.domain.cards import Verb
from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.errors import AssentError, ConfirmationRequired, TooEarly
from assent.presentation import html
from assent.presentation.diff import changes
from assent.presentation.html_values import entries
from assent.presentation.markup import Html
from assent.presentation.phrases import phrase_of
from assent.presentation.values import entries_of, hints_of
from assent.server.posted import Posted
from assent.server.service import service_of
from assent.server.web.review import seal
from assent.server.web.review.matters import Matter
from assent.server.web.review.request_page import rendered
from assent.server.web.review.revising import ARGUMENTS, VIEW, Revising, as_text

_QUESTIONS: Mapping[str, str] = {
    Verb.EDIT: "Run it with these changes?",
    Verb.RUN_AGAIN: "Run it now, after all?",
}
_WRONG = "That is not it. Compare it letter by letter."


def confirmation_page(
    request: Request,
    matter: Matter,
    posted: Posted,
    edited: Mapping[str, Json] | None,
    *,
    problem: AssentError | None = None,
    status: int = 200,
) -> Response:
    """Asks once more; nothing is decided yet."""
    verb = posted.one("verdict")
    is_wrong = isinstance(problem, ConfirmationRequired)
    return service_of(request).pages.render(
        request,
        "confirm",
        status=status,
        matter=matter,
        question=matter.request,
        card=rendered(matter),
        heading=_QUESTIONS.get(verb, "Run this now?"),
        verb=verb,
        digest=posted.one("digest"),
        seal=posted.one(seal.FIELD),
        back=posted.one("back"),
        view=posted.one(VIEW),
        arguments="" if edited is None else as_text(edited),
        arguments_name=ARGUMENTS,
        difference=None if edited is None else _difference(matter, edited),
        whole=None if edited is None else _whole(matter, edited),
        phrase=_phrase(matter, edited, problem),
        typed=posted.one("typed"),
        wrong=_WRONG if is_wrong and posted.one("typed") else "",
        problem=_words(problem),
    )


def _words(problem: AssentError | None) -> str:
    match problem:
        case None | ConfirmationRequired():
            return ""
        case TooEarly():
            return "That was quick. Read it first, then approve it once more."
        case _:
            return str(problem)


def _difference(matter: Matter, edited: Mapping[str, Json]) -> Html:
    """What an edit changes; empty where it changes nothing."""
    before = matter.call.arguments.thaw()
    found = changes(before, _fitting(matter, edited), hints_of(matter.tool))
    return html.render_changes(found) if found else Html("")


def _whole(matter: Matter, edited: Mapping[str, Json]) -> Html:
    """Everything that will run, changed or not."""
    return entries(entries_of(_fitting(matter, edited), hints_of(matter.tool)))


def _fitting(matter: Matter, edited: Mapping[str, Json]) -> dict[str, Json]:
    whole = Revising(matter).whole(edited)
    tool = matter.tool
    return whole if tool is None else tool.tool.arguments.normalise(whole, partial=False)


def _phrase(
    matter: Matter, edited: Mapping[str, Json] | None, problem: AssentError | None
) -> Phrase | None:
    # A rule may want more of an edit than of what was asked about: the engine says so.
    if isinstance(problem, ConfirmationRequired):
        return Phrase(text=problem.to_type, argument=problem.argument)
    return phrase_for(matter, edited)


def phrase_for(matter: Matter, edited: Mapping[str, Json] | None) -> Phrase | None:
    """What has to be typed, if anything: of what runs, not of what was asked."""
    if matter.card.confirmation is not Confirmation.TYPED or edited is None:
        return matter.card.to_type
    return phrase_of(matter.call.tool, Frozen.of(_fitting(matter, edited)), matter.tool)
