"""The tools of all servers behind the gateway, kept as they are now."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import mcp_types as types

from assent.adapters.mcp.connection import Answer, McpConnection, OnProgress
from assent.adapters.mcp.limits import McpLimits
from assent.adapters.mcp.listing import Listing
from assent.adapters.mcp.shared import Shared
from assent.adapters.mcp.tools import tools_of
from assent.domain.mcp_servers import McpServer
from assent.domain.pins import Pin
from assent.domain.tools import Tool
from assent.errors import McpRefused, McpUnavailable

log = logging.getLogger(__name__)
# Given the server's name, its question and the token of the call that it belongs to.
OnElicit = Callable[[str, types.ElicitRequestParams, object], Awaitable[types.ElicitResult]]
# A gateway serves many servers, and clients cope with long lists better than with missing tools.
LIMITS: Final = McpLimits(tools=2_000)
# A first list waits this long for servers that are slow to start; what comes later is told.
FIRST_LIST_SECONDS: Final = 20.0
# A definition that was looked at longer ago is looked at again before a call.
FRESH_SECONDS: Final = 5.0
# A server may say as often as it likes that its tools changed: it is asked no more often.
_PAUSE_SECONDS: Final = 0.2
# What people rule on. Not the schema of outputs: what is on record is the whole of an answer.
_DEFINES: Final = ("name", "title", "description", "inputSchema", "annotations", "execution")


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One tool: as its server lists it, as clients see it, and as the gate rules on it."""

    name: str
    server: str
    remote: types.Tool
    listed: types.Tool
    # As it is now: a claim compares it with what people approved.
    tool: Tool = field(compare=False)


@dataclass(slots=True, kw_only=True)
class _Upstream:
    connection: McpConnection
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    listed: asyncio.Event = field(default_factory=asyncio.Event)
    listed_at: float = float("-inf")
    offers: tuple[Offer, ...] = ()
    refused: frozenset[str] = frozenset()
    # However many calls come at once, the server is asked once what it lists.
    listing: Shared = field(init=False)


class Offers:
    """Keeps the servers connected while it is entered; `on_changed` hears of other tools.

    `on_reading` hears that prompts or resources may be others.
    """

    def __init__(
        self,
        servers: Iterable[McpServer],
        *,
        limits: McpLimits = LIMITS,
        on_changed: Callable[[], None],
        on_elicit: OnElicit | None = None,
        on_reading: Callable[[], None] | None = None,
    ) -> None:
        self._on_changed, self._on_elicit, self._on_reading = on_changed, on_elicit, on_reading
        self._upstreams = {server.name: self._upstream(server, limits) for server in servers}
        self._by_name: Mapping[str, Offer] = {}
        self._watchers: list[asyncio.Task[None]] = []
        self._stack = AsyncExitStack()

    def _upstream(self, server: McpServer, limits: McpLimits) -> _Upstream:
        changed = asyncio.Event()
        ask = None if self._on_elicit is None else partial(self._on_elicit, server.name)
        connection = McpConnection(
            server,
            limits=limits,
            on_changed=changed.set,
            on_elicit=ask,
            on_reading=self._on_reading,
        )
        upstream = _Upstream(connection=connection, changed=changed)
        name = f"assent-gateway-{server.name}-list"
        upstream.listing = Shared(partial(self._list, upstream), name=name)
        return upstream

    async def __aenter__(self) -> "Offers":
        for name, upstream in self._upstreams.items():
            await self._stack.enter_async_context(upstream.connection)
            watcher = asyncio.create_task(self._watch(upstream), name=f"assent-gateway-{name}")
            self._watchers.append(watcher)
        return self

    async def __aexit__(self, *_: object) -> None:
        for watcher in self._watchers:
            watcher.cancel()
        if self._watchers:
            await asyncio.wait(self._watchers)
        for upstream in self._upstreams.values():
            await upstream.listing.close()
        # Several servers end at once: each may take a few seconds.
        closing = [connection.close() for connection in self.connections]
        await asyncio.gather(*closing, return_exceptions=True)
        await self._stack.aclose()

    @property
    def connections(self) -> list[McpConnection]:
        """The connections to all servers."""
        return [upstream.connection for upstream in self._upstreams.values()]

    def connection(self, server: str) -> McpConnection:
        """Return the connection to one of them, by its name."""
        return self._upstreams[server].connection

    async def all(self) -> tuple[Offer, ...]:
        """Return every tool; waits, but not for long, for servers not heard of yet."""
        first = [upstream.listed.wait() for upstream in self._upstreams.values()]
        try:
            async with asyncio.timeout(FIRST_LIST_SECONDS):
                await asyncio.gather(*first)
        except TimeoutError:
            log.warning("some MCP servers have not listed their tools yet")
        return tuple(self._by_name.values())

    async def get(self, name: str) -> Offer | None:
        """Return the tool of this name as it is now; None if there is none."""
        if name not in self._by_name:
            await self.all()
        return self._by_name.get(name)

    def now(self, name: str) -> Offer | None:
        """Return the tool of this name, without waiting for anything."""
        return self._by_name.get(name)

    async def fresh(self, name: str) -> Offer | None:
        """Return the tool of this name as its server has listed it within seconds.

        Raises `McpUnavailable` or `McpRefused` if it cannot be asked: what is called must be what
        people are shown, and a server need not say that it has changed it.
        """
        offer = await self.get(name)
        if offer is not None:
            upstream = self._upstreams[offer.server]
            if time.monotonic() - upstream.listed_at > FRESH_SECONDS:
                await upstream.listing.done()
        return self._by_name.get(name)

    async def call(
        self,
        offer: Offer,
        arguments: Mapping[str, Any],
        *,
        token: object = None,
        on_progress: OnProgress | None = None,
        responses: Mapping[str, types.InputResponse] | None = None,
        state: str | None = None,
    ) -> Answer:
        """Call a tool on its server; raises what `McpConnection.call` raises.

        Questions that the server asks meanwhile come with the token.
        """
        connection = self.connection(offer.server)
        timeout = offer.tool.timeout
        return await connection.call(
            offer.remote.name,
            arguments,
            within=None if timeout is None else timeout.total_seconds(),
            responses=responses,
            state=state,
            token=token,
            on_progress=on_progress,
            as_task=_wants_task(offer.remote),
        )

    async def _watch(self, upstream: _Upstream) -> None:
        """List a server's tools, and again whenever it says that they changed."""
        while True:
            upstream.changed.clear()
            try:
                # Not a list that may have begun before the change.
                await self._list(upstream)
            except (McpUnavailable, McpRefused) as error:
                # What was listed stays: a call of it then fails, and says why.
                log.warning("%s", error)
            upstream.listed.set()
            await asyncio.sleep(_PAUSE_SECONDS)
            await upstream.changed.wait()

    async def _list(self, upstream: _Upstream) -> None:
        listing = await upstream.connection.tools()
        upstream.listed_at = time.monotonic()
        self._take(upstream, listing)

    def _take(self, upstream: _Upstream, listing: Listing) -> None:
        server = upstream.connection.server
        offers, refused = _offers(server, listing)
        # Each once: it is listed again before many a call.
        for reason in sorted(set(refused) - upstream.refused):
            log.warning("MCP server %r: a tool is left out: %s", server.name, reason)
        upstream.refused = frozenset(refused)
        if offers == upstream.offers and upstream.listed.is_set():
            return
        upstream.offers = offers
        self._by_name = {
            offer.name: offer for each in self._upstreams.values() for offer in each.offers
        }
        if upstream.listed.is_set():
            self._on_changed()


def _wants_task(tool: types.Tool) -> bool:
    return tool.execution is not None and tool.execution.task_support == "required"


def _offers(server: McpServer, listing: Listing) -> tuple[tuple[Offer, ...], list[str]]:
    """Return a server's tools by the rules that hold for agents here, and what is left out."""
    remote = {tool.name: tool for tool in listing.tools}
    twice = {tool.name for tool in listing.tools if tool != remote[tool.name]}
    pins = [_pin(server, tool) for name, tool in remote.items() if name not in twice]
    made = tools_of(server, pins, _elsewhere)
    refused = [*listing.refused, *made.refused, *(f"{name!r} is listed twice" for name in twice)]
    offers = tuple(
        Offer(
            name=tool.name,
            server=server.name,
            listed=_listed(tool, remote[name]),
            remote=remote[name],
            tool=tool,
        )
        for name, tool in made.tools.items()
    )
    return offers, refused


def _pin(server: McpServer, tool: types.Tool) -> Pin:
    said = tool.model_dump(by_alias=True, mode="json", exclude_none=True)
    definition = {name: said[name] for name in _DEFINES if name in said}
    return Pin(source=server.source, tool=tool.name, seen=definition, accepted=definition)


async def _elsewhere(pin: Pin, *_: object) -> object:
    raise McpUnavailable(pin.source, f"{pin.tool!r} runs under a claim of the gateway only")


def _listed(tool: Tool, remote: types.Tool) -> types.Tool:
    """Return a tool as clients see it: its author's words under our name.

    Without the schema of its output: a ticket, a note on an edit or a result that a person
    supplied would not fit it, and clients refuse what does not.
    """
    schema = dict(remote.input_schema) if tool.user_input is None else dict(tool.arguments.visible)
    return types.Tool(
        name=tool.name,
        title=remote.title,
        description=remote.description,
        input_schema=schema,
        annotations=remote.annotations,
        icons=remote.icons,
        execution=types.ToolExecution(task_support="optional"),
    )
