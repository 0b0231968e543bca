"""A gateway in this process, on a real database, before a real server: people and clients."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp import Client
from mcp_types import CallToolResult, TextContent

from assent.adapters.mcp.gateway import Gateway
from assent.app import Assent
from assent.domain.mcp_servers import McpServer
from assent.domain.requests import Request

UPSTREAM = Path(__file__).with_name("upstream.py")
SECONDS = 20.0
SECRET = b"of the tests, at least 32 bytes long"
MODES = ("legacy", "2026-07-28")
ALLOWED = {"requires_approval": False}


def server_in(folder: Path, *, many: int = 0, **more: Any) -> McpServer:
    """The server whose runs are noted in this folder."""
    args = [str(UPSTREAM), str(folder), str(many)]
    return McpServer("up", command=sys.executable, args=args, **more)


def runs_in(folder: Path) -> list[str]:
    """What the server ran, in order."""
    noted = folder / "runs"
    return noted.read_text().splitlines() if noted.exists() else []


async def until(condition: Callable[[], Awaitable[Any]]) -> Any:
    """Wait until something is so, and return it."""
    async with asyncio.timeout(SECONDS):
        while True:
            if found := await condition():
                return found
            await asyncio.sleep(0.01)


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


def ticket_in(result: CallToolResult) -> str:
    """The ticket that a client got instead of a result."""
    assert result.meta is not None, text_of(result)
    return result.meta["assent/ticket"]


@dataclass
class Stage:
    """What a test acts with."""

    assent: Assent
    gateway: Gateway
    folder: Path

    def client(self, mode: str = "legacy", **more: Any) -> Client:
        """A client in this process."""
        return Client(self.gateway.server, mode=mode, **more)

    async def asked(self) -> Request:
        """Wait until people are asked about one call; the request."""
        return (await until(self.assent.pending))[0]

    @property
    def runs(self) -> list[str]:
        return runs_in(self.folder)


@asynccontextmanager
async def staged(
    folder: Path,
    *,
    by: str = "ana",
    url: str | None = None,
    wait: float = SECONDS,
    beat: float = 0.02,
    many: int = 0,
    tools: Mapping[str, Mapping[str, Any]] | None = None,
    worker: bool = True,
    secret: bytes = SECRET,
    **more: Any,
) -> AsyncIterator[Stage]:
    """A gateway for one person."""
    url = url or f"sqlite:///{folder / 'assent.db'}"
    server = server_in(folder, many=many, tools=tools or {}, **more)
    assent = Assent(url, agents=[], review_url="http://127.0.0.1:9", worker=worker)
    async with assent:
        guard = assent.guard_for(agent="gateway", by=by)
        gateway = Gateway(guard, [server], owner=by, secret=secret, wait=wait, beat=beat)
        async with gateway:
            yield Stage(assent, gateway, folder)
