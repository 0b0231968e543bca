"""One answer with very many calls."""

import tracemalloc
from collections.abc import AsyncGenerator

import pytest

from assent import Assent, Person, reject, tool
from assent.domain.events import Event, EventKind
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import ModelSaid
from assent.engine.agents import Limits
from assent.testing import ScriptedModel, calls, says
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


@tool(requires_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


async def test_the_cap_counts_calls_that_ask_and_one_row_stands_for_the_rest(
    world: World, owner: Person
) -> None:
    model = ScriptedModel(
        [says("", *(calls("pay", amount=number) for number in range(1_000))), "Done."]
    )
    async with world(model, pay) as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)
        told = [event async for event in until_waiting(assent, turn.id)]
        await assent.decide_all([(each.id, reject()) for each in turn.pending], by=owner)
        turn = await assent.wait(turn.id)

    assert [call.status for call in thread.calls] == [CallStatus.AWAITING_APPROVAL] * 16 + [
        CallStatus.FAILED
    ]
    assert len(thread.pending) == 16
    assert "made 1,000 calls" in str(thread.calls[-1].output)
    # Neither in the message that keeps the answer, nor on anybody's stream.
    assert max(len(message.body or "") for message in thread.messages) < 10_000
    assert sum(event.kind is EventKind.PROPOSED for event in told) == 17
    [_, said] = model.prompts[1].history
    assert isinstance(said, ModelSaid)
    assert len(said.answer.proposals) == len(said.outputs) == 17
    assert turn.text == "Done."


async def test_no_judge_is_asked_about_calls_beyond_the_cap(world: World, owner: Person) -> None:
    asked: list[object] = []
    answer = says("", *(calls("pay", amount=number) for number in range(50)))
    async with world([answer], pay) as assent:
        await assent.send(
            "agent", "go", by=owner, ask_when=lambda arguments, _: not asked.append(arguments)
        )
    assert len(asked) == 16


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_that_is_too_long_by_its_calls_alone_fails_its_turn(
    world: World, owner: Person, stream: bool
) -> None:
    answer = says("", *(calls("pay", amount=number) for number in range(100)))
    limits = Limits(answer_chars=1_000)
    async with world([answer], pay, limits=limits, stream=stream) as assent:
        turn = await assent.send("agent", "go", by=owner)
    assert turn.status is TurnStatus.FAILED
    assert "longer than 1,000 characters" in str(turn.error)
    assert turn.calls == ()


async def until_waiting(assent: Assent, turn_id: str) -> AsyncGenerator[Event]:
    async for event in assent.events(turn_id):
        yield event
        if event.kind is EventKind.WAITING:
            return
