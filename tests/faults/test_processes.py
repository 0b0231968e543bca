"""Several real processes on one database."""

import asyncio
import signal
from pathlib import Path

import pytest

from assent import Ran, RunAgain, approve
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.errors import WorkerRunning
from tests.faults.nursery import DEADLINE_SECONDS, Nursery, until
from tests.faults.worker_program import ADA, Counter, Order, engine

TURNS = 16


async def test_a_second_sqlite_worker_is_refused_and_a_clerk_decides_beside_the_first(
    nursery: Nursery, tmp_path: Path, counter: Counter
) -> None:
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    nursery.start(Order(url=url, counter=counter.path, program="work"))
    await until(lambda: counter.has_flag("up"))

    with pytest.raises(WorkerRunning, match="worker=False"):
        async with engine(url, counter):
            pass

    async with engine(url, counter, worker=False) as clerk, asyncio.timeout(DEADLINE_SECONDS):
        turn = await clerk.send("agent", "gated", by=ADA)
        [request] = turn.pending
        await clerk.decide(request.id, approve(), by=ADA)
        await until(lambda: counter.lines() == ["paid 5"])
        turn = await clerk.wait(turn.id)

    assert turn.status is TurnStatus.DONE


async def test_a_new_sqlite_worker_may_start_as_soon_as_the_first_is_killed(
    nursery: Nursery, tmp_path: Path, counter: Counter
) -> None:
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    child = nursery.start(Order(url=url, counter=counter.path, program="work"))
    await until(lambda: counter.has_flag("up"))
    assert child.kill() == -signal.SIGKILL

    async with engine(url, counter) as assent:
        assert (await assent.send("agent", "ungated", by=ADA)).status is TurnStatus.DONE


# requirement: R13
@pytest.mark.postgres
async def test_two_workers_run_nothing_twice_and_one_finishes_what_the_other_left(
    nursery: Nursery, postgres_url: str, counter: Counter
) -> None:
    order = Order(url=postgres_url, counter=counter.path, program="work")
    doomed, _ = nursery.start(order), nursery.start(order)

    async with engine(postgres_url, counter, worker=False) as clerk:
        async with asyncio.timeout(DEADLINE_SECONDS):
            sent = [clerk.send("agent", f"gated {n}", by=ADA) for n in range(TURNS)]
            turns = await asyncio.gather(*sent)
            for turn in turns[: TURNS // 2]:
                await clerk.decide(turn.pending[0].id, approve(), by=ADA)
        doomed.kill()
        async with asyncio.timeout(DEADLINE_SECONDS):
            for turn in turns[TURNS // 2 :]:
                await clerk.decide(turn.pending[0].id, approve(), by=ADA)
            for number, turn in enumerate(turns):
                now = await clerk.wait(turn.id)
                for request in now.pending:
                    assert request.kind is RequestKind.OUTCOME
                    ran = f"paid {number}" in counter.lines()
                    verdict = Ran(output="paid") if ran else RunAgain()
                    await clerk.decide(request.id, verdict, by=ADA)
                    now = await clerk.wait(turn.id)
                assert now.status is TurnStatus.DONE
                assert [call.status for call in now.calls] == [CallStatus.SUCCEEDED]

    assert sorted(counter.lines()) == sorted(f"paid {n}" for n in range(TURNS))


# requirement: R13
@pytest.mark.postgres
async def test_what_one_worker_asked_another_runs(
    nursery: Nursery, postgres_url: str, counter: Counter
) -> None:
    order = Order(url=postgres_url, counter=counter.path, dies="before_decision")
    assert nursery.start(order).end() == -signal.SIGKILL

    async with engine(postgres_url, counter) as other, asyncio.timeout(DEADLINE_SECONDS):
        [request] = await other.pending(person=ADA)
        decided = await other.decide(request.id, approve(), by=ADA)
        turn = await other.wait(decided.turn_id)

    assert turn.status is TurnStatus.DONE
    assert counter.lines() == ["paid 5"]
