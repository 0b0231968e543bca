"""Conformance B: which calls wait for a person, and what is judged before anybody is asked."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from assent import (
    Agent,
    Context,
    Effect,
    Limits,
    Override,
    Person,
    Rule,
    Tool,
    approve,
    manual,
    run_once,
    schema_tool,
    tool,
)
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.domain.messages import Answer, FinishReason, ModelSaid, Prompt
from assent.errors import ApprovalUnavailable, TurnFailed
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World

Arguments = Mapping[str, Any]


class Till:
    """A tool that notes what it was run with."""

    def __init__(self) -> None:
        self.paid: list[int] = []

    def tool(self, **said: Any) -> Tool:
        @tool(**said)
        async def pay(amount: int) -> str:
            """Pay an amount."""
            self.paid.append(amount)
            return f"paid {amount}"

        return pay


def outputs(prompt: Prompt) -> dict[str, str]:
    """What a model was told about the calls of its last answer, by the provider's id."""
    said = prompt.history[-1]
    assert isinstance(said, ModelSaid)
    return {output.provider_id: str(output.content) for output in said.outputs}


# conformance: 9
async def test_a_tool_that_requires_approval_waits_for_it(world: World, owner: Person) -> None:
    till = Till()

    async with world([says("", calls("pay", amount=5))], till.tool(requires_approval=True)) as a:
        turn = await a.send("agent", "pay", by=owner)

    assert till.paid == []
    assert turn.status is TurnStatus.WAITING
    assert [request.kind for request in turn.pending] == [RequestKind.APPROVAL]


# conformance: 9
@pytest.mark.parametrize("said", [{}, {"requires_approval": False}], ids=["absent", "false"])
async def test_a_tool_that_does_not_require_approval_runs(
    world: World, owner: Person, said: dict[str, bool]
) -> None:
    till = Till()

    async with world([says("", calls("pay", amount=5)), "Done."], till.tool(**said)) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert till.paid == [5]
    assert turn.status is TurnStatus.DONE
    assert turn.pending == ()


# conformance: 10
async def test_a_predicate_gates_only_the_calls_it_says_yes_to(world: World, owner: Person) -> None:
    till = Till()
    pay = till.tool(requires_approval=lambda args: args["amount"] > 100)
    script = [says("", calls("pay", amount=5), calls("pay", amount=500))]

    async with world(script, pay) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert till.paid == [5]
    [request] = turn.pending
    [waiting] = [call for call in turn.calls if call.status is CallStatus.AWAITING_APPROVAL]
    assert request.call_id == waiting.id
    assert waiting.arguments.thaw() == {"amount": 500}


# conformance: 10
async def test_an_asynchronous_predicate_is_awaited(world: World, owner: Person) -> None:
    till = Till()

    async def is_much(args: Arguments) -> bool:
        await asyncio.sleep(0)
        return args["amount"] > 100

    script = [says("", calls("pay", amount=5)), "Done."]
    async with world(script, till.tool(requires_approval=is_much)) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert till.paid == [5]
    assert turn.text == "Done."


# conformance: 10
async def test_a_predicate_is_told_the_number_of_the_turn(world: World, owner: Person) -> None:
    till, turns = Till(), list[int]()

    def from_the_second_on(args: Arguments, context: Context) -> bool:
        turns.append(context.turn)
        return context.turn > 1

    script = [says("", calls("pay", amount=1)), "Done.", says("", calls("pay", amount=2))]
    async with world(script, till.tool(requires_approval=from_the_second_on)) as assent:
        first = await assent.send("agent", "pay", by=owner)
        second = await assent.send(
            "agent", "pay again", by=owner, conversation_id=first.conversation_id
        )

    assert turns == [1, 2]
    assert (first.status, second.status) == (TurnStatus.DONE, TurnStatus.WAITING)
    assert till.paid == [1]


# conformance: 10
async def test_a_predicate_that_fails_lets_nothing_run(world: World, owner: Person) -> None:
    till = Till()
    pay = till.tool(requires_approval=lambda args: args["no such thing"])

    async with world([says("", calls("pay", amount=5)), "Oh."], pay) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


# conformance: 11
async def test_a_per_run_predicate_can_make_a_tool_ask(world: World, owner: Person) -> None:
    till = Till()

    async with world([says("", calls("pay", amount=5))], till.tool()) as assent:
        turn = await assent.send("agent", "pay", by=owner, ask_when=lambda args, ctx: True)

    assert till.paid == []
    assert [request.tool for request in turn.pending] == ["pay"]


# conformance: 11
async def test_a_per_run_predicate_can_waive_what_a_tool_asks(world: World, owner: Person) -> None:
    till = Till()
    pay = till.tool(requires_approval=True)

    async with world([says("", calls("pay", amount=5)), "Done."], pay) as assent:
        turn = await assent.send("agent", "pay", by=owner, ask_when=lambda args, ctx: False)

    assert till.paid == [5]
    assert turn.text == "Done."


# conformance: 11
@pytest.mark.parametrize(
    ("effect", "status"),
    [(Effect.ASK, CallStatus.AWAITING_APPROVAL), (Effect.DENY, CallStatus.DENIED)],
)
async def test_a_per_run_predicate_never_waives_what_a_rule_says(
    world: World, owner: Person, effect: Effect, status: CallStatus
) -> None:
    till = Till()
    rules = [Rule.of(effect, "pay")]

    async with world([says("", calls("pay", amount=5)), "Oh."], till.tool(), rules=rules) as assent:
        turn = await assent.send("agent", "pay", by=owner, ask_when=lambda args, ctx: False)

    assert till.paid == []
    assert [call.status for call in turn.calls] == [status]


# conformance: 12
async def test_an_unknown_tool_is_nobodys_question_and_the_model_learns_which_it_has(
    world: World, owner: Person
) -> None:
    till = Till()
    asked: list[str] = []
    unknown = calls("pay_admin", amount=5)
    model = ScriptedModel([says("", unknown), "Sorry."])

    def hook(subject: Any, args: Arguments, context: Context) -> None:
        asked.append(context.tool)

    async with world(model, till.tool(), manual("sign", description="Sign."), policy=hook) as a:
        turn = await a.send("agent", "pay", by=owner)

    assert till.paid == []
    assert asked == []
    assert turn.pending == ()
    assert turn.text == "Sorry."
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    told = json.loads(outputs(model.prompts[1])[unknown.provider_id])
    assert told == {"error": "There is no tool 'pay_admin'. The tools are: pay, sign."}


# conformance: 13
async def test_an_answer_without_calls_runs_nothing_and_asks_nobody(
    world: World, owner: Person
) -> None:
    till = Till()
    # A provider may say that it stopped for tool calls and send none.
    empty = Answer(text="Hello.", proposals=(), finish=FinishReason.CALLS)
    model = ScriptedModel([empty])

    async with world(model, till.tool(requires_approval=True)) as assent:
        turn = await assent.send("agent", "hi", by=owner)

    assert turn.status is TurnStatus.DONE
    assert turn.text == "Hello."
    assert turn.calls == ()
    assert turn.pending == ()
    assert len(model.prompts) == 1


# conformance: 14
@pytest.mark.parametrize("form", ["typed", "schema"])
async def test_a_predicate_sees_the_defaults_of_the_schema(
    world: World, owner: Person, form: str
) -> None:
    ran: list[object] = []

    def is_dangerous(args: Arguments) -> bool:
        return args["dangerous"]

    if form == "typed":

        @tool(requires_approval=is_dangerous)
        async def clean(dangerous: bool = True) -> str:
            ran.append(dangerous)
            return "clean"
    else:

        async def execute(context: Context, args: dict[str, Any]) -> str:
            ran.append(args)
            return "clean"

        flag = {"type": "boolean", "default": True}
        clean = schema_tool(
            "clean",
            description="Clean.",
            parameters={"type": "object", "properties": {"dangerous": flag}},
            execute=execute,
            requires_approval=is_dangerous,
        )
    async with world([says("", calls("clean", "{}"))], clean) as assent:
        turn = await assent.send("agent", "clean", by=owner)

    assert ran == []
    [call] = turn.calls
    assert call.status is CallStatus.AWAITING_APPROVAL
    assert call.arguments.thaw() == {"dangerous": True}


# conformance: 15
async def test_a_predicate_sees_the_coerced_value(world: World, owner: Person) -> None:
    till, seen = Till(), list[object]()

    def is_much(args: Arguments) -> bool:
        seen.append(args["amount"])
        return args["amount"] > 100

    script = [says("", calls("pay", '{"amount": "500"}'))]
    async with world(script, till.tool(requires_approval=is_much)) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert seen == [500]
    assert type(seen[0]) is int
    assert len(turn.pending) == 1


class Witness:
    """A predicate, a policy hook and a rule that note what they see."""

    def __init__(self) -> None:
        self.saw: list[str] = []

    def wish(self, args: Arguments, context: Context) -> bool:
        self.saw.append("wish")
        return False

    def per_run(self, args: Arguments, context: Context) -> bool:
        self.saw.append("per run")
        return False

    def hook(self, subject: Any, args: Arguments, context: Context) -> None:
        self.saw.append("hook")

    def when(self, args: Arguments, context: Context) -> bool:
        self.saw.append("rule")
        return True

    def preview(self, args: Arguments, context: Context) -> str:
        self.saw.append("preview")
        return "it pays"


# conformance: 16, 20
@pytest.mark.parametrize(
    "raw",
    ['{"amount": "lots"}', "{}", '{"amount": 1, "to": "me"}', '{"amount": ', "[5]", '"5"', "NaN"],
)
async def test_arguments_that_are_not_valid_reach_nobody_but_the_model(
    world: World, owner: Person, raw: str
) -> None:
    till, witness = Till(), Witness()
    bad, good = calls("pay", raw), calls("pay", amount=5)
    model = ScriptedModel([says("", bad), says("", good), "Done."])
    pay = till.tool(requires_approval=witness.wish)

    async with world(model, pay, policy=witness.hook) as assent:
        turn = await assent.send("agent", "pay", by=owner, ask_when=witness.per_run)

    told = json.loads(outputs(model.prompts[1])[bad.provider_id])["error"]
    assert told.startswith(("The arguments for 'pay' are not valid: ", "This JSON cannot be used "))
    assert witness.saw == ["wish", "per run", "hook"]
    assert [call.status for call in turn.calls] == [CallStatus.FAILED, CallStatus.SUCCEEDED]
    assert till.paid == [5]
    assert turn.text == "Done."


# conformance: 16
async def test_a_model_may_retry_invalid_arguments_a_set_number_of_times(
    world: World, owner: Person
) -> None:
    till = Till()
    model = ScriptedModel(lambda prompt: says("", calls("pay", amount=f"no {len(prompt.history)}")))

    async with world(model, till.tool(), limits=Limits(invalid_arguments=2)) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert len(model.prompts) == 3
    assert turn.status is TurnStatus.FAILED
    assert "not valid" in (turn.error or "")
    assert till.paid == []


# conformance: 17
async def test_a_per_run_predicate_sees_normalised_arguments(world: World, owner: Person) -> None:
    seen: list[dict[str, Any]] = []

    @tool
    async def pay(amount: int, currency: str = "EUR") -> str:
        return "paid"

    def ask(args: Arguments, context: Context) -> bool:
        seen.append(dict(args))
        return args["amount"] > 100

    script = [says("", calls("pay", '{"amount": "500"}'))]
    async with world(script, pay) as assent:
        turn = await assent.send("agent", "pay", by=owner, ask_when=ask)

    assert seen == [{"amount": 500, "currency": "EUR"}]
    assert len(turn.pending) == 1


# conformance: 18
async def test_at_the_step_limit_a_gated_call_pauses_without_another_request(
    world: World, owner: Person
) -> None:
    till = Till()
    model = ScriptedModel([says("", calls("pay", amount=5)), "Done."])
    pay = till.tool(requires_approval=True)

    async with world(model, pay, limits=Limits(steps=1)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        thread = await assent.conversation(turn.conversation_id)
        requests_while_paused = len(model.prompts)
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert thread.status == "awaiting_approval"
    assert requests_while_paused == 1
    assert till.paid == [5]
    assert turn.text == "Done."


# conformance: 19
async def test_at_the_step_limit_an_ungated_call_runs_and_one_final_request_is_made(
    world: World, owner: Person
) -> None:
    till = Till()
    call = calls("pay", amount=5)
    model = ScriptedModel([says("", call), "Done."])

    async with world(model, till.tool(), limits=Limits(steps=1)) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert till.paid == [5]
    assert len(model.prompts) == 2
    assert outputs(model.prompts[1]) == {call.provider_id: "paid 5"}
    assert model.prompts[1].tools == ()
    assert turn.text == "Done."


# conformance: 19
async def test_a_model_that_calls_on_after_the_final_request_runs_nothing_more(
    world: World, owner: Person
) -> None:
    till = Till()
    model = ScriptedModel([says("", calls("pay", amount=5)), says("", calls("pay", amount=6))])

    async with world(model, till.tool(), limits=Limits(steps=1)) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert till.paid == [5]
    assert len(model.prompts) == 2
    assert turn.status is TurnStatus.FAILED
    assert "after 1 steps" in (turn.error or "")


# conformance: 20
async def test_a_call_that_is_no_json_does_not_keep_its_siblings_from_running(
    world: World, owner: Person
) -> None:
    till = Till()
    broken, fine = calls("pay", "{amount: 1}"), calls("pay", amount=2)
    model = ScriptedModel([says("", broken, fine), "Done."])

    async with world(model, till.tool()) as assent:
        await assent.send("agent", "pay", by=owner)

    told = outputs(model.prompts[1])
    assert "This JSON cannot be used" in json.loads(told[broken.provider_id])["error"]
    assert told[fine.provider_id] == "paid 2"
    assert till.paid == [2]


# conformance: 21
async def test_a_revision_is_judged_once_whatever_happens_to_it(
    world: World, owner: Person
) -> None:
    till, witness = Till(), Witness()
    pay = till.tool(requires_approval=witness.wish, preview=witness.preview)
    rules = [Rule.of(Effect.ASK, "pay", when=witness.when)]
    once = ["wish", "per run", "hook", "rule", "preview"]
    model = ScriptedModel([says("", calls("pay", amount=5)), "Done."])

    async with world(model, pay, policy=witness.hook, rules=rules) as assent:
        turn = await assent.send("agent", "pay", by=owner, ask_when=witness.per_run)
        assert witness.saw == once
        await assent.turn(turn.id)
        await assent.reconciler.reconcile()
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.text == "Done."
    assert till.paid == [5]
    assert witness.saw == once


# conformance: 21
async def test_an_edit_is_a_new_revision_and_judged_once_more(world: World, owner: Person) -> None:
    till, seen = Till(), list[object]()

    def wish(args: Arguments, context: Context) -> bool:
        seen.append(args["amount"])
        return True

    script = [says("", calls("pay", amount=5)), "Done."]
    async with world(script, till.tool(requires_approval=wish)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await assent.decide(turn.pending[0].id, approve({"amount": 7}), by=owner)
        await assent.wait(turn.id)

    assert seen == [5, 7]
    assert till.paid == [7]


# conformance: 22
async def test_a_gated_call_without_a_store_or_callback_is_an_error_naming_the_tools() -> None:
    till = Till()
    pay = till.tool(requires_approval=True)
    sign = manual("sign", description="Sign.")
    model = ScriptedModel([says("", calls("pay", amount=5), calls("sign"))])

    with pytest.raises(ApprovalUnavailable, match="'pay', 'sign'") as caught:
        await run_once(Agent("agent", model=model, tools=[pay, sign]), "pay")

    assert caught.value.tools == ("pay", "sign")
    assert till.paid == []
    assert len(model.prompts) == 1


# conformance: 22
@pytest.mark.parametrize(("answer", "paid"), [(True, [5]), (False, [])])
async def test_a_confirmation_callback_decides_where_there_is_no_store(
    answer: bool, paid: list[int]
) -> None:
    till, asked = Till(), list[str]()
    model = ScriptedModel([says("", calls("pay", amount=5)), "Done."])
    agent = Agent("agent", model=model, tools=[till.tool(requires_approval=True)])

    async def confirm(call: Any, subject: Any) -> bool:
        asked.append(f"{subject.tool.name} {call.arguments.text}")
        return answer

    assert await run_once(agent, "pay", on_confirmation=confirm) == "Done."
    assert asked == ['pay {"amount":5}']
    assert till.paid == paid


# conformance: 22
@pytest.mark.parametrize("answer", [None, "yes", 1, ValueError("closed")])
async def test_a_callback_that_gives_no_plain_answer_approves_nothing(answer: Any) -> None:
    till = Till()
    model = ScriptedModel([says("", calls("pay", amount=5))])
    agent = Agent("agent", model=model, tools=[till.tool(requires_approval=True)])

    def confirm(call: Any, subject: Any) -> bool:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(ApprovalUnavailable, match="'pay'"):
        await run_once(agent, "pay", on_confirmation=confirm)
    assert till.paid == []


# conformance: 22
async def test_a_run_without_gated_calls_needs_neither_store_nor_callback() -> None:
    till = Till()
    model = ScriptedModel([says("", calls("pay", amount=5)), "Done."])

    assert await run_once(Agent("agent", model=model, tools=[till.tool()]), "pay") == "Done."
    assert till.paid == [5]


# conformance: 22
async def test_a_run_without_a_store_that_fails_says_why() -> None:
    with pytest.raises(TurnFailed, match="no further step"):
        await run_once(Agent("agent", model=ScriptedModel([])), "hi")


# conformance: 22
async def test_approving_everything_has_to_be_said(owner: Person) -> None:
    till = Till()
    model = ScriptedModel([says("", calls("pay", amount=5)), "Done."])
    agent = Agent("agent", model=model, tools=[till.tool(requires_approval=True)])

    assert await run_once(agent, "pay", by=owner, approvals="off") == "Done."
    assert till.paid == [5]


# conformance: 22
async def test_approvals_that_are_off_are_on_record_and_never_waive_a_denial(
    world: World, owner: Person
) -> None:
    till = Till()
    script = [says("", calls("pay", amount=5), calls("pay", amount=666)), "Done."]
    rules = [Rule.of(Effect.DENY, "pay", when=lambda args, ctx: args["amount"] > 100)]
    pay = till.tool(requires_approval=True)

    async with world(script, pay, approvals="off", rules=rules) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        record = await assent.audit()

    [paid, denied] = turn.calls
    assert till.paid == [5]
    assert (paid.cleared_by, paid.approved) == ("approvals:off", True)
    assert denied.status is CallStatus.DENIED
    assert "approvals_off" in [entry.action for entry in record]
    gated = [entry for entry in record if entry.action == "gate" and entry.call_id == paid.id]
    assert [entry.data["by"] for entry in gated] == ["approvals:off"]


# conformance: 9
async def test_a_deployments_override_replaces_the_wish_of_a_tool(
    world: World, owner: Person
) -> None:
    till = Till()
    admin = Person("root", roles=frozenset({"admin"}))

    async with world([says("", calls("pay", amount=5))], till.tool()) as assent:
        await assent.override("pay", Override(requires_approval=True), by=admin)
        turn = await assent.send("agent", "pay", by=owner)

    assert till.paid == []
    assert [request.tool for request in turn.pending] == ["pay"]
