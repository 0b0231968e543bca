"""Pins of tools that callers have from servers: each person and agent has their own."""

from typing import Any

from assent.client import external
from tests.conftest import World


def look(description: str) -> Any:
    return external("fs__look", description=description, source="mcp:fs", requires_approval=False)


async def test_an_agents_name_does_not_make_it_another_persons(world: World) -> None:
    async with world([]) as assent:
        theirs = assent.guard_for(agent="mailer", by="ann/office")
        mine = assent.guard_for(agent="office/mailer", by="ann")
        assert (await theirs.run(look("Look."), {}, lambda _: "seen", wait=0)).succeeded
        # Another server of the same name: the first definition of it is taken on trust.
        assert (await mine.run(look("Look around."), {}, lambda _: "seen", wait=0)).succeeded
        assert (await theirs.propose(look("Look around."), {})).is_waiting
