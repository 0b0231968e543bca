"""Forms: what may be declared, what shows, what is missing, and which answers are accepted."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.domain.canonical import Json, check
from assent.domain.forms import Field, FieldType, Option, ShowIf, UserInput
from assent.errors import InvalidAnswer, InvalidParameter, InvalidTool

T = FieldType


def form(*fields: Field, **rest: Any) -> UserInput:
    return UserInput("needed", fields, **rest)


def errors(
    subject: UserInput, values: dict[str, object], known: dict[str, Json] | None = None
) -> dict[str, str]:
    with pytest.raises(InvalidAnswer) as caught:
        subject.validate(values, known or {})
    return caught.value.errors


def names(fields: tuple[Field, ...]) -> list[str]:
    return [item.name for item in fields]


SSH = form(
    Field("host"),
    Field("port", type=T.NUMBER, required=False, default=22, minimum=1, maximum=65_535),
    Field("auth", type=T.SELECT, options=("password", Option("key", "Private key"))),
    Field("password", type=T.SECRET, show_if=ShowIf("auth", "password")),
    Field("key_name", show_if=ShowIf("auth", "key")),
    Field("passphrase", type=T.SECRET, required=False, show_if=ShowIf("auth", "key")),
)


# --- declaring


def test_a_field_needs_only_a_name() -> None:
    field = Field("realm_id")
    assert (field.label, field.type, field.required) == ("Realm id", T.TEXT, True)
    assert (field.default, field.options, field.max_length) == (None, (), 10_000)
    assert not field.model_may_fill


def test_options_may_be_given_as_plain_strings() -> None:
    field = Field("db", type=T.SELECT, options=["staging", Option("prod", "Production")])
    assert field.choices == (Option("staging"), Option("prod", "Production"))


@pytest.mark.parametrize(
    "parts",
    [
        {"name": ""},
        {"name": "a b"},
        {"name": "1a"},
        {"name": "naïve"},
        {"name": "a" * 65},
        {"name": "a\n"},
        {"type": T.SELECT},
        {"type": T.MULTI_SELECT, "options": ()},
        {"type": T.TEXT, "options": ("a",)},
        {"type": T.SELECT, "options": ("a", Option("a", "again"))},
        {"type": T.SELECT, "options": ("a", " ")},
        {"pattern": "(?=a)"},
        {"pattern": "("},
        {"type": T.SELECT, "options": ("a",), "pattern": "a"},
        {"type": T.BOOLEAN, "pattern": "true"},
        {"default": 3},
        {"default": "b", "pattern": "a"},
        {"default": "c", "type": T.SELECT, "options": ("a", "b")},
        {"default": "soon", "type": T.DATE},
        {"default": 11, "type": T.NUMBER, "maximum": 10},
        {"default": "hunter2", "type": T.SECRET},
        {"minimum": 1},
        {"minimum": 2, "maximum": 1, "type": T.NUMBER},
        {"minimum": float("nan"), "type": T.NUMBER},
        {"max_length": 0},
        {"show_if": ShowIf("x", "a")},
    ],
    ids=repr,
)
def test_a_field_that_contradicts_itself_is_refused(parts: dict[str, Any]) -> None:
    with pytest.raises((InvalidTool, InvalidParameter)):
        Field(**{"name": "x", **parts})


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [Field("a"), Field("a")],
        [Field("b", show_if=ShowIf("a", "x"))],
        [Field("b", show_if=ShowIf("a", "x")), Field("a")],
        [Field("a", show_if=ShowIf("b", "x")), Field("b", show_if=ShowIf("a", "x"))],
        [Field("a", type=T.SECRET), Field("b", show_if=ShowIf("a", "x"))],
        [Field("a", type=T.SELECT, options="xy"), Field("b", show_if=ShowIf("a", "z"))],
        [Field("a", type=T.BOOLEAN), Field("b", show_if=ShowIf("a", 1))],
        [Field("a", type=T.NUMBER), Field("b", show_if=ShowIf("a", "1"))],
    ],
    ids=[
        "none",
        "twice",
        "unknown",
        "later",
        "cycle",
        "secret",
        "no option",
        "1 is not true",
        "type",
    ],
)
def test_a_form_that_cannot_work_is_refused(fields: list[Field]) -> None:
    with pytest.raises(InvalidTool):
        UserInput("needed", fields)


@pytest.mark.parametrize("family", ["", "a b", "a/b", "x" * 65])
def test_a_family_has_a_plain_name(family: str) -> None:
    with pytest.raises(InvalidTool):
        form(Field("a"), family=family)


def test_answers_are_saved_per_tool_or_for_a_family() -> None:
    assert form(Field("a")).scope("search") == "tool:search"
    assert form(Field("a"), family="quickbooks").scope("search") == "family:quickbooks"


# --- what is missing


# conformance: 91
def test_a_required_field_without_a_value_is_missing() -> None:
    subject = form(Field("realm_id"), Field("note", required=False))
    assert names(subject.missing({})) == ["realm_id"]
    assert subject.missing({"realm_id": "913"}) == ()


# conformance: 92
@pytest.mark.parametrize(("kind", "value"), [(T.NUMBER, 0), (T.NUMBER, 0.0), (T.BOOLEAN, False)])
def test_zero_and_false_count_as_given(kind: FieldType, value: Json) -> None:
    subject = form(Field("x", type=kind))
    assert subject.missing({"x": value}) == ()
    answers = subject.validate({"x": value})
    assert answers == {"x": value}
    assert type(answers["x"]) is type(value)


@pytest.mark.parametrize("value", [None, "", [], "   ", "\n"])
def test_nothing_and_blanks_do_not_count_as_given(value: Json) -> None:
    subject = form(Field("x"))
    assert names(subject.missing({"x": value})) == ["x"]
    assert errors(subject, {"x": value}) == {"x": "This is required."}


# conformance: 93
def test_all_missing_fields_are_listed_when_only_some_are_given() -> None:
    subject = form(Field("a"), Field("b"), Field("c"))
    assert names(subject.missing({"b": "here"})) == ["a", "c"]


def test_a_known_value_that_the_field_would_refuse_is_missing() -> None:
    subject = form(
        Field("env", type=T.SELECT, options=("staging", "prod")), Field("id", pattern="[0-9]+")
    )
    assert names(subject.missing({"env": "dev", "id": "12"})) == ["env"]


def test_a_reference_to_a_known_secret_counts_as_given() -> None:
    reference: dict[str, Json] = {"$secret": "s_1"}
    subject = form(Field("token", type=T.SECRET, pattern="[a-z]+"))
    assert subject.missing({"token": reference}) == ()
    assert subject.validate({}, {"token": reference}) == {"token": reference}
    assert subject.validate({"token": ""}, {"token": reference}) == {"token": reference}
    assert subject.validate({"token": "new"}, {"token": reference}) == {"token": "new"}


def test_a_required_field_with_a_default_is_still_asked() -> None:
    subject = form(Field("region", default="eu"))
    assert names(subject.missing({})) == ["region"]


# --- what shows


def test_conditional_fields_show_only_when_their_condition_holds() -> None:
    assert names(SSH.visible({})) == ["host", "port", "auth"]
    assert names(SSH.visible({"auth": "password"})) == ["host", "port", "auth", "password"]
    assert names(SSH.visible({"auth": "key"}))[3:] == ["key_name", "passphrase"]
    assert names(SSH.missing({"host": "h", "auth": "key"})) == ["key_name"]


def test_a_field_hidden_by_a_hidden_field_is_hidden() -> None:
    subject = form(
        Field("a", type=T.BOOLEAN),
        Field("b", type=T.BOOLEAN, show_if=ShowIf("a", True)),
        Field("c", show_if=ShowIf("b", True)),
    )
    assert names(subject.visible({"a": True, "b": True})) == ["a", "b", "c"]
    assert names(subject.visible({"a": False, "b": True})) == ["a"]


def test_a_default_can_make_a_field_show() -> None:
    subject = form(Field("a", type=T.BOOLEAN, default=True), Field("b", show_if=ShowIf("a", True)))
    assert names(subject.missing({})) == ["a", "b"]
    assert names(subject.missing({"a": False})) == []


def test_a_multi_select_shows_a_field_when_it_includes_the_value() -> None:
    subject = form(
        Field("kinds", type=T.MULTI_SELECT, options=("a", "b")),
        Field("b_why", show_if=ShowIf("kinds", "b")),
    )
    assert names(subject.visible({"kinds": ["a", "b"]})) == ["kinds", "b_why"]
    assert names(subject.visible({"kinds": ["a"]})) == ["kinds"]


def test_conditions_look_at_what_an_answer_means_not_how_it_was_typed() -> None:
    subject = form(Field("a", type=T.BOOLEAN), Field("b", show_if=ShowIf("a", True)))
    assert errors(subject, {"a": "on"}) == {"b": "This is required."}


# --- accepting answers


def test_answers_come_back_normalised_with_defaults_and_without_hidden_fields() -> None:
    values = {"host": "example.org", "auth": "password", "password": "p w", "key_name": "stale"}
    assert SSH.validate(values) == {
        "host": "example.org",
        "port": 22,
        "auth": "password",
        "password": "p w",
    }


# conformance: 94
def test_every_field_that_is_wrong_gets_its_own_message() -> None:
    subject = form(
        Field("id", pattern="[0-9]{10,20}", message="Ten to twenty digits."),
        Field("count", type=T.NUMBER, maximum=5),
        Field("db", type=T.SELECT, options=("staging", "production")),
        Field("name"),
        Field("fine"),
    )
    values = {"id": "12a", "count": "many", "db": "dev", "fine": "ok", "stranger": 1}
    assert errors(subject, values) == {
        "id": "Ten to twenty digits.",
        "count": "Enter a number.",
        "db": "Choose one of the options.",
        "name": "This is required.",
        "stranger": "There is no such field.",
    }


# conformance: 94
@pytest.mark.parametrize("value", ["x12345", "12345x", "12345\n", "12345 ", "123"])
def test_a_pattern_must_match_the_whole_value(value: str) -> None:
    subject = form(Field("id", type=T.MULTILINE, pattern="[0-9]{5}"))
    assert errors(subject, {"id": value}) == {"id": "This does not have the expected form."}
    assert subject.validate({"id": "12345"}) == {"id": "12345"}


def test_anchors_in_a_pattern_do_no_harm() -> None:
    subject = form(Field("id", pattern="^[0-9]{10,20}$"))
    assert subject.validate({"id": "9130346988354456"}) == {"id": "9130346988354456"}


# conformance: 95
@pytest.mark.parametrize(
    ("given", "value"),
    [
        ("42", 42),
        (" 42 ", 42),
        ("-7", -7),
        ("+7", 7),
        ("4.5", 4.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        (42, 42),
        (4.5, 4.5),
        ("0", 0),
        ("9007199254740991", 2**53 - 1),
    ],
)
def test_a_number_field_gives_the_tool_a_number(given: object, value: Json) -> None:
    answers = form(Field("n", type=T.NUMBER)).validate({"n": given})
    assert answers == {"n": value}
    assert type(answers["n"]) is type(value)


# conformance: 94
@pytest.mark.parametrize(
    "given",
    ["nan", "inf", "-Infinity", "1e999", "0x10", "1_000", "1,5", "٤٢", "4 2", "1e", "--1", ".",
     "9007199254740992", "1e20", "9" * 5000, True, [1], {"n": 1}, float("nan"), float("inf"), 2**53,
     b"1", 1j],
)  # fmt: skip
def test_what_is_no_safe_number_is_refused(given: object) -> None:
    assert list(errors(form(Field("n", type=T.NUMBER)), {"n": given})) == ["n"]


def test_numbers_have_bounds_that_include_themselves() -> None:
    subject = form(Field("n", type=T.NUMBER, minimum=1, maximum=3.5))
    assert subject.validate({"n": "1"}) == {"n": 1}
    assert subject.validate({"n": "3.5"}) == {"n": 3.5}
    assert errors(subject, {"n": "0.9"}) == {"n": "Enter 1 or more."}
    assert errors(subject, {"n": 4}) == {"n": "Enter 3.5 or less."}


def test_a_pattern_on_a_number_judges_its_digits() -> None:
    subject = form(Field("port", type=T.NUMBER, pattern="[0-9]{2,4}"))
    assert subject.validate({"port": "8080"}) == {"port": 8080}
    assert errors(subject, {"port": "80800"})


@pytest.mark.parametrize(
    ("given", "value"),
    [(True, True), (False, False), ("true", True), ("False", False), ("on", True), ("off", False)],
)
def test_a_boolean_is_a_boolean_or_what_a_checkbox_sends(given: object, value: bool) -> None:
    assert form(Field("b", type=T.BOOLEAN)).validate({"b": given}) == {"b": value}


@pytest.mark.parametrize("given", [1, 0, "1", "yes", "y", "truthy", [True]])
def test_nothing_else_is_a_boolean(given: object) -> None:
    assert errors(form(Field("b", type=T.BOOLEAN)), {"b": given}) == {"b": "Choose yes or no."}


@pytest.mark.parametrize("given", ["2024-02-29", " 2025-01-31 "])
def test_a_date_is_a_day_of_the_calendar(given: str) -> None:
    assert form(Field("d", type=T.DATE)).validate({"d": given}) == {"d": given.strip()}


@pytest.mark.parametrize(
    "given",
    ["2023-02-29", "20240229", "2024-W01-1", "29.02.2024", "2024-2-9", "2024-02-29T00:00", 5],
)
def test_what_is_no_day_is_refused(given: object) -> None:
    assert errors(form(Field("d", type=T.DATE)), {"d": given}) == {
        "d": "Enter a date as YYYY-MM-DD."
    }


def test_a_select_takes_values_not_labels() -> None:
    subject = form(Field("s", type=T.SELECT, options=(Option("a", "Label A"), "b")))
    assert subject.validate({"s": "a"}) == {"s": "a"}
    for wrong in ("Label A", "A", ["a"], 1):
        assert errors(subject, {"s": wrong}) == {"s": "Choose one of the options."}


def test_a_multi_select_takes_a_list_without_repeats() -> None:
    subject = form(Field("m", type=T.MULTI_SELECT, options=("a", "b", "c")))
    assert subject.validate({"m": ["c", "a"]}) == {"m": ["c", "a"]}
    assert errors(subject, {"m": ["a", "a"]}) == {"m": "Choose each option once."}
    assert errors(subject, {"m": ["a", "z"]}) == {"m": "Choose one of the options."}
    assert errors(subject, {"m": "a"}) == {"m": "Choose from the options."}
    assert errors(subject, {"m": []}) == {"m": "This is required."}


@pytest.mark.parametrize(
    "given",
    ["two\nlines", "ends\n", "a\r\nb", "a\u2028b", "a\x85b", "nul\x00", "\x1b[31m", "\ud800"],
)
def test_a_text_is_one_printable_line(given: str) -> None:
    assert list(errors(form(Field("t")), {"t": given})) == ["t"]


def test_several_lines_arrive_as_they_were_typed() -> None:
    subject = form(Field("t", type=T.MULTILINE))
    assert subject.validate({"t": "one\r\ntwo\tx\n"}) == {"t": "one\ntwo\tx\n"}
    assert errors(subject, {"t": "nul\x00"}) == {"t": "Control characters are not allowed."}


def test_a_secret_is_taken_as_it_is() -> None:
    subject = form(Field("t", type=T.SECRET))
    for secret in ("  spaces  ", " ", "-----BEGIN-----\nabc\n", "\x01"):
        assert subject.validate({"t": secret}) == {"t": secret}


def test_texts_have_a_length() -> None:
    assert errors(form(Field("t")), {"t": "x" * 10_001}) == {"t": "Enter at most 10000 characters."}
    assert form(Field("t", max_length=3)).validate({"t": "äöü"}) == {"t": "äöü"}


@pytest.mark.parametrize("kind", [T.TEXT, T.MULTILINE, T.SECRET])
@pytest.mark.parametrize("given", [1, True, ["x"], {"x": 1}])
def test_a_text_is_never_made_from_something_else(kind: FieldType, given: object) -> None:
    assert errors(form(Field("t", type=kind)), {"t": given}) == {"t": "Enter text."}


def test_messages_never_repeat_what_was_entered() -> None:
    subject = form(*(
        Field(
            f"f_{kind}",
            type=kind,
            options=("a",) if "select" in kind else (),
            columns=(Field("a"), Field("b")) if kind is T.ROWS else (),
            search=(lambda query: [query]) if kind is T.SEARCH else None,
            max_length=5,
        )
        for kind in FieldType
    ))  # fmt: skip
    found = errors(subject, {f"f_{kind}": "hunter2 is a secret" for kind in FieldType})
    assert len(found) == len(FieldType)
    assert "hunter2" not in json.dumps(found)


def test_an_optional_field_left_empty_is_left_out() -> None:
    subject = form(Field("a"), Field("b", required=False), Field("c", required=False, default="x"))
    assert subject.validate({"a": "1", "b": "", "c": ""}) == {"a": "1"}
    assert subject.validate({"a": "1"}) == {"a": "1", "c": "x"}


def test_values_win_over_known_ones_and_those_over_defaults() -> None:
    subject = form(
        Field("a", default="default"), Field("b", default="default"), Field("c", default="default")
    )
    assert subject.validate({"a": "value"}, {"a": "known", "b": "known", "other": 1}) == {
        "a": "value",
        "b": "known",
        "c": "default",
    }


def test_a_known_value_that_the_field_would_refuse_is_not_used() -> None:
    subject = form(Field("n", type=T.NUMBER, required=False), Field("m", type=T.NUMBER))
    assert errors(subject, {}, {"n": "x", "m": "x"}) == {"m": "This is required."}


def test_names_of_strangers_are_reported_short_and_few() -> None:
    found = errors(form(Field("a")), {"a": "1", **{f"{i}" + "x" * 500: 1 for i in range(100)}})
    assert len(found) == 10
    assert all(len(name) <= 64 for name in found)


# --- drafts


def test_a_draft_keeps_the_given_part_normalised() -> None:
    assert SSH.validate_part({"port": "2222"}) == {"port": 2222}


@pytest.mark.parametrize("blank", ["", "  ", None])
def test_a_draft_keeps_that_a_field_was_emptied(blank: object) -> None:
    subject = form(Field("note", required=False, default="nightly"), Field("pin", type=T.SECRET))
    drafted = subject.validate_part({"note": blank, "pin": ""}, {"note": "weekly"})

    # A secret that is left empty is the one from before.
    assert drafted == {"note": None}
    assert subject.validate({"pin": "1"}, drafted) == {"pin": "1"}
    assert subject.validate({"pin": "1"}, {}) == {"note": "nightly", "pin": "1"}
    assert subject.validate({"pin": "1", "note": "now"}, drafted) == {"note": "now", "pin": "1"}


def test_choices_that_were_unticked_stay_so_in_a_draft() -> None:
    field = Field("days", type=T.MULTI_SELECT, options=("mon", "tue"), required=False)
    assert form(field).validate_part({"days": []}, {"days": ["mon"]}) == {"days": None}


def test_a_draft_is_refused_for_what_is_wrong_in_it() -> None:
    with pytest.raises(InvalidAnswer) as caught:
        SSH.validate_part({"port": "x", "auth": "none", "who": 1})
    assert set(caught.value.errors) == {"port", "auth", "who"}


def test_a_draft_drops_what_an_answer_hides_and_keeps_what_is_open() -> None:
    assert SSH.validate_part({"key_name": "k"}) == {"key_name": "k"}
    assert SSH.validate_part({"key_name": "k", "auth": "password"}) == {"auth": "password"}
    assert SSH.validate_part({"key_name": "k"}, {"auth": "password"}) == {}


# --- storing

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
choices = st.lists(
    st.builds(Option, st.text("abcdef", min_size=1, max_size=4), words),
    min_size=1, max_size=4, unique_by=lambda option: option.value,
)  # fmt: skip


def own_settings(draw: st.DrawFn, kind: FieldType) -> dict[str, Any]:
    """Settings that only this type has."""
    parts: dict[str, Any] = {}
    match kind:
        case T.COUNTRY:
            parts["options"] = draw(
                st.sampled_from([(), ("DE",), (Option("FR", "La France"), "DE")])
            )
        case T.CODE:
            parts["language"] = draw(st.sampled_from(["", "python", "c++"]))
        case T.URL:
            parts["schemes"] = draw(st.sampled_from([(), ("https",), ("ssh", "https")]))
        case T.MONEY:
            parts["currencies"] = draw(st.sampled_from([(), ("EUR",), ("JPY", "EUR")]))
            parts["minimum"] = draw(st.none() | st.integers(-5, 0) | st.just("-0.5"))
        case T.SEARCH:
            parts |= {"model_may_fill": False, "search": lambda query: [query]}
        case T.KEY_VALUE:
            parts["max_rows"] = draw(st.integers(1, 100))
        case T.ROWS:
            parts["columns"] = (
                Field("a"),
                Field("b", type=T.NUMBER, default=draw(st.integers(0, 9))),
            )
        case _:
            pass
    return parts


@st.composite
def fields(draw: st.DrawFn, name: str) -> Field:
    kind = draw(st.sampled_from(FieldType))
    parts: dict[str, Any] = {
        "label": draw(words),
        "help": draw(words),
        "placeholder": draw(words),
        "required": draw(st.booleans()),
        # No model can send a file.
        "model_may_fill": draw(st.booleans()) and kind is not T.FILE,
        "max_length": draw(st.integers(1, 20)),
    }
    match kind:
        case T.SELECT | T.MULTI_SELECT:
            parts["options"] = draw(choices)
            if draw(st.booleans()):
                first = parts["options"][0].value
                parts["default"] = first if kind is T.SELECT else [first]
        case T.NUMBER:
            parts["minimum"] = draw(st.none() | st.integers(-5, 0))
            parts["default"] = draw(st.none() | st.integers(0, 5) | st.just(0.5))
        case T.BOOLEAN:
            parts["default"] = draw(st.none() | st.booleans())
        case T.TEXT | T.MULTILINE:
            parts["pattern"], parts["message"] = draw(st.sampled_from([(None, None), ("a*", "as")]))
        case T.CONSENT:
            parts |= {"required": True, "model_may_fill": False}
        case T.FILE:
            parts["kinds"] = draw(st.sampled_from([(), ("image/png", "text/*")]))
            parts["max_bytes"] = draw(st.integers(1, 20))
            parts["max_files"] = draw(st.integers(1, 3))
            parts["sealed"] = draw(st.booleans())
        case _:
            parts |= own_settings(draw, kind)
    return Field(name, type=kind, **parts)


@st.composite
def forms(draw: st.DrawFn) -> UserInput:
    items = [draw(fields(f"f{i}")) for i in range(draw(st.integers(1, 4)))]
    items.append(Field("flag", type=T.BOOLEAN, default=draw(st.none() | st.booleans())))
    items.append(Field("last", show_if=ShowIf("flag", draw(st.booleans()))))
    family = draw(st.none() | st.just("quickbooks"))
    return UserInput(draw(words), items, save=draw(st.booleans()), family=family)


@given(forms())
def test_a_stored_form_is_read_back_as_it_was(subject: UserInput) -> None:
    stored = json.loads(json.dumps(check(subject.to_json())))
    assert UserInput.from_json(stored) == subject


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=4,
)


def accepted(subject: UserInput, values: dict[str, Any]) -> dict[str, Json] | InvalidAnswer:
    try:
        return subject.validate(values)
    except InvalidAnswer as refused:
        return refused


@given(forms(), st.data())
def test_whatever_is_submitted_is_accepted_as_json_or_refused_per_field(
    subject: UserInput, data: st.DataObject
) -> None:
    known = [item.name for item in subject.fields]
    values = data.draw(st.dictionaries(st.sampled_from([*known, "stranger"]), anything, max_size=5))
    answers = accepted(subject, values)
    if isinstance(answers, InvalidAnswer):
        assert set(answers.errors) <= {*known, "stranger"}
    else:
        check(answers)
        assert answers.items() <= subject.validate(answers).items()
        assert subject.missing(answers) == ()


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"reason": "x", "fields": {}, "save": False, "family": None},
        {"reason": "x", "fields": [1], "save": False, "family": None},
        {"reason": "x", "fields": [{"name": "a"}], "save": False, "family": None},
        {"reason": "x", "fields": [{"name": "a", "type": "colour"}], "save": False, "family": None},
        {"reason": "x", "fields": [{"name": 1, "type": "text"}], "save": False, "family": None},
        {
            "reason": "x",
            "fields": [{"name": "a", "type": "text", "new": 1}],
            "save": False,
            "family": None,
        },
        {
            "reason": "x",
            "fields": [{"name": "a", "type": "text", "show_if": 1}],
            "save": False,
            "family": None,
        },
        {"reason": "x", "fields": [{"name": "a", "type": "text"}], "save": "yes", "family": None},
    ],
)
def test_what_is_no_stored_form_is_refused(data: dict[str, Any]) -> None:
    with pytest.raises(InvalidTool):
        UserInput.from_json(data)


def test_a_stored_field_leaves_out_what_was_not_set() -> None:
    assert form(Field("a")).to_json()["fields"] == [{"name": "a", "label": "A", "type": "text"}]
