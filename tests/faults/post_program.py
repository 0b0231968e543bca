"""A process with a channel whose platform is a folder: it outlives every kill."""

import asyncio
import json
import sys
from datetime import timedelta
from pathlib import Path

from assent import Agent, Assent, Person, tool
from assent.channels import ChannelTerms, MessageGone, Post, Room
from assent.engine.settings import Times
from assent.testing import ScriptedModel, calls, says
from assent.testing.channels import until


@tool(requires_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class Folder:
    """A platform that takes an idempotency key: a message is a file, named by it."""

    name = "folder"
    terms = ChannelTerms(rooms=(Room(address="room", everything=True),), per_second=1000)

    def __init__(self, place: Path) -> None:
        self._place = place

    async def open(self, assent: object) -> None: ...

    async def connect(self) -> None: ...

    async def disconnect(self) -> None: ...

    async def close(self) -> None: ...

    async def announce(self, post: Post) -> str:
        self._write(post.key, post)
        return post.key

    async def update(self, post: Post, message: str) -> None:
        if not (self._place / message).exists():
            raise MessageGone
        self._write(message, post)

    def _write(self, name: str, post: Post) -> None:
        shown = [str(item.request.status) for item in post.items]
        (self._place / name).write_text(json.dumps(shown))


async def main(url: str, place: str, asks: bool) -> None:
    model = ScriptedModel([says("", calls("pay", amount=1)), "Done."])
    agent = Agent("agent", model=model, tools=[pay])
    channel, times = Folder(Path(place)), Times(lease=timedelta(seconds=2))
    async with Assent(url, agents=[agent], channels=[channel], times=times) as assent:

        async def served() -> bool:
            return assent.channels.is_serving("folder")

        async def told() -> bool:
            return not await assent.channels.is_behind("folder")

        await until("the channel to be served", served)
        if asks:
            await assent.send("agent", "Pay.", by=Person("olga"))
        await until("nothing to be due", told)
        sys.stdout.write("told\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] == "ask"))
