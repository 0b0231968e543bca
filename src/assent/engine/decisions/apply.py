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
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.outputs import error_output, failed_response, json_text, parsed
from assent.domain.policy import Allow, Deny
from assent.domain.requests import Request
from assent.domain.tools import Hitl, is_manual_tool
from assent.domain.verdicts import words_of
from assent.engine.decisions.answers import Answered
from assent.engine.decisions.checks import (
    Ballot,
    Case,
    Decided,
    Refusal,
    decided,
    expired,
    standing,
    vote,
)
from assent.engine.decisions.supplied_results import check_supplied
from assent.engine.failpoints import point
from assent.engine.gate.gated_calls import Asking, GatedCall, binding_of, mint, result_wanted
from assent.engine.kernel import Kernel
from assent.engine.runs.claims import PERSON, Claim, Claims
from assent.engine.transitions import Moves, shown
from assent.errors import AssentError, InvalidOutput, StillRunning
from assent.ports import CallChanges

S, R = CallStatus, RequestStatus
DEADLINE = "deadline"
# Verdicts that use the arguments; others withdraw a call, which is always possible.
_GOING_ON = (verdicts.Approve, verdicts.RunAgain, verdicts.Give, verdicts.Supply)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A decision that counted, and what follows from it."""

    decided: Decided
    claim: Claim | None = None
    turn: TurnRow | None = None
    requests: tuple[Request, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Applies verdicts to cases that are open and may be decided."""

    kernel: Kernel
    claims: Claims

    def refuse(self, moves: Moves, case: Case, error: AssentError) -> Refusal:
        """Put a refused attempt on record; nothing else changes."""
        moves.note("refused", case.call, request_id=case.request.id, data={"code": error.code})
        return Refusal(error, self._wake(moves), tuple(moves.opened))

    def _wake(self, moves: Moves) -> TurnRow | None:
        worker = self.kernel.worker if self.kernel.is_worker else None
        return moves.wake(worker, self.kernel.times.lease)

    def apply(self, moves: Moves, case: Case, ballot: Ballot) -> Done | Refusal:
        """Apply a verdict that needs no second judgement."""
        match ballot.verdict:
            case _ if isinstance(ballot.verdict, _GOING_ON) and is_altered(case):
                return self.altered(moves, case, ballot)
            case verdicts.Approve() | verdicts.RunAgain():
                return self.approve(moves, case, ballot)
            case verdicts.Reject(reason=reason):
                return self._withdraw(moves, case, ballot, R.REJECTED, self._refused(reason))
            case verdicts.Cancel(reason=reason):
                text = reason or self.kernel.texts.cancelled
                return self._withdraw(moves, case, ballot, R.CANCELLED, text)
            case verdicts.Supply(output=output):
                return self._supply(moves, case, ballot, output)
            case verdicts.Fail(reason=reason):
                output = json_text(error_output(reason or "It failed."))
                return self._settle(moves, case, ballot, S.FAILED, action="fail", output=output)
            case verdicts.Ran(output=output):
                return self._settle(
                    moves, case, ballot, S.SUCCEEDED, action="ran", output=json_text(output)
                )
            case verdicts.DidNotRun(reason=reason):
                text = reason or "It did not run and will not be run."
                output = json_text(error_output(text))
                return self._settle(
                    moves, case, ballot, S.FAILED, action="did_not_run", output=output
                )
            case verdicts.Give():
                # An answer comes here unjudged only if its tool no longer exists.
                output = json_text(error_output(f"The tool {case.call.tool!r} is no longer there."))
                return self._settle(
                    moves, case, ballot, S.FAILED, action="tool_gone", output=output
                )
        assert_never(ballot.verdict)

    def _refused(self, reason: str) -> str:
        texts = self.kernel.texts
        if reason:
            return texts.feedback.format(feedback=reason)
        return f"{texts.rejected} {texts.rejected_hint}"

    def close(
        self,
        moves: Moves,
        case: Case,
        ballot: Ballot,
        status: RequestStatus,
        *,
        approved: str | None = None,
        arguments: str | None = None,
    ) -> Refusal | None:
        """Close the request in time and store the vote; if it is too late, expire it now."""
        if not moves.tx.requests.close(case.request, status, by=ballot.by.id, in_time=True):
            return self.late(moves, case)
        id = self.kernel.ids("dec")
        moves.tx.decisions.add(
            vote(id, case, ballot, approved=approved, arguments=arguments, now=moves.now)
        )
        tell_closed(moves, case, status, ballot.by.id)
        return None

    def late(self, moves: Moves, case: Case) -> Refusal:
        """Refuse a decision after the deadline, even if no sweeper has expired the request yet."""
        expire(moves, case, self.kernel.texts.expired)
        return self.refuse(moves, case, expired(case.request))

    def done(
        self,
        moves: Moves,
        case: Case,
        status: RequestStatus,
        call: Call,
        *,
        claim: Claim | None = None,
    ) -> Done:
        """Return the result of a decision; wakes the turn if its last call was settled."""
        turn = self._wake(moves)
        point("inside_decision")
        opened = tuple(moves.opened)
        now = decided(case.request.id, status, call)
        return Done(decided=now, claim=claim, turn=turn, requests=opened)

    def approve(
        self,
        moves: Moves,
        case: Case,
        ballot: Ballot,
        *,
        edited: Frozen | None = None,
    ) -> Done | Refusal:
        """Close the request as approved, and let the call go ahead."""
        if (error := self._still_running(case, moves.now)) is not None:
            return self.refuse(moves, case, error)
        call, text = case.call, None if edited is None else edited.text
        # For an approval without an edit, the caller has checked that the rows are those of the
        # question.
        approved = case.request.digest
        if edited is not None:
            shape = changed(call, revision=call.revision + 1, arguments=edited)
            approved = binding_of(shape, case.request, case.conversation).digest
        if standing(moves.tx, case.request) + 1 < case.request.quorum:
            return self._vote(moves, case, ballot, approved)
        refusal = self.close(moves, case, ballot, R.APPROVED, approved=approved, arguments=text)
        if refusal is not None:
            return refusal
        if edited is not None:
            note = self.kernel.texts.edited.format(arguments=edited.text)
            id = case.request.id
            call = moves.revise(
                call, S.PROPOSED, "edit", edited, Author.EDIT, request_id=id, note=note
            )
        return self._clear(moves, case, ballot, call)

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

    def _vote(self, moves: Moves, case: Case, ballot: Ballot, approved: str) -> Done | Refusal:
        """Store one of several approvals that is not the last: the request stays open."""
        if not moves.tx.requests.vote(case.request):
            return self.late(moves, case)
        id = self.kernel.ids("dec")
        made = vote(id, case, ballot, approved=approved, arguments=None, now=moves.now)
        moves.tx.decisions.add(made)
        data = {
            "votes": case.request.votes + 1,
            "quorum": case.request.quorum,
            **_seen(case.call, ballot),
        }
        call = case.call
        call = moves.move(call, call.status, "vote", request_id=case.request.id, data=data)
        return self.done(moves, case, R.OPEN, call)

    def _clear(self, moves: Moves, case: Case, ballot: Ballot, call: Call) -> Done | Refusal:
        """Pass an approved revision to the runner, or open the request for a manual result."""
        tool = self.kernel.catalogue.tool(call.agent, call.tool)
        data = {
            "digest": call.arguments.digest,
            "revision": call.revision,
            **_seen(call, ballot),
        }
        changes: CallChanges = {
            "approved": True,
            "cleared_by": f"{PERSON}{ballot.by.id}",
        }
        in_doubt = case.request.kind is RequestKind.OUTCOME
        action = "run_again" if in_doubt else "approve"
        # A call in doubt was judged before it ran: the claim asks again if the policy changed.
        if not in_doubt:
            changes["policy_version"] = self.kernel.policy_version
        id = case.request.id
        if tool is not None and is_manual_tool(tool.tool):
            waiting = moves.move(
                call, S.AWAITING_RESULT, action, request_id=id, data=data, **changes
            )
            self.open(moves, waiting, case, result_wanted(tool))
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
    ) -> Done:
        id = case.request.id
        if not self._runs_here:
            now = moves.move(call, S.CLEARED, action, request_id=id, data=data, **changes)
            return self.done(moves, case, status, now)
        now, claim = self.claims.clear(
            moves, call, case.conversation, action, request_id=id, data=data, **changes
        )
        return self.done(moves, case, status, now, claim=claim)

    @property
    def _runs_here(self) -> bool:
        # A worker that can run the call claims it in the decision's commit; otherwise any worker
        # will.
        return self.kernel.is_worker and not self.kernel.tasks.closing

    def open(self, moves: Moves, call: Call, case: Case, asking: Asking) -> Request:
        """Open the next request about a call that already has the status to wait for it."""
        request = mint(call, asking, case.conversation, self.kernel.ids, moves.now)
        moves.tx.requests.add([request])
        moves.pending(request)
        return request

    def altered(self, moves: Moves, case: Case, ballot: Ballot) -> Done | Refusal:
        """End a call whose rows are not those that the question was about."""
        output = json_text(error_output("The record of this call was altered; it is not run."))
        return self._settle(
            moves, case, ballot, S.FAILED, action="altered", output=output, status=R.CANCELLED
        )

    def _withdraw(
        self,
        moves: Moves,
        case: Case,
        ballot: Ballot,
        status: RequestStatus,
        text: str,
    ) -> Done | Refusal:
        target = S.REJECTED if status is R.REJECTED else S.CANCELLED
        output = json_text(error_output(text))
        action = "reject" if target is S.REJECTED else "cancel"
        return self._settle(
            moves, case, ballot, target, action=action, output=output, status=status
        )

    def _settle(
        self,
        moves: Moves,
        case: Case,
        ballot: Ballot,
        target: CallStatus,
        *,
        action: str,
        output: str,
        status: RequestStatus = R.ANSWERED,
    ) -> Done | Refusal:
        refusal = self.close(moves, case, ballot, status)
        if refusal is not None:
            return refusal
        data = {"reason": words_of(ballot.verdict), **_seen(case.call, ballot)}
        id = case.request.id
        call = moves.move(case.call, target, action, request_id=id, data=data, output=output)
        return self.done(moves, case, status, call)

    def _supply(self, moves: Moves, case: Case, ballot: Ballot, output: Json) -> Done | Refusal:
        """Validate and store a supplied output; a tool with a hook reworks it under a claim."""
        tool = self.kernel.catalogue.tool(case.call.agent, case.call.tool)
        if tool is None:
            failed = failed_response(f"The tool {case.call.tool!r} is no longer there.", output)
            return self._settle(
                moves, case, ballot, S.FAILED, action="supply", output=json_text(failed)
            )
        kind = tool.tool.kind
        if isinstance(kind, Hitl) and kind.on_response_received is not None:
            return self._rework(moves, case, ballot, output)
        try:
            if tool.tool.output is not None:
                check_supplied(tool.tool.output, output)
        except InvalidOutput as error:
            if case.call.task_id is not None:
                return self.refuse(moves, case, error)
            failed = json_text(failed_response(str(error), parsed(output)))
            return self._settle(moves, case, ballot, S.FAILED, action="supply", output=failed)
        return self._settle(
            moves, case, ballot, S.SUCCEEDED, action="supply", output=json_text(output)
        )

    def _rework(self, moves: Moves, case: Case, ballot: Ballot, output: Json) -> Done | Refusal:
        refusal = self.close(moves, case, ballot, R.ANSWERED)
        if refusal is not None:
            return refusal
        return self._go_ahead(
            moves,
            case,
            case.call,
            R.ANSWERED,
            action="supply",
            data=_seen(case.call, ballot),
            supplied=json_text(output),
            cleared_by=f"{PERSON}{ballot.by.id}",
            # An approval limits when the call starts, not when a person answers it.
            run_by=None,
        )

    def answer(
        self, moves: Moves, case: Case, ballot: Ballot, answered: Answered
    ) -> Done | Refusal:
        """Save a draft, or move the answered revision as its judgement says."""
        if answered.draft is not None:
            return self._keep_draft(moves, case, answered.draft)
        gated, merged = answered.gated, answered.merged
        if gated is None or merged is None:
            raise AssertionError("answers are a draft or have a ruling")
        refusal = self.close(moves, case, ballot, R.ANSWERED)
        if refusal is not None:
            return refusal
        moves.tx.values.seal(merged.sealed)
        moves.tx.values.save(merged.saved)
        id = case.request.id
        told = ballot.witness
        call = moves.revise(
            case.call, S.PROPOSED, "answer", merged.frozen, Author.ANSWER, request_id=id, told=told
        )
        return self._follow(moves, case, call, gated, R.ANSWERED)

    def _keep_draft(self, moves: Moves, case: Case, draft: str) -> Done | Refusal:
        if not moves.tx.requests.keep_draft(case.request, draft):
            return self.late(moves, case)
        call = moves.move(case.call, S.AWAITING_INPUT, "draft", request_id=case.request.id)
        return self.done(moves, case, R.OPEN, call)

    def _follow(
        self,
        moves: Moves,
        case: Case,
        call: Call,
        gated: GatedCall,
        status: RequestStatus,
    ) -> Done:
        """Move a revision to where the gate's ruling says."""
        changes: CallChanges = {"policy_version": self.kernel.policy_version}
        data: dict[str, Json] = {"by": gated.by}
        if isinstance(gated.ruling, Deny):
            changes["output"] = json_text(error_output(gated.ruling.reason))
            moved = moves.move(call, S.DENIED, "gate", data=data, **changes)
            return self.done(moves, case, status, moved)
        if isinstance(gated.ruling, Allow):
            changes["cleared_by"] = gated.ruling.by
            changes["approved"] = gated.ruling.waived
        moved = moves.move(call, gated.call.status, "gate", data=data, **changes)
        moved = changed(moved, policy_version=self.kernel.policy_version)
        if gated.asking is not None:
            self.open(moves, moved, case, gated.asking)
            return self.done(moves, case, status, moved)
        if not self._runs_here:
            return self.done(moves, case, status, moved)
        claim = self.claims.take(moves, moved, case.conversation, verified=True)
        return self.done(moves, case, status, claim.call if claim else moved, claim=claim)


def _seen(call: Call, ballot: Ballot) -> dict[str, Json]:
    """Return what a decision was about, for the record."""
    return {"arguments": shown(call.arguments.text), **ballot.witness}


def is_altered(case: Case) -> bool:
    """Return True if the rows are not those that the question was about."""
    bound = binding_of(case.call, case.request, case.conversation).digest
    return bound != case.request.digest or not case.call.arguments.is_intact


def expire(moves: Moves, case: Case, text: str) -> bool:
    """End a request whose deadline passed, and its call with it."""
    if not moves.tx.requests.expire(case.request):
        return False
    output = json_text(error_output(text))
    with moves.acting(DEADLINE):
        moves.move(case.call, S.EXPIRED, "expire", request_id=case.request.id, output=output)
    tell_closed(moves, case, R.EXPIRED, DEADLINE)
    return True


def tell_closed(moves: Moves, case: Case, status: RequestStatus, by: str) -> None:
    """Tell followers how a request ended."""
    told: dict[str, Json] = {
        "request_id": case.request.id,
        "call_id": case.call.id,
        "status": str(status),
        "by": by,
    }
    moves.tx.journal.tell(case.call.turn_id, Fact(EventKind.DECIDED, told))
