"""Real MCP servers for tests: commands on standard streams, and processes on loopback."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.types import CallToolResult

from assent import McpServer
from assent.adapters.mcp.connection import Answer
from assent.adapters.mcp.results import output_of

SERVERS = Path(__file__).parent / "servers"


def command(script: str, *args: str, name: str = "", **said: Any) -> McpServer:
    """A server of ours, on standard streams."""
    return McpServer(
        name or script.removesuffix(".py"),
        command=sys.executable,
        args=[str(SERVERS / script), *args],
        **said,
    )


class Done:
    """A file in which servers write what they did."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def __str__(self) -> str:
        return str(self.path)

    @property
    def text(self) -> str:
        return self.path.read_text()


@pytest.fixture
def done(tmp_path: Path) -> Done:
    return Done(tmp_path / "done.txt")


@pytest.fixture
def shop(done: Done) -> McpServer:
    return command("shop.py", env={"SHOP_DONE": str(done)})


def hostile(fault: str, done: Done | None = None, **said: Any) -> McpServer:
    env = {} if done is None else {"HOSTILE_DONE": str(done)}
    return command("hostile.py", fault, env=env, **said)


async def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something outside this process has happened."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - nothing here is told of it
            await asyncio.sleep(0.02)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Moody:
    """A server whose definitions a test changes."""

    def __init__(self, folder: Path) -> None:
        self.file, self.done = folder / "definitions.json", Done(folder / "moody.txt")
        self.define(send="Sends a note.")

    def define(self, **descriptions: str) -> None:
        tools = [
            {
                "name": name,
                "description": text,
                "inputSchema": {"type": "object", "properties": {"to": {"type": "string"}}},
            }
            for name, text in {"announce": "Says so.", **descriptions}.items()
        ]
        self.file.write_text(json.dumps(tools))

    def server(self, **said: Any) -> McpServer:
        args = [str(SERVERS / "moody.py"), str(self.file), str(self.done)]
        quiet = {"announce": {"requires_approval": False}}
        return McpServer("moody", command=sys.executable, args=args, tools=quiet, **said)


@pytest.fixture
def moody(tmp_path: Path) -> Moody:
    return Moody(tmp_path)


Served = Callable[..., AbstractAsyncContextManager[McpServer]]


@asynccontextmanager
async def served(script: str, *args: str, env: dict[str, str], **said: Any) -> AsyncIterator[Any]:
    """A server of ours behind an address on loopback."""
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(SERVERS / script),
        *args,
        "--port",
        str(port),
        env=env,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        await listening(port)
        name = script.removesuffix(".py")
        yield McpServer(name, url=f"http://127.0.0.1:{port}/mcp", **said), process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def listening(port: int) -> None:
    async with asyncio.timeout(20):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                await writer.wait_closed()
                return


def whole(answer: Answer) -> CallToolResult:
    """The answer of a server that asks nothing back."""
    assert isinstance(answer, CallToolResult)
    return answer


def returned(answer: Answer) -> Any:
    """What a tool returned."""
    return output_of(whole(answer))
