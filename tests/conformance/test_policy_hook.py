"""Conformance C: the policy hook and the rules, before any person is asked."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from assent import Allow, Ask, Context, Deny, Effect, Limits, Person, Rule, approve, tool
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.messages import ModelSaid, Prompt
from assent.domain.policy import HookAnswer, Policy
from assent.domain.tools import EffectiveTool, effective
from assent.engine.gate.gate import Gate
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World

Arguments = Mapping[str, Any]


class Shop:
    """A gated tool that notes its runs, and a policy hook that gives one answer and counts."""

    def __init__(self, answer: HookAnswer = None) -> None:
        self.answer = answer
        self.asked: list[str] = []
        self.paid: list[int] = []

        @tool(requires_approval=True)
        async def pay(amount: int) -> str:
            """Pay an amount."""
            self.paid.append(amount)
            return f"paid {amount}"

        self.pay = pay

    def hook(self, subject: EffectiveTool, args: Arguments, context: Context) -> HookAnswer:
        self.asked.append(context.call_id)
        return self.answer


def outputs(prompt: Prompt) -> list[str]:
    """What a model was told about the calls of its last answer."""
    said = prompt.history[-1]
    assert isinstance(said, ModelSaid)
    return [str(output.content) for output in said.outputs]


def one_call() -> ScriptedModel:
    return ScriptedModel([says("", calls("pay", amount=5)), "Done."])


# conformance: 24
@pytest.mark.parametrize("answer", [Effect.ALLOW, Allow(by="me")])
async def test_a_hook_that_allows_the_only_gated_call_lets_it_run_once(
    world: World, owner: Person, answer: HookAnswer
) -> None:
    shop = Shop(answer)

    async with world(one_call(), shop.pay, policy=shop.hook) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await assent.reconciler.reconcile()
        turn = await assent.wait(turn.id)

    assert shop.paid == [5]
    assert turn.status is TurnStatus.DONE
    assert turn.pending == ()
    [call] = turn.calls
    assert (call.cleared_by, call.approved, call.attempts) == ("hook", True, 1)


# conformance: 24
async def test_an_asynchronous_hook_is_awaited(world: World, owner: Person) -> None:
    shop = Shop(Effect.ALLOW)

    async def hook(subject: EffectiveTool, args: Arguments, context: Context) -> HookAnswer:
        return shop.hook(subject, args, context)

    async with world(one_call(), shop.pay, policy=hook) as assent:
        await assent.send("agent", "pay", by=owner)

    assert shop.paid == [5]


# conformance: 25
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (Deny(by="me", reason="Not on a Friday."), "Not on a Friday."),
        (Effect.DENY, "The policy of this deployment denies this call."),
        (Deny(by="me", reason=""), "The policy of this deployment denies this call."),
    ],
    ids=["reason", "effect", "no reason"],
)
async def test_a_hook_that_denies_tells_the_model_why_and_nobody_else(
    world: World, owner: Person, answer: HookAnswer, told: str
) -> None:
    shop, model = Shop(answer), one_call()

    async with world(model, shop.pay, policy=shop.hook) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert shop.paid == []
    assert turn.status is TurnStatus.DONE
    assert turn.pending == ()
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]
    assert [json.loads(text) for text in outputs(model.prompts[1])] == [{"error": told}]


# conformance: 25
async def test_a_denied_call_can_be_decided_by_nobody_afterwards(
    world: World, owner: Person
) -> None:
    shop = Shop(Effect.DENY)

    async with world(one_call(), shop.pay, policy=shop.hook) as assent:
        await assent.send("agent", "pay", by=owner)

        assert await assent.pending() == []


# conformance: 26
@pytest.mark.parametrize(
    "answer", [Effect.ASK, Ask(by="me", reason="It is much."), None], ids=["ask", "why", "nothing"]
)
async def test_a_hook_that_asks_or_says_nothing_leaves_the_gated_call_to_a_person(
    world: World, owner: Person, answer: HookAnswer
) -> None:
    shop, model = Shop(answer), one_call()

    async with world(model, shop.pay, policy=shop.hook) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        thread = await assent.conversation(turn.conversation_id)

    assert shop.paid == []
    assert thread.status == "awaiting_approval"
    [call], [request] = turn.calls, turn.pending
    assert (request.call_id, call.status) == (call.id, CallStatus.AWAITING_APPROVAL)
    assert request.question.reason == (answer.reason if isinstance(answer, Ask) else "")
    assert len(model.prompts) == 1


# conformance: 26
async def test_a_hook_can_ask_about_a_call_that_its_tool_would_just_run(
    world: World, owner: Person
) -> None:
    shop = Shop(Effect.ASK)

    @tool
    async def look(at: str) -> str:
        raise AssertionError("nobody approved")

    async with world([says("", calls("look", at="it"))], look, policy=shop.hook) as assent:
        turn = await assent.send("agent", "look", by=owner)

    assert [request.tool for request in turn.pending] == ["look"]


# conformance: 26
@pytest.mark.parametrize("broken", ["yes", 1, True, ValueError("down")])
async def test_a_hook_that_answers_nonsense_lets_nothing_run(
    world: World, owner: Person, broken: Any
) -> None:
    shop = Shop()

    def hook(subject: EffectiveTool, args: Arguments, context: Context) -> Any:
        if isinstance(broken, Exception):
            raise broken
        return broken

    async with world(one_call(), shop.pay, policy=hook) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert shop.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


async def judged(shop: Shop, rules: list[Rule]) -> str:
    """What the gate says about the gated call."""
    gate = Gate(policy=Policy(rules=tuple(rules), hook=shop.hook))
    context = Context(call_id="c", conversation_id="t", agent="a", tool="pay", owner=Person("ada"))
    verdict = await gate.rule_on(effective(shop.pay, None), {"amount": 5}, context)
    return type(verdict).__name__.lower()


# conformance: 27
@pytest.mark.parametrize(
    ("effects", "wins"),
    [
        ((Effect.ALLOW, Effect.ASK), Effect.ASK),
        ((Effect.ASK, Effect.ALLOW), Effect.ASK),
        ((Effect.ALLOW, Effect.DENY), Effect.DENY),
        ((Effect.DENY, Effect.ALLOW), Effect.DENY),
        ((Effect.ASK, Effect.DENY), Effect.DENY),
        ((Effect.DENY, Effect.ASK, Effect.ALLOW), Effect.DENY),
        ((Effect.ALLOW, Effect.ALLOW), Effect.ALLOW),
    ],
)
async def test_of_rules_that_disagree_the_stricter_wins_in_any_order(
    effects: tuple[Effect, ...], wins: Effect
) -> None:
    rules = [Rule.of(effect, "pay", name=str(number)) for number, effect in enumerate(effects)]

    assert await judged(Shop(), rules) == wins


# conformance: 27
@pytest.mark.parametrize(
    ("hook", "rule", "wins"),
    [
        (Effect.ALLOW, Effect.ASK, Effect.ASK),
        (Effect.ALLOW, Effect.DENY, Effect.DENY),
        (Effect.ASK, Effect.ALLOW, Effect.ASK),
        (Effect.ASK, Effect.DENY, Effect.DENY),
        (Effect.DENY, Effect.ALLOW, Effect.DENY),
        (Effect.DENY, Effect.ASK, Effect.DENY),
    ],
)
async def test_of_a_hook_and_a_rule_that_disagree_the_stricter_wins(
    hook: Effect, rule: Effect, wins: Effect
) -> None:
    assert await judged(Shop(hook), [Rule.of(rule, "pay")]) == wins


# conformance: 27
async def test_a_rule_that_denies_beats_a_hook_and_a_rule_that_allow(
    world: World, owner: Person
) -> None:
    shop, model = Shop(Effect.ALLOW), one_call()
    rules = [Rule.of(Effect.ALLOW, "pay"), Rule.of(Effect.DENY, "pa*", reason="No money.")]

    async with world(model, shop.pay, policy=shop.hook, rules=rules) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert shop.paid == []
    assert turn.pending == ()
    assert turn.result(turn.calls[0].id) == {"error": "No money."}


# conformance: 28
async def test_a_denial_in_the_last_step_is_honoured_and_stays_in_the_history(
    world: World, owner: Person
) -> None:
    shop = Shop(Deny(by="me", reason="Not on a Friday."))
    model = ScriptedModel([says("", calls("pay", amount=5)), "I may not.", "As I said."])

    async with world(model, shop.pay, policy=shop.hook, limits=Limits(steps=1)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        again = await assent.send(
            "agent", "and now?", by=owner, conversation_id=turn.conversation_id
        )

    assert shop.paid == []
    assert shop.asked == [turn.calls[0].id]
    assert turn.text == "I may not."
    assert turn.result(turn.calls[0].id) == {"error": "Not on a Friday."}
    assert model.prompts[1].tools == ()
    assert [json.loads(text) for text in outputs(model.prompts[1])] == [
        {"error": "Not on a Friday."}
    ]
    [kept] = [said for said in model.prompts[2].history if getattr(said, "outputs", ())]
    assert isinstance(kept, ModelSaid)
    assert "Not on a Friday." in str(kept.outputs[0].content)
    assert again.text == "As I said."


# conformance: 29
async def test_what_a_hook_allows_runs_while_its_sibling_waits_and_nothing_is_lost(
    world: World, owner: Person
) -> None:
    shop = Shop()
    model = ScriptedModel([says("", calls("pay", amount=5), calls("pay", amount=500)), "Done."])

    def small(subject: EffectiveTool, args: Arguments, context: Context) -> HookAnswer:
        return Effect.ALLOW if args["amount"] < 100 else None

    async with world(model, shop.pay, policy=small) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [ran, waits] = turn.calls
        paid_while_waiting, requests_while_waiting = list(shop.paid), len(model.prompts)
        kept = turn.result(ran.id)
        [request] = turn.pending
        decided = await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert paid_while_waiting == [5]
    assert requests_while_waiting == 1
    assert kept == "paid 5"
    assert request.call_id == waits.id
    assert decided.status is RequestStatus.APPROVED
    assert shop.paid == [5, 500]
    assert outputs(model.prompts[1]) == ["paid 5", "paid 500"]
    assert turn.text == "Done."
