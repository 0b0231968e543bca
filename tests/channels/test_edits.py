"""Edits in a chat: every change counts, and nothing else does."""

import pytest

from assent import tool
from assent.channels.edits import WHOLE, approval_of, edit_form
from assent.domain.canonical import Json
from assent.domain.decisions import Approve
from assent.domain.tools import effective
from assent.errors import InvalidAnswer
from tests.presentation.test_card import call


@tool
def change(value: int, options: dict[str, object]) -> str:
    """Change something."""
    return f"{value} {options}"


TOOL = effective(change, None)


def edited(arguments: dict[str, Json], *said: str) -> Approve | None:
    """Return the approval after these texts were entered, in the order of the fields."""
    waiting = call(arguments)
    form = edit_form(waiting, TOOL, fields=5, characters=100_000)
    assert form is not None
    names = [field.name for field in form.fields]
    return approval_of(waiting, form, dict(zip(names, said, strict=True)))


# In Python, each of these is equal to what was there before.
@pytest.mark.parametrize("said", ['{"o":{"a":false,"b":1}}', '{"o":{"a":0,"b":true}}'])
def test_numbers_and_truth_values_are_told_apart_within_objects(said: str) -> None:
    found = edited({"o": {"a": 0, "b": 1}}, said)

    assert found == Approve(arguments=said)


@pytest.mark.parametrize(
    "said", ['{"o":{"b":1,"a":0}}', ' {"o": {"a":0,\r\n"b":1}} ', '{"o":{"a":0.0,"b":1e0}}']
)
def test_another_way_to_write_the_same_arguments_changes_nothing(said: str) -> None:
    assert edited({"o": {"a": 0, "b": 1}}, said) is None


@pytest.mark.parametrize(
    ("before", "said", "after"),
    [(0, "false", False), (1, "true", True), (False, "0", 0), (None, "0", 0), (1, "2", 2)],
)
def test_a_field_that_became_another_value_is_changed(before: Json, said: str, after: Json) -> None:
    found = edited({"text": "as it was", "value": before}, "as it was", said)

    assert found is not None
    assert isinstance(found.edit, dict)
    # By their own texts: these values are equal in Python.
    assert [(name, repr(value)) for name, value in found.edit.items()] == [("value", repr(after))]


@pytest.mark.parametrize(
    ("before", "said"), [(1, "1.0"), (1, " 1 "), (1.5, "15e-1"), (None, "null"), ("", "")]
)
def test_a_field_with_the_same_value_in_another_text_is_unchanged(before: Json, said: str) -> None:
    assert edited({"value": before}, said) is None


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("", id="empty"),
        pytest.param("{", id="cut"),
        pytest.param("[" * 5_000, id="deep"),
        pytest.param("NaN", id="not a number"),
        pytest.param('{"a":1,"a":2}', id="a key twice"),
        pytest.param("1" * 5_000, id="large"),
    ],
)
def test_text_that_is_no_strict_json_is_refused_beside_its_field(said: str) -> None:
    with pytest.raises(InvalidAnswer) as whole:
        edited({"o": {}}, said)
    assert set(whole.value.errors) == {WHOLE}

    with pytest.raises(InvalidAnswer) as single:
        edited({"value": 1}, said)
    assert set(single.value.errors) == {"a0"}
