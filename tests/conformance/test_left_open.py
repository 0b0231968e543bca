"""A turn ends while a call has no outcome yet: the model is told so, and people still decide."""

import asyncio
from datetime import timedelta

import pytest

from assent import (
    Assent,
    DidNotRun,
    OutcomeUnknown,
    Person,
    Ran,
    RunAgain,
    Tool,
    tool,
)
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import (
    CallStatus,
    ConversationStatus,
    RequestKind,
    TurnStatus,
)
from assent.domain.messages import ModelSaid, ToolOutput
from assent.engine.queries.snapshots import Turn
from assent.engine.settings import Texts
from assent.errors import PendingCalls
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conformance.scenes import call_of, statuses
from tests.conftest import World


class Line:
    """A tool over a bad line: the first time nobody can say whether it did its work."""

    def __init__(self) -> None:
        self.attempts = 0

        @tool(name="wire")
        async def wire() -> str:
            """Wire money over a bad line."""
            self.attempts += 1
            if self.attempts == 1:
                raise OutcomeUnknown("the line went dead")
            return "wired"

        self.tool: Tool = wire


def wiring() -> ScriptedModel:
    return ScriptedModel([says("", calls("wire")), "I see.", "And now?"])


def first_output(model: ScriptedModel) -> ToolOutput:
    """What the newest prompt says about the call of the first answer."""
    said = model.prompts[-1].history[1]
    assert isinstance(said, ModelSaid)
    return said.outputs[0]


async def said_next(assent: Assent, turn: Turn, by: Person, *, supersede: bool = False) -> Turn:
    on_pending = "supersede" if supersede else "refuse"
    return await assent.send(
        "agent", "go on", by=by, conversation_id=turn.conversation_id, on_pending=on_pending
    )


async def ended(assent: Assent, turn: Turn, by: Person, how: str) -> Turn:
    """The turn is stopped or superseded; returns the next one, in which the model answers."""
    if how == "stopped":
        await assent.stop(turn.id, by=by)
    return await said_next(assent, turn, by, supersede=how == "superseded")


# conformance: 90
async def test_a_message_while_a_call_is_in_doubt_is_refused_and_lists_it(
    world: World, owner: Person
) -> None:
    line, model = Line(), wiring()
    async with world(model, line.tool) as assent:
        turn = await assent.send("agent", "wire", by=owner)
        with pytest.raises(PendingCalls) as refused:
            await said_next(assent, turn, owner)
        thread = await assent.conversation(turn.conversation_id)

    assert refused.value.calls == (turn.calls[0].id,)
    assert thread.status is ConversationStatus.IN_DOUBT
    assert len(model.prompts) == 1


# conformance: 90, 129
@pytest.mark.parametrize("how", ["stopped", "superseded"])
async def test_a_turn_that_ends_in_doubt_tells_the_model_and_leaves_the_question_to_people(
    world: World, owner: Person, how: str
) -> None:
    line, model = Line(), wiring()
    async with world(model, line.tool) as assent:
        turn = await assent.send("agent", "wire", by=owner)
        [request] = turn.pending
        after = await ended(assent, turn, owner, how)
        before = await assent.turn(turn.id)
        still_open = await assent.pending(person=owner)

    assert (before.status, statuses(before)) == (TurnStatus.STOPPED, [CallStatus.IN_DOUBT])
    assert (after.status, after.text) == (TurnStatus.DONE, "I see.")
    output = first_output(model)
    assert Texts().unknown in str(output.content)
    assert "do not retry" in Texts().unknown
    assert output.failed
    assert [open_.id for open_ in still_open] == [request.id]
    assert line.attempts == 1


# conformance: 61, 90
@pytest.mark.parametrize(
    ("verdict", "came_to", "told"),
    [
        (Ran(output="it went through"), (CallStatus.SUCCEEDED, 1), "it went through"),
        (DidNotRun(reason="never arrived"), (CallStatus.FAILED, 1), "never arrived"),
        (RunAgain(), (CallStatus.SUCCEEDED, 2), "wired"),
    ],
    ids=["ran", "did not run", "run again"],
)
async def test_a_doubt_resolved_after_its_turn_is_what_the_model_reads_from_then_on(
    world: World, owner: Person, verdict: Verdict, came_to: tuple[CallStatus, int], told: str
) -> None:
    line, model = Line(), wiring()
    async with world(model, line.tool) as assent:
        turn = await assent.send("agent", "wire", by=owner)
        [request] = turn.pending
        await ended(assent, turn, owner, "superseded")
        await assent.decide(request.id, verdict, by=owner)
        await assent.wait(turn.id)
        settled = await call_of(assent, request.call_id)
        before = await assent.turn(turn.id)
        asked = len(model.prompts)
        await said_next(assent, turn, owner)

    assert (settled.status, line.attempts) == came_to
    # The turn is over: the answer to its question starts it no second time.
    assert (before.status, asked) == (TurnStatus.STOPPED, 2)
    assert told in str(first_output(model).content)


# conformance: 112
async def test_a_doubt_never_expires(world: World, owner: Person, clock: VirtualClock) -> None:
    line = Line()
    async with world(wiring(), line.tool, clock=clock) as assent:
        turn = await assent.send("agent", "wire", by=owner)
        clock.advance(timedelta(days=400))
        await assent.sweeper.sweep()
        await assent.reconciler.reconcile()
        after = await assent.turn(turn.id)
        await assent.decide(turn.pending[0].id, Ran(output="it did"), by=owner)
        done = await assent.wait(turn.id)

    assert after == turn
    assert [request.kind for request in after.pending] == [RequestKind.OUTCOME]
    assert (done.status, line.attempts) == (TurnStatus.DONE, 1)


# conformance: 129
@pytest.mark.parametrize("how", ["stopped", "superseded"])
async def test_a_body_that_runs_while_its_turn_ends_is_not_torn_down_and_is_recorded(
    world: World, owner: Person, how: str
) -> None:
    began, finish = asyncio.Event(), asyncio.Event()
    torn: list[str] = []

    @tool(name="wire")
    async def wire() -> str:
        """Wire money slowly."""
        began.set()
        try:
            await finish.wait()
        except asyncio.CancelledError:
            torn.append("cancelled")
            raise
        return "wired"

    model = wiring()
    async with world(model, wire) as assent, asyncio.timeout(20):
        turn_id = await assent.start("agent", "wire", by=owner)
        await began.wait()
        turn = await assent.turn(turn_id)
        after = await ended(assent, turn, owner, how)
        running = first_output(model)
        finish.set()
        settled = await assent.wait(turn_id)
        while settled.calls[0].status is CallStatus.RUNNING:
            settled = await assent.wait(turn_id)
        await said_next(assent, turn, owner)

    assert torn == []
    assert after.text == "I see."
    assert Texts().unknown in str(running.content)
    assert (settled.status, statuses(settled)) == (TurnStatus.STOPPED, [CallStatus.SUCCEEDED])
    assert first_output(model).content == "wired"
