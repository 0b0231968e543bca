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
from bench.floor import plain_commits

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


# The least that any gateway does: the SDK on both sides, and nothing in between.
PROXY = """
import asyncio, sys
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def main():
    behind = StdioServerParameters(command=sys.executable, args=[sys.argv[1]])
    async with Client(behind, mode="legacy") as up:
        async def tools(request, params):
            return await up.list_tools()
        async def call(request, params):
            return await up.call_tool(params.name, params.arguments)
        server = Server("proxy", on_list_tools=tools, on_call_tool=call)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

asyncio.run(main())
"""


@dataclass(frozen=True, kw_only=True)
class Added:
    """Medians in milliseconds of the same call: direct, through a proxy, through the gateway.

    Beside them the guard alone, and one plain commit. `cpu` is the gateway's own CPU time for one
    call, which other load changes least.
    """

    direct: float
    proxy: float
    through: float
    guard: float
    commit: float
    cpu: float

    @property
    def milliseconds(self) -> float:
        """What the gateway adds."""
        return self.through - self.direct

    @property
    def floor(self) -> float:
        """The least that it could add: a proxy's hop, and the two commits before the answer."""
        return self.proxy - self.direct + 2 * self.commit


async def added(folder: Path, calls: int) -> Added:
    """Call a tool directly, through a proxy, the gateway and the guard alone, by turns."""
    server, proxy = folder / "upstream.py", folder / "proxy.py"
    server.write_text(UPSTREAM)
    proxy.write_text(PROXY)
    config = _config(folder, server)
    own = ["-m", "assent.cli", "gateway", "--config", str(config), "--no-web"]
    own += ["--db", str(folder / "gateway.db"), "--by", "bench"]
    async with (
        _client(sys.executable, str(server)) as direct,
        _client(sys.executable, str(proxy), str(server)) as bare,
        _client(sys.executable, *own) as through,
        Assent(f"sqlite:///{folder / 'guard.db'}", agents=[]) as assent,
    ):
        guard = assent.guard_for(agent="gateway", by="bench")
        plain = plain_commits(folder / "floor.db")
        rounds: list[tuple[float, ...]] = []
        before = _gateway().cpu_times()
        for number in range(WARM + calls):
            if number == WARM:
                before = _gateway().cpu_times()
            calls_of = ((direct, "echo"), (bare, "echo"), (through, "up__echo"))
            took = [await _timed(client, name, number) for client, name in calls_of]
            rounds.append((*took, await _guarded(guard, number), next(plain)))
        after = _gateway().cpu_times()
    used = after.user + after.system - before.user - before.system
    names = ("direct", "proxy", "through", "guard", "commit")
    medians = (median(each) for each in zip(*rounds[WARM:], strict=True))
    return Added(**dict(zip(names, medians, strict=True)), cpu=used * 1_000 / calls)


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
