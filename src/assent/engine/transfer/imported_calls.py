"""Importing calls: none gets a status in which it would run without a new decision."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from assent.domain.calls import Author, Call, Frozen, Revision
from assent.domain.canonical import Json
from assent.domain.confirmations import firmest
from assent.domain.conversations import Conversation
from assent.domain.copies import changed
from assent.domain.lifecycle import TERMINAL, CallStatus, RequestKind
from assent.domain.outputs import error_output, failed_response, json_text
from assent.domain.people import ADMIN, Audience
from assent.domain.policy import Deny
from assent.domain.requests import Question
from assent.domain.tools import EffectiveTool, usual_confirmation
from assent.engine.gate.gated_calls import Asking, GatedCall, result_wanted
from assent.engine.gate.planner import Planner
from assent.engine.kernel import Kernel
from assent.engine.runs.claims import UNJUDGED
from assent.engine.transfer.format import CallPart
from assent.engine.vault import forged
from assent.errors import InvalidAnswer, InvalidArguments

S = CallStatus
_MAY_HAVE_RUN = frozenset({S.RUNNING, S.IN_DOUBT})
IMPORT = "import"
REASON = "This call was imported; what was decided elsewhere does not count here."


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedCall:
    """A call as it is stored here, and the question about it if people have to be asked."""

    part: CallPart
    call: Call
    owner: str
    revisions: tuple[Revision, ...] = ()
    asking: Asking | None = None
    audience: Audience | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedCall:
    """A call of the archive, with its new ids and the facts from other parts."""

    part: CallPart
    turn_id: str
    message_id: str
    turn_number: int
    # Only the turn that is still going on can have calls that wait.
    active: bool
    prefilled: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallImporter:
    """Converts the calls of one conversation; reads and writes no rows."""

    kernel: Kernel
    conversation: Conversation
    planner: Planner
    now: datetime

    async def take_over(self, archived: ArchivedCall) -> ImportedCall:
        """Keep a settled call settled; for any other call our own policy and people decide."""
        part, call = archived.part, self._call(archived)
        if part.status in TERMINAL:
            return self._kept(part, call)
        if forged(call.arguments.thaw(), frozenset()):
            return self._without_secret(part, call)
        tool = self.kernel.catalogue.tool(call.agent, part.tool)
        if part.status in _MAY_HAVE_RUN:
            return await self._in_doubt(part, call, tool)
        if not archived.active:
            return self._cancelled(part, call, "Imported: its turn had already ended.")
        if tool is None:
            return self._cancelled(part, call, f"Imported: there is no tool {part.tool!r} here.")
        try:
            return await self._waiting(archived, call, tool)
        except (InvalidArguments, InvalidAnswer) as error:
            return self._cancelled(part, call, f"Imported: {error}")

    def _call(self, archived: ArchivedCall) -> Call:
        part = archived.part
        return Call(
            id=self.kernel.ids("call"),
            conversation_id=self.conversation.id,
            turn_id=archived.turn_id,
            message_id=archived.message_id,
            position=part.position,
            provider_id=part.provider_id,
            agent=self.conversation.agent,
            tool=part.tool,
            source=part.source,
            risk=part.risk,
            definition_hash="",
            status=part.status,
            revision=part.revision,
            arguments=Frozen.of(cast("dict[str, Json]", part.arguments)),
            proposed=part.proposed,
            created_at=past(part.created_at, self.now),
            policy_version=self.kernel.policy_version,
            turn_number=archived.turn_number,
            step=part.step,
            attempts=part.attempts,
            metadata=None if part.metadata is None else json_text(part.metadata),
            note=part.note,
        )

    def _kept(self, part: CallPart, call: Call) -> ImportedCall:
        settled = changed(
            call,
            definition_hash=part.definition_hash,
            cleared_by=part.cleared_by,
            approved=part.approved,
            policy_version="",
            output=json_text(part.output),
            settled_at=past(part.settled_at or self.now, self.now),
        )
        return self._imported(part, settled)

    def _settled(
        self, part: CallPart, call: Call, status: CallStatus, output: Json, note: str | None
    ) -> ImportedCall:
        text = json_text(output)
        settled = changed(call, status=status, output=text, note=note, settled_at=self.now)
        return self._imported(part, settled)

    def _cancelled(self, part: CallPart, call: Call, note: str) -> ImportedCall:
        text = self.kernel.texts.cancelled
        if part.status in _MAY_HAVE_RUN:
            text = self.kernel.texts.unknown
        return self._settled(part, call, S.CANCELLED, error_output(text), note)

    def _without_secret(self, part: CallPart, call: Call) -> ImportedCall:
        # A reference in a file may name any person's secret: it must never reach the runner.
        note = "Imported without the secrets it was given, which stay where they were entered."
        return self._cancelled(part, call, note)

    async def _in_doubt(
        self, part: CallPart, call: Call, tool: EffectiveTool | None
    ) -> ImportedCall:
        """Ask people about a call that may have run elsewhere: it cannot be known here."""
        if part.supplied is not None:
            reason = "The answer could not be processed: its call was imported while it ran."
            output = failed_response(reason, cast("Json", part.supplied.output))
            return self._settled(part, call, S.FAILED, output, part.note)
        audience, confirmation, quorum = Audience(), usual_confirmation(call.risk), 1
        if tool is not None:
            call = changed(call, source=tool.tool.source, risk=tool.risk)
            call = changed(call, definition_hash=_definition(tool, call))
            gated = await self.planner.plan(call, tool, call.arguments)
            audience = tool.audience if gated.asking is None else gated.asking.audience
            confirmation = tool.confirmation
            if gated.asking is not None:
                confirmation = firmest(confirmation, gated.asking.confirmation)
                quorum = gated.asking.quorum
            if isinstance(gated.ruling, Deny):
                # Our policy denies it: if people have it run again, the gate rules on it first.
                call = changed(call, policy_version=UNJUDGED)
        if audience.is_empty_for(self.conversation.owner):
            audience = Audience.of(ADMIN)
        reason = "It was imported while it ran elsewhere."
        asking = Asking(
            kind=RequestKind.OUTCOME,
            question=Question(reason=reason, text="" if tool is None else tool.tool.question),
            audience=audience,
            decide_within=None,
            confirmation=confirmation,
            quorum=quorum,
        )
        return self._asked(part, call, asking)

    async def _waiting(
        self, archived: ArchivedCall, call: Call, tool: EffectiveTool
    ) -> ImportedCall:
        """Judge the call by our own policy, as if it had just been proposed."""
        part = archived.part
        gated = await self._gated(archived, call, tool)
        call = changed(
            call,
            source=tool.tool.source,
            risk=tool.risk,
            definition_hash=tool.tool.definition_hash,
        )
        if isinstance(gated.ruling, Deny):
            return self._denied(part, call, gated.ruling)
        asking = _question(part, gated.asking, tool, self.conversation)
        if asking.audience.is_empty_for(self.conversation.owner):
            reason = "Nobody can be asked about this call, so it was not run."
            return self._denied(part, call, Deny(by="audience", reason=reason))
        return self._asked(part, _revised(call, gated.call.arguments), asking)

    async def _gated(self, archived: ArchivedCall, call: Call, tool: EffectiveTool) -> GatedCall:
        lacks_input = archived.part.status is S.AWAITING_INPUT
        arguments = tool.tool.arguments.normalise(call.arguments.thaw(), partial=lacks_input)
        frozen = Frozen.of(arguments)
        if not lacks_input:
            return await self.planner.plan(call, tool, frozen, arguments)
        taken = GatedCall(
            call=changed(call, arguments=frozen),
            tool=tool,
            arguments=arguments,
            prefilled=_prefilled(tool, archived.prefilled),
        )
        return await self.planner.plan_proposal(taken, self.now)

    def _denied(self, part: CallPart, call: Call, ruling: Deny) -> ImportedCall:
        denied = changed(call, cleared_by=ruling.by)
        return self._settled(part, denied, S.DENIED, error_output(ruling.reason), part.note)

    def _asked(self, part: CallPart, call: Call, asking: Asking) -> ImportedCall:
        waiting = self._imported(part, changed(call, status=_STATUS[asking.kind]))
        return replace(waiting, asking=asking, audience=asking.audience)

    def _imported(self, part: CallPart, call: Call) -> ImportedCall:
        owner = self.conversation.owner.id
        return ImportedCall(
            part=part, call=call, owner=owner, revisions=self._revisions(part, call)
        )

    def _revisions(self, part: CallPart, call: Call) -> tuple[Revision, ...]:
        kept = [
            Revision(
                call_id=call.id,
                revision=each.revision,
                arguments=Frozen.of(cast("dict[str, Json]", each.arguments)),
                author=each.author,
                by=each.by,
                at=past(each.at, self.now),
            )
            for each in part.revisions
        ]
        if call.revision == part.revision:
            return tuple(kept)
        first = Revision(
            call_id=call.id,
            revision=1,
            arguments=Frozen.of(cast("dict[str, Json]", part.arguments)),
            author=Author.MODEL,
            by=call.agent,
            at=call.created_at,
        )
        newest = changed(
            first,
            revision=call.revision,
            arguments=call.arguments,
            author=Author.DEFINITION,
            by=IMPORT,
            at=self.now,
        )
        return (*(kept or [first]), newest)


_STATUS = {
    RequestKind.APPROVAL: S.AWAITING_APPROVAL,
    RequestKind.INPUT: S.AWAITING_INPUT,
    RequestKind.RESULT: S.AWAITING_RESULT,
    RequestKind.OUTCOME: S.IN_DOUBT,
}


def past(at: datetime, now: datetime) -> datetime:
    """Return a time of the archive, but no later than now: it would look newer than our rows."""
    return min(at, now)


def _question(
    part: CallPart, asking: Asking | None, tool: EffectiveTool, conversation: Conversation
) -> Asking:
    """Return the question to ask here: the one that the call waited for, or an approval."""
    if part.status is S.AWAITING_RESULT or part.supplied is not None:
        return result_wanted(tool, conversation)
    if asking is None or asking.kind is RequestKind.RESULT:
        question = Question(text=tool.tool.question)
        asking = Asking(
            kind=RequestKind.APPROVAL,
            question=question,
            audience=tool.audience,
            decide_within=conversation.time_to_decide(tool),
            confirmation=tool.confirmation,
        )
    if asking.kind is not RequestKind.APPROVAL:
        return asking
    metadata = cast("dict[str, Json]", part.metadata or {})
    reason = asking.question.reason or REASON
    return replace(asking, question=changed(asking.question, reason=reason, metadata=metadata))


def _prefilled(tool: EffectiveTool, given: Mapping[str, Json]) -> dict[str, Json]:
    form = tool.tool.user_input
    if form is None:
        return {}
    names = {item.name for item in form.fields} - form.withheld
    return {n: v for n, v in given.items() if n in names and not forged(v, frozenset())}


def _definition(tool: EffectiveTool, call: Call) -> str:
    """Return our tool's hash if it accepts the arguments.

    Otherwise return an empty one: running the call then asks again.
    """
    try:
        normal = tool.tool.arguments.normalise(call.arguments.thaw(), partial=False)
    except InvalidArguments:
        return ""
    return tool.tool.definition_hash if Frozen.of(normal) == call.arguments else ""


def _revised(call: Call, frozen: Frozen) -> Call:
    if frozen == call.arguments:
        return call
    return changed(call, revision=call.revision + 1, arguments=frozen)
