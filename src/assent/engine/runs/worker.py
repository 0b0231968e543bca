"""The background tasks of a worker: heartbeat, sweeper of deadlines, and reconciler of rows."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import TurnRow
from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.outputs import error_output, json_text
from assent.engine.decisions.apply import DEADLINE, expire
from assent.engine.decisions.attempts import lock_request
from assent.engine.failpoints import point
from assent.engine.gate.definitions import tool_of
from assent.engine.kernel import Kernel
from assent.engine.loop.turns import Turns
from assent.engine.runs.asides import withdraw
from assent.engine.runs.claims import Claim, conversation_of
from assent.engine.runs.recording import Recorded
from assent.engine.runs.runner import Runner
from assent.engine.transitions import Moves, Raced
from assent.errors import NotFound, StoreGone, StoreUnavailable
from assent.ports import Held, Tx

log = logging.getLogger(__name__)
T = TypeVar("T")
SWEPT_AT_ONCE = 200
FOUND_AT_ONCE = 100
# How often files that nobody needs any longer are looked for.
TIDY_SECONDS = 600.0


class Reconciler:
    """Finds, in the rows, calls and turns whose worker died or that no worker has started."""

    def __init__(self, kernel: Kernel, runner: Runner, turns: Turns) -> None:
        self._kernel, self._runner, self._turns = kernel, runner, turns

    async def reconcile(self) -> None:
        """Look once: lost calls first, so that turns find them settled."""
        for call in await self._kernel.store.run(lambda tx: tx.calls.lost(FOUND_AT_ONCE)):
            # A body that blocked our own heartbeat is late, not lost: this process knows that it
            # runs.
            if (call.id, call.fence) not in self._runner.held:
                await _alone(f"call {call.id}", self.lost(call))
        for call_id in await self._kernel.store.run(lambda tx: tx.calls.claimable(FOUND_AT_ONCE)):
            await _alone(f"call {call_id}", self._start(call_id))
        for turn_id in await self._kernel.store.run(lambda tx: tx.turns.claimable(FOUND_AT_ONCE)):
            # The same for a turn that is being advanced here: taken again, it would ask its model
            # a second time.
            if turn_id not in self._kernel.tasks.turns("turn"):
                await _alone(f"turn {turn_id}", self._advance(turn_id))

    async def lost(self, call: Call) -> None:
        """Move on a call that lost its worker or caller: try it again if harmless, else doubt."""
        log.warning("call %s lost its worker %s", call.id, call.worker)
        point("before_doubt")
        try:
            recorded = await self._kernel.store.run(lambda tx: self._resolve(tx, call))
        except Raced:
            return
        point("after_doubt")
        if recorded.again is not None:
            self._runner.start(recorded.again)
        if recorded.ready is not None:
            self._turns.begin(recorded.ready)
        self._kernel.announce(recorded.requests)

    def _resolve(self, tx: Tx, call: Call) -> Recorded:
        conversation = conversation_of(tx, call.conversation_id)
        moves = Moves(tx, self._kernel.ids, actor="reconciler")
        tool = tool_of(tx, self._kernel.catalogue, call)
        withdraw(moves, call.id)
        who = "its caller" if call.by_caller else f"its worker {call.worker!r}"
        reason = f"{who} died or lost its lease while it ran"
        again = None
        if tool is None:
            data: dict[str, Json] = {"reason": reason}
            moved = moves.move(call, CallStatus.IN_DOUBT, "doubt", lost=True, data=data)
            kind = RequestKind.OUTCOME
            self._runner.claims.ask(moves, moved, None, conversation, reason, kind=kind)
        else:
            claim = Claim(call=call, tool=tool, conversation=conversation, expires=0.0)
            began = not self._runner.never_began(call)
            again = self._runner.claims.doubt(moves, claim, reason, lost=True, began=began)
        turn = moves.wake(self._kernel.worker, self._kernel.times.lease)
        point("inside_doubt")
        return Recorded(ready=turn, again=again, requests=tuple(moves.opened))

    async def _start(self, call_id: str) -> None:
        call = await self._kernel.store.run(lambda tx: tx.calls.get(call_id))
        if call is not None and call.status is CallStatus.CLEARED:
            self._runner.enqueue(call.id, call.turn_id, call.agent)

    async def _advance(self, turn_id: str) -> None:
        def claim(tx: Tx) -> TurnRow | None:
            turn = tx.turns.claim(turn_id, self._kernel.worker, self._kernel.times.lease)
            if turn is not None and turn.fence > 1:
                tx.journal.tell(turn_id, Fact(EventKind.RESET, {"reason": "another worker"}))
            point("inside_resume")
            return turn

        turn = await self._kernel.store.run(claim)
        point("after_resume")
        if turn is not None:
            self._turns.begin(turn)


class Sweeper:
    """Expires due requests by the database's clock; of several workers, one expires a request."""

    def __init__(self, kernel: Kernel, runner: Runner) -> None:
        self._kernel, self._runner = kernel, runner

    async def sweep(self) -> int:
        """Expire everything that is due; returns how many requests were."""
        for call in await self._kernel.store.run(lambda tx: tx.calls.unclaimed(SWEPT_AT_ONCE)):
            await _alone(f"call {call.id}", self.drop(call))
        due = await self._kernel.store.run(lambda tx: tx.requests.due(SWEPT_AT_ONCE))
        swept = [await _alone(f"request {id}", self.expire(id)) for id in due]
        return swept.count(True)

    async def drop(self, call: Call) -> None:
        """Expire an approved call that its caller did not claim in time."""

        def expire(tx: Tx) -> None:
            moves = Moves(tx, self._kernel.ids, actor=DEADLINE)
            output = json_text(error_output(self._kernel.texts.expired))
            moves.move(call, CallStatus.EXPIRED, "expire", output=output)

        with suppress(Raced):
            await self._kernel.store.run(expire)

    async def expire(self, request_id: str) -> bool:
        """Expire a request if it is due; returns True if it was."""
        try:
            turn, expired = await self._kernel.store.run(lambda tx: self._expire(tx, request_id))
        except (Raced, NotFound):
            return False
        if turn is not None:
            self._runner.on_ready(turn)
        return expired

    def _expire(self, tx: Tx, request_id: str) -> tuple[TurnRow | None, bool]:
        request, call, _ = lock_request(tx, request_id)
        moves = Moves(tx, self._kernel.ids, actor=DEADLINE)
        done = expire(moves, request, call, self._kernel.texts.expired)
        worker = self._kernel.worker if self._kernel.is_worker else None
        return moves.wake(worker, self._kernel.times.lease), done


class Worker:
    """Owns the recurring tasks; each does one thing and survives its own failures."""

    def __init__(
        self,
        kernel: Kernel,
        runner: Runner,
        sweeper: Sweeper,
        reconciler: Reconciler,
        refresh: Callable[[], Awaitable[None]],
        *,
        tidy: Callable[[], Awaitable[int]],
    ) -> None:
        self._kernel, self._runner, self._refresh = kernel, runner, refresh
        self._tidy = tidy
        self._sweeper, self._reconciler = sweeper, reconciler
        self._tasks: list[asyncio.Task[None]] = []
        self._nudge = asyncio.Event()

    async def start(self, *, alone: bool) -> None:
        """Take over what a dead worker left, then keep looking for work."""
        if alone:
            worker = self._kernel.worker
            await self._kernel.store.run(lambda tx: tx.leases.break_others(worker))
        await self._sweeper.sweep()
        await self._reconciler.reconcile()
        self._kernel.store.listen_for_work(self._nudge.set)
        beat = self._kernel.times.lease.total_seconds() / 3
        look = self._kernel.times.look.total_seconds()
        self._tasks = [
            asyncio.create_task(self._every(beat, self._beat), name="assent-heartbeat"),
            asyncio.create_task(self._every(look, self._sweep), name="assent-sweeper"),
            asyncio.create_task(self._look(look), name="assent-reconciler"),
            asyncio.create_task(self._every(TIDY_SECONDS, self._tidied), name="assent-tidier"),
        ]

    @property
    def is_alive(self) -> bool:
        """True while all recurring tasks run."""
        return bool(self._tasks) and not any(task.done() for task in self._tasks)

    async def rest(self) -> None:
        """Look for no more work; the heartbeat goes on for calls that still run."""
        await _end(self._tasks[1:])

    async def stop(self) -> None:
        """End the recurring tasks."""
        await _end(self._tasks)

    async def _beat(self) -> None:
        started = self._kernel.clock.monotonic()
        worker, lease = self._kernel.worker, self._kernel.times.lease
        calls, turns = self._runner.held, self._kernel.tasks.turns("turn")
        bodies = self._kernel.bodies.held

        def renew(tx: Tx) -> frozenset[Held]:
            held = tx.leases.renew(worker, lease, calls=calls, turns=turns)
            tx.leases.run_on(worker, lease, calls=bodies - held)
            return held

        held = await self._kernel.store.run(renew)
        self._runner.renewed(held, started)

    async def _sweep(self) -> None:
        await self._sweeper.sweep()

    async def _tidied(self) -> None:
        await self._tidy()

    async def _look(self, seconds: float) -> None:
        while True:
            try:
                async with asyncio.timeout(seconds):
                    await self._nudge.wait()
            except TimeoutError:
                pass
            self._nudge.clear()
            # Overrides first: what another process tightened must apply to the calls that we start.
            await self._safely(self._refresh)
            await self._safely(self._reconciler.reconcile)
            await self._safely(self._runner.cancel_stopped)

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._safely(work)

    async def _safely(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except StoreGone:
            # The store has failed for good and logged it: this task ends, and the worker with it.
            raise
        except StoreUnavailable as error:
            # Expected, and reported by all three tasks while it lasts: one line, no traceback.
            log.warning("%s waits for the database: %s", work.__qualname__, error)
        except Exception:
            log.exception("%s failed and will be tried again", work.__qualname__)


async def _alone(what: str, work: Awaitable[T]) -> T | None:
    """Await the work on one row: if it fails, the rows after it are still looked at."""
    try:
        return await work
    except StoreUnavailable:
        raise
    except Exception:
        log.exception("%s could not be moved on and will be tried again", what)
        return None


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
