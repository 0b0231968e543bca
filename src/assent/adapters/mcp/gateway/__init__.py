"""The gateway: an MCP server that lists the tools of others and gates every call of them."""

from assent.adapters.mcp.gateway.gateway import Gateway

__all__ = ["Gateway"]
