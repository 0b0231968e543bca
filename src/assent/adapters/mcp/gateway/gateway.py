"""The gateway as one thing to open: its servers, its calls, and what clients connect to."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import TYPE_CHECKING, Any, Final, cast

from mcp_types import ElicitRequestParams, ElicitResult

from assent.adapters.mcp.gateway.doors import http_app
from assent.adapters.mcp.gateway.offers import Offers
from assent.adapters.mcp.gateway.open_calls import OpenCalls
from assent.adapters.mcp.gateway.pipes import standard_streams
from assent.adapters.mcp.gateway.server import GatewayServer
from assent.adapters.mcp.gateway.waiting import BEAT_SECONDS, WAIT_SECONDS, Waiting
from assent.adapters.options import GUARD
from assent.domain import parameters
from assent.domain.mcp_servers import McpServer
from assent.domain.parameters import Check, hidden, taken
from assent.guard import Guard

if TYPE_CHECKING:
    from starlette.applications import Starlette

AGENT: Final = "gateway"
_PAUSE_SECONDS: Final = 0.5
_SECRET_BYTES: Final = 32


def _servers(given: object) -> object:
    found = _LISTED.read(given)
    if found is parameters.unfit():
        return found
    servers = cast("tuple[McpServer, ...]", found)
    # Of two with one name, only the last would be asked for its tools.
    return servers if len({each.name for each in servers}) == len(servers) else parameters.unfit()


def _secret(given: object) -> object:
    fits = isinstance(given, bytes) and len(given) >= _SECRET_BYTES
    return given if fits else parameters.unfit()


_LISTED: Final = parameters.several(parameters.instance(McpServer), tuple, "McpServers")
_GATEWAY: Final = {
    "guard": GUARD,
    "servers": Check("one or several McpServers, each of another name", _servers),
    "owner": parameters.name,
    "secret": hidden(Check(f"bytes, at least {_SECRET_BYTES}", _secret)),
    "agent": parameters.name,
    "wait": parameters.number(0),
    "beat": parameters.number(above=0),
    "tools_only": parameters.flag,
}


class Gateway:
    """Stands between MCP clients and servers: every call is ruled on, and people may decide it.

    `owner` is the person on whose behalf the guard acts; `secret`, of at least 32 bytes, seals what
    clients carry, and is the same in every process that serves the same clients. Prompts and
    resources are passed on ungated; with `tools_only` there are none.
    """

    def __init__(
        self,
        guard: Guard,
        servers: McpServer | Iterable[McpServer],
        *,
        owner: str,
        secret: bytes,
        agent: str = AGENT,
        wait: float = WAIT_SECONDS,
        beat: float = BEAT_SECONDS,
        tools_only: bool = False,
    ) -> None:
        given = taken(
            "Gateway",
            {
                "guard": guard,
                "servers": servers,
                "owner": owner,
                "secret": secret,
                "agent": agent,
                "wait": wait,
                "beat": beat,
                "tools_only": tools_only,
            },
            _GATEWAY,
        )
        self._offers = Offers(
            given["servers"],
            on_changed=self._changed,
            on_elicit=self._elicited,
            on_reading=None if tools_only else self._reading_changed,
        )
        self._calls = OpenCalls(guard, self._offers, agent=agent)
        waiting = Waiting(calls=self._calls, seconds=wait, beat_seconds=beat)
        self.server = GatewayServer(
            self._offers, self._calls, waiting, owner=owner, secret=secret, tools_only=tools_only
        )
        self._telling = set[asyncio.Task[None]]()
        self._is_due = False

    async def __aenter__(self) -> "Gateway":
        await self._offers.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._telling:
            task.cancel()
        await self._calls.close()
        await self._offers.__aexit__(None, None, None)

    async def serve_stdio(self) -> None:
        """Serve the client at the other end of stdin and stdout until it leaves."""
        async with standard_streams() as (read, write):
            await self.server.run(read, write, self.server.create_initialization_options())

    def http_app(self, *, origins: Iterable[str] = (), key: str | None = None) -> "Starlette":
        """Return the ASGI app that serves clients over streamable HTTP, at `/mcp`.

        `origins` are its addresses beside those of this machine. Give it a key wherever others can
        connect: whoever may connect acts for the owner.
        """
        return http_app(self.server, origins=origins, key=key)

    async def _elicited(
        self, server: str, asked: ElicitRequestParams, token: object
    ) -> ElicitResult:
        return await self._calls.elicited(server, asked, token)

    def _changed(self) -> None:
        self._beside(self.server.tell_changed())

    def _reading_changed(self) -> None:
        # However often servers say so, clients hear it no more often than this.
        if not self._is_due:
            self._is_due = True
            self._beside(self._tell_reading_changed())

    async def _tell_reading_changed(self) -> None:
        await asyncio.sleep(_PAUSE_SECONDS)
        self._is_due = False
        await self.server.tell_reading_changed()

    def _beside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="assent-gateway-changed")
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
