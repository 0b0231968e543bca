"""Input forms in a chat, a page at a time: answers are kept as a sealed draft between pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assent.channels.reference import Reference
from assent.channels.replies import Fill, FormLimits
from assent.domain.field_types import Control
from assent.domain.fields import Field
from assent.domain.forms import UserInput, without_nulls
from assent.domain.steps import ShownStep
from assent.domain.suggestions import Suggestion
from assent.engine.queries.review import Review
from assent.errors import InvalidAnswer
from assent.presentation.text import safe_line

OPTIONS: Final = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPage:
    """One page of a form: the fields from a place on that are shown, given the answers so far.

    No page goes beyond a step of the form; a step that is longer than a page has several.
    """

    form: UserInput
    known: Mapping[str, object]
    kept_secrets: frozenset[str]
    fields: tuple[Field, ...]

    @classmethod
    def of(cls, review: Review, start: int, limits: FormLimits) -> "FormPage | None":
        """Return the page that begins with this field; None if there is nothing to ask."""
        asked = review.request.question
        if asked.form is None:
            return None
        form = UserInput.from_json(asked.form)
        known: dict[str, object] = {**without_nulls(asked.prefilled), **review.draft}
        later = _from(form, known, start)
        if not later:
            return None
        names = _step_of(form, known, later[0]).names
        of_step = tuple(each for each in later if each.name in names)
        fields = _independent(form, of_step[: limits.fields], start)
        return cls(form=form, known=known, kept_secrets=review.kept_secrets, fields=fields)

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
        return {each.name: each.label for each in self.form.fields}

    def drawn(self, reference: Reference, suggestions: Mapping[str, Suggestion]) -> Fill:
        """Return the page as a form to fill in; secrets and suggestions are never filled in."""
        open_ = [each for each in self.fields if not each.kind.is_secret]
        # Whatever would run if nobody touched it is seen, and can be emptied.
        shown = {each.name: self.known.get(each.name, each.default) for each in open_}
        return Fill(
            reference=reference,
            title=self._title(self.fields[0], self.known),
            fields=self.fields,
            values={name: value for name, value in shown.items() if value is not None},
            submit_label="Next" if self._may_go_on else "Send",
            kept=self.kept_secrets,
            suggestions={
                name: each
                for name, each in suggestions.items()
                if name in shown and shown[name] != each.value
            },
        )

    def _title(self, first: Field, known: Mapping[str, object]) -> str:
        if not self.form.steps:
            return safe_line(self.form.reason)
        step = _step_of(self.form, known, first)
        return f"{step.number} of {step.count}: {safe_line(step.title)}"

    def onward(self, start: int, answers: Mapping[str, object]) -> str:
        """Return the words that lead from these answers to the page that begins there."""
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
        later = self.form.fields[self._end :]
        shown = {each.name for each in _from(self.form, self.known, self._end)}
        return any(each.name in shown or each.show_if is not None for each in later)

    @property
    def _end(self) -> int:
        return [each.name for each in self.form.fields].index(self.fields[-1].name) + 1

    def next_start(self, answers: Mapping[str, object]) -> int | None:
        """Return where the next page begins after these answers; None if this was the last."""
        return self._end if _from(self.form, {**self.known, **answers}, self._end) else None

    def checked(self, given: Mapping[str, object]) -> tuple[dict[str, object], dict[str, str]]:
        """Return the valid answers of this page, and what is wrong with the others.

        None is the answer of a field that was left empty.
        """
        valid, errors = dict[str, object](), dict[str, str]()
        for each in self.fields:
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
        return valid, errors


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
