"""The page of one request."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from assent.domain.canonical import Json, encode
from assent.domain.cards import Blank, Items, Text
from assent.domain.field_types import Control
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.people import Person
from assent.domain.verdicts import VERDICTS, offers
from assent.engine.queries.review import Review
from assent.presentation import html
from assent.presentation.diff import changes
from assent.presentation.html_values import block, value
from assent.presentation.markup import Html
from assent.presentation.outline import RegionName
from assent.presentation.rendering import Rendered
from assent.presentation.values import hints_of
from assent.server.caller import caller_of
from assent.server.form_data import Posted
from assent.server.service import service_of
from assent.server.web.history.wording import on_a_line, status_class, status_words
from assent.server.web.review.edit_form import ARGUMENTS, EditForm
from assent.server.web.review.editing.json_text import is_plain, spelt
from assent.server.web.review.shown_token import seal_of
from assent.server.web.review.told import Told
from assent.server.web.review.verdicts import ANSWER, DRAFT
from assent.server.web.template_filters import prefilled

# Characters that a control of one line joins or drops.
_BREAKS: Final = re.compile(r"[\n\t]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A field of an input form with its current value."""

    blank: Blank
    name: str
    value: str
    values: Sequence[str]
    error: str
    is_kept: bool

    @property
    def suggested(self) -> Html | None:
        """The value from the agent or saved before, including all that a control would hide."""
        return None if self.blank.prefilled is None else value(self.blank.prefilled)

    @property
    def is_left(self) -> bool:
        """True if the suggestion is not put into its control, which could not show all of it."""
        return not _is_fit(self.blank)

    @property
    def may_be_unsaid(self) -> bool:
        """True if a yes-or-no field may also be left without an answer."""
        field = self.blank.field
        return not field.required and field.default is None and self.blank.prefilled is None

    @property
    def condition(self) -> str:
        """The value of another field that makes it visible, as JSON; empty if always visible."""
        rule = self.blank.field.show_if
        return "" if rule is None else encode(rule.equals)


def filled_of(matter: Review, posted: Posted | None, errors: Mapping[str, str]) -> list[Filled]:
    """Return the fields of a request's form; values that were typed before are kept."""
    return [_filled(blank, matter, posted, errors) for blank in matter.card.blanks]


def _filled(
    blank: Blank, matter: Review, posted: Posted | None, errors: Mapping[str, str]
) -> Filled:
    name = f"{ANSWER}{blank.field.name}"
    if posted is not None and name in posted:
        values = posted.all(name)
    else:
        values = _start(blank, matter.draft)
    return Filled(
        blank=blank,
        name=name,
        value=values[-1] if values else "",
        values=values,
        error=errors.get(name, ""),
        is_kept=blank.field.name in matter.kept_secrets,
    )


def _start(blank: Blank, draft: Mapping[str, Json]) -> list[str]:
    """Return the first values of a field: the draft, or else the suggestion."""
    is_drafted = blank.field.name in draft
    if not is_drafted and blank.prefilled is not None:
        return _suggested(blank) if _is_fit(blank) else []
    known = draft[blank.field.name] if is_drafted else blank.field.default
    if known is None:
        return []
    return [_text(each) for each in known] if isinstance(known, list) else [_text(known)]


def _suggested(blank: Blank) -> list[str]:
    match blank.prefilled:
        case Items(items=items):
            return [item.text for item in items if isinstance(item, Text)]
        case _:
            return [prefilled(blank)]


def _is_fit(blank: Blank) -> bool:
    """Return True if a control shows the whole suggestion: no hidden characters or joined lines."""
    match blank.prefilled:
        case Text(text=text):
            is_long = blank.field.kind.control is Control.LINES
            return is_plain(text) and (is_long or not _BREAKS.search(text))
        case _:
            return True


def _text(value: Json) -> str:
    return value if isinstance(value, str) else spelt(value)


# Texts that a person may have typed before they learn that the request is closed.
_TYPED: Final = {"reason": "Your reason", "output": "Your result", ARGUMENTS: "Your arguments"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormState:
    """A posted form that decided nothing, with the problem: the page shows both again."""

    verb: str = ""
    problem: str = ""
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    posted: Posted | None = None
    status: int = 200
    edit: EditForm | None = None
    done: str = ""
    back: str = ""
    # Where it was told of, for admins who only look.
    told: Sequence[Told] = ()

    def value(self, name: str, default: str = "") -> str:
        """Return the value that was typed before, so that nothing is lost."""
        return default if self.posted is None or name not in self.posted else self.posted.one(name)

    @property
    def typed(self) -> Sequence[tuple[str, str]]:
        """The texts that were typed but not used, without any that may be secret."""
        found = ((words, self.value(name).strip()) for name, words in _TYPED.items())
        return [(words, text) for words, text in found if text]


def request_page(request: Request, matter: Review, said: FormState) -> Response:
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
        written=[row for row in offers(matter.request.kind) if row.text],
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
    """Return the notice for a decision that this person really made; an address proves nothing."""
    if verb == DRAFT:
        is_made = matter.request.draft is not None and matter.may_decide
        return "Draft saved." if is_made else ""
    said = {note.verdict for note in matter.card.history if note.by == person.id}
    made = (row.notice for row in VERDICTS if row.verb == verb and row.name in said)
    return next(made, "")


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
