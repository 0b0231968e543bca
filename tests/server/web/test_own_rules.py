"""The page of one's own rules, and the buttons for them elsewhere; without any script."""

from typing import Any

import pytest

from assent import Override, Person, Risk, tool
from assent.testing import calls, says
from tests.server.conftest import Serve
from tests.server.web.desk_clerk import Clerk

PAGE = "/settings/rules"
ROOT = Person("root", roles={"admin"})


@tool(risk=Risk.MODERATE, category="payments", requires_approval=True)
async def pay(amount: float) -> str:
    """Pay something."""
    return f"paid {amount}"


def script(prompt: Any) -> Any:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("", calls("pay", amount=150))


async def test_a_rule_is_added_by_the_form_listed_and_deleted(serve: Serve) -> None:
    async with serve(script, pay) as served:
        clerk = await Clerk.of(served, "user")
        await clerk.open(PAGE)
        assert "None. You are asked as" in clerk.text
        assert "without asking me" not in clerk.text
        given = {"about": "tool:pay", "argument": "amount", "at_least": "100"}
        await clerk.press(PAGE, "add", **given)
        words = "Always ask me about calls of pay with amount of 100 or more"
        assert "Added." in clerk.text
        assert words in clerk.text
        turn = await served.assent.send("agent", "pay", by=Person("user"))
        assert turn.pending
        stranger = await Clerk.of(served, "stranger")
        await stranger.open(PAGE)
        assert words not in stranger.text
        await clerk.open(PAGE)
        await clerk.press(PAGE, "delete")
        assert "Deleted." in clerk.text
        assert words not in clerk.text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Choose what the rule is about"),
        ({"about": "tool:nothing"}, "No tool here has that any more"),
        ({"about": "risk:harmless"}, "Choose what the rule is about"),
        ({"about": "tool:pay", "argument": "amount"}, "Enter both"),
        ({"about": "tool:pay", "at_least": "5"}, "Enter both"),
        ({"about": "tool:pay", "argument": "amount", "at_least": "ten"}, "Enter a number"),
        ({"about": "tool:pay", "argument": "amount", "at_least": "1e999"}, "Enter a number"),
        ({"about": "tool:pay", "argument": "<b>", "at_least": "5"}, "an argument of pay"),
        ({"about": "tool:pay", "effect": "allow"}, "does not let you run that"),
        ({"about": "tool:pay\u202e"}, "Choose what the rule is about"),
    ],
)
async def test_what_is_wrong_is_said_beside_the_field_and_nothing_is_lost(
    serve: Serve, given: dict[str, str], said: str
) -> None:
    async with serve(script, pay) as served:
        clerk = await Clerk.of(served, "user")
        await clerk.open(PAGE)
        await clerk.press(PAGE, "add", **given)
        assert clerk.page.status_code == 422
        assert said in clerk.text
        assert "<b>" not in clerk.page.text
        assert await served.assent.own_rules.of("user") == []


@pytest.mark.parametrize("hostile", ["pay\u202estnem", " payments", "pay\nments", "x" * 201])
async def test_a_category_that_no_rule_can_be_about_is_not_offered(
    serve: Serve, hostile: str
) -> None:
    @tool(category=hostile)
    async def odd(amount: float) -> str:
        """Do something odd."""
        return ""

    async with serve(script, pay, odd) as served:
        clerk = await Clerk.of(served, "user")
        await clerk.open(PAGE)
        assert "category:payments" in clerk.page.text
        assert clerk.page.text.count('value="category:') == 1


async def test_the_page_of_a_tool_has_ones_own_line_and_buttons(serve: Serve) -> None:
    async with serve(script, pay, people_may_allow="moderate") as served:
        clerk = await Clerk.of(served, "user")
        await clerk.open("/tools/pay")
        assert "You have no rule about it" in clerk.text
        pairs = [("csrf_token", clerk.csrf), ("about", "tool:pay"), ("do", "add")]
        await clerk.post(PAGE, [*pairs, ("effect", "allow"), ("next", "/tools/pay#mine")])
        assert clerk.page.url.path == "/tools/pay"
        assert "Run calls of pay without asking me" in clerk.text
        await clerk.open("/tools")
        assert "your rule: let it run" in clerk.text
        turn = await served.assent.send("agent", "pay", by=Person("user"))
        assert not turn.pending
        await clerk.open(f"/history/{turn.calls[0].id}")
        assert "own rule own_" in clerk.text
        await clerk.open("/tools/pay")
        await clerk.post(PAGE, [*pairs, ("effect", "ask"), ("next", "//evil.example")])
        assert clerk.page.url.host == "127.0.0.1"
        await clerk.open("/tools")
        assert "your rule: always ask" in clerk.text
        await served.assent.override("pay", Override(risk="dangerous"), by=ROOT)
        await clerk.open(PAGE)
        assert "no effect: not permitted here" in clerk.text


async def test_after_an_approval_its_owner_may_say_how_to_be_asked_next_time(
    serve: Serve,
) -> None:
    async with serve(script, pay, people_may_allow="moderate") as served:
        turn = await served.assent.send("agent", "pay", by=Person("user"))
        clerk = await Clerk.of(served, "user")
        await clerk.open(f"/requests/{turn.pending[0].id}")
        assert "Ask me differently" not in clerk.text
        await clerk.press(f"/requests/{turn.pending[0].id}", verdict="approve")
        assert "Recorded." in clerk.text
        assert "Ask me differently next time" in clerk.text
        await clerk.press(PAGE, None, effect="allow")
        assert "Run calls of pay without asking me" in clerk.text
        again = await served.assent.send("agent", "pay", by=Person("user"))
        assert not again.pending
