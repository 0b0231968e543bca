"""Connections to well-behaved servers, on both transports, and what becomes of lost ones."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assent import McpServer, OutcomeUnknown
from assent.adapters.mcp.connection import McpConnection
from assent.adapters.mcp.results import error_of
from assent.errors import McpUnavailable
from tests.adapters.mcp.conftest import (
    Done,
    command,
    eventually,
    free_port,
    hostile,
    returned,
    served,
    whole,
)
from tests.child_processes import late_with_one_more


@asynccontextmanager
async def shop_on(transport: str, done: Done) -> AsyncIterator[McpServer]:
    env = {"SHOP_DONE": str(done), "PATH": os.environ["PATH"]}
    if transport == "stdio":
        yield command("shop.py", env=env)
    else:
        async with served("shop.py", env=env) as (server, _):
            yield server


transports = pytest.mark.parametrize("transport", ["stdio", "http"])


@transports
async def test_a_server_lists_its_tools_and_answers_calls(transport: str, done: Done) -> None:
    async with shop_on(transport, done) as server, McpConnection(server) as shop:
        listing = await shop.tools()
        ordered = await shop.call("order", {"item": "tea", "count": 0})
        seen = await shop.call("look", {"item": ""})
        shown = await shop.call("picture", {})

    assert "order" in {tool.name for tool in listing.tools}
    assert returned(ordered) == {"result": "ordered 0 tea"}
    assert returned(seen) == {"item": "", "price": 5}
    assert returned(shown)[0]["type"] == "input_image"
    assert done.text == "order tea 0\nlook \n"


async def test_a_name_that_is_denied_and_not_there_is_said(done: Done) -> None:
    env = {"SHOP_DONE": str(done)}
    misspelt = command("shop.py", env=env, allow=["order", "scrap", "lok"], deny=["scarp"])
    async with McpConnection(misspelt) as shop:
        listing = await shop.tools()
    async with McpConnection(command("shop.py", env=env, deny=["scrap"])) as shop:
        well_spelt = await shop.tools()

    assert {tool.name for tool in listing.tools} == {"order", "scrap"}
    assert listing.refused == (
        "allow names 'lok', which the server does not list",
        "deny names 'scarp', which the server does not list",
    )
    assert well_spelt.refused == ()


@transports
async def test_a_tool_that_fails_says_so_itself(transport: str, done: Done) -> None:
    async with shop_on(transport, done) as server, McpConnection(server) as shop:
        failed = whole(await shop.call("break_down", {}))
        unknown = whole(await shop.call("no_such_tool", {}))

    assert failed.is_error
    assert "break_down" in error_of(failed)
    assert unknown.is_error


@transports
async def test_cancelling_a_call_cancels_it_on_the_server(transport: str, done: Done) -> None:
    async with shop_on(transport, done) as server, McpConnection(server) as shop:
        call = asyncio.create_task(shop.call("dawdle", {"seconds": 60}))
        await eventually(lambda: "dawdle begins" in done.text)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await eventually(lambda: "dawdle cancelled" in done.text)
        again = await shop.call("order", {"item": "tea"})

    assert returned(again) == {"result": "ordered 1 tea"}


@transports
async def test_a_call_that_was_sent_and_not_answered_is_unknown(transport: str, done: Done) -> None:
    async with shop_on(transport, done) as server, McpConnection(server) as shop:
        with pytest.raises(OutcomeUnknown, match="its answer is missing"):
            await shop.call("die", {})

    assert done.text == "dies\n"


async def test_a_command_that_died_is_started_again(done: Done, shop: McpServer) -> None:
    changes = 0

    def changed() -> None:
        nonlocal changes
        changes += 1

    async with McpConnection(shop, on_changed=changed) as connection:
        with pytest.raises(OutcomeUnknown):
            await connection.call("die", {})
        await eventually(lambda: connection.is_open)
        again = await connection.call("order", {"item": "tea"})

    assert returned(again) == {"result": "ordered 1 tea"}
    assert changes == 1


async def test_a_server_behind_an_address_is_found_again(done: Done) -> None:
    port = free_port()
    server = McpServer("shop", url=f"http://127.0.0.1:{port}/mcp", connect_within=5)
    async with McpConnection(server) as connection:
        with pytest.raises(McpUnavailable, match=r"cannot be reached.*Nothing was run"):
            await connection.call("order", {"item": "tea"})


async def test_a_server_that_went_away_was_never_sent_the_call(done: Done) -> None:
    env = {"SHOP_DONE": str(done), "PATH": os.environ["PATH"]}
    async with (
        served("shop.py", env=env) as (server, process),
        McpConnection(server) as connection,
    ):
        await connection.call("order", {"item": "tea"})
        process.kill()
        await process.wait()
        with pytest.raises(McpUnavailable, match="cannot be reached"):
            await connection.call("order", {"item": "coffee"})

    assert done.text == "order tea 1\n"


async def test_a_command_gets_no_more_of_our_environment_than_it_is_given(
    shop: McpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    async with McpConnection(shop) as connection:
        said = returned(await connection.call("environment", {}))

    assert "SHOP_DONE" in said["result"]
    assert "ASSENT_KEY" not in said["result"]
    assert "OPENAI_API_KEY" not in said["result"]


async def test_there_is_no_such_command() -> None:
    server = McpServer("gone", command="/no/such/command")
    async with McpConnection(server) as connection:
        with pytest.raises(McpUnavailable, match="there is no command '/no/such/command'"):
            await connection.tools()


def family(pids: Done) -> McpServer:
    """A command that starts another one, and never says anything."""
    script = pids.path.with_name("parent.py")
    script.write_text(
        "import os, subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(600)\n"
    )
    return McpServer("parent", command=sys.executable, args=[str(script)])


async def ended(pids: Done) -> None:
    # A process that was killed is there until the kernel has taken it away.
    await eventually(lambda: not any(_runs(int(pid)) for pid in pids.text.split()))


async def test_closing_ends_the_process_and_all_that_it_started(tmp_path: Path) -> None:
    pids = Done(tmp_path / "pids")
    async with McpConnection(family(pids)):
        await eventually(lambda: len(pids.text.split()) == 2)
    await ended(pids)


async def test_closing_while_the_process_is_being_started_ends_all_that_it_started(
    tmp_path: Path,
) -> None:
    pids = Done(tmp_path / "pids")
    async with McpConnection(family(pids)):
        await late_with_one_more(lambda: len(pids.text.split()) == 2)
    await ended(pids)


async def test_closing_while_a_connection_is_given_up_leaves_no_process(done: Done) -> None:
    async with McpConnection(hostile("silent", done, connect_within=1)):
        await eventually(lambda: done.text != "")
        # It is being ended now, which takes a while: it does not listen.
        await asyncio.sleep(1.2)

    assert not _runs(int(done.text))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False
