"""A client of FastMCP that calls one tool of a gateway: `fastmcp_client.py PROGRAM ARGUMENTS…`.

A process of its own: what FastMCP imports rewrites modules, which fails deep inside of pytest.
"""

import asyncio
import os
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def main(program: str, *arguments: str) -> None:
    environment = dict(os.environ)
    transport = StdioTransport(program, list(arguments), env=environment, keep_alive=False)
    async with Client(transport) as client:
        result: Any = await client.call_tool("up__send", {"text": "hello"})
    sys.stdout.write(result.content[0].text)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
