"""Keys that a caller lets go of: the next call under one is a new call."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent.app import Assent
from assent.domain.definitions import external
from assent.errors import NotFound

TOOL = external("send", parameters={"type": "object"}, requires_approval=False)
ASKS = external("send_all", parameters={"type": "object"})


@pytest.fixture
async def assent(tmp_path: Path) -> AsyncIterator[Assent]:
    async with Assent(f"sqlite:///{tmp_path}/a.db", agents=[]) as opened:
        yield opened


async def test_a_released_key_stands_for_a_new_call(assent: Assent) -> None:
    guard = assent.guard_for(agent="mail", by="ana")
    first = await guard.run(TOOL, {}, lambda _: 1, key="k")
    assert (await guard.run(TOOL, {}, lambda _: 2, key="k")).id == first.id

    await guard.release(first.id)

    second = await guard.run(TOOL, {}, lambda _: 2, key="k")
    assert (second.id != first.id, second.output) == (True, 2)
    assert (await guard.look(first.id)).output == 1


async def test_the_key_of_a_call_that_has_not_ended_stays(assent: Assent) -> None:
    guard = assent.guard_for(agent="mail", by="ana")
    waiting = await guard.propose(ASKS, {}, key="k")

    await guard.release(waiting.id)

    assert (await guard.propose(ASKS, {}, key="k")).id == waiting.id


async def test_nobody_releases_the_key_of_another_person(assent: Assent) -> None:
    guard = assent.guard_for(agent="mail", by="ana")
    call = await guard.run(TOOL, {}, lambda _: 1, key="k")

    with pytest.raises(NotFound):
        await assent.guard_for(agent="mail", by="bob").release(call.id)

    assert (await guard.propose(TOOL, {}, key="k")).id == call.id
