"""A form made from any JSON schema: what is not touched comes back as it was, byte for byte."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import Environment, PackageLoader, StrictUndefined

from assent.domain.canonical import Json, encode
from assent.domain.tools import Hint
from assent.errors import InvalidArguments
from assent.presentation.text import is_plain
from assent.server import Settings
from assent.server.form_data import MAX_FIELDS, Posted
from assent.server.web.review.edit_form import RowCommand
from assent.server.web.review.editing.forms import build_form, has_room, read_form
from assent.server.web.review.editing.json_text import masked, spelt, unmasked
from assent.server.web.review.editing.nodes import (
    ChoiceNode,
    Given,
    GroupNode,
    JsonNode,
    KeptNode,
    Node,
    Nothing,
    NumberNode,
    RowsNode,
    State,
    TextNode,
    TruthNode,
    fields_of,
    marked,
    paths,
    placed,
    value_of,
)
from assent.server.web.review.editing.shapes import Schemas
from assent.server.web.template_filters import FILTERS
from tests.server.web.visitor import Forms, as_sent

_TEMPLATES: Any = Environment(
    loader=PackageLoader("assent.server.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters.update(FILTERS)


def page_of(form: Node) -> str:
    """The form as a page has it."""
    return f"<form>{_TEMPLATES.get_template('edit_controls.html').module.fields(form)}</form>"


def sent(form: Node, **changes: str) -> Posted:
    """What a browser sends of it, with some fields changed."""
    [found] = Forms(page_of(form)).found
    return Posted(as_sent(found.filled(dict[str, object](changes))))


def again(schema: dict[str, Json], value: Json) -> Given:
    """A value after it was shown as a form and sent back untouched."""
    schemas = Schemas(schema)
    back, problems = value_of(read_form(schemas, sent(build_form(schemas, value))))
    assert not problems
    return back


# Text that models send: plain, with lines, and with what nobody would see in a text field.
_TEXTS = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="ab \n\t\r", max_size=20),
    st.sampled_from(["", "\n", "\n\nx", " x ", "\u202eevil", "a\u200bb", "<b>&amp;\"'", "é́́́́́́"]),
)
_NUMBERS = st.one_of(
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False).filter(
        lambda x: not 2**53 - 1 < abs(x) < 1e21
    ),
)
_SCALARS: st.SearchStrategy[Json] = st.one_of(st.none(), st.booleans(), _NUMBERS, _TEXTS)
_VALUES: st.SearchStrategy[Json] = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


def schema_of(draw_: st.DrawFn, value: Json, depth: int = 0) -> dict[str, Json]:
    """Some schema that a value fits: exact, loose, by reference, or saying nothing at all."""
    style = draw_(st.sampled_from(["exact", "exact", "exact", "nullable", "union", "enum", "any"]))
    if style == "any":
        return {}
    if style == "enum":
        return {"enum": [value, "other", None, 7]}
    exact = _exact(draw_, value, depth)
    if style == "nullable":
        return {"anyOf": [exact, {"type": "null"}]}
    if style == "union":
        return {"oneOf": [exact, {"type": "object", "required": ["never"]}]}
    return exact


def _exact(draw_: st.DrawFn, value: Json, depth: int) -> dict[str, Json]:
    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean"}
        case int():
            return {"type": draw_(st.sampled_from(["integer", "number"]))}
        case float():
            return {"type": "number", "description": "<i>how</i> much"}
        case str():
            return {"type": "string", "maxLength": draw_(st.sampled_from([100, 1_000]))}
        case list():
            inner = schema_of(draw_, value[0], depth + 1) if len(value) == 1 else {}
            return {"type": "array", "items": inner}
        case dict():
            return _object(draw_, value, depth)


def _object(draw_: st.DrawFn, value: dict[str, Json], depth: int) -> dict[str, Json]:
    named = [name for name in value if draw_(st.booleans())] if depth else list(value)
    properties: dict[str, Json] = {name: schema_of(draw_, value[name], depth + 1) for name in named}
    properties |= {"absent": {"type": "string"}} if draw_(st.booleans()) else {}
    required: list[Json] = [name for name in named if draw_(st.booleans())]
    return {"type": "object", "properties": properties, "required": required}


@st.composite
def _cases(draw_: st.DrawFn) -> tuple[dict[str, Json], dict[str, Json]]:
    value = draw_(st.dictionaries(st.text(max_size=8), _VALUES, max_size=5))
    value.pop("absent", None)
    inner = _object(draw_, value, 0)
    if draw_(st.booleans()):
        return {"$ref": "#/$defs/It", "$defs": {"It": inner}}, value
    return inner, value


@settings(max_examples=200)
@given(_cases())
def test_any_schema_and_value_come_back_untouched(
    case: tuple[dict[str, Json], dict[str, Json]],
) -> None:
    schema, value = case
    back = again(schema, value)
    assert not isinstance(back, Nothing)
    assert encode(back) == encode(value)


@given(_cases())
def test_no_form_sends_more_fields_than_are_taken(
    case: tuple[dict[str, Json], dict[str, Json]],
) -> None:
    schema, value = case
    many: dict[str, Json] = {**value, "list": [dict(value) for _ in range(150)]}
    form = build_form(Schemas(schema), many)
    assert len(Forms(page_of(form)).found[0].pairs) < MAX_FIELDS - 20


def test_a_schema_that_contains_itself_gives_a_form() -> None:
    tree: dict[str, Json] = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "left": {"$ref": "#"},
            "right": {"$ref": "#"},
            "rest": {"type": "array", "items": {"$ref": "#"}},
        },
    }
    value: Json = {"name": "a", "left": {"name": "b"}, "rest": [{"name": "c"}]}
    assert again(tree, value) == value
    assert again({"$ref": "#"}, value) == value


def test_a_small_schema_that_stands_for_millions_of_controls_does_not_make_them() -> None:
    wide: dict[str, Json] = {f"p{n}": {"$ref": "#/$defs/wide"} for n in range(300)}
    schema: dict[str, Json] = {
        "type": "object",
        "properties": wide,
        "$defs": {"wide": {"type": "object", "properties": wide}},
    }
    assert again(schema, {"p0": {"p1": {}}}) == {"p0": {"p1": {}}}
    forged = Posted(b"group=&is%2Fp0=given&group%2Fp0=")
    assert len(paths(read_form(Schemas(schema), forged))) < 5_000


SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "to": {"type": "array", "items": {"type": "string"}},
        "subject": {"type": "string", "description": "What it is about"},
        "body": {"type": "string"},
        "amount": {"type": "number", "minimum": 0},
        "count": {"type": ["integer", "null"]},
        "urgent": {"type": "boolean"},
        "mode": {"enum": ["fast", "slow", 3]},
        "owner": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
        "options": {"type": "object", "additionalProperties": {"type": "integer"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "note": {"type": "string"},
    },
    "required": ["to", "subject", "body", "amount"],
}
VALUE: dict[str, Json] = {
    "to": ["ada", "bob", "eve"],
    "subject": "Hello",
    "body": "One\nTwo",
    "amount": 12.5,
    "count": None,
    "urgent": True,
    "mode": 3,
    "owner": {"name": "Ada"},
    "options": {"a": 1},
    "either": "x",
}
FORM = build_form(Schemas(SCHEMA), VALUE)


def test_each_type_has_its_control() -> None:
    kinds = {path[0]: type(node) for path, node in paths(FORM).items() if len(path) == 1}
    assert kinds == {
        "to": RowsNode,
        "subject": TextNode,
        "body": TextNode,
        "amount": NumberNode,
        "count": NumberNode,
        "urgent": TruthNode,
        "mode": ChoiceNode,
        "owner": GroupNode,
        "options": JsonNode,
        "either": JsonNode,
        "note": TextNode,
    }
    page = page_of(FORM)
    assert "What it is about" in page
    assert "at least 0" in page


@pytest.mark.parametrize(
    ("changes", "changed"),
    [
        ({"arg/subject": ""}, {"subject": ""}),
        ({"arg/amount": "0.1"}, {"amount": 0.1}),
        ({"is/count": "given", "arg/count": "9007199254740991"}, {"count": 2**53 - 1}),
        ({"is/note": "given"}, {"note": ""}),
        ({"is/note": "given", "arg/note": "a\nb"}, {"note": "a\nb"}),
        ({"arg/urgent": "false"}, {"urgent": False}),
        ({"arg/mode": "0"}, {"mode": "fast"}),
        ({"arg/owner/name": "Eve"}, {"owner": {"name": "Eve"}}),
        ({"json/either": "4"}, {"either": 4}),
    ],
)
def test_what_is_filled_in_is_what_comes_back(
    changes: dict[str, str], changed: dict[str, Json]
) -> None:
    back, problems = value_of(read_form(Schemas(SCHEMA), sent(FORM, **changes)))
    assert not problems
    assert back == VALUE | changed


def test_what_is_left_out_is_not_an_empty_text() -> None:
    back, _ = value_of(read_form(Schemas(SCHEMA), sent(FORM, **{"is/owner": "absent"})))
    assert isinstance(back, dict)
    assert "owner" not in back
    assert "note" not in back


@pytest.mark.parametrize(
    ("name", "text", "path"),
    [
        ("arg/amount", "much", ("amount",)),
        ("arg/amount", "1e999", ("amount",)),
        ("arg/amount", "9007199254740993", ("amount",)),
        ("arg/amount", "true", ("amount",)),
        ("arg/urgent", "maybe", ("urgent",)),
        ("arg/mode", "9", ("mode",)),
        ("json/either", "{", ("either",)),
    ],
)
def test_what_cannot_be_read_is_said_at_its_control_and_kept(
    name: str, text: str, path: tuple[str, ...]
) -> None:
    form = read_form(Schemas(SCHEMA), sent(FORM, **{name: text}))
    _, problems = value_of(form)
    assert list(problems) == [path]
    page = page_of(marked(form, problems))
    assert 'aria-invalid="true"' in page
    assert f'id="error/{path[0]}"' in page
    if name in ("arg/amount", "json/either"):
        assert text in page


def test_what_the_tool_says_stands_at_the_control_it_is_about() -> None:
    said = ["to.1: too long", "owner.name.str: no", "subject: Field required", "anything: else"]
    found, others = placed(said, paths(FORM))
    assert found == {
        ("to", 1): "too long",
        ("owner", "name"): "no",
        ("subject",): "Field required",
    }
    assert others == ["anything: else"]


@pytest.mark.parametrize(
    ("command", "rows"),
    [
        ("add:/to", ["ada", "bob", "eve", ""]),
        ("remove:/to/1", ["ada", "eve"]),
        ("up:/to/2", ["ada", "eve", "bob"]),
        ("down:/to/0", ["bob", "ada", "eve"]),
        ("up:/to/0", ["ada", "bob", "eve"]),
        ("remove:/to/9", ["ada", "bob", "eve"]),
        ("remove:/nothing/0", ["ada", "bob", "eve"]),
    ],
)
def test_rows_are_added_removed_and_moved(command: str, rows: list[Json]) -> None:
    schemas = Schemas(SCHEMA)
    form = RowCommand.parse(command).applied(read_form(schemas, sent(FORM)), schemas)
    back, _ = value_of(read_form(schemas, sent(form)))
    assert isinstance(back, dict)
    assert back["to"] == rows


def test_what_was_hidden_while_left_out_is_not_lost() -> None:
    form = read_form(Schemas(SCHEMA), sent(FORM, **{"is/owner": "absent", "arg/owner/name": "Zoe"}))
    again_ = sent(form, **{"is/owner": "given"})
    back, _ = value_of(read_form(Schemas(SCHEMA), again_))
    assert isinstance(back, dict)
    assert back["owner"] == {"name": "Zoe"}


# requirement: D5
@pytest.mark.parametrize("text", ["a\u202eb", "a\u200bb", "\x1b[2J", "\u3164", "a\rb"])
def test_nothing_unseen_stands_in_a_control(text: str) -> None:
    form = build_form(
        Schemas({"type": "object", "properties": {"x": {"type": "string"}}}), {"x": text}
    )
    page = page_of(form)
    assert all(char in "\n\t" or char.isprintable() for char in page)
    assert isinstance(paths(form)[("x",)], JsonNode)


SECRETS: dict[str, Json] = {
    "password": "hunter2",
    "token": {"$secret": "sec_0123456789abcdef"},
    "deep": [{"api_key": "abc123def456"}],
    "header": "Authorization: Bearer sk-abcdefghij0123456789",
    "pin": 1234,
    "plain": "text",
    "odd": {"$kept": "/plain"},
}
HINTS: dict[str, Hint] = dict.fromkeys(("password", "deep", "header", "pin"), Hint(secret=True))


# conformance: 138
def test_a_secret_is_in_no_form_and_stays_what_it_was() -> None:
    schema: dict[str, Json] = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in SECRETS},
    }
    shown = masked(SECRETS, HINTS)
    form = build_form(Schemas(schema), shown)
    for text in (page_of(form), spelt(shown)):
        for secret in ("hunter2", "sec_0123", "abc123def456", "sk-abc", "1234"):
            assert secret not in text
    kept = [path for path, node in paths(form).items() if isinstance(node, KeptNode)]
    assert kept == [("password",), ("token",), ("deep",), ("header",), ("pin",), ("odd",)]
    back, _ = value_of(read_form(Schemas(schema), sent(form)))
    assert not isinstance(back, Nothing)
    assert unmasked("tool", back, SECRETS) == SECRETS


@pytest.mark.parametrize(
    "edited",
    [
        {"plain": {"$kept": "/password"}},
        {"password": {"$kept": "/plain"}},
        {"password": {"$kept": "/password", "more": 1}},
        {"password": {"$kept": 5}},
        {"missing": {"$kept": "/missing"}},
        {"deep": [{"api_key": {"$kept": "/deep/7/api_key"}}]},
    ],
)
def test_a_secret_does_not_reach_another_field(edited: dict[str, Json]) -> None:
    with pytest.raises(InvalidArguments):
        unmasked("tool", edited, SECRETS)


def test_a_row_with_a_secret_can_move() -> None:
    one: dict[str, Json] = {"password": {"$secret": "sec_1"}}
    two: dict[str, Json] = {"password": {"$secret": "sec_2"}}
    before: dict[str, Json] = {"logins": [one, two]}
    shown = masked(before)
    assert isinstance(shown["logins"], list)
    moved: Json = {"logins": shown["logins"][::-1]}
    assert unmasked("tool", moved, before) == {"logins": [two, one]}


# requirement: D17
def test_what_is_only_called_a_secret_or_looks_like_one_is_edited_as_it_is() -> None:
    plain: dict[str, Json] = {
        "password": "hunter2",
        "deep": [{"api_key": "abc123def456"}],
        "header": "Authorization: Bearer sk-abcdefghij0123456789",
        "command": "token=x; mkdir ./$token",
    }
    assert masked(plain) == plain


@given(_VALUES)
def test_json_as_people_edit_it_says_the_same_and_hides_nothing(value: Json) -> None:
    text = spelt(value)
    assert json.loads(text) == value
    assert is_plain(text)


def test_state_is_offered_only_where_there_is_a_choice() -> None:
    found = {path[0]: node.states for path, node in paths(FORM).items() if len(path) == 1}
    assert found["subject"] == (State.GIVEN,)
    assert found["note"] == (State.GIVEN, State.ABSENT)
    assert found["count"] == (State.GIVEN, State.NULL, State.ABSENT)


@pytest.mark.parametrize(
    "more",
    [
        {"oneOf": [{"properties": {"mode": {"const": "a"}}}, {"required": ["n"]}]},
        {"anyOf": [{"required": ["mode"]}, {"required": ["n"]}]},
        {"allOf": [{"required": ["mode"]}, {"properties": {"n": {"minimum": 1}}}]},
        {"not": {"properties": {"n": {"const": 13}}, "required": ["n"]}},
        {"if": {"properties": {"mode": {"const": "a"}}}, "then": {"required": ["n"]}},
    ],
    ids=lambda more: next(iter(more)),
)
def test_what_alternatives_have_in_common_has_its_own_controls(more: dict[str, Json]) -> None:
    properties: Json = {"mode": {"type": "string"}, "n": {"type": "integer"}}
    schema: dict[str, Json] = {"type": "object", "properties": properties, **more}
    form = build_form(Schemas(schema), {"mode": "a", "n": 2, "other": [1]})
    assert isinstance(form, GroupNode)
    kinds = [type(each.node) for each in form.members]
    assert kinds == [TextNode, NumberNode]
    assert again(schema, {"mode": "a", "n": 2, "other": [1]}) == {"mode": "a", "n": 2, "other": [1]}


@pytest.mark.parametrize(
    "value",
    ["a\u200b" * 40_000, [[]] * 60_000, "\u00ad" * 80_000, [{"k": "\u202e"}] * 10_000],
    ids=["hidden", "brackets", "two bytes", "objects"],
)
def test_what_is_large_comes_back_and_has_room_in_a_form(value: Json) -> None:
    schemas = Schemas({"type": "object"})
    form = build_form(schemas, {"v": value})
    [found] = Forms(page_of(form)).found
    body = as_sent(found.pairs)
    assert len(body) < Settings().max_body_bytes - 10_000
    assert value_of(read_form(schemas, Posted(body))) == ({"v": value}, {})


def test_a_form_that_has_no_room_left_is_known_before_it_is_sent() -> None:
    optional: Json = {name: {"type": "string"} for name in "abcdef"}
    entry: Json = {"type": "object", "properties": optional}
    schemas = Schemas(
        {"type": "object", "properties": {"items": {"type": "array", "items": entry}}}
    )
    form, add = build_form(schemas, {"items": []}), RowCommand.parse("add:/items")
    while has_room(form):
        [found] = Forms(page_of(form)).found
        assert len(found.pairs) <= fields_of(form) <= MAX_FIELDS - 40
        form = add.applied(form, schemas)
    assert len(paths(form)) > 150
