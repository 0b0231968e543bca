"""Deferred tasks, deadlines, restarts and leases (conformance 105–117)."""

import asyncio
import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from assent import (
    ApprovalRequired,
    Assent,
    Context,
    Deferred,
    DidNotRun,
    OutcomeUnknown,
    Person,
    Tool,
    approve,
    hitl,
    reject,
    supply,
    tool,
)
from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.events import Event, EventKind
from assent.domain.lifecycle import (
    CallStatus,
    ConversationStatus,
    RequestKind,
    RequestStatus,
    TurnStatus,
)
from assent.domain.messages import ModelSaid
from assent.engine.settings import Times
from assent.errors import (
    AlreadyAnswered,
    Expired,
    InvalidOutput,
    NotFound,
    NothingAwaited,
    WrongTool,
)
from assent.ports import Tx
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conformance.records import everything
from tests.conformance.scenes import UNASKED
from tests.conftest import QUICK, World

DAY = timedelta(days=1)


def build(task_id: str = "task-1", **said: Any) -> Tool:
    """A tool that starts something and answers later."""

    @tool(name="build", output=dict[str, int], **said)
    async def build(target: str) -> Deferred:
        """Build something."""
        return Deferred(task_id)

    return build


def building(*more: Any) -> ScriptedModel:
    return ScriptedModel([says("", calls("build", target="all"), *more), "Done."])


def told(model: ScriptedModel) -> Any:
    said = model.prompts[-1].history[-1]
    assert isinstance(said, ModelSaid)
    return said.outputs[0].content


class Deleting:
    """A gated tool that counts its runs."""

    def __init__(self, **said: Any) -> None:
        self.ran = 0

        @tool(name="delete_file", requires_approval=True, **said)
        async def delete_file(path: str) -> str:
            """Delete a file."""
            self.ran += 1
            return "deleted"

        self.tool: Tool = delete_file


def deleting() -> ScriptedModel:
    return ScriptedModel([says("", calls("delete_file", path="a")), "Done."])


# conformance: 105
async def test_a_deferred_call_awaits_its_result_by_task_id(world: World, owner: Person) -> None:
    model = building()
    async with world(model, build()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)

    assert turn.status is TurnStatus.WAITING
    assert turn.calls[0].status is CallStatus.AWAITING_RESULT
    assert turn.calls[0].task_id == "task-1"
    assert thread.status is ConversationStatus.AWAITING_HITL
    assert len(model.prompts) == 1


# conformance: 105
async def test_a_task_id_that_is_taken_fails_the_second_call_only(
    world: World, owner: Person
) -> None:
    model = building(calls("build", target="docs"))
    async with world(model, build()) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert sorted(call.status for call in turn.calls) == [
        CallStatus.AWAITING_RESULT,
        CallStatus.FAILED,
    ]


# conformance: 106, 109
@pytest.mark.parametrize("by_task", [True, False])
async def test_a_task_is_delivered_once_by_task_id_or_call_id(
    world: World, owner: Person, by_task: bool
) -> None:
    model = building()
    async with world(model, build()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        id = "task-1" if by_task else turn.calls[0].id
        await assent.resolve(id, {"files": 3}, tool="build")
        turn = await assent.wait(turn.id)

    assert turn.status is TurnStatus.DONE
    assert told(model) == '{"files":3}'
    assert len(model.prompts) == 2


# conformance: 106
@pytest.mark.parametrize("output", [{"files": 3}, {"files": 4}])
async def test_a_task_that_is_settled_cannot_be_settled_again(
    world: World, owner: Person, output: Json
) -> None:
    model = building()
    async with world(model, build()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.resolve("task-1", {"files": 3})
        before = await assent.wait(turn.id)
        with pytest.raises(AlreadyAnswered):
            await assent.resolve("task-1", output)
        with pytest.raises(AlreadyAnswered):
            await assent.fail("task-1", "too late")
        ignored = await assent.resolve("task-1", output, if_settled="ignore")
        after = await assent.turn(turn.id)

    assert ignored.replayed
    assert ignored.status is RequestStatus.ANSWERED
    assert after == before
    assert len(model.prompts) == 2


# conformance: 107
async def test_an_output_that_breaks_the_schema_changes_nothing(
    world: World, owner: Person
) -> None:
    model = building()
    async with world(model, build()) as assent:
        await assent.send("agent", "go", by=owner)
        before = await everything(world.url, without=frozenset({"audit"}))
        with pytest.raises(InvalidOutput):
            await assent.resolve("task-1", {"files": "three"})
        after = await everything(world.url, without=frozenset({"audit"}))
        refused = [entry.action for entry in await assent.audit()].count("refused")

    assert after == before
    assert refused == 1
    assert len(model.prompts) == 1


# conformance: 108
async def test_a_resolver_of_another_tool_is_refused(world: World, owner: Person) -> None:
    async with world(building(), build()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        before = await everything(world.url)
        for settle in (
            assent.resolve("task-1", {"files": 3}, tool="deploy"),
            assent.fail("task-1", "no", tool="deploy"),
            assent.cancel("task-1", tool="deploy"),
        ):
            with pytest.raises(WrongTool):
                await settle
        after = await everything(world.url)
        turn = await assent.turn(turn.id)

    assert after == before
    assert turn.calls[0].status is CallStatus.AWAITING_RESULT


# conformance: 108
async def test_a_resolver_that_does_not_have_the_tool_is_refused(
    world: World, owner: Person
) -> None:
    async with world(building(), build()) as assent:
        await assent.send("agent", "go", by=owner)
    before = await everything(world.url)
    async with world([], worker=False) as stranger:
        with pytest.raises(NotFound, match="tool 'build'"):
            await stranger.resolve("task-1", {"files": 3})
    assert await everything(world.url) == before


# conformance: 109
async def test_an_unknown_task_is_an_error(world: World, owner: Person) -> None:
    async with world(building(), build()) as assent:
        await assent.send("agent", "go", by=owner)
        with pytest.raises(NotFound):
            await assent.resolve("task-2", {"files": 3})


# conformance: 110
async def test_settling_a_task_leaves_other_pauses_alone(world: World, owner: Person) -> None:
    deletion = Deleting()
    model = building(calls("delete_file", path="a"))
    async with world(model, build(), deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.resolve("task-1", {"files": 3})
        turn = await assent.wait(turn.id)

    assert turn.status is TurnStatus.WAITING
    assert [request.kind for request in turn.pending] == [RequestKind.APPROVAL]
    assert deletion.ran == 0
    assert len(model.prompts) == 1


# conformance: 111
async def test_fail_and_cancel_end_differently_and_carry_the_reason(
    world: World, owner: Person
) -> None:
    async def ended(how: str) -> tuple[Call, str]:
        model = building()
        async with world(model, build(f"task-{how}")) as assent:
            turn = await assent.send("agent", "go", by=owner)
            settle = assent.fail if how == "fail" else assent.cancel
            await settle(f"task-{how}", f"because of {how}")
            turn = await assent.wait(turn.id)
        return turn.calls[0], json.loads(told(model))["error"]

    failed, failure = await ended("fail")
    cancelled, cancellation = await ended("cancel")

    assert (failed.status, failure) == (CallStatus.FAILED, "because of fail")
    assert (cancelled.status, cancellation) == (CallStatus.CANCELLED, "because of cancel")


# conformance: 112
async def test_a_question_nobody_answers_expires_with_a_message_of_its_own(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    deletion, model = Deleting(), deleting()
    async with world(model, deletion.tool, clock=clock) as assent:
        turn = await assent.send("agent", "go", by=owner)
        clock.advance(DAY)
        await assent.sweeper.sweep()
        turn = await assent.wait(turn.id)
        pending = await assent.pending()
        decided = await _decisions(assent, turn.id)

    assert deletion.ran == 0
    assert pending == []
    assert turn.calls[0].status is CallStatus.EXPIRED
    assert json.loads(told(model)) == {"error": "Approval request timed out."}
    assert [event.data["status"] for event in decided] == ["expired"]
    assert turn.status is TurnStatus.DONE


# conformance: 112
async def test_a_tool_sets_how_long_its_question_is_open(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    deletion = Deleting(decide_within=timedelta(minutes=1))
    async with world(deleting(), deletion.tool, clock=clock) as assent:
        turn = await assent.send("agent", "go", by=owner)
        clock.advance(timedelta(seconds=59))
        assert await assent.sweeper.sweep() == 0
        clock.advance(timedelta(seconds=1))
        await assent.sweeper.sweep()
        turn = await assent.wait(turn.id)

    assert turn.calls[0].status is CallStatus.EXPIRED


# conformance: 113
@pytest.mark.parametrize("is_swept", [True, False])
async def test_a_decision_after_the_deadline_is_refused_as_expired(
    world: World, owner: Person, clock: VirtualClock, is_swept: bool
) -> None:
    deletion, model = Deleting(), deleting()
    # A sweeper that never looks: the decision itself has to find out.
    times = Times(lease=QUICK.lease, look=timedelta(hours=1), flush=QUICK.flush)
    async with world(model, deletion.tool, clock=clock, times=times) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        clock.advance(DAY)
        if is_swept:
            await assent.sweeper.sweep()
        for _ in range(2):
            with pytest.raises(Expired):
                await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        closed = await assent.request(request.id)

    assert closed.status is RequestStatus.EXPIRED
    assert turn.calls[0].status is CallStatus.EXPIRED
    assert deletion.ran == 0
    assert len(model.prompts) == 2


# conformance: 114
async def test_a_decision_and_the_deadline_have_one_outcome(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    deletion = Deleting(decide_within=timedelta(seconds=1))

    def script(prompt: Any) -> Any:
        said = prompt.history[-1]
        return "Done." if isinstance(said, ModelSaid) else says("", calls("delete_file", path="a"))

    winners: set[str] = set()
    async with world(script, deletion.tool, clock=clock) as assent:
        for number in range(30):
            turn = await assent.send("agent", "go", by=owner)
            ran = deletion.ran
            verdict = approve() if number % 3 else reject("no")
            clock.advance(timedelta(milliseconds=990))
            [request] = turn.pending
            won, _ = await asyncio.gather(
                _winner(assent, request.id, verdict, owner), _ticking(clock, assent)
            )
            turn = await assent.wait(turn.id)
            request = await assent.request(request.id)
            shown = await _decisions(assent, turn.id)
            winners.add(won)
            assert request.status == won
            assert [event.data["status"] for event in shown] == [won]
            assert turn.calls[0].status == {"approved": "succeeded"}.get(won, won)
            assert deletion.ran - ran == (won == "approved")
    assert winners <= {"approved", "rejected", "expired"}


async def _winner(assent: Assent, id: str, verdict: Any, by: Person) -> str:
    """Decide, and say which outcome won; anything but being late is a failure."""
    try:
        return (await assent.decide(id, verdict, by=by)).status
    except Expired:
        return "expired"


async def _ticking(clock: VirtualClock, assent: Assent) -> None:
    for _ in range(4):
        clock.advance(timedelta(milliseconds=5))
        await assent.sweeper.sweep()


async def _decisions(assent: Assent, turn_id: str) -> list[Event]:
    events = [event async for event in assent.events(turn_id)]
    return [event for event in events if event.kind is EventKind.DECIDED]


# conformance: 115
async def test_a_restart_keeps_the_question_and_its_deadline(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    deletion = Deleting()
    async with world(deleting(), deletion.tool, clock=clock) as assent:
        turn = await assent.send("agent", "go", by=owner)
    clock.advance(timedelta(hours=23))
    async with world(ScriptedModel(["Done."]), deletion.tool, clock=clock) as assent:
        [request] = await assent.pending(person=owner)
        await assent.decide(request.id, approve(), by=owner, digest=turn.pending[0].digest)
        after = await assent.wait(turn.id)

    assert request == turn.pending[0]
    assert after.status is TurnStatus.DONE
    assert deletion.ran == 1


# conformance: 115
async def test_a_restart_does_not_prolong_the_question(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    deletion = Deleting()
    async with world(deleting(), deletion.tool, clock=clock) as assent:
        turn = await assent.send("agent", "go", by=owner)
    clock.advance(DAY)
    async with world(ScriptedModel(["Done."]), deletion.tool, clock=clock) as assent:
        after = await assent.wait(turn.id)

    assert after.calls[0].status is CallStatus.EXPIRED
    assert deletion.ran == 0


async def _abandoned_turn(world: World, owner: Person, clock: VirtualClock) -> str:
    """A turn that a worker took and never gave back."""
    async with world([], worker=False, clock=clock) as front:
        turn_id = await front.start("agent", "go", by=owner)
        lease = timedelta(seconds=30)
        taken = await front.kernel.store.run(lambda tx: tx.turns.claim(turn_id, "dead", lease))
    assert taken is not None
    assert taken.status is TurnStatus.RUNNING
    return turn_id


# conformance: 116
async def test_a_turn_whose_worker_died_goes_on(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    turn_id = await _abandoned_turn(world, owner, clock)
    clock.advance(timedelta(seconds=31))
    async with world(["Here I am."], clock=clock) as assent:
        turn = await assent.wait(turn_id)

    assert turn.status is TurnStatus.DONE
    assert turn.text == "Here I am."


# conformance: 116
async def test_turns_of_living_workers_and_finished_turns_are_left_alone(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    model = ScriptedModel(["First.", "Second."])
    async with world(model, clock=clock) as assent:
        done = await assent.send("agent", "one", by=owner)
        # It looks only when told to, below: or it takes the next turn before the other one can.
        await assent._worker.rest()
        turn_id = await _abandoned_turn(world, owner, clock)
        before = await everything(world.url)
        await assent.reconciler.reconcile()
        await assent.sweeper.sweep()
        after = await everything(world.url)
        asked = len(model.prompts)
        clock.advance(timedelta(seconds=31))
        await assent.reconciler.reconcile()
        turn = await assent.wait(turn_id)

    assert after == before
    assert asked == 1
    assert (done.status, turn.text) == (TurnStatus.DONE, "Second.")


async def _abandoned_call(
    world: World, owner: Person, clock: VirtualClock, deletion: Deleting, **row: Any
) -> str:
    """An approved call that a worker claimed and never settled."""
    async with world(deleting(), deletion.tool, clock=clock) as assent:
        turn = await assent.send("agent", "go", by=owner)
    async with world([], deletion.tool, worker=False, clock=clock) as front:
        await front.decide(turn.pending[0].id, approve(), by=owner)

        def claim(tx: Tx) -> bool:
            call = tx.calls.get(turn.calls[0].id)
            assert call is not None
            return tx.calls.move(
                call,
                CallStatus.RUNNING,
                fence=call.fence + 1,
                attempts=1,
                worker="dead",
                lease_until=timedelta(seconds=30),
                **row,
            )

        assert await front.kernel.store.run(claim)
    clock.advance(timedelta(seconds=31))
    return turn.id


# conformance: 116
async def test_a_call_whose_worker_died_is_in_doubt_and_not_run_again(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    deletion = Deleting()
    turn_id = await _abandoned_call(world, owner, clock, deletion)
    async with world(["Done."], deletion.tool, clock=clock) as assent:
        turn = await assent.wait(turn_id)
        thread = await assent.conversation(turn.conversation_id)

    assert deletion.ran == 0
    assert turn.calls[0].status is CallStatus.IN_DOUBT
    assert [request.kind for request in turn.pending] == [RequestKind.OUTCOME]
    assert turn.pending[0].decide_by is None
    assert thread.status is ConversationStatus.IN_DOUBT


# conformance: 116
async def test_an_idempotent_call_whose_worker_died_is_run_again(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    deletion = Deleting(idempotent=True)
    turn_id = await _abandoned_call(world, owner, clock, deletion)
    async with world(["Done."], deletion.tool, clock=clock) as assent:
        turn = await assent.wait(turn_id)

    assert deletion.ran == 1
    assert turn.status is TurnStatus.DONE


# conformance: 116
async def test_a_lost_call_that_cannot_be_read_holds_up_no_other_and_no_start(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    deletion = Deleting()
    damaged = await _abandoned_call(world, owner, clock, deletion, supplied="{")
    turn_id = await _abandoned_call(world, owner, clock, deletion)
    async with world(["Done."], deletion.tool, clock=clock) as assent:
        turn = await assent.wait(turn_id)
        assert turn.calls[0].status is CallStatus.IN_DOUBT

        [request] = turn.pending
        await assent.decide(request, DidNotRun(), by=owner)
        assert (await assent.wait(turn)).status is TurnStatus.DONE
        assert (await assent.turn(damaged)).calls[0].status is CallStatus.RUNNING

    assert deletion.ran == 0


# conformance: 116
async def test_only_a_turn_that_failed_can_be_resumed(world: World, owner: Person) -> None:
    deletion = Deleting()
    async with world(["Hello.", *[says("", calls("delete_file", path="a"))]], deletion.tool) as one:
        done = await one.send("agent", "go", by=owner)
        waiting = await one.send("agent", "go", by=owner)
        for turn in (done, waiting):
            with pytest.raises(NothingAwaited):
                await one.resume(turn.id, by=owner)
        with pytest.raises(NotFound):
            await one.resume("turn_unknown", by=owner)
        with pytest.raises(NotFound):
            await one.resume(done.id, by=Person("eve"))


# conformance: 117
async def test_waiting_for_people_does_not_use_up_the_tools_time(
    world: World, owner: Person
) -> None:
    limit = timedelta(milliseconds=300)

    @tool(**UNASKED, timeout=limit)
    async def delete_file(path: str, context: Context) -> str:
        """Delete a file, but ask before."""
        if not context.approved:
            raise ApprovalRequired({"reason": "it is not empty"})
        return "deleted"

    async with world(deleting(), delete_file) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await asyncio.sleep(limit.total_seconds() * 1.1)
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.calls[0].status is CallStatus.SUCCEEDED


# conformance: 117
async def test_a_person_may_take_longer_than_the_tool_to_answer(
    world: World, owner: Person
) -> None:
    limit = timedelta(milliseconds=300)

    async def called(path: str) -> None:
        """Leave it to a person."""

    async def received(value: Mapping[str, Json]) -> str:
        return "read"

    work = hitl(
        "delete_file",
        output=str,
        on_tool_called=called,
        on_response_received=received,
        timeout=limit,
        **UNASKED,
    )
    async with world(deleting(), work) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await asyncio.sleep(limit.total_seconds() * 1.1)
        await assent.decide(turn.pending[0].id, supply("x"), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.result(turn.calls[0].id) == "read"


# conformance: 117
@pytest.mark.parametrize("asks", [True, False])
async def test_asking_for_approval_uses_up_no_retry(
    world: World, owner: Person, asks: bool
) -> None:
    tried: list[int] = []

    @tool(name="delete_file", **UNASKED, idempotent=True)
    async def delete_file(path: str, context: Context) -> str:
        """Delete a file over a bad line."""
        if asks and not context.approved:
            raise ApprovalRequired
        tried.append(context.attempt)
        if len(tried) < 3:
            raise OutcomeUnknown("the line is bad")
        return "deleted"

    async with world(deleting(), delete_file) as assent:
        turn = await assent.send("agent", "go", by=owner)
        if asks:
            await assent.decide(turn.pending[0].id, approve(), by=owner)
            turn = await assent.wait(turn.id)

    assert len(tried) == 3
    assert turn.calls[0].status is CallStatus.SUCCEEDED
    assert turn.status is TurnStatus.DONE
