"""A process that sends webhooks or mails: it asks for a payment, or only takes over; to be killed.

`sending_program.py DATABASE webhook|email PORT ask|watch`
"""

import asyncio
import sys
from datetime import timedelta

from assent import Agent, Assent, Person, tool
from assent.channels import Channel
from assent.channels.email import Email
from assent.channels.webhook import Webhook
from assent.domain.people import SYSTEM
from assent.engine.settings import Times
from assent.testing import ScriptedModel, calls, says
from assent.testing.channels import until

OLGA = Person("olga")


@tool(requires_approval=True, risk="moderate")
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def made(name: str, port: int) -> Channel:
    if name == "webhook":
        # The secret comes from the environment.
        url = f"http://127.0.0.1:{port}/hook"
        return Webhook(url, allow="127.0.0.1", plain_http=True)
    return Email(host="127.0.0.1", port=port, tls="none", sender="assent@example.com")


async def main(url: str, name: str, port: str, what: str) -> None:
    model = ScriptedModel([says("", calls("pay", amount=1)), "Done."])
    agent = Agent("agent", model=model, tools=[pay])
    async with Assent(
        url,
        agents=[agent],
        channels=[made(name, int(port))],
        review_url="https://assent.example",
        times=Times(lease=timedelta(seconds=2)),
    ) as assent:

        async def served() -> bool:
            return assent.channels.is_serving(name)

        async def told() -> bool:
            return not await assent.channels.is_behind(name)

        await until("the channel to be served", served)
        if what == "ask":
            await assent.people.add(OLGA, by=SYSTEM)
            await assent.people.chats.welcome("olga", name, "olga@example.com", "Olga")
            await assent.send("agent", "Pay.", by=OLGA)
        await until("nothing to be due", told)
        sys.stdout.write("told\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
