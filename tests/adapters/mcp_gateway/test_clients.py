"""Real clients from packages: the TypeScript SDK of both versions, the inspector, FastMCP."""

import asyncio
import importlib.util
import json
import os
import shlex
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from assent import approve
from tests.adapters.anthropic_api import anthropic_api, use
from tests.adapters.claude_code import CLI, Project, needs_claude
from tests.adapters.claude_code import run as claude_run
from tests.adapters.mcp_gateway.processes import command, config_in, listening, people, started
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
GUIDE = (Path(__file__).parents[3] / "docs" / "gateway.md").read_text()
KEY = "of-the-tests-0123456789abcdef"
# What every client is told to start.
_BESIDE = {"command": "assent", "args": ["gateway", "--config", "/home/me/servers.json"]}
# Our scripts are links: what they import is found beside the link.
LINKS = ("--preserve-symlinks", "--preserve-symlinks-main")
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
    return await _run("node", *LINKS, *arguments, cwd=npm)


async def _run(*line: str, cwd: Path, **environment: str) -> str:
    """What a program prints; it has to succeed."""
    async with _started(*line, cwd=cwd, **environment) as process:
        out, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()[-2_000:]
    return out.decode()


@asynccontextmanager
async def _started(
    *line: str, cwd: Path, **environment: str
) -> AsyncGenerator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        *line,
        cwd=cwd,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "MCP_INSPECTOR_SECRET_STORE": "memory",
            **environment,
        },
    )
    try:
        async with asyncio.timeout(SECONDS):
            yield process
    finally:
        if process.returncode is None:
            process.kill()


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
    client = ("node", *LINKS, "clients/client2.mjs", *command(tmp_path))
    async with _started(*client, cwd=npm) as process:
        assert process.stdout is not None
        said = [json.loads(await process.stdout.readline()) for _ in range(2)]
        # Decided sooner, it would not be shown.
        await _decided(tmp_path)
        said.append(json.loads(await process.stdout.readline()))
        await process.communicate()

    shown = said[1]["shown"]
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
    config_in(tmp_path, send=ALLOWED)

    said = await _run(
        sys.executable,
        str(Path(__file__).with_name("fastmcp_client.py")),
        *command(tmp_path, "--no-web"),
        cwd=tmp_path,
    )

    assert said == "sent hello"


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


def _documented(client: str) -> str:
    """What the guide says to type, or to write into a file, for a client."""
    row = next(line for line in GUIDE.splitlines() if line.startswith(f"| {client} |"))
    return next(part for part in row.split("`")[1::2] if "gateway" in part)


def _claude_home(folder: Path) -> dict[str, str]:
    """The environment of somebody who has Claude Code and Assent, and no account."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "claude").symlink_to(CLI)
    (programs / "assent").symlink_to(Path(sys.executable).with_name("assent"))
    return {
        "HOME": str(folder),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "MCP_TIMEOUT": str(SECONDS * 1_000),
    }


@needs_claude
async def test_claude_code_connects_by_the_documented_line(tmp_path: Path) -> None:
    config_in(tmp_path)
    own = _claude_home(tmp_path)

    await _run("sh", "-c", _documented("Claude Code"), cwd=tmp_path, **own)

    assert "Connected" in await _run(str(CLI), "mcp", "get", "assent", cwd=tmp_path, **own)


@needs_claude
@pytest.mark.parametrize(("given", "said"), [(KEY, "Connected"), ("another", "Failed")])
async def test_claude_code_connects_over_http_with_the_key(
    tmp_path: Path, given: str, said: str
) -> None:
    config_in(tmp_path)
    own, key = _claude_home(tmp_path), tmp_path / "key"
    key.write_text(KEY)
    line = next(part for part in GUIDE.split("`") if part.startswith("claude mcp add --transport"))

    async with listening(tmp_path, "--http-key-file", str(key)) as url:
        line = line.replace("http://127.0.0.1:8765/mcp", url).replace("…", given)
        await _run("sh", "-c", line, cwd=tmp_path, **own)
        shown = await _run(str(CLI), "mcp", "get", "assent", cwd=tmp_path, **own)

    assert said in shown


@needs_claude
async def test_a_tool_that_claude_code_calls_waits_for_a_person(tmp_path: Path) -> None:
    config_in(tmp_path)
    project, servers = Project(tmp_path), tmp_path / "claude.json"
    program, *arguments = command(tmp_path, "--no-web")
    entry = {"command": program, "args": arguments}
    servers.write_text(json.dumps({"mcpServers": {"assent": entry}}))
    own = ("--mcp-config", str(servers), "--strict-mcp-config")
    person = asyncio.create_task(_decided(tmp_path))
    script = [[use("mcp__assent__up__send", text="hello")], "done"]

    async with anthropic_api(script) as api:
        said = await claude_run(project, api, *own, "--allowedTools", "mcp__assent")
        told = api.told()

    await person
    assert said["result"] == "done"
    assert "sent hello" in told
    assert runs_in(tmp_path) == ["send {'text': 'hello'}"]


@pytest.mark.parametrize(
    ("client", "key"), [("Claude Desktop", "mcpServers"), ("Zed", "context_servers")]
)
def test_what_the_guide_says_to_write_into_a_file(client: str, key: str) -> None:
    assert json.loads(_documented(client)) == {key: {"assent": _BESIDE}}


async def test_what_the_guide_says_to_give_vs_code_starts_the_gateway(tmp_path: Path) -> None:
    config_in(tmp_path, add=ALLOWED)
    program, option, given = shlex.split(_documented("VS Code"))
    said = json.loads(given)
    assert (program, option, said.pop("name"), said) == ("code", "--add-mcp", "assent", _BESIDE)
    told = [each.replace("/home/me", str(tmp_path)) for each in said["args"]]
    home = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = Path(sys.executable).with_name(said["command"])
    server = StdioServerParameters(command=str(command), args=told, env=home)

    async with Client(server, mode="legacy") as client:
        assert text_of(await client.call_tool("up__add", {"a": 1, "b": 2})) == "3"


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


async def test_where_nobody_is_waited_for_a_result_is_waited_for_beside_others(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path, wait=0) as stage, stage.client() as client:
        call = {"name": "up__send", "arguments": {"text": "hello"}, "task": {}}
        created = (await _task(client, "tools/call", call))["task"]
        asked = await stage.asked()
        collecting = _task(client, "tasks/result", {"taskId": created["taskId"]})
        collected = asyncio.create_task(collecting)
        assert len((await client.list_tools()).tools) > 1

        await stage.assent.decide(asked, approve(), by="ana")

        assert (await collected)["content"][0]["text"] == "sent hello"


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
