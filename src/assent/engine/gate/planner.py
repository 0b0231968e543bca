"""The planner of a call: has the gate rule on it, and says what people are asked."""

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
from assent.domain.confirmations import firmest
from assent.domain.conversations import Conversation
from assent.domain.copies import changed
from assent.domain.forms import SavedValue, UserInput
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.outputs import cut
from assent.domain.people import Audience, PersonKind
from assent.domain.policy import Allow, Ask, Deny, Ruling
from assent.domain.requests import Question
from assent.domain.tools import Arguments, Context, EffectiveTool, Preview, Tool, is_manual_tool
from assent.engine.gate.gate import Gate
from assent.engine.gate.gated_calls import Asking, GatedCall, context_of, result_wanted
from assent.engine.gate.known import NO_PREFERENCES, Known, OwnPreferences, known_answers
from assent.engine.gate.merging import Merging
from assent.engine.ids import Ids
from assent.engine.threads import is_ours, offload, weight
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
class Planner:
    """Plans calls of one conversation; reads and writes no rows."""

    gate: Gate
    vault: Vault
    ids: Ids
    conversation: Conversation
    saved: Sequence[SavedValue] = field(default=())
    preferences: OwnPreferences = NO_PREFERENCES

    async def plan_proposal(self, taken: GatedCall, now: datetime) -> GatedCall:
        """Plan a new call; if its tool has a form, the missing values are asked for first."""
        call, tool = taken.call, taken.tool
        if tool is None or call.is_settled:
            return taken
        form = tool.tool.user_input
        if form is None:
            return await self.plan(call, tool, call.arguments, taken.arguments)
        known = known_answers(tool, form, taken.prefilled, self.saved, self.preferences)
        if form.missing(known.values):
            return await self._input_wanted(taken, tool, form, known)
        merging = Merging(
            tool=tool,
            conversation_id=call.conversation_id,
            call_id=call.id,
            vault=self.vault,
            ids=self.ids,
            at=now,
        )
        answers = form.validate({}, known.values)
        # In a thread if it is large, like all arguments that are taken in.
        size = len(call.arguments.text) + weight(known.values)
        merged = await offload(size, merging.merge, taken.arguments, answers)
        planned = await self.plan(call, tool, merged.frozen, merged.arguments)
        return planned.filled(known.used(answers))

    async def _input_wanted(
        self, taken: GatedCall, tool: EffectiveTool, form: UserInput, known: Known
    ) -> GatedCall:
        context = context_of(taken.call, self.conversation)
        ruling = await self.gate.rule_on(tool, taken.arguments, context)
        if isinstance(ruling, Deny):
            return taken.denied(ruling)
        asking = Asking(
            kind=RequestKind.INPUT,
            question=Question(
                reason=form.reason,
                text=tool.tool.question,
                form=form.to_json(),
                prefilled={**taken.prefilled, **known.values},
            ),
            audience=self._whose_input(tool),
            decide_within=self.conversation.time_to_decide(tool),
        )
        asked = self._asked(taken, CallStatus.AWAITING_INPUT, ruling, asking)
        return asked.filled(known.origins)

    def _whose_input(self, tool: EffectiveTool) -> Audience:
        # The owner fills in the values, even if the approval is routed to other people.
        is_human = self.conversation.owner.kind is PersonKind.HUMAN
        return Audience() if is_human else tool.audience

    async def plan(
        self,
        call: Call,
        tool: EffectiveTool,
        frozen: Frozen,
        arguments: Mapping[str, Json] | None = None,
    ) -> GatedCall:
        """Plan a call with complete arguments: its own, or those of an answer or an edit."""
        if arguments is None:
            arguments = await offload(len(frozen.text), frozen.thaw)
        # After an answer or an edit: rules and hooks must judge the new arguments, not the old.
        if call.arguments != frozen:
            call = changed(call, arguments=frozen)
        gated = GatedCall(call=call, tool=tool, arguments=arguments)
        context = context_of(call, self.conversation)
        ruling = await self.gate.rule_on(tool, arguments, context)
        match ruling:
            case Deny():
                return gated.denied(ruling)
            case Allow() if is_manual_tool(tool.tool):
                status, asking = CallStatus.AWAITING_RESULT, result_wanted(tool, self.conversation)
                return self._asked(gated.allowed(ruling), status, ruling, asking)
            case Allow():
                return gated.allowed(ruling)
            case Ask():
                asking = await self._approval(tool, arguments, context, ruling)
                return self._asked(gated, CallStatus.AWAITING_APPROVAL, ruling, asking)

    async def _approval(
        self, tool: EffectiveTool, arguments: Arguments, context: Context, ask: Ask
    ) -> Asking:
        within = self.gate.policy.timeout
        return Asking(
            kind=RequestKind.APPROVAL,
            question=Question(
                reason=ask.reason,
                text=tool.tool.question,
                preview=tool.change or await preview(tool.tool, arguments, context, within=within),
            ),
            audience=ask.audience or tool.audience,
            decide_within=ask.time_to_decide(self.conversation.time_to_decide(tool)),
            confirmation=firmest(ask.confirmation, tool.confirmation),
            quorum=ask.quorum,
        )

    def _asked(
        self, gated: GatedCall, status: CallStatus, ruling: Ruling, asking: Asking
    ) -> GatedCall:
        owner = self.conversation.owner
        empty = asking.audience.is_empty_for(owner)
        if empty or asking.audience.is_too_few(asking.quorum, owner.id):
            whom = "Nobody" if empty else f"No {asking.quorum} people"
            reason = f"{whom} can be asked about this call, so it was not run."
            return gated.denied(Deny(by="audience", reason=reason))
        return gated.asked(status, ruling, asking)
