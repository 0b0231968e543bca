"""One MCP server as a source of tools: connected in workers, known by its pins elsewhere."""

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from assent.adapters.mcp.shared import Shared
from assent.adapters.mcp.tools import tools_of
from assent.domain.bodies import Context
from assent.domain.canonical import Json
from assent.domain.mcp_servers import McpServer
from assent.domain.pins import Pin, hash_of
from assent.engine.sources import Ask, Definition, Listed, SourceTools, ToolSource
from assent.errors import AssentError, DefinitionChanged, McpUnavailable

if TYPE_CHECKING:
    from assent.adapters.mcp.connection import McpConnection
    from assent.adapters.mcp.limits import McpLimits

log = logging.getLogger(__name__)
# A definition that was looked at longer ago is looked at again before a call.
_FRESH_SECONDS: Final = 5.0
# What a server says of a tool, apart from pictures and its own notes.
_KEPT: Final = frozenset(
    {"name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution"}
)


class McpSource(ToolSource):
    """Lists a server's tools whenever they may have changed, and runs calls of them."""

    def __init__(self, server: McpServer, *, limits: "McpLimits | None" = None) -> None:
        self.server, self._limits = server, limits
        self._connection: McpConnection | None = None
        self._watcher: asyncio.Task[None] | None = None
        self._changed, self._settled = asyncio.Event(), asyncio.Event()
        # However many calls come at once, the server is asked once what it lists.
        self._look = Shared(self._list, name=f"assent-mcp-{self.name}-look")
        self._listing = asyncio.Lock()
        self._hashes: Mapping[str, str] = {}
        self._listed_at = float("-inf")
        self._told: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.server.source

    @property
    def refused(self) -> Sequence[str]:
        return self._told

    def tools(self, pins: Sequence[Pin]) -> SourceTools:
        return tools_of(self.server, pins, self._run)

    def start(self, listed: Listed, ask: Ask) -> None:
        # Not before: processes that only decide need neither the SDK nor a connection.
        from assent.adapters.mcp.connection import McpConnection
        from assent.adapters.mcp.running import Questions

        self._listed, self._questions = listed, Questions(server=self.name, ask=ask)
        self._connection = McpConnection(
            self.server,
            limits=self._limits,
            on_changed=self._changed.set,
            on_elicit=self._questions.elicited,
        )
        self._connection.start()
        self._watcher = asyncio.create_task(self._watch(), name=f"assent-mcp-{self.name}-watch")

    async def settled(self) -> None:
        await self._settled.wait()

    async def close(self) -> None:
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait({self._watcher})
        await self._look.close()
        if self._connection is not None:
            await self._connection.close()

    async def _watch(self) -> None:
        """List the tools at first, and again whenever they may have changed."""
        connection = self._open_connection()
        await connection.wait()
        pause = connection.limits.first_pause_seconds
        while True:
            self._changed.clear()
            try:
                # Not a list that may have begun before the change.
                await self._list()
            except AssentError as error:
                log.warning("%s", error)
                if connection.is_open:
                    self._changed.set()
                    pause = min(2 * pause, connection.limits.longest_pause_seconds)
            except Exception:
                log.exception("the tools of %s could not be listed", self.name)
            else:
                pause = connection.limits.first_pause_seconds
            self._settled.set()
            # However often it says so, a server is asked for its list no more often than this.
            await asyncio.sleep(pause)
            await self._changed.wait()

    def _open_connection(self) -> "McpConnection":
        if self._connection is None:
            raise McpUnavailable(self.server.name, "this process does not connect to it")
        return self._connection

    async def _list(self) -> None:
        async with self._listing:
            listing = await self._open_connection().tools()
            definitions = {tool.name: _definition(tool) for tool in listing.tools}
            twice = {tool.name for tool in listing.tools if _is_other(tool, definitions)}
            kept = {name: each for name, each in definitions.items() if name not in twice}
            self._tell((*listing.refused, *(f"{name!r} is listed twice" for name in twice)))
            self._hashes = {name: hash_of(each) for name, each in kept.items()}
            self._listed_at = time.monotonic()
        self._listed(kept)

    def _tell(self, refused: tuple[str, ...]) -> None:
        for refusal in refused:
            if refusal not in self._told:
                log.warning("%s: a tool is left out: %s", self.name, refusal)
        self._told = refused

    async def _run(self, pin: Pin, context: Context, arguments: Mapping[str, Json]) -> object:
        from assent.adapters.mcp.running import run_call

        connection = self._open_connection()
        await self._want_unchanged(pin)
        try:
            return await run_call(connection, pin, context, arguments)
        finally:
            await self._questions.end(context.call_id)

    async def _want_unchanged(self, pin: Pin) -> None:
        """Raise if the tool is no longer what people were shown; nothing has been sent then."""
        if time.monotonic() - self._listed_at > _FRESH_SECONDS:
            await self._look.done()
        if self._hashes.get(pin.tool) != pin.hash:
            raise DefinitionChanged(pin.tool)


def _definition(tool: Any) -> Definition:
    said: dict[str, Json] = tool.model_dump(by_alias=True, mode="json", exclude_none=True)
    return {name: value for name, value in said.items() if name in _KEPT}


def _is_other(tool: Any, definitions: Mapping[str, Definition]) -> bool:
    return definitions[tool.name] != _definition(tool)
