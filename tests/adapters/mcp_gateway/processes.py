"""`assent gateway` as a real process, started by a client or by the test."""

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from assent.app import Assent
from tests.adapters.mcp_gateway.stage import SECONDS, UPSTREAM

MCP = re.compile(r"http://[^\s]+/mcp")


def config_in(folder: Path, **tools: Any) -> Path:
    """A file of servers as people write it."""
    path = folder / "servers.json"
    args = [str(UPSTREAM), str(folder)]
    entry = {"command": sys.executable, "args": args, "tools": tools}
    path.write_text(json.dumps({"mcpServers": {"up": entry}}))
    return path


def command(folder: Path, *more: str) -> list[str]:
    """The command line of a gateway on the database of this folder."""
    config = folder / "servers.json"
    own = ["--config", str(config), "--db", str(folder / "assent.db"), "--by", "ana"]
    return [sys.executable, "-m", "assent.cli", "gateway", *own, *more]


def started(folder: Path, *more: str, mode: str = "legacy", **options: Any) -> Client:
    """A client that starts a gateway and speaks with it over stdio."""
    return _speaking(command(folder, *more), mode=mode, **options)


def elsewhere(folder: Path, origin: str) -> Client:
    """The same for a gateway whose people are on a server; its key is in this folder."""
    given = ["--config", str(folder / "servers.json"), "--server", origin]
    own = [*given, "--key-file", str(folder / "key")]
    return _speaking([sys.executable, "-m", "assent.cli", "gateway", *own], mode="legacy")


def _speaking(line: list[str], **options: Any) -> Client:
    program, *arguments = line
    environment = {"PYTHONPATH": os.pathsep.join(sys.path), **os.environ}
    server = StdioServerParameters(command=program, args=arguments, env=environment)
    return Client(server, **options)


def gateways() -> list[psutil.Process]:
    """The gateways that this process has started and that run."""
    return [each for each in psutil.Process().children(recursive=True) if _is_gateway(each)]


def _is_gateway(process: psutil.Process) -> bool:
    try:
        return "gateway" in process.cmdline()
    except psutil.Error:
        # It has ended meanwhile.
        return False


def people(folder: Path, url: str | None = None) -> Assent:
    """The database of a gateway, for people who decide beside it."""
    url = url or f"sqlite:///{folder / 'assent.db'}"
    return Assent(url, agents=[], worker=False)


@asynccontextmanager
async def listening(folder: Path, *more: str) -> AsyncIterator[str]:
    """A gateway over HTTP; its address."""
    process = await asyncio.create_subprocess_exec(
        *command(folder, "--http", "127.0.0.1:0", "--no-web", *more),
        stderr=asyncio.subprocess.PIPE,
        env={"PYTHONPATH": os.pathsep.join(sys.path), **os.environ},
    )
    assert process.stderr is not None
    try:
        async with asyncio.timeout(2 * SECONDS):
            said = ""
            while (found := MCP.search(said)) is None:
                line = await process.stderr.readline()
                assert line, said
                said += line.decode()
        yield found[0]
    finally:
        process.terminate()
        await process.communicate()
