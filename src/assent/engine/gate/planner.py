"""Planning a call: from an accepted proposal to its judgement, its preview and its question."""

import asyncio
import logging
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import msgspec

from assent.domain.author_functions import call_function
from assent.domain.calls import Call, Frozen
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.conversations import Conversation
from assent.domain.copies import changed
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.outputs import cut
from assent.domain.people import Audience, PersonKind
from assent.domain.policy import Allow, Ask, Deny, Verdict
from assent.domain.requests import Binding, Question, Request
from assent.domain.saved_values import SavedValue
from assent.domain.tools import Arguments, Context, EffectiveTool, Preview, Tool, is_manual_tool
from assent.engine.cancellation import is_ours
from assent.engine.gate.gate import Gate
from assent.engine.gate.inputs import known_answers, merge
from assent.engine.gate.intake import Accepted
from assent.engine.ids import Ids
from assent.engine.threads import aside, weight
from assent.engine.vault import Vault

log = logging.getLogger(__name__)
MAX_CHARS = 262_144


async def preview(
    tool: Tool, arguments: Arguments, context: Context, *, within: timedelta
) -> Preview | None:
    """Return the tool's preview, if it has one; a failure is shown and never fatal."""
    if tool.preview is None:
        return None
    try:
        async with asyncio.timeout(within.total_seconds()):
            # A copy: changes that the preview makes must not be in what runs.
            copied = msgspec.to_builtins(dict(arguments))
            return _bounded(await call_function(tool.preview, copied, context))
    except BaseException as error:
        if is_ours(error):
            raise
        said = "".join(traceback.format_exception_only(error)).strip()
        log.warning("the preview of %r failed: %r", tool.name, said)
        return Preview(text=cut(said), failed=True)


def _bounded(made: object) -> Preview | None:
    """Return a preview short enough to store with its request; raises if it is not a preview."""
    match made:
        case None:
            return None
        case str():
            return Preview(text=_shortened(made))
        case Preview(text=str(), before=str() | None, after=str() | None, failed=bool()):
            longest = max(len(made.before or ""), len(made.after or ""))
            if longest > MAX_CHARS:
                # Not cut: two texts that differ in the middle would look the same.
                raise ValueError(f"texts of {longest:,} characters are too long to be compared")
            return replace(made, text=_shortened(made.text))
        case _:
            kind = type(made).__name__
            raise TypeError(f"a preview is a text, a Preview or None, not {kind}")


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_CHARS else cut(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The request that a plan needs."""

    kind: RequestKind
    question: Question
    audience: Audience
    decide_within: timedelta | None
    confirmation: Confirmation = Confirmation.CLICK
    quorum: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The plan for one revision of a call."""

    tool: EffectiveTool
    target: CallStatus
    verdict: Verdict
    frozen: Frozen
    asking: Asking | None = None

    @property
    def approved(self) -> bool:
        """True if something stood in for a person's approval."""
        return isinstance(self.verdict, Allow) and self.verdict.waived


@dataclass(frozen=True, slots=True, kw_only=True)
class Planner:
    """Plans calls of one conversation; reads and writes no rows."""

    gate: Gate
    vault: Vault
    ids: Ids
    conversation: Conversation
    saved: Sequence[SavedValue] = field(default=())

    async def first(self, accepted: Accepted, context: Context, now: datetime) -> Plan:
        """Return the plan for a new proposal."""
        form = accepted.tool.tool.user_input
        if form is None:
            arguments, frozen = accepted.arguments, accepted.frozen
            return await self.judged(accepted.tool, arguments, context, frozen=frozen)
        known = known_answers(accepted.tool, form, accepted.prefilled, self.saved)
        if not form.missing(known):
            # In a thread if it is large, like everything else that is taken in.
            merged = await aside(
                len(accepted.frozen.text) + weight(known),
                merge,
                accepted.tool,
                accepted.arguments,
                form.validate({}, known),
                conversation_id=context.conversation_id,
                call_id=context.call_id,
                vault=self.vault,
                ids=self.ids,
                at=now,
            )
            tool, frozen = accepted.tool, merged.frozen
            return await self.judged(tool, merged.arguments, context, frozen=frozen)
        return await self._input_wanted(accepted, context, known)

    async def _input_wanted(
        self, accepted: Accepted, context: Context, known: Mapping[str, Json]
    ) -> Plan:
        tool = accepted.tool
        verdict = await self.gate.judge(tool, accepted.arguments, context)
        form = tool.tool.user_input
        if isinstance(verdict, Deny) or form is None:
            return Plan(
                tool=tool, target=CallStatus.DENIED, verdict=verdict, frozen=accepted.frozen
            )
        asking = Asking(
            kind=RequestKind.INPUT,
            question=Question(
                reason=form.reason,
                text=tool.tool.question,
                form=form.to_json(),
                prefilled={**accepted.prefilled, **known},
            ),
            audience=self._whose_input(tool),
            decide_within=tool.decide_within,
        )
        return self._asked(tool, CallStatus.AWAITING_INPUT, verdict, accepted.frozen, asking)

    def _whose_input(self, tool: EffectiveTool) -> Audience:
        # The owner fills in the values, even if the approval is routed to other people.
        is_human = self.conversation.owner.kind is PersonKind.HUMAN
        return Audience() if is_human else tool.audience

    async def judged(
        self,
        tool: EffectiveTool,
        arguments: Mapping[str, Json],
        context: Context,
        *,
        frozen: Frozen | None = None,
    ) -> Plan:
        """Return the plan for complete arguments, frozen already or frozen here."""
        frozen = frozen or await aside(weight(arguments), Frozen.of, dict(arguments))
        # An answer or an edit made these; rules and hooks must not judge the earlier ones.
        if context.arguments != frozen.text:
            context = changed(context, arguments=frozen.text)
        verdict = await self.gate.judge(tool, arguments, context)
        match verdict:
            case Deny():
                return Plan(tool=tool, target=CallStatus.DENIED, verdict=verdict, frozen=frozen)
            case Allow():
                return self.allowed(tool, frozen, verdict)
            case Ask():
                within = self.gate.policy.timeout
                asking = Asking(
                    kind=RequestKind.APPROVAL,
                    question=Question(
                        reason=verdict.reason,
                        text=tool.tool.question,
                        preview=await preview(tool.tool, arguments, context, within=within),
                    ),
                    audience=verdict.audience or tool.audience,
                    decide_within=verdict.time_to_decide(tool.decide_within),
                    confirmation=firmest(verdict.confirmation, tool.confirmation),
                    quorum=verdict.quorum,
                )
                target = CallStatus.AWAITING_APPROVAL
                return self._asked(tool, target, verdict, frozen, asking)

    def allowed(self, tool: EffectiveTool, frozen: Frozen, verdict: Verdict) -> Plan:
        """Return the plan of an allowed call: it goes to the runner, or waits for its result."""
        if not is_manual_tool(tool.tool):
            return Plan(tool=tool, target=CallStatus.CLEARED, verdict=verdict, frozen=frozen)
        asking = result_wanted(tool)
        return self._asked(tool, CallStatus.AWAITING_RESULT, verdict, frozen, asking)

    def _asked(
        self,
        tool: EffectiveTool,
        target: CallStatus,
        verdict: Verdict,
        frozen: Frozen,
        asking: Asking,
    ) -> Plan:
        empty = asking.audience.is_empty_for(self.conversation.owner)
        if empty or asking.audience.is_too_few(asking.quorum, self.conversation.owner.id):
            whom = "Nobody" if empty else f"No {asking.quorum} people"
            reason = f"{whom} can be asked about this call, so it was not run."
            denied = Deny(by="audience", reason=reason)
            return Plan(tool=tool, target=CallStatus.DENIED, verdict=denied, frozen=frozen)
        return Plan(tool=tool, target=target, verdict=verdict, frozen=frozen, asking=asking)


def result_wanted(tool: EffectiveTool) -> Asking:
    """Return the request for an output that a person or process has to supply."""
    return Asking(
        kind=RequestKind.RESULT,
        question=Question(text=tool.tool.question),
        audience=tool.audience,
        decide_within=tool.decide_within,
    )


def mint(
    call: Call, asking: Asking, conversation: Conversation, ids: Ids, now: datetime
) -> Request:
    """Make a request for this revision; its id stands for what is shown."""
    id = ids("req")
    decide_by = None if asking.decide_within is None else now + asking.decide_within
    bound = _binding(
        call,
        conversation,
        request_id=id,
        policy_version=call.policy_version,
        decide_by=decide_by,
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
        decide_by=decide_by,
        confirmation=asking.confirmation,
    )


def binding_of(call: Call, request: Request, conversation: Conversation) -> Binding:
    """Return what the rows say now; its digest must be the one the request was made with."""
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
