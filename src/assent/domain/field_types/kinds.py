"""The row of the table of field types, and the controls that it chooses from."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NoReturn

from assent.domain.canonical import Json, encode
from assent.errors import InvalidAnswer

if TYPE_CHECKING:
    from assent.domain.fields import Field


class Control(StrEnum):
    """The control that a field is drawn with, on a page and at the prompt."""

    LINE = "line"
    LINES = "lines"
    CODE = "code"
    NUMBER = "number"
    DATE = "date"
    TIME = "time"
    YES_NO = "yes_no"
    CONSENT = "consent"
    CHOICE = "choice"
    CHOICES = "choices"
    HIDDEN = "hidden"
    MONEY = "money"
    MOMENT = "moment"
    PAIRS = "pairs"
    TABLE = "table"
    SEARCH = "search"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Typing:
    """Hints for browsers about a line: the keyboard of a phone, and what may be filled in."""

    mode: str = ""
    fill: str = "off"


# The keypads of some phones have no dot. "1,500" may be either number, so it stays as it is.
_DECIMAL_COMMA: Final = re.compile(r"[+-]?[0-9]+,(?![0-9]{3}$)[0-9]+")

# Controls that consist of several, each with a text of its own.
_OF_PARTS: Final = frozenset({Control.MONEY, Control.MOMENT, Control.PAIRS, Control.TABLE})
# What a column of a table may be: one control, which posts one text and hides nothing.
_IN_COLUMNS: Final = frozenset(
    {
        Control.LINE,
        Control.NUMBER,
        Control.DATE,
        Control.TIME,
        Control.YES_NO,
        Control.CHOICE,
    }
)


def spelt(value: Json) -> str:
    """Return a value as the text of one control."""
    return value if isinstance(value, str) else encode(value)


def spell(_field: Field, value: Json) -> str:
    """Return a value as one text."""
    return spelt(value)


def split(_field: Field, value: Json) -> list[str]:
    """Return a value as the texts of its controls: one, or one for each entry of a list."""
    return [spelt(each) for each in value] if isinstance(value, list) else [spelt(value)]


def last(_field: Field, texts: Sequence[str]) -> object:
    """Return the answer of a single control; a box is the second after one that says no."""
    return (texts[-1] or None) if texts else None


def dotted(text: str) -> str:
    """Return a typed number with a dot for its decimals; a comma before three digits is neither."""
    return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text.strip()) else text


def several(_field: Field, texts: Sequence[str]) -> object:
    """Return the answer of boxes to tick; the blank before them says that they were shown."""
    return [each for each in texts if each] or None


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldKind:
    """A row: a type's control, the reader of its answers, their JSON schema, and its settings.

    `settings` are those that no other type has. `split` and `join` turn a value into the texts of
    the controls of a page and back; `spell` writes it as one text that `read` takes.
    """

    control: Control
    read: Callable[[Field, object], Json]
    schema: Callable[[Field], dict[str, Json]]
    takes_pattern: bool = False
    takes_bounds: bool = False
    settings: frozenset[str] = frozenset()
    hint: str = ""
    typing: Typing = Typing()
    # Values that every field of the type offers, with their labels.
    known: Mapping[str, str] = field(default_factory=dict[str, str])
    spell: Callable[[Field, Json], str] = spell
    split: Callable[[Field, Json], list[str]] = split
    join: Callable[[Field, Sequence[str]], object] = last

    @property
    def takes_options(self) -> bool:
        """True if people choose from options that the field must name."""
        return self.control in (Control.CHOICE, Control.CHOICES) and not self.known

    @property
    def takes_several(self) -> bool:
        """True if the answer is a list of options."""
        return self.control is Control.CHOICES

    @property
    def is_secret(self) -> bool:
        """True if only the tool may see the answer: it is hidden while typed, and never shown."""
        return self.control is Control.HIDDEN

    @property
    def takes_files(self) -> bool:
        """True if people upload files, and the answer is a reference to them."""
        return self.control is Control.FILE

    @property
    def is_personal(self) -> bool:
        """True if only people answer it, each time: models suggest nothing, nothing is saved."""
        return self.control in (Control.CONSENT, Control.SEARCH, Control.FILE)

    @property
    def may_be_condition(self) -> bool:
        """True if another field may be shown only for some of its answers."""
        return self.control not in {
            Control.HIDDEN,
            Control.CONSENT,
            Control.SEARCH,
            Control.FILE,
            *_OF_PARTS,
        }

    @property
    def has_parts(self) -> bool:
        """True if a page draws it as several controls, and other surfaces write it as text."""
        return self.control in _OF_PARTS

    @property
    def has_lines(self) -> bool:
        """True if its text may have several lines."""
        return self.control in (Control.LINES, Control.CODE, Control.PAIRS, Control.TABLE)

    @property
    def fits_column(self) -> bool:
        """True if a column of a table may have this type."""
        return self.control in _IN_COLUMNS


def refuse(field: Field, message: str) -> NoReturn:
    """Raise `InvalidAnswer` with a message for people; it must not repeat the answer."""
    raise InvalidAnswer({field.name: message})
