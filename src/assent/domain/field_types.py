"""The table of field types: one row says how a type is drawn, read and described.

Every surface reads the row and knows the few controls, never the types. Answers come from people
and models: a reader returns a value it has checked, or refuses without repeating it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn, cast

from assent.domain.canonical import Json, check
from assent.errors import InvalidAnswer, InvalidJson

if TYPE_CHECKING:
    from assent.domain.fields import Field

# Narrower than float(): no nan, no 1_000, no digits of other scripts.
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER_CHARS: Final = 40
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BOOLEANS: Final = MappingProxyType({"true": True, "on": True, "false": False, "off": False})


class FieldType(StrEnum):
    """The type of value that a field takes."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    SELECT = "select"
    MULTI_SELECT = "multi_select"
    DATE = "date"
    MULTILINE = "multiline"
    SECRET = "secret"  # noqa: S105 - the name of a type, not a password


class Control(StrEnum):
    """The control that a field is drawn with, on a page and at the prompt."""

    LINE = "line"
    LINES = "lines"
    NUMBER = "number"
    DATE = "date"
    YES_NO = "yes_no"
    CHOICE = "choice"
    CHOICES = "choices"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldKind:
    """A row: a type's control, the reader of its answers, their JSON schema, and its settings."""

    control: Control
    read: Callable[[Field, object], Json]
    schema: Callable[[Field], dict[str, Json]]
    takes_pattern: bool = False
    takes_bounds: bool = False

    @property
    def takes_options(self) -> bool:
        """True if people choose from options."""
        return self.control in (Control.CHOICE, Control.CHOICES)

    @property
    def takes_several(self) -> bool:
        """True if the answer is a list."""
        return self.control is Control.CHOICES

    @property
    def is_secret(self) -> bool:
        """True if only the tool may see the answer: it is hidden while typed, and never shown."""
        return self.control is Control.HIDDEN


def refuse(field: Field, message: str) -> NoReturn:
    """Raise `InvalidAnswer` with a message for people; it must not repeat the answer."""
    raise InvalidAnswer({field.name: message})


def _read_line(field: Field, value: object) -> str:
    text = _printable(field, value)
    # A line break in a single line is a way to forge headers and log lines.
    if text.splitlines() not in ([], [text]):
        refuse(field, "Enter a single line.")
    return text


def _read_lines(field: Field, value: object) -> str:
    # Browsers always send the lines of a textarea with CRLF.
    return _printable(field, value.replace("\r\n", "\n") if isinstance(value, str) else value)


def _printable(field: Field, value: object) -> str:
    text = _read_text(field, value)
    if _CONTROL.search(text):
        refuse(field, "Control characters are not allowed.")
    return text


def _read_text(field: Field, value: object) -> str:
    if not isinstance(value, str):
        refuse(field, "Enter text.")
    if len(value) > field.max_length:
        refuse(field, f"Enter at most {field.max_length} characters.")
    return value


def _read_number(field: Field, value: object) -> int | float:
    number = _spelt_number(field, value.strip()) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        refuse(field, "Enter a number.")
    try:
        check(number)
    except InvalidJson:
        refuse(field, "This number is too large.")
    if field.minimum is not None and number < field.minimum:
        refuse(field, f"Enter {field.minimum} or more.")
    if field.maximum is not None and number > field.maximum:
        refuse(field, f"Enter {field.maximum} or less.")
    return number


def _spelt_number(field: Field, text: str) -> int | float:
    if len(text) > _NUMBER_CHARS or not _NUMBER.fullmatch(text):
        refuse(field, "Enter a number.")
    return int(text) if _INTEGER.fullmatch(text) else float(text)


def _read_boolean(field: Field, value: object) -> bool:
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else ""
    return _BOOLEANS[word] if word in _BOOLEANS else refuse(field, "Choose yes or no.")


def _read_date(field: Field, value: object) -> str:
    text = value.strip() if isinstance(value, str) else ""
    # fromisoformat() alone also takes weeks and 20250131.
    if not _DATE.fullmatch(text) or not _is_in_calendar(text):
        refuse(field, "Enter a date as YYYY-MM-DD.")
    return text


def _is_in_calendar(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _read_choice(field: Field, value: object) -> str:
    if not isinstance(value, str) or value not in {option.value for option in field.choices}:
        refuse(field, "Choose one of the options.")
    return value


def _read_choices(field: Field, value: object) -> list[Json]:
    if not isinstance(value, list | tuple):
        refuse(field, "Choose from the options.")
    chosen = [_read_choice(field, item) for item in cast("Sequence[object]", value)]
    if len(set(chosen)) < len(chosen):
        refuse(field, "Choose each option once.")
    return list(chosen)


def _text_schema(field: Field) -> dict[str, Json]:
    told: dict[str, Json] = {"type": "string", "maxLength": field.max_length}
    if field.pattern is not None:
        # Our patterns match the whole value, those of a JSON schema any part of it.
        told["pattern"] = f"^(?:{field.pattern})$"
    return told


def _secret_schema(field: Field) -> dict[str, Json]:
    return {**_text_schema(field), "writeOnly": True, "format": "password"}


def _number_schema(field: Field) -> dict[str, Json]:
    bounds = {"minimum": field.minimum, "maximum": field.maximum}
    return {
        "type": "number",
        **{name: bound for name, bound in bounds.items() if bound is not None},
    }


def _boolean_schema(_field: Field) -> dict[str, Json]:
    return {"type": "boolean"}


def _date_schema(_field: Field) -> dict[str, Json]:
    return {"type": "string", "format": "date"}


def _choice_schema(field: Field) -> dict[str, Json]:
    return {"type": "string", "enum": [option.value for option in field.choices]}


def _choices_schema(field: Field) -> dict[str, Json]:
    options: list[Json] = [option.value for option in field.choices]
    return {"type": "array", "items": {"enum": options}, "uniqueItems": True}


FIELD_KINDS: Final[Mapping[FieldType, FieldKind]] = MappingProxyType(
    {
        FieldType.TEXT: FieldKind(
            control=Control.LINE, read=_read_line, schema=_text_schema, takes_pattern=True
        ),
        FieldType.MULTILINE: FieldKind(
            control=Control.LINES, read=_read_lines, schema=_text_schema, takes_pattern=True
        ),
        FieldType.SECRET: FieldKind(
            control=Control.HIDDEN, read=_read_text, schema=_secret_schema, takes_pattern=True
        ),
        FieldType.NUMBER: FieldKind(
            control=Control.NUMBER,
            read=_read_number,
            schema=_number_schema,
            takes_pattern=True,
            takes_bounds=True,
        ),
        FieldType.DATE: FieldKind(
            control=Control.DATE, read=_read_date, schema=_date_schema, takes_pattern=True
        ),
        FieldType.BOOLEAN: FieldKind(
            control=Control.YES_NO, read=_read_boolean, schema=_boolean_schema
        ),
        FieldType.SELECT: FieldKind(
            control=Control.CHOICE, read=_read_choice, schema=_choice_schema
        ),
        FieldType.MULTI_SELECT: FieldKind(
            control=Control.CHOICES, read=_read_choices, schema=_choices_schema
        ),
    }
)
