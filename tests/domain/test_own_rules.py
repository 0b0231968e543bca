"""Rules that people make for themselves: how they are made, written, and what they match."""

from decimal import Decimal
from typing import Any

import pytest

from assent import OwnRule, Risk, tool
from assent.domain.canonical import parse
from assent.domain.own_rules import MOST_CHARS
from assent.domain.policy import Effect
from assent.domain.tools import EffectiveTool, effective
from assent.errors import InvalidParameter
from assent.testing.hostile import DECEPTIONS


@tool(risk="moderate", category="payments")
async def pay(amount: float, to: str = "") -> str:
    """Pay somebody."""
    return f"paid {amount} to {to}"


def payment() -> EffectiveTool:
    return effective(pay, None)


def above(least: Any) -> OwnRule:
    return OwnRule("ask", tool="pay", argument="amount", at_least=least)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (OwnRule("ask", tool="pay"), "Always ask me about calls of pay"),
        (OwnRule("ask", category="payments"), "Always ask me about calls in payments"),
        (OwnRule(Effect.ASK, risk="moderate"), "Always ask me about moderate calls"),
        (above(100), "Always ask me about calls of pay with amount of 100 or more"),
        (above(1234.5), "Always ask me about calls of pay with amount of 1,234.5 or more"),
        (OwnRule("allow", risk=Risk.SAFE), "Run safe calls without asking me"),
    ],
)
def test_a_rule_says_what_it_does_and_survives_json(rule: OwnRule, words: str) -> None:
    assert rule.words == words
    assert OwnRule.from_json(rule.to_json()) == rule


@pytest.mark.parametrize("least", [2**53 + 1, "9007199254740993", Decimal(9007199254740993)])
def test_a_number_beyond_what_floats_hold_is_kept_exactly(least: Any) -> None:
    rule = OwnRule.from_json(above(least).to_json())
    assert rule.at_least == Decimal(2**53 + 1)
    assert not rule.matches(payment(), {"amount": 2**53})
    assert rule.matches(payment(), {"amount": 2**53 + 1})


@pytest.mark.parametrize("amount", ["99.99", "0.1", "1e-7", "100.10", "1e22", "-0.5"])
def test_an_amount_reaches_the_limit_that_is_written_alike(amount: str) -> None:
    value = parse(f'{{"amount": {amount}}}')
    assert isinstance(value, dict)
    assert above(amount).matches(payment(), value)
    more = Decimal(amount) + (1 if amount == "1e22" else Decimal("0.0000000001"))
    assert not above(more).matches(payment(), value)


@pytest.mark.parametrize(
    "value",
    [None, "", "5", "NaN", "1e999", True, False, [], [5], {}, {"amount": 5}, {"$secret": "x"}],
)
def test_what_is_no_number_is_asked_about(value: Any) -> None:
    assert above(100).matches(payment(), {"amount": value})


def test_an_argument_that_is_missing_is_asked_about() -> None:
    assert above(100).matches(payment(), {})


@pytest.mark.parametrize(
    ("value", "asks"),
    [
        ({"amount": "5.00", "currency": "EUR"}, False),
        ({"amount": "99.99", "currency": "KWD"}, False),
        ({"amount": "-500", "currency": "EUR"}, False),
        ({"amount": "100.00", "currency": "EUR"}, True),
        ({"amount": "999999999999999.99", "currency": "JPY"}, True),
        # No money: an author's own shape, or one that a model made up.
        ({"amount": "five", "currency": "EUR"}, True),
        ({"amount": "NaN", "currency": "EUR"}, True),
        ({"amount": 5, "currency": "EUR"}, True),
        ({"amount": "5", "currency": "EUR", "times": 100}, True),
        ({"amount": "5"}, True),
        ({}, True),
    ],
)
def test_money_reaches_the_limit_by_its_amount(value: Any, *, asks: bool) -> None:
    assert above(100).matches(payment(), {"amount": value}) is asks


@pytest.mark.parametrize("value", [0, -1, 99, 99.99, 0.0, -(10**400)])
def test_less_is_not_asked_about(value: Any) -> None:
    assert not above(100).matches(payment(), {"amount": value})


@pytest.mark.parametrize("value", [100, 100.0, 1e300, 10**400])
def test_as_much_or_more_is_asked_about(value: Any) -> None:
    assert above(100).matches(payment(), {"amount": value})


@pytest.mark.parametrize(
    "rule", [OwnRule("ask", tool="pay_all"), OwnRule("ask", tool="pa"), OwnRule("ask", risk="safe")]
)
def test_a_rule_matches_only_what_it_names(rule: OwnRule) -> None:
    assert not rule.matches(payment(), {"amount": 5})


@pytest.mark.parametrize(
    "least",
    [
        *(float("nan"), float("inf"), Decimal("nan"), "NaN", "1e999", "1e-999", "-inf", 10**30),
        *("", " ", "ten", "1" * 200, True, None, [], {}, 1j, "0x10", "1_0", b"5", "9" * 31),
        "\uff11",
    ],
)
def test_a_limit_that_is_no_plain_number_is_refused(least: Any) -> None:
    with pytest.raises(InvalidParameter):
        above(least)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"tool": ""},
        {"tool": "pay", "category": "payments"},
        {"category": "payments", "risk": "safe"},
        {"tool": "pay", "argument": "amount"},
        {"tool": "pay", "at_least": 5},
        {"risk": "harmless"},
        {"tool": None},
        {"tool": ["pay"]},
        {"tool": " pay"},
        {"tool": "x" * (MOST_CHARS + 1)},
        {"tool": "pay\n"},
        {"category": "pay\x00ments"},
        {"tool": "pay", "argument": "am\u202eount", "at_least": 1},
        {"tool": "pay", "effect": "deny"},
        {"tool": "pay", "effect": "allow", "argument": "amount", "at_least": 5},
        {"tool": "pay", "effect": ""},
        {"tool": "pay", "effect": None},
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_when_made(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        OwnRule(**{"effect": "ask", **given})


@pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)
def test_hostile_names_are_refused_or_kept_as_they_are(text: str) -> None:
    try:
        rule = OwnRule("ask", tool=text)
    except InvalidParameter:
        return
    assert OwnRule.from_json(rule.to_json()).tool == text
    assert text.isprintable()
