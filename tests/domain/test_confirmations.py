"""How firmly an approval has to be meant: by tool, by override, by rule."""

from typing import Any

import pytest

from assent import Ask, Confirmation, Effect, Override, Risk, Rule, tool
from assent.domain.confirmations import firmest
from assent.domain.policy import Policy, strongest
from assent.domain.tools import Tool, effective

CLICK, STEP, TYPED = Confirmation


def made(risk: Risk = Risk.MODERATE, **options: Any) -> Tool:
    async def pay(amount: int) -> None:
        """Pay."""

    return tool(risk=risk, requires_approval=True, **options)(pay)


@pytest.mark.parametrize(
    ("declared", "override", "wanted"),
    [
        (made(Risk.SAFE), None, CLICK),
        (made(), None, CLICK),
        (made(Risk.DANGEROUS), None, STEP),
        (made(confirmation=TYPED), None, TYPED),
        (made(confirmation="typed"), None, TYPED),
        (made(Risk.DANGEROUS, confirmation=CLICK), None, CLICK),
        (made(), Override(risk=Risk.DANGEROUS), STEP),
        (made(confirmation=CLICK), Override(risk=Risk.DANGEROUS), STEP),
        (made(confirmation=TYPED), Override(risk=Risk.SAFE), TYPED),
        (made(Risk.DANGEROUS), Override(risk=Risk.SAFE), CLICK),
        (made(), Override(confirmation=TYPED), TYPED),
        (made(confirmation=TYPED), Override(confirmation=CLICK), CLICK),
    ],
)
def test_a_deployment_has_the_last_word_about_a_tool(
    declared: Tool, override: Override | None, wanted: Confirmation
) -> None:
    assert effective(declared, override).confirmation is wanted


def test_making_a_dangerous_tool_easier_to_approve_loosens_it() -> None:
    dangerous = made(Risk.DANGEROUS)
    assert Override(confirmation=CLICK).loosens(dangerous)
    assert not Override(confirmation=TYPED).loosens(dangerous)
    assert not Override(confirmation=CLICK).loosens(made())
    assert Override(confirmation=STEP).loosens(made(Risk.DANGEROUS, confirmation=TYPED))


def test_the_firmest_of_several_asks_counts_whichever_comes_first() -> None:
    asks = (Ask(by="a"), Ask(by="b", confirmation=TYPED), Ask(by="c", confirmation=STEP))
    assert strongest(asks) == Ask(by="a", confirmation=TYPED)
    assert strongest((Ask(by="a"), Ask(by="b"))) == Ask(by="a")
    assert firmest(None, CLICK, STEP) is STEP
    assert firmest() is CLICK


def test_a_rule_that_says_nothing_about_it_leaves_the_policys_version_as_it_was() -> None:
    plain, firm = Rule.of(Effect.ASK, "pay"), Rule.of(Effect.ASK, "pay", confirmation=TYPED)
    assert "confirmation" not in plain.to_json()
    assert Policy(rules=(plain,)).version != Policy(rules=(firm,)).version
