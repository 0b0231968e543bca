"""Clients that cancel, servers that die, tools that change, and many of everything."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from assent import approve, did_not_run
from assent.adapters.mcp.gateway import Gateway
from assent.app import Assent
from assent.domain.lifecycle import RequestKind
from assent.domain.mcp_servers import McpServer
from tests.adapters.mcp_gateway.stage import (
    ALLOWED,
    MODES,
    SECRET,
    Stage,
    server_in,
    staged,
    text_of,
    ticket_in,
    until,
)

HELLO = {"text": "hello"}


async def _ran(stage: Stage, what: str) -> list[str]:
    return [line for line in stage.runs if line.startswith(what)]


async def _cancelled(call: "asyncio.Task[Any]") -> None:
    call.cancel()
    await asyncio.wait({call})


@pytest.mark.parametrize("mode", MODES)
async def test_a_cancelled_call_that_has_not_begun_is_withdrawn(tmp_path: Path, mode: str) -> None:
    async with staged(tmp_path, wait=60) as stage, streamed(stage, mode) as client:
        called = asyncio.create_task(client.call_tool("up__send", HELLO))
        request = await stage.asked()

        await _cancelled(called)

        async def closed() -> bool:
            return await stage.assent.pending() == []

        await until(closed)
        assert not (await stage.assent.request(request)).is_open
        assert stage.runs == []


@pytest.mark.parametrize("mode", MODES)
async def test_a_cancelled_call_that_runs_is_cancelled_at_its_server_and_in_doubt(
    tmp_path: Path, mode: str
) -> None:
    async with (
        staged(tmp_path, tools={"hang": ALLOWED}, wait=60) as stage,
        streamed(stage, mode) as client,
    ):
        called = asyncio.create_task(client.call_tool("up__hang", {}))
        await until(lambda: _ran(stage, "hang {"))

        await _cancelled(called)

        request = await stage.asked()
        assert request.kind is RequestKind.OUTCOME
        await until(lambda: _ran(stage, "hang cancelled"))
        # The same call is not made again: it is the one in doubt.
        again = asyncio.create_task(client.call_tool("up__hang", {}))
        await stage.assent.decide(request, did_not_run(), by="ana")
        assert (await again).is_error
        assert len(await _ran(stage, "hang {")) == 1


def streamed(stage: Stage, mode: str) -> Client:
    """A client over real streams of JSON-RPC: within a process there is nothing to cancel."""
    from mcp.client._memory import InMemoryTransport

    class Streams(InMemoryTransport):
        """Both versions of the protocol over the same streams."""

    return Client(Streams(stage.gateway.server), mode=mode)


async def test_a_client_that_is_gone_has_not_cancelled(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        async with stage.client() as client:
            lost = asyncio.create_task(client.call_tool("up__send", HELLO))
            request = await stage.asked()
        await asyncio.wait({lost})
        assert lost.exception() is not None

        async with stage.client() as client:
            again = asyncio.create_task(client.call_tool("up__send", HELLO))
            await stage.assent.decide(request, approve(), by="ana")
            assert text_of(await again) == "sent hello"


async def test_a_server_that_dies_under_a_call_leaves_it_in_doubt(tmp_path: Path) -> None:
    tools = {"die": ALLOWED, "add": ALLOWED}
    async with staged(tmp_path, tools=tools, wait=1) as stage, stage.client() as client:
        result = await client.call_tool("up__die", {})

        assert ticket_in(result)
        assert "may or may not have run" in text_of(result)
        assert (await stage.asked()).kind is RequestKind.OUTCOME
        # It is started again for the next call.
        assert text_of(await client.call_tool("up__add", {"a": 1, "b": 1})) == "2"
        assert len(await _ran(stage, "die")) == 1


async def test_a_server_that_cannot_start_hurts_no_other(tmp_path: Path) -> None:
    servers = [
        McpServer("broken", command=sys.executable, args=["-c", "raise SystemExit(1)"]),
        McpServer("absent", command=str(tmp_path / "nothing")),
        server_in(tmp_path, tools={"add": ALLOWED}),
    ]
    async with Assent(f"sqlite:///{tmp_path}/a.db", agents=[]) as assent:
        guard = assent.guard_for(agent="gateway", by="ana")
        async with (
            Gateway(guard, servers, owner="ana", secret=SECRET) as gateway,
            Client(gateway.server) as client,
        ):
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names[:2] == ["up__send", "up__add"]
            assert text_of(await client.call_tool("up__add", {"a": 1, "b": 2})) == "3"


async def test_a_server_that_died_before_the_call_is_a_clear_failure(tmp_path: Path) -> None:
    stub = tmp_path / "stub.py"
    stub.write_text(
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path; from upstream import Upstream\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "if (folder / 'gone').exists(): raise SystemExit(1)\n"
        "Upstream(folder, 0).serve()\n"
    )
    server = McpServer("up", command=sys.executable, args=[str(stub)], tools={"add": ALLOWED})
    async with Assent(f"sqlite:///{tmp_path}/a.db", agents=[]) as assent:
        guard = assent.guard_for(agent="gateway", by="ana")
        async with (
            Gateway(guard, [server], owner="ana", secret=SECRET, wait=1) as gateway,
            Client(gateway.server) as client,
        ):
            await client.list_tools()
            (tmp_path / "gone").touch()
            ticket_in(await _after_death(client, assent))
            result = await client.call_tool("up__add", {"a": 1, "b": 2})

            assert result.is_error
            assert "cannot be used" in text_of(result)


async def _after_death(client: Client, assent: Assent) -> types.CallToolResult:
    called = asyncio.create_task(client.call_tool("up__die", {}))
    (request,) = await until(assent.pending)
    await assent.decide(request, approve(), by="ana")
    return await called


async def test_a_changed_tool_is_told_and_asked_about_again(tmp_path: Path) -> None:
    heard = asyncio.Event()

    async def message(given: object) -> None:
        if isinstance(given, types.ToolListChangedNotification):
            heard.set()

    async with (
        staged(tmp_path, tools={"change": ALLOWED}) as stage,
        stage.client(message_handler=message) as client,
    ):
        await client.list_tools()
        called = asyncio.create_task(client.call_tool("up__send", HELLO))
        first = await stage.asked()

        await client.call_tool("up__change", {})
        async with asyncio.timeout(20):
            await heard.wait()
        listed = {tool.name: tool for tool in (await client.list_tools(cache_mode="bypass")).tools}
        assert listed["up__send"].description == "Sends money."
        await stage.assent.decide(first, approve(), by="ana")

        # The approval was of the old one: nothing has run, and people are asked again.
        second = await stage.asked()
        assert second.id != first.id
        assert await _ran(stage, "send") == []
        await stage.assent.decide(second, approve(), by="ana")
        assert text_of(await called) == "sent hello"


async def test_a_tool_that_changed_in_silence_is_noticed_before_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Looked at again before every call, as it is after five seconds.
    monkeypatch.setattr("assent.adapters.mcp.gateway.offers.FRESH_SECONDS", -1.0)
    async with staged(tmp_path) as stage, stage.client() as client:
        called = asyncio.create_task(client.call_tool("up__send", HELLO))
        first = await stage.asked()
        (tmp_path / "description").write_text("Sends money.")

        await stage.assent.decide(first, approve(), by="ana")

        second = await stage.asked()
        assert second.id != first.id
        assert stage.runs == []
        await stage.assent.decide(second, approve(), by="ana")
        assert text_of(await called) == "sent hello"


async def test_many_calls_at_once_make_their_server_list_its_tools_a_few_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.adapters.mcp.gateway.offers.FRESH_SECONDS", -1.0)
    async with staged(tmp_path, tools={"add": ALLOWED}) as stage, stage.client() as client:
        given = [{"a": number, "b": 0} for number in range(50)]
        await asyncio.gather(*(client.call_tool("up__add", each) for each in given))

    assert len(stage.runs) == 50
    assert len((tmp_path / "lists").read_text().splitlines()) < 25


async def test_a_listed_tool_keeps_the_words_of_its_author(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}

        send = listed["up__send"]
        assert (send.title, send.description) == ("Send", "Sends a message.")
        assert send.input_schema["required"] == ["text"]
        assert send.annotations is not None
        assert send.annotations.open_world_hint is True
        # A ticket would not fit a schema, and clients refuse what does not.
        assert listed["up__add"].output_schema is None
        assert "assent_result" in listed


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("many", [10, 1_000])
async def test_many_tools_are_all_listed(tmp_path: Path, mode: str, many: int) -> None:
    async with staged(tmp_path, many=many) as stage, stage.client(mode) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}

        assert {f"up__tool_{number}" for number in range(many)} <= names


async def test_a_hundred_calls_at_once_each_run_once(tmp_path: Path) -> None:
    async with staged(tmp_path, wait=60) as stage, stage.client() as client:
        calls = [
            asyncio.create_task(client.call_tool("up__send", {"text": f"{number}"}))
            for number in range(100)
        ]

        async def all_asked() -> list[Any]:
            found = await stage.assent.pending(limit=200)
            return found if len(found) == 100 else []

        requests = await until(all_asked)
        for request in requests:
            await stage.assent.decide(request, approve(), by="ana")

        results = [text_of(each) for each in await asyncio.gather(*calls)]
        assert results == [f"sent {number}" for number in range(100)]
        assert len(set(stage.runs)) == len(stage.runs) == 100


@pytest.mark.parametrize("size", [10, 1_000, 10_000])
async def test_large_arguments_arrive_as_they_were_approved(tmp_path: Path, size: int) -> None:
    text = "ä" * size
    async with staged(tmp_path) as stage, stage.client() as client:
        called = asyncio.create_task(client.call_tool("up__send", {"text": text}))
        await stage.assent.decide(await stage.asked(), approve(), by="ana")

        assert text_of(await called) == f"sent {text}"


@pytest.mark.parametrize(
    "given",
    [{"text": "x" * 1_000_000}, {"text": "x", "n": 2**60}, json.loads("[" * 90 + "]" * 90)],
)
async def test_arguments_that_cannot_be_recorded_are_refused(tmp_path: Path, given: Any) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        sent = given if isinstance(given, dict) else {"text": given}
        result = await client.call_tool("up__send", sent)

        assert result.is_error
        assert (stage.runs, await stage.assent.pending()) == ([], [])
