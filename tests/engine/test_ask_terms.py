"""Several rules ask about one call: the strictest of their terms count, each for itself."""

import json
from datetime import timedelta
from typing import Any

import pytest

from assent import (
    NO_DEADLINE,
    Ask,
    Assent,
    Audience,
    Confirmation,
    Effect,
    Person,
    Rule,
    approve,
    tool,
)
from assent.domain.requests import Request
from assent.errors import NotEligible, NotFound
from tests.conftest import World
from tests.engine.till import Till, one_call, rested

ADA = Person("ada", roles={"staff"})
FINANCE, LEGAL = Audience.of("finance"), Audience.of("legal")
EVE = Person("eve", roles={"finance"})
LEA = Person("lea", roles={"legal"})
BOTH = Person("bo", roles={"finance", "legal"})
ROUTES = [
    Rule.of(Effect.ASK, "pay", audience=FINANCE, name="money"),
    Rule.of(Effect.ASK, "*", audience=LEGAL, name="contracts"),
]


def asking(**terms: Any) -> Rule:
    return Rule.of(Effect.ASK, "pay", **terms)


async def asked(assent: Assent) -> Request:
    return (await assent.send("agent", "pay bob", by=ADA)).pending[0]


@pytest.mark.parametrize("rules", [ROUTES, ROUTES[::-1]], ids=["in order", "reversed"])
async def test_who_decides_is_admitted_by_every_rule_that_names_an_audience(
    world: World, rules: list[Rule]
) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=rules) as assent:
        turn = await assent.send("agent", "pay bob", by=ADA)
        request = turn.pending[0]
        for alone in (ADA, EVE, LEA):
            assert await assent.pending(person=alone) == []
            with pytest.raises((NotEligible, NotFound)):
                await assent.decide(request, approve(), by=alone)
        assert [each.id for each in await assent.pending(person=BOTH)] == [request.id]
        await assent.decide(request, approve(), by=BOTH)
        await rested(assent, turn.id)
    assert till.paid == [(5, "bob")]


async def test_a_rule_and_the_hook_both_have_to_admit_who_decides(world: World) -> None:
    policy: Any = lambda *_: Ask(audience=LEGAL)  # noqa: E731
    async with world(one_call, Till().pay(), rules=asking(audience=FINANCE), policy=policy) as one:
        assert (await asked(one)).audience == FINANCE & LEGAL


async def test_a_call_that_no_one_can_decide_for_all_rules_is_denied(world: World) -> None:
    only = [asking(audience=Audience(owner=False, people=name)) for name in ("eve", "max")]
    till = Till()
    async with world(one_call, till.pay(), rules=only) as assent:
        turn = await assent.send("agent", "pay bob", by=ADA)
    assert (turn.calls[0].status, turn.pending, till.paid) == ("denied", (), [])


async def test_a_wider_audience_leaves_the_narrower_as_it_is(world: World) -> None:
    wide = asking(audience=["finance", "legal"])
    async with world(one_call, Till().pay(), rules=[wide, asking(audience=FINANCE)]) as assent:
        assert (await asked(assent)).audience == FINANCE


async def test_a_service_that_owns_a_conversation_confirms_nothing_by_any_audience(
    world: World,
) -> None:
    robot = Person("robot", roles={"staff"}, kind="service")
    owners = asking(audience=Audience(roles="finance"))
    named = asking(audience=Audience(people="eve"))
    async with world(one_call, Till().pay(), rules=[owners, named]) as assent:
        request = (await assent.send("agent", "pay bob", by=robot)).pending[0]
        assert not request.admits(robot)
        assert request.admits(EVE)


async def test_each_term_is_the_strictest_of_all_rules(world: World) -> None:
    rules = [
        asking(decide_within=600, confirmation="click", quorum=2),
        asking(decide_within=60, audience="finance"),
        asking(decide_within=NO_DEADLINE, confirmation="typed"),
    ]
    async with world(one_call, Till().pay(), rules=rules) as assent:
        request = await asked(assent)
    assert request.decide_by == request.created_at + timedelta(seconds=60)
    assert (request.audience, request.quorum) == (FINANCE, 2)
    assert request.confirmation is Confirmation.TYPED


def pay(**said: Any) -> Any:
    async def pay(amount: int, to: str) -> str:
        """Pay somebody."""
        return to

    return tool(requires_approval=True, **said)(pay)


@pytest.mark.parametrize(
    ("declared", "settings"),
    [
        (pay(), {"rules": asking(decide_within=NO_DEADLINE)}),
        (pay(decide_within=60), {"rules": asking(decide_within="none")}),
        (pay(), {"policy": lambda *_: Ask(decide_within=NO_DEADLINE)}),
        (pay(decide_within=NO_DEADLINE), {"decide_within": 60}),
        (pay(decide_within=None), {"decide_within": 60}),
        (pay(), {"decide_within": NO_DEADLINE}),
        (pay(), {"decide_within": None}),
    ],
    ids=["rule", "rule in words", "hook", "tool", "tool: None", "deployment", "deployment: None"],
)
async def test_no_deadline_can_be_said(
    world: World, declared: Any, settings: dict[str, Any]
) -> None:
    async with world(one_call, declared, **settings) as assent:
        assert (await asked(assent)).decide_by is None


async def test_no_deadline_said_is_not_the_same_as_nothing_said(world: World) -> None:
    async with world(one_call, pay(decide_within=60), rules=asking()) as assent:
        request = await asked(assent)
    assert request.decide_by == request.created_at + timedelta(seconds=60)
    silent, said = asking(), asking(decide_within=NO_DEADLINE)
    assert "decide_within" not in silent.to_json()
    assert said.to_json()["decide_within"] == "none"


async def test_an_audience_of_several_outlives_an_export(world: World) -> None:
    async with world(one_call, Till().pay(), rules=ROUTES) as assent:
        request = await asked(assent)
        await assent.decide(request, approve(), by=BOTH)
        await rested(assent, request.turn_id)
        text = await assent.export(request.conversation_id, by=ADA)
        imported = await assent.import_(text, by=Person("root", roles={"admin"}))
        again = await assent.export(imported, by=Person("root", roles={"admin"}))
    for each in (text, again):
        kept = json.loads(each)["requests"][0]["audience"]
        assert Audience.from_json(kept) == FINANCE & LEGAL
