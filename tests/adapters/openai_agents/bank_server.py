"""An MCP server on standard streams whose tools pay, and hang after they have paid."""

import asyncio
import os
from pathlib import Path

from mcp.server.mcpserver import MCPServer

from tests.adapters.ledger import Ledger

server = MCPServer("bank")
ledger = Ledger(Path(os.environ["LEDGER"]))


@server.tool(description=os.environ.get("SAYS", "Pay someone."))
def pay(to: str, cents: int) -> str:
    return ledger.pay(to, cents)


@server.tool()
async def pay_and_hang(to: str, cents: int) -> str:
    """Pay someone and never answer."""
    ledger.pay(to, cents)
    await asyncio.Event().wait()
    return "never"


if __name__ == "__main__":
    server.run()
