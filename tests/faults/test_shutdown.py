"""Leaving the context: work in flight may finish, the rest is resumable or in doubt."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta

import pytest

from assent import Person, Risk, approve, tool
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.domain.messages import Answer, Delta, Prompt
from assent.engine.settings import Times
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World
from tests.faults.nursery import DEADLINE_SECONDS

IMPATIENT = Times(
    lease=timedelta(seconds=2),
    look=timedelta(milliseconds=100),
    flush=timedelta(milliseconds=20),
    grace=timedelta(milliseconds=100),
)
PATIENT = Times(
    lease=timedelta(milliseconds=600),
    look=timedelta(milliseconds=100),
    flush=timedelta(milliseconds=20),
    grace=timedelta(seconds=10),
)


class Slow:
    """A tool whose body a test holds open."""

    def __init__(self) -> None:
        self.begun, self.go = asyncio.Event(), asyncio.Event()
        self.ran = 0

        @tool(risk=Risk.DANGEROUS, requires_approval=True)
        async def pay() -> str:
            """Pay somebody."""
            self.begun.set()
            await self.go.wait()
            self.ran += 1
            return "paid"

        self.tool = pay


class Silent(ScriptedModel):
    """A model that was asked and does not answer."""

    def __init__(self) -> None:
        super().__init__(())
        self.asked = asyncio.Event()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        self.asked.set()
        await asyncio.Event().wait()
        yield says()


def pays() -> ScriptedModel:
    return ScriptedModel([says("", calls("pay")), "Done."])


async def test_a_body_that_outlasts_the_grace_is_put_on_record_as_in_doubt(
    world: World, owner: Person
) -> None:
    slow = Slow()
    async with world(pays(), slow.tool, times=IMPATIENT) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        await slow.begun.wait()

    async with world(pays(), slow.tool, worker=False) as reader:
        turn = await reader.turn(turn.id)
        assert turn.calls[0].status is CallStatus.IN_DOUBT
        [request] = turn.pending
        assert request.kind is RequestKind.OUTCOME
        assert "stopped while it ran" in request.question.reason


async def test_a_body_that_ends_within_the_grace_is_recorded(world: World, owner: Person) -> None:
    slow = Slow()
    async with world(pays(), slow.tool) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        await slow.begun.wait()
        asyncio.get_running_loop().call_later(0.1, slow.go.set)

    async with world(pays(), slow.tool, worker=False) as reader:
        turn = await reader.turn(turn.id)
        assert turn.calls[0].status is CallStatus.SUCCEEDED
    assert slow.ran == 1


async def test_a_turn_in_the_middle_of_a_model_request_is_resumed_by_the_next_worker(
    world: World, owner: Person
) -> None:
    model = Silent()
    async with world(model, times=IMPATIENT) as assent:
        turn_id = await assent.start("agent", "hello", by=owner)
        await model.asked.wait()

    async with world(["Hello."], worker=False) as reader:
        assert (await reader.turn(turn_id)).status is TurnStatus.READY

    async with world(["Hello."]) as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn = await assent.wait(turn_id)
        assert (turn.status, turn.text) == (TurnStatus.DONE, "Hello.")


@pytest.mark.postgres
async def test_a_worker_that_shuts_down_keeps_its_lease_while_a_body_finishes(
    postgres_url: str, owner: Person
) -> None:
    """The grace is longer than the lease, and another worker looks for lost calls all the time."""
    slow, world = Slow(), World(postgres_url)
    async with world(pays(), slow.tool, times=PATIENT) as other:
        async with world(pays(), slow.tool, times=PATIENT) as leaving:
            turn = await leaving.send("agent", "pay", by=owner)
            await leaving.decide(turn.pending[0].id, approve(), by=owner)
            await slow.begun.wait()
            later = PATIENT.lease.total_seconds() * 3
            asyncio.get_running_loop().call_later(later, slow.go.set)

        async with asyncio.timeout(DEADLINE_SECONDS):
            turn = await other.wait(turn.id)
        assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED]
        actions = [entry.action for entry in await other.audit(call_id=turn.calls[0].id)]
        assert "doubt" not in actions
