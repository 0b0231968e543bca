"""The page of one request."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from starlette.requests import Request
from starlette.responses import Response

from assent.domain.canonical import Json, encode
from assent.domain.cards import Blank, Items, Text
from assent.domain.field_types.kinds import Control
from assent.domain.field_types.money import currencies_of
from assent.domain.field_types.tables import wrong_cells
from assent.domain.fields import ShowIf
from assent.domain.file_fields import files_text, kind_words, size_text
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.people import Person
from assent.domain.preferences import ValueOrigin, ValueSource
from assent.domain.suggestions import Suggestion
from assent.domain.verdicts import VERDICTS, offers
from assent.engine.queries.review import Review
from assent.errors import InvalidAnswer
from assent.presentation import html
from assent.presentation.diff import changes
from assent.presentation.html_values import block, value
from assent.presentation.markup import Html
from assent.presentation.outline import RegionName
from assent.presentation.rendering import Rendered
from assent.presentation.text import is_plain
from assent.presentation.values import hints_of
from assent.server.caller import caller_of
from assent.server.form_data import Posted
from assent.server.service import service_of
from assent.server.web.admin.own_rules import RuleOffers, rule_offers
from assent.server.web.history.wording import on_a_line, status_class, status_words
from assent.server.web.review import suggestion_buttons
from assent.server.web.review.edit_form import ARGUMENTS, EditForm
from assent.server.web.review.editing.json_text import spelt
from assent.server.web.review.searching import FoundPage, Searched, Searches
from assent.server.web.review.shown_token import seal_of
from assent.server.web.review.told import Told
from assent.server.web.review.verdicts import ANSWER, DRAFT, MORE
from assent.server.web.shown_files import ShownFile, shown_files
from assent.server.web.template_filters import day, prefilled

if TYPE_CHECKING:
    from assent.server.web.review.form_sheet import FormSheet

# Rows of a table that wait to be filled in, where no script adds them one by one.
BLANK_ROWS: Final = 3
# Controls that stand for certain values alone, and are empty for any other.
_EXACT: Final = frozenset({Control.DATE, Control.TIME, Control.CHOICE, Control.CHOICES})
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
    # The suggestion is not put into its control, which could not show all of it.
    is_left: bool = False
    # Its person asked for more rows.
    is_more: bool = False
    # The condition that depends on a field of the same page.
    rule: ShowIf | None = None
    # True for the first field with an error, where the keyboard goes on.
    has_focus: bool = False
    search: Searched | None = None
    # Where the value came from, if it was kept; and what an earlier call of this person had.
    origin: ValueOrigin | None = None
    suggestion: Suggestion | None = None
    is_used: bool = False

    @property
    def last_time(self) -> Html | None:
        """The value of an earlier call, including all that a control would hide."""
        return None if self.suggestion is None else suggestion_buttons.shown(self.suggestion)

    @property
    def filled_words(self) -> str:
        """The words before a value that says who filled it in."""
        if self.origin is None or not self.origin.fits:
            return "Filled in for you:"
        since = day(self.origin.at)
        if self.origin.source is ValueSource.PREFERENCE:
            return f"From your preferences, since {since}:"
        return f"Kept for this conversation, since {since}:"

    # What was uploaded for it so far, and the keys of what is ticked.
    files: Sequence[ShownFile] = ()
    chosen: frozenset[str] = frozenset()

    @property
    def wants_camera(self) -> bool:
        """True if a photo may be the answer."""
        return any(kind.startswith("image/") for kind in self.blank.field.kinds)

    @property
    def accept(self) -> str:
        """The kinds that a browser offers first."""
        return ",".join(self.blank.field.kinds)

    @property
    def takes(self) -> str:
        """The kinds, number and size of files that it takes, in words."""
        field = self.blank.field
        kinds = ", ".join(map(kind_words, field.kinds)) or "Any file"
        most = f", at most {files_text(field.max_files)}" if field.max_files > 1 else ""
        return f"{kinds[:1].upper()}{kinds[1:]} up to {size_text(field.max_bytes)}{most}"

    @property
    def suggested(self) -> Html | None:
        """The value from the agent or saved before, including all that a control would hide."""
        return None if self.blank.prefilled is None else value(self.blank.prefilled)

    @property
    def rows(self) -> Sequence[Sequence[str]]:
        """The texts of a table's controls row by row, after the first, with some to fill in."""
        width = self.width
        cut = [self.values[at : at + width] for at in range(1, len(self.values), width)]
        written = [row for row in cut if len(row) == width and any(row)]
        blank = BLANK_ROWS if self.is_more or not written else 1
        blank = min(blank, self.blank.field.max_rows - len(written))
        return [*written, *([""] * width for _ in range(blank))]

    @property
    def wrong(self) -> Sequence[tuple[int, int]]:
        """The cells of a table that its error is about, by row and column."""
        if not self.error:
            return ()
        return wrong_cells(self.blank.field, self.rows) or ((0, 0),)

    @property
    def width(self) -> int:
        """The number of controls in a row."""
        return len(self.blank.field.columns) or len(("name", "value"))

    @property
    def currencies(self) -> Sequence[str]:
        """The currencies to choose from."""
        return currencies_of(self.blank.field)

    @property
    def may_be_unsaid(self) -> bool:
        """True if a yes-or-no field may also be left without an answer."""
        field = self.blank.field
        return not field.required and field.default is None and self.blank.prefilled is None

    @property
    def condition(self) -> str:
        """The value of another field that makes it visible, as JSON; empty if always visible."""
        return "" if self.rule is None else encode(self.rule.equals)


def filled_of(
    matter: Review,
    posted: Posted | None,
    errors: Mapping[str, str],
    *,
    searches: Searches | None = None,
    person: Person | None = None,
) -> list[Filled]:
    """Return the fields of a request's form; values that were typed before are kept.

    With `person`, what earlier calls of theirs had is offered beside the fields.
    """
    found = {} if person is None else matter.request.suggestions_for(person.id)
    used = suggestion_buttons.used(found, posted)
    fields = [
        replace(
            _filled(blank, matter, posted, errors, used),
            origin=matter.request.origins.get(blank.field.name),
            suggestion=found.get(blank.field.name),
            is_used=blank.field.name in used,
        )
        for blank in matter.card.blanks
    ]
    if searches is None:
        return fields
    return [replace(each, search=searches.of(each.blank.field, each.values)) for each in fields]


def _filled(
    blank: Blank,
    matter: Review,
    posted: Posted | None,
    errors: Mapping[str, str],
    used: Mapping[str, Suggestion],
) -> Filled:
    name = f"{ANSWER}{blank.field.name}"
    suggested = _suggested(blank, matter.request.question.prefilled)
    if posted is not None and blank.field.name in used and suggestion_buttons.fills(blank, posted):
        values: Sequence[str] = blank.field.kind.split(blank.field, used[blank.field.name].value)
    elif posted is not None and name in posted:
        values = posted.all(name)
    else:
        values = _start(blank, matter.draft, suggested)
    is_posted = posted is not None and name in posted
    takes_files = blank.field.kind.takes_files
    uses = [use for use in matter.files if takes_files and use.field == blank.field.name]
    files = shown_files(use.reference for use in uses)
    return Filled(
        blank=blank,
        name=name,
        value=values[-1] if values else "",
        values=values,
        error=errors.get(name, ""),
        is_kept=blank.field.name in matter.kept_secrets,
        is_left=blank.prefilled is not None and suggested is None,
        is_more=posted is not None and posted.one(MORE) == name,
        rule=blank.field.show_if,
        files=files,
        chosen=_chosen(blank.field.max_files, files, values if is_posted else None),
    )


def _chosen(most: int, files: Sequence[ShownFile], posted: Sequence[str] | None) -> frozenset[str]:
    """Return the files that are ticked: as posted, else the newest that the field has room for."""
    return frozenset(file.key for file in files[-most:]) if posted is None else frozenset(posted)


def _start(
    blank: Blank, draft: Mapping[str, Json], suggested: Sequence[str] | None
) -> Sequence[str]:
    """Return the first values of a field: the draft, or else the suggestion."""
    field = blank.field
    if field.name not in draft and blank.prefilled is not None:
        return suggested or []
    known = draft.get(field.name, field.default)
    return [] if known is None else field.kind.split(field, known)


def _suggested(blank: Blank, known: Mapping[str, Json]) -> Sequence[str] | None:
    """Return a suggestion as the texts of its controls; None if they could not show all of it."""
    field = blank.field
    if blank.prefilled is None:
        return None
    if field.kind.has_parts or field.kind.control in _EXACT:
        try:
            texts = field.kind.split(field, field.accept(known[field.name]))
        except InvalidAnswer:
            return None
        return texts if all(is_plain(text) and not _BREAKS.search(text) for text in texts) else None
    match blank.prefilled:
        case Text(text=text):
            is_fit = is_plain(text) and (field.kind.has_lines or not _BREAKS.search(text))
            return [text] if is_fit else None
        case Items(items=items):
            return [item.text for item in items if isinstance(item, Text)]
        case _:
            return [prefilled(blank)]


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
    # The step of an input form to show, and the fields whose answers were not kept.
    place: str = ""
    left: Sequence[str] = ()
    # What the search of a field found.
    found: FoundPage | None = None
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


def request_page(
    request: Request, matter: Review, said: FormState, sheet: "FormSheet | None" = None
) -> Response:
    """Show everything about a request, and what this person can do; `sheet` is its input form."""
    service, person = service_of(request), caller_of(request).person
    card = rendered(matter)
    output = matter.tool.tool.output if matter.tool else None
    return service.pages.render(
        request,
        "request",
        status=said.status,
        matter=matter,
        files=shown_files(use.reference for use in matter.sent_files),
        question=matter.request,
        card=card,
        seal=seal_of(service, person, matter.request, card) if matter.may_decide else "",
        said=said,
        done=_done(matter, person, said.done),
        kinds=RequestKind,
        written=[row for row in offers(matter.request.kind) if row.text],
        effects={each.verb: _sentence(each.effect, matter) for each in matter.card.choices},
        sheet=sheet,
        filled=() if sheet is None else sheet.filled,
        keeps=matter.request.keeps_for(person) if sheet is not None and sheet.sends else (),
        wanted=spelt(output.schema) if output is not None else "",
        edited=_edited(matter),
        outcome=_outcome(matter),
        own_rules=_own_rules(request, matter, said.done),
        status_words=status_words,
        status_class=status_class,
        on_a_line=on_a_line,
    )


def _own_rules(request: Request, matter: Review, verb: str) -> RuleOffers | None:
    """Return the rules of their own that an owner may make after approving a call."""
    caller, tool = caller_of(request), matter.tool
    is_mine = caller.person.id == matter.request.owner
    if verb != "approve" or tool is None or not is_mine:
        return None
    found = rule_offers(caller, tool, service_of(request).assent.policy)
    return found if found.asks else None


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
