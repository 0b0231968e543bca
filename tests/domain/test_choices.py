"""Countries, times of day, code and consent: what counts as an answer."""

import time
from contextlib import suppress
from typing import Any

import pytest

from assent import Field, ShowIf, UserInput
from assent import FieldType as T
from assent.domain.countries import COUNTRIES
from assent.errors import InvalidAnswer, InvalidTool
from tests.timing import fair, uncollected


def test_there_are_the_countries_of_the_standard_in_the_order_of_their_names() -> None:
    names = list(COUNTRIES.values())

    assert len(COUNTRIES) == len(set(names)) == 249
    assert all(len(code) == 2 and code.isascii() and code.isupper() for code in COUNTRIES)
    assert names[0] == "Afghanistan"
    assert names[-1] == "Zimbabwe"


@pytest.mark.parametrize("text", ["DE", "de", " Germany ", "GERMANY"])
def test_a_country_is_named_by_its_code_or_its_name(text: str) -> None:
    assert Field("x", type=T.COUNTRY).accept(text) == "DE"


@pytest.mark.parametrize("text", ["XX", "", "D", "Deutschland", 0, None, {}, [], ["DE"]])
def test_what_is_no_country_is_refused(text: object) -> None:
    with pytest.raises(InvalidAnswer, match="country"):
        Field("x", type=T.COUNTRY).accept(text)


def test_a_field_can_take_some_countries_only() -> None:
    field = Field("x", type=T.COUNTRY, options=["FR", "DE"], default="FR")

    assert [(each.value, each.label) for each in field.choices] == [
        ("FR", "France"),
        ("DE", "Germany"),
    ]
    assert Field.from_json(field.to_json()) == field
    with pytest.raises(InvalidAnswer):
        field.accept("US")
    with pytest.raises(InvalidTool, match="no country that there is"):
        Field("x", type=T.COUNTRY, options=["Atlantis"])


@pytest.mark.parametrize(
    ("text", "time"), [("14:30", "14:30"), ("9:05", "09:05"), ("00:00:00", "00:00")]
)
def test_a_time_has_hours_and_minutes(text: str, time: str) -> None:
    assert Field("x", type=T.TIME).accept(text) == time


@pytest.mark.parametrize(
    "text", ["24:00", "12:60", "14.30", "2 pm", "14:30:15", "١٤:٣٠", 1430, None, {}]
)
def test_what_is_no_time_is_refused(text: object) -> None:
    with pytest.raises(InvalidAnswer, match="HH:MM"):
        Field("x", type=T.TIME).accept(text)


def test_code_keeps_its_tabs_and_blanks() -> None:
    field = Field("x", type=T.CODE, language="python")

    assert field.accept("def f():\r\n\treturn “x”  \n") == "def f():\n\treturn “x”  \n"
    assert field.kind.schema(field)["contentMediaType"] == "text/x-python"
    with pytest.raises(InvalidAnswer):
        field.accept("\x1b[2J")


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("text", {"language": "python"}),
        ("code", {"schemes": ["https"]}),
        ("email", {"options": ["a"]}),
        ("consent", {"required": False}),
        ("consent", {"default": True}),
        ("consent", {"model_may_fill": True}),
        ("time", {"minimum": 1}),
        ("country", {"pattern": "D."}),
    ],
)
def test_settings_of_other_types_are_refused(kind: Any, settings: dict[str, Any]) -> None:
    with pytest.raises(InvalidTool):
        Field("x", type=kind, **settings)


@pytest.mark.parametrize("value", [True, "true", "on"])
def test_the_value_of_a_consent_is_the_text_that_was_agreed_to(value: object) -> None:
    field = Field("x", type=T.CONSENT, label="I may pay.", help="Up to 5 EUR.")

    assert field.accept(value) == "I may pay.\nUp to 5 EUR."
    assert field.accept(field.accept(value)) == field.accept(value)


@pytest.mark.parametrize("value", [False, "false", "yes, but", 1, {}, [], None, "I may pay."])
def test_nothing_else_is_a_consent(value: object) -> None:
    with pytest.raises(InvalidAnswer, match="Tick this"):
        Field("x", type=T.CONSENT, label="I may pay.", help="Up to 500 EUR.").accept(value)


def test_no_field_depends_on_a_consent() -> None:
    terms = Field("terms", type=T.CONSENT)
    with pytest.raises(InvalidTool, match="would never show"):
        UserInput("r", [terms, Field("x", show_if=ShowIf("terms", equals="Terms"))])


def seconds_to_read(field: Field, value: object) -> float:
    with uncollected():
        started = time.thread_time()
        with suppress(InvalidAnswer):
            field.accept(value)
        return time.thread_time() - started


def test_a_table_full_of_countries_is_read_at_once() -> None:
    columns = [Field(f"c{number}", type=T.COUNTRY) for number in range(5)]
    table = Field("x", type=T.ROWS, columns=columns, max_rows=100)

    rows = [{column.name: "DE" for column in columns} for _ in range(100)]

    assert seconds_to_read(table, rows) < fair(0.03)


def test_many_choices_of_many_options_cost_no_square() -> None:
    options = [f"o{number}" for number in range(5_000)]

    assert seconds_to_read(Field("x", type=T.MULTI_SELECT, options=options), options) < fair(0.1)


def test_more_choices_than_there_are_options_are_refused_unread() -> None:
    field = Field("x", type=T.MULTI_SELECT, options=["a", "b"])

    with pytest.raises(InvalidAnswer, match="each once"):
        field.accept(["a", "b", "a"])
    assert seconds_to_read(field, ["a"] * 1_000_000) < fair(0.01)
