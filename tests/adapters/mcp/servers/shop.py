"""A well-behaved MCP server, on standard streams or HTTP (`--port N`); a file says what it did."""

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, Image, MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("shop", instructions="Sells things.")
DONE = Path(os.environ.get("SHOP_DONE", "/dev/null"))


def did(what: str) -> None:
    with DONE.open("a") as file:
        file.write(what + "\n")


@server.tool()
def order(item: str, count: int = 1) -> str:
    """Order something."""
    did(f"order {item} {count}")
    return f"ordered {count} {item}"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def look(item: str) -> dict[str, object]:
    """Look at something."""
    did(f"look {item}")
    return {"item": item, "price": 5}


@server.tool(annotations=ToolAnnotations(destructive_hint=True))
def scrap(item: str) -> str:
    """Throw something away."""
    did(f"scrap {item}")
    return "gone"


@server.tool()
def break_down() -> str:
    """Fail."""
    raise ValueError("out of stock")


@server.tool()
def picture() -> Image:
    """Show a picture."""
    return Image(data=b"\x89PNG\r\n\x1a\n", format="png")


@server.tool()
async def dawdle(seconds: float, ctx: Context) -> str:
    """Take a while."""
    did("dawdle begins")
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        did("dawdle cancelled")
        raise
    did("dawdle ends")
    return "done"


@server.tool()
def environment() -> list[str]:
    """Name the variables of its environment."""
    return sorted(os.environ)


@server.tool()
def die() -> str:
    """Exit in the middle of a call."""
    did("dies")
    os._exit(7)


if __name__ == "__main__":
    if "--port" in sys.argv:
        port = int(sys.argv[sys.argv.index("--port") + 1])
        server.run("streamable-http", host="127.0.0.1", port=port)
    else:
        server.run("stdio")
