"""Input forms in a chat, a page at a time: answers are kept as a sealed draft between pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import Final

from assent.channels.reference import Reference
from assent.channels.replies import Fill, FormLimits
from assent.domain.field_types import Control
from assent.domain.fields import Field, FieldType, Option
from assent.domain.forms import UserInput, without_nulls
from assent.domain.preferences import Keep
from assent.domain.steps import ShownStep
from assent.domain.suggestions import Suggestion
from assent.engine.queries.review import Review
from assent.errors import InvalidAnswer
from assent.presentation.text import safe_line

OPTIONS: Final = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Entered:
    """Answers a person entered on a page: the valid ones, and what is wrong with the others.

    None is the answer of a field that was left empty. `keep` says how long answers are kept.
    """

    answers: Mapping[str, object]
    errors: Mapping[str, str]
    keep: Keep | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPage:
    """One page of a form: the fields from a place on that are shown, given the answers so far.

    No page goes beyond a step of the form; a step that is longer than a page has several. Where a
    person says how long their answers are kept, that is on the last page, or follows it.
    """

    form: UserInput
    known: Mapping[str, object]
    kept_secrets: frozenset[str]
    fields: tuple[Field, ...]
    # How long answers are kept, where the person has a choice.
    keeping: Field | None = None
    # True if there is space for one more field.
    has_room: bool = True

    @classmethod
    def of(
        cls, review: Review, start: int, limits: FormLimits, keeps: Sequence[Keep] = ()
    ) -> "FormPage | None":
        """Return the page that begins with this field; None if there is nothing to ask.

        `keeps` are how long the person can keep the answers, if they have a choice.
        """
        asked = review.request.question
        if asked.form is None:
            return None
        form = UserInput.from_json(asked.form)
        known: dict[str, object] = {**without_nulls(asked.prefilled), **review.draft}
        keeping = _keeping(form, keeps) if keeps else None
        fields = _page_from(form, known, start, limits)
        if not fields and (keeping is None or start != len(form.fields)):
            return None
        return cls(
            form=form,
            known=known,
            kept_secrets=review.kept_secrets,
            fields=fields,
            keeping=keeping,
            has_room=len(fields) < limits.fields,
        )

    @property
    def fits(self) -> bool:
        """True if a chat can ask for all of it: few enough options, and nothing to search for."""
        return all(
            is_typed(each)
            or (len(each.choices) <= OPTIONS and each.kind.control is not Control.SEARCH)
            for each in self.fields
        )

    @property
    def takes_files(self) -> bool:
        """True if the form wants a file, for which a chat has no place that we could guard."""
        return any(each.kind.takes_files for each in self.form.fields)

    @property
    def labels(self) -> dict[str, str]:
        """The label of each field of the form."""
        return {each.name: each.label for each in (*self.form.fields, *self._asked)}

    @property
    def _asked(self) -> tuple[Field, ...]:
        """The fields of this page, and how long the answers are kept if no page follows."""
        if self.keeping is None or not self._is_last:
            return self.fields
        return (*self.fields, self.keeping)

    def drawn(self, reference: Reference, suggestions: Mapping[str, Suggestion]) -> Fill:
        """Return the page as a form to fill in; secrets and suggestions are never filled in."""
        asked = self._asked
        open_ = [each for each in asked if not each.kind.is_secret]
        # Whatever would run if nobody touched it is seen, and can be emptied.
        shown = {each.name: self.known.get(each.name, each.default) for each in open_}
        return Fill(
            reference=reference,
            title=self._title(asked[0], self.known),
            fields=asked,
            values={name: value for name, value in shown.items() if value is not None},
            submit_label="Send" if self._is_last else "Next",
            kept=self.kept_secrets,
            suggestions={
                name: each
                for name, each in suggestions.items()
                if name in shown and shown[name] != each.value
            },
        )

    def _title(self, first: Field, known: Mapping[str, object]) -> str:
        if not self.form.steps or first is self.keeping:
            return safe_line(self.form.reason)
        step = _step_of(self.form, known, first)
        return f"{step.number} of {step.count}: {safe_line(step.title)}"

    def onward(self, start: int, answers: Mapping[str, object]) -> str:
        """Return the words that lead from these answers to the page that begins there."""
        if start == len(self.form.fields):
            return "Kept. One question is left:"
        if not self.form.steps:
            return "Kept. The form goes on:"
        known = {**self.known, **answers}
        return f"Kept. Step {self._title(_from(self.form, known, start)[0], known)}"

    @property
    def is_stepped(self) -> bool:
        """True if people go through it in steps, back and forth."""
        return bool(self.form.steps)

    @property
    def _may_go_on(self) -> bool:
        here = {each.name for each in self.fields}
        shown = {each.name for each in _from(self.form, self.known, self._end)}
        return any(
            each.name in shown or (each.show_if is not None and each.show_if.field in here)
            for each in self.form.fields[self._end :]
        )

    @property
    def _is_last(self) -> bool:
        return not self._may_go_on and (self.keeping is None or self.has_room)

    @property
    def _end(self) -> int:
        if not self.fields:
            return len(self.form.fields)
        return [each.name for each in self.form.fields].index(self.fields[-1].name) + 1

    def next_start(self, answers: Mapping[str, object]) -> int | None:
        """Return where the next page begins after these answers; None if this was the last."""
        if _from(self.form, {**self.known, **answers}, self._end):
            return self._end
        return None if self.keeping is None or self._is_last else len(self.form.fields)

    def entered(self, given: Mapping[str, object]) -> Entered:
        """Read what a person entered on this page; anything else that is given does not count."""
        valid, errors = dict[str, object](), dict[str, str]()
        for each in self._asked:
            value = given.get(each.name)
            if each.is_given(value):
                try:
                    each.accept(value)
                    valid[each.name] = value
                except InvalidAnswer as error:
                    errors |= error.errors
            elif each.required and each.name not in self.kept_secrets:
                errors[each.name] = "This is required."
            elif not each.kind.is_secret:
                valid[each.name] = None
        keep = None if self.keeping is None else valid.pop(self.keeping.name, None)
        return Entered(answers=valid, errors=errors, keep=None if keep is None else Keep(str(keep)))


def is_typed(field: Field) -> bool:
    """Return True if people write what they choose: it has a name, and a chat lists too few."""
    return bool(field.kind.known) and len(field.choices) > OPTIONS


def known_text(field: Field, value: object) -> str:
    """Return a known value as the text of a control."""
    if field.kind.has_parts:
        return field.spelt(value)
    return "" if value is None else str(value)


def hint_of(field: Field) -> str:
    """Return how an answer is written, with the columns of a table; empty if that is plain."""
    columns = " | ".join(safe_line(column.label) for column in field.columns)
    return f"{field.kind.hint}: {columns}" if columns else field.kind.hint


def _keeping(form: UserInput, keeps: Sequence[Keep]) -> Field:
    """Return the control for how long answers are kept, under a name that the form leaves free."""
    names = {each.name for each in form.fields}
    free = (name for name in chain(("keep",), map("keep_{}".format, count())) if name not in names)
    return Field(
        next(free),
        label="Keep these answers",
        help="For all conversations: only what you entered. Change it on your settings page.",
        type=FieldType.SELECT,
        options=[Option(each.value, each.words) for each in keeps],
        default=Keep.CONVERSATION.value,
    )


def _page_from(
    form: UserInput, known: Mapping[str, object], start: int, limits: FormLimits
) -> tuple[Field, ...]:
    later = _from(form, known, start)
    if not later:
        return ()
    names = _step_of(form, known, later[0]).names
    of_step = tuple(each for each in later if each.name in names)
    return _independent(form, of_step[: limits.fields], start)


def _independent(form: UserInput, fields: tuple[Field, ...], start: int) -> tuple[Field, ...]:
    """Return the fields before the first one that depends on an answer to one of them.

    Whether that one is asked for is only known when they are answered, so it begins a page.
    """
    shown, asked = {each.name for each in fields}, list[Field]()
    for each in form.fields[start:]:
        if each.show_if is not None and each.show_if.field in {field.name for field in asked}:
            break
        if each.name in shown:
            asked.append(each)
    return tuple(asked)


def _step_of(form: UserInput, known: Mapping[str, object], first: Field) -> ShownStep:
    return next(step for step in form.shown_steps(known) if first.name in step.names)


def _from(form: UserInput, known: Mapping[str, object], start: int) -> tuple[Field, ...]:
    """Return the visible fields from a place in the form on."""
    later = {each.name for each in form.fields[start:]}
    return tuple(each for each in form.visible(known) if each.name in later)
