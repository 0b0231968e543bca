"""Real clients from packages: the TypeScript SDK of both versions, the inspector, FastMCP."""

import asyncio
import importlib
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from assent import approve
from tests.adapters.mcp_gateway.processes import command, config_in, people, started
from tests.adapters.mcp_gateway.stage import (
    ALLOWED,
    runs_in,
    staged,
    text_of,
    ticket_in,
    until,
)
from tests.npm.install import installed

NPM = Path(__file__).with_name("npm")
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
SECONDS = 90
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("mcp_clients")]


@pytest.fixture(scope="module")
def npm() -> Path:
    """The packages, installed once."""
    return installed(NPM)


async def _node(npm: Path, *arguments: str) -> list[dict[str, Any]]:
    """What a client says, line by line, as JSON."""
    said = await _printed(npm, *arguments)
    return [json.loads(line) for line in said.splitlines() if line.startswith("{")]


async def _printed(npm: Path, *arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "node",
        # Our scripts are links: what they import is found beside the link.
        "--preserve-symlinks",
        "--preserve-symlinks-main",
        *arguments,
        cwd=npm,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "MCP_INSPECTOR_SECRET_STORE": "memory",
        },
    )
    try:
        async with asyncio.timeout(SECONDS):
            out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, errors.decode()[-2_000:]
    return out.decode()


async def _decided(folder: Path) -> None:
    """A person who approves the first call that they are asked about."""

    async def begun() -> bool:
        return (folder / "assent.db").exists()

    await until(begun)
    async with people(folder) as assent:
        (request,) = await until(assent.pending)
        await assent.decide(request, approve(), by="ana")


@pytest.mark.parametrize("how", ["plain", "task"])
async def test_the_typescript_sdk_of_2025(tmp_path: Path, npm: Path, how: str) -> None:
    config_in(tmp_path)
    person = asyncio.create_task(_decided(tmp_path))

    said = await _node(npm, "clients/sdk1.mjs", how, *command(tmp_path, "--no-web"))

    await person
    assert "up__send" in said[0]["tools"]
    if how == "task":
        assert said[1] == {"created": "working"}
    assert said[-1]["result"]["content"] == [{"type": "text", "text": "sent hello"}]
    assert runs_in(tmp_path) == ["send {'text': 'hello'}"]


async def test_the_typescript_sdk_of_2026_is_shown_the_page(tmp_path: Path, npm: Path) -> None:
    config_in(tmp_path)
    person = asyncio.create_task(_decided(tmp_path))

    said = await _node(npm, "clients/client2.mjs", *command(tmp_path))

    await person
    (shown,) = [each["shown"] for each in said if "shown" in each]
    assert (shown["mode"], "/requests/req_" in shown["url"]) == ("url", True)
    assert said[-1]["result"]["content"] == [{"type": "text", "text": "sent hello"}]
    assert runs_in(tmp_path) == ["send {'text': 'hello'}"]


async def test_the_inspector(tmp_path: Path, npm: Path) -> None:
    config_in(tmp_path, send=ALLOWED)
    program, *arguments = command(tmp_path, "--no-web")
    servers = tmp_path / "inspected.json"
    environment = {"PYTHONPATH": os.pathsep.join(sys.path)}
    entry = {"command": program, "args": arguments, "env": environment}
    servers.write_text(json.dumps({"mcpServers": {"gateway": entry}}))
    own = ("--cli", "--config", str(servers), "--server", "gateway")

    listed = await _printed(npm, INSPECTOR, *own, "--method", "tools/list")
    call = ("--method", "tools/call", "--tool-name", "up__send", "--tool-arg", "text=hi")
    called = await _printed(npm, INSPECTOR, *own, *call)

    assert "up__send" in listed
    assert "sent hi" in called


async def test_fastmcp(tmp_path: Path) -> None:
    if importlib.util.find_spec("fastmcp") is None:
        pytest.skip("fastmcp is not installed: pip install fastmcp")
    # By name: it is not among what development installs.
    fast: Any = importlib.import_module("fastmcp")
    transports: Any = importlib.import_module("fastmcp.client.transports")
    config_in(tmp_path, send=ALLOWED)
    program, *arguments = command(tmp_path, "--no-web")
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), **os.environ}
    transport = transports.StdioTransport(program, arguments, env=environment, keep_alive=False)
    async with fast.Client(transport) as client:
        result = await client.call_tool("up__send", {"text": "hello"})

    assert result.content[0].text == "sent hello"


async def test_a_scripted_agent_follows_the_ticket(tmp_path: Path) -> None:
    """It knows tools only: calls one, is told to ask later, and asks until there is an outcome."""
    config_in(tmp_path)
    async with started(tmp_path, "--no-web", "--wait", "0.2") as client:
        result = await client.call_tool("up__send", {"text": "hello"})
        person = asyncio.create_task(_decided(tmp_path))
        steps = 1
        while result.meta and "assent/ticket" in result.meta:
            ticket = ticket_in(result)
            result = await client.call_tool("assent_result", {"ticket": ticket})
            steps += 1
        await person

    assert text_of(result) == "sent hello"
    assert steps >= 2
    assert runs_in(tmp_path) == ["send {'text': 'hello'}"]


# Tasks of protocol 2025-11-25, where the Python SDK has no client for them.


async def _task(client: Any, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return await client.session._dispatcher.send_raw_request(method, params)


async def test_a_task_is_polled_and_its_result_collected(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        call = {"name": "up__send", "arguments": {"text": "hello"}, "task": {"ttl": 1_000}}
        created = (await _task(client, "tools/call", call))["task"]
        id = {"taskId": created["taskId"]}
        assert (created["status"], created["ttl"]) == ("working", None)
        assert (await _task(client, "tasks/get", id))["status"] == "working"
        collected = asyncio.create_task(_task(client, "tasks/result", id))

        await stage.assent.decide(await stage.asked(), approve(), by="ana")

        result = await collected
        assert result["content"][0]["text"] == "sent hello"
        assert result["_meta"]["io.modelcontextprotocol/related-task"] == id
        assert (await _task(client, "tasks/get", id))["status"] == "completed"
        assert len(stage.runs) == 1


async def test_a_cancelled_task_is_withdrawn(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage, stage.client() as client:
        call = {"name": "up__send", "arguments": {"text": "hello"}, "task": {}}
        created = (await _task(client, "tools/call", call))["task"]
        id = {"taskId": created["taskId"]}

        assert (await _task(client, "tasks/cancel", id))["status"] == "cancelled"

        assert (await stage.assent.pending(), stage.runs) == ([], [])
        with pytest.raises(Exception, match="has ended"):
            await _task(client, "tasks/cancel", id)
        for method in ("tasks/get", "tasks/result", "tasks/cancel"):
            with pytest.raises(Exception, match="not known"):
                await _task(client, method, {"taskId": "call_0"})
