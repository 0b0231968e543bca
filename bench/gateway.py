"""What the gateway adds to a call that policy allows, on stdio, beside a direct call."""

import json
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from assent import Assent
from assent.domain.definitions import external

WARM = 20
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
    """Medians in milliseconds: a direct call, one through the gateway, and the guard alone."""

    direct: float
    through: float
    guard: float

    @property
    def milliseconds(self) -> float:
        """What the gateway adds."""
        return self.through - self.direct


async def added(folder: Path, calls: int) -> Added:
    """Call a tool directly and through the gateway, by turns, and once only through the guard."""
    server = folder / "upstream.py"
    server.write_text(UPSTREAM)
    entry = {"command": sys.executable, "args": [str(server)]}
    entry["tools"] = {"echo": {"requires_approval": False}}
    config = folder / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"up": entry}}))
    own = ["-m", "assent.cli", "gateway", "--config", str(config), "--no-web"]
    own += ["--db", str(folder / "gateway.db"), "--by", "bench"]
    async with (
        _client(sys.executable, str(server)) as direct,
        _client(sys.executable, *own) as through,
    ):
        times: dict[str, list[float]] = {"echo": [], "up__echo": []}
        for number in range(WARM + calls):
            for client, name in ((direct, "echo"), (through, "up__echo")):
                took = await _timed(client, name, number)
                if number >= WARM:
                    times[name].append(took)
    guard = await _guarded(folder / "guard.db", calls)
    return Added(direct=median(times["echo"]), through=median(times["up__echo"]), guard=guard)


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


async def _guarded(path: Path, calls: int) -> float:
    """The guarded cycle alone: propose and claim, then settle."""
    tool = external("echo", requires_approval=False)
    times: list[float] = []
    async with Assent(f"sqlite:///{path}", agents=[]) as assent:
        guard = assent.guard_for(agent="gateway", by="bench")
        for number in range(WARM + calls):
            started = time.perf_counter()
            await guard.run(tool, {"text": f"{number}"}, lambda given: given, key=f"{number}")
            times.append((time.perf_counter() - started) * 1_000)
    return median(times[WARM:])
