"""The input form as it is shown: the value of each control, and what was suggested for it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from assent.domain.canonical import Json, encode
from assent.domain.cards import Blank, Items, Text
from assent.domain.fields import FieldType
from assent.engine.queries.review import Review
from assent.presentation.html_values import value
from assent.presentation.markup import Html
from assent.server.form_data import Posted
from assent.server.web.review.editing.json_text import is_plain, spelt
from assent.server.web.review.verdicts import ANSWER
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
        values = _start(blank, matter.draft.get(blank.field.name))
    return Filled(
        blank=blank,
        name=name,
        value=values[-1] if values else "",
        values=values,
        error=errors.get(name, ""),
        is_kept=blank.field.name in matter.kept_secrets,
    )


def _start(blank: Blank, drafted: Json) -> list[str]:
    """Return the first values of a field: the draft, or else the suggestion."""
    if drafted is None and blank.prefilled is not None:
        return _suggested(blank) if _is_fit(blank) else []
    known = blank.field.default if drafted is None else drafted
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
            is_long = blank.field.type is FieldType.MULTILINE
            return is_plain(text) and (is_long or not _BREAKS.search(text))
        case _:
            return True


def _text(value: Json) -> str:
    return value if isinstance(value, str) else spelt(value)
