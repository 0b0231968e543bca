"""Applying a verdict to its request and call, inside the transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import Unpack, assert_never

from assent.domain import decisions as verdicts
from assent.domain.calls import Author, Call, Frozen
from assent.domain.canonical import Json
from assent.domain.conversations import TurnRow
from assent.domain.copies import changed
from assent.domain.events import EventKind, Fact
from assent.domain.forms import SealedSecret
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.outputs import error_output, failed_response, json_text, parsed
from assent.domain.requests import Request
from assent.domain.tools import Hitl, is_manual_tool
from assent.domain.verdicts import name_of, words_of
from assent.engine.decisions.attempts import Case, Decided, DecisionOutcome, decision_row
from assent.engine.decisions.checks import check_supplied, expired, valid_votes
from assent.engine.decisions.drafts import Draft, sealed
from assent.engine.failpoints import point
from assent.engine.gate.definitions import tool_of
from assent.engine.gate.gated_calls import Asking, binding_of, mint, result_wanted
from assent.engine.gate.sources import sourced
from assent.engine.gate.suggesting import remember
from assent.engine.kernel import Kernel
from assent.engine.runs.claims import PERSON, Claim, Claims
from assent.engine.runs.exchanges import is_beside, with_exchange
from assent.engine.transitions import Moves, shown
from assent.errors import AssentError, InvalidOutput, StillRunning
from assent.ports import CallChanges

S, R = CallStatus, RequestStatus
DEADLINE = "deadline"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Applies verdicts to cases that are open and may be decided."""

    kernel: Kernel
    claims: Claims

    def refuse(self, moves: Moves, case: Case, error: AssentError) -> DecisionOutcome:
        """Put a refused attempt on record; nothing else changes."""
        moves.note("refused", case.call, request_id=case.request.id, data={"code": error.code})
        return DecisionOutcome(
            request_id=case.request.id,
            error=error,
            turn=self._wake(moves),
            opened=tuple(moves.opened),
        )

    def _wake(self, moves: Moves) -> TurnRow | None:
        worker = self.kernel.worker if self.kernel.is_worker else None
        return moves.wake(worker, self.kernel.times.lease)

    def apply(self, moves: Moves, case: Case) -> DecisionOutcome:
        """Apply a verdict that needs no second ruling by the gate."""
        beside = is_beside(case.request, case.call)
        return self._close_beside(moves, case) if beside else self._follow(moves, case)

    def _follow(self, moves: Moves, case: Case) -> DecisionOutcome:
        """Do what the verdict says."""
        verdict, texts = case.attempt.verdict, self.kernel.texts
        match verdict:
            case verdicts.Approve() | verdicts.RunAgain():
                return self.approve(moves, case)
            case verdicts.Reject(reason=reason):
                output = error_output(self._refused(reason))
                return self._settle(moves, case, S.REJECTED, output, status=R.REJECTED)
            case verdicts.Cancel(reason=reason):
                output = error_output(reason or texts.cancelled)
                return self._settle(moves, case, S.CANCELLED, output, status=R.CANCELLED)
            case verdicts.Supply(output=output):
                return self._supply(moves, case, output)
            case verdicts.Fail(reason=reason):
                return self._settle(moves, case, S.FAILED, error_output(reason or "It failed."))
            case verdicts.Ran(output=output):
                return self._settle(moves, case, S.SUCCEEDED, output)
            case verdicts.DidNotRun(reason=reason):
                output = error_output(reason or "It did not run and will not be run.")
                return self._settle(moves, case, S.FAILED, output)
            case verdicts.Give():
                # An answer comes here unruled only if its tool no longer exists.
                output = error_output(_gone(case))
                return self._settle(moves, case, S.FAILED, output, action="tool_gone")
        assert_never(verdict)

    def _close_beside(self, moves: Moves, case: Case) -> DecisionOutcome:
        """Close the question of a call that runs on: its body hears that nobody answers it."""
        if (refusal := self.close(moves, case, R.CANCELLED)) is not None:
            return refusal
        call = self.stay(moves, case, name_of(case.attempt.verdict))
        return self.done(moves, case, R.CANCELLED, call)

    def stay(self, moves: Moves, case: Case, action: str) -> Call:
        """Put on record what leaves a call where it is; one that runs is left to its worker."""
        id = case.request.id
        if not is_beside(case.request, case.call):
            return moves.move(case.call, case.call.status, action, request_id=id)
        moves.note(action, case.call, request_id=id)
        return case.call

    def resume(self, moves: Moves, case: Case, answers: SealedSecret) -> DecisionOutcome:
        """Hand the answers to the body that asked for them: at once, or in its next attempt."""
        if (refusal := self.close(moves, case, R.ANSWERED)) is not None:
            return refusal
        moves.tx.values.seal([answers])
        if is_beside(case.request, case.call):
            return self.done(moves, case, R.ANSWERED, self.stay(moves, case, "answer"))
        tool = self.kernel.catalogue.tool_of(case.call)
        return self._go_ahead(
            moves,
            case,
            case.call,
            R.ANSWERED,
            action="answer",
            data=dict(case.attempt.witness),
            metadata=with_exchange(case.call, answers=answers.id),
            run_by=None if tool is None else tool.tool.run_within,
        )

    def _refused(self, reason: str) -> str:
        texts = self.kernel.texts
        if reason:
            return texts.feedback.format(feedback=reason)
        return f"{texts.rejected} {texts.rejected_hint}"

    def altered(self, moves: Moves, case: Case) -> DecisionOutcome:
        """End a call whose rows no longer match the digest that people were asked with."""
        output = error_output("The record of this call was altered; it is not run.")
        return self._settle(moves, case, S.FAILED, output, action="altered", status=R.CANCELLED)

    def _settle(
        self,
        moves: Moves,
        case: Case,
        target: CallStatus,
        output: Json,
        *,
        action: str = "",
        status: RequestStatus = R.ANSWERED,
    ) -> DecisionOutcome:
        """Close the request and end its call; the action is the verdict's name, unless given."""
        if (refusal := self.close(moves, case, status)) is not None:
            return refusal
        verdict = case.attempt.verdict
        call = moves.move(
            case.call,
            target,
            action or name_of(verdict),
            request_id=case.request.id,
            data={"reason": words_of(verdict), **_seen(case)},
            output=json_text(output),
        )
        if target is S.SUCCEEDED:
            remember(moves.tx, call, self.kernel.catalogue.tool_of(call), case.conversation)
        return self.done(moves, case, status, call)

    def close(
        self,
        moves: Moves,
        case: Case,
        status: RequestStatus,
        *,
        approved: str | None = None,
        arguments: str | None = None,
    ) -> DecisionOutcome | None:
        """Close the request in time and store the vote; if it is too late, expire it now."""
        by = case.attempt.by.id
        if not moves.tx.requests.close(case.request, status, by=by, in_time=True):
            return self.late(moves, case)
        id = self.kernel.ids("dec")
        moves.tx.decisions.add(
            decision_row(id, case, approved=approved, arguments=arguments, now=moves.now)
        )
        tell_closed(moves, case.request, status, by)
        return None

    def late(self, moves: Moves, case: Case) -> DecisionOutcome:
        """Refuse a decision after the deadline, even if no sweeper has expired the request yet."""
        expire(moves, case.request, case.call, self.kernel.texts.expired)
        return self.refuse(moves, case, expired(case.request))

    def done(
        self,
        moves: Moves,
        case: Case,
        status: RequestStatus,
        call: Call,
        *,
        claim: Claim | None = None,
    ) -> DecisionOutcome:
        """Return the outcome of a decision; wakes the turn if its last call was settled."""
        turn = self._wake(moves)
        point("inside_decision")
        return DecisionOutcome(
            request_id=case.request.id,
            decided=Decided.of(case.request.id, status, call),
            claim=claim,
            turn=turn,
            opened=tuple(moves.opened),
        )

    def approve(self, moves: Moves, case: Case, *, edited: Frozen | None = None) -> DecisionOutcome:
        """Close the request as approved, and let the call go ahead."""
        if (error := self._still_running(case, moves.now)) is not None:
            return self.refuse(moves, case, error)
        call, text = case.call, None if edited is None else edited.text
        # Without an edit: the caller has checked that the rows still match this digest.
        approved = case.request.digest
        if edited is not None:
            shape = changed(call, revision=call.revision + 1, arguments=edited)
            approved = binding_of(shape, case.request, case.conversation).digest
        if valid_votes(moves.tx, case.request) + 1 < case.request.quorum:
            return self._vote(moves, case, approved)
        refusal = self.close(moves, case, R.APPROVED, approved=approved, arguments=text)
        if refusal is not None:
            return refusal
        if edited is not None:
            call = self.revise(moves, case, edited)
        return self._clear(moves, case, call)

    def _still_running(self, case: Case, now: datetime) -> StillRunning | None:
        """Return an error while a call in doubt may still run: it must not run twice at once."""
        call = case.call
        if call.status is not S.IN_DOUBT:
            return None
        is_here = self.kernel.bodies.since(call.id) is not None
        is_held = call.lease_until is not None and call.lease_until > now
        if not is_here and not is_held:
            return None
        worker = self.kernel.worker if is_here else call.worker
        since = case.request.created_at
        return StillRunning(case.request.id, call.id, worker=worker or "", since=since)

    def revise(
        self, moves: Moves, case: Case, edited: Frozen, *, told: dict[str, Json] | None = None
    ) -> Call:
        """Make the edited arguments the next revision of the call; the model is told."""
        return moves.revise(
            case.call,
            S.PROPOSED,
            "edit",
            edited,
            Author.EDIT,
            request_id=case.request.id,
            told=told,
            note=self.kernel.texts.edited.format(arguments=edited.text),
        )

    def _vote(self, moves: Moves, case: Case, approved: str) -> DecisionOutcome:
        """Store one of several approvals that is not the last: the request stays open."""
        request, call = case.request, case.call
        if not moves.tx.requests.vote(request):
            return self.late(moves, case)
        id = self.kernel.ids("dec")
        moves.tx.decisions.add(
            decision_row(id, case, approved=approved, arguments=None, now=moves.now)
        )
        data = {"votes": request.votes + 1, "quorum": request.quorum, **_seen(case)}
        call = moves.move(call, call.status, "vote", request_id=request.id, data=data)
        return self.done(moves, case, R.OPEN, call)

    def _clear(self, moves: Moves, case: Case, call: Call) -> DecisionOutcome:
        """Pass an approved revision to the runner, or open the request for a manual result."""
        tool = tool_of(moves.tx, self.kernel.catalogue, call)
        data = {
            "digest": call.arguments.digest,
            "revision": call.revision,
            **_seen(case, call),
        }
        changes: CallChanges = {
            "approved": True,
            "cleared_by": f"{PERSON}{case.attempt.by.id}",
        }
        in_doubt = case.request.kind is RequestKind.OUTCOME
        action = "run_again" if in_doubt else "approve"
        # A call in doubt was ruled on before it ran: the claim asks again if the policy changed.
        if not in_doubt:
            changes["policy_version"] = case.judged_by
        id = case.request.id
        if tool is not None and is_manual_tool(tool.tool):
            waiting = moves.move(
                call, S.AWAITING_RESULT, action, request_id=id, data=data, **changes
            )
            self.open(moves, waiting, case, result_wanted(tool, case.conversation))
            return self.done(moves, case, R.APPROVED, waiting)
        if tool is not None:
            changes["run_by"] = tool.tool.run_within
        return self._go_ahead(moves, case, call, R.APPROVED, action=action, data=data, **changes)

    def _go_ahead(
        self,
        moves: Moves,
        case: Case,
        call: Call,
        status: RequestStatus,
        *,
        action: str,
        data: dict[str, Json] | None = None,
        **changes: Unpack[CallChanges],
    ) -> DecisionOutcome:
        id = case.request.id
        if call.by_caller or not self.runs_here:
            now = moves.move(call, S.CLEARED, action, request_id=id, data=data, **changes)
            return self.done(moves, case, status, now)
        now, claim = self.claims.clear(
            moves, call, case.conversation, action, request_id=id, data=data, **changes
        )
        return self.done(moves, case, status, now, claim=claim)

    @property
    def runs_here(self) -> bool:
        """True if this worker claims a cleared call in the decision's commit."""
        return self.kernel.is_worker and not self.kernel.tasks.closing

    def open(
        self, moves: Moves, call: Call, case: Case, asking: Asking, *, draft: Draft | None = None
    ) -> Request:
        """Open the next request about a call that already has the status to wait for it."""
        asking = sourced(moves.tx, call, self.kernel.catalogue.tool_of(call), asking)
        request = mint(call, asking, case.conversation, self.kernel.ids, moves.now)
        if draft is not None:
            kept = sealed(self.kernel.vault, request.id, draft)
            request = changed(request, draft=kept)
        moves.tx.requests.add([request])
        moves.pending(request)
        return request

    def _supply(self, moves: Moves, case: Case, output: Json) -> DecisionOutcome:
        """Validate and store a supplied output; a tool with a hook reworks it under a claim."""
        tool = tool_of(moves.tx, self.kernel.catalogue, case.call)
        if tool is None:
            return self._settle(moves, case, S.FAILED, failed_response(_gone(case), output))
        kind = tool.tool.kind
        if isinstance(kind, Hitl) and kind.on_response_received is not None:
            return self._rework(moves, case, output)
        try:
            if tool.tool.output is not None:
                check_supplied(tool.tool.output, output)
        except InvalidOutput as error:
            if case.call.task_id is not None:
                return self.refuse(moves, case, error)
            failed = failed_response(str(error), parsed(output))
            return self._settle(moves, case, S.FAILED, failed)
        return self._settle(moves, case, S.SUCCEEDED, output)

    def _rework(self, moves: Moves, case: Case, output: Json) -> DecisionOutcome:
        if (refusal := self.close(moves, case, R.ANSWERED)) is not None:
            return refusal
        return self._go_ahead(
            moves,
            case,
            case.call,
            R.ANSWERED,
            action="supply",
            data=_seen(case),
            supplied=json_text(output),
            cleared_by=f"{PERSON}{case.attempt.by.id}",
            # An approval limits when the call starts, not when a person answers it.
            run_by=None,
        )


def _seen(case: Case, call: Call | None = None) -> dict[str, Json]:
    """Return what a decision was about, for the record; `call` is its edited revision."""
    return {"arguments": shown((call or case.call).arguments.text), **case.attempt.witness}


def _gone(case: Case) -> str:
    return f"The tool {case.call.tool!r} is no longer there."


def expire(moves: Moves, request: Request, call: Call, text: str) -> bool:
    """End a request whose deadline passed, and its call with it."""
    if not moves.tx.requests.expire(request):
        return False
    output = json_text(error_output(text))
    with moves.acting(DEADLINE):
        if is_beside(request, call):
            moves.note("expire", call, request_id=request.id)
        else:
            moves.move(call, S.EXPIRED, "expire", request_id=request.id, output=output)
    tell_closed(moves, request, R.EXPIRED, DEADLINE)
    return True


def tell_closed(moves: Moves, request: Request, status: RequestStatus, by: str) -> None:
    """Tell followers how a request ended."""
    told: dict[str, Json] = {
        "request_id": request.id,
        "call_id": request.call_id,
        "status": str(status),
        "by": by,
    }
    moves.tx.journal.tell(request.turn_id, Fact(EventKind.DECIDED, told))
