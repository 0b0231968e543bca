"""The OpenAI Agents SDK with a guard on a server, and with one that cannot be reached."""

from pathlib import Path

import pytest

from assent import approve
from assent.adapters.openai_agents import resume, run
from assent.errors import ServerUnreachable
from tests.adapters.ledger import Ledger, engine, only_request
from tests.adapters.openai_agents.shop import asking, pay, shop
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
        agent = shop(ledger, guard, asking(pay()))
        paused = (await run(agent, "Pay Bob.")).saved()
        await assent.decide(await only_request(assent), approve(edit={"cents": 0}), by="ana")

        first, second = [await resume(agent, paused) for _ in range(2)]

    assert first.final_output == second.final_output
    assert first.final_output.endswith("paid 0 to bob")
    assert ledger.entries == ["bob 0"]


async def test_without_a_server_the_run_ends_with_a_clear_error(ledger: Ledger):
    async with nowhere() as guard:
        with pytest.raises(ServerUnreachable):
            await run(shop(ledger, guard, asking(pay())), "Pay Bob.")

    assert ledger.entries == []


async def test_a_paused_run_stays_paused_while_the_server_is_away(ledger: Ledger, url: str):
    assent = engine(url)
    async with served(assent) as guard:
        paused = (await run(shop(ledger, guard, asking(pay())), "Pay Bob.")).saved()
        await assent.decide(await only_request(assent), approve(), by="ana")
        async with nowhere() as away:
            with pytest.raises(ServerUnreachable):
                await resume(shop(ledger, away, asking(pay())), paused)
        assert ledger.entries == []

        result = await resume(shop(ledger, guard, asking(pay())), paused)

    assert result.final_output == "paid 500 to bob"
