"""A model whose stream does not end by itself."""

import asyncio
from collections.abc import AsyncGenerator
from itertools import count

import pytest

from assent import Person
from assent.domain.lifecycle import TurnStatus
from assent.domain.messages import Answer, ArgumentsDelta, Delta, Prompt, ReasoningDelta, TextDelta
from assent.engine.agents import Limits
from assent.testing import ScriptedModel
from tests.conftest import World

PIECES = [TextDelta("word "), ReasoningDelta("hm "), ArgumentsDelta(0, "pay", '{"a": ')]


class Endless(ScriptedModel):
    """Says the same for ever."""

    def __init__(self, piece: Delta) -> None:
        super().__init__([])
        self.piece = piece
        self.is_closed = False

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        try:
            while True:
                await asyncio.sleep(0)
                yield self.piece
        finally:
            self.is_closed = True


class Calling(Endless):
    """Begins one call after the other, none of which says anything."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        try:
            for index in count():
                await asyncio.sleep(0)
                yield ArgumentsDelta(index, "pay", "")
        finally:
            self.is_closed = True


async def test_calls_without_end_fail_their_turn_and_are_hung_up_on(
    world: World, owner: Person
) -> None:
    model = Calling(PIECES[-1])
    async with world(model, limits=Limits(answer_chars=1_000)) as assent, asyncio.timeout(20):
        turn = await assent.send("agent", "go", by=owner)
    assert turn.status is TurnStatus.FAILED
    assert model.is_closed


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: type(piece).__name__)
async def test_an_answer_without_end_fails_its_turn_and_is_hung_up_on(
    world: World, owner: Person, piece: Delta
) -> None:
    model = Endless(piece)
    async with world(model, limits=Limits(answer_chars=1_000)) as assent, asyncio.timeout(20):
        turn = await assent.send("agent", "go", by=owner)
    assert turn.status is TurnStatus.FAILED
    assert turn.error is not None
    assert "longer than 1,000 characters" in turn.error
    assert model.is_closed
