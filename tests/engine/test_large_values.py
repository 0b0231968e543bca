"""Large values are taken in beside the event loop, small ones on it."""

import asyncio
import threading
from typing import Annotated, Any

from pydantic import AfterValidator

from assent import Limits, Person, approve, tool
from assent.domain.canonical import Json
from assent.testing import calls, says
from tests.conftest import World

LARGE: list[Json] = [*range(12_000)]


class Watch:
    """A tool whose arguments remember in which threads they were validated."""

    def __init__(self) -> None:
        self.threads: set[int] = set()

        def seen(value: Any) -> Any:
            self.threads.add(threading.get_ident())
            return value

        @tool(requires_approval=True)
        async def keep(numbers: Annotated[list[int], AfterValidator(seen)]) -> int:
            return len(numbers)

        self.tool = keep


async def test_large_arguments_of_a_model_are_validated_beside_the_loop(
    world: World, owner: Person
) -> None:
    watch = Watch()
    async with world([says("", calls("keep", numbers=LARGE))], watch.tool) as assent:
        await assent.send("agent", "go", by=owner)
        assert watch.threads
        assert threading.get_ident() not in watch.threads


async def test_small_arguments_need_no_thread(world: World, owner: Person) -> None:
    watch = Watch()
    async with world([says("", calls("keep", numbers=[1]))], watch.tool) as assent:
        await assent.send("agent", "go", by=owner)
        assert watch.threads == {threading.get_ident()}


async def test_an_edit_is_validated_beside_the_loop(world: World, owner: Person) -> None:
    watch = Watch()
    async with world([says("", calls("keep", numbers=[1])), "Done."], watch.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        watch.threads.clear()
        await assent.decide(turn.pending[0].id, approve({"numbers": LARGE}), by=owner)
        turn = await assent.wait(turn.id)
    assert turn.result(turn.calls[0].id) == len(LARGE)
    assert watch.threads - {threading.get_ident()}


async def test_others_get_their_turn_while_many_calls_are_judged(
    world: World, owner: Person
) -> None:
    """Counted, not timed: how often the loop comes round between the first and the last."""
    rounds, judged = 0, list[int]()

    @tool
    async def look(at: int) -> int:
        return at

    async def turns() -> None:
        nonlocal rounds
        while True:
            await asyncio.sleep(0)
            rounds += 1

    def ask(arguments: Any, _: Any) -> bool:
        judged.append(rounds)
        return True

    answer = says("", *(calls("look", at=number) for number in range(320)))
    async with world([answer], look, limits=Limits(calls_per_answer=320)) as assent:
        counting = asyncio.create_task(turns())
        await assent.send("agent", "go", by=owner, ask_when=ask)
        counting.cancel()
    assert len(judged) == 320
    assert len(set(judged)) >= 10
