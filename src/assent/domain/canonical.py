"""Strict JSON in, canonical JSON out (RFC 8785), and the digest of what a person is shown.

Two parsers must never read one text differently, so ambiguous text is refused at intake.
Numbers: a whole number beyond ±(2^53-1) is refused if its canonical text is plain digits, even if
it was written as 1e20; from 1e21 on the canonical text has an exponent and every parser agrees.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias, cast

import msgspec
import rfc8785

from assent.errors import InvalidJson, JsonFault

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Path: TypeAlias = tuple[str | int, ...]

MAX_SAFE_INTEGER: Final = 2**53 - 1
# From here on ECMAScript, and so RFC 8785, writes a whole number with an exponent.
_EXPONENT_FROM: Final = 1e21
_SHOWN_CHARS: Final = 40
_MOST_DIGITS: Final = 4_300
# One counted unit (a character, a number, a bracket) takes at most this many encoded bytes.
_BYTES_PER_UNIT: Final = 32

# An unterminated string runs to the end: trying again at each later quote would be quadratic.
_STRING_OR_BRACKET: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonLimits:
    """Limits for one JSON document: bytes of UTF-8, and nested brackets."""

    bytes: int = 262_144
    depth: int = 32


DEFAULT_LIMITS: Final = JsonLimits()


def parse(
    text: str | bytes, limits: JsonLimits = DEFAULT_LIMITS, *, any_number: bool = False
) -> Json:
    """Parse JSON strictly; raises `InvalidJson` where two parsers might disagree.

    With `any_number`, numbers that not every parser keeps exactly are taken as they are read here.
    """
    document = _decoded(text, limits)
    refuse_deep(document, limits.depth)
    try:
        value = cast("Json", (_LENIENT if any_number else _DECODER).decode(document))
    except json.JSONDecodeError as error:
        raise InvalidJson(JsonFault.SYNTAX, f"{error.msg} at character {error.pos}") from None
    # Only an escape can still hold half a surrogate pair: a raw one is not UTF-8.
    if "\\u" in document:
        _refuse_surrogates(value)
    return value


def check(value: object, limits: JsonLimits = DEFAULT_LIMITS) -> Json:
    """Check a parsed value by the rules of `parse`, and return it unchanged."""
    checked = cast("Json", value)
    if _units(value, limits) * _BYTES_PER_UNIT > limits.bytes:
        _refuse_large(len(encode(checked).encode()), limits)
    return checked


def encode(value: Json) -> str:
    """Return the RFC 8785 text of a value that came from `parse` or `check`."""
    if _is_plain(value):
        return _PLAIN.encode(value).decode()
    try:
        return rfc8785.dumps(value).decode()
    except rfc8785.CanonicalizationError as error:
        raise InvalidJson(JsonFault.TYPE, _shown(str(error))) from None


def encode_plain(value: Mapping[str, str | int | None]) -> str:
    """Encode our own fields faster: ASCII names, and no number beyond ±(2^53-1)."""
    return _PLAIN.encode(value).decode()


def digest(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, in lower-case hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def _decoded(text: str | bytes, limits: JsonLimits) -> str:
    """Return the text of a document; raises if its size or encoding is not acceptable."""
    _refuse_large(len(text), limits)
    try:
        document = text if isinstance(text, str) else text.decode()
        size = len(document.encode())
    except UnicodeEncodeError as error:
        raise InvalidJson(JsonFault.SURROGATE, f"at character {error.start}") from None
    except UnicodeDecodeError as error:
        raise InvalidJson(JsonFault.ENCODING, f"not UTF-8 at byte {error.start}") from None
    _refuse_large(size, limits)
    if document.startswith("\ufeff"):
        raise InvalidJson(JsonFault.ENCODING, "starts with a byte order mark")
    return document


def _refuse_large(size: int, limits: JsonLimits) -> None:
    if size > limits.bytes:
        raise InvalidJson(JsonFault.SIZE, f"larger than {limits.bytes} bytes")


def _refuse_surrogates(value: Json) -> None:
    try:
        _PLAIN.encode(value)
    except UnicodeEncodeError:
        raise InvalidJson(JsonFault.SURROGATE, "an escape is half a surrogate pair") from None


def refuse_deep(document: str, limit: int) -> None:
    """Refuse deep nesting before parsing: a recursive parser would overflow its stack."""
    if document.count("[") + document.count("{") <= limit:
        return
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(document):
        piece = match.group()
        depth += (piece in "[{") - (piece in "]}")
        if depth > limit:
            raise InvalidJson(JsonFault.DEPTH, f"deeper than {limit} at character {match.start()}")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        seen: set[str] = set()
        key = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise InvalidJson(JsonFault.DUPLICATE_KEY, f"the key {_shown(key)} appears twice")
    return fields


def _integer(digits: str) -> int:
    # The length first: converting a million digits takes quadratic time.
    if len(digits) > 17 or abs(value := int(digits)) > MAX_SAFE_INTEGER:
        raise InvalidJson(JsonFault.NUMBER_RANGE, f"{_shown(digits)} is beyond ±(2^53-1)")
    return value


def _any_integer(digits: str) -> int:
    # Python converts no more of them.
    if len(digits) > _MOST_DIGITS:
        raise InvalidJson(JsonFault.NUMBER_RANGE, f"longer than {_MOST_DIGITS} digits")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if (fault := _float_fault(value)) is not None:
        raise InvalidJson(fault, f"{_shown(digits)} cannot be kept exactly")
    return value


def _constant(name: str) -> NoReturn:
    raise InvalidJson(JsonFault.NOT_FINITE, f"{name} is not JSON")


def _float_fault(value: float) -> JsonFault | None:
    if not math.isfinite(value):
        return JsonFault.NOT_FINITE
    if MAX_SAFE_INTEGER < abs(value) < _EXPONENT_FROM:
        return JsonFault.NUMBER_RANGE
    return None


def _units(root: object, limits: JsonLimits) -> int:
    """Visit every value; return a lower bound of the characters and tokens in it."""
    units = 0
    pending: list[tuple[object, Path]] = [(root, ())]
    while pending:
        value, path = pending.pop()
        units += 1
        kind = type(value)
        if kind is str:
            units += len(cast("str", value))
            _check_string(cast("str", value), path)
        elif kind is dict or kind is list:
            if len(path) >= limits.depth:
                raise InvalidJson(JsonFault.DEPTH, f"deeper than {limits.depth}", path)
            units += _push_children(value, path, pending)
        elif value is not None and kind is not bool:
            _check_number(value, path)
        # Shared sublists make a small value huge, so the count has to end the walk.
        _refuse_large(units, limits)
    return units


def _push_children(value: object, path: Path, pending: list[tuple[object, Path]]) -> int:
    """Queue the values in a container; return the number of characters in its keys."""
    if isinstance(value, list):
        items = cast("list[object]", value)
        pending.extend((item, (*path, index)) for index, item in enumerate(items))
        return 0
    units = 0
    for key, item in cast("dict[object, object]", value).items():
        if type(key) is not str:
            raise InvalidJson(JsonFault.TYPE, f"a key is {type(key).__name__}, not str", path)
        _check_string(key, path)
        units += len(key)
        pending.append((item, (*path, key)))
    return units


def _check_string(value: str, path: Path) -> None:
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError as error:
            detail = f"half a surrogate pair at character {error.start} {_place(path)}"
            raise InvalidJson(JsonFault.SURROGATE, detail, path) from None


def _check_number(value: object, path: Path) -> None:
    """Accept exact ints and floats only: a subclass may print another value than it holds."""
    if type(value) is int:
        if abs(value) > MAX_SAFE_INTEGER:
            raise InvalidJson(JsonFault.NUMBER_RANGE, f"beyond ±(2^53-1) {_place(path)}", path)
    elif type(value) is float:
        if (fault := _float_fault(value)) is not None:
            raise InvalidJson(fault, f"{value!r} {_place(path)}", path)
    else:
        detail = f"{_shown(type(value).__name__)} is not a JSON type {_place(path)}"
        raise InvalidJson(JsonFault.TYPE, detail, path)


def _is_plain(value: object) -> bool:
    """Return True if msgspec, which is faster, writes it as RFC 8785 does.

    That is so without floats and without keys beyond the BMP.
    """
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return abs(cast("int", value)) <= MAX_SAFE_INTEGER
    if kind is dict:
        fields = cast("dict[object, object]", value)
        return _are_plain_keys(fields) and _are_plain(fields.values())
    return kind is list and _are_plain(cast("list[object]", value))


def _are_plain(values: Iterable[object]) -> bool:
    # A loop, not all(): this is the hot path of every call, and a generator doubles its cost.
    for value in values:  # noqa: SIM110
        if not _is_plain(value):
            return False
    return True


def _are_plain_keys(fields: Mapping[object, object]) -> bool:
    """Return True if UTF-16 order, which RFC 8785 wants, is the order of code points."""
    for key in fields:
        if type(key) is not str or not (key.isascii() or max(key) <= "\uffff"):
            return False
    return True


def _shown(text: str) -> str:
    """Return foreign text in a short, printable form for a message."""
    return ascii(text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…")


def _place(path: Path) -> str:
    steps = "".join(f"[{_shown(s) if isinstance(s, str) else s}]" for s in path[:8])
    return f"at ${steps}{'…' if len(path) > 8 else ''}"


# Built once: with these options, json.loads would build a new decoder on each call.
_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant
)
_LENIENT: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_any_integer, parse_constant=_constant
)
_PLAIN: Final = msgspec.json.Encoder(order="sorted")
