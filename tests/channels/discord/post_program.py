"""A process with the Discord channel, which tests kill around the sending of a post."""

import asyncio
import sys
from datetime import timedelta

from assent import Agent, Assent, Person, tool
from assent.channels import Room
from assent.channels.discord import Discord
from assent.engine.settings import Times
from assent.testing import ScriptedModel, calls, says
from assent.testing.channels import until


@tool(requires_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


async def main(url: str, api_url: str, token: str, room: str, asks: bool) -> None:
    model = ScriptedModel([says("", calls("pay", amount=1)), "Done."])
    agent = Agent("agent", model=model, tools=[pay])
    channel = Discord(token, api_url=api_url, rooms=Room(address=room, everything=True))
    times = Times(lease=timedelta(seconds=1))
    async with Assent(url, agents=[agent], channels=[channel], times=times) as assent:

        async def served() -> bool:
            return assent.channels.is_serving("discord")

        async def told() -> bool:
            return not await assent.channels.is_behind("discord")

        await until("the channel to be served", served)
        if asks:
            await assent.send("agent", "Pay.", by=Person("olga"))
        await until("nothing to be due", told)
        sys.stdout.write("told\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    _, database, address, secret, place, what = sys.argv
    asyncio.run(main(database, address, secret, place, what == "ask"))
