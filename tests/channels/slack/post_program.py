"""A process that serves Slack: it asks for a payment, or only takes over. A test kills it."""

import asyncio
import sys
from datetime import timedelta

from assent import Agent, Assent, Person, tool
from assent.channels import Room
from assent.channels.slack import Slack
from assent.engine.settings import Times
from assent.testing import ScriptedModel, calls, says
from assent.testing.channels import until


@tool(requires_approval=True, risk="moderate")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


async def main(url: str, base_url: str, room: str, what: str) -> None:
    model = ScriptedModel([says("", calls("pay", amount=1)), "Done."])
    # The tokens come from the environment.
    channel = Slack(room=Room(address=room, everything=True), base_url=base_url)
    agent = Agent("agent", model=model, tools=[pay])
    times = Times(lease=timedelta(seconds=2))
    async with Assent(url, agents=[agent], channels=[channel], times=times) as assent:

        async def served() -> bool:
            return assent.channels.is_serving("slack")

        async def told() -> bool:
            return not await assent.channels.is_behind("slack")

        await until("the channel to be served", served)
        if what == "ask":
            await assent.send("agent", "Pay.", by=Person("olga"))
        await until("nothing to be due", told)
        sys.stdout.write("told\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
