"""Money, moments, pairs and tables: exact values, from objects and from text, within bounds."""

import time
from decimal import Decimal
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from assent import Field, Option, ShowIf, UserInput
from assent import FieldType as T
from assent.errors import InvalidAnswer, InvalidParameter, InvalidTool
from assent.testing.hostile import DECEPTIONS
from tests.field_samples import ANSWERS, FIELDS

MONEY = Field("x", type=T.MONEY)
MOMENT = Field("x", type=T.DATETIME)
PAIRS = Field("x", type=T.KEY_VALUE)
COLUMNS = (
    Field("what"),
    Field("count", type=T.NUMBER),
    Field("paid", type=T.BOOLEAN, required=False),
)
TABLE = Field("x", type=T.ROWS, columns=COLUMNS)
CHOICES = Field("x", type=T.MULTI_SELECT, options=[Option("a", "Alpha"), "b"])
NOTHING = (None, 0, "", [], {}, True, 1.5, "x", ["x"], {"x": 1}, [[]], [None], {"x": {}})


def message(field: Field, value: object) -> str:
    with pytest.raises(InvalidAnswer) as refused:
        field.accept(value)
    return refused.value.errors["x"]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (MONEY, {"amount": "12.500", "currency": "KWD"}, "12.500 KWD"),
        (MOMENT, "2026-07-01T09:00:00+02:00", "2026-07-01 09:00 +02:00"),
        (PAIRS, {"team": "blue", "floor": "2"}, "team = blue\nfloor = 2"),
        (TABLE, [{"what": "desk", "count": 2, "paid": False}], "desk | 2 | false"),
        (Field("x", type=T.BOOLEAN), False, "No"),
        (Field("x", type=T.NUMBER), 0, "0"),
        (Field("x", type=T.COUNTRY), "NO", "Norway"),
        (
            Field("x", type=T.MULTI_SELECT, options=[Option("a", "Alpha"), "b"]),
            ["a", "b"],
            "Alpha, b",
        ),
        (Field("x", type=T.CONSENT, label="It is binding"), "It is binding", "Agreed"),
        (
            Field("x", type=T.SEARCH, search=lambda query: [query]),
            {"value": "c-1", "label": "Acme"},
            "Acme (c-1)",
        ),
        # A model may have suggested anything.
        (MONEY, ["12.50"], '["12.50"]'),
        (MOMENT, "noon", "noon"),
    ],
)
def test_people_read_answers_as_words(field: Field, value: Any, words: str) -> None:
    assert field.said(value) == words


@pytest.mark.parametrize("field", [MONEY, MOMENT, PAIRS, TABLE])
@pytest.mark.parametrize(
    "value", [*NOTHING, *(text for text in DECEPTIONS.values() if "=" not in text)]
)
def test_nothing_else_is_made_into_a_value(field: Field, value: object) -> None:
    assert "evil" not in message(field, value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (MONEY, {"amount": "12.50", "currency": "EUR"}),
        (MONEY, {"amount": "-3", "currency": "JPY"}),
        (MOMENT, "2026-11-18T14:30:00+01:00"),
        (MOMENT, "2026-11-18T14:30:05.250000-03:30"),
        (PAIRS, {"a": "b", "c d": "", "e": "f=g"}),
        (PAIRS, {"a=b": "c"}),
        (PAIRS, {"{": "x"}),
        (PAIRS, {"a": " b"}),
        (TABLE, [{"what": "desk", "count": 2, "paid": True}, {"what": "lamp", "count": 0.5}]),
        (TABLE, [{"what": "a|b", "count": 1}]),
        (TABLE, [{"what": "[x]", "count": 1, "paid": False}]),
    ],
)
def test_a_value_written_as_text_or_spread_over_controls_is_read_back(
    field: Field, value: Any
) -> None:
    assert field.accept(value) == value
    assert field.accept(field.spelt(value)) == value
    assert field.accept(field.kind.join(field, field.kind.split(field, value))) == value


@pytest.mark.parametrize("field", FIELDS, ids=[each.name for each in FIELDS])
def test_a_value_fits_the_schema_that_frontends_draw_from(field: Field) -> None:
    schema, value = field.kind.schema(field), ANSWERS[field.name]
    Draft202012Validator.check_schema(schema)
    said = True if field.type is T.CONSENT else value

    assert Draft202012Validator(schema).is_valid(said)
    assert field.accept(said) == value
    assert not Draft202012Validator(schema).is_valid(7)


@pytest.mark.parametrize(
    ("given", "amount"),
    [
        ("12.5 eur", "12.50 EUR"),
        ("EUR 12", "12.00 EUR"),
        ("0.1 KWD", "0.100 KWD"),
        ({"amount": 7, "currency": "usd"}, "7.00 USD"),
        ({"amount": "-0", "currency": "USD"}, "0.00 USD"),
        ("999999999999999.99 EUR", "999999999999999.99 EUR"),
    ],
)
def test_an_amount_has_the_digits_of_its_currency(given: object, amount: str) -> None:
    assert MONEY.spelt(given) == amount


@pytest.mark.parametrize(
    "given",
    [
        "1.005 EUR",
        "1.5 JPY",
        "12,50 EUR",
        "1e3 EUR",
        "nan EUR",
        "12.50",
        "12.50 XXX",
        "EUR 1 EUR",
        "1" * 16 + " EUR",
        "1" * 100_000 + " EUR",
        {"amount": 12.5, "currency": "EUR"},
        {"amount": True, "currency": "EUR"},
        {"amount": "1", "currency": "EUR", "more": 1},
        {"amount": "١", "currency": "EUR"},
    ],
)
def test_an_amount_that_is_not_exact_is_refused(given: object) -> None:
    message(MONEY, given)


@pytest.mark.parametrize(
    ("typed", "amount"),
    [("12,5", "12.50"), ("-0,05", "-0.05"), (" 1,50 ", "1.50"), ("0,0", "0.00")],
)
def test_a_comma_that_can_only_be_a_decimal_one_is_taken_from_a_page(
    typed: str, amount: str
) -> None:
    number = Field("count", type=T.NUMBER)
    table = Field("x", type=T.ROWS, columns=[number])

    assert MONEY.accept(MONEY.kind.join(MONEY, [typed, "EUR"])) == {
        "amount": amount,
        "currency": "EUR",
    }
    assert number.accept(number.kind.join(number, [typed])) == float(amount)
    assert table.accept(table.kind.join(table, ["", typed])) == [{"count": float(amount)}]


@pytest.mark.parametrize("typed", ["1,500", "1,500.00", "1.500,00", "1,5,0", ",5", "1,"])
def test_a_comma_that_may_stand_for_thousands_is_refused(typed: str) -> None:
    number = Field("x", type=T.NUMBER)

    message(MONEY, MONEY.kind.join(MONEY, [typed, "EUR"]))
    message(number, number.kind.join(number, [typed]))


def test_money_has_exact_bounds_and_named_currencies() -> None:
    field = Field("x", type=T.MONEY, currencies="EUR", minimum="0.10", maximum=Decimal("0.30"))

    assert field.accept("0.30") == {"amount": "0.30", "currency": "EUR"}
    assert message(field, "0.31") == "Enter 0.30 or less."
    assert message(field, "0.09") == "Enter 0.10 or more."
    assert "from those" in message(field, "0.2 USD")
    assert Field.from_json(field.to_json()) == field


@pytest.mark.parametrize(
    ("kind", "settings", "error"),
    [
        (T.MONEY, {"minimum": 0.1}, InvalidTool),
        (T.MONEY, {"minimum": "2", "maximum": "1"}, InvalidTool),
        (T.MONEY, {"currencies": "Dollar"}, InvalidParameter),
        (T.MONEY, {"minimum": "a lot"}, InvalidParameter),
        (T.NUMBER, {"minimum": "1"}, InvalidTool),
        (T.ROWS, {}, InvalidTool),
        (T.ROWS, {"columns": [Field("a"), Field("a")]}, InvalidTool),
        (T.ROWS, {"columns": [Field("a", type=T.SECRET)]}, InvalidTool),
        (T.ROWS, {"columns": [TABLE]}, InvalidTool),
        (T.ROWS, {"columns": [Field(f"a{n}") for n in range(6)], "max_rows": 100}, InvalidTool),
        (T.ROWS, {"columns": COLUMNS, "max_rows": 0}, InvalidParameter),
        (T.KEY_VALUE, {"max_rows": 101}, InvalidParameter),
        (T.TEXT, {"max_rows": 3}, InvalidTool),
        (T.TEXT, {"columns": COLUMNS}, InvalidTool),
    ],
)
def test_settings_that_contradict_are_refused_when_made(
    kind: T, settings: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        Field("x", type=kind, **settings)


@pytest.mark.parametrize(
    ("given", "moment"),
    [
        ("2026-11-18 14:30 Europe/Berlin", "2026-11-18T14:30:00+01:00"),
        ("2026-07-18T14:30 europe/berlin", "2026-07-18T14:30:00+02:00"),
        ("2026-11-18T14:30:00Z", "2026-11-18T14:30:00+00:00"),
        ({"local": "2026-11-18T14:30", "zone": "-05:00"}, "2026-11-18T14:30:00-05:00"),
        ("2026-10-25 02:30 +01:00", "2026-10-25T02:30:00+01:00"),
    ],
)
def test_a_moment_is_kept_with_its_offset(given: object, moment: str) -> None:
    assert MOMENT.accept(given) == moment


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("2026-11-18 14:30", "Add the zone"),
        ("2026-03-29 02:30 Europe/Berlin", "no such time"),
        ("2026-10-25 02:30 Europe/Berlin", "+02:00 for the first, +01:00 for the second"),
        ("2026-11-18 14:30 Middle/Earth", "Enter the zone as"),
        ("2026-11-18 14:30 ../../etc/passwd", "Enter the zone as"),
        ("2026-11-18 14:30 America", "Enter the zone as"),
        ("2026-11-18 14:30 localtime", "Enter the zone as"),
        ("2026-11-18 14:30 Factory", "Enter the zone as"),
        ("2026-02-30 14:30 UTC", "Enter a date"),
        ("2026-11-18 24:30 UTC", "Enter a date"),
        ("1800-01-01 00:00 Europe/Berlin", "Enter the offset itself"),
        ("0001-01-01 00:00 +23:59", ""),
        ({"local": "2026-11-18 14:30 UTC", "zone": "UTC"}, "Enter a date"),
    ],
)
def test_a_moment_that_is_not_one_moment_is_refused_in_words(given: object, words: str) -> None:
    if words:
        assert words in message(MOMENT, given)
    else:
        MOMENT.accept(given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"": "x"}, "Enter a name"),
        ([["a", "1"], ["a", "2"]], "each name once"),
        ("a = 1\na = 2", "each name once"),
        ({"a": 1}, "Enter text."),
        ({"a": "x\ny"}, "single line"),
        ({"$secret": "sec_0123456789abcdef"}, "do not begin with $"),
        ("$kept = /x", "do not begin with $"),
        ({"x" * 201: ""}, "at most 200"),
        ("{not json", "not valid JSON"),
    ],
)
def test_pairs_that_mean_something_else_are_refused(given: object, words: str) -> None:
    assert words in message(PAIRS, given)


def test_a_table_says_which_cell_is_wrong() -> None:
    rows = [{"what": "a", "count": "x"}, {"count": 1}, {}, {"what": "b", "count": 1, "more": 1}]

    assert message(TABLE, rows) == (
        "Row 1, Count: Enter a number. Row 2, What: This is required. "
        "Row 4 does not have the columns of the table."
    )
    assert message(TABLE, "a | 1") == "Row 1: enter 3 cells with | between them."


@pytest.mark.parametrize("count", [21, 1_000, 10_000])
def test_too_many_rows_are_refused_at_once(count: int) -> None:
    began = time.monotonic()
    assert message(TABLE, [{"what": "a", "count": 1}] * count) == "Enter at most 20 rows."
    assert "at most 20 pairs" in message(PAIRS, {f"a{n}": "" for n in range(count)})
    wide = Field("x", type=T.KEY_VALUE, max_length=1_000_000)
    assert message(wide, "a = b\n" * count) == "Enter at most 20 lines."
    assert time.monotonic() - began < 2


def test_as_many_rows_as_allowed_are_taken() -> None:
    table = Field("x", type=T.ROWS, columns=COLUMNS, max_rows=100)

    assert len(table.accept([{"what": "a", "count": n} for n in range(100)])) == 100  # pyright: ignore[reportArgumentType]


def test_empty_objects_and_lists_are_no_answers() -> None:
    form = UserInput("r", [PAIRS])
    for nothing in ({}, [], "", None):
        with pytest.raises(InvalidAnswer, match="required"):
            form.validate({"x": nothing})


def test_no_field_depends_on_a_value_of_several_parts() -> None:
    for field in (MONEY, MOMENT, PAIRS, TABLE):
        with pytest.raises(InvalidTool, match="would never show"):
            UserInput("r", [field, Field("y", show_if=ShowIf("x", equals="12.50 EUR"))])
