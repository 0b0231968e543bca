"""PydanticAI with a guard on a server, and with one that cannot be reached."""

from pathlib import Path

import pytest
from pydantic_ai import DeferredToolRequests

from assent import approve
from assent.adapters.pydantic_ai import results, resume, saved
from assent.errors import ServerUnreachable
from tests.adapters.ledger import Ledger, engine, only_request
from tests.adapters.pydantic_ai.shop import shop, told
from tests.adapters.remote import nowhere, served


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger")


async def test_an_agent_elsewhere_pauses_and_resumes_over_http(ledger: Ledger, url: str):
    assent = engine(url)
    async with served(assent) as guard:
        agent = shop(ledger, guard)
        paused = await agent.run("Pay Bob.")
        await assent.decide(await only_request(assent), approve(edit={"cents": 0}), by="ana")

        first, second = [await resume(agent, guard, saved(paused)) for _ in range(2)]

    assert first.output == second.output
    assert first.output.endswith("paid 0 to bob")
    assert ledger.entries == ["bob 0"]


async def test_without_a_server_nothing_runs_and_the_agent_is_told(
    ledger: Ledger, caplog: pytest.LogCaptureFixture
):
    async with nowhere() as guard:
        result = await shop(ledger, guard).run("Pay Bob.")

    [part] = told(result.all_messages())
    assert part.outcome == "failed"
    assert "The tool was not run, because nobody could be asked" in result.output
    assert "ServerUnreachable" in caplog.text
    assert ledger.entries == []


async def test_a_paused_run_stays_paused_while_the_server_is_away(ledger: Ledger, url: str):
    assent = engine(url)
    async with served(assent) as guard:
        paused = await shop(ledger, guard).run("Pay Bob.")
        await assent.decide(await only_request(assent), approve(), by="ana")
        decided = await results(guard, paused.output)
        assert isinstance(paused.output, DeferredToolRequests)
        async with nowhere() as away:
            agent = shop(ledger, away)
            with pytest.raises(ServerUnreachable):
                await resume(agent, away, paused)
            with pytest.raises(ServerUnreachable):
                await agent.run(
                    message_history=paused.all_messages(), deferred_tool_results=decided
                )
        assert ledger.entries == []

        result = await resume(shop(ledger, guard), guard, paused)

    assert result.output == "paid 500 to bob"
