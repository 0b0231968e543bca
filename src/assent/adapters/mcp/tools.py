"""Tools made of the definitions that MCP servers list; knows no connection and no SDK."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from assent.domain.arguments import SchemaArguments, SchemaOutput
from assent.domain.bodies import Context, Regular
from assent.domain.canonical import Json
from assent.domain.mcp_servers import McpServer
from assent.domain.metadata import DeclaredMetadata, assemble
from assent.domain.pins import Pin
from assent.domain.tools import Risk, Tool
from assent.engine.sources import SourceTools
from assent.errors import AssentError

# How a call of a pinned tool runs.
Run = Callable[[Pin, Context, Mapping[str, Json]], Awaitable[object]]


def tools_of(server: McpServer, pins: Sequence[Pin], run: Run) -> SourceTools:
    """Return a server's tools; one that cannot be used is left out and said, never replaced."""
    names = Counter(pin.name for pin in pins)
    made: dict[str, Tool] = {}
    refused: list[str] = []
    for pin in pins:
        if not server.offers(pin.tool):
            continue
        name = pin.name
        if names[name] > 1:
            refused.append(f"{pin.tool!r} has the same name as another: {name!r}")
            continue
        try:
            made[pin.tool] = _tool(server, pin, name, run)
        except AssentError as error:
            refused.append(str(error))
    unknown = sorted(set(server.tools) - {pin.tool for pin in pins}) if pins else []
    refused += [f"settings name {tool!r}, which the server does not list" for tool in unknown]
    return SourceTools(tools=made, refused=refused)


def _tool(server: McpServer, pin: Pin, name: str, run: Run) -> Tool:
    seen = pin.seen
    said = {
        **_hinted(server, cast("Mapping[str, Any]", seen.get("annotations") or {})),
        **server.tools.get(pin.tool, {}),
        "source": server.source,
        # So that approvals are void after any change, not only of what else the hash covers.
        "version": pin.hash,
    }
    metadata = DeclaredMetadata.of(name, said)
    shape = seen.get("outputSchema")

    async def body(context: Context, arguments: Mapping[str, Json]) -> object:
        return await run(pin, context, arguments)

    return assemble(
        name,
        seen.get("description") or seen.get("title") or "",
        Regular(body=body),
        arguments=SchemaArguments(name, dict(seen["inputSchema"]), metadata.values.user_input),
        output=None if shape is None else SchemaOutput(name, dict(shape)),
        metadata=metadata,
    )


def _hinted(server: McpServer, hints: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the author's hints change: stricter always, looser only if they are trusted."""
    reads_only = hints.get("readOnlyHint") is True
    # Only if it is said: the protocol's default would make every tool dangerous.
    if hints.get("destructiveHint") is True and not reads_only:
        return {"risk": Risk.DANGEROUS}
    if not server.trust:
        return {}
    if reads_only:
        return {"risk": Risk.SAFE, "requires_approval": False, "idempotent": True}
    return {"idempotent": True} if hints.get("idempotentHint") is True else {}
