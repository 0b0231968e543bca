"""One's own rules over the API: added, listed, in force, deleted, and nobody else's."""

import json
from typing import Any

import pytest

from assent import Override, Person, Risk, Rule, tool
from assent.testing import calls, says
from tests.server.conftest import Serve

MINE = "/api/me/rules"
ROOT = Person("root", roles={"admin"})


@tool(risk=Risk.MODERATE, category="payments", requires_approval=False)
async def pay(amount: float) -> str:
    """Pay something."""
    return f"paid {amount}"


def script(prompt: Any) -> Any:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("", calls("pay", amount=150))


async def test_a_rule_is_added_counts_at_once_and_is_deleted(serve: Serve) -> None:
    async with serve(script, pay) as served:
        client = served.client()
        given = {"effect": "ask", "tool": "pay", "argument": "amount", "at_least": 100}
        made = await client.post(MINE, json=given)
        assert made.status_code == 201
        rule = made.json()
        assert rule["words"] == "Always ask me about calls of pay with amount of 100 or more"
        assert (rule["at_least"], rule["in_force"]) == ("100", True)
        again = await client.post(MINE, json=given | {"at_least": "100"})
        assert again.json()["id"] == rule["id"]
        await served.assent.send("agent", "pay", by=Person("user"))
        (waiting,) = (await client.get("/api/requests")).json()["items"]
        shown = (await client.get(f"/api/requests/{waiting['id']}")).json()
        because = "You asked to be asked about calls of pay with amount of 100 or more."
        assert because in json.dumps(shown)
        assert (await client.get(MINE)).json() == {"items": [rule], "may_allow": []}
        gone = await client.delete(f"{MINE}/{rule['id']}")
        assert (gone.status_code, gone.json()) == (200, rule)
        assert (await client.get(MINE)).json()["items"] == []
        assert (await client.delete(f"{MINE}/{rule['id']}")).status_code == 404


# requirement: W18
async def test_rules_of_others_are_neither_seen_nor_deleted(serve: Serve) -> None:
    async with serve(script, pay) as served:
        rule = (await served.client().post(MINE, json={"effect": "ask", "tool": "pay"})).json()
        for account in ("stranger", "admin", "auditor"):
            client = served.client(account)
            assert (await client.get(MINE)).json()["items"] == []
            assert (await client.delete(f"{MINE}/{rule['id']}")).status_code == 404
        assert (await served.client("agent").get(MINE)).status_code == 403
        entries = (await served.client("admin").get("/api/audit")).json()["items"]
        assert [e["actor"] for e in entries if e["action"] == "add_own_rule"] == ["user"]


async def test_nothing_is_loosened_where_the_deployment_says_nothing(serve: Serve) -> None:
    async with serve(script, pay) as served:
        refused = await served.client().post(MINE, json={"effect": "allow", "tool": "pay"})
        assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")


async def test_less_is_asked_only_where_the_deployment_permits_it(serve: Serve) -> None:
    allow = {"effect": "allow", "tool": "pay"}
    async with serve(script, pay, people_may_allow=["safe", "moderate"]) as served:
        client = served.client()
        assert (await client.post(MINE, json=allow)).status_code == 201
        assert (await client.get(MINE)).json()["may_allow"] == ["moderate", "safe"]
        policy = (await served.client("admin").get("/api/policy")).json()
        assert policy["people_may_allow"] == ["moderate", "safe"]
        await served.assent.override("pay", Override(risk="dangerous"), by=ROOT)
        listed = (await client.get(MINE)).json()["items"]
        assert [each["in_force"] for each in listed] == [False]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"effect": "ask"}, 422),
        ({"effect": "deny", "tool": "pay"}, 422),
        ({"effect": "ask", "tool": "pay", "risk": "safe"}, 422),
        ({"effect": "ask", "tool": "pay", "argument": "amount"}, 422),
        ({"effect": "ask", "tool": "pay", "at_least": 5}, 422),
        ({"effect": "ask", "tool": "pay", "argument": "amuont", "at_least": 5}, 422),
        ({"effect": "ask", "tool": "pay", "argument": "amount", "at_least": "NaN"}, 422),
        ({"effect": "ask", "tool": "pay", "argument": "amount", "at_least": "1e999"}, 422),
        ({"effect": "ask", "tool": "pay", "argument": "amount", "at_least": True}, 422),
        ({"effect": "ask", "tool": "pay", "argument": "amount", "at_least": 10**40}, 422),
        ({"effect": "ask", "tool": "pay", "argument": "amount", "at_least": []}, 422),
        ({"effect": "ask", "tool": "pay", "person": "stranger"}, 422),
        ({"effect": "ask", "tool": "x" * 10_000}, 422),
        ({"effect": "ask", "tool": "pay\u0000"}, 422),
        ({"effect": "ask", "tool": "nothing"}, 404),
        ({"effect": "ask", "category": "nothing"}, 404),
        (None, 422),
        ([], 422),
    ],
)
async def test_what_makes_no_sense_is_refused_and_changes_nothing(
    serve: Serve, body: Any, status: int
) -> None:
    async with serve(script, pay) as served:
        client = served.client()
        refused = await client.post(MINE, json=body)
        assert refused.status_code == status, refused.text
        assert (await client.get(MINE)).json()["items"] == []


async def test_a_number_beyond_what_floats_hold_stays_exact(serve: Serve) -> None:
    async with serve(script, pay) as served:
        given = {"effect": "ask", "tool": "pay", "argument": "amount"}
        made = await served.client().post(MINE, json=given | {"at_least": str(2**53 + 1)})
        assert made.json()["at_least"] == str(2**53 + 1)
        # As a number it would be rounded on its way through many clients.
        refused = await served.client().post(MINE, json=given | {"at_least": 2**53 + 1})
        assert refused.status_code == 422


async def test_the_hundred_and_first_rule_is_refused(serve: Serve) -> None:
    async with serve(script, pay) as served:
        client = served.client()
        given = {"effect": "ask", "tool": "pay", "argument": "amount"}
        for number in range(100):
            made = await client.post(MINE, json=given | {"at_least": number})
            assert made.status_code == 201
        refused = await client.post(MINE, json=given | {"at_least": 100})
        assert (refused.status_code, refused.json()["code"]) == (409, "too_many_own_rules")


async def test_a_rule_of_the_deployment_stands_above_what_a_person_allows(serve: Serve) -> None:
    asks = Rule.of("ask", "pay", reason="Finance wants to know.")
    options: Any = {"rules": asks, "people_may_allow": "moderate"}
    async with serve(script, pay, **options) as served:
        client = served.client()
        await client.post(MINE, json={"effect": "allow", "tool": "pay"})
        turn = await served.assent.send("agent", "pay", by=Person("user"))
        assert [request.question.reason for request in turn.pending] == ["Finance wants to know."]
