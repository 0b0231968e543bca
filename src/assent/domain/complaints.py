"""What a validator of type hints finds, in the same short words as the one of JSON schemas."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pydantic import ValidationError

_SHOWN: Final = 10
_WHOLE, _NUMBER, _TEXT = "must be a whole number", "must be a number", "must be text"
_TRUTH, _LIST, _OBJECT = "must be true or false", "must be a list", "must be an object"
_DATE, _MOMENT = "must be a date like 2026-01-31", "must be a time like 2026-01-31T12:00:00Z"
# By pydantic's own names of what is wrong; what is not here is said in pydantic's words.
_WORDS: Final[Mapping[str, str]] = {
    "missing": "is required",
    "extra_forbidden": "is not allowed",
    "none_required": "must be null",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing", "decimal_type", "decimal_parsing"), _NUMBER),
    "finite_number": "must be a number that is not infinite",
    **dict.fromkeys(("bool_type", "bool_parsing"), _TRUTH),
    **dict.fromkeys(("string_type", "string_sub_type"), _TEXT),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), _LIST),
    **dict.fromkeys(("dict_type", "mapping_type", "model_type", "model_attributes_type"), _OBJECT),
    **dict.fromkeys(("date_type", "date_parsing", "date_from_datetime_parsing"), _DATE),
    **dict.fromkeys(("datetime_type", "datetime_parsing"), _MOMENT),
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "string_pattern_mismatch": "must match the pattern {pattern!r}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
}


def complaints(error: ValidationError, *, root: str = "") -> list[str]:
    """Each as `path: words`, the first few; `root` stands for the path of the whole."""
    found = list(_each(error, root))
    rest = len(found) - _SHOWN
    return found[:_SHOWN] + ([f"and {rest} more"] if rest > 0 else [])


def _each(error: ValidationError, root: str) -> Iterable[str]:
    # The offending input is left out on purpose: it can be long, hostile or secret.
    for item in error.errors(include_url=False, include_input=False):
        path = ".".join(map(str, item["loc"])) or root
        words = _WORDS.get(item["type"], "")
        said = words.format_map(_facts(item.get("ctx", {}))) if words else item["msg"]
        # "At least 1 characters" is nobody's English.
        said = said.replace(" 1 characters", " 1 character").replace(" 1 entries", " 1 entry")
        yield f"{path}: {said}" if path else said


def _facts(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Bounds as people write them: 3, not 3.0."""
    return {
        name: int(fact) if isinstance(fact, float) and fact.is_integer() else fact
        for name, fact in context.items()
    }
