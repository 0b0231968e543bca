"""Numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from assent.domain.canonical import Json, check
from assent.domain.field_types.kinds import dotted, last, refuse
from assent.errors import InvalidJson

if TYPE_CHECKING:
    from assent.domain.fields import Field

# Narrower than float(): no nan, no 1_000, no digits of other scripts.
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER_CHARS: Final = 40


def read_number(field: Field, value: object) -> int | float:
    """Read a number within the field's bounds."""
    number = _spelt_number(field, value.strip()) if isinstance(value, str) else value
    if isinstance(number, bool) or not isinstance(number, int | float):
        refuse(field, "Enter a number.")
    try:
        check(number)
    except InvalidJson:
        refuse(field, "This number is too large.")
    if field.minimum is not None and number < cast("float", field.minimum):
        refuse(field, f"Enter {field.minimum} or more.")
    if field.maximum is not None and number > cast("float", field.maximum):
        refuse(field, f"Enter {field.maximum} or less.")
    return number


def _spelt_number(field: Field, text: str) -> int | float:
    if len(text) > _NUMBER_CHARS or not _NUMBER.fullmatch(text):
        refuse(field, "Enter a number.")
    return int(text) if _INTEGER.fullmatch(text) else float(text)


def join_number(field: Field, texts: Sequence[str]) -> object:
    """Return what the control says."""
    given = last(field, texts)
    return dotted(given) if isinstance(given, str) else given


def number_schema(field: Field) -> dict[str, Json]:
    """Describe a number."""
    bounds = {"minimum": cast("Json", field.minimum), "maximum": cast("Json", field.maximum)}
    return {
        "type": "number",
        **{name: bound for name, bound in bounds.items() if bound is not None},
    }
