"""Many deciders, workers and clocks at once: one of them wins, and the record says which."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import permutations
from typing import Any

import pytest

from assent import (
    ApprovalRequired,
    Assent,
    Audience,
    Person,
    Risk,
    approve,
    cancel,
    reject,
    tool,
)
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.domain.requests import Request
from assent.engine.queries.snapshots import Turn
from assent.engine.settings import Times
from assent.engine.transitions import Raced
from assent.errors import (
    AlreadyApproved,
    AlreadyRejected,
    AlreadySettled,
    Cancelled,
    Expired,
    NothingAwaited,
    PendingCalls,
)
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conftest import World
from tests.store.rawsql import RawSql

DECIDERS = 32
RACES = 100
# A thousand over both databases.
THREE_WAY_RACES = int(os.environ.get("ASSENT_THREE_WAY_RACES", "500"))
CALLS_PER_TURN = 10
PATIENT = Times(lease=timedelta(hours=1), look=timedelta(milliseconds=100))


@dataclass
class Errands:
    """A gated tool that counts its side effects, and a model that calls it ten times a turn."""

    ran: list[int] = field(default_factory=list[int])

    def tool(self, **options: Any) -> Any:
        @tool(risk=Risk.DANGEROUS, requires_approval=True, **options)
        async def errand(number: int) -> str:
            """Run an errand."""
            self.ran.append(number)
            return f"ran {number}"

        return errand

    def model(self, per_turn: int = CALLS_PER_TURN) -> ScriptedModel:
        def script(prompt: Prompt) -> Answer | str:
            last = prompt.history[-1]
            if getattr(last, "outputs", None):
                return "Done."
            first = int(str(getattr(last, "text", "0")))
            wanted = [calls("errand", number=first + n) for n in range(per_turn)]
            return says("I will.", *wanted)

        return ScriptedModel(script)


@asynccontextmanager
async def replicas(
    world: World, errands: Errands, errand: Any, *, per_turn: int = CALLS_PER_TURN, **options: Any
) -> AsyncIterator[list[Assent]]:
    """Four engines on one database: two work on PostgreSQL, SQLite has one worker."""
    workers = 1 if world.url.startswith("sqlite") else 2
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                world(errands.model(per_turn), errand, worker=number < workers, **options)
            )
            for number in range(4)
        ]


async def asked(engine: Assent, owner: Person, first: int) -> Turn:
    turn = await engine.send("agent", str(first), by=owner)
    assert turn.status is TurnStatus.WAITING
    return turn


async def rested(engine: Assent, turn_id: str) -> Turn:
    """The turn at rest; one that never rests fails the test instead of holding it up."""
    async with asyncio.timeout(30):
        return await engine.wait(turn_id)


async def attempt(engine: Assent, request: Request, verdict: Verdict, by: Person) -> object:
    try:
        return await engine.decide(request.id, verdict, by=by)
    except AlreadySettled as error:
        return error


def ops(number: int) -> Person:
    return Person(f"ops-{number}", roles=frozenset({"ops"}))


def winner_of(answers: Sequence[object]) -> int:
    """The position of the one decision that counted."""
    won = [n for n, answer in enumerate(answers) if not isinstance(answer, AlreadySettled)]
    assert len(won) == 1
    return won[0]


async def decided_by_many(
    engines: list[Assent], request: Request, verdict: Callable[[int], Verdict]
) -> tuple[int, Sequence[object]]:
    """All deciders at once, spread over the engines; the winner and all the answers."""
    answers = await asyncio.gather(
        *(attempt(engines[n % len(engines)], request, verdict(n), ops(n)) for n in range(DECIDERS))
    )
    return winner_of(answers), answers


def assert_losers_know(
    answers: Sequence[object], winner: int, settled: Request, kind: type[AlreadySettled]
) -> None:
    """Every loser learns who won, when, and what holds now."""
    for number, answer in enumerate(answers):
        if number != winner:
            assert isinstance(answer, kind)
            assert answer.by == settled.closed_by == f"ops-{winner}"
            assert answer.at == settled.closed_at is not None
            assert answer.status == settled.status


# conformance: 59
# requirement: R1
async def test_of_32_concurrent_approvals_one_counts_and_the_tool_runs_once(
    world: World, owner: Person
) -> None:
    errands = Errands()
    errand = errands.tool(approvers=Audience.of("ops"))
    async with replicas(world, errands, errand) as engines:
        for first in range(0, RACES // 2, CALLS_PER_TURN):
            turn = await asked(engines[0], owner, first)
            for request in turn.pending:
                winner, answers = await decided_by_many(engines, request, lambda _: approve())
                settled = await engines[0].request(request.id)
                assert settled.status is RequestStatus.APPROVED
                assert_losers_know(answers, winner, settled, AlreadyApproved)
            turn = await rested(engines[0], turn.id)
            assert {call.status for call in turn.calls} == {CallStatus.SUCCEEDED}
    assert sorted(errands.ran) == list(range(RACES // 2))
    await assert_one_decision_each(world, RACES // 2)


# conformance: 60
# requirement: R1
async def test_of_32_approvals_and_rejections_one_counts_and_everything_agrees(
    world: World, owner: Person
) -> None:
    errands = Errands()
    errand = errands.tool(approvers=Audience.of("ops"))
    verdicts: tuple[Verdict, Verdict] = (approve(), reject("no"))
    approved: list[int] = []
    async with replicas(world, errands, errand) as engines:
        for first in range(0, RACES // 2, CALLS_PER_TURN):
            turn = await asked(engines[0], owner, first)
            for number, request in enumerate(turn.pending):
                winner, answers = await decided_by_many(
                    # Who starts alternates, so that both sides win.
                    engines,
                    request,
                    lambda n, start=number: verdicts[(n + start) % 2],
                )
                won = (winner + number) % 2 == 0
                settled = await engines[0].request(request.id)
                assert settled.status == ("approved" if won else "rejected")
                kind = AlreadyApproved if won else AlreadyRejected
                assert_losers_know(answers, winner, settled, kind)
                if won:
                    approved.append(first + number)
            turn = await rested(engines[0], turn.id)
            by_number = {call.arguments.thaw()["number"]: call.status for call in turn.calls}
            assert by_number == {
                n: CallStatus.SUCCEEDED if n in approved else CallStatus.REJECTED
                for n in range(first, first + CALLS_PER_TURN)
            }
    assert sorted(errands.ran) == approved
    await assert_one_decision_each(world, RACES // 2)


async def assert_one_decision_each(world: World, races: int) -> None:
    """Decisions, transitions and refusals in the tables are what the answers said."""
    raw = RawSql(world.url)
    assert await raw.one("SELECT count(*) FROM decisions") == races
    agreeing = """
        SELECT count(*) FROM decisions d
          JOIN requests r ON r.id = d.request_id AND r.closed_by = d.person
          JOIN audit a ON a.request_id = r.id AND a.actor = d.person
           AND a.source = 'awaiting_approval'
         WHERE (r.status, a.target) IN (('approved', 'cleared'), ('rejected', 'rejected'))"""
    assert await raw.one(agreeing) == races
    moved = "SELECT count(*) FROM audit WHERE source = 'awaiting_approval'"
    assert await raw.one(moved) == races
    refused = "SELECT count(*) FROM audit WHERE action = 'refused'"
    assert await raw.one(refused) == races * (DECIDERS - 1)


@dataclass
class ThreeWay:
    """One turn's requests, approved and cancelled and expired at the same moment."""

    engines: list[Assent]
    clock: VirtualClock
    owner: Person
    deadline: timedelta

    async def race(self, turn: Turn, order: tuple[int, ...], *, staggered: bool) -> list[object]:
        """Start the three sides in this order: at once, or once the first has an answer."""
        sides = [self._approve, self._cancel, self._expire]
        begun, at_once = asyncio.Event(), asyncio.Event()
        at_once.set()
        starts = [at_once, *([begun, begun] if staggered else [at_once, at_once])]
        started = [sides[n](turn, start, begun) for n, start in zip(order, starts, strict=True)]
        return [answer for answers in await asyncio.gather(*started) for answer in answers]

    async def _approve(
        self, turn: Turn, start: asyncio.Event, begun: asyncio.Event
    ) -> list[object]:
        await start.wait()
        return await self._decide(turn, begun, self.engines[0], approve())

    async def _cancel(self, turn: Turn, start: asyncio.Event, begun: asyncio.Event) -> list[object]:
        await start.wait()
        return await self._decide(turn, begun, self.engines[1], cancel("changed my mind"))

    async def _decide(
        self, turn: Turn, begun: asyncio.Event, engine: Assent, verdict: Verdict
    ) -> list[object]:
        first, *others = (attempt(engine, r, verdict, self.owner) for r in turn.pending)
        answer = await first
        begun.set()
        return [answer, *await asyncio.gather(*others)]

    async def _expire(self, turn: Turn, start: asyncio.Event, begun: asyncio.Event) -> list[object]:
        await start.wait()
        self.clock.advance(self.deadline)
        begun.set()
        await asyncio.gather(*(engine.sweeper.sweep() for engine in self.engines))
        return []


async def steps(count: int) -> None:
    """Let the others run so many steps of the loop."""
    for _ in range(count):
        await asyncio.sleep(0)


# conformance: 114
# requirement: R14
async def test_approve_cancel_and_deadline_race_and_one_of_them_wins(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    errands = Errands()
    deadline = timedelta(minutes=1)
    errand = errands.tool(decide_within=deadline)
    orders = list(permutations(range(3)))
    async with replicas(world, errands, errand, clock=clock, times=PATIENT) as engines:
        three = ThreeWay(engines, clock, owner, deadline)
        for round_, first in enumerate(range(0, THREE_WAY_RACES, CALLS_PER_TURN)):
            turn = await asked(engines[0], owner, first)
            # Half of the rounds give somebody a start, so that every side wins sometimes.
            order = orders[round_ % len(orders)]
            answers = await three.race(turn, order, staggered=round_ // len(orders) % 2 == 0)
            refused = [answer for answer in answers if isinstance(answer, AlreadySettled)]
            assert all(isinstance(e, AlreadyApproved | Cancelled | Expired) for e in refused)
            turn = await rested(engines[0], turn.id)
            assert turn.status is TurnStatus.DONE
    statuses = await assert_three_tables_agree(world, errands.ran)
    assert statuses.total() == THREE_WAY_RACES
    assert set(statuses) == {"approved", "cancelled", "expired"}


_CALL_OF = {"approved": "succeeded", "cancelled": "cancelled", "expired": "expired"}
_MOVE_OF = {"approved": "cleared", "cancelled": "cancelled", "expired": "expired"}


async def assert_three_tables_agree(world: World, ran: list[int]) -> Counter[str]:
    """Requests, calls, decisions, audit, events and side effects tell one story per call."""
    raw = RawSql(world.url)
    requests = await raw.rows("SELECT call_id, id, status, closed_by FROM requests")
    calls_ = dict(await raw.rows("SELECT id, status FROM calls"))
    voted = Counter(id for (id,) in await raw.rows("SELECT request_id FROM decisions"))
    moved = await raw.rows(
        "SELECT call_id, target, actor FROM audit WHERE source = 'awaiting_approval'"
    )
    told = await raw.rows("SELECT data FROM events WHERE kind = 'decided'")
    assert len(moved) == len(requests) == len(told)
    by_call = {call_id: (target, actor) for call_id, target, actor in moved}
    for call_id, request_id, status, by in requests:
        assert calls_[call_id] == _CALL_OF[status]
        assert by_call[call_id] == (_MOVE_OF[status], by)
        assert voted[request_id] == (status != "expired")
    statuses = Counter(status for _, _, status, _ in requests)
    assert len(ran) == len(set(ran)) == statuses["approved"]
    return statuses


# requirement: R14
async def test_stopping_the_turn_races_with_approvals_and_one_of_them_wins(
    world: World, owner: Person
) -> None:
    errands = Errands()
    errand = errands.tool()
    rounds = 20
    async with replicas(world, errands, errand, times=PATIENT) as engines:
        for round_ in range(rounds):
            turn = await asked(engines[0], owner, round_ * CALLS_PER_TURN)
            stopping = engines[-1] if round_ % 2 else engines[0]

            async def stop(
                turn: Turn = turn, engine: Assent = stopping, late: int = round_
            ) -> bool:
                await steps(late)
                try:
                    await engine.stop(turn.id, by=owner)
                except NothingAwaited:
                    return False
                return True

            stopped, *_ = await asyncio.gather(
                stop(),
                *(
                    attempt(engines[n % 4], request, approve(), owner)
                    for n, request in enumerate(turn.pending)
                ),
            )
            turn = await rested(engines[0], turn.id)
            assert turn.status is (TurnStatus.STOPPED if stopped else TurnStatus.DONE)
            await quiet(engines)
    raw = RawSql(world.url)
    assert await raw.one("SELECT count(*) FROM requests WHERE status = 'open'") == 0
    ended = Counter(dict.fromkeys(("succeeded", "cancelled"), 0))
    ended.update(status for (status,) in await raw.rows("SELECT status FROM calls"))
    assert ended.total() == rounds * CALLS_PER_TURN
    assert set(ended) == {"succeeded", "cancelled"}
    assert len(errands.ran) == len(set(errands.ran)) == ended["succeeded"]


async def quiet(engines: list[Assent]) -> None:
    """Until no call is cleared or running anywhere."""
    raw = RawSql(engines[0].kernel.store.url)  # pyright: ignore[reportAttributeAccessIssue]
    busy = "SELECT count(*) FROM calls WHERE status IN ('cleared', 'running')"
    async with asyncio.timeout(20):
        while await raw.one(busy):  # noqa: ASYNC110 - the rows say so, nobody else does
            await asyncio.sleep(0.02)


# requirement: T2
async def test_of_100_parallel_claims_of_one_approval_one_gets_it(
    world: World, owner: Person
) -> None:
    errands = Errands()
    errand = errands.tool()
    async with world(errands.model(1), errand) as asking:
        turn = await asked(asking, owner, 0)
    async with AsyncExitStack() as stack:
        engines = [
            await stack.enter_async_context(world(errands.model(1), errand, worker=False))
            for _ in range(4)
        ]
        [request] = turn.pending
        await engines[0].decide(request.id, approve(), by=owner)

        async def claim(engine: Assent) -> object:
            runner = engine._runner
            try:
                taken = await engine.kernel.store.run(lambda tx: runner._take(tx, request.call_id))
            except Raced as error:
                return error
            return taken.again

        claimed = await asyncio.gather(*(claim(engines[n % 4]) for n in range(100)))
    won = [got for got in claimed if got is not None and not isinstance(got, Raced)]
    assert len(won) == 1
    raw = RawSql(world.url)
    assert await raw.rows("SELECT status, fence, attempts FROM calls") == [("running", 1, 1)]
    assert await raw.one("SELECT count(*) FROM audit WHERE action = 'claim'") == 1


# requirement: T2, R13
@pytest.mark.postgres
async def test_eight_workers_that_look_at_once_run_an_approved_call_once(
    postgres_url: str, owner: Person
) -> None:
    world, errands = World(postgres_url), Errands()
    errand = errands.tool()
    async with world(errands.model(), errand) as asking:
        turn = await asked(asking, owner, 0)
    async with world(errands.model(), errand, worker=False) as deciding:
        for request in turn.pending:
            await deciding.decide(request.id, approve(), by=owner)
    async with AsyncExitStack() as stack:
        workers = [world(errands.model(), errand) for _ in range(8)]
        await asyncio.gather(*(stack.enter_async_context(worker) for worker in workers))
        turn = await rested(workers[0], turn.id)
    assert turn.status is TurnStatus.DONE
    assert sorted(errands.ran) == list(range(CALLS_PER_TURN))


async def test_of_messages_that_arrive_together_one_starts_a_turn_and_the_others_are_refused(
    world: World, owner: Person
) -> None:
    errands = Errands()
    async with replicas(world, errands, errands.tool()) as engines:
        for round_ in range(10):
            conversation = f"conv-{round_}"
            answers = await asyncio.gather(
                *(
                    engines[n % 4].start(
                        "agent", str(n), by=owner, conversation_id=conversation, create=True
                    )
                    for n in range(8)
                ),
                return_exceptions=True,
            )
            started = [answer for answer in answers if isinstance(answer, str)]
            refused = [answer for answer in answers if isinstance(answer, PendingCalls)]
            assert (len(started), len(refused)) == (1, 7)
            await rested(engines[0], started[0])
    raw = RawSql(world.url)
    assert await raw.one("SELECT count(*) FROM turns") == 10


# requirement: R17
async def test_messages_with_one_idempotency_key_that_arrive_together_are_one_turn(
    world: World, owner: Person
) -> None:
    errands = Errands()
    async with replicas(world, errands, errands.tool()) as engines:
        started = await asyncio.gather(
            *(
                engines[n % 4].start("agent", "0", by=owner, idempotency_key="key")
                for n in range(16)
            )
        )
        await rested(engines[0], started[0])
    assert len(set(started)) == 1
    raw = RawSql(world.url)
    assert await raw.one("SELECT count(*) FROM turns") == 1


# requirement: R3
async def test_one_decision_sent_many_times_at_once_counts_once_and_all_get_its_answer(
    world: World, owner: Person
) -> None:
    errands = Errands()
    async with replicas(world, errands, errands.tool(), per_turn=1) as engines:
        for round_ in range(10):
            turn = await asked(engines[0], owner, round_)
            [request] = turn.pending
            answers = await asyncio.gather(
                *(
                    engines[n % 4].decide(
                        request.id, approve(), by=owner, idempotency_key=f"key-{round_}"
                    )
                    for n in range(16)
                )
            )
            assert {answer.status for answer in answers} == {RequestStatus.APPROVED}
            assert sum(not answer.replayed for answer in answers) == 1
            # Whoever waited for the winner sees what the winner left, not what was there before.
            assert CallStatus.AWAITING_APPROVAL not in {answer.call_status for answer in answers}
            await rested(engines[0], turn.id)
    assert errands.ran == list(range(10))


async def test_a_body_that_asks_while_its_turn_is_stopped_leaves_nobody_asked(
    world: World, owner: Person
) -> None:
    goes_on, is_there = asyncio.Event(), asyncio.Semaphore(0)

    @tool(risk=Risk.MODERATE, requires_approval=False)
    async def hesitate(number: int) -> str:
        """Ask once the race starts."""
        is_there.release()
        await goes_on.wait()
        for _ in range(number % 7):
            await asyncio.sleep(0)
        raise ApprovalRequired

    def script(prompt: Prompt) -> Answer:
        return says("", calls("hesitate", number=int(getattr(prompt.history[-1], "text", "0"))))

    async with world(script, hesitate) as assent:
        turns = [await assent.start("agent", str(n), by=owner) for n in range(RACES)]
        for _ in turns:
            await is_there.acquire()
        goes_on.set()
        await asyncio.gather(*(assent.stop(turn, by=owner) for turn in turns))
        stopped = [await assent.wait(turn) for turn in turns]
        assert {turn.status for turn in stopped} == {TurnStatus.STOPPED}
        assert await assent.pending() == []
        assert {call.status for turn in stopped for call in turn.calls} <= {
            CallStatus.CANCELLED,
            CallStatus.FAILED,
        }
