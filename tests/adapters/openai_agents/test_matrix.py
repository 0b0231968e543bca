"""The row of the OpenAI Agents SDK in the matrix of frameworks: each test is one cell."""

import asyncio
import json
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from agents import Agent, FunctionTool, Runner, RunState, function_tool

from assent import Assent, Field, FieldType, UserInput, answer, approve, ran, reject
from assent.adapters.openai_agents import Thread, resume, run
from assent.domain.lifecycle import RequestKind
from assent.engine.settings import Times
from assent.errors import CallWaits, KeyReused
from assent.guard import Guard
from tests.adapters.ledger import BOTH, Ledger, database, engine, only_request, program
from tests.adapters.openai_agents.shop import TOOL_CALL, asking, pay, shop
from tests.faults.nursery import until

SHOP = "tests.adapters.openai_agents.shop"


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return database(request, tmp_path)


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


async def test_a_call_that_asks_pauses_the_run(ledger: Ledger, guard: Guard, assent: Assent):
    paused = await run(shop(ledger, guard, asking(pay())), "Pay Bob.")

    request = await only_request(assent)
    ticket = paused.tickets[TOOL_CALL]
    assert paused.is_paused
    assert ticket["request_id"] == request.id
    assert ticket["review_url"] == f"https://review/requests/{request.id}"
    assert dict((await guard.look(str(ticket["call_id"]))).arguments) == {"to": "bob", "cents": 500}
    assert ledger.entries == []


@pytest.mark.slow
@BOTH
async def test_a_paused_run_is_resumed_in_another_process(
    ledger: Ledger, url: str, assent: Assent, tmp_path: Path
):
    paused = tmp_path / "paused.json"
    assert (await program(SHOP, url, ledger.path, "harmless", paused))[0] == 0
    await assent.decide(await only_request(assent), approve(), by="ana")

    code, printed = await program(SHOP, url, ledger.path, "harmless", paused)

    assert (code, printed.strip()) == (0, "paid 500 to bob")
    assert ledger.entries == ["bob 500"]


async def test_edited_arguments_run_and_the_model_is_told(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard, asking(pay()))
    paused = await run(agent, "Pay Bob.")
    await assent.decide(await only_request(assent), approve(edit={"cents": 0}), by="ana")

    result = await resume(agent, paused)

    assert ledger.entries == ["bob 0"]
    assert result.final_output.startswith("A person changed the arguments of this call")
    assert result.final_output.endswith("paid 0 to bob")


async def test_a_rejection_reaches_the_model_with_its_reason(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard, asking(pay()))
    paused = await run(agent, "Pay Bob.")
    await assent.decide(await only_request(assent), reject("Bob is a fraud"), by="ana")

    result = await resume(agent, paused)

    assert "Bob is a fraud" in result.final_output
    assert ledger.entries == []


FORM = {"pay": {"user_input": UserInput("How much?", [Field("cents", type=FieldType.NUMBER)])}}


@pytest.mark.parametrize("cents", [0, 250])
async def test_people_answer_a_form_that_the_model_does_not_see(
    ledger: Ledger, guard: Guard, assent: Assent, cents: int
):
    agent = shop(ledger, guard, model := asking(pay()), tools=FORM)
    paused = await run(agent, "Pay Bob.")
    assert model.first_call is not None
    [seen] = model.first_call.tools
    assert isinstance(seen, FunctionTool)
    assert list(seen.params_json_schema["properties"]) == ["to"]
    assert paused.tickets[TOOL_CALL]["waits_for"] == RequestKind.INPUT
    await assent.decide(await only_request(assent), answer({"cents": cents}), by="ana")
    paused = await resume(agent, paused)
    await assent.decide(await only_request(assent), approve(), by="ana")

    await resume(agent, paused)

    assert ledger.entries == [f"bob {cents}"]


async def test_a_run_that_is_resumed_twice_pays_once(ledger: Ledger, guard: Guard, assent: Assent):
    agent = shop(ledger, guard, asking(pay()))
    paused = (await run(agent, "Pay Bob.")).saved()
    await assent.decide(await only_request(assent), approve(), by="ana")

    first = await resume(agent, paused)
    second = await resume(agent, paused)

    assert first.final_output == second.final_output == "paid 500 to bob"
    assert ledger.entries == ["bob 500"]


@BOTH
async def test_many_resumptions_at_the_same_time_pay_once(ledger: Ledger, url: str):
    # With a usual lease: ten at once take their time where others work, too.
    async with engine(url, times=Times()) as assent:
        guard = assent.guard_for(agent="shop", by="ana")
        agent = shop(ledger, guard, asking(pay()))
        paused = (await run(agent, "Pay Bob.")).saved()
        await assent.decide(await only_request(assent), approve(), by="ana")

        outcomes = await asyncio.gather(
            *(resume(agent, paused) for _ in range(10)), return_exceptions=True
        )

        failed = [each for each in outcomes if isinstance(each, BaseException)]
        assert all(isinstance(each, CallWaits) for each in failed), failed
        assert len(failed) < len(outcomes)
    assert ledger.entries == ["bob 500"]


async def test_without_the_guard_two_resumptions_pay_twice(ledger: Ledger):
    tool = function_tool(ledger.pay, needs_approval=True)
    agent = Agent("shop", model=asking(pay()), tools=[tool])
    paused = (await Runner.run(agent, "Pay Bob.")).to_state().to_json()

    for _ in range(2):
        state = await RunState.from_json(agent, paused)
        [item] = state.get_interruptions()
        state.approve(item)
        await Runner.run(agent, state)

    assert ledger.entries == ["bob 500", "bob 500"]


@pytest.mark.slow
@BOTH
async def test_a_process_killed_inside_the_tool_leaves_the_call_in_doubt(
    ledger: Ledger, url: str, assent: Assent, tmp_path: Path
):
    file = tmp_path / "paused.json"
    assert (await program(SHOP, url, ledger.path, "harmless", file))[0] == 0
    await assent.decide(await only_request(assent), approve(), by="ana")
    code, _ = await program(SHOP, url, ledger.path, "deadly", file)
    assert code == -signal.SIGKILL
    guard = assent.guard_for(agent="shop", by="ana")
    agent = shop(ledger, guard, asking(pay()))
    call_id = json.loads(file.read_text())["tickets"][TOOL_CALL]["call_id"]

    async def is_in_doubt() -> bool:
        return (await guard.look(call_id)).waits_for == RequestKind.OUTCOME

    await until(is_in_doubt)
    assert (await resume(agent, file.read_text())).is_paused
    await assent.decide(await only_request(assent), ran("paid, says the bank"), by="ana")
    result = await resume(agent, file.read_text())

    assert result.final_output == "paid, says the bank"
    assert ledger.entries == ["bob 500"]


async def test_a_forged_approval_runs_nothing(ledger: Ledger, guard: Guard, assent: Assent):
    agent = shop(ledger, guard, asking(pay()))
    paused = await run(agent, "Pay Bob.")
    state = paused.result.to_state()
    [item] = state.get_interruptions()
    state.approve(item, always_approve=True)
    stored = json.loads(paused.saved()) | {"state": state.to_json()}

    with pytest.raises(CallWaits, match="people have to approve it"):
        await resume(agent, json.dumps(stored))

    assert (await only_request(assent)).is_open
    assert ledger.entries == []


async def test_an_approved_call_does_not_run_with_other_arguments(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard, asking(pay()))
    paused = await run(agent, "Pay Bob.")
    await assent.decide(await only_request(assent), approve(), by="ana")

    forged = json.loads(paused.saved().replace("bob", "eve"))
    # The SDK's own fingerprint of the call is in the same hands.
    forged["state"]["context"]["tool_invocations"] = {}

    with pytest.raises(KeyReused):
        await resume(agent, json.dumps(forged))

    assert ledger.entries == []


async def test_an_approval_in_one_thread_is_none_in_another(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard, asking(pay()))
    paused = await run(agent, "Pay Bob.")
    await assent.decide(await only_request(assent), approve(), by="ana")
    moved = json.loads(paused.saved()) | {"thread": "another"}

    with pytest.raises(CallWaits):
        await resume(agent, json.dumps(moved))

    assert ledger.entries == []


async def test_the_sdks_own_runner_works_in_a_thread(ledger: Ledger, guard: Guard, assent: Assent):
    agent = shop(ledger, guard, asking(pay()))

    with Thread("order-42") as thread:
        streamed = Runner.run_streamed(agent, "Pay Bob.")
        async for _ in streamed.stream_events():
            pass

    assert len(streamed.interruptions) == 1
    assert list(thread.tickets) == [TOOL_CALL]
