"""MCP: tools of other servers, called under the gate; needs the extra `assent[mcp]`."""
