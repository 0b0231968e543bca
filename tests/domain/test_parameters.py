"""What people pass is taken as they write it, or refused in words that name the mistake."""

from datetime import timedelta
from enum import StrEnum
from typing import Any

import pytest

from assent import Audience, Effect, Rule
from assent.domain import parameters
from assent.domain.parameters import Check
from assent.errors import AssentError, InvalidParameter


class Colour(StrEnum):
    """Something to choose from."""

    RED = "red"
    BLUE = "blue"


class Mood(StrEnum):
    """Something else, with a text in common."""

    BLUE = "blue"


class Unspeakable:
    """Fails when it is asked what it is."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")


def take(check: Check, given: object) -> Any:
    return check.taken("Thing 'a'", "part", given)


@pytest.mark.parametrize(
    ("check", "given", "kept"),
    [
        (parameters.one_of(Colour), "red", Colour.RED),
        (parameters.one_of(Colour), Colour.BLUE, Colour.BLUE),
        (parameters.members(Colour), "red", frozenset({Colour.RED})),
        (parameters.members(Colour), ["red", Colour.BLUE], frozenset(Colour)),
        (parameters.names, "finance", frozenset({"finance"})),
        (parameters.names, ["a", "b", "a"], frozenset({"a", "b"})),
        (parameters.names, (each for each in "ab"), frozenset({"a", "b"})),
        (parameters.names, [], frozenset[str]()),
        (parameters.ordered_names, "wipe", ("wipe",)),
        (parameters.ordered_names, {"wipe"}, ("wipe",)),
        (parameters.duration(), 300, timedelta(minutes=5)),
        (parameters.duration(), 0.5, timedelta(milliseconds=500)),
        (parameters.duration(), timedelta(days=1), timedelta(days=1)),
        (parameters.duration(zero=True), 0, timedelta(0)),
        (parameters.optional(parameters.duration()), None, None),
        (parameters.flag, False, False),
        (parameters.either(parameters.flag, parameters.function), len, len),
        (parameters.whole(0), 0, 0),
        (parameters.number(), -1.5, -1.5),
        (parameters.word("on", "off"), "off", "off"),
        (parameters.text, "", ""),
        (parameters.mapping, {}, {}),
    ],
)
def test_what_people_write_is_taken(check: Check, given: object, kept: object) -> None:
    value = take(check, given)

    assert value == kept
    assert type(value) is type(kept)


@pytest.mark.parametrize(
    ("check", "given"),
    [
        (parameters.one_of(Colour), "green"),
        (parameters.one_of(Colour), "RED"),
        (parameters.one_of(Colour), Mood.BLUE),
        (parameters.one_of(Colour), ["red"]),
        (parameters.names, None),
        (parameters.names, ""),
        (parameters.names, [""]),
        (parameters.names, [1]),
        (parameters.names, b"finance"),
        (parameters.names, {"finance": True}),
        (parameters.names, 5),
        (parameters.several(parameters.name, frozenset, "names", some=True), []),
        (parameters.duration(), 0),
        (parameters.duration(), -1),
        (parameters.duration(), True),
        (parameters.duration(), float("nan")),
        (parameters.duration(), float("inf")),
        (parameters.duration(), timedelta.max),
        (parameters.duration(), 10**400),
        (parameters.duration(), "300"),
        (parameters.flag, 1),
        (parameters.flag, "yes"),
        (parameters.flag, None),
        (parameters.function, "len"),
        (parameters.function, int),
        (parameters.whole(1), 0),
        (parameters.whole(1), True),
        (parameters.whole(1), 1.0),
        (parameters.whole(1, 5), 6),
        (parameters.number(), float("nan")),
        (parameters.number(above=0), 0),
        (parameters.word("on", "off"), "OFF"),
        (parameters.word("on", "off"), False),
        (parameters.text, 5),
        (parameters.name, " "),
        (parameters.mapping, {1: 2}),
        (parameters.mapping, [("a", 1)]),
        (parameters.of_two("a predicate"), lambda: True),
        (parameters.of_two("a predicate"), lambda _a, _b, _c: True),
        (parameters.text, Unspeakable()),
    ],
)
def test_the_rest_is_refused_by_name(check: Check, given: object) -> None:
    with pytest.raises(InvalidParameter, match=r"^Thing 'a': part must be .+, not .+") as refused:
        take(check, given)

    assert (refused.value.where, refused.value.parameter) == ("Thing 'a'", "part")


def test_the_refusal_says_what_was_given_and_what_is_allowed() -> None:
    with pytest.raises(AssentError) as refused:
        take(parameters.one_of(Colour), "green")

    assert str(refused.value) == (
        "Thing 'a': part must be 'red' or 'blue' (or a member of Colour), not 'green'"
    )
    assert isinstance(refused.value, TypeError)
    assert isinstance(refused.value, ValueError)


def test_what_is_hidden_is_not_repeated() -> None:
    with pytest.raises(InvalidParameter) as refused:
        take(parameters.hidden(parameters.text), b"sk-secret")

    assert "sk-secret" not in str(refused.value)


def test_an_unknown_name_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(InvalidParameter, match=r"'riks' .did you mean 'risk'"):
        parameters.taken("tool 'a'", {"riks": "safe"}, {"risk": parameters.text})


async def test_a_predicate_of_the_arguments_alone_is_taken_once() -> None:
    check = parameters.of_two("a predicate")

    async def later(arguments: dict[str, int]) -> bool:
        return arguments["amount"] > 5

    plain = take(check, lambda arguments: arguments["amount"] > 5)
    awaited = take(check, later)

    assert plain({"amount": 6}, None) is True
    assert await awaited({"amount": 6}, None) is True
    assert take(check, plain) is plain
    assert take(check, awaited) is awaited


def test_a_set_has_one_order_in_every_process() -> None:
    # A policy's version holds it: another order would void every approval given elsewhere.
    given: Any = {f"{'x' * 80}_{number}_{'y' * 80}" for number in range(20)}

    assert parameters.ordered_names.read(given) == tuple(sorted(given))
    assert Rule(effect=Effect.DENY, tools=given).tools == tuple(sorted(given))


def test_what_has_no_name_yet_is_called_by_what_it_is() -> None:
    with pytest.raises(InvalidParameter, match=r"^Rule: effect must be"):
        Rule(effect="DENY")  # pyright: ignore[reportArgumentType]


def test_a_number_of_people_that_no_database_counts_is_refused() -> None:
    for many in (10**6, 2**40, 10**30):
        with pytest.raises(InvalidParameter, match="quorum must be a whole number from 1 to"):
            Rule(effect=Effect.ASK, quorum=many)


def test_roles_in_a_list_are_roles() -> None:
    listed: Any = ["ops", "finance"]

    assert Audience.of(listed) == Audience.of("ops", "finance")
    with pytest.raises(InvalidParameter, match="roles must be"):
        Audience.of(listed, "ops")
