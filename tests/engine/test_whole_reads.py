"""Whoever looks at a turn while it is worked on sees each step of it whole, or not at all."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from sqlalchemy.util import await_only

from assent import Assent, Field, FieldType, Person, Tool, UserInput, answer, approve, tool
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import CallStatus, ConversationStatus, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.engine.queries.snapshots import Thread, Turn
from assent.ports import Tx
from assent.testing import calls, says
from tests.conftest import World

ADA = Person("ada")
ROUNDS = 20
WAITING = {
    TurnStatus.WAITING,
    ConversationStatus.AWAITING_APPROVAL,
    ConversationStatus.AWAITING_INPUT,
}
AT_WORK = {CallStatus.CLEARED, CallStatus.RUNNING}


def one_call(prompt: Prompt) -> Answer | str:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("I will.", calls("erase", path="a"))


def to_edit() -> Tool:
    @tool(requires_approval=True)
    async def erase(path: str) -> str:
        """Erase a file."""
        return f"erased {path}"

    return erase


def to_fill_in() -> Tool:
    @tool(user_input=UserInput("Why?", [Field("reason", type=FieldType.TEXT)]))
    async def erase(path: str, reason: str) -> str:
        """Erase a file."""
        return f"erased {path}: {reason}"

    return erase


def is_torn(seen: Turn | Thread) -> bool:
    """Whether it claims to wait although nobody is asked and nothing is under way."""
    at_work = any(call.status in AT_WORK for call in seen.calls)
    return seen.status in WAITING and not seen.pending and not at_work


async def seen_meanwhile(assent: Assent, turn: Turn, verdict: Verdict) -> list[Turn | Thread]:
    """What readers in a hurry see from before the decision until the turn is done."""
    seen: list[Turn | Thread] = []
    over = asyncio.Event()

    async def poll(look: Callable[[str], Awaitable[Turn | Thread]], id: str) -> None:
        while not over.is_set():
            seen.append(await look(id))

    looks = [(assent.turn, turn.id)] * 2 + [(assent.conversation, turn.conversation_id)]
    readers = [asyncio.create_task(poll(*look)) for look in looks]
    await assent.decide(turn.pending[0].id, verdict, by=ADA)
    done = await assent.wait(turn.id)
    over.set()
    await asyncio.gather(*readers)
    assert done.status is TurnStatus.DONE
    return seen


@pytest.mark.parametrize(
    ("erase", "verdict"),
    [(to_edit(), approve(args={"path": "b"})), (to_fill_in(), answer({"reason": "old"}))],
    ids=["an edit", "a form"],
)
async def test_nobody_sees_a_turn_wait_for_what_is_done(
    world: World, erase: Tool, verdict: Verdict
) -> None:
    async with world(one_call, erase) as assent:
        for _ in range(ROUNDS):
            turn = await assent.send("agent", "go", by=ADA)
            seen = await seen_meanwhile(assent, turn, verdict)
            assert [each for each in seen if is_torn(each)] == []


@pytest.mark.postgres
async def test_on_postgres_all_that_one_read_finds_is_of_one_moment(postgres_url: str) -> None:
    world = World(postgres_url)
    async with world(one_call, to_edit()) as assent, world(one_call, to_edit()) as other:
        turn = await assent.send("agent", "go", by=ADA)
        [request] = turn.pending

        async def decide_once() -> None:
            if (await other.request(request.id)).is_open:
                await other.decide(request.id, approve(), by=ADA)
                await other.wait(turn.id)

        def read(tx: Tx) -> tuple[Any, ...]:
            asked = tx.requests.look(request.id)
            await_only(decide_once())
            call, row = tx.calls.get(request.call_id), tx.turns.get(turn.id)
            assert asked is not None
            assert call is not None
            assert row is not None
            return asked.status, call.status, row.status

        assert await assent.kernel.store.run(read) == ("approved", "succeeded", "done")
