"""Rules that people make for their own conversations: who is asked, when, and from when on."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from assent import (
    Audience,
    Field,
    FieldType,
    Override,
    OwnRule,
    Person,
    PersonKind,
    Risk,
    Rule,
    UserInput,
    answer,
    approve,
    tool,
)
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.engine.queries.snapshots import Turn
from assent.errors import CallWaits, InvalidParameter, NotAllowed, NotFound, TooManyOwnRules
from assent.testing import calls, says
from tests.conftest import World
from tests.store.rawsql import RawSql

ADA, BOB = Person("ada"), Person("bob")
ROOT = Person("root", roles={"admin"})
BIG = OwnRule("ask", tool="pay", argument="amount", at_least=100)


def paying(amount: Any) -> Any:
    """A model that pays once, then answers."""

    def script(prompt: Prompt) -> Answer | str:
        if getattr(prompt.history[-1], "outputs", None):
            return "Done."
        return says("", calls("pay", amount=amount, to="carl"))

    return script


@dataclass
class Purse:
    """A tool that pays, and what it paid."""

    paid: list[float] = field(default_factory=list[float])

    def pay(self, **options: Any) -> Any:
        async def pay(amount: float, to: str) -> str:
            """Pay somebody."""
            self.paid.append(amount)
            return f"paid {amount} to {to}"

        settings: dict[str, Any] = {"risk": "moderate", "category": "payments"}
        settings |= {"requires_approval": False} | options
        return tool(**settings)(pay)


async def asked_by(engine: Any, turn: Turn) -> str:
    """What the record says of the ruling on the turn's only call."""
    entries = await engine.audit(call_id=turn.calls[0].id)
    return str(next(each.data["by"] for each in entries if each.action == "gate"))


@pytest.mark.parametrize(
    "rule",
    [
        OwnRule("ask", tool="pay"),
        OwnRule("ask", category="payments"),
        OwnRule("ask", risk="moderate"),
        BIG,
    ],
    ids=lambda rule: rule.words,
)
async def test_a_person_is_asked_about_what_they_asked_to_be_asked_about(
    world: World, rule: OwnRule
) -> None:
    purse = Purse()
    async with world(paying(100), purse.pay()) as engine:
        made = await engine.own_rules.add(rule, by=ADA)
        turn = await engine.send("agent", "pay", by=ADA)
        (request,) = turn.pending
        assert request.question.reason == f"You asked to be asked about {rule.about}."
        assert request.audience == Audience()
        assert await asked_by(engine, turn) == f"own:{made.id}"
        assert not purse.paid
        await engine.decide(request, approve(), by=ADA)
        done = await engine.wait(turn)
    assert done.status is TurnStatus.DONE
    assert purse.paid == [100]


async def test_less_than_the_amount_and_other_people_are_not_asked_about(world: World) -> None:
    purse = Purse()
    async with world(paying(99.99), purse.pay()) as engine:
        await engine.own_rules.add(BIG, by=ADA)
        await engine.own_rules.add(OwnRule("ask", tool="pay"), by=BOB)
        await engine.send("agent", "pay", by=ADA)
    async with world(paying(500), purse.pay()) as engine:
        await engine.send("agent", "pay", by=Person("carol"))
        service = Person("ada", kind=PersonKind.SERVICE)
        await engine.send("agent", "pay", by=service)
    assert purse.paid == [99.99, 500, 500]


async def test_a_rule_counts_at_once_in_another_process_and_no_longer_when_deleted(
    world: World,
) -> None:
    purse = Purse()
    options: Any = {} if world.url.startswith("postgres") else {"worker": False}
    async with (
        world(paying(100), purse.pay()) as engine,
        world(paying(100), purse.pay(), **options) as elsewhere,
    ):
        await engine.send("agent", "pay", by=ADA)
        made = await elsewhere.own_rules.add(BIG, by=ADA)
        asked = await engine.send("agent", "pay", by=ADA)
        await elsewhere.own_rules.delete(made.id, by=ADA)
        free = await engine.send("agent", "pay", by=ADA)
    assert asked.status is TurnStatus.WAITING
    assert free.status is TurnStatus.DONE
    assert purse.paid == [100, 100]


async def test_a_rule_made_while_the_gate_rules_is_in_time(world: World) -> None:
    purse = Purse()
    ruling, made = asyncio.Event(), asyncio.Event()

    async def hook(_tool: Any, _arguments: Any, _context: Any) -> None:
        ruling.set()
        await made.wait()

    async with world(paying(100), purse.pay(), policy=hook) as engine:
        sent = asyncio.create_task(engine.send("agent", "pay", by=ADA))
        await ruling.wait()
        await engine.own_rules.add(BIG, by=ADA)
        made.set()
        turn = await sent
    assert turn.status is TurnStatus.WAITING
    assert not purse.paid


async def test_a_call_that_waits_for_its_turn_to_run_is_asked_about_after_all(
    world: World,
) -> None:
    purse = Purse()
    async with world(paying(100), purse.pay(), worker=False) as idle:
        guard = idle.guard_for(agent="agent", by=ADA)
        guarded = await guard.propose("pay", {"amount": 100, "to": "carl"}, wait=0)
        await idle.own_rules.add(BIG, by=ADA)
    async with world(paying(100), purse.pay()) as engine:
        async with asyncio.timeout(20):
            while not (waiting := await engine.pending(person=ADA)):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert waiting[0].question.reason.startswith("You asked to be asked")
        await engine.decide(waiting[0], approve(), by=ADA)
        await engine.wait(waiting[0].turn_id)
    assert guarded.status is CallStatus.CLEARED
    assert purse.paid == [100]


async def test_calls_from_outside_go_by_the_rules_of_the_person_they_are_made_for(
    world: World,
) -> None:
    purse = Purse()
    async with world("Hello.", purse.pay(), people_may_allow="moderate") as engine:
        made = await engine.own_rules.add(BIG, by=ADA)
        for _ in range(2):
            small = await engine.guard("pay", {"amount": 1, "to": "carl"}, by=ADA, agent="agent")
            assert small.status is CallStatus.SUCCEEDED
        with pytest.raises(CallWaits):
            await engine.guard("pay", {"amount": 100, "to": "x"}, by=ADA, agent="agent", wait=0)
        await engine.own_rules.delete(made.id, by=ADA)
        after = await engine.guard("pay", {"amount": 100, "to": "carl"}, by=ADA, agent="agent")
        assert after.status is CallStatus.SUCCEEDED
    assert purse.paid == [1, 1, 100]


async def test_amounts_that_people_fill_in_are_asked_about(world: World) -> None:
    purse = Purse()
    form = UserInput("How much?", fields=[Field("amount", type=FieldType.NUMBER)])
    async with world(
        lambda p: (
            "Done." if getattr(p.history[-1], "outputs", None) else says("", calls("pay", to="x"))
        ),
        purse.pay(user_input=form),
    ) as engine:
        await engine.own_rules.add(BIG, by=ADA)
        turn = await engine.send("agent", "pay", by=ADA)
        await engine.decide(turn.pending[0], answer({"amount": 150}), by=ADA)
        turn = await engine.wait(turn)
        assert [request.kind for request in turn.pending] == [RequestKind.APPROVAL]
        assert not purse.paid


async def test_an_edit_by_others_that_reaches_the_amount_goes_to_the_owner(world: World) -> None:
    purse, boss = Purse(), Person("boss")
    small = Rule(
        effect="ask",
        tools="pay",
        when=lambda args: args["amount"] < 50,
        audience=Audience(owner=False, people={"boss"}),
    )
    async with world(paying(10), purse.pay(), rules=small) as engine:
        await engine.own_rules.add(BIG, by=ADA)
        turn = await engine.send("agent", "pay", by=ADA)
        await engine.decide(turn.pending[0], approve(edit={"amount": 150}), by=boss)
        (again,) = (await engine.turn(turn)).pending
        assert again.audience == Audience()
        assert not purse.paid
        await engine.decide(again, approve(), by=ADA)
        await engine.wait(turn)
    assert purse.paid == [150]


async def test_people_allow_only_what_the_deployment_permits_for_that_risk(world: World) -> None:
    purse = Purse()
    allow = OwnRule("allow", tool="pay")
    asking = purse.pay(requires_approval=True)
    async with world(paying(100), asking) as engine:
        with pytest.raises(NotAllowed, match="does not permit"):
            await engine.own_rules.add(allow, by=ADA)
    async with world(paying(100), asking, people_may_allow={"safe", "moderate"}) as engine:
        await engine.own_rules.add(allow, by=ADA)
        turn = await engine.send("agent", "pay", by=ADA)
        assert turn.status is TurnStatus.DONE
        assert (await asked_by(engine, turn)).startswith("own:own_")
        await engine.override("pay", Override(risk=Risk.DANGEROUS), by=ROOT)
        assert (await engine.send("agent", "pay", by=ADA)).pending
    assert purse.paid == [100]


async def test_the_exception_to_what_runs_unasked_says_that_it_spoke(world: World) -> None:
    """ "Run it, but ask from 100 on": the person is told why they are asked after all."""
    tool = Purse().pay(requires_approval=True)
    async with world(paying(100), tool, people_may_allow="moderate") as engine:
        without = await engine.send("agent", "pay", by=ADA)
        await engine.own_rules.add(OwnRule("allow", tool="pay"), by=ADA)
        asks = await engine.own_rules.add(BIG, by=ADA)
        turn = await engine.send("agent", "pay", by=ADA)
        spoke = await asked_by(engine, turn), await asked_by(engine, without)

    assert spoke == (asks.by, "tool")
    assert turn.pending[0].question.reason == asks.ask().reason
    assert turn.pending[0].audience == without.pending[0].audience


async def test_nobody_waives_what_others_have_to_decide(world: World) -> None:
    purse = Purse()
    asking = purse.pay(requires_approval=True, approvers={"boss"})
    async with world(paying(100), asking, people_may_allow="moderate") as engine:
        for rule in (OwnRule("allow", tool="pay"), OwnRule("allow", risk="moderate")):
            with pytest.raises(NotAllowed):
                await engine.own_rules.add(rule, by=ADA)
        boss = Person("bea", roles={"boss"})
        await engine.own_rules.add(OwnRule("allow", tool="pay"), by=boss)
        assert (await engine.send("agent", "pay", by=ADA)).pending
        # The same person where their roles are not vouched for.
        assert (await engine.send("agent", "pay", by=Person("bea"))).pending
        assert not (await engine.send("agent", "pay", by=boss)).pending
    assert purse.paid == [100]


async def test_what_is_no_longer_permitted_has_no_effect_and_is_listed_so(world: World) -> None:
    purse = Purse()
    asking = purse.pay(requires_approval=True)
    async with world(paying(100), asking, people_may_allow="moderate") as engine:
        await engine.own_rules.add(OwnRule("allow", category="payments"), by=ADA)
        assert [each.in_force for each in await engine.own_rules.of(ADA)] == [True]
    async with world(paying(100), asking) as engine:
        assert [each.in_force for each in await engine.own_rules.of(ADA)] == [False]
        assert (await engine.send("agent", "pay", by=ADA)).pending


async def test_a_rule_that_allows_and_is_withdrawn_before_the_call_runs_is_asked_about(
    world: World,
) -> None:
    purse = Purse()
    asking = purse.pay(requires_approval=True)
    options: Any = {"people_may_allow": "moderate"}
    async with world(paying(100), asking, worker=False, **options) as idle:
        made = await idle.own_rules.add(OwnRule("allow", tool="pay"), by=ADA)
        guard = idle.guard_for(agent="agent", by=ADA)
        await guard.propose("pay", {"amount": 100, "to": "carl"}, wait=0)
        await idle.own_rules.delete(made.id, by=ADA)
    async with world(paying(100), asking, **options) as engine:
        async with asyncio.timeout(20):
            while not (waiting := await engine.pending(person=ADA)):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert waiting[0].question.reason == "You no longer let it run without asking."
    assert not purse.paid


async def test_every_change_is_on_record_and_only_the_owner_makes_it(world: World) -> None:
    async with world("Hello.", Purse().pay()) as engine:
        made = await engine.own_rules.add(BIG, by=ADA)
        assert await engine.own_rules.add(BIG, by=ADA) == made
        for other in (BOB, ROOT):
            assert await engine.own_rules.of(other) == []
            with pytest.raises(NotFound):
                await engine.own_rules.delete(made.id, by=other)
        assert await engine.own_rules.delete(made.id, by=ADA) == made
        with pytest.raises(NotFound):
            await engine.own_rules.delete(made.id, by=ADA)
        entries = [each for each in await engine.audit() if each.action.endswith("own_rule")]
    assert [(each.action, each.actor) for each in entries] == [
        ("add_own_rule", "ada"),
        ("delete_own_rule", "ada"),
    ]
    assert all(each.data["rule"] == BIG.to_json() for each in entries)


@pytest.mark.parametrize("kind", [PersonKind.SERVICE, PersonKind.AGENT])
async def test_programs_have_no_rules_of_their_own(world: World, kind: PersonKind) -> None:
    async with world("Hello.", Purse().pay()) as engine:
        with pytest.raises(NotAllowed):
            await engine.own_rules.add(BIG, by=Person("robot", kind=kind))


@pytest.mark.parametrize(
    ("rule", "error"),
    [
        (OwnRule("ask", tool="pya"), NotFound),
        (OwnRule("ask", category="payment"), NotFound),
        (OwnRule("ask", tool="pay", argument="amuont", at_least=1), InvalidParameter),
        ("ask", InvalidParameter),
        (None, InvalidParameter),
        ({}, InvalidParameter),
    ],
)
async def test_a_rule_that_would_match_nothing_is_refused(
    world: World, rule: Any, error: type[Exception]
) -> None:
    async with world("Hello.", Purse().pay()) as engine:
        with pytest.raises(error):
            await engine.own_rules.add(rule, by=ADA)
        assert await engine.own_rules.of(ADA) == []


async def test_a_person_has_a_hundred_rules_at_most_however_many_are_sent_at_once(
    world: World,
) -> None:
    async with world("Hello.", Purse().pay()) as engine:
        rules = [
            OwnRule("ask", tool="pay", argument="amount", at_least=each) for each in range(130)
        ]
        made = await asyncio.gather(
            *(engine.own_rules.add(rule, by=ADA) for rule in rules), return_exceptions=True
        )
        listed = await engine.own_rules.of(ADA)
    refused = [each for each in made if isinstance(each, TooManyOwnRules)]
    assert (len(refused), len(listed)) == (30, 100)
    assert len({each.id for each in listed}) == 100
    assert (
        await RawSql(world.url).one("SELECT count(*) FROM audit WHERE action = 'add_own_rule'")
        == 100
    )
