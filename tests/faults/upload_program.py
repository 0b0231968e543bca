"""A process that uploads a file of a message, and is killed where ASSENT_FAILPOINT says."""

import asyncio
import sys

from assent import Agent, Assent
from assent.testing import ScriptedModel

CONTENT = bytes(range(256)) * 3_000


async def main(url: str) -> None:
    """Upload a file of three chunks."""
    async with Assent(url, agents=[Agent("agent", model=ScriptedModel(["no"]))]) as assent:
        await assent.files.attach(CONTENT, by="ada", name="film.bin")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
