"""The reconciler: finds turns and calls whose worker died, and those that no worker has started."""

import logging

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import TurnRow
from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.engine.failpoints import point
from assent.engine.kernel import Kernel
from assent.engine.loop.turns import Turns
from assent.engine.runs.claims import Claim, conversation_of
from assent.engine.runs.runner import Recorded, Runner
from assent.engine.transitions import Moves, Raced
from assent.ports import Tx

log = logging.getLogger(__name__)
BATCH = 100


class Reconciler:
    """Looks at the rows, so that a lost hint or a dead process only costs time."""

    def __init__(self, kernel: Kernel, runner: Runner, turns: Turns) -> None:
        self._kernel, self._runner, self._turns = kernel, runner, turns

    async def reconcile(self) -> None:
        """Look once: lost calls first, so that turns find them settled."""
        for call in await self._kernel.store.run(lambda tx: tx.calls.lost(BATCH)):
            # A body that blocked our own heartbeat is late, not lost: this process knows that it
            # runs.
            if (call.id, call.fence) not in self._runner.held:
                await self._lost(call)
        for call_id in await self._kernel.store.run(lambda tx: tx.calls.claimable(BATCH)):
            await self._start(call_id)
        for turn_id in await self._kernel.store.run(lambda tx: tx.turns.claimable(BATCH)):
            await self._advance(turn_id)

    async def _lost(self, call: Call) -> None:
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
        tool = self._kernel.catalogue.tool(call.agent, call.tool)
        reason = f"its worker {call.worker!r} died or lost its lease while it ran"
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
