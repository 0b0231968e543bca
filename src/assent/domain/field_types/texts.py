"""Text: a line, several lines, code, and secrets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from assent.domain.canonical import Json
from assent.domain.field_types.kinds import refuse

if TYPE_CHECKING:
    from assent.domain.fields import Field

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def read_line(field: Field, value: object) -> str:
    """Read text of one line."""
    text = printable(field, value)
    # A line break in a single line is a way to forge headers and log lines.
    if text.splitlines() not in ([], [text]):
        refuse(field, "Enter a single line.")
    return text


def read_lines(field: Field, value: object) -> str:
    """Read text of any number of lines; tabs and blanks stay as they are."""
    # Browsers always send the lines of a textarea with CRLF.
    return printable(field, value.replace("\r\n", "\n") if isinstance(value, str) else value)


def printable(field: Field, value: object) -> str:
    """Read text without control characters."""
    text = read_text(field, value)
    if _CONTROL.search(text):
        refuse(field, "Control characters are not allowed.")
    return text


def read_text(field: Field, value: object) -> str:
    """Read text of the length that the field allows."""
    if not isinstance(value, str):
        refuse(field, "Enter text.")
    if len(value) > field.max_length:
        refuse(field, f"Enter at most {field.max_length} characters.")
    return value


def text_schema(field: Field) -> dict[str, Json]:
    """Describe text."""
    told: dict[str, Json] = {"type": "string", "maxLength": field.max_length}
    if field.pattern is not None:
        # Our patterns match the whole value, those of a JSON schema any part of it.
        told["pattern"] = f"^(?:{field.pattern})$"
    return told


def secret_schema(field: Field) -> dict[str, Json]:
    """Describe a secret."""
    return {**text_schema(field), "writeOnly": True, "format": "password"}


def code_schema(field: Field) -> dict[str, Json]:
    """Describe code, with its language as a media type."""
    media = {"contentMediaType": f"text/x-{field.language}"} if field.language else {}
    return {**text_schema(field), **media}
