"""What the gateway adds to a call that policy allows, on stdio, beside a direct call."""

import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psutil
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from assent import Assent
from assent.domain.definitions import external
from assent.guard import Guard

WARM = 20
TOOL = external("echo", requires_approval=False)
UPSTREAM = """
import json, sys
for line in sys.stdin:
    got = json.loads(line)
    if "id" not in got:
        continue
    say = {"jsonrpc": "2.0", "id": got["id"]}
    if got["method"] == "initialize":
        info = {"name": "bench", "version": "1"}
        can = {"tools": {}}
        said = {"protocolVersion": "2025-11-25", "capabilities": can, "serverInfo": info}
        say["result"] = said
    elif got["method"] == "tools/list":
        say["result"] = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]}
    elif got["method"] == "tools/call":
        text = got["params"]["arguments"]["text"]
        say["result"] = {"content": [{"type": "text", "text": text}]}
    else:
        say["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(say), flush=True)
"""


@dataclass(frozen=True, kw_only=True)
class Added:
    """Medians in milliseconds: a direct call, one through the gateway, and the guard alone.

    `cpu` is the gateway's own CPU time for one call, which other load changes least.
    """

    direct: float
    through: float
    guard: float
    cpu: float

    @property
    def milliseconds(self) -> float:
        """What the gateway adds."""
        return self.through - self.direct


async def added(folder: Path, calls: int) -> Added:
    """Call a tool directly, through the gateway and through the guard alone, by turns."""
    server = folder / "upstream.py"
    server.write_text(UPSTREAM)
    config = _config(folder, server)
    own = ["-m", "assent.cli", "gateway", "--config", str(config), "--no-web"]
    own += ["--db", str(folder / "gateway.db"), "--by", "bench"]
    async with (
        _client(sys.executable, str(server)) as direct,
        _client(sys.executable, *own) as through,
        Assent(f"sqlite:///{folder / 'guard.db'}", agents=[]) as assent,
    ):
        guard = assent.guard_for(agent="gateway", by="bench")
        rounds: list[tuple[float, float, float]] = []
        before = _gateway().cpu_times()
        for number in range(WARM + calls):
            if number == WARM:
                before = _gateway().cpu_times()
            took = await _timed(direct, "echo", number), await _timed(through, "up__echo", number)
            rounds.append((*took, await _guarded(guard, number)))
        after = _gateway().cpu_times()
    used = after.user + after.system - before.user - before.system
    first, second, third = (median(each) for each in zip(*rounds[WARM:], strict=True))
    return Added(direct=first, through=second, guard=third, cpu=used * 1_000 / calls)


def _config(folder: Path, server: Path) -> Path:
    entry = {"command": sys.executable, "args": [str(server)]}
    tools = {"tools": {"echo": {"requires_approval": False}}}
    config = folder / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"up": entry | tools}}))
    return config


def _gateway() -> psutil.Process:
    children = psutil.Process().children()
    return next(child for child in children if "gateway" in child.cmdline())


@asynccontextmanager
async def _client(command: str, *arguments: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(command=command, args=list(arguments))
    async with Client(server, mode="legacy") as client:
        await client.list_tools()
        yield client


async def _timed(client: Client, name: str, number: int) -> float:
    started = time.perf_counter()
    result = await client.call_tool(name, {"text": f"{number}"})
    assert not result.is_error, result
    return (time.perf_counter() - started) * 1_000


async def _guarded(guard: Guard, number: int) -> float:
    """The guarded cycle alone: propose and claim, then settle."""
    started = time.perf_counter()
    await guard.run(TOOL, {"text": f"{number}"}, lambda given: given, key=f"{number}")
    return (time.perf_counter() - started) * 1_000
