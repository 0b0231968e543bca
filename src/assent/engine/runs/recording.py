"""Recording outcomes: under the claim of the attempt, or only on record if they come too late."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import TurnRow, TurnSnapshot
from assent.domain.events import Fact
from assent.domain.forms import UserInput
from assent.domain.lifecycle import ACTIVE_TURNS, CallStatus, RequestKind, RequestStatus
from assent.domain.outputs import error_output, json_text
from assent.domain.people import SYSTEM_ROLE, Audience
from assent.domain.requests import Request
from assent.engine.decisions.apply import tell_closed
from assent.engine.failpoints import point
from assent.engine.gate.gated_calls import mint
from assent.engine.gate.suggesting import remember
from assent.engine.kernel import Kernel
from assent.engine.loop.steps import Loaded, load
from assent.engine.runs.claims import Claim, Claims
from assent.engine.runs.exchanges import (
    exchange_of,
    input_wanted,
    sealed,
    with_approval,
    with_exchange,
)
from assent.engine.runs.outcomes import Asks, Failed, Needs, Outcome, Succeeded, Unknown, Waits
from assent.engine.transitions import Moves, Raced, shown
from assent.errors import StoreUnavailable, WriteUncertain
from assent.ports import CallChanges, Tx

log = logging.getLogger(__name__)
RETRY_SECONDS = 0.2
LATE = "late_outcome"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The consequences of a claim or an outcome: a turn to continue, a new attempt, requests."""

    ready: TurnRow | Loaded | None = None
    again: Claim | None = None
    # The call as this left it, if that ended it.
    ended: Call | None = None
    requests: tuple[Request, ...] = ()


class Recorder:
    """Stores outcomes, and keeps trying: a call whose outcome is lost is in doubt."""

    def __init__(self, kernel: Kernel, claims: Claims) -> None:
        self._kernel, self._claims = kernel, claims

    async def record(
        self,
        claim: Claim,
        outcome: Outcome,
        facts: Sequence[Fact],
        *,
        want: Callable[[Tx], None] | None = None,
    ) -> Recorded:
        """Store an outcome under its claim; raises `Raced` if the claim is void.

        `want` raises in the same transaction if who settles it may not.
        """

        def record(tx: Tx) -> Recorded:
            if want is not None:
                want(tx)
            if facts:
                tx.journal.tell(claim.call.turn_id, *facts)
            moves = self._moves(tx, claim)
            if isinstance(outcome, Succeeded | Failed) and not claim.call.outside:
                moves.snapshot = self._snapshot(tx, claim.call)
            again = self._settle(moves, claim, outcome)
            turn = moves.wake(self._kernel.worker, self._kernel.times.lease)
            # Reading here what the next step needs saves a transaction.
            ready = None if turn is None else self._loaded(moves, turn, claim)
            point("inside_outcome")
            opened = tuple(moves.opened)
            return Recorded(ready=ready, again=again, ended=moves.ended, requests=opened)

        return await self._insist(record, claim)

    def _moves(self, tx: Tx, claim: Claim) -> Moves:
        call = claim.call
        who = f"agent:{call.agent}" if call.by_caller else f"worker:{self._kernel.worker}"
        return Moves(tx, self._kernel.ids, actor=who)

    def _snapshot(self, tx: Tx, call: Call) -> TurnSnapshot | None:
        return tx.snapshots.conversation(
            call.conversation_id, call.turn_id, last_of=call.message_id
        )

    def _loaded(self, moves: Moves, turn: TurnRow, claim: Claim) -> Loaded:
        snapshot = (
            moves.snapshot if moves.snapshot is not None and moves.snapshot.is_whole else None
        )
        return load(moves.tx, turn, self._kernel, claim.conversation, snapshot)

    async def _insist(
        self, record: Callable[[Tx], Recorded], claim: Claim | None = None
    ) -> Recorded:
        """Keep trying to store an outcome, known only here: a full disk may have room soon."""
        is_uncertain = False
        while True:
            try:
                return await self._kernel.store.run(record)
            except Raced:
                # Not too late if it was our own write that was stored, and only its reply was lost.
                if is_uncertain and claim is not None and await self._is_recorded(claim):
                    return Recorded()
                raise
            except StoreUnavailable as error:
                if self._kernel.tasks.closing:
                    raise
                is_uncertain |= isinstance(error, WriteUncertain)
                log.warning("an outcome waits for the database: %s", error)
                await asyncio.sleep(RETRY_SECONDS)

    async def _is_recorded(self, claim: Claim) -> bool:
        call = await self._kernel.store.run(lambda tx: tx.calls.get(claim.call.id))
        unsettled = (CallStatus.RUNNING, CallStatus.IN_DOUBT)
        return call is not None and call.fence == claim.call.fence and call.status not in unsettled

    async def record_late(self, claim: Claim, outcome: Outcome) -> Recorded:
        """Record an outcome whose claim is void.

        It changes nothing, but the people who resolve the call see it.
        """
        log.error(
            "the outcome of call %s came after its time or its lease: kept on record only",
            claim.call.id,
        )

        def note(tx: Tx) -> Recorded:
            moves = self._moves(tx, claim)
            self._note_late(moves, claim, outcome)
            return Recorded(requests=tuple(moves.opened))

        while True:
            try:
                return await self._insist(note)
            except Raced:
                # The call is being resolved at this moment: the outcome is recorded beside the
                # decision.
                continue

    def _note_late(self, moves: Moves, claim: Claim, outcome: Outcome) -> None:
        """Record a late outcome; an open question about the call is asked again, with it."""
        call = moves.tx.calls.get(claim.call.id) or claim.call
        data: dict[str, Json] = {
            "outcome": type(outcome).__name__.lower(),
            "detail": shown(_detail(outcome)),
        }
        if call.status is not CallStatus.IN_DOUBT or call.fence != claim.call.fence:
            moves.note(LATE, call, data=data)
            return
        earlier = _close(moves, call)
        reason = "; ".join([*earlier, _words(outcome)])
        still = moves.move(call, CallStatus.IN_DOUBT, LATE, data=data, lease_until=timedelta(0))
        self._claims.ask(
            moves, still, claim.tool, claim.conversation, reason, kind=RequestKind.OUTCOME
        )

    def _settle(self, moves: Moves, claim: Claim, outcome: Outcome) -> Claim | None:
        call = claim.call
        match outcome:
            case Succeeded(output=output):
                moves.move(call, CallStatus.SUCCEEDED, "succeed", output=json_text(output))
                remember(moves.tx, call, claim.tool, claim.conversation)
            case Failed(output=output, ran=ran):
                data: dict[str, Json] | None = {"ran": True} if ran else None
                moves.move(call, CallStatus.FAILED, "fail", data=data, output=json_text(output))
            case Asks() | Needs() | Waits(task_id=None) if self._is_over(moves.tx, call):
                # No question is asked for a turn that was stopped: the call did nothing yet.
                output = error_output(self._kernel.texts.aborted)
                moves.move(call, CallStatus.FAILED, "stop", output=json_text(output))
            case Asks(metadata=metadata):
                return self._ask(moves, claim, dict(metadata))
            case Needs(form=form, state=state):
                self._need(moves, claim, form, state)
            case Waits(task_id=task_id):
                self._wait(moves, claim, task_id)
            case Unknown(reason=reason):
                return self._claims.doubt(moves, claim, reason)
            case _:
                assert_never(outcome)
        return None

    def _is_over(self, tx: Tx, call: Call) -> bool:
        # Locked: a concurrent stop then waits for us, and reads the turn's calls again.
        turn = tx.turns.lock(call.turn_id)
        return turn is None or turn.status not in ACTIVE_TURNS

    def _ask(self, moves: Moves, claim: Claim, metadata: dict[str, Json]) -> Claim | None:
        """Ask the body's own question; if approvals are off, return the next attempt instead."""
        asked = moves.move(
            claim.call,
            CallStatus.AWAITING_APPROVAL,
            "ask",
            data={"metadata": metadata},
            metadata=with_approval(claim.call, metadata),
        )
        if not self._kernel.policy.approvals:
            return self._claims.waive(moves, asked, claim.conversation)
        reason = str(metadata.get("reason", "The tool asks for approval."))
        self._claims.ask(
            moves,
            asked,
            claim.tool,
            claim.conversation,
            reason,
            metadata=metadata,
            decide_within=claim.conversation.time_to_decide(claim.tool),
        )
        return None

    def _need(self, moves: Moves, claim: Claim, form: UserInput, state: Json) -> None:
        """Ask for the input that a body needs; its state is sealed until it has the answers."""
        call, id = claim.call, self._kernel.ids("sec")
        moves.tx.values.seal([sealed(self._kernel.vault, id, call, state, moves.now)])
        rounds = (exchange_of(call) or {}).get("rounds", 0) + 1
        metadata = with_exchange(call, state=id, answers=None, rounds=rounds)
        asked = moves.move(call, CallStatus.AWAITING_INPUT, "need_input", metadata=metadata)
        asking = input_wanted(claim.tool, claim.conversation, form)
        request = mint(asked, asking, claim.conversation, self._kernel.ids, moves.now)
        moves.tx.requests.add([request])
        moves.pending(request)

    def _is_taken(self, tx: Tx, task_id: str, call: Call) -> bool:
        """Return True if this id already names another call, or its task."""
        if tx.calls.by_task(task_id) is not None:
            return True
        # Upstreams know our call ids as idempotency keys that we sent, so a call's own id is
        # allowed.
        return task_id != call.id and tx.calls.get(task_id) is not None

    def _wait(self, moves: Moves, claim: Claim, task_id: str | None) -> None:
        if task_id is not None and self._is_taken(moves.tx, task_id, claim.call):
            output = json_text(error_output(f"Another call has the task {task_id!r} already."))
            moves.move(claim.call, CallStatus.FAILED, "fail", output=output)
            return
        changes: CallChanges = {} if task_id is None else {"task_id": task_id}
        waiting = moves.move(claim.call, CallStatus.AWAITING_RESULT, "wait", **changes)
        # A deferred task is settled by a process, not by the conversation's owner.
        system = Audience(owner=False, roles=frozenset({SYSTEM_ROLE}))
        within = claim.conversation.time_to_decide(claim.tool)
        self._claims.ask(
            moves,
            waiting,
            claim.tool,
            claim.conversation,
            "",
            kind=RequestKind.RESULT,
            audience=claim.tool.audience if task_id is None else system,
            decide_within=within if task_id is None else None,
        )


def _close(moves: Moves, call: Call) -> list[str]:
    """Supersede the open question, which may be about to be answered; return why it was asked."""
    superseded, reasons = RequestStatus.SUPERSEDED, list[str]()
    for request in moves.tx.requests.of_call(call.id):
        if request.is_open:
            moves.tx.requests.close(request, superseded, by=moves.actor)
            tell_closed(moves, request, superseded, moves.actor)
            reasons.append(request.question.reason)
    return reasons


def _words(outcome: Outcome) -> str:
    """Return the outcome in words for people."""
    match outcome:
        case Succeeded(output=output):
            return f"it ended meanwhile with: {shown(json_text(output))}"
        case Failed(output=output):
            return f"it failed meanwhile with: {shown(json_text(output))}"
        case Asks():
            return "meanwhile it asked for approval, which says that nothing was done"
        case Needs():
            return "meanwhile it asked for input, and goes on once it has it"
        case Waits(task_id=None):
            return "meanwhile it left its answer to people"
        case Waits(task_id=task_id):
            return f"meanwhile it handed its work on, as the task {task_id!r}"
        case Unknown(reason=reason):
            return f"meanwhile it ended without saying how: {reason}"


def _detail(outcome: Outcome) -> Json:
    match outcome:
        case Succeeded(output=output) | Failed(output=output):
            return output
        case Asks(metadata=metadata):
            return dict(metadata)
        case Needs(form=form):
            return form.reason
        case Waits(task_id=task_id):
            return task_id
        case Unknown(reason=reason):
            return reason
