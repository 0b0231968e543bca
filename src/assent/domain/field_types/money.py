"""Money: an exact amount with its currency. No amount is ever a float."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Final, cast

from assent.domain.canonical import Json
from assent.domain.currencies import CURRENCIES
from assent.domain.field_types.kinds import dotted, refuse

if TYPE_CHECKING:
    from assent.domain.fields import Field

_NOTHING: Final[Mapping[str, object]] = {}
_PARTS: Final = ("amount", "currency")
_AMOUNT: Final = re.compile(r"([+-]?)([0-9]{1,15})(?:\.([0-9]{0,15}))?")
_TEXT: Final = re.compile(r"(?:([A-Za-z]{3})\s+)?([+-]?[0-9.]{1,40})(?:\s*([A-Za-z]{3}))?")


def read_money(field: Field, value: object) -> dict[str, Json]:
    """Read an amount and its currency: as an object, or as text such as "12.50 EUR"."""
    amount, currency = _parts(field, value)
    if currency not in currencies_of(field):
        refuse(field, "Choose the currency, such as EUR, from those that are allowed.")
    exact = _exact(field, amount, CURRENCIES[currency])
    if field.minimum is not None and exact < Decimal(str(field.minimum)):
        refuse(field, f"Enter {field.minimum} or more.")
    if field.maximum is not None and exact > Decimal(str(field.maximum)):
        refuse(field, f"Enter {field.maximum} or less.")
    return {"amount": format(exact, "f"), "currency": currency}


def currencies_of(field: Field) -> tuple[str, ...]:
    """Return the currencies that a field takes: those it names, or all."""
    return tuple(field.currencies) or tuple(CURRENCIES)


def _parts(field: Field, value: object) -> tuple[str, str]:
    parts = _spelt(field, value) if isinstance(value, str) else _given(value)
    return parts or refuse(field, "Enter an amount and its currency, such as 12.50 EUR.")


def _given(value: object) -> tuple[str, str] | None:
    said = dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else _NOTHING
    amount, currency = said.get("amount"), said.get("currency")
    if isinstance(amount, bool) or not isinstance(amount, str | int) or len(said) != len(_PARTS):
        return None
    return (str(amount).strip(), currency.strip().upper()) if isinstance(currency, str) else None


def _spelt(field: Field, text: str) -> tuple[str, str] | None:
    found = _TEXT.fullmatch(text.strip())
    if found is None or (found[1] and found[3]):
        return None
    return found[2], (found[1] or found[3] or _only(field)).upper()


def _only(field: Field) -> str:
    return field.currencies[0] if len(field.currencies) == 1 else ""


def _exact(field: Field, text: str, digits: int) -> Decimal:
    found = _AMOUNT.fullmatch(text)
    if found is None:
        refuse(field, "Enter the amount in digits with a dot, such as 1234.50.")
    fraction = found[3] or ""
    if len(fraction.rstrip("0")) > digits:
        words = f"at most {digits} digits" if digits else "no digits"
        refuse(field, f"This currency has {words} after the dot.")
    exact = Decimal(f"{found[1]}{found[2]}.{fraction[:digits].ljust(digits, '0')}0")
    exact = exact.quantize(Decimal(1).scaleb(-digits))
    return abs(exact) if exact == 0 else exact


def spell_money(field: Field, value: Json) -> str:
    """Write money as text."""
    return " ".join(split_money(field, value))


def split_money(_field: Field, value: Json) -> list[str]:
    """Return the texts of the two controls."""
    parts = cast("Mapping[str, str]", value)
    return [parts["amount"], parts["currency"]]


def join_money(_field: Field, texts: Sequence[str]) -> object:
    """Return what the two controls say; without an amount there is no answer."""
    amount, currency = (*texts, "", "")[:2]
    return {"amount": dotted(amount), "currency": currency} if amount.strip() else None


def money_schema(field: Field) -> dict[str, Json]:
    """Describe money."""
    bounds = [("from", field.minimum), ("up to", field.maximum)]
    told = " ".join(f"{word} {bound}" for word, bound in bounds if bound is not None)
    amount: dict[str, Json] = {"type": "string", "pattern": r"^-?[0-9]{1,15}(\.[0-9]{1,3})?$"}
    return {
        "type": "object",
        "properties": {
            "amount": {**amount, "description": told} if told else amount,
            "currency": {"type": "string", "enum": list(currencies_of(field))},
        },
        "required": list(_PARTS),
        "additionalProperties": False,
    }
