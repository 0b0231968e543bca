"""The gateway as its clients start it: on stdio and over HTTP, killed, restarted, two on a file."""

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from assent import approve, did_not_run
from assent.app import Assent
from assent.domain.lifecycle import RequestKind
from tests.adapters.ledger import BOTH
from tests.adapters.mcp_gateway.processes import (
    config_in,
    elsewhere,
    gateways,
    listening,
    people,
    started,
)
from tests.adapters.mcp_gateway.stage import ALLOWED, MODES, runs_in, text_of, ticket_in, until

HELLO = {"text": "hello"}
pytestmark = pytest.mark.slow


async def _asked(assent: Assent) -> Any:
    return (await until(assent.pending))[0]


async def _killed() -> None:
    """Kill the gateway without a chance to tidy up."""
    (process,) = gateways()
    process.kill()

    async def gone() -> bool:
        return not gateways()

    await until(gone)


async def _lost(call: "asyncio.Task[Any]") -> None:
    await asyncio.wait({call})
    assert call.cancelled() or call.exception() is not None


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_starts_it_and_a_person_decides_elsewhere(tmp_path: Path, mode: str) -> None:
    config_in(tmp_path, add=ALLOWED)
    async with started(tmp_path, "--no-web", mode=mode) as client:
        assert text_of(await client.call_tool("up__add", {"a": 1, "b": 2})) == "3"
        called = asyncio.create_task(client.call_tool("up__send", HELLO))
        async with people(tmp_path) as assent:
            await assent.decide(await _asked(assent), approve(), by="ana")
        assert text_of(await called) == "sent hello"
    assert not gateways()
    assert len(runs_in(tmp_path)) == 2


@BOTH
async def test_killed_while_a_call_waits_it_is_asked_once_and_runs_once(
    tmp_path: Path, url: str
) -> None:
    config_in(tmp_path)
    own = (tmp_path, "--no-web", "--db", url)
    async with started(*own) as client:
        called = asyncio.create_task(client.call_tool("up__send", HELLO))
        async with people(tmp_path, url) as assent:
            request = await _asked(assent)
        await _killed()
        await _lost(called)
    async with people(tmp_path, url) as assent, started(*own) as client:
        called = asyncio.create_task(client.call_tool("up__send", HELLO))
        assert (await _asked(assent)).id == request.id
        await assent.decide(request, approve(), by="ana")

        assert text_of(await called) == "sent hello"
        assert await assent.pending() == []
    assert runs_in(tmp_path) == ["send {'text': 'hello'}"]


async def test_killed_while_a_call_runs_it_is_in_doubt_and_does_not_run_again(
    tmp_path: Path,
) -> None:
    config_in(tmp_path, hang=ALLOWED)

    async def began() -> list[str]:
        return runs_in(tmp_path)

    async with started(tmp_path, "--no-web") as client:
        called = asyncio.create_task(client.call_tool("up__hang", {}))
        await until(began)
        await _killed()
        await _lost(called)
    # Its lease is not over yet: whoever asks now finds it running, and does not run it.
    async with people(tmp_path) as assent, started(tmp_path, "--no-web", "--wait", "1") as client:
        ticket = ticket_in(await client.call_tool("up__hang", {}))
        assert runs_in(tmp_path) == ["hang {}"]
        await _lease_over(tmp_path, ticket)
        request = await _asked(assent)
        assert request.kind is RequestKind.OUTCOME
        await assent.decide(request, did_not_run(), by="ana")
        result = await client.call_tool("assent_result", {"ticket": ticket})

        assert result.is_error
        assert ticket_in(await client.call_tool("up__hang", {})) != ticket
    assert len(runs_in(tmp_path)) == 2


async def _lease_over(folder: Path, call_id: str) -> None:
    """Let the lease of a claim run out now: a test does not wait for it."""
    import sqlite3

    with sqlite3.connect(folder / "assent.db") as database:
        database.execute("UPDATE calls SET lease_until = 1 WHERE id = ?", [call_id])


async def test_two_gateways_share_a_file(tmp_path: Path) -> None:
    config_in(tmp_path, add=ALLOWED)
    async with (
        started(tmp_path, "--no-web", "--agent", "one") as one,
        started(tmp_path, "--no-web", "--agent", "two") as two,
        people(tmp_path) as assent,
    ):
        for client in (one, two):
            assert text_of(await client.call_tool("up__add", {"a": 1, "b": 2})) == "3"
        calls = [asyncio.create_task(each.call_tool("up__send", HELLO)) for each in (one, two)]

        async def both_asked() -> list[Any]:
            found = await assent.pending()
            return found if len(found) == 2 else []

        for request in await until(both_asked):
            await assent.decide(request, approve(), by="ana")
        assert [text_of(each) for each in await asyncio.gather(*calls)] == ["sent hello"] * 2
    assert len(runs_in(tmp_path)) == 4


@pytest.mark.parametrize("mode", MODES)
async def test_it_serves_clients_over_http(tmp_path: Path, mode: str) -> None:
    config_in(tmp_path, add=ALLOWED)
    async with listening(tmp_path) as url, Client(url, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "up__send" in names
        assert text_of(await client.call_tool("up__add", {"a": 1, "b": 2})) == "3"
        called = asyncio.create_task(client.call_tool("up__send", HELLO))
        async with people(tmp_path) as assent:
            await assent.decide(await _asked(assent), approve(), by="ana")
        assert text_of(await called) == "sent hello"


async def test_the_review_page_is_where_the_ticket_says(tmp_path: Path) -> None:
    config_in(tmp_path)
    async with started(tmp_path, "--wait", "0") as client:
        result = await client.call_tool("up__send", HELLO)
        found = re.search(r"http://127\.0\.0\.1:\d+/requests/\w+", text_of(result))
        assert found is not None
        async with httpx.AsyncClient(trust_env=False) as http:
            # It wants to know who asks: the address alone decides nothing.
            answer = await http.get(found[0])
        assert answer.status_code in (303, 401)
        assert "sign-in" in (answer.headers.get("location", "") + answer.text)


async def test_a_server_elsewhere_rules_on_the_calls(tmp_path: Path) -> None:
    from assent.adapters.mcp.gateway import Gateway
    from assent.client import AsyncClient
    from assent.domain.people import REQUESTER, SYSTEM, Person, Scope
    from tests.adapters.mcp_gateway.serving import served
    from tests.adapters.mcp_gateway.stage import SECRET, server_in

    async with served(tmp_path) as (assent, origin):
        await assent.people.add(Person("ana", roles=frozenset({REQUESTER})), by=SYSTEM)
        _, key = await assent.people.issue_key("ana", by=SYSTEM, scopes=list(Scope))
        server = server_in(tmp_path, tools={"add": ALLOWED})
        async with (
            AsyncClient(origin, key=key, agent="gateway") as guard,
            Gateway(guard, [server], owner="ana", secret=SECRET) as gateway,
            Client(gateway.server) as client,
        ):
            for _ in range(2):
                assert text_of(await client.call_tool("up__add", {"a": 1, "b": 2})) == "3"
            called = asyncio.create_task(client.call_tool("up__send", HELLO))
            await assent.decide(await _asked(assent), approve(), by="ana")
            assert text_of(await called) == "sent hello"
            refused = await client.call_tool("assent_result", {"ticket": "../people"})
            assert "no call" in text_of(refused)
    assert len(runs_in(tmp_path)) == 3


async def test_the_command_works_with_a_server_elsewhere(tmp_path: Path) -> None:
    from assent.domain.people import REQUESTER, SYSTEM, Person, Scope
    from tests.adapters.mcp_gateway.serving import served

    config_in(tmp_path, add=ALLOWED)
    async with served(tmp_path) as (assent, origin):
        await assent.people.add(Person("ana", roles=frozenset({REQUESTER})), by=SYSTEM)
        _, key = await assent.people.issue_key("ana", by=SYSTEM, scopes=list(Scope))
        (tmp_path / "key").write_text(f"{key}\n")
        async with elsewhere(tmp_path, origin) as client:
            assert text_of(await client.call_tool("up__add", {"a": 1, "b": 2})) == "3"
            called = asyncio.create_task(client.call_tool("up__send", HELLO))
            await assent.decide(await _asked(assent), approve(), by="ana")
            assert text_of(await called) == "sent hello"
    assert not gateways()
    assert len(runs_in(tmp_path)) == 2


async def test_without_its_server_elsewhere_nothing_runs(tmp_path: Path) -> None:
    from assent.adapters.mcp.gateway import Gateway
    from assent.client import AsyncClient
    from tests.adapters.mcp_gateway.stage import SECRET, server_in

    server = server_in(tmp_path, tools={"add": ALLOWED})
    async with (
        AsyncClient("http://127.0.0.1:9", key="assent_x_y", agent="gateway") as guard,
        Gateway(guard, [server], owner="ana", secret=SECRET) as gateway,
        Client(gateway.server) as client,
    ):
        result = await client.call_tool("up__add", {"a": 1, "b": 2})

    assert result.is_error
    assert "cannot be used" in text_of(result)
    assert runs_in(tmp_path) == []
