"""Forms in steps: what may be declared, how they are stored, which of them show."""

from __future__ import annotations

from typing import Any

import pytest

from assent.domain.forms import Field, FieldType, ShowIf, Step, UserInput
from assent.errors import InvalidParameter, InvalidTool

T = FieldType
ABROAD = ShowIf("country", "NO")
PARCEL = UserInput(
    "The parcel needs an address",
    steps=[
        Step("Who", [Field("name"), Field("country", type=T.SELECT, options=("DE", "NO"))]),
        Step("Customs", [Field("contents", show_if=ABROAD), Field("worth", show_if=ABROAD)]),
        Step("Payment", [Field("card", type=T.SECRET)], help="It is charged once."),
    ],
)


def titles(form: UserInput, **values: object) -> list[tuple[int, int, str]]:
    return [(step.number, step.count, step.title) for step in form.shown_steps(values)]


def test_the_fields_of_a_form_are_those_of_its_steps_in_order() -> None:
    assert [item.name for item in PARCEL.fields] == ["name", "country", "contents", "worth", "card"]


def test_a_form_in_steps_reads_back_as_it_was_stored() -> None:
    assert UserInput.from_json(PARCEL.to_json()) == PARCEL


def test_a_stored_form_without_steps_reads_as_before_and_is_one_step() -> None:
    stored = UserInput("needed", [Field("name")]).to_json()
    assert "steps" not in stored
    form = UserInput.from_json(stored)
    assert (form.steps, titles(form)) == ((), [(1, 1, "Fill in")])


def test_a_reader_that_knows_no_steps_finds_the_whole_form_beside_them() -> None:
    stored = {name: value for name, value in PARCEL.to_json().items() if name != "steps"}
    assert UserInput.from_json(stored).fields == PARCEL.fields


def test_a_step_without_a_visible_field_is_skipped_and_not_counted() -> None:
    assert titles(PARCEL, country="DE") == [(1, 2, "Who"), (2, 2, "Payment")]


def test_a_condition_reaches_across_steps() -> None:
    assert titles(PARCEL, country="NO") == [(1, 3, "Who"), (2, 3, "Customs"), (3, 3, "Payment")]


def test_a_condition_on_a_later_step_is_refused() -> None:
    with pytest.raises(InvalidTool, match="it would never show"):
        UserInput(
            "needed",
            steps=[
                Step("One", [Field("a", show_if=ShowIf("b", "x"))]),
                Step("Two", [Field("b", type=T.SELECT, options=("x",))]),
            ],
        )


def test_two_steps_cannot_ask_for_the_same_field() -> None:
    with pytest.raises(InvalidTool, match="two fields of the form have this name"):
        UserInput("needed", steps=[Step("One", [Field("a")]), Step("Two", [Field("a")])])


@pytest.mark.parametrize("said", [{}, {"fields": [], "steps": []}, {"fields": (), "steps": ()}])
def test_a_form_without_fields_or_steps_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(InvalidTool, match="at least one field"):
        UserInput("needed", **said)


def test_a_form_has_fields_or_steps_but_not_both() -> None:
    with pytest.raises(InvalidTool, match="either fields or steps"):
        UserInput("needed", [Field("a")], steps=[Step("One", [Field("b")])])


@pytest.mark.parametrize("title", ["", " ", "x" * 101])
def test_a_step_needs_a_title_that_fits(title: str) -> None:
    with pytest.raises(InvalidTool, match="title of a step"):
        Step(title, [Field("a")])


@pytest.mark.parametrize("fields", [[], ()])
def test_a_step_needs_a_field(fields: Any) -> None:
    with pytest.raises(InvalidTool, match="at least one field"):
        Step("One", fields)


@pytest.mark.parametrize("steps", [None, 0, "", "Who", {}, [None], [0], [Field("a")]])
def test_what_is_no_step_is_refused(steps: Any) -> None:
    with pytest.raises((InvalidParameter, InvalidTool)):
        UserInput("needed", steps=steps)


def test_a_document_says_steps_in_its_own_words() -> None:
    said: dict[str, Any] = {
        "reason": "needed",
        "steps": [{"title": "One", "description": "First.", "fields": [{"name": "a"}]}],
    }
    form = UserInput.of("Tool 'x'", said)
    assert form.steps == (Step("One", [Field("a")], help="First."),)


def test_a_form_is_read_as_the_api_shows_it() -> None:
    shown: Any = PARCEL.to_json()
    assert UserInput.of("Tool 'x'", shown) == PARCEL


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([["a", "c"]], "a step names 'c'"),
        ([["a"]], "none of its steps has the field 'b'"),
        ([["a", "b"], ["b"]], "two fields of the form"),
        ([["a", "b"], [0]], "fields must be Fields"),
        ([["a", "b"], []], "fields must be Fields"),
    ],
)
def test_steps_that_name_other_fields_than_those_beside_them_are_refused(
    steps: list[list[Any]], words: str
) -> None:
    named = [{"title": "Who", "fields": names} for names in steps]
    fields = [{"name": "a"}, {"name": "b"}]
    with pytest.raises((InvalidParameter, InvalidTool), match=words):
        UserInput.of("Tool 'x'", {"reason": "needed", "fields": fields, "steps": named})


@pytest.mark.parametrize("step", [{}, {"title": "One"}, {"fields": []}, {"title": "x", "of": 1}])
def test_a_document_with_half_a_step_is_refused(step: dict[str, Any]) -> None:
    with pytest.raises((InvalidParameter, InvalidTool)):
        UserInput.of("Tool 'x'", {"reason": "needed", "steps": [step]})


@pytest.mark.parametrize("steps", [0, "", {}, [0], [{}], [{"title": "x", "fields": []}]])
def test_what_is_no_stored_step_is_refused(steps: Any) -> None:
    with pytest.raises(InvalidTool):
        UserInput.from_json({**UserInput("needed", [Field("a")]).to_json(), "steps": steps or 1})


def test_the_errors_of_a_step_are_its_own() -> None:
    [who, _] = PARCEL.shown_steps({})
    assert PARCEL.step_errors(who, {"name": "", "country": "FR"}, {}) == {
        "name": "This is required.",
        "country": "Choose one of the options.",
    }


def test_a_step_takes_what_an_earlier_one_answered_into_account() -> None:
    [_, customs, _] = PARCEL.shown_steps({"country": "NO"})
    wrong = PARCEL.step_errors(customs, {"contents": "books"}, {"country": "NO"})
    assert wrong == {"worth": "This is required."}


def test_a_secret_in_the_draft_need_not_be_entered_again() -> None:
    payment = PARCEL.shown_steps({})[-1]
    assert PARCEL.step_errors(payment, {"card": None}, {}) == {"card": "This is required."}
    assert PARCEL.step_errors(payment, {"card": None}, {}, frozenset({"card"})) == {}


def test_a_step_is_complete_once_each_field_was_passed_and_each_required_one_answered() -> None:
    who, payment = PARCEL.shown_steps({})
    assert not who.is_complete({"name": "Bea"}, frozenset())
    assert not who.is_complete({"name": "Bea", "country": None}, frozenset())
    assert who.is_complete({"name": "Bea", "country": "DE"}, frozenset())
    form = UserInput("", steps=[Step("A", [Field("a", required=False), Field("b", default="x")])])
    [extras] = form.shown_steps({})
    assert not extras.is_complete({"a": "1"}, frozenset())
    assert extras.is_complete({"a": None, "b": None}, frozenset())
    assert not payment.is_complete({}, frozenset())
    assert payment.is_complete({}, frozenset({"card"}))
