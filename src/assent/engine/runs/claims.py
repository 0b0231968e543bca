"""Claims: one worker gets a cleared call, after a last check of everything that was approved."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Unpack

from assent.domain.calls import Author, Call, Frozen
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.conversations import Conversation
from assent.domain.copies import changed
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.outputs import error_output, failed_response, json_text
from assent.domain.people import ADMIN, Audience
from assent.domain.policy import Ask, Deny
from assent.domain.requests import Question, Request
from assent.domain.tools import Context, EffectiveTool, usual_confirmation
from assent.engine.failpoints import point
from assent.engine.gate.definitions import tool_of
from assent.engine.gate.gate import APPROVALS_OFF
from assent.engine.gate.gated_calls import Asking, binding_of, context_of, mint
from assent.engine.gate.own_rules import asks_now
from assent.engine.gate.sources import sourced
from assent.engine.kernel import Kernel
from assent.engine.runs.exchanges import tries
from assent.engine.transitions import Moves, after
from assent.errors import InvalidArguments, NotFound
from assent.ports import CallChanges, Held, Tx

PERSON = "person:"
MAX_ATTEMPTS = 3
REDEFINED = "The tool's definition changed since this call was made."
# Predicates and hooks cannot run inside the claim's transaction. A call that the claim asks about
# again gets this version, which no policy has, so the gate rules before an approval of it counts.
UNJUDGED = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The right to run one attempt of a call, until `expires` on the monotonic clock."""

    call: Call
    tool: EffectiveTool
    conversation: Conversation
    expires: float

    @property
    def held(self) -> Held:
        """The id and fence of this claim; a later claim of the same call has another fence."""
        return self.call.id, self.call.fence

    @property
    def context(self) -> Context:
        """The context that the body is given."""
        return context_of(self.call, self.conversation)


def conversation_of(tx: Tx, id: str) -> Conversation:
    """Return the conversation of a row; the schema guarantees that it exists."""
    found = tx.conversations.get(id)
    if found is None:
        raise NotFound("conversation", id)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Claims cleared calls inside transactions; a failed check voids their clearance."""

    kernel: Kernel

    def take(
        self,
        moves: Moves,
        call: Call,
        conversation: Conversation,
        *,
        verified: bool = False,
        worker: str | None = None,
    ) -> Claim | None:
        """Claim a cleared call, or move it as a failed check requires.

        With `verified`, the caller has checked in this transaction what was approved. `worker` is
        this one, unless a caller outside claims the call to run it.
        """
        started = self.kernel.clock.monotonic()
        tool = tool_of(moves.tx, self.kernel.catalogue, call)
        if tool is None:
            reason = f"The tool {call.tool!r} is no longer there."
            self._settle(moves, call, CallStatus.FAILED, "tool_gone", reason)
            return None
        if call.supplied is None and not self._holds(moves, call, tool, conversation, verified):
            return None
        claimed = self._claim(moves, call, worker or self.kernel.worker)
        if claimed is None:
            self._settle(moves, call, CallStatus.EXPIRED, "expire", self.kernel.texts.expired)
            return None
        expires = started + self.kernel.times.lease.total_seconds()
        point("inside_claim")
        return Claim(call=claimed, tool=tool, conversation=conversation, expires=expires)

    def clear(
        self,
        moves: Moves,
        call: Call,
        conversation: Conversation,
        action: str,
        *,
        request_id: str | None = None,
        data: dict[str, Json] | None = None,
        **changes: Unpack[CallChanges],
    ) -> tuple[Call, Claim | None]:
        """Clear a call that may go ahead, and claim it in the same change if every check passes."""
        started = self.kernel.clock.monotonic()
        tool = tool_of(moves.tx, self.kernel.catalogue, call)
        cleared = after(call, CallStatus.CLEARED, changes)
        bound = changes.get("run_by", call.run_by)
        is_early = bound is None or (isinstance(bound, timedelta) and bound > timedelta(0))
        if tool is None or not is_early or not self._would_hold(cleared, tool, conversation):
            cleared = moves.move(
                call, CallStatus.CLEARED, action, request_id=request_id, data=data, **changes
            )
            claim = self.take(moves, cleared, conversation, verified=True)
            return (moves.tx.calls.get(call.id) or cleared if claim is None else claim.call), claim
        both: CallChanges = {**changes, **self._claiming(call, self.kernel.worker)}
        claimed = moves.clear_and_claim(
            call, cleared, action, both, request_id=request_id, data=data
        )
        expires = started + self.kernel.times.lease.total_seconds()
        point("inside_claim")
        claim = Claim(call=claimed, tool=tool, conversation=conversation, expires=expires)
        return claimed, claim

    def waive(self, moves: Moves, asked: Call, conversation: Conversation) -> Claim | None:
        """Claim a call without asking because approvals are off; a denial stays."""
        by: dict[str, Json] = {"by": APPROVALS_OFF}
        changes: CallChanges = {"cleared_by": APPROVALS_OFF, "approved": True}
        return self.clear(moves, asked, conversation, "gate", data=by, **changes)[1]

    def _would_hold(self, call: Call, tool: EffectiveTool, conversation: Conversation) -> bool:
        """Return True if the claim's own checks would pass."""
        return call.supplied is not None or (
            call.arguments.is_intact
            and tool.tool.definition_hash == call.definition_hash
            and call.policy_version == self.kernel.policy_version
            and self._denied(call, tool, conversation) is None
        )

    def _denied(self, call: Call, tool: EffectiveTool, conversation: Conversation) -> Deny | None:
        gate = self.kernel.gate(call.turn_id, guarded=False)
        if not gate.judges_now(tool):
            return None
        return gate.denies_now(tool, call.arguments.thaw(), context_of(call, conversation))

    def _claiming(self, call: Call, worker: str) -> CallChanges:
        return {
            "fence": call.fence + 1,
            "attempts": call.attempts + 1,
            "worker": worker,
            "lease_until": self.kernel.times.lease,
        }

    def _claim(self, moves: Moves, call: Call, worker: str) -> Call | None:
        """Compare and set the row; None if `run_by` has passed by the database's clock."""
        changes = self._claiming(call, worker)
        if not moves.tx.calls.move(call, CallStatus.RUNNING, in_time=True, **changes):
            return None
        moves.note("claim", call, target=CallStatus.RUNNING, data={"fence": call.fence + 1})
        claimed = changed(
            call,
            status=CallStatus.RUNNING,
            fence=call.fence + 1,
            attempts=call.attempts + 1,
            worker=worker,
        )
        moves.tell(claimed)
        return claimed

    def _holds(
        self,
        moves: Moves,
        call: Call,
        tool: EffectiveTool,
        conversation: Conversation,
        verified: bool,
    ) -> bool:
        if not call.arguments.is_intact or not (
            verified or self._bound(moves.tx, call, conversation)
        ):
            reason = "The record of this call was altered after it was approved."
            self._settle(moves, call, CallStatus.FAILED, "altered", reason)
            return False
        if tool.tool.definition_hash != call.definition_hash:
            self.void(moves, call, tool, conversation)
            return False
        denied = self._denied(call, tool, conversation)
        if denied is not None:
            self._settle(moves, call, CallStatus.DENIED, "deny", denied.reason)
            return False
        if (wanted := self._wanted(moves.tx, call, tool, conversation)) is not None:
            self._ask_again(moves, call, tool, conversation, wanted)
            return False
        return True

    def _wanted(
        self, tx: Tx, call: Call, tool: EffectiveTool, conversation: Conversation
    ) -> Ask | None:
        """Return what has to be asked again: the policy or the owner's rules have changed."""
        if call.policy_version != self.kernel.policy_version:
            return Ask(reason="The policy changed since.")
        # Whoever approved it has answered what the owner wants to be asked.
        by_person = (call.cleared_by or "").startswith(PERSON)
        return None if by_person else asks_now(tx, self.kernel.policy, call, tool, conversation)

    def _bound(self, tx: Tx, call: Call, conversation: Conversation) -> bool:
        """Return True if a person's approval covers exactly what the rows say now."""
        if not (call.cleared_by or "").startswith(PERSON):
            return True
        for request in reversed(tx.requests.of_call(call.id)):
            if request.status is RequestStatus.APPROVED:
                bound = binding_of(call, request, conversation).digest
                return any(d.digest == bound for d in tx.decisions.of_request(request.id))
        return False

    def void(
        self,
        moves: Moves,
        call: Call,
        tool: EffectiveTool,
        conversation: Conversation,
    ) -> None:
        """Make the next revision and ask again: the tool is not the one that was approved."""
        try:
            normal = tool.tool.arguments.normalise(call.arguments.thaw(), partial=False)
        except InvalidArguments as error:
            self._settle(moves, call, CallStatus.FAILED, "redefine", str(error))
            return
        asked = self.redefine(moves, call, tool, Frozen.of(normal), judged_by=UNJUDGED)
        within = conversation.time_to_decide(tool)
        self.ask(moves, asked, tool, conversation, REDEFINED, decide_within=within)

    def redefine(
        self, moves: Moves, call: Call, tool: EffectiveTool, frozen: Frozen, *, judged_by: str
    ) -> Call:
        """Make the next revision of a call for the changed tool; the caller also asks again."""
        return moves.revise(
            call,
            CallStatus.AWAITING_APPROVAL,
            "redefine",
            frozen,
            Author.DEFINITION,
            definition_hash=tool.tool.definition_hash,
            policy_version=judged_by,
            approved=False,
            cleared_by=None,
        )

    def _ask_again(
        self, moves: Moves, call: Call, tool: EffectiveTool, conversation: Conversation, why: Ask
    ) -> None:
        asked = moves.move(
            call,
            CallStatus.AWAITING_APPROVAL,
            "ask_again",
            data={"reason": why.reason},
            policy_version=UNJUDGED,
            approved=False,
            cleared_by=None,
        )
        within, whom = conversation.time_to_decide(tool), why.audience
        self.ask(moves, asked, tool, conversation, why.reason, decide_within=within, audience=whom)

    def ask(
        self,
        moves: Moves,
        call: Call,
        tool: EffectiveTool | None,
        conversation: Conversation,
        reason: str,
        *,
        kind: RequestKind = RequestKind.APPROVAL,
        metadata: dict[str, Json] | None = None,
        decide_within: timedelta | None = None,
        audience: Audience | None = None,
    ) -> None:
        """Open a request about a call that already waits for it; its tool may no longer exist."""
        text = tool.tool.question if tool is not None else ""
        change = tool.change if tool is not None and kind is RequestKind.APPROVAL else None
        earlier = [] if audience is not None else _approvals(moves.tx, call)
        asking = Asking(
            kind=kind,
            question=Question(reason=reason, text=text, metadata=metadata or {}, preview=change),
            audience=audience or self._audience(earlier, tool, conversation, kind),
            decide_within=decide_within,
            confirmation=_confirmation(earlier, call, tool, kind),
            quorum=_quorum(moves.tx, call, kind),
        )
        asking = sourced(moves.tx, call, tool, asking)
        request = mint(call, asking, conversation, self.kernel.ids, moves.now)
        moves.tx.requests.add([request])
        moves.pending(request)

    def doubt(
        self, moves: Moves, claim: Claim, reason: str, *, lost: bool = False, began: bool = True
    ) -> Claim | None:
        """Handle a call that may have run: retry it if that is harmless, else ask a person."""
        call = claim.call
        if call.supplied is not None and began:
            text = f"The answer could not be processed: {reason}"
            output = failed_response(text, json.loads(call.supplied))
            moves.move(call, CallStatus.FAILED, "fail", lost=lost, output=json_text(output))
        elif not (self._is_harmless(claim, began) and self._is_as_cleared(moves.tx, claim)):
            data: dict[str, Json] = {"reason": reason}
            # The lease of a call in doubt says that its body still runs, also to other processes.
            runs_on = claim.held in self.kernel.bodies.held
            lease = self.kernel.times.lease if runs_on else timedelta(0)
            moved = moves.move(
                call, CallStatus.IN_DOUBT, "doubt", lost=lost, data=data, lease_until=lease
            )
            kind = RequestKind.OUTCOME
            self.ask(moves, moved, claim.tool, claim.conversation, reason, kind=kind)
        elif call.by_caller:
            output = error_output(f"{reason}. It is harmless to call it again.")
            moves.move(call, CallStatus.FAILED, "fail", lost=lost, output=json_text(output))
        elif tries(call) >= MAX_ATTEMPTS:
            output = error_output(f"Given up after {call.attempts} attempts: {reason}")
            moves.move(call, CallStatus.FAILED, "fail", lost=lost, output=json_text(output))
        else:
            return self._retry(moves, claim, reason, lost=lost)
        return None

    def _is_harmless(self, claim: Claim, began: bool) -> bool:
        return claim.tool.tool.idempotent or not began

    def _is_as_cleared(self, tx: Tx, claim: Claim) -> bool:
        """Return True if it may run as when it was cleared: a retry is a claim, too."""
        call, tool = claim.call, claim.tool
        same_tool = tool.tool.definition_hash == call.definition_hash
        return same_tool and self._wanted(tx, call, tool, claim.conversation) is None

    def _retry(self, moves: Moves, claim: Claim, reason: str, *, lost: bool) -> Claim:
        started, lease = self.kernel.clock.monotonic(), self.kernel.times.lease
        again = moves.move(
            claim.call,
            CallStatus.RUNNING,
            "retry",
            lost=lost,
            data={"reason": reason},
            fence=claim.call.fence + 1,
            attempts=claim.call.attempts + 1,
            worker=self.kernel.worker,
            lease_until=lease,
        )
        return replace(claim, call=again, expires=started + lease.total_seconds())

    def _audience(
        self,
        earlier: Sequence[Request],
        tool: EffectiveTool | None,
        conversation: Conversation,
        kind: RequestKind,
    ) -> Audience:
        # The people who were asked before are asked again: a rule may have routed the call to
        # others.
        declared = tool.audience if tool is not None else Audience()
        wanted = earlier[-1].audience if earlier else declared
        # The gate allowed the call, so it did not matter that nobody could be asked. Now a person
        # is needed, and a service must not confirm its own calls.
        is_nobody = kind is not RequestKind.RESULT and wanted.is_empty_for(conversation.owner)
        return Audience.of(ADMIN) if is_nobody else wanted

    def _settle(
        self, moves: Moves, call: Call, target: CallStatus, action: str, reason: str
    ) -> None:
        moves.move(
            call, target, action, data={"reason": reason}, output=json_text(error_output(reason))
        )


def _approvals(tx: Tx, call: Call) -> list[Request]:
    return [r for r in tx.requests.of_call(call.id) if r.kind is RequestKind.APPROVAL]


def _quorum(tx: Tx, call: Call, kind: RequestKind) -> int:
    """Return how many approvals were needed before: to run it again, as many are needed."""
    if kind is RequestKind.RESULT:
        return 1
    return max((request.quorum for request in _approvals(tx, call)), default=1)


def _confirmation(
    earlier: Sequence[Request], call: Call, tool: EffectiveTool | None, kind: RequestKind
) -> Confirmation:
    """Return a confirmation as firm as before: a rule may have required more than the tool."""
    if kind is RequestKind.RESULT:
        return Confirmation.CLICK
    declared = usual_confirmation(call.risk) if tool is None else tool.confirmation
    return firmest(declared, *(request.confirmation for request in earlier))
