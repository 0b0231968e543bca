"""What does not fit a signature is said in our own short words, and never repeated."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from assent import tool
from assent.domain.arguments import complaints
from assent.errors import InvalidArguments


class Place(BaseModel):
    """Something with parts."""

    street: str
    number: int


def said(kind: Any, value: object) -> list[str]:
    with pytest.raises(ValidationError) as found:
        TypeAdapter(kind).validate_python(value)
    return complaints(found.value)


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        (int, "many", "must be a whole number"),
        (int, 1.5, "must be a whole number"),
        (float, "much", "must be a number"),
        (bool, "perhaps", "must be true or false"),
        (str, 1, "must be text"),
        (None, 1, "must be null"),
        (list[int], "no", "must be a list"),
        (dict[str, int], 1, "must be an object"),
        (Annotated[str, Field(min_length=3)], "a", "must have at least 3 characters"),
        (Annotated[str, Field(min_length=1)], "", "must have at least 1 character"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "must have at most 1 entry"),
        (Annotated[float, Field(ge=3)], 2, "must be at least 3"),
        (Annotated[float, Field(lt=2.5)], 3, "must be less than 2.5"),
        (Annotated[str, Field(pattern="^a")], "b", "must match the pattern '^a'"),
        (Literal["mail", "web"], "print", "must be 'mail' or 'web'"),
    ],
)
def test_complaints_are_short_sentences(kind: Any, value: object, words: str) -> None:
    assert said(kind, value) == [words]


def test_each_says_where_it_is() -> None:
    assert said(list[Place], [{"street": 7}]) == ["0.street: must be text", "0.number: is required"]


def test_what_nobody_foresaw_is_said_in_the_validators_words() -> None:
    assert said(bytes, 1) == ["Input should be a valid bytes"]


def test_only_so_many_are_listed() -> None:
    found = said(list[int], ["no"] * 13)
    assert len(found) == 11
    assert found[-1] == "and 3 more"


def test_a_complaint_never_repeats_the_value() -> None:
    secret = "correct horse battery staple"
    assert secret not in str(said(list[int], [secret]))


def test_a_tool_complains_so_about_its_arguments() -> None:
    @tool
    async def pay(amount: Annotated[int, Field(le=100)], to: str) -> str:
        """Pay."""
        return to

    with pytest.raises(InvalidArguments) as found:
        pay.arguments.normalise({"amount": 101, "extra": 1}, partial=False)
    assert found.value.problems == (
        "amount: must be at most 100",
        "to: is required",
        "extra: is not allowed",
    )
