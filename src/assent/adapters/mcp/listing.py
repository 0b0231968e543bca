"""Lists of tools that MCP servers send, read within limits."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import TypeVar

import mcp_types as types
from mcp.client.session import ClientSession
from pydantic import BaseModel

from assent.adapters.mcp.limits import McpLimits
from assent.domain.mcp_servers import McpServer

_Page = TypeVar("_Page", bound=types.PaginatedResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The tools that a server lists, and those left out, each with the reason."""

    tools: tuple[types.Tool, ...]
    refused: tuple[str, ...] = ()


async def read_listing(session: ClientSession, server: McpServer, limits: McpLimits) -> Listing:
    """Read all pages of a server's tools, up to the limits."""
    kept: list[types.Tool] = []
    refused: list[str] = []
    listed: set[str] = set()
    more = 0
    try:
        async for page in pages(lambda at: session.list_tools(params=at), limits.pages):
            listed.update(tool.name for tool in page.tools)
            more += _take(page.tools, server, limits, kept, refused)
            if more:
                break
    except TooManyPages:
        refused.append(f"the pages after the {limits.pages:,}th: there are too many")
    else:
        # Of a list that was read to its end only.
        refused += () if more else _misnamed(server, listed)
    if more:
        refused.append(
            f"{more:,} more tools: at most {limits.tools:,} are taken; name those you want in allow"
        )
    return Listing(tools=tuple(kept), refused=tuple(refused))


class TooManyPages(Exception):
    """A list has more pages than are read."""


async def pages(
    ask: Callable[[types.PaginatedRequestParams | None], Awaitable[_Page]], most: int
) -> AsyncGenerator[_Page]:
    """Read a list page by page; raises `TooManyPages` if it goes on after the last one read."""
    seen: set[str] = set()
    cursor = None
    for _ in range(most):
        page = await ask(None if cursor is None else types.PaginatedRequestParams(cursor=cursor))
        yield page
        cursor = page.next_cursor
        # An empty text is a cursor, too.
        if cursor is None or cursor in seen:
            return
        seen.add(cursor)
    raise TooManyPages


def _misnamed(server: McpServer, listed: Set[str]) -> Iterator[str]:
    """Yield what is misspelt in a server's settings: a tool that was to be denied is offered."""
    for setting, names in (("allow", server.allow or ()), ("deny", server.deny)):
        for name in sorted(set(names) - listed):
            yield f"{setting} names {name!r}, which the server does not list"


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
        elif (size := size_of(tool)) > limits.definition_bytes:
            most = f"{limits.definition_bytes:,}"
            refused.append(f"{tool.name[:64]!r}: its definition has {size:,} bytes, not {most}")
        else:
            kept.append(tool)
    return more


def size_of(listed: BaseModel) -> int:
    """Return how many bytes a definition has as JSON."""
    return len(json.dumps(listed.model_dump(by_alias=True, mode="json", exclude_none=True)))
