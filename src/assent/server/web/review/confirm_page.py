"""The second step of an approval: what exactly will run, and a value to type if that is needed."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from assent.domain import requests
from assent.domain.calls import Frozen
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.verdicts import Verb
from assent.engine.queries.review import Review
from assent.errors import AssentError, ConfirmationRequired, TooEarly
from assent.presentation import html
from assent.presentation.diff import changes
from assent.presentation.html_values import entries
from assent.presentation.markup import Html, element, joined
from assent.presentation.phrases import phrase_of
from assent.presentation.rendering import RENDERER_VERSION, Rendered
from assent.presentation.values import entries_of, hints_of
from assent.server.caller import caller_of
from assent.server.form_data import Posted
from assent.server.service import service_of
from assent.server.web.review import shown_token
from assent.server.web.review.edit_form import ARGUMENTS, VIEW, Revising, as_text
from assent.server.web.review.request_page import rendered

_WRONG = "That is not it. Compare it letter by letter."


@dataclass(frozen=True, slots=True, kw_only=True)
class Revised:
    """An edit as its confirmation shows it: the changes, and all arguments that would run."""

    difference: Html
    whole: Html
    # The digest of exactly the arguments that are shown.
    runs: str

    @property
    def rendered(self) -> Rendered:
        """The edit as it was shown, to be recorded with the decision."""
        text = joined((self.difference, self.whole))
        version = f"edit/{RENDERER_VERSION}"
        return Rendered(text=text, complete=True, cut=False, choices=(), version=version)


def confirmation_page(
    request: Request,
    matter: Review,
    posted: Posted,
    edited: Mapping[str, Json] | None,
    *,
    problem: AssentError | None = None,
    status: int = 200,
) -> Response:
    """Ask once more; nothing is decided yet."""
    verb, card = Verb(posted.one("verdict")), rendered(matter)
    revised = None if edited is None else revised_of(matter, edited)
    arguments = None if edited is None else as_text(edited)
    changed = revised is None or revised.difference != ""
    return service_of(request).pages.render(
        request,
        "confirm",
        status=status,
        matter=matter,
        question=matter.request,
        card=card,
        revised=revised,
        words=_wording(matter.request, verb, is_changed=changed),
        verb=verb,
        digest=posted.one("digest"),
        seal=_seal(request, matter, posted, revised, arguments),
        back=posted.one("back"),
        view=posted.one(VIEW),
        arguments=arguments or "",
        arguments_name=ARGUMENTS,
        phrase=_phrase(matter, edited, problem),
        typed=posted.one("typed"),
        wrong=_mistake(posted, problem),
        problem=_words(problem),
    )


def is_confirmed(posted: Posted) -> bool:
    """Return True if the form claims to come from a confirmation; its seal proves it."""
    return posted.one("confirmed") == "yes"


def revised_of(matter: Review, edited: Mapping[str, Json]) -> Revised:
    """Return what an edit changes and what would run; no changes give an empty difference."""
    hints, fitting = hints_of(matter.tool), _fitting(matter, edited)
    frozen = Frozen.of(fitting)
    # Arguments in the order of the form; each value as it is frozen, which is how the tool gets it.
    exact = frozen.thaw()
    after = {name: exact[name] for name in fitting}
    found = changes(matter.call.arguments.thaw(), after, hints)
    return Revised(
        difference=html.render_changes(found) if found else Html(""),
        whole=entries(entries_of(after, hints)) if after else element("p", "No arguments."),
        runs=frozen.digest,
    )


def phrase_for(matter: Review, edited: Mapping[str, Json] | None) -> Phrase | None:
    """Return the value to type, if any, taken from what will run and not from what was asked."""
    if matter.card.confirmation is not Confirmation.TYPED or edited is None:
        return matter.card.to_type
    return phrase_of(matter.call.tool, Frozen.of(_fitting(matter, edited)), matter.tool)


def _seal(
    request: Request,
    matter: Review,
    posted: Posted,
    revised: Revised | None,
    arguments: str | None,
) -> str:
    # After a typing error or a too quick answer the first seal counts: the page was shown then.
    if is_confirmed(posted):
        return posted.one(shown_token.FIELD)
    service, person = service_of(request), caller_of(request).person
    asks = shown_token.confirming(arguments, "" if revised is None else revised.runs)
    shown = rendered(matter) if revised is None else revised.rendered
    return shown_token.seal_of(service, person, matter.request, shown, asks=asks)


def _mistake(posted: Posted, problem: AssentError | None) -> str:
    is_wrong = isinstance(problem, ConfirmationRequired) and posted.one("typed")
    return _WRONG if is_wrong else ""


def _words(problem: AssentError | None) -> str:
    match problem:
        case None | ConfirmationRequired():
            return ""
        case TooEarly():
            return "That was quick. Read it first, then approve it once more."
        case _:
            return str(problem)


def _fitting(matter: Review, edited: Mapping[str, Json]) -> dict[str, Json]:
    whole = Revising(matter).whole(edited)
    tool = matter.tool
    return whole if tool is None else tool.tool.arguments.normalise(whole, partial=False)


def _phrase(
    matter: Review, edited: Mapping[str, Json] | None, problem: AssentError | None
) -> Phrase | None:
    # A rule may demand more for an edit than for the original call; the engine's error says so.
    if isinstance(problem, ConfirmationRequired):
        return Phrase(text=problem.to_type, argument=problem.argument, is_check=problem.is_check)
    return phrase_for(matter, edited)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The words of a confirmation; `note` explains the approval where several are needed."""

    heading: str
    button: str
    # The heading above the arguments of an edit.
    whole: str
    note: str = ""


_ALONE: Final = Wording(
    heading="Run it with these changes?", button="Yes, run it once", whole="It will run with"
)


def _wording(asked: requests.Request, verb: Verb, *, is_changed: bool) -> Wording:
    """Return the words that ask to run it now, or for one of several approvals."""
    is_last = asked.votes + 1 >= asked.quorum
    if verb is Verb.EDIT and is_changed:
        return _ALONE if asked.quorum == 1 else _anew(asked)
    if verb is Verb.RUN_AGAIN:
        heading = "Run it now, after all?" if is_last else "Approve running it after all?"
    else:
        heading = "Run this now?" if is_last else "Approve this?"
    return Wording(
        heading=heading,
        button="Yes, run it once" if is_last else "Yes, approve it",
        whole="It will run with" if is_last else "It would run with",
        note=_worth(asked) if asked.quorum > 1 else "",
    )


def _anew(asked: requests.Request) -> Wording:
    # People who approved before have not seen these arguments.
    earlier = "; those given before do not count for it" if asked.votes else ""
    return Wording(
        heading="Ask for it with these changes?",
        button="Yes, ask for this instead",
        whole="It would run with",
        note=f"It does not run yet: a new question is put to everybody who decides it. Yours is the"
        f" first of {asked.quorum} approvals{earlier}.",
    )


def _worth(asked: requests.Request) -> str:
    left = asked.quorum - asked.votes - 1
    if left <= 0:
        return f"Yours is the last of {asked.quorum} approvals."
    return f"Yours is one of {asked.quorum} approvals: {left} more to come before it runs."
