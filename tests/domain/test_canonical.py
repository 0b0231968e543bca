"""Strict intake, canonical text and digests."""

from __future__ import annotations

import json
from collections import OrderedDict
from enum import StrEnum

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from assent.domain.canonical import (
    MAX_SAFE_INTEGER,
    Json,
    JsonLimits,
    check,
    digest,
    encode,
    parse,
)
from assent.errors import InvalidJson, JsonFault

# Surrogates excluded: they are refused. Control characters, separators and astral signs are in.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
integers = st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
floats = st.floats(allow_nan=False, allow_infinity=False).filter(
    lambda x: abs(x) <= MAX_SAFE_INTEGER or abs(x) >= 1e21
)


def documents(scalars: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
        max_leaves=12,
    )


exact: st.SearchStrategy[Json] = st.none() | st.booleans() | integers | texts
json_values = documents(exact | floats)
values_without_floats = documents(exact)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


REFUSED_TEXTS = [
    ("", JsonFault.SYNTAX),
    ("{", JsonFault.SYNTAX),
    ("{'a': 1}", JsonFault.SYNTAX),
    ('{"a": 1} {"a": 1}', JsonFault.SYNTAX),
    ("[1,]", JsonFault.SYNTAX),
    ("01", JsonFault.SYNTAX),
    ("+1", JsonFault.SYNTAX),
    ("0x10", JsonFault.SYNTAX),
    ("\u0661", JsonFault.SYNTAX),  # a digit, but not an ASCII one
    ('"\n"', JsonFault.SYNTAX),
    ("/* */ 1", JsonFault.SYNTAX),
    ('{"a": 1, "a": 1}', JsonFault.DUPLICATE_KEY),
    ('{"a": 1, "\\u0061": 2}', JsonFault.DUPLICATE_KEY),
    ('[{"x": {"b": 1, "b": 2}}]', JsonFault.DUPLICATE_KEY),
    ("NaN", JsonFault.NOT_FINITE),
    ('{"a": [Infinity]}', JsonFault.NOT_FINITE),
    ("-Infinity", JsonFault.NOT_FINITE),
    ("1e999", JsonFault.NOT_FINITE),
    ("-1e999", JsonFault.NOT_FINITE),
    ('"\\ud800"', JsonFault.SURROGATE),
    ('"\\uDC00\\uD800"', JsonFault.SURROGATE),
    ('{"\\udfff": 1}', JsonFault.SURROGATE),
    ('"\ud800"', JsonFault.SURROGATE),
    ("9007199254740992", JsonFault.NUMBER_RANGE),
    ("-9007199254740992", JsonFault.NUMBER_RANGE),
    ("9007199254740993.0", JsonFault.NUMBER_RANGE),
    ("1e20", JsonFault.NUMBER_RANGE),
    ("1" * 5000, JsonFault.NUMBER_RANGE),
    (nested(33), JsonFault.DEPTH),
    ('{"a":' * 33 + "1" + "}" * 33, JsonFault.DEPTH),
    ("[" * 200_000, JsonFault.DEPTH),
    ('"]]]]",' + "[" * 33, JsonFault.DEPTH),
    ('"' + "a" * 262_143 + '"', JsonFault.SIZE),
    ('"' + "é" * 131_072 + '"', JsonFault.SIZE),
    (b'"\xff"', JsonFault.ENCODING),
    (b'"\xed\xa0\x80"', JsonFault.ENCODING),
    (b"\xef\xbb\xbf1", JsonFault.ENCODING),
    ("\ufeff1", JsonFault.ENCODING),
    ('{"a": 1}'.encode("utf-16"), JsonFault.ENCODING),
]


# requirement: D2
@pytest.mark.parametrize(("text", "fault"), REFUSED_TEXTS, ids=lambda part: ascii(part)[:40])
def test_parse_refuses_what_is_ambiguous_or_too_large_with_a_stable_code(
    text: str | bytes, fault: JsonFault
) -> None:
    with pytest.raises(InvalidJson) as refusal:
        parse(text)
    assert refusal.value.reason is fault
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, true, null, "x"]}', {"a": [1, 2.5, True, None, "x"]}),
        (b' {"a":1}\n', {"a": 1}),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\u00e9"', "é"),
        ("9007199254740991", MAX_SAFE_INTEGER),
        ("-9007199254740991", -MAX_SAFE_INTEGER),
        ("6.02214076e23", 6.02214076e23),
        ("-0", 0),
        (nested(32), json.loads(nested(32))),
        ('["' + "[" * 100 + '"]', ["[" * 100]),
        ('"' + "a" * 262_142 + '"', "a" * 262_142),
        ("[" + ",".join(["[]"] * 100) + "]", [[]] * 100),
    ],
    ids=lambda part: ascii(part)[:40],
)
def test_parse_accepts_plain_json_up_to_the_limits(text: str | bytes, value: Json) -> None:
    assert parse(text) == value


def test_parse_keeps_to_the_limits_it_is_given() -> None:
    tight = JsonLimits(bytes=10, depth=1)
    assert parse("[1]", tight) == [1]
    with pytest.raises(InvalidJson, match="larger than 10 bytes"):
        parse("[1,2,3,4,5,6]", tight)
    with pytest.raises(InvalidJson, match="deeper than 1"):
        parse("[[1]]", tight)


def test_a_million_open_brackets_are_a_refusal_not_a_recursion_error() -> None:
    with pytest.raises(InvalidJson) as refusal:
        parse("[" * 1_000_000, JsonLimits(bytes=2_000_000))
    assert refusal.value.reason is JsonFault.DEPTH


class Colour(StrEnum):
    RED = "red"


REFUSED_VALUES: list[tuple[object, JsonFault, tuple[str | int, ...]]] = [
    ({"a": [1, {2: 3}]}, JsonFault.TYPE, ("a", 1)),
    ({"a": {"b": (1, 2)}}, JsonFault.TYPE, ("a", "b")),
    ([b"x"], JsonFault.TYPE, (0,)),
    ({"a": {1, 2}}, JsonFault.TYPE, ("a",)),
    ([Colour.RED], JsonFault.TYPE, (0,)),
    (OrderedDict(a=1), JsonFault.TYPE, ()),
    (object(), JsonFault.TYPE, ()),
    ([0, float("nan")], JsonFault.NOT_FINITE, (1,)),
    ([float("inf")], JsonFault.NOT_FINITE, (0,)),
    ({"a": "\ud800"}, JsonFault.SURROGATE, ("a",)),
    ({"a": {"\ud800": 1}}, JsonFault.SURROGATE, ("a",)),
    ({"n": MAX_SAFE_INTEGER + 1}, JsonFault.NUMBER_RANGE, ("n",)),
    ({"n": 1e20}, JsonFault.NUMBER_RANGE, ("n",)),
    (json.loads(nested(33)), JsonFault.DEPTH, (0,) * 32),
    (["é" * 131_072], JsonFault.SIZE, ()),
    (["\x00" * 50_000], JsonFault.SIZE, ()),
    ([0] * 200_000, JsonFault.SIZE, ()),
]


# requirement: D2
@pytest.mark.parametrize(("value", "fault", "path"), REFUSED_VALUES)
def test_check_refuses_a_foreign_value_and_leads_to_the_offender(
    value: object, fault: JsonFault, path: tuple[str | int, ...]
) -> None:
    with pytest.raises(InvalidJson) as refusal:
        check(value)
    assert (refusal.value.reason, refusal.value.path) == (fault, path)
    assert len(str(refusal.value)) < 300


def test_check_refuses_a_cycle() -> None:
    loop: list[object] = []
    loop.append(loop)
    with pytest.raises(InvalidJson) as refusal:
        check(loop)
    assert refusal.value.reason is JsonFault.DEPTH


def test_check_gives_up_on_a_small_value_that_is_huge_when_written_out() -> None:
    laughs: list[object] = ["ha"]
    for _ in range(30):
        laughs = [laughs, laughs]
    with pytest.raises(InvalidJson) as refusal:
        check(laughs)
    assert refusal.value.reason is JsonFault.SIZE


@given(json_values)
def test_check_returns_what_parse_would_return(value: Json) -> None:
    assert check(value) is value


# requirement: D1
@given(json_values)
def test_parse_reads_back_what_encode_wrote(value: Json) -> None:
    assert parse(encode(value)) == value


@given(json_values)
def test_encoding_is_a_fixed_point(value: Json) -> None:
    text = encode(value)
    assert encode(parse(text)) == text


@given(values_without_floats)
def test_the_fast_encoder_writes_exactly_what_rfc8785_wants(value: Json) -> None:
    assert encode(value) == rfc8785.dumps(value).decode()


@given(st.dictionaries(texts, st.integers(0, 9), max_size=6))
def test_the_order_of_keys_leaves_no_trace(fields: dict[str, Json]) -> None:
    backwards = dict(reversed(list(fields.items())))
    assert encode(backwards) == encode(fields)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": 2}, '{"a":2,"b":1}'),
        # The astral key sorts before U+FB33: UTF-16 order, not code point order.
        ({"\ufb33": 1, "😀": 2}, '{"😀":2,"\ufb33":1}'),
        ([1.0, -0.0, 4.50, 2e-3, 1e30, 1e-27], "[1,0,4.5,0.002,1e+30,1e-27]"),
        ('\x00\x1f\x7f\u2028"\\/\b\f\n\r\t', '"\\u0000\\u001f\x7f\u2028\\"\\\\/\\b\\f\\n\\r\\t"'),
        ({}, "{}"),
        ([None, True, False], "[null,true,false]"),
    ],
)
def test_encode_writes_the_canonical_form(value: Json, text: str) -> None:
    assert encode(value) == text


@pytest.mark.parametrize("value", [{1: 2}, MAX_SAFE_INTEGER + 1, [float("nan")], ["\ud800", 0.5]])
def test_encode_refuses_what_was_never_checked(value: Json) -> None:
    with pytest.raises(InvalidJson):
        encode(value)


# requirement: D1
@given(json_values, json_values)
def test_digests_are_equal_exactly_when_the_values_are(one: Json, other: Json) -> None:
    same_text = encode(one) == encode(other)
    assert (digest(encode(one)) == digest(encode(other))) is same_text


# requirement: D1
@given(st.dictionaries(texts, exact, min_size=1, max_size=4), st.data())
def test_changing_any_field_changes_the_digest(
    fields: dict[str, Json], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(sorted(fields)))
    changed: dict[str, Json] = {**fields, key: [fields[key]]}
    assert digest(encode(changed)) != digest(encode(fields))


def test_digest_is_sha256_of_the_utf8_in_hex() -> None:
    assert digest('{"a":1}') == ("015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862")
