"""Prompts and resources of the servers behind the gateway, which clients read through it."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp_types import (
    PromptListChangedNotification,
    PromptReference,
    ResourceListChangedNotification,
    ResourceTemplateReference,
    TextContent,
    TextResourceContents,
)

from assent.adapters.mcp.gateway import Gateway
from assent.app import Assent
from assent.domain.mcp_servers import McpServer
from tests.adapters.mcp_gateway.stage import MODES, SECRET

LIBRARY = Path(__file__).with_name("library.py")
NOTE = "file:///note.txt"
both = pytest.mark.parametrize("mode", MODES)


def prompts(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "description": f"Does {name}."} for name in names]


def resources(*uris: str) -> list[dict[str, Any]]:
    return [{"name": uri, "uri": uri} for uri in uris]


def templates(*patterns: str) -> list[dict[str, Any]]:
    return [{"name": pattern, "uriTemplate": pattern} for pattern in patterns]


@asynccontextmanager
async def library(
    folder: Path,
    servers: Mapping[str, Mapping[str, Any]],
    mode: str = "legacy",
    *,
    tools_only: bool = False,
    **more: Any,
) -> AsyncIterator[Client]:
    """A client of a gateway before servers that have these things."""
    behind: list[McpServer] = []
    for name, has in servers.items():
        file = folder / f"{name}.json"
        file.write_text(json.dumps({"name": name, **has}))
        behind.append(McpServer(name, command=sys.executable, args=[str(LIBRARY), str(file)]))
    async with Assent(f"sqlite:///{folder / 'assent.db'}", agents=[]) as assent:
        guard = assent.guard_for(agent="gateway", by="ana")
        gateway = Gateway(guard, behind, owner="ana", secret=SECRET, tools_only=tools_only)
        async with gateway, Client(gateway.server, mode=mode, **more) as client:
            yield client
            # Whatever was read, nobody was asked.
            assert await assent.pending() == []


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.uri == uri
    return content.text


async def prompted(client: Client, name: str, **given: str) -> str:
    (message,) = (await client.get_prompt(name, given)).messages
    assert isinstance(message.content, TextContent)
    return message.content.text


async def listed(client: Client) -> list[str]:
    return [resource.uri for resource in (await client.list_resources()).resources]


@both
async def test_prompts_are_passed_on_under_the_name_of_their_server(
    tmp_path: Path, mode: str
) -> None:
    servers = {"a": {"prompts": prompts("review")}, "b": {"prompts": prompts("review", "x y")}}
    async with library(tmp_path, servers, mode) as client:
        shown = (await client.list_prompts()).prompts
        said = [await prompted(client, prompt.name, text="t") for prompt in shown]

    assert [prompt.name for prompt in shown[:2]] == ["a__review", "b__review"]
    assert shown[2].name.startswith("b__x_y_")
    assert {prompt.description for prompt in shown} == {"Does review.", "Does x y."}
    assert said == [f"{name} {{'text': 't'}}" for name in ("a: review", "b: review", "b: x y")]


async def test_a_prompt_is_found_by_a_client_that_did_not_list_them(tmp_path: Path) -> None:
    async with library(tmp_path, {"a": {"prompts": prompts("review")}}) as client:
        assert await prompted(client, "a__review") == "a: review {}"
        for name in ("review", "b__review", "a__other", "assent_result"):
            with pytest.raises(MCPError, match="Unknown prompt"):
                await client.get_prompt(name)


@both
async def test_a_resource_is_read_from_the_server_that_lists_it(tmp_path: Path, mode: str) -> None:
    servers = {"a": {"resources": resources(NOTE)}, "b": {"resources": resources("memo://1")}}
    async with library(tmp_path, servers, mode) as client:
        # Before any list, too.
        assert await read(client, "memo://1") == "b has it"
        assert await listed(client) == [NOTE, "memo://1"]
        assert await read(client, NOTE) == "a has it"


async def test_a_resource_that_only_a_pattern_names_is_read(tmp_path: Path) -> None:
    servers = {
        "a": {"templates": templates("file:///{+path}")},
        "b": {"templates": templates("user://{id}", "not a {pattern")},
    }
    async with library(tmp_path, servers) as client:
        shown = (await client.list_resource_templates()).resource_templates
        assert await read(client, "file:///a/b") == "a has it"
        assert await read(client, "user://7") == "b has it"
        with pytest.raises(MCPError, match="several servers claim it: a, b"):
            await client.read_resource("other://7")

    patterns = ["file:///{+path}", "user://{id}", "not a {pattern"]
    assert [each.uri_template for each in shown] == patterns


async def test_of_one_server_any_address_is_read(tmp_path: Path) -> None:
    # Such as one that a tool returned as a link.
    async with library(tmp_path, {"a": {}}) as client:
        assert await read(client, "made://up") == "a has it"


async def test_a_server_takes_no_address_of_another(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    thief = {"resources": resources(NOTE), "templates": templates("{+everything}")}
    servers = {"a": {"resources": resources(NOTE, "memo://1")}, "thief": thief}
    async with library(tmp_path, servers) as client:
        # What a server lists is its own, whatever pattern another has.
        assert await read(client, "memo://1") == "a has it"
        assert await listed(client) == ["memo://1"]
        with pytest.raises(MCPError, match="several servers claim it: a, thief"):
            await client.read_resource(NOTE)

    assert "listed by several servers" in caplog.text


async def test_what_a_server_lists_twice_stands_for_neither(tmp_path: Path) -> None:
    has = {"prompts": prompts("one", "two", "two"), "resources": resources(NOTE, NOTE)}
    async with library(tmp_path, {"a": has}) as client:
        assert [each.name for each in (await client.list_prompts()).prompts] == ["a__one"]
        assert await listed(client) == []


async def test_a_server_that_refuses_to_list_hurts_no_other(tmp_path: Path) -> None:
    servers = {
        "a": {"refuses": ["prompts/list", "resources/list", "resources/read"]},
        "b": {"prompts": prompts("review"), "resources": resources(NOTE)},
    }
    async with library(tmp_path, servers) as client:
        assert [each.name for each in (await client.list_prompts()).prompts] == ["b__review"]
        assert await listed(client) == [NOTE]


async def test_a_refusal_is_passed_on(tmp_path: Path) -> None:
    has = {"resources": resources(NOTE), "refuses": ["resources/read"]}
    async with library(tmp_path, {"a": has}) as client:
        with pytest.raises(MCPError, match="out of print") as refused:
            await client.read_resource(NOTE)

    assert refused.value.code == -32099


async def test_what_is_too_large_is_not_read(tmp_path: Path) -> None:
    large = {"name": "large", "uri": "file:///large", "description": "x" * 100_000}
    has = {"resources": [*resources(NOTE), large], "size": 9_000_000}
    async with library(tmp_path, {"a": has}) as client:
        assert await listed(client) == [NOTE]
        with pytest.raises(MCPError, match="more than 8,000,000 bytes"):
            await client.read_resource(NOTE)
        assert await listed(client) == [NOTE]


async def test_arguments_are_completed_by_the_server_they_belong_to(tmp_path: Path) -> None:
    servers = {
        "a": {"prompts": prompts("review")},
        "b": {"templates": templates("user://{id}")},
    }
    async with library(tmp_path, servers) as client:
        half = {"name": "text", "value": "hal"}
        named = await client.complete(PromptReference(name="a__review"), half)
        placed = await client.complete(ResourceTemplateReference(uri="user://{id}"), half)

    assert named.completion.values == ['a: {"type": "ref/prompt", "name": "review"} hal']
    assert placed.completion.values == ['b: {"type": "ref/resource", "uri": "user://{id}"} hal']


async def test_a_client_hears_of_other_prompts_and_not_of_every_word(tmp_path: Path) -> None:
    told: list[object] = []
    heard = asyncio.Event()

    async def message(given: object) -> None:
        if isinstance(given, PromptListChangedNotification | ResourceListChangedNotification):
            told.append(given)
            heard.set()

    has = {"prompts": prompts("grow")}
    async with library(tmp_path, {"a": has}, message_handler=message) as client:
        await client.list_tools()
        await prompted(client, "a__grow")
        async with asyncio.timeout(20):
            await heard.wait()
        listed = [each.name for each in (await client.list_prompts(cache_mode="bypass")).prompts]
        can = client.server_capabilities

    assert listed == ["a__grow", "a__grown"]
    # The server said so a hundred times; and clients hear of a server that has just connected.
    assert len(told) <= 4
    assert can.prompts is not None
    assert can.prompts.list_changed
    assert can.resources is not None
    assert not can.resources.subscribe


async def test_with_tools_only_there_is_nothing_to_read(tmp_path: Path) -> None:
    has = {"prompts": prompts("review"), "resources": resources(NOTE)}
    async with library(tmp_path, {"a": has}, tools_only=True) as client:
        can = client.server_capabilities
        with pytest.raises(MCPError, match="Method not found"):
            await client.read_resource(NOTE)

    assert (can.prompts, can.resources, can.completions) == (None, None, None)
