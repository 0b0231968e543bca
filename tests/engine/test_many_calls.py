"""One answer with very many calls."""

import tracemalloc

from assent import Person, tool
from assent.engine.agents import Limits
from assent.models.scripted import calls, says
from tests.conftest import World

LONG = "x" * 10_000
FEW, MANY = 10, 80


@tool
async def look(at: str) -> str:
    """Look at something."""
    return at[:4]


async def peak(world: World, owner: Person, count: int) -> int:
    """The most bytes at once that a turn with so many calls took, and a look at it."""
    script = [says("", *(calls("look", at=f"{number} {LONG}") for number in range(count))), "Done."]
    async with world(script, look, limits=Limits(calls_per_answer=count)) as assent:
        # What is made once for all turns is no part of it.
        await assent.pending(limit=1)
        tracemalloc.start()
        try:
            turn = await assent.send("agent", "go", by=owner)
            await assent.turn(turn.id)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


async def test_memory_grows_with_the_number_of_calls_not_with_its_square(
    world: World, owner: Person
) -> None:
    few, many = await peak(world, owner, FEW), await peak(world, owner, MANY)
    assert many / few < 2 * MANY / FEW
