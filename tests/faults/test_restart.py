"""What a process that starts again finds, and what people can do with it."""

import asyncio
import signal

import pytest

from assent import Agent, Assent, DidNotRun, Ran, RunAgain, approve
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus, TurnStatus
from assent.engine.queries.snapshots import Turn
from assent.errors import NotFound, NothingAwaited
from assent.testing import ScriptedModel
from tests.faults.nursery import DEADLINE_SECONDS, Nursery
from tests.faults.worker_program import (
    ADA,
    AFTER_EFFECT,
    BEFORE_EFFECT,
    KEY,
    TIMES,
    Counter,
    Order,
    engine,
)


def die(nursery: Nursery, url: str, counter: Counter, place: str, kind: str = "gated") -> None:
    child = nursery.start(Order(url=url, counter=counter.path, kind=kind, dies=place))
    assert child.end() == -signal.SIGKILL


# conformance: 115
async def test_a_pending_request_survives_with_its_deadline(
    nursery: Nursery, url: str, counter: Counter
) -> None:
    die(nursery, url, counter, "before_decision")
    async with engine(url, counter, worker=False) as reader:
        [asked] = await reader.pending(person=ADA)

    async with engine(url, counter) as assent, asyncio.timeout(DEADLINE_SECONDS):
        [found] = await assent.pending(person=ADA)
        assert found == asked
        assert found.decide_by is not None
        decided = await assent.decide(found.id, approve(), by=ADA)
        turn = await assent.wait(decided.turn_id)

    assert turn.status is TurnStatus.DONE
    assert counter.lines() == ["paid 5"]


# conformance: 61
async def test_a_call_that_died_in_its_body_is_reported_in_doubt(
    nursery: Nursery, url: str, counter: Counter
) -> None:
    die(nursery, url, counter, AFTER_EFFECT)
    async with engine(url, counter) as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn = await assent.send("agent", "gated", by=ADA, idempotency_key=KEY)
        [call], [request] = turn.calls, turn.pending

        assert call.status is CallStatus.IN_DOUBT
        assert request.kind is RequestKind.OUTCOME
        assert request.decide_by is None
        assert counter.lines() == ["paid 5"]
        decisions = [e.action for e in await assent.audit(call_id=call.id)]
        assert decisions == ["propose", "gate", "approve", "claim", "doubt"]


# conformance: 61
async def test_a_call_declared_idempotent_is_tried_again(
    nursery: Nursery, url: str, counter: Counter
) -> None:
    die(nursery, url, counter, AFTER_EFFECT, "idempotent")
    async with engine(url, counter) as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn = await assent.send("agent", "idempotent", by=ADA, idempotency_key=KEY)

    assert turn.status is TurnStatus.DONE
    assert counter.lines() == ["paid 5", "paid 5"]
    assert turn.calls[0].attempts == 2


async def resolved(url: str, counter: Counter, verdict: Verdict, expected: RequestStatus) -> Turn:
    async with engine(url, counter) as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn = await assent.send("agent", "gated", by=ADA, idempotency_key=KEY)
        [request] = turn.pending
        decided = await assent.decide(request.id, verdict, by=ADA)
        assert decided.status is expected
        return await assent.wait(turn.id)


async def test_a_person_says_that_it_ran(nursery: Nursery, url: str, counter: Counter) -> None:
    die(nursery, url, counter, AFTER_EFFECT)
    turn = await resolved(url, counter, Ran(output="paid 5"), RequestStatus.ANSWERED)

    assert turn.status is TurnStatus.DONE
    assert turn.calls[0].status is CallStatus.SUCCEEDED
    assert counter.lines() == ["paid 5"]


async def test_a_person_says_that_it_did_not_run(
    nursery: Nursery, url: str, counter: Counter
) -> None:
    die(nursery, url, counter, BEFORE_EFFECT)
    turn = await resolved(url, counter, DidNotRun(), RequestStatus.ANSWERED)

    assert turn.status is TurnStatus.DONE
    assert turn.calls[0].status is CallStatus.FAILED
    assert counter.lines() == []


async def test_a_person_lets_it_run_again(nursery: Nursery, url: str, counter: Counter) -> None:
    die(nursery, url, counter, BEFORE_EFFECT)
    turn = await resolved(url, counter, RunAgain(), RequestStatus.APPROVED)

    assert turn.status is TurnStatus.DONE
    assert turn.calls[0].status is CallStatus.SUCCEEDED
    assert counter.lines() == ["paid 5"]


# conformance: 62
async def test_a_tool_that_is_gone_after_the_approval_fails_the_call(
    nursery: Nursery, url: str, counter: Counter
) -> None:
    die(nursery, url, counter, "before_decision")
    async with engine(url, counter, worker=False) as clerk:
        [request] = await clerk.pending(person=ADA)
        decided = await clerk.decide(request.id, approve(), by=ADA)

    async with engine(url, counter, lacks="pay") as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn = await assent.wait(decided.turn_id)

    assert turn.status is TurnStatus.DONE
    assert turn.calls[0].status is CallStatus.FAILED
    assert "no longer there" in (turn.calls[0].output or "")
    assert counter.lines() == []


# conformance: 62
async def test_an_approved_call_whose_agent_is_gone_fails_and_so_does_its_turn(
    nursery: Nursery, url: str, counter: Counter
) -> None:
    die(nursery, url, counter, "before_decision")
    async with engine(url, counter, worker=False) as clerk:
        [request] = await clerk.pending(person=ADA)
        decided = await clerk.decide(request.id, approve(), by=ADA)

    other = Agent("other", model=ScriptedModel([]))
    async with Assent(url, agents=other, times=TIMES) as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn = await assent.wait(decided.turn_id)

    assert turn.calls[0].status is CallStatus.FAILED
    assert "no longer there" in (turn.calls[0].output or "")
    assert turn.status is TurnStatus.FAILED
    assert counter.lines() == []


# conformance: 62
@pytest.mark.parametrize("verdict", [Ran(output="paid 5"), DidNotRun(), RunAgain()], ids=repr)
async def test_a_call_in_doubt_can_be_resolved_although_its_tool_is_gone(
    nursery: Nursery, url: str, counter: Counter, verdict: Verdict
) -> None:
    die(nursery, url, counter, AFTER_EFFECT)
    async with engine(url, counter, lacks="pay") as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn = await assent.send("agent", "gated", by=ADA, idempotency_key=KEY)
        assert turn.calls[0].status is CallStatus.IN_DOUBT
        [request] = turn.pending
        await assent.decide(request.id, verdict, by=ADA)
        turn = await assent.wait(turn.id)

    ran = isinstance(verdict, Ran)
    assert turn.status is TurnStatus.DONE
    assert turn.calls[0].status is (CallStatus.SUCCEEDED if ran else CallStatus.FAILED)
    assert counter.lines() == ["paid 5"]


# conformance: 116
async def test_a_turn_whose_worker_died_is_resumed_and_a_finished_one_is_not(
    nursery: Nursery, url: str, counter: Counter
) -> None:
    die(nursery, url, counter, "before_answer")
    async with engine(url, counter) as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn = await assent.send("agent", "gated", by=ADA, idempotency_key=KEY)
        assert (turn.status, turn.text) == (TurnStatus.DONE, "Done.")
        assert [call.attempts for call in turn.calls] == [1]

        with pytest.raises(NothingAwaited):
            await assent.resume(turn.id, by=ADA)
        with pytest.raises(NotFound):
            await assent.resume("turn_unknown", by=ADA)
    assert counter.lines() == ["paid 5"]
