"""Leases and fences between real processes: who was suspended can neither start nor record."""

import asyncio
import signal
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent import (
    Assent,
    DidNotRun,
    Field,
    FieldType,
    Ran,
    Risk,
    RunAgain,
    UserInput,
    answer,
    approve,
    tool,
)
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.engine.queries.snapshots import Turn
from assent.errors import StoreUnavailable
from assent.ports import Tx
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conftest import World
from tests.faults.nursery import DEADLINE_SECONDS, Child, Nursery, until
from tests.faults.worker_program import ADA, KEY, TIMES, Counter, Order, engine


async def start(assent: Assent, kind: str) -> str:
    return await assent.start("agent", kind, by=ADA, idempotency_key=KEY)


async def rest(assent: Assent, turn_id: str) -> Turn:
    async with asyncio.timeout(DEADLINE_SECONDS):
        return await assent.wait(turn_id)


async def actions(assent: Assent, turn: Turn) -> list[str]:
    return [entry.action for entry in await assent.audit(call_id=turn.calls[0].id)]


async def suspended_after_the_claim(
    nursery: Nursery, url: str, counter: Counter
) -> tuple[Child, str]:
    """A worker process that plays the gated story and is suspended before the body."""
    order = Order(url=url, counter=counter.path, dies="after_claim", by="SIGSTOP")
    child = nursery.start(order)
    await child.stopped()
    async with engine(url, counter, worker=False) as reader:
        return child, await start(reader, "gated")


async def ended(child: Child) -> int:
    return await asyncio.to_thread(child.end)


# requirement: R12
@pytest.mark.postgres
async def test_a_worker_suspended_before_the_body_does_not_start_what_another_took(
    nursery: Nursery, postgres_url: str, counter: Counter
) -> None:
    child, turn_id = await suspended_after_the_claim(nursery, postgres_url, counter)
    async with engine(postgres_url, counter) as thief:
        turn = await rest(thief, turn_id)
        [request] = turn.pending
        assert request.kind is RequestKind.OUTCOME
        assert turn.calls[0].status is CallStatus.IN_DOUBT

        await thief.decide(request.id, DidNotRun(), by=ADA)
        turn = await rest(thief, turn_id)
        child.send(signal.SIGCONT)
        assert await ended(child) == 0

        assert counter.lines() == []
        assert (await thief.turn(turn_id)).calls[0].status is CallStatus.FAILED


# requirement: R12
@pytest.mark.postgres
async def test_a_worker_suspended_in_the_body_records_nothing_but_a_late_outcome(
    nursery: Nursery, postgres_url: str, counter: Counter
) -> None:
    order = Order(url=postgres_url, counter=counter.path, program="work")
    child = nursery.start(replace(order, dies="after_body", by="SIGSTOP"))
    async with engine(postgres_url, counter, worker=False) as clerk:
        turn_id = await start(clerk, "gated")
        [request] = (await rest(clerk, turn_id)).pending
        await clerk.decide(request.id, approve(), by=ADA)
        await child.stopped()
    async with engine(postgres_url, counter) as thief:
        [request] = (await rest(thief, turn_id)).pending
        assert request.kind is RequestKind.OUTCOME

        child.send(signal.SIGCONT)

        async def late() -> bool:
            return "late_outcome" in await actions(thief, await thief.turn(turn_id))

        await until(late)
        turn = await thief.turn(turn_id)
        assert turn.calls[0].status is CallStatus.IN_DOUBT
        assert turn.calls[0].output is None
        assert counter.lines() == ["paid 5"]

        # The late outcome is what lets a person say what happened.
        [entry] = [e for e in await thief.audit() if e.action == "late_outcome"]
        assert entry.data == {"outcome": "succeeded", "detail": "paid 5"}
        [again] = turn.pending
        assert again.question.reason.endswith('it ended meanwhile with: "paid 5"')
        await thief.decide(again.id, Ran(output="paid 5"), by=ADA)
        turn = await rest(thief, turn_id)
        assert turn.status is TurnStatus.DONE
        assert turn.calls[0].status is CallStatus.SUCCEEDED


# requirement: R12
@pytest.mark.postgres
async def test_a_call_that_was_run_again_is_not_settled_by_its_first_worker(
    nursery: Nursery, postgres_url: str, counter: Counter
) -> None:
    child, turn_id = await suspended_after_the_claim(nursery, postgres_url, counter)
    async with engine(postgres_url, counter) as thief:
        [request] = (await rest(thief, turn_id)).pending
        await thief.decide(request.id, RunAgain(), by=ADA)
        turn = await rest(thief, turn_id)
        assert turn.status is TurnStatus.DONE

        child.send(signal.SIGCONT)
        assert await ended(child) == 0

        assert counter.lines() == ["paid 5"]
        assert (await thief.turn(turn_id)).calls[0].fence == 2


# requirement: R12
async def test_a_worker_that_was_suspended_and_robbed_of_nothing_goes_on(
    nursery: Nursery, tmp_path: Path, counter: Counter
) -> None:
    """Its lease is over by its own clock, but nobody took the call: dropping it would lose it."""
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    child = nursery.start(Order(url=url, counter=counter.path, dies="after_claim", by="SIGSTOP"))
    await child.stopped()
    await asyncio.sleep(TIMES.lease.total_seconds() * 1.2)  # the length of the lease, not a hope
    child.send(signal.SIGCONT)

    assert await ended(child) == 0
    assert counter.lines() == ["paid 5"]
    async with engine(url, counter, worker=False) as reader:
        turn = await reader.turn(await start(reader, "gated"))
        assert "doubt" not in await actions(reader, turn)


# conformance: 116
@pytest.mark.postgres
async def test_turns_of_living_workers_and_finished_ones_are_untouched(
    nursery: Nursery, postgres_url: str, counter: Counter
) -> None:
    """A living worker's body runs for three leases beside another worker that looks for work."""
    nursery.start(Order(url=postgres_url, counter=counter.path, kind="slow"))
    await until(lambda: counter.lines() == ["began"])
    async with engine(postgres_url, counter) as other:
        turn_id = await start(other, "slow")
        await asyncio.sleep(TIMES.lease.total_seconds() * 3)  # three chances to steal it
        turn = await other.turn(turn_id)
        assert turn.calls[0].status is CallStatus.RUNNING
        assert "doubt" not in await actions(other, turn)

        counter.raise_flag("go")
        turn = await rest(other, turn_id)
        assert turn.status is TurnStatus.DONE
        assert counter.lines() == ["began", "paid 5"]

        fences = [call.fence for call in turn.calls]
        await other.reconciler.reconcile()
        turn = await other.turn(turn_id)
        assert [call.fence for call in turn.calls] == fences
        assert turn.status is TurnStatus.DONE


async def test_a_body_that_outlived_its_lease_is_not_doubted_by_its_own_worker(
    world: World, clock: VirtualClock
) -> None:
    """Whatever kept the heartbeat from beating: the worker that looks is the one that runs it."""
    begun, go = asyncio.Event(), asyncio.Event()

    @tool(risk=Risk.DANGEROUS, requires_approval=True)
    async def compute() -> str:
        """Compute for long."""
        begun.set()
        await go.wait()
        return "computed"

    times = replace(TIMES, lease=timedelta(seconds=60))
    script = [says("", calls("compute")), "Done."]
    async with world(script, compute, times=times, clock=clock) as assent:
        turn = await assent.send("agent", "compute", by=ADA)
        await assent.decide(turn.pending[0].id, approve(), by=ADA)
        await begun.wait()
        clock.advance(times.lease * 2)
        await assent.reconciler.reconcile()
        go.set()
        turn = await rest(assent, turn.id)

        assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED]
        assert "doubt" not in await actions(assent, turn)


async def test_a_call_whose_outcome_could_not_be_stored_is_not_kept_running_for_ever(
    tmp_path: Path, counter: Counter
) -> None:
    """A task that died leaves a row with its worker's name; the heartbeat must not feed it."""
    path = tmp_path / "assent.db"
    url = f"sqlite:///{path}"
    async with engine(url, counter) as assent:
        turn_id = await start(assent, "gated")
        [request] = (await rest(assent, turn_id)).pending
        with sqlite3.connect(path, isolation_level=None) as broken:
            broken.execute(
                "CREATE TRIGGER full BEFORE UPDATE ON calls WHEN NEW.status = 'succeeded' "
                "BEGIN SELECT RAISE(ABORT, 'no space'); END"
            )
        await assent.decide(request.id, approve(), by=ADA)
        turn = await rest(assent, turn_id)

        assert turn.calls[0].status is CallStatus.IN_DOUBT
        assert [request.kind for request in turn.pending] == [RequestKind.OUTCOME]
        assert counter.lines() == ["paid 5"]


async def test_a_call_whose_secrets_could_not_be_read_runs_once_when_the_database_is_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = list[str]()

    @tool(user_input=UserInput("To log in", [Field("pin", type=FieldType.SECRET)]))
    async def log_in(site: str, pin: str) -> str:
        """Log in."""
        given.append(pin)
        return "in"

    async with world([says("", calls("log_in", site="a")), "Done."], log_in, times=TIMES) as assent:
        turn = await assent.send("agent", "log in", by=ADA)
        store, refused = assent.kernel.store, list[object]()
        run = store.run

        async def out_once(work: Callable[[Tx], Any]) -> Any:
            if "Runner.resolved" in work.__qualname__ and not refused:
                refused.append(work)
                raise StoreUnavailable("the disk is full")
            return await run(work)

        monkeypatch.setattr(store, "run", out_once)
        await assent.decide(turn.pending[0], answer({"pin": "1234"}), by=ADA)
        turn = await rest(assent, turn.id)

    assert refused
    assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED]
    assert given == ["1234"]


class Pondering(ScriptedModel):
    """Answers only when it is told to."""

    def __init__(self) -> None:
        super().__init__("Done.")
        self.asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def request(self, prompt: Prompt) -> Answer:
        answer = await super().request(prompt)
        self.asked.set()
        await self.go_on.wait()
        return answer


async def test_a_worker_that_was_held_up_does_not_take_its_own_turn_again(world: World) -> None:
    model, unhurried = (
        Pondering(),
        replace(TIMES, lease=timedelta(hours=1), look=timedelta(hours=1)),
    )
    async with world(model, times=unhurried) as assent, asyncio.timeout(DEADLINE_SECONDS):
        turn_id = await start(assent, "hello")
        await model.asked.wait()
        # As if its heartbeat had been late.
        await assent.kernel.store.run(lambda tx: tx.leases.break_others("nobody"))
        await assent.reconciler.reconcile()
        model.go_on.set()
        turn = await assent.wait(turn_id)

    assert (turn.status, turn.text) == (TurnStatus.DONE, "Done.")
    assert len(model.prompts) == 1
