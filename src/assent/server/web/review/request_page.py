"""The page of one request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from assent.domain.cards import Verb
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.people import Person
from assent.engine.queries.review import Review
from assent.presentation import html
from assent.presentation.diff import changes
from assent.presentation.html_values import block
from assent.presentation.markup import Html
from assent.presentation.outline import RegionName
from assent.presentation.rendering import Rendered
from assent.presentation.values import hints_of
from assent.server.caller import caller_of
from assent.server.form_data import Posted
from assent.server.service import service_of
from assent.server.web.history.summaries import on_a_line, status_class, status_words
from assent.server.web.review.edit_form import ARGUMENTS, Edit
from assent.server.web.review.editing.json_text import spelt
from assent.server.web.review.input_form import filled_of
from assent.server.web.review.shown_token import seal_of
from assent.server.web.review.verdicts import DRAFT

# The notice after a decision.
_DONE: Final[Mapping[str, str]] = {
    Verb.APPROVE: "Approved.",
    Verb.EDIT: "Approved with your changes.",
    Verb.REJECT: "Rejected.",
    Verb.ANSWER: "Answered.",
    Verb.SUPPLY: "Result supplied.",
    Verb.FAIL: "Reported as failed.",
    Verb.CANCEL: "Cancelled.",
    Verb.RAN: "It counts as run.",
    Verb.DID_NOT_RUN: "It counts as not run.",
    Verb.RUN_AGAIN: "It runs again.",
    DRAFT: "Draft kept.",
}
# Texts that a person may have typed before they learn that the request is closed.
_TYPED: Final = {"reason": "Your reason", "output": "Your result", ARGUMENTS: "Your arguments"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A posted form that decided nothing, with the problem: the page shows both again."""

    verb: str = ""
    problem: str = ""
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    posted: Posted | None = None
    status: int = 200
    edit: Edit | None = None
    done: str = ""
    back: str = ""

    def value(self, name: str, default: str = "") -> str:
        """Return the value that was typed before, so that nothing is lost."""
        return default if self.posted is None or name not in self.posted else self.posted.one(name)

    @property
    def typed(self) -> Sequence[tuple[str, str]]:
        """The texts that were typed in vain, without any that may be secret."""
        found = ((words, self.value(name).strip()) for name, words in _TYPED.items())
        return [(words, text) for words, text in found if text]


def request_page(request: Request, matter: Review, said: Said) -> Response:
    """Show everything about a request, and what this person can do."""
    service, person = service_of(request), caller_of(request).person
    card = rendered(matter)
    output = matter.tool.tool.output if matter.tool else None
    return service.pages.render(
        request,
        "request",
        status=said.status,
        matter=matter,
        question=matter.request,
        card=card,
        seal=seal_of(service, person, matter.request, card) if matter.may_decide else "",
        said=said,
        done=_done(matter, person, said.done),
        kinds=RequestKind,
        effects={each.verb: _sentence(each.effect, matter) for each in matter.card.choices},
        filled=filled_of(matter, said.posted, said.errors),
        wanted=spelt(output.schema) if output is not None else "",
        edited=_edited(matter),
        outcome=_outcome(matter),
        status_words=status_words,
        status_class=status_class,
        on_a_line=on_a_line,
    )


def rendered(matter: Review) -> Rendered:
    """Render the card for the page, which has its own form and its own list of earlier calls."""
    omit = {RegionName.SIMILAR} | ({RegionName.FORM} if matter.may_decide else set[RegionName]())
    return html.render(matter.card, level=1, omit=omit, with_choices=False)


def _done(matter: Review, person: Person, verb: str) -> str:
    """Return the notice for a decision of this person, if it exists: an address is no proof."""
    if verb == DRAFT:
        is_made = matter.request.draft is not None and matter.may_decide
    else:
        verdict = Verb.APPROVE if verb == Verb.EDIT else verb
        is_made = any(n.by == person.id and n.verdict == verdict for n in matter.card.history)
    return _DONE.get(verb, "") if is_made else ""


def _edited(matter: Review) -> Html | None:
    """Return the changes that an approval made, for people who look at it later."""
    if matter.edit is None:
        return None
    before = next(each for each in matter.revisions if each.revision == matter.request.revision)
    after = matter.edit.arguments.thaw()
    found = changes(before.arguments.thaw(), after, hints_of(matter.tool))
    return html.render_changes(found) if found else None


def _outcome(matter: Review) -> Html | None:
    """Return the tool's output; None if it never ran, because that text is for agents only."""
    has_run = matter.call.status in (CallStatus.SUCCEEDED, CallStatus.FAILED)
    return block(matter.call.output) if has_run and matter.call.output is not None else None


def _sentence(effect: str, matter: Review) -> str:
    # A tool's name keeps its case, also at the start of a sentence.
    is_name = effect.startswith(matter.card.tool)
    return f"{effect if is_name else effect[:1].upper() + effect[1:]}."
