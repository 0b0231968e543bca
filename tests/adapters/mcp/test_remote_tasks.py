"""Tools that can only be called as tasks of 2025-11-25: polled, collected and cancelled."""

import asyncio
from typing import Any

import pytest
from mcp import Client
from mcp_types import ElicitResult

from assent import Agent, Assent, McpServer, Person
from assent.adapters.mcp.connection import McpConnection
from assent.adapters.mcp.gateway import Gateway
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.errors import InvalidOutput, McpRefused
from assent.testing import ScriptedModel, calls, says
from tests.adapters.mcp.conftest import Done, command, eventually, returned, whole
from tests.conftest import QUICK

WORK = {"work": {"requires_approval": False}}


def tasked(how: str, done: Done) -> McpServer:
    return command("tasked.py", how, env={"TASKED_DONE": str(done)}, tools=WORK)


@pytest.mark.parametrize(
    ("how", "said"), [("fine", "all done"), ("plain", "done at once"), ("fails", "all done")]
)
async def test_the_result_of_a_task_is_collected(how: str, said: str, done: Done) -> None:
    async with McpConnection(tasked(how, done)) as connection:
        answer = whole(await connection.call("work", {}, as_task=True))

    assert (returned(answer), answer.is_error) == (said, how == "fails")
    assert done.text == "begun\n"


@pytest.mark.parametrize("how", ["dies", "forgets", "gives_up"])
async def test_a_task_that_is_lost_is_an_unknown_outcome(how: str, done: Done) -> None:
    async with McpConnection(tasked(how, done)) as connection:
        with pytest.raises(OutcomeUnknown):
            await connection.call("work", {}, as_task=True)

    assert done.text == "begun\n"


async def test_a_task_that_failed_says_why(done: Done) -> None:
    async with McpConnection(tasked("breaks", done)) as connection:
        with pytest.raises(McpRefused, match="out of paper"):
            await connection.call("work", {}, as_task=True)


async def test_a_result_that_is_too_large_ran_and_is_not_read(done: Done) -> None:
    async with McpConnection(tasked("huge", done)) as connection:
        with pytest.raises(InvalidOutput, match="more than 8,000,000 bytes"):
            await connection.call("work", {}, as_task=True)


async def test_cancelling_a_call_cancels_its_task(done: Done) -> None:
    async with McpConnection(tasked("hangs", done)) as connection:
        calling = asyncio.create_task(connection.call("work", {}, as_task=True))
        await eventually(lambda: done.text == "begun\nlooked at\n")
        calling.cancel()
        await asyncio.wait({calling})

    assert done.text == "begun\nlooked at\ncancelled\n"


async def test_a_task_that_takes_too_long_is_cancelled(done: Done) -> None:
    async with McpConnection(tasked("hangs", done)) as connection:
        with pytest.raises(OutcomeUnknown, match="timed out"):
            await connection.call("work", {}, within=0.5, as_task=True)

    assert done.text == "begun\nlooked at\ncancelled\n"


async def test_a_task_may_ask_people(done: Done) -> None:
    async def ask(*_: Any) -> ElicitResult:
        return ElicitResult(action="accept", content={"size": 0})

    async with McpConnection(tasked("asks", done), on_elicit=ask) as connection:
        said = returned(await connection.call("work", {}, as_task=True))

    assert said == '{"action": "accept", "content": {"size": 0}}'


async def test_an_agent_has_tools_that_are_tasks(url: str, done: Done, owner: Person) -> None:
    model = ScriptedModel([says("", calls("tasked__work")), "Done."])
    agent = Agent("agent", model=model, mcp=tasked("fine", done))
    async with Assent(url, agents=agent, times=QUICK) as assent:
        turn = await assent.send("agent", "Go.", by=owner)

    assert turn.text == "Done."
    assert "all done" in str(model.prompts[-1])


async def test_a_gateway_has_tools_that_are_tasks(done: Done) -> None:
    async with Assent("sqlite:///:memory:", agents=[]) as assent:
        guard, server = assent.guard_for(agent="gateway", by="ana"), tasked("fine", done)
        async with (
            Gateway(guard, [server], owner="ana", secret=bytes(32)) as gateway,
            Client(gateway.server, mode="legacy") as client,
        ):
            result = await client.call_tool("tasked__work", {})

    assert returned(result) == "all done"
    assert done.text == "begun\n"
