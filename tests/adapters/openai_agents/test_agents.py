"""What a guarded agent keeps of the OpenAI Agents SDK, and what it does not let through."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from agents import (
    Agent,
    CustomTool,
    FunctionTool,
    RunContextWrapper,
    Runner,
    ToolOutputImage,
    WebSearchTool,
    function_tool,
    handoff,
)
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from agents.tool_context import ToolContext

from assent import Assent, Field, FieldType, UserInput, allow, answer, approve, deny
from assent.adapters.openai_agents import GuardedAgent, guarded, resume, run
from assent.domain.lifecycle import RequestKind
from assent.errors import (
    CallWaits,
    InvalidParameter,
    InvalidTool,
    Malformed,
    NothingAwaited,
    ThreadNotNamed,
)
from assent.guard import Guard
from tests.adapters.claude_code import soon
from tests.adapters.ledger import Ledger, engine
from tests.adapters.openai_agents.shop import TOOL_CALL, asking, outputs, pay, pay_tool, shop


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger")


@pytest.fixture
async def assent(url: str) -> AsyncIterator[Assent]:
    async with engine(url) as opened:
        yield opened


@pytest.fixture
def guard(assent: Assent) -> Guard:
    return assent.guard_for(agent="shop", by="ana")


@pytest.fixture
async def open_door(url: str) -> AsyncIterator[Assent]:
    """An engine whose policy lets every call through."""
    async with engine(url, policy=lambda *_: allow()) as opened:
        yield opened


@pytest.fixture
def free(open_door: Assent) -> Guard:
    return open_door.guard_for(agent="shop", by="ana")


def script(*steps: Any) -> ScriptedModel:
    return ScriptedModel([[step] for step in steps])


def agent_of(guard: Guard, model: Any, *tools: Any, **options: Any) -> GuardedAgent:
    return guarded(Agent("shop", model=model, tools=list(tools)), guard=guard, **options)


def call(tool: str, id: str = TOOL_CALL, /, **arguments: Any) -> Any:
    return function_call(tool, arguments, call_id=id)


async def approve_all(assent: Assent) -> int:
    pending = await assent.pending(limit=1_000)
    await assent.decide_all([(request, approve()) for request in pending], by="ana")
    return len(pending)


async def test_an_allowed_call_runs_at_once(ledger: Ledger, free: Guard):
    result = await run(shop(ledger, free, asking(pay())), "Pay Bob.")

    assert result.final_output == "paid 500 to bob"
    assert ledger.entries == ["bob 500"]


async def test_arguments_that_cannot_be_kept_are_told_to_the_model(ledger: Ledger, guard: Guard):
    result = await run(shop(ledger, guard, asking(pay(cents=2**60))), "Pay Bob.")

    assert "beyond ±(2^53-1) at $['cents']" in result.final_output
    assert ledger.entries == []


async def test_a_denied_call_is_told_to_the_model(ledger: Ledger, url: str):
    async with engine(url, policy=lambda *_: deny("never to Bob")) as strict:
        agent = shop(ledger, strict.guard_for(agent="shop", by="ana"), asking(pay()))
        result = await run(agent, "Pay Bob.")

    assert "never to Bob" in result.final_output
    assert ledger.entries == []


async def test_an_agent_that_is_not_guarded_is_not_run(ledger: Ledger, guard: Guard):
    guarded_one = shop(ledger, guard, asking(pay()))
    paused = (await run(guarded_one, "Pay Bob.")).saved()
    plain: Any = Agent("shop", model=asking(pay()), tools=[pay_tool(ledger)])

    with pytest.raises(InvalidParameter, match="agent must be one that guarded"):
        await run(plain, "Pay Bob.")
    with pytest.raises(InvalidParameter, match="agent must be one that guarded"):
        await resume(plain, paused)

    assert ledger.entries == []


async def test_a_tool_that_waits_goes_on_in_the_same_run(
    ledger: Ledger, guard: Guard, assent: Assent
):
    running = asyncio.create_task(run(shop(ledger, guard, asking(pay()), wait=None), "Pay Bob."))
    await soon(assent.pending)
    await approve_all(assent)

    assert (await running).final_output == "paid 500 to bob"


async def test_what_is_decided_runs_while_the_rest_waits(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard, asking(pay("bob", 1, "call_1"), pay("eve", 2, "call_2")))
    paused = await run(agent, "Pay both.")
    await assent.decide(str(paused.tickets["call_2"]["request_id"]), approve(), by="ana")

    paused = await resume(agent, paused)
    assert ledger.entries == ["eve 2"]
    assert list(paused.tickets) == ["call_1"]
    await approve_all(assent)
    result = await resume(agent, paused.saved())

    assert ledger.entries == ["eve 2", "bob 1"]
    assert sorted(result.final_output.split("; ")) == ["paid 1 to bob", "paid 2 to eve"]


async def test_a_hundred_calls_in_one_response_wait_and_run_once_each(
    ledger: Ledger, guard: Guard, assent: Assent
):
    payments = [pay(f"p{number}", number, f"call_{number}") for number in range(100)]
    agent = shop(ledger, guard, asking(*payments))
    paused = await run(agent, "Pay all.")
    assert await approve_all(assent) == 100

    await resume(agent, paused.saved())

    assert sorted(ledger.entries) == sorted(f"p{number} {number}" for number in range(100))


async def test_a_thread_that_is_started_again_repeats_no_call(ledger: Ledger, free: Guard):
    outcomes = [
        await run(shop(ledger, free, asking(pay())), "Pay Bob.", thread="order-42")
        for _ in range(2)
    ]

    assert [outcome.final_output for outcome in outcomes] == ["paid 500 to bob"] * 2
    assert ledger.entries == ["bob 500"]


async def test_two_runs_with_the_same_ids_are_two_payments(ledger: Ledger, free: Guard):
    for _ in range(2):
        await run(shop(ledger, free, asking(pay())), "Pay Bob.")

    assert ledger.entries == ["bob 500", "bob 500"]


async def test_a_run_without_a_thread_runs_nothing(ledger: Ledger, free: Guard):
    with pytest.raises(Exception, match="no thread") as caught:
        await Runner.run(shop(ledger, free, asking(pay())), "Pay Bob.")

    assert isinstance(caught.value.__cause__ or caught.value, ThreadNotNamed)
    assert ledger.entries == []


@pytest.mark.parametrize("value", [0, "", {}, [], None, False])
async def test_a_falsy_result_is_a_result(free: Guard, value: Any):
    def count() -> Any:
        return value

    model = ScriptedModel([[call("count")], [assistant_message("done")]])
    await run(agent_of(free, model, function_tool(count)), "Count.")

    assert model.last_call is not None
    [told] = outputs(model.last_call)
    assert told == (value if isinstance(value, str) else json.dumps(value))


@pytest.mark.parametrize("text", ["{", "[1]", "null", '"pay"', ""])
async def test_arguments_that_are_no_object_are_refused(
    ledger: Ledger, guard: Guard, assent: Assent, text: str
):
    agent = shop(ledger, guard, asking(function_call("pay", text, call_id=TOOL_CALL)))
    result = await run(agent, "Pay Bob.")
    # The SDK pauses for what it cannot read, and asks nobody.
    if result.is_paused:
        result = await resume(agent, result.saved())

    assert "JSON object" in result.final_output or "not valid" in result.final_output
    assert await assent.pending() == []
    assert ledger.entries == []


async def test_a_body_that_fails_is_told_by_the_tools_own_policy_and_is_on_record(
    free: Guard, open_door: Assent
):
    def broken() -> None:
        raise ZeroDivisionError("by zero")

    seen: list[str] = []

    def shown(ctx: RunContextWrapper[Any], error: Exception) -> str:
        seen.append(type(error).__name__)
        return "It did not work."

    tool = function_tool(broken, failure_error_function=shown)
    first = await run(agent_of(free, asking(call("broken")), tool), "Go.", thread="t")
    again = await run(agent_of(free, asking(call("broken")), tool), "Go.", thread="t")

    assert first.final_output == "It did not work."
    assert "ZeroDivisionError" in again.final_output, "the record says that it failed"
    assert seen == ["ZeroDivisionError"]


async def test_a_body_that_may_end_the_run_ends_it(free: Guard):
    def broken() -> None:
        raise ZeroDivisionError("by zero")

    tool = function_tool(broken, failure_error_function=None)

    with pytest.raises(Exception, match="by zero"):
        await run(agent_of(free, asking(call("broken")), tool), "Go.")


async def test_a_body_that_the_sdk_cuts_off_is_in_doubt(free: Guard, open_door: Assent):
    async def slow() -> None:
        await asyncio.Event().wait()

    tool = function_tool(slow, timeout=0.05)
    await run(agent_of(free, asking(call("slow")), tool), "Go.")

    [request] = await open_door.pending()
    assert request.kind is RequestKind.OUTCOME


async def test_a_body_finds_the_approved_arguments_in_its_context(guard: Guard, assent: Assent):
    seen: list[str] = []

    def look(ctx: ToolContext[Any], number: int) -> int:
        assert ctx.tool_call is not None
        seen.extend([ctx.tool_arguments, ctx.tool_call.arguments])
        return number

    agent = agent_of(guard, asking(call("look", number=1)), function_tool(look))
    paused = await run(agent, "Look.")
    [request] = await assent.pending()
    await assent.decide(request, approve(edit={"number": 2}), by="ana")
    await resume(agent, paused)

    assert seen == ['{"number":2}'] * 2


async def test_images_go_to_the_model_and_not_into_the_record(free: Guard):
    image = ToolOutputImage(image_url="data:image/png;base64,iVBORw0KGgo=")

    def look() -> ToolOutputImage:
        return image

    model = ScriptedModel([[call("look")], [assistant_message("done")]])
    await run(agent_of(free, model, function_tool(look)), "Look.")

    assert model.last_call is not None
    assert str(image.image_url) in json.dumps(outputs(model.last_call))


async def test_a_secret_reaches_the_body_and_not_the_model(guard: Guard, assent: Assent):
    got: list[str] = []

    def log_in(user: str, password: str) -> str:
        got.append(password)
        return f"{user} logged in with {password}"

    form = UserInput("Your password?", [Field("password", type=FieldType.SECRET)])
    tools = {"log_in": {"user_input": form, "requires_approval": False}}
    model = asking(call("log_in", user="ana"))
    agent = agent_of(guard, model, function_tool(log_in), tools=tools)
    paused = await run(agent, "Log in.")
    [request] = await assent.pending()
    await assent.decide(request, answer({"password": "correct horse"}), by="ana")

    result = await resume(agent, paused.saved())

    assert got == ["correct horse"]
    assert "correct horse" not in result.final_output


@pytest.mark.parametrize("wrapped", [False, True], ids=["agent", "handoff()"])
async def test_an_agent_that_is_handed_the_conversation_is_guarded(
    ledger: Ledger, guard: Guard, assent: Assent, wrapped: bool
):
    clerk = Agent("clerk", model=asking_after_handoff(), tools=[pay_tool(ledger)])
    desk = Agent(
        "desk",
        model=script(function_call("transfer_to_clerk", {}, call_id="h")),
        handoffs=[handoff(clerk) if wrapped else clerk],
    )
    # They may hand off in circles.
    clerk.handoffs = [desk]
    agent = guarded(desk, guard=guard)

    paused = await run(agent, "Pay Bob.")
    assert ledger.entries == []
    assert await approve_all(assent) == 1
    result = await resume(agent, paused.saved())

    assert "paid 500 to bob" in result.final_output
    assert ledger.entries == ["bob 500"]


def asking_after_handoff() -> ScriptedModel:
    def respond(call: Any) -> Any:
        paid = [said for said in outputs(call) if "paid" in said]
        return [assistant_message("; ".join(paid))] if paid else [pay()]

    return ScriptedModel([ModelStep.respond(respond) for _ in range(5)])


async def test_an_agent_inside_a_tool_is_guarded(ledger: Ledger, guard: Guard, assent: Assent):
    clerk = shop(ledger, guard, asking(pay()))
    desk = agent_of(
        guard, asking(call("ask_clerk", "outer", input="pay")), clerk.as_tool("ask_clerk", "Ask.")
    )

    paused = await run(desk, "Pay Bob.")
    assert paused.is_paused
    assert await approve_all(assent) == 1
    first = await resume(desk, saved := paused.saved())
    second = await resume(desk, saved)

    assert first.final_output == second.final_output == "paid 500 to bob"
    assert ledger.entries == ["bob 500"]


async def test_an_unguarded_agent_inside_a_tool_is_refused(ledger: Ledger, guard: Guard):
    clerk = Agent("clerk", model=asking(pay()), tools=[pay_tool(ledger)])

    with pytest.raises(InvalidTool, match="would run unasked"):
        agent_of(guard, asking(), clerk.as_tool("ask_clerk", "Ask."))


async def test_an_unguarded_agent_that_is_added_later_does_not_run(ledger: Ledger, free: Guard):
    clerk = Agent("clerk", model=asking(pay()), tools=[pay_tool(ledger)])
    desk = agent_of(free, asking(call("ask_clerk", "outer", input="pay")))
    desk.tools.append(clerk.as_tool("ask_clerk", "Ask."))

    with pytest.raises(InvalidTool, match="would run unasked"):
        await run(desk, "Pay Bob.")

    assert ledger.entries == []


def test_tools_that_are_no_functions_are_refused_unless_named(guard: Guard):
    async def invoke(*_: Any) -> str:
        return "ran"

    for tool in (WebSearchTool(), CustomTool(name="raw", description="", on_invoke_tool=invoke)):
        with pytest.raises(InvalidTool, match="does not run as a function"):
            agent_of(guard, asking(), tool)
        agent_of(guard, asking(), tool, unguarded=[tool.name])


def test_only_plain_agents_are_guarded(guard: Guard):
    class Special(Agent[None]):
        pass

    with pytest.raises(InvalidParameter, match="not known what they run"):
        guarded(Special("special"), guard=guard)


async def test_the_original_agent_stays_as_it_is(ledger: Ledger, guard: Guard):
    plain = Agent("shop", model=asking(pay()), tools=[pay_tool(ledger)])
    guarded(plain, guard=guard)

    [tool] = plain.tools
    assert isinstance(tool, FunctionTool)
    assert tool.needs_approval is False


async def test_a_call_that_another_process_runs_is_not_run_here(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard, asking(pay()))
    paused = await run(agent, "Pay Bob.")
    await approve_all(assent)
    claim = await guard.claim(str(paused.tickets[TOOL_CALL]["call_id"]))

    assert (await resume(agent, paused)).is_paused
    forged = paused.result.to_state()
    forged.approve(forged.get_interruptions()[0])
    stored = json.loads(paused.saved()) | {"state": forged.to_json()}
    with pytest.raises(CallWaits, match="another caller runs it now"):
        await resume(agent, json.dumps(stored))

    assert claim.arguments == {"to": "bob", "cents": 500}
    assert ledger.entries == []


async def test_a_finished_run_cannot_be_saved(ledger: Ledger, free: Guard):
    with pytest.raises(NothingAwaited):
        (await run(shop(ledger, free, asking(pay())), "Pay Bob.")).saved()


@pytest.mark.parametrize("text", ["", "null", "{}", '{"thread": 1}', "[" * 9_999])
async def test_a_saved_run_that_is_none_is_refused(ledger: Ledger, guard: Guard, text: str):
    with pytest.raises(Malformed, match="Paused run"):
        await resume(shop(ledger, guard, asking(pay())), text)
