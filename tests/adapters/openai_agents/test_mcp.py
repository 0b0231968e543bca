"""Tools of an MCP server, which the SDK calls: guarded as the agent's own are."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from agents import Agent
from agents.mcp import MCPServerStdio
from agents.testing import function_call

from assent import allow, approve
from assent.adapters.openai_agents import guarded, resume, run
from assent.domain.lifecycle import RequestKind
from assent.errors import CallWaits
from tests.adapters.ledger import Ledger, engine, only_request
from tests.adapters.openai_agents.shop import asking, pay

ROOT = Path(__file__).parents[3]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger")


@asynccontextmanager
async def bank(
    ledger: Ledger, patience: float, says: str = "Pay someone."
) -> AsyncIterator[MCPServerStdio]:
    path = os.pathsep.join(folder for folder in sys.path if folder)
    server = MCPServerStdio(
        params={
            "command": sys.executable,
            "args": ["-m", "tests.adapters.openai_agents.bank_server"],
            "env": {**os.environ, "PYTHONPATH": path, "LEDGER": str(ledger.path), "SAYS": says},
            "cwd": str(ROOT),
        },
        client_session_timeout_seconds=patience,
        cache_tools_list=True,
    )
    async with server:
        yield server


@pytest.mark.slow
async def test_a_tool_of_a_server_waits_for_people_and_runs_once(ledger: Ledger, url: str):
    async with engine(url) as assent, bank(ledger, 60) as server:
        guard = assent.guard_for(agent="shop", by="ana")
        plain = Agent("shop", model=asking(pay()), mcp_servers=[server])
        agent = guarded(plain, guard=guard)
        paused = (await run(agent, "Pay Bob.")).saved()
        assert ledger.entries == []
        await assent.decide(await only_request(assent), approve(edit={"cents": 0}), by="ana")

        first, second = [await resume(agent, paused) for _ in range(2)]

    assert first.final_output.endswith("\npaid 0 to bob")
    assert first.final_output == second.final_output
    assert ledger.entries == ["bob 0"]


@pytest.mark.slow
async def test_a_tool_that_may_run_unasked_asks_once_its_server_has_changed_it(
    ledger: Ledger, url: str
):
    unasked = {"pay": {"requires_approval": False}}
    async with engine(url) as assent:
        guard = assent.guard_for(agent="shop", by="ana")
        for says in ("Pay someone.", "Pay someone, and always me."):
            async with bank(ledger, 60, says) as server:
                plain = Agent("shop", model=asking(pay()), mcp_servers=[server])
                last = await run(guarded(plain, guard=guard, tools=unasked), "Pay Bob.")
        request = await only_request(assent)

    assert last.is_paused
    assert ledger.entries == ["bob 500"]
    assert request.tool == "pay"


@pytest.mark.slow
async def test_a_server_that_was_called_and_does_not_answer_leaves_the_call_in_doubt(
    ledger: Ledger, url: str
):
    call = function_call("pay_and_hang", {"to": "bob", "cents": 5}, call_id="call_1")
    async with engine(url, policy=lambda *_: allow()) as assent, bank(ledger, 60) as server:
        await server.list_tools()
        # Only now: to start the server takes longer than it may hang.
        server.client_session_timeout_seconds = 1
        assert server.session is not None
        server.session._session_read_timeout_seconds = 1
        guard = assent.guard_for(agent="shop", by="ana")
        agent = guarded(Agent("shop", model=asking(call), mcp_servers=[server]), guard=guard)

        with pytest.raises(CallWaits, match="it is unknown how a run of it ended"):
            await run(agent, "Pay Bob.")

        assert (await only_request(assent)).kind is RequestKind.OUTCOME
    assert ledger.entries == ["bob 5"]
