"""A worker that never gets to the end of its second answer; somebody kills it there."""

import asyncio
import sys
from collections.abc import AsyncGenerator

from assent import Agent, Assent, Person
from assent.domain.messages import Answer, Delta, Prompt, ReasoningDelta, TextDelta, UserSaid
from assent.testing import ScriptedModel, calls, says
from tests.conftest import QUICK
from tests.server.streams.lines import Shop

FIRST, ABANDONED, DOUBTS = "Let me look.", "Once upon a time", "Perhaps a tale"


class Endless(ScriptedModel):
    """Looks first, and then begins to tell."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        if isinstance(prompt.history[-1], UserSaid):
            async for item in super().stream(prompt):
                yield item
            return
        yield ReasoningDelta(DOUBTS)
        yield TextDelta(ABANDONED)
        await asyncio.Event().wait()


async def main(url: str) -> None:
    model = Endless([says(FIRST, calls("look", at="b"))])
    agent = Agent("agent", model=model, tools=[Shop().look])
    async with Assent(url, agents=[agent], times=QUICK) as assent:
        sys.stdout.write(f"{await assent.start('agent', 'go', by=Person('user'))}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
