"""Conformance D: several calls in one answer, and a pause that loses nothing."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import pytest

from assent import (
    Agent,
    Assent,
    Context,
    Limits,
    Person,
    Tool,
    ToolCall,
    approve,
    hitl,
    manual,
    supply,
    tool,
)
from assent.domain.events import EventKind
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.domain.messages import ModelSaid, Prompt
from assent.domain.tools import Hitl
from assent.errors import Conflict, Paused, PendingCalls
from assent.testing import ScriptedModel, calls, says
from tests.conftest import QUICK, World


class Desk:
    """One tool of each kind; `ran` notes what ran, `answers` are what the HITL hook gives."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.ran: list[str] = []
        self.contexts: list[Context] = []

        @tool
        async def look(at: str) -> str:
            """Look at something."""
            self.ran.append(f"look {at}")
            return f"saw {at}"

        @tool(requires_approval=True)
        async def pay(amount: int) -> str:
            """Pay an amount."""
            self.ran.append(f"pay {amount}")
            return f"paid {amount}"

        self.look, self.pay = look, pay
        self.sign = manual("sign", description="Sign a paper.")
        self.ask = self.hitl()

    def hitl(self, **said: Any) -> Tool:
        async def ask(question: str, context: Context) -> Any:
            """Ask the boss."""
            self.ran.append(f"ask {question}")
            self.contexts.append(context)
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return hitl("ask", output=str, on_tool_called=ask, **said)

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self.look, self.pay, self.sign, self.ask


def outputs(prompt: Prompt) -> dict[str, str]:
    """What a model was told about the calls of its last answer, by the provider's id."""
    said = prompt.history[-1]
    assert isinstance(said, ModelSaid)
    return {output.provider_id: str(output.content) for output in said.outputs}


# conformance: 30
async def test_beside_a_manual_call_the_automatic_one_runs_and_is_kept(
    world: World, owner: Person
) -> None:
    desk = Desk()
    model = ScriptedModel([says("", calls("look", at="it"), calls("sign")), "Done."])

    async with world(model, *desk.tools) as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)

    [looked, signs] = turn.calls
    assert turn.result(looked.id) == "saw it"
    assert [(request.call_id, request.kind) for request in turn.pending] == [
        (signs.id, RequestKind.RESULT)
    ]
    assert thread.status == "awaiting_client_tools"
    assert len(model.prompts) == 1


# conformance: 31
async def test_a_round_of_manual_calls_waits_for_the_caller(world: World, owner: Person) -> None:
    desk = Desk()
    first, second = calls("sign"), calls("sign")
    model = ScriptedModel([says("", first, second), "Done."])

    async with world(model, *desk.tools) as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)
        requests_while_waiting = len(model.prompts)
        for number, request in enumerate(turn.pending):
            await assent.decide(request.id, supply(f"signed {number}"), by=owner)
        turn = await assent.wait(turn.id)

    assert thread.status == "awaiting_client_tools"
    assert [request.call_id for request in thread.pending] == [call.id for call in turn.calls]
    assert requests_while_waiting == 1
    assert outputs(model.prompts[1]) == {
        first.provider_id: "signed 0",
        second.provider_id: "signed 1",
    }
    assert turn.text == "Done."


# conformance: 32
async def test_beside_a_gated_call_the_ungated_one_runs_once_and_its_result_is_held(
    world: World, owner: Person
) -> None:
    desk = Desk()
    model = ScriptedModel([says("", calls("pay", amount=5), calls("look", at="it")), "Done."])

    async with world(model, *desk.tools) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.reconciler.reconcile()
        turn = await assent.wait(turn.id)
        thread = await assent.conversation(turn.conversation_id)

    [pays, looked] = turn.calls
    assert desk.ran == ["look it"]
    assert turn.result(looked.id) == "saw it"
    assert thread.status == "awaiting_approval"
    assert [request.call_id for request in thread.pending] == [pays.id]
    assert len(model.prompts) == 1


# conformance: 33
async def test_a_gated_call_and_a_paused_hitl_call_wait_each_as_its_own_kind(
    world: World, owner: Person
) -> None:
    desk = Desk(None)
    script = [says("", calls("pay", amount=5), calls("ask", question="why")), "Done."]

    async with world(script, *desk.tools) as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)

    [pays, asks] = turn.calls
    assert desk.ran == ["ask why"]
    assert {request.call_id: request.kind for request in turn.pending} == {
        pays.id: RequestKind.APPROVAL,
        asks.id: RequestKind.RESULT,
    }
    assert (pays.status, asks.status) == (CallStatus.AWAITING_APPROVAL, CallStatus.AWAITING_RESULT)
    assert thread.status == "awaiting_approval"


# conformance: 34
async def test_approving_one_of_two_does_not_let_the_turn_go_on(
    world: World, owner: Person
) -> None:
    desk = Desk()
    model = ScriptedModel([says("", calls("pay", amount=5), calls("sign")), "Done."])

    async with world(model, *desk.tools) as assent:
        turn = await assent.send("agent", "go", by=owner)
        by_kind = {request.kind: request for request in turn.pending}
        assert set(by_kind) == {RequestKind.APPROVAL, RequestKind.RESULT}

        await assent.decide(by_kind[RequestKind.APPROVAL].id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        with pytest.raises(Conflict):
            await assent.resume(turn.id, by=owner)
        with pytest.raises(PendingCalls) as refused:
            await assent.send("agent", "go on", by=owner, conversation_id=turn.conversation_id)
        assert desk.ran == ["pay 5"]
        assert turn.status is TurnStatus.WAITING
        assert refused.value.calls == (by_kind[RequestKind.RESULT].call_id,)
        assert len(model.prompts) == 1

        await assent.decide(by_kind[RequestKind.RESULT].id, supply("signed"), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.text == "Done."
    assert sorted(outputs(model.prompts[1]).values()) == ["paid 5", "signed"]
    assert desk.ran == ["pay 5"]


# conformance: 35, 37
async def test_a_hitl_hook_that_answers_settles_the_call_at_once(
    world: World, owner: Person
) -> None:
    desk = Desk("because")
    call = calls("ask", question="why")
    model = ScriptedModel([says("", call), "Done."])

    async with world(model, desk.ask) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert desk.ran == ["ask why"]
    assert len(model.prompts) == 2
    assert outputs(model.prompts[1]) == {call.provider_id: "because"}
    assert turn.text == "Done."
    assert not turn.requires_attention


# conformance: 36, 37
async def test_a_hitl_hook_that_returns_none_leaves_the_call_to_a_person(
    world: World, owner: Person
) -> None:
    desk = Desk(None)
    model = ScriptedModel([says("", calls("ask", question="why")), "Done."])

    async with world(model, desk.ask) as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)

    assert desk.ran == ["ask why"]
    assert len(model.prompts) == 1
    assert thread.status == "awaiting_hitl"
    [request], [call] = turn.pending, turn.calls
    assert (request.call_id, request.kind, request.tool) == (call.id, RequestKind.RESULT, "ask")
    assert turn.requires_attention


# conformance: 38
async def test_a_hitl_hook_that_raises_is_an_error_for_the_model_and_nobody_else(
    world: World, owner: Person
) -> None:
    desk = Desk(RuntimeError("the boss is out"))
    call = calls("ask", question="why")
    model = ScriptedModel([says("", call), "Done."])

    async with world(model, desk.ask) as assent:
        turn = await assent.send("agent", "go", by=owner)

    told = json.loads(outputs(model.prompts[1])[call.provider_id])
    assert told == {"error": "RuntimeError: the boss is out"}
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert turn.text == "Done."


# conformance: 39
async def test_a_hitl_hook_that_breaks_its_output_schema_is_an_error_without_the_value(
    world: World, owner: Person
) -> None:
    desk = Desk({"raw": "value"})
    call = calls("ask", question="why")
    model = ScriptedModel([says("", call), "Done."])

    async with world(model, desk.ask) as assent:
        turn = await assent.send("agent", "go", by=owner)

    told = outputs(model.prompts[1])[call.provider_id]
    assert json.loads(told)["error"].startswith("It ran, but its output could not be kept: ")
    assert "raw" not in told
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]


# conformance: 40
async def test_a_hitl_hook_sees_the_call_it_decides_about(world: World, owner: Person) -> None:
    desk = Desk("because")

    async with world([says("", calls("ask", '{"question": "why"}')), "Done."], desk.ask) as assent:
        turn = await assent.send("agent", "go", by=owner)

    [call], [context] = turn.calls, desk.contexts
    assert context.call == ToolCall(
        type="function_call", call_id=call.id, name="ask", arguments='{"question":"why"}'
    )


# conformance: 40
async def test_after_an_edit_a_hook_sees_the_arguments_that_were_approved(
    world: World, owner: Person
) -> None:
    desk, judged = Desk("because"), list[str]()

    def wish(args: Any, context: Context) -> bool:
        judged.append(context.call.arguments)
        return True

    script = [says("", calls("ask", question="why")), "Done."]
    async with world(script, desk.hitl(requires_approval=wish)) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, approve({"question": "when"}), by=owner)
        await assent.wait(turn.id)

    assert judged == ['{"question":"why"}', '{"question":"when"}']
    assert [context.call.arguments for context in desk.contexts] == ['{"question":"when"}']


@dataclass(frozen=True, slots=True, kw_only=True)
class RicherCall(ToolCall):
    """What another framework knows about a call."""

    trace: str = ""


# conformance: 40
async def test_a_richer_call_that_was_handed_in_takes_precedence(owner: Person) -> None:
    desk = Desk("because")
    richer = RicherCall(call_id="theirs", name="ask", arguments="{}", trace="t1")
    context = Context(
        call_id="ours", conversation_id="c", agent="agent", tool="ask", owner=owner, given=richer
    )

    assert isinstance(desk.ask.kind, Hitl)
    await desk.ask.kind.on_tool_called(context, {"question": "why"})

    assert desk.contexts[0].call is richer


# conformance: 42
async def test_an_ungated_result_is_streamed_and_kept_in_its_turn_and_not_made_again(
    world: World, owner: Person
) -> None:
    desk = Desk()
    model = ScriptedModel([says("", calls("pay", amount=5), calls("look", at="it")), "Done."])

    async with world(model, *desk.tools) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [pays, looked] = turn.calls
        streamed = await _streamed(assent, turn.id, looked.id)
        assert turn.result(looked.id) == "saw it"
        assert pays.output is None
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        whole = [event async for event in assent.events(turn.id)]

    assert streamed == ["saw it"]
    assert desk.ran == ["look it", "pay 5"]
    assert turn.text == "Done."
    results = [event.data["call_id"] for event in whole if event.kind is EventKind.RESULT]
    assert sorted(map(str, results)) == sorted([pays.id, looked.id])


async def _streamed(assent: Assent, turn_id: str, call_id: str) -> list[object]:
    """What the stream of a turn that still waits shows as the result of one call."""
    async with asyncio.timeout(10):
        async for event in assent.events(turn_id):
            if event.kind is EventKind.RESULT and event.data["call_id"] == call_id:
                return [json.loads(str(event.data["output"]))]
    return []


# conformance: 43
async def test_calls_beyond_the_cap_are_not_run_whether_they_ask_or_not(
    world: World, owner: Person
) -> None:
    desk = Desk()
    looks = [calls("look", at=str(number)) for number in range(4)]
    pay = calls("pay", amount=5)
    model = ScriptedModel([says("", pay, *looks), "Done."])

    async with world(model, *desk.tools, limits=Limits(calls_per_answer=3)) as assent:
        turn = await assent.send("agent", "go", by=owner)
        assert sorted(desk.ran) == ["look 0", "look 1"]
        assert [request.tool for request in turn.pending] == ["pay"]
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    told = outputs(model.prompts[1])
    assert told[pay.provider_id] == "paid 5"
    assert [told[look.provider_id] for look in looks[:2]] == ["saw 0", "saw 1"]
    assert json.loads(told[looks[2].provider_id]) == {
        "error": "Not run: this answer made 5 calls, and only the first 3 were taken. "
        "Call again what is still needed."
    }
    assert looks[3].provider_id not in told


# conformance: 43
async def test_calls_beyond_the_parallel_bound_wait_and_then_run(
    world: World, owner: Person
) -> None:
    pair = asyncio.Barrier(2)
    running, peaks, done = 0, list[int](), list[int]()

    @tool
    async def work(number: int) -> int:
        nonlocal running
        running += 1
        peaks.append(running)
        async with asyncio.timeout(10):
            await pair.wait()
        running -= 1
        done.append(number)
        return number

    jobs = [calls("work", number=number) for number in range(6)]
    model = ScriptedModel([says("", *jobs), "Done."])
    async with world(model, work, limits=Limits(parallel=2)) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert max(peaks) == 2
    assert sorted(done) == [0, 1, 2, 3, 4, 5]
    assert list(outputs(model.prompts[1]).values()) == ["0", "1", "2", "3", "4", "5"]
    assert turn.text == "Done."


# conformance: 43
async def test_approved_calls_keep_to_the_parallel_bound_too(world: World, owner: Person) -> None:
    pair = asyncio.Barrier(2)
    running, peaks = 0, list[int]()

    @tool(requires_approval=True)
    async def work(number: int) -> int:
        nonlocal running
        running += 1
        peaks.append(running)
        async with asyncio.timeout(10):
            await pair.wait()
        running -= 1
        return number

    script = [says("", *[calls("work", number=number) for number in range(4)]), "Done."]
    async with world(script, work, limits=Limits(parallel=2)) as assent:
        turn = await assent.send("agent", "go", by=owner)
        ids = [request.id for request in turn.pending]
        await assent.decide_all([(id, approve()) for id in ids], by=owner)
        turn = await assent.wait(turn.id)

    assert max(peaks) == 2
    assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED] * 4


# conformance: 44
async def test_an_agent_that_pauses_inside_a_tool_fails_the_tool_loudly(
    url: str, owner: Person
) -> None:
    desk = Desk()

    @tool
    async def delegate(task: str, context: Context) -> str:
        """Let the other agent do it."""
        return await assent.run("inner", task, by=context.owner)

    call = calls("delegate", task="pay it")
    outer = ScriptedModel([says("", call), "It did not work."])
    inner = ScriptedModel([says("I am about to pay.", calls("pay", amount=5)), "Paid."])
    agents = [
        Agent("outer", model=outer, tools=[delegate]),
        Agent("inner", model=inner, tools=[desk.pay]),
    ]
    async with Assent(url, agents=agents, times=QUICK) as assent:
        turn = await assent.send("outer", "go", by=owner)
        [request] = await assent.pending(person=owner)

    told = json.loads(outputs(outer.prompts[1])[call.provider_id])["error"]
    assert told.startswith(
        "Paused: Agent 'inner' has no answer yet: it paused until people decide about 'pay'"
    )
    assert request.id in told
    assert "about to pay" not in told
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert desk.ran == []


# conformance: 44
async def test_a_run_that_must_answer_raises_what_it_waits_for(world: World, owner: Person) -> None:
    desk = Desk()

    async with world([says("Half.", calls("pay", amount=5))], desk.pay) as assent:
        with pytest.raises(Paused) as paused:
            await assent.run("agent", "pay", by=owner)
        [request] = await assent.pending(person=owner)

    assert paused.value.requests == (request.id,)
    assert paused.value.tools == ("pay",)


# conformance: 46
async def test_a_paused_turn_is_the_same_after_it_was_stored_and_read_again(
    world: World, owner: Person
) -> None:
    desk = Desk(None)
    proposed = (calls("pay", '{"amount": "5"}'), calls("ask", question="wäs\n?"), calls("sign"))

    async with world([says("So.", *proposed)], *desk.tools) as assent:
        sent = await assent.send("agent", "go", by=owner)
        before = await assent.turn(sent.id), await assent.conversation(sent.conversation_id)
    async with world(["Done."], *Desk().tools) as assent:
        after = await assent.turn(sent.id), await assent.conversation(sent.conversation_id)

    turn, thread = after
    assert after == before
    assert thread.status == "awaiting_approval"
    assert sorted(request.tool for request in turn.pending) == ["ask", "pay", "sign"]
    assert [call.arguments.thaw() for call in turn.calls] == [
        {"amount": 5},
        {"question": "wäs\n?"},
        {},
    ]
