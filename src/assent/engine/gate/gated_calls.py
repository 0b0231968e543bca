"""One call on its way from the model's proposal to its row, and the request that people get."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from msgspec import Struct, field

from assent.domain.ask_terms import TimeLimit, decide_by
from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.conversations import Conversation
from assent.domain.copies import changed
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.outputs import error_output, json_text
from assent.domain.people import Audience
from assent.domain.policy import Allow, Deny, Ruling
from assent.domain.preferences import Origins, origins_json
from assent.domain.requests import Binding, Question, Request
from assent.domain.tools import Context, EffectiveTool
from assent.engine.ids import Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question to people that is not a request yet: a request needs a stored call and a time."""

    kind: RequestKind
    question: Question
    audience: Audience
    decide_within: TimeLimit
    confirmation: Confirmation = Confirmation.CLICK
    quorum: int = 1


def result_wanted(tool: EffectiveTool, conversation: Conversation) -> Asking:
    """Return the question for an output that a person or process has to supply."""
    return Asking(
        kind=RequestKind.RESULT,
        question=Question(text=tool.tool.question),
        audience=tool.audience,
        decide_within=conversation.time_to_decide(tool),
    )


class GatedCall(Struct, frozen=True, kw_only=True):
    """A call with everything known about it so far.

    Intake reads the arguments, the gate rules, the planner says what is asked, the step stores it.
    """

    # The row as it would be stored now.
    call: Call
    # None if the model named a tool that does not exist.
    tool: EffectiveTool | None
    # The arguments of the row, not frozen, and values for fields that people are asked for.
    arguments: Mapping[str, Json] = field(default_factory=dict[str, Json])
    prefilled: Mapping[str, Json] = field(default_factory=dict[str, Json])
    # None if the call failed before the gate ruled.
    ruling: Ruling | None = None
    asking: Asking | None = None
    # Made of `asking` when the call is stored.
    request: Request | None = None
    # Where values came from that nobody typed for this call, by argument.
    origins: Mapping[str, Json] = field(default_factory=dict[str, Json])

    @property
    def by(self) -> str:
        """The name of what ruled on the call, or of why it failed before that."""
        return (self.call.cleared_by or "") if self.ruling is None else self.ruling.by

    def failed(self, by: str, reason: str) -> "GatedCall":
        """Return the call as one that is never asked about nor run; the model is told why."""
        call = _ended(self.call, CallStatus.FAILED, by, reason)
        return changed(self, call=call, ruling=None, asking=None)

    def denied(self, ruling: Deny) -> "GatedCall":
        """Return the call as the gate denies it."""
        call = _ended(self.call, CallStatus.DENIED, ruling.by, ruling.reason)
        return changed(self, call=call, ruling=ruling)

    def allowed(self, ruling: Allow) -> "GatedCall":
        """Return the call as the gate clears it."""
        status, by, approved = CallStatus.CLEARED, ruling.by, ruling.waived
        call = changed(self.call, status=status, cleared_by=by, approved=approved)
        return changed(self, call=call, ruling=ruling)

    def asked(self, status: CallStatus, ruling: Ruling, asking: Asking) -> "GatedCall":
        """Return the call as it waits for people."""
        return changed(self, call=changed(self.call, status=status), ruling=ruling, asking=asking)

    def filled(self, origins: Origins) -> "GatedCall":
        """Return the call with where its values came from, for the record and who is asked."""
        told = origins_json(origins)
        if not told or self.asking is None:
            return changed(self, origins=told)
        question = changed(self.asking.question, origins=told)
        return changed(self, origins=told, asking=replace(self.asking, question=question))


def _ended(call: Call, status: CallStatus, by: str, reason: str) -> Call:
    output = json_text(error_output(reason))
    return changed(call, status=status, cleared_by=by, approved=False, output=output)


def context_of(call: Call, conversation: Conversation) -> Context:
    """Return the context of a call, for predicates, previews and bodies."""
    metadata: dict[str, Json] = json.loads(call.metadata) if call.metadata else {}
    return Context(
        call_id=call.id,
        conversation_id=call.conversation_id,
        agent=call.agent,
        tool=call.tool,
        owner=conversation.owner,
        turn=call.turn_number,
        step=call.step,
        attempt=max(call.attempts, 1),
        approved=call.approved,
        metadata=metadata,
        arguments=call.arguments.text,
    )


def mint(
    call: Call, asking: Asking, conversation: Conversation, ids: Ids, now: datetime
) -> Request:
    """Make a request about this revision; its digest covers what is shown."""
    id = ids("req")
    expires_at = decide_by(asking.decide_within, now)
    bound = _binding(
        call,
        conversation,
        request_id=id,
        policy_version=call.policy_version,
        decide_by=expires_at,
        confirmation=asking.confirmation,
    )
    return Request(
        id=id,
        kind=asking.kind,
        status=RequestStatus.OPEN,
        call_id=call.id,
        conversation_id=call.conversation_id,
        turn_id=call.turn_id,
        revision=call.revision,
        owner=conversation.owner.id,
        owner_behind=conversation.owner.behind,
        agent=call.agent,
        tool=call.tool,
        risk=call.risk,
        audience=asking.audience,
        quorum=asking.quorum,
        digest=bound.digest,
        policy_version=call.policy_version,
        question=asking.question,
        created_at=now,
        decide_by=expires_at,
        confirmation=asking.confirmation,
    )


def binding_of(call: Call, request: Request, conversation: Conversation) -> Binding:
    """Return the binding of the rows as they are now; its digest must be the request's."""
    return _binding(
        call,
        conversation,
        request_id=request.id,
        policy_version=request.policy_version,
        decide_by=request.decide_by,
        confirmation=request.confirmation,
    )


def _binding(
    call: Call,
    conversation: Conversation,
    *,
    request_id: str,
    policy_version: str,
    decide_by: datetime | None,
    confirmation: Confirmation,
) -> Binding:
    return Binding(
        request_id=request_id,
        conversation_id=conversation.id,
        owner=conversation.owner.id,
        call_id=call.id,
        revision=call.revision,
        source=call.source,
        tool=call.tool,
        definition_hash=call.definition_hash,
        arguments_digest=call.arguments.digest,
        policy_version=policy_version,
        decide_by=decide_by,
        confirmation=confirmation,
    )
