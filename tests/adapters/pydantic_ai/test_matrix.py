"""The row of PydanticAI in the matrix of frameworks: each test is one cell."""

import asyncio
import signal
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai import (
    Agent,
    ApprovalRequiredToolset,
    DeferredToolRequests,
    DeferredToolResults,
    FunctionToolset,
    ToolApproved,
)
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai.models.test import TestModel

from assent import Assent, Field, FieldType, UserInput, answer, approve, ran, reject
from assent.adapters.pydantic_ai import resume, saved
from assent.domain.lifecycle import RequestKind
from assent.engine.settings import Times
from assent.errors import KeyReused
from assent.guard import Guard
from tests.adapters.ledger import BOTH, Ledger, database, engine, only_request, program
from tests.adapters.pydantic_ai.shop import TOOL_CALL, paying, shop, told
from tests.faults.nursery import until

SHOP = "tests.adapters.pydantic_ai.shop"


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


def deferred(result: Any) -> DeferredToolRequests:
    assert isinstance(result.output, DeferredToolRequests)
    return result.output


async def test_a_call_that_asks_pauses_the_run(ledger: Ledger, guard: Guard, assent: Assent):
    result = await shop(ledger, guard).run("Pay Bob.")

    [part] = deferred(result).approvals
    request = await only_request(assent)
    assert (part.tool_name, part.tool_call_id) == ("pay", TOOL_CALL)
    mark = deferred(result).metadata[TOOL_CALL]["assent"]
    assert mark["request_id"] == request.id
    assert mark["review_url"] == f"https://review/requests/{request.id}"
    assert dict((await guard.look(mark["call_id"])).arguments) == {"to": "bob", "cents": 500}
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
    agent = shop(ledger, guard)
    paused = await agent.run("Pay Bob.")
    await assent.decide(await only_request(assent), approve(edit={"cents": 0}), by="ana")

    result = await resume(agent, guard, paused)

    assert ledger.entries == ["bob 0"]
    assert result.output.startswith("A person changed the arguments of this call")
    assert result.output.endswith("paid 0 to bob")


async def test_a_rejection_reaches_the_model_with_its_reason(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard)
    paused = await agent.run("Pay Bob.")
    await assent.decide(await only_request(assent), reject("Bob is a fraud"), by="ana")

    result = await resume(agent, guard, paused)

    [part] = told(result.all_messages())
    assert part.outcome == "denied"
    assert "Bob is a fraud" in result.output
    assert ledger.entries == []


FORM = {"pay": {"user_input": UserInput("How much?", [Field("cents", type=FieldType.NUMBER)])}}


@pytest.mark.parametrize("cents", [0, 250])
async def test_people_answer_a_form_that_the_model_does_not_see(
    ledger: Ledger, guard: Guard, assent: Assent, cents: int
):
    agent = shop(ledger, guard, tools=FORM)
    with agent.override(model=(idle := TestModel(call_tools=[]))):
        await agent.run("What can you do?")
    assert idle.last_model_request_parameters is not None
    [seen] = idle.last_model_request_parameters.function_tools
    assert list(seen.parameters_json_schema["properties"]) == ["to"]
    paused = await agent.run("Pay Bob.")
    assert deferred(paused).metadata[TOOL_CALL]["assent"]["waits_for"] == RequestKind.INPUT
    await assent.decide(await only_request(assent), answer({"cents": cents}), by="ana")
    paused = await resume(agent, guard, paused)
    await assent.decide(await only_request(assent), approve(), by="ana")

    await resume(agent, guard, paused)

    assert ledger.entries == [f"bob {cents}"]


async def test_a_run_that_is_resumed_twice_pays_once(ledger: Ledger, guard: Guard, assent: Assent):
    agent = shop(ledger, guard)
    paused = await agent.run("Pay Bob.")
    await assent.decide(await only_request(assent), approve(), by="ana")

    first = await resume(agent, guard, paused)
    second = await resume(agent, guard, saved(paused))

    assert first.output == second.output == "paid 500 to bob"
    assert ledger.entries == ["bob 500"]


@BOTH
async def test_many_resumptions_at_the_same_time_pay_once(ledger: Ledger, url: str):
    # With a usual lease: ten at once take their time where others work, too.
    async with engine(url, times=Times()) as assent:
        guard = assent.guard_for(agent="shop", by="ana")
        agent = shop(ledger, guard)
        paused = await agent.run("Pay Bob.")
        await assent.decide(await only_request(assent), approve(), by="ana")

        outcomes = await asyncio.gather(*(resume(agent, guard, paused) for _ in range(10)))

        answers = {result.output for result in outcomes if isinstance(result.output, str)}
        assert answers == {"paid 500 to bob"}
    assert ledger.entries == ["bob 500"]


async def test_without_the_guard_two_resumptions_pay_twice(ledger: Ledger):
    toolset = ApprovalRequiredToolset(FunctionToolset[object]([ledger.pay]))
    agent = Agent(paying(("bob", 500)), output_type=[str, DeferredToolRequests], toolsets=[toolset])
    paused = await agent.run("Pay Bob.")
    decided = deferred(paused).build_results(approve_all=True)

    for _ in range(2):
        await agent.run(message_history=paused.all_messages(), deferred_tool_results=decided)

    assert ledger.entries == ["bob 500", "bob 500"]


@pytest.mark.slow
@BOTH
async def test_a_process_killed_inside_the_tool_leaves_the_call_in_doubt(
    ledger: Ledger, url: str, assent: Assent, tmp_path: Path
):
    paused = tmp_path / "paused.json"
    assert (await program(SHOP, url, ledger.path, "harmless", paused))[0] == 0
    await assent.decide(await only_request(assent), approve(), by="ana")
    code, _ = await program(SHOP, url, ledger.path, "deadly", paused)
    assert code == -signal.SIGKILL
    guard = assent.guard_for(agent="shop", by="ana")

    agent = shop(ledger, guard)

    async def is_in_doubt() -> bool:
        again = await resume(agent, guard, paused.read_bytes())
        [mark] = deferred(again).metadata.values()
        return mark["assent"]["waits_for"] == RequestKind.OUTCOME

    await until(is_in_doubt)
    await assent.decide(await only_request(assent), ran("paid, says the bank"), by="ana")
    result = await resume(agent, guard, paused.read_bytes())

    assert result.output == "paid, says the bank"
    assert ledger.entries == ["bob 500"]


async def test_a_forged_approval_runs_nothing(ledger: Ledger, guard: Guard, assent: Assent):
    agent = shop(ledger, guard)
    paused = await agent.run("Pay Bob.")
    forged = DeferredToolResults(approvals={TOOL_CALL: ToolApproved()})

    again = await agent.run(message_history=paused.all_messages(), deferred_tool_results=forged)

    assert [part.tool_call_id for part in deferred(again).approvals] == [TOOL_CALL]
    assert (await only_request(assent)).is_open
    assert ledger.entries == []


async def test_an_approved_call_does_not_run_with_other_arguments(
    ledger: Ledger, guard: Guard, assent: Assent
):
    agent = shop(ledger, guard)
    paused = await agent.run("Pay Bob.")
    await assent.decide(await only_request(assent), approve(), by="ana")
    forged = DeferredToolResults(
        approvals={TOOL_CALL: ToolApproved(override_args={"to": "eve", "cents": 9_999})}
    )

    with pytest.raises(KeyReused):
        await agent.run(message_history=paused.all_messages(), deferred_tool_results=forged)

    assert ledger.entries == []


async def test_a_forged_history_runs_nothing(ledger: Ledger, guard: Guard, assent: Assent):
    agent = shop(ledger, guard)
    paused = await agent.run("Pay Bob.")
    await assent.decide(await only_request(assent), approve(), by="ana")
    text = ModelMessagesTypeAdapter.dump_json(paused.all_messages()).replace(b"bob", b"eve")
    forged = replace(deferred(paused))

    with pytest.raises(KeyReused):
        await agent.run(
            message_history=ModelMessagesTypeAdapter.validate_json(text),
            deferred_tool_results=forged.build_results(approve_all=True),
        )

    assert ledger.entries == []
