"""Input forms in a chat, a page at a time: answers are kept as a sealed draft between pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assent.channels.reference import Reference
from assent.channels.replies import Fill, FormLimits
from assent.domain.fields import Field
from assent.domain.forms import UserInput, without_nulls
from assent.engine.queries.review import Review
from assent.errors import InvalidAnswer
from assent.presentation.text import safe_line

OPTIONS: Final = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPage:
    """One page of a form: the fields from a place on that are shown, given the answers so far."""

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
        fields = _independent(form, _from(form, known, start)[: limits.fields], start)
        if not fields:
            return None
        return cls(form=form, known=known, kept_secrets=review.kept_secrets, fields=fields)

    @property
    def fits(self) -> bool:
        """True if every select of the page has few enough options for a chat."""
        return all(len(each.choices) <= OPTIONS for each in self.fields)

    @property
    def labels(self) -> dict[str, str]:
        """The label of each field of the form."""
        return {each.name: each.label for each in self.form.fields}

    def drawn(self, reference: Reference) -> Fill:
        """Return the page as a form to fill in; secrets are never filled in."""
        open_ = [each for each in self.fields if not each.kind.is_secret]
        # Whatever would run if nobody touched it is seen, and can be emptied.
        shown = {each.name: self.known.get(each.name, each.default) for each in open_}
        return Fill(
            reference=reference,
            title=safe_line(self.form.reason),
            fields=self.fields,
            values={name: value for name, value in shown.items() if value is not None},
            submit_label="Next" if self._may_go_on else "Send",
            kept=self.kept_secrets,
        )

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


def _from(form: UserInput, known: Mapping[str, object], start: int) -> tuple[Field, ...]:
    """Return the visible fields from a place in the form on."""
    later = {each.name for each in form.fields[start:]}
    return tuple(each for each in form.visible(known) if each.name in later)
