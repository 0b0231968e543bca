"""An input form as a page shows it: one step of it, or the last look at all answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from assent.domain.canonical import Json, digest
from assent.domain.field_types import Control
from assent.domain.fields import Field, ShowIf
from assent.domain.forms import UserInput, without_nulls
from assent.domain.people import Person
from assent.domain.steps import ShownStep
from assent.engine.queries.review import Review
from assent.presentation.html_values import value
from assent.presentation.markup import Html
from assent.presentation.values import value_of
from assent.server.form_data import Posted
from assent.server.web.review.request_page import Filled, filled_of
from assent.server.web.review.searching import Searches
from assent.server.web.review.verdicts import ANSWER, answers_of
from assent.server.web.template_filters import prose

# The names of hidden controls: the draft that the page shows, its step, and its first values.
SEEN, STEP, SHOWN = "seen", "step", "shown"
# The last look, in place of a step's number.
LOOK: Final = "look"
_DIGEST_CHARS: Final = 16
_PLACE_CHARS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer as the last look shows it; a secret only as one that was entered."""

    label: str
    shown: Html | None
    is_secret: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredStep:
    """The answers of one step, for the last look."""

    step: ShownStep
    answers: Sequence[Answer]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormSheet:
    """One page of a form; `step` is None on the last look."""

    form: UserInput
    steps: tuple[ShownStep, ...]
    step: ShownStep | None
    filled: Sequence[Filled]
    answered: Sequence[AnsweredStep] = ()
    # The number of the draft that it shows, and digests of the values in its controls.
    seen: int
    shown: str = ""
    # When the draft was saved that somebody comes back to; None if they are in the middle of it.
    resumed: datetime | None = None
    # The labels of answers that were not kept, because they do not fit.
    left: Sequence[str] = ()

    @property
    def is_stepped(self) -> bool:
        """True if the form has several steps with a field to show."""
        return bool(self.form.steps) and len(self.steps) > 1

    @property
    def title(self) -> str:
        """The heading of the page."""
        if self.step is None:
            return "Check your answers"
        return self.step.title

    @property
    def done(self) -> int:
        """The number of steps before this page."""
        return len(self.steps) if self.step is None else self.step.number - 1

    @property
    def before(self) -> ShownStep | None:
        """The step before this page."""
        return self.steps[self.done - 1] if self.done else None

    @property
    def sends(self) -> bool:
        """True if this page sends the answers."""
        return self.step is None or not self.is_stepped


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetState:
    """The step that a page was asked for, and the errors of the last post of its form."""

    # A step's place, or the last look; empty for where the person left off.
    place: str = ""
    posted: Posted | None = None
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    left: Sequence[str] = ()
    searches: Searches | None = None
    # Who looks: what earlier calls of theirs had is offered to them.
    person: Person | None = None


def sheet_of(matter: Review, state: SheetState) -> FormSheet | None:
    """Return the page of a request's form; None if it has none, or not for this person."""
    stored = matter.request.question.form
    if stored is None or not matter.may_decide:
        return None
    form = UserInput.from_json(stored)
    steps = form.shown_steps(known_to(matter))
    step = _step(steps, matter, state, has_look=bool(form.steps) and len(steps) > 1)
    filled = [
        replace(each, rule=_rule(each.blank.field, step))
        for each in filled_of(
            matter, state.posted, state.errors, searches=state.searches, person=state.person
        )
        if _is_asked(each.blank.field, step)
    ]
    first = next((n for n, each in enumerate(filled) if each.error), None)
    if first is not None:
        filled[first] = replace(filled[first], has_focus=True)
    labels = {item.name: item.label for item in form.fields}
    is_back = not state.place and state.posted is None
    return FormSheet(
        form=form,
        steps=steps,
        step=step,
        filled=filled,
        answered=[_answered(each, matter) for each in steps] if step is None else (),
        seen=_seen(matter, state.posted),
        shown=_digests(filled, state.posted),
        resumed=matter.draft_at if is_back else None,
        left=[labels[name] for name in state.left if name in labels],
    )


def known_to(matter: Review) -> dict[str, Json]:
    """Return the answers that this page knows: suggested ones, and those in the draft."""
    return {**without_nulls(matter.request.question.prefilled), **matter.draft}


def _step(
    steps: Sequence[ShownStep], matter: Review, state: SheetState, *, has_look: bool
) -> ShownStep | None:
    wrong = [step for step in steps if any(f"{ANSWER}{n}" in state.errors for n in step.names)]
    if wrong:
        return wrong[0]
    asked = step_at(steps, state.place)
    if asked is not None:
        return asked
    if not has_look or not matter.draft_number:
        return steps[0] if steps else None
    todo = (each for each in steps if not each.is_complete(matter.draft, matter.kept_secrets))
    return next(todo, None)


def step_at(steps: Sequence[ShownStep], place: str) -> ShownStep | None:
    """Return the step at a place that an address or a form names; None if there is none."""
    if not (place.isascii() and place.isdigit()) or len(place) > _PLACE_CHARS:
        return None
    return next((step for step in steps if step.place == int(place)), None)


def _is_asked(item: Field, step: ShownStep | None) -> bool:
    """Return True if a field of the step shows, or may once another field of it is answered."""
    if step is None or item.name not in step.names:
        return False
    return _rule(item, step) is not None or item.name in {each.name for each in step.visible}


def _rule(item: Field, step: ShownStep | None) -> ShowIf | None:
    """Return a condition that depends on this page; that on an earlier step holds already."""
    rule = item.show_if
    return rule if rule is not None and step is not None and rule.field in step.names else None


def _answered(step: ShownStep, matter: Review) -> AnsweredStep:
    return AnsweredStep(step=step, answers=[_answer(item, matter) for item in step.visible])


def _answer(item: Field, matter: Review) -> Answer:
    if item.kind.is_secret:
        is_there = item.name in matter.kept_secrets
        return Answer(label=item.label, shown=Html("") if is_there else None, is_secret=True)
    given = known_to(matter).get(item.name, item.default)
    return Answer(label=item.label, shown=None if given is None else _shown(item, given))


def _shown(item: Field, given: Json) -> Html:
    return value(value_of(given)) if item.kind.takes_files else prose(item.said(given))


def _seen(matter: Review, posted: Posted | None) -> int:
    """Return the draft that a person has seen: one that came since is not in what they posted."""
    seen = None if posted is None else seen_in(posted)
    return matter.draft_number if seen is None else seen


def _digests(filled: Sequence[Filled], posted: Posted | None) -> str:
    """Return what the controls first showed, as digests: a value not touched says nothing."""
    return " ".join(f"{each.blank.field.name}:{_shown_first(each, posted)}" for each in filled)


def _shown_first(filled: Filled, posted: Posted | None) -> str:
    told = None
    if posted is not None and filled.name in posted:
        told = _first_in(posted).get(filled.blank.field.name)
    return told or _digest(_first(filled))


def _first_in(posted: Posted) -> dict[str, str]:
    pairs = (each.rpartition(":") for each in posted.one(SHOWN).split(" "))
    return {name: told for name, _, told in pairs}


def _first(filled: Filled) -> object:
    item = filled.blank.field
    # An unticked box posts "false".
    usual = "false" if item.kind.control is Control.YES_NO and not filled.may_be_unsaid else None
    return item.kind.join(item, filled.values) or usual


def _digest(given: object) -> str:
    return digest(repr(given))[:_DIGEST_CHARS]


def untouched(matter: Review, posted: Posted) -> frozenset[str]:
    """Return the fields whose posted values are those that their page first showed."""
    first, given = _first_in(posted), answers_of(matter.request, posted)
    return frozenset(name for name, said in given.items() if first.get(name) == _digest(said))


def seen_in(posted: Posted) -> int | None:
    """Return the number of the draft that the posted page showed."""
    text = posted.one(SEEN)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
