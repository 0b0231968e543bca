"""Settings of a field that only some types have: how they are written, and what contradicts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NoReturn

from assent.domain import parameters
from assent.domain.currencies import CURRENCIES
from assent.domain.field_types.addresses import HOSTED_SCHEMES
from assent.domain.field_types.kinds import Control
from assent.domain.field_types.tables import MOST_CELLS, MOST_ROWS
from assent.domain.file_fields import FILE_DEFAULTS, FILE_SETTINGS
from assent.domain.parameters import Check

if TYPE_CHECKING:
    from assent.domain.fields import Field

_EXACT: Final = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_LANGUAGE: Final = re.compile(r"[a-z0-9][a-z0-9+#.-]{0,31}")


def _currency(given: object) -> object:
    return given if isinstance(given, str) and given in CURRENCIES else parameters.unfit()


def _language(given: object) -> object:
    fits = isinstance(given, str) and (given == "" or _LANGUAGE.fullmatch(given))
    return given if fits else parameters.unfit()


def _bound(given: object) -> object:
    if isinstance(given, Decimal):
        return format(given, "f") if given.is_finite() else parameters.unfit()
    is_exact = isinstance(given, str) and _EXACT.fullmatch(given)
    return given if is_exact else parameters.number().read(given)


BOUND: Final = Check("a number, or for money text such as '12.50'", _bound)
DEFAULT_ROWS: Final = 20


def elsewhere(_query: str) -> NoReturn:
    """Stand for the search of a stored field, whose code is where its tool is."""
    raise LookupError("its code is not here")


OWN_DEFAULTS: Final[Mapping[str, object]] = MappingProxyType(
    {
        "language": "",
        "schemes": (),
        "currencies": (),
        "columns": (),
        "max_rows": DEFAULT_ROWS,
        "search": None,
        **FILE_DEFAULTS,
    }
)
OWN_SETTINGS: Final = {
    "language": Check("the name of a language in small letters, such as 'python'", _language),
    "schemes": parameters.several(
        parameters.word(*sorted(HOSTED_SCHEMES)),
        tuple,
        f"one or several of {', '.join(sorted(HOSTED_SCHEMES))}",
    ),
    "currencies": parameters.several(
        Check("a currency", _currency), tuple, "codes of currencies, such as 'EUR'"
    ),
    "max_rows": parameters.whole(1, MOST_ROWS),
    "search": parameters.optional(
        parameters.function_of(3, "a function of query, cursor and context", least=1)
    ),
    **FILE_SETTINGS,
}


def is_fit_bound(field: Field, bound: object) -> bool:
    """Return True if a bound is exact where it must be: an amount of money is never a float."""
    if field.kind.control is Control.MONEY:
        return isinstance(bound, str | int)
    return not isinstance(bound, str)


def setting_contradictions(field: Field) -> Iterator[str]:
    """Yield what is wrong with the settings that only some types have."""
    for name, default in OWN_DEFAULTS.items():
        if getattr(field, name) != default and name not in field.kind.settings:
            yield f"a {field.type} field takes no {name}"
    if field.kind.control is Control.SEARCH and field.search is None:
        yield "a search field needs search=, a function that finds its options"
    if field.kind.control is Control.TABLE:
        yield from _table_contradictions(field)
    if field.kind.is_personal:
        yield from _personal_contradictions(field)


def _table_contradictions(field: Field) -> Iterator[str]:
    names = [column.name for column in field.columns]
    if not names:
        yield "a table needs columns"
    if len(set(names)) < len(names):
        yield "two of its columns have the same name"
    if len(names) * field.max_rows > MOST_CELLS:
        yield f"a table has at most {MOST_CELLS} cells: lower its max_rows"
    for column in field.columns:
        if not column.kind.fits_column or column.show_if is not None:
            yield f"its column {column.name!r} must be one control that is always shown"


def _personal_contradictions(field: Field) -> Iterator[str]:
    if field.default is not None or field.model_may_fill:
        yield f"only a person gives a {field.type}: it takes no default, and no model fills it in"
    if field.kind.control is Control.CONSENT and not field.required:
        yield f"a {field.type} is required; for a wish of people there is the type boolean"
