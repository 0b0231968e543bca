"""Servers that people use, from their packages: filesystem and everything of npm, git and fetch."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import PromptReference

from assent import Agent, Assent, McpServer, Person, approve
from assent.adapters.mcp.connection import McpConnection
from assent.adapters.mcp.gateway import Gateway
from assent.testing import ScriptedModel, calls, says
from tests.adapters.mcp.conftest import free_port, listening, returned, whole
from tests.conftest import QUICK
from tests.npm.install import installed

NPM = Path(__file__).parent / "npm"


def entry(package: str) -> str:
    home = installed(NPM) / "node_modules" / "@modelcontextprotocol"
    return str(home / package / "dist" / "index.js")


def own_program(name: str) -> str:
    return str(Path(sys.executable).parent / name)


@asynccontextmanager
async def everything(transport: str) -> AsyncIterator[McpServer]:
    script = entry("server-everything")
    if transport == "stdio":
        yield McpServer("everything", command="node", args=[script, "stdio"])
        return
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        "node",
        script,
        "streamableHttp",
        env={"PORT": str(port), "PATH": os.environ["PATH"]},
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await listening(port)
        yield McpServer("everything", url=f"http://127.0.0.1:{port}/mcp")
    finally:
        process.kill()
        await process.wait()


@pytest.mark.parametrize("transport", ["stdio", "http"])
async def test_everything(transport: str) -> None:
    async with everything(transport) as server, McpConnection(server) as connection:
        names = {tool.name for tool in (await connection.tools()).tools}
        echo = returned(await connection.call("echo", {"message": ""}))
        total = returned(await connection.call("get-sum", {"a": 0, "b": -1}))
        weather = await connection.call("get-structured-content", {"location": "New York"})
        image: Any = returned(await connection.call("get-tiny-image", {}))
        version = connection.version
        given = {"topic": "tasks", "ambiguous": False}
        research = returned(await connection.call("simulate-research-query", given, as_task=True))

    assert "tasks" in str(research)
    assert names >= {"echo", "get-sum", "get-tiny-image"}
    assert echo == "Echo: "
    assert "-1" in str(total)
    assert set(returned(weather)) == {"temperature", "conditions", "humidity"}
    assert [block["type"] for block in image] == ["input_text", "input_image", "input_text"]
    assert version == "2025-11-25"


async def test_what_everything_has_to_read_is_read_through_a_gateway() -> None:
    async with (
        everything("stdio") as server,
        Assent("sqlite:///:memory:", agents=[]) as assent,
        Gateway(
            assent.guard_for(agent="gateway", by="ana"), [server], owner="ana", secret=bytes(32)
        ) as gateway,
        Client(gateway.server) as client,
    ):
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        prompt = await client.get_prompt("everything__args-prompt", {"city": "Rome"})
        half = {"name": "department", "value": "S"}
        reference = PromptReference(name="everything__completable-prompt")
        completed = await client.complete(reference, half)
        listed = (await client.list_resources()).resources
        texts = [
            str((await client.read_resource(uri)).contents)
            for uri in (listed[0].uri, "demo://resource/dynamic/text/7")
        ]

    assert "everything__simple-prompt" in prompts
    assert "Rome" in str(prompt.messages)
    assert completed.completion.values == ["Sales", "Support"]
    assert "Everything Server" in texts[0]
    assert "Resource 7" in texts[1]


async def test_an_agent_writes_a_file_after_approval_and_reads_it(
    url: str, owner: Person, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    server = McpServer(
        "files", command="node", args=[entry("server-filesystem"), str(folder)], trust=True
    )
    path = str(folder / "note.txt")
    model = ScriptedModel(
        [
            says("", calls("files__write_file", path=path, content="from the model")),
            says("", calls("files__read_text_file", path=path)),
            says("", calls("files__read_text_file", path="/etc/passwd")),
            "Done.",
        ]
    )
    agent = Agent("agent", model=model, mcp=server)
    async with Assent(url, agents=agent, times=QUICK) as assent:
        turn = await assent.send("agent", "Write.", by=owner)
        [request] = turn.pending
        written = (folder / "note.txt").exists()
        await assent.decide(request, approve(edit={"content": "from a person"}), by=owner)
        turn = await assent.wait(turn.id)

    assert not written
    assert turn.text == "Done."
    assert request.risk == "dangerous"
    assert (folder / "note.txt").read_text() == "from a person"
    said = str(model.prompts[-1])
    assert "from a person" in said
    assert "Access denied" in said


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for command in (
        ["init", "-q", "-b", "main"],
        [
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.c",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "One",
        ],
    ):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    return tmp_path


async def test_git(repository: Path) -> None:
    async with McpConnection(McpServer("git", command=own_program("mcp-server-git"))) as git:
        log = returned(await git.call("git_log", {"repo_path": str(repository)}))
        wrong = whole(await git.call("git_log", {"repo_path": "/no/such/folder"}))
        version = git.version

    assert "One" in str(log)
    assert wrong.is_error
    assert version == "2026-07-28"


async def test_fetch() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        body = b"<html><body><main><p>Something to read.</p></main></body></html>"
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(body)}\r\n"
        writer.write(head.encode() + b"connection: close\r\n\r\n" + body)
        writer.close()

    page = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = page.sockets[0].getsockname()[1]
    server = McpServer(
        "fetch",
        command=own_program("mcp-server-fetch"),
        args=["--ignore-robots-txt", "--allow-private-ips"],
    )
    async with page, McpConnection(server) as fetch:
        got = await fetch.call("fetch", {"url": f"http://127.0.0.1:{port}/", "raw": True})

    assert "Something to read." in str(returned(got))
