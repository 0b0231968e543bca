"""Lists of tools that MCP servers send, read within limits."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import mcp_types as types
from mcp.client.session import ClientSession

from assent.adapters.mcp.limits import McpLimits
from assent.domain.mcp_servers import McpServer


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The tools that a server lists, and those left out, each with the reason."""

    tools: tuple[types.Tool, ...]
    refused: tuple[str, ...] = ()


async def read_listing(session: ClientSession, server: McpServer, limits: McpLimits) -> Listing:
    """Read all pages of a server's tools, up to the limits."""
    kept: list[types.Tool] = []
    refused: list[str] = []
    seen: set[str] = set()
    cursor, more = None, 0
    for _ in range(limits.pages):
        params = None if cursor is None else types.PaginatedRequestParams(cursor=cursor)
        page = await session.list_tools(params=params)
        more += _take(page.tools, server, limits, kept, refused)
        cursor = page.next_cursor
        # An empty text is a cursor, too.
        if cursor is None or cursor in seen or more:
            break
        seen.add(cursor)
    else:
        refused.append(f"the pages after the {limits.pages:,}th: there are too many")
    if more:
        refused.append(
            f"{more:,} more tools: at most {limits.tools:,} are taken; name those you want in allow"
        )
    return Listing(tools=tuple(kept), refused=tuple(refused))


def _take(
    tools: Iterable[types.Tool],
    server: McpServer,
    limits: McpLimits,
    kept: list[types.Tool],
    refused: list[str],
) -> int:
    """Keep the tools of one page; return how many there was no room for."""
    more = 0
    for tool in tools:
        if not server.offers(tool.name):
            continue
        if len(kept) >= limits.tools:
            more += 1
        elif (size := _size(tool)) > limits.definition_bytes:
            most = f"{limits.definition_bytes:,}"
            refused.append(f"{tool.name[:64]!r}: its definition has {size:,} bytes, not {most}")
        else:
            kept.append(tool)
    return more


def _size(tool: types.Tool) -> int:
    return len(json.dumps(tool.model_dump(by_alias=True, mode="json", exclude_none=True)))
