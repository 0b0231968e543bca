"""Origins of tools: those of MCP servers are pinned by the guard."""

import sys
from typing import Any, Final, cast

from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from assent.adapters.keys import named
from assent.domain.mcp_servers import REMOTE

# A source may have 200 characters in all.
_LONGEST: Final = 190


def origin_of(tool: ToolsetTool[Any]) -> dict[str, str]:
    """Return which MCP server a tool comes from, as metadata; empty for any other tool."""
    toolset = _innermost(tool)
    # It needs packages of its own: if nobody has loaded it, nobody has such a toolset.
    mcp = sys.modules.get("pydantic_ai.mcp")
    if mcp is None or not isinstance(toolset, mcp.MCPToolset):
        return {}
    return {"source": f"{REMOTE}{named(toolset.id or 'unnamed')[-_LONGEST:]}"}


def _innermost(tool: ToolsetTool[Any]) -> AbstractToolset[Any]:
    # Toolsets that combine others keep the tool that they had from them.
    while isinstance(inner := getattr(tool, "source_tool", None), ToolsetTool):
        tool = cast("ToolsetTool[Any]", inner)
    toolset = tool.toolset
    while isinstance(toolset, WrapperToolset):
        toolset = toolset.wrapped
    return toolset
