"""Bodies that ask in the middle: what people answered is there until the call has ended."""

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from assent import (
    ApprovalRequired,
    Assent,
    Context,
    Field,
    InputRequired,
    UserInput,
    answer,
    approve,
    tool,
)
from assent.domain.lifecycle import RequestStatus
from assent.engine.runs.asides import Asides
from tests.conftest import World
from tests.engine.till import STAFF, one_call

FORM = UserInput("Which colour?", [Field("colour")])


async def waiting(assent: Assent) -> Any:
    async with asyncio.timeout(20):
        while not (found := await assent.pending()):  # noqa: ASYNC110 - it is in a database
            await asyncio.sleep(0.01)
    return found


@pytest.mark.parametrize("reason", [None, "It is dear."])
async def test_answers_outlast_an_approval_that_the_body_asks_for_afterwards(
    world: World, reason: str | None
) -> None:
    runs = list[Mapping[str, Any] | None]()

    @tool(requires_approval=False)
    async def pay(amount: int, to: str, ctx: Context) -> str:
        runs.append(ctx.answers)
        if ctx.answers is None:
            raise InputRequired(FORM, {"seen": 1})
        if not ctx.approved:
            raise ApprovalRequired(reason)
        return f"{ctx.answers['colour']}, {ctx.state}"

    async with world(one_call, pay) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        await assent.decide(turn.pending[0].id, answer({"colour": "red"}), by=STAFF)
        (request,) = await waiting(assent)
        await assent.decide(request, approve(), by=STAFF)
        await assent.wait(turn.id)
        (call,) = (await assent.conversation(turn.conversation_id)).calls
    assert call.result == "red, {'seen': 1}"
    assert runs == [None, {"colour": "red"}, {"colour": "red"}]


async def test_questions_beside_one_call_are_asked_one_after_the_other(world: World) -> None:
    answers, withdrawn = list[object](), asyncio.Event()

    @tool(requires_approval=False)
    async def pay(amount: int, to: str, ctx: Context) -> str:
        asides = Asides(kernel=assent.kernel)
        first, *others = [asyncio.create_task(asides.ask(ctx.call_id, FORM)) for _ in range(3)]
        await waiting(assent)
        first.cancel()
        await asyncio.wait({first})
        withdrawn.set()
        answers.extend(await asyncio.gather(*others))
        return "paid"

    colours = ("red", "blue")
    async with world(one_call, pay) as assent:
        turn = await assent.start("agent", "pay bob", by=STAFF)
        await withdrawn.wait()
        for colour in colours:
            (request,) = await waiting(assent)
            await assent.decide(request, answer({"colour": colour}), by=STAFF)
        await assent.wait(turn)
    assert answers == [(RequestStatus.ANSWERED, {"colour": colour}) for colour in colours]
