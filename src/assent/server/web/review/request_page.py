"""The page of one request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from assent.domain.canonical import Json, encode
from assent.domain.cards import Blank, Items, Text, Verb
from assent.domain.lifecycle import RequestKind
from assent.domain.people import Person
from assent.presentation import html
from assent.presentation.diff import changes
from assent.presentation.html_values import block
from assent.presentation.markup import Html
from assent.presentation.outline import RegionName
from assent.presentation.rendering import Rendered
from assent.presentation.values import hints_of
from assent.server.caller import caller_of
from assent.server.posted import Posted
from assent.server.service import service_of
from assent.server.web.history.glance import on_a_line, status_class, status_words
from assent.server.web.review.editing.spelling import spelt
from assent.server.web.review.matters import Matter
from assent.server.web.review.revising import ARGUMENTS, Edit
from assent.server.web.review.seal import seal_of
from assent.server.web.review.verdicts import ANSWER, DRAFT
from assent.server.web.words import prefilled

# What a decision came to, in the words of the notice that follows it.
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
# What somebody may have typed before it turned out that there is nothing left to decide.
_TYPED: Final = {"reason": "Your reason", "output": "Your result", ARGUMENTS: "Your arguments"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a posted form came to, where it did not decide: shown with the form again."""

    verb: str = ""
    problem: str = ""
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    posted: Posted | None = None
    status: int = 200
    edit: Edit | None = None
    done: str = ""
    back: str = ""

    def value(self, name: str, default: str = "") -> str:
        """What somebody typed before, so that nothing is lost."""
        return default if self.posted is None or name not in self.posted else self.posted.one(name)

    @property
    def typed(self) -> Sequence[tuple[str, str]]:
        """What was typed in vain, without anything that may be secret."""
        found = ((words, self.value(name).strip()) for name, words in _TYPED.items())
        return [(words, text) for words, text in found if text]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A field of an input form, with what is in it now."""

    blank: Blank
    name: str
    value: str
    values: Sequence[str]
    error: str
    is_kept: bool

    @property
    def condition(self) -> str:
        """When it is asked for at all, as JSON; empty if always."""
        rule = self.blank.field.show_if
        return "" if rule is None else encode(rule.equals)


def request_page(request: Request, matter: Matter, said: Said) -> Response:
    """Everything about a request, and what this person can do."""
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
        filled=_filled(matter, said),
        wanted=spelt(output.schema) if output is not None else "",
        edited=_edited(matter),
        outcome=None if matter.call.output is None else block(matter.call.output),
        status_words=status_words,
        status_class=status_class,
        on_a_line=on_a_line,
    )


def rendered(matter: Matter) -> Rendered:
    """The card as the page shows it: with its own form, and its own list of earlier calls."""
    omit = {RegionName.SIMILAR} | ({RegionName.FORM} if matter.may_decide else set[RegionName]())
    return html.render(matter.card, level=1, omit=omit, with_choices=False)


def _done(matter: Matter, person: Person, verb: str) -> str:
    """What this person did, if they did: an address alone makes nobody say so."""
    if verb == DRAFT:
        is_made = matter.request.draft is not None and matter.may_decide
    else:
        verdict = Verb.APPROVE if verb == Verb.EDIT else verb
        is_made = any(n.by == person.id and n.verdict == verdict for n in matter.card.history)
    return _DONE.get(verb, "") if is_made else ""


def _edited(matter: Matter) -> Html | None:
    """What an approval changed, for whoever looks at it later."""
    if matter.edit is None:
        return None
    before = next(each for each in matter.revisions if each.revision == matter.request.revision)
    after = matter.edit.arguments.thaw()
    found = changes(before.arguments.thaw(), after, hints_of(matter.tool))
    return html.render_changes(found) if found else None


def _sentence(effect: str, matter: Matter) -> str:
    # A tool's name is written as it is, also at the beginning.
    is_name = effect.startswith(matter.card.tool)
    return f"{effect if is_name else effect[:1].upper() + effect[1:]}."


def _filled(matter: Matter, said: Said) -> list[Filled]:
    return [_one(blank, matter, said) for blank in matter.card.blanks]


def _one(blank: Blank, matter: Matter, said: Said) -> Filled:
    name = f"{ANSWER}{blank.field.name}"
    start = _start(blank, matter.draft.get(blank.field.name))
    posted = said.posted is not None and name in said.posted
    return Filled(
        blank=blank,
        name=name,
        value=said.value(name, start[-1] if start else ""),
        values=said.posted.all(name) if posted and said.posted else start,
        error=said.errors.get(name, ""),
        is_kept=blank.field.name in matter.kept_secrets,
    )


def _start(blank: Blank, drafted: Json) -> list[str]:
    """What is in a field before anybody typed: the draft, else what is suggested."""
    if drafted is None and blank.prefilled is not None:
        match blank.prefilled:
            case Items(items=items):
                return [item.text for item in items if isinstance(item, Text)]
            case _:
                return [prefilled(blank)]
    known = blank.field.default if drafted is None else drafted
    if known is None:
        return []
    return [_text(each) for each in known] if isinstance(known, list) else [_text(known)]


def _text(value: Json) -> str:
    return value if isinstance(value, str) else spelt(value)
