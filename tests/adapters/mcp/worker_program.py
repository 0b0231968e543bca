"""A worker in a process of its own, whose MCP server takes a minute: `worker_program.py URL DONE`.

It prints the id of the turn, and ends when its input does.
"""

import asyncio
import sys

from assent import Agent, Assent
from assent.testing import ScriptedModel, calls, says
from tests.adapters.mcp.conftest import command


async def main(url: str, done: str) -> None:
    server = command(
        "shop.py", env={"SHOP_DONE": done}, tools={"dawdle": {"requires_approval": False}}
    )
    model = ScriptedModel([says("", calls("shop__dawdle", seconds=60)), "Done."])
    async with Assent(url, agents=Agent("agent", model=model, mcp=[server])) as assent:
        turn_id = await assent.start("agent", "Go.", by="olga")
        sys.stdout.write(f"{turn_id}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
