"""What a guarded toolset keeps of PydanticAI, and what it does not let through."""

import asyncio
from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import REQUEST_TIMEOUT
from pydantic import BaseModel
from pydantic_ai import (
    Agent,
    BinaryContent,
    CombinedToolset,
    DeferredToolRequests,
    FunctionToolset,
    ModelRetry,
    RunContext,
    ToolReturn,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from assent import Assent, Field, FieldType, UserInput, allow, answer, approve, deny
from assent.adapters.pydantic_ai import Guarded, GuardedToolset, results, resume, saved
from assent.domain.lifecycle import RequestKind
from assent.engine.settings import Times
from assent.errors import InvalidParameter, Malformed, NothingAwaited
from assent.guard import Guard
from assent.testing import VirtualClock
from tests.adapters.claude_code import soon
from tests.adapters.ledger import Ledger, engine
from tests.adapters.pydantic_ai.shop import paying, shop, told


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


def calling(*steps: list[ToolCallPart]) -> FunctionModel:
    """A model that makes these calls, response by response, and then says that it is done."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        made = sum(isinstance(message, ModelResponse) for message in messages)
        return ModelResponse(parts=list(steps[made]) if made < len(steps) else [TextPart("done")])

    return FunctionModel(respond)


def call(tool: str, id: str = "call_1", /, **arguments: Any) -> ToolCallPart:
    return ToolCallPart(tool, arguments, tool_call_id=id)


def agent_of(model: FunctionModel, guard: Guard, *tools: Any, **options: Any) -> Agent[object, Any]:
    toolset = GuardedToolset(FunctionToolset[object](list(tools)), guard=guard, **options)
    return Agent(model, output_type=[str, DeferredToolRequests], toolsets=[toolset])


async def test_an_allowed_call_runs_at_once(ledger: Ledger, free: Guard):
    result = await shop(ledger, free).run("Pay Bob.")

    assert result.output == "paid 500 to bob"
    assert ledger.entries == ["bob 500"]


async def test_arguments_that_cannot_be_kept_are_told_to_the_model(ledger: Ledger, guard: Guard):
    result = await shop(ledger, guard, ("bob", 2**60)).run("Pay Bob.")

    [part] = told(result.all_messages())
    assert part.outcome == "failed"
    assert "beyond ±(2^53-1) at $['cents']" in result.output
    assert "nobody could be asked" not in result.output
    assert ledger.entries == []


async def test_a_denied_call_is_told_to_the_model(ledger: Ledger, url: str):
    async with engine(url, policy=lambda *_: deny("never to Bob")) as strict:
        result = await shop(ledger, strict.guard_for(agent="shop", by="ana")).run("Pay Bob.")

    [part] = told(result.all_messages())
    assert part.outcome == "failed"
    assert "never to Bob" in result.output
    assert ledger.entries == []


async def test_an_agent_that_lost_its_guard_is_not_resumed(ledger: Ledger, guard: Guard):
    """As in a second process that builds the agent without it: approved or not, it would run."""
    paused = saved(await shop(ledger, guard).run("Pay Bob."))
    plain = FunctionToolset[object]([ledger.pay])
    outputs = [str, DeferredToolRequests]
    for toolset in (plain, plain.prefixed("x"), CombinedToolset([plain])):
        agent = Agent(paying(("bob", 500)), output_type=outputs, toolsets=[toolset])
        with pytest.raises(InvalidParameter, match="agent must be one that is guarded"):
            await resume(agent, guard, paused)
    assert ledger.entries == []


async def test_an_agent_whose_guard_is_given_with_the_run_is_resumed(
    ledger: Ledger, guard: Guard, assent: Assent
):
    plain = FunctionToolset[object]([ledger.pay])
    outputs = [str, DeferredToolRequests]
    agent = Agent(paying(("bob", 500)), output_type=outputs, toolsets=[plain])
    paused = saved(await agent.run("Pay Bob.", capabilities=[Guarded(guard=guard)]))
    await assent.decide((await assent.pending())[0], approve(), by="ana")

    result = await resume(agent, guard, paused, capabilities=[Guarded(guard=guard)])

    assert result.output == "paid 500 to bob"


@pytest.mark.parametrize("paused", [None, 0, {}, "garbage", b""])
async def test_what_is_no_paused_run_is_refused(ledger: Ledger, guard: Guard, paused: Any):
    with pytest.raises((InvalidParameter, Malformed)):
        await resume(shop(ledger, guard), guard, paused)


async def test_a_toolset_that_waits_goes_on_in_the_same_run(
    ledger: Ledger, guard: Guard, assent: Assent
):
    running = asyncio.create_task(shop(ledger, guard, wait=None).run("Pay Bob."))
    [request] = await soon(assent.pending)
    await assent.decide(request, approve(), by="ana")

    assert (await running).output == "paid 500 to bob"


async def test_what_is_decided_runs_while_the_rest_waits(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard, ("bob", 1), ("eve", 2))
    paused = await agent.run("Pay both.")
    by_id = {request.id: request for request in await assent.pending()}
    marks = {id: mark["assent"] for id, mark in paused.output.metadata.items()}
    await assent.decide(by_id[marks["call_2"]["request_id"]], approve(), by="ana")

    paused = await resume(agent, guard, paused)
    assert ledger.entries == ["eve 2"]
    assert [part.tool_call_id for part in paused.output.approvals] == ["call_1"]
    await assent.decide(by_id[marks["call_1"]["request_id"]], approve(), by="ana")
    result = await resume(agent, guard, saved(paused))

    assert ledger.entries == ["eve 2", "bob 1"]
    assert sorted(part.tool_call_id for part in told(result.all_messages())) == ["call_1", "call_2"]


async def test_hundreds_of_calls_in_one_response_wait_and_run_once_each(ledger: Ledger, url: str):
    payments = [(f"p{number}", number) for number in range(300)]
    # All are claimed before the first one runs: on a busy machine that outlasts a short lease.
    async with engine(url, times=Times()) as assent:
        guard = assent.guard_for(agent="shop", by="ana")
        agent = shop(ledger, guard, *payments)
        paused = await agent.run("Pay all.")
        pending = await assent.pending(limit=1_000)
        await assent.decide_all([(request, approve()) for request in pending], by="ana")

        await resume(agent, guard, paused)

    assert sorted(ledger.entries) == sorted(f"{to} {cents}" for to, cents in payments)


async def test_a_history_that_is_run_again_without_results_pays_once(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard)
    paused = await agent.run("Pay Bob.")
    [request] = await assent.pending()
    await assent.decide(request, approve(), by="ana")

    # The framework runs unanswered calls at the end of a history that has no new prompt.
    outcomes = [await agent.run(message_history=paused.all_messages()) for _ in range(2)]

    assert [outcome.output for outcome in outcomes] == ["paid 500 to bob"] * 2
    assert ledger.entries == ["bob 500"]


async def test_a_provider_that_repeats_its_ids_makes_two_calls(ledger: Ledger, free: Guard):
    step = [call("pay", to="bob", cents=1)]
    agent = agent_of(calling(step, step), free, ledger.pay)

    await agent.run("Pay Bob twice.")

    assert ledger.entries == ["bob 1", "bob 1"]


@pytest.mark.parametrize("value", [0, "", {}, [], None, False])
async def test_a_falsy_result_is_a_result(free: Guard, value: Any):
    def count() -> Any:
        return value

    result = await agent_of(calling([call("count")]), free, count).run("Count.")

    [part] = told(result.all_messages())
    assert (part.content, part.outcome) == (value, "success")


class Order(BaseModel):
    item: str
    due: date


async def test_bodies_get_their_own_types(free: Guard):
    got: list[Any] = []

    def order(order: Order) -> date:
        got.append(order)
        return order.due

    def ship(orders: list[Order], on: date) -> None:
        got.extend([*orders, on])

    first = call("order", item="chair", due="2026-11-18")
    second = call("ship", "call_2", orders=[{"item": "desk", "due": "2026-11-19"}], on="2026-12-01")
    result = await agent_of(calling([first], [second]), free, order, ship).run("Order.")

    chair, desk = (
        Order(item="chair", due=date(2026, 11, 18)),
        Order(item="desk", due=date(2026, 11, 19)),
    )
    assert got == [chair, desk, date(2026, 12, 1)]
    assert told(result.all_messages())[0].content == "2026-11-18"


async def test_arguments_that_do_not_fit_are_refused_by_the_framework(
    guard: Guard, assent: Assent, ledger: Ledger
):
    wrong, right = call("pay", to="bob", cents="much"), call("pay", "call_2", to="bob", cents=1)

    result = await agent_of(calling([wrong], [right]), guard, ledger.pay).run("Pay.")

    assert told(result.all_messages())[0].outcome == "retried"
    assert len(await assent.pending()) == 1


async def test_a_body_that_wants_a_retry_gets_one_and_is_on_record(free: Guard):
    tried: list[int] = []

    def flaky(number: int) -> str:
        tried.append(number)
        if number == 0:
            raise ModelRetry("not zero")
        return "fine"

    steps = [call("flaky", number=0)], [call("flaky", "call_2", number=1)]
    result = await agent_of(calling(*steps), free, flaky).run("Go.")

    assert tried == [0, 1]
    assert [part.outcome for part in told(result.all_messages())] == ["retried", "success"]


async def test_an_exception_of_a_body_ends_the_run_as_it_does_unguarded(free: Guard):
    def broken() -> None:
        raise ZeroDivisionError("by zero")

    with pytest.raises(ZeroDivisionError, match="by zero"):
        await agent_of(calling([call("broken")]), free, broken).run("Go.")


async def test_a_body_that_the_framework_cuts_off_is_in_doubt(free: Guard, open_door: Assent):
    toolset = FunctionToolset[object]()

    @toolset.tool_plain(timeout=0.05)
    async def slow() -> None:
        await asyncio.Event().wait()

    agent = Agent(
        calling([call("slow")]),
        output_type=[str, DeferredToolRequests],
        toolsets=[GuardedToolset(toolset, guard=free)],
    )

    result = await agent.run("Go.")

    assert isinstance(result.output, DeferredToolRequests)
    [request] = await open_door.pending()
    assert request.kind is RequestKind.OUTCOME


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(("code", "in_doubt"), [(REQUEST_TIMEOUT, True), (-32602, False)])
async def test_a_server_that_was_called_and_did_not_answer_is_in_doubt(
    free: Guard, open_door: Assent, code: int, in_doubt: bool, grouped: bool
):
    def order() -> None:
        # As the framework's toolset for MCP tells of what its client raised.
        error = MCPError(code, "no")
        raise ModelRetry("no") from ExceptionGroup("", [error]) if grouped else error

    result = await agent_of(calling([call("order")]), free, order).run("Go.")

    assert isinstance(result.output, DeferredToolRequests) is in_doubt
    assert [each.kind for each in await open_door.pending()] == [RequestKind.OUTCOME] * in_doubt


async def test_images_go_to_the_model_and_not_into_the_record(free: Guard):
    image = BinaryContent(b"\x89PNG", media_type="image/png")

    def look() -> BinaryContent:
        return image

    def film() -> ToolReturn[str]:
        return ToolReturn("one frame", content=["here it is", image])

    steps = [call("look")], [call("film", "call_2")]
    result = await agent_of(calling(*steps), free, look, film).run("Look.")

    first, second = told(result.all_messages())
    assert first.files == [image]
    assert second.content == "one frame"


async def test_a_secret_reaches_the_body_and_not_the_model(guard: Guard, assent: Assent):
    got: list[str] = []

    def log_in(user: str, password: str) -> str:
        got.append(password)
        return f"{user} logged in with {password}"

    form = UserInput("Your password?", [Field("password", type=FieldType.SECRET)])
    tools = {"log_in": {"user_input": form, "requires_approval": False}}
    agent = agent_of(calling([call("log_in", user="ana")]), guard, log_in, tools=tools)
    paused = await agent.run("Log in.")
    [request] = await assent.pending()
    await assent.decide(request, answer({"password": "correct horse"}), by="ana")

    result = await resume(agent, guard, paused)

    assert got == ["correct horse"]
    assert b"correct horse" not in result.all_messages_json()


async def test_the_capability_guards_the_tools_of_the_agent_itself(
    guard: Guard, assent: Assent, ledger: Ledger
):
    agent = Agent(
        calling([call("pay", to="bob", cents=5), call("refund", "call_2", cents=1)]),
        output_type=[str, DeferredToolRequests],
        capabilities=[Guarded(guard=guard)],
    )
    agent.tool_plain(ledger.pay)

    @agent.tool(requires_approval=True)
    def refund(ctx: RunContext[object], cents: int) -> str:
        return ledger.pay("ana", cents) if ctx.tool_call_approved else "not approved"

    paused = await agent.run("Pay.")
    pending = await assent.pending()
    assert len(pending) == 2
    await assent.decide_all([(request, approve()) for request in pending], by="ana")
    await resume(agent, guard, paused)

    assert sorted(ledger.entries) == ["ana 1", "bob 5"]


async def test_results_leave_out_what_the_guard_does_not_know(guard: Guard):
    toolset = FunctionToolset[object]()

    @toolset.tool_plain(requires_approval=True)
    def unguarded() -> None: ...

    agent = Agent(
        calling([call("unguarded")]), output_type=[str, DeferredToolRequests], toolsets=[toolset]
    )
    paused = await agent.run("Go.")

    assert isinstance(paused.output, DeferredToolRequests)
    assert (await results(guard, paused.output)).approvals == {}


async def test_a_tool_that_cannot_be_guarded_is_left_out(
    guard: Guard, ledger: Ledger, caplog: pytest.LogCaptureFixture
):
    toolset = FunctionToolset[object]([ledger.pay])
    toolset.add_function(ledger.pay, name="pay.twice")
    offered: list[str] = []

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        offered.extend(tool.name for tool in info.function_tools)
        return ModelResponse(parts=[TextPart("done")])

    await Agent(FunctionModel(respond), toolsets=[GuardedToolset(toolset, guard=guard)]).run("Pay.")

    assert offered == ["pay"]
    assert "pay.twice" in caplog.text


async def test_metadata_for_a_tool_that_is_not_there_is_said(
    guard: Guard, ledger: Ledger, caplog: pytest.LogCaptureFixture
):
    await shop(ledger, guard, tools={"pey": {"risk": "dangerous"}}).run("Pay Bob.")

    assert "'pey'" in caplog.text


async def test_an_expired_question_is_told_as_such(ledger: Ledger, url: str, clock: VirtualClock):
    async with engine(url, clock=clock) as assent:
        guard = assent.guard_for(agent="shop", by="ana")
        agent = shop(ledger, guard, tools={"pay": {"decide_within": 60}})
        paused = await agent.run("Pay Bob.")
        clock.advance(timedelta(seconds=61))

        result = await resume(agent, guard, paused)

    assert told(result.all_messages())[0].outcome == "denied"
    assert ledger.entries == []


async def test_a_finished_run_cannot_be_saved(ledger: Ledger, free: Guard):
    with pytest.raises(NothingAwaited):
        saved(await shop(ledger, free).run("Pay Bob."))


@pytest.mark.parametrize("text", ["", "null", "{}", '{"messages": [], "requests": 3}', "[" * 9_999])
async def test_a_saved_run_that_is_none_is_refused(ledger: Ledger, guard: Guard, text: str):
    with pytest.raises(Malformed, match="Paused run"):
        await resume(shop(ledger, guard), guard, text)
