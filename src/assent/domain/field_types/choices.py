"""Choices: options, countries, yes or no, and consent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from assent.domain.canonical import Json
from assent.domain.countries import COUNTRIES
from assent.domain.field_types.kinds import refuse

if TYPE_CHECKING:
    from assent.domain.fields import Field

_BOOLEANS: Final = MappingProxyType({"true": True, "on": True, "false": False, "off": False})
_CODES: Final = MappingProxyType({name.casefold(): code for code, name in COUNTRIES.items()})


def read_boolean(field: Field, value: object) -> bool:
    """Read yes or no."""
    said = _truth(value)
    return refuse(field, "Choose yes or no.") if said is None else said


def _truth(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return _BOOLEANS.get(value.strip().lower()) if isinstance(value, str) else None


def read_choice(field: Field, value: object) -> str:
    """Read the value of one option."""
    if not isinstance(value, str) or value not in _offered(field):
        refuse(field, "Choose one of the options.")
    return value


def _offered(field: Field) -> Collection[str]:
    # Not `choices`: a table may ask for hundreds of countries, each with hundreds of options.
    return [option.value for option in field.own_choices] or field.kind.known


def read_choices(field: Field, value: object) -> list[Json]:
    """Read the values of several options."""
    if not isinstance(value, list | tuple):
        refuse(field, "Choose from the options.")
    given, offered = cast("Sequence[object]", value), frozenset(_offered(field))
    if len(given) > len(offered):
        refuse(field, "Choose from the options, each once.")
    chosen = [item for item in given if isinstance(item, str) and item in offered]
    if len(chosen) < len(given):
        refuse(field, "Choose one of the options.")
    if len(set(chosen)) < len(chosen):
        refuse(field, "Choose each option once.")
    return list(chosen)


def read_country(field: Field, value: object) -> str:
    """Read a country by its code or its name."""
    text = value.strip() if isinstance(value, str) else ""
    code = _CODES.get(text.casefold(), text.upper())
    if code not in COUNTRIES:
        refuse(field, "Choose a country, or enter its code of two letters.")
    return read_choice(field, code)


def read_consent(field: Field, value: object) -> str:
    """Read a consent: the value is the text that was agreed to, so that it is on record."""
    # Its own value is read again later; if the text has changed since, it was not agreed to.
    if value != field.consent_text and _truth(value) is not True:
        refuse(field, "Tick this to go on.")
    return field.consent_text


def ticked(_field: Field, value: Json) -> list[str]:
    """Return what the box of a consent says."""
    return [] if value is None else ["true"]


def agreed(_field: Field, texts: Sequence[str]) -> object:
    """Return True for a box that is ticked; one that is not is no answer."""
    return True if "true" in texts else None


def boolean_schema(_field: Field) -> dict[str, Json]:
    """Describe yes or no."""
    return {"type": "boolean"}


def choice_schema(field: Field) -> dict[str, Json]:
    """Describe one of the options."""
    return {"type": "string", "enum": [option.value for option in field.choices]}


def choices_schema(field: Field) -> dict[str, Json]:
    """Describe several of the options."""
    options: list[Json] = [option.value for option in field.choices]
    return {"type": "array", "items": {"enum": options}, "uniqueItems": True}


def consent_schema(_field: Field) -> dict[str, Json]:
    """Describe a consent: nothing but true counts."""
    return {"type": "boolean", "const": True}
