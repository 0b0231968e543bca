import pytest

from assent.domain.canonical import Json
from assent.domain.cards import Items, Members, NamedValue, Null, Number, Secret, Text, Truth
from assent.domain.tools import Hint
from assent.presentation.values import entries_of, value_of


# conformance: 139
@pytest.mark.parametrize("given", [{"path": "a.txt"}, '{"path": "a.txt"}'])
def test_arguments_are_the_same_entries_as_an_object_and_as_json_text(given) -> None:
    assert entries_of(given) == (NamedValue(name="path", value=Text("a.txt")),)


# conformance: 139
@pytest.mark.parametrize("given", [None, "", {}, "{}"])
def test_no_arguments_are_no_entries(given) -> None:
    assert entries_of(given) == ()


# conformance: 139
@pytest.mark.parametrize("given", ["no JSON", '{"a": 1, "a": 2}', "{'a': 1}", '{"a": NaN}'])
def test_text_that_is_no_acceptable_json_is_shown_as_it_is(given: str) -> None:
    assert entries_of(given) == (NamedValue(name="arguments", value=Text(given)),)


# conformance: 139
def test_json_that_is_no_object_is_shown_too() -> None:
    assert entries_of("[1, 2]") == (
        NamedValue(name="arguments", value=Items((Number("1"), Number("2")))),
    )


def test_every_kind_of_value_has_its_own_shape() -> None:
    value: Json = {"a": [None, True, 1, 1.5, "1", {}, []]}

    assert value_of(value) == Members(
        (
            NamedValue(
                name="a",
                value=Items(
                    (
                        Null(),
                        Truth(True),
                        Number("1"),
                        Number("1.5"),
                        Text("1"),
                        Members(()),
                        Items(()),
                    )
                ),
            ),
        )
    )


def test_a_large_integer_keeps_all_its_digits() -> None:
    assert value_of(12345678901234567890123) == Number("12345678901234567890123")


def test_nothing_of_a_secret_is_kept() -> None:
    [entry] = entries_of({"token": "sk-canary"}, {"token": Hint(secret=True)})

    assert entry == NamedValue(name="token", value=Secret())


def test_what_looks_like_a_reference_to_a_secret_is_shown_unless_the_field_is_one() -> None:
    [entry] = entries_of({"text": {"$secret": "sec_forged"}})

    assert entry.value == Members((NamedValue(name="$secret", value=Text("sec_forged")),))


def test_a_hint_makes_a_field_elidable() -> None:
    [entry] = entries_of({"body": "long"}, {"body": Hint(elidable=True)})

    assert entry.elidable
