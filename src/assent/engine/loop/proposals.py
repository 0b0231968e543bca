"""Drafting the calls of one model answer: taken in, counted and judged before they are stored."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assent.domain.calls import Call, Frozen
from assent.domain.conversations import Conversation, TurnRow
from assent.domain.copies import changed
from assent.domain.lifecycle import CallStatus
from assent.domain.messages import Answer, Proposal
from assent.domain.outputs import error_output, json_text
from assent.domain.policy import Deny
from assent.domain.tools import Context
from assent.engine.agents import Limits, Toolbox
from assent.engine.gate.intake import Accepted, Refused, take_in
from assent.engine.gate.planner import Plan, Planner
from assent.engine.kernel import Kernel
from assent.engine.threads import aside
from assent.errors import InvalidAnswer, InvalidArguments

_STORED_CHARS = 300_000
_NAME_CHARS = 200
# So many are judged in a few milliseconds, unless a rule waits for I/O.
_AT_ONCE = 32

REFUSED = "refused"
REPEATED = "repeated"
SURPLUS = "surplus"
CROWDED = "quota"


def storable(text: str, limit: int = _STORED_CHARS) -> str:
    """Return text in a form that every database can hold: no NUL, no half surrogate pairs."""
    clean = text
    if not text.isascii() or "\x00" in text:
        clean = text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")
    return clean if len(clean) <= limit else clean[:limit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A call that is not stored yet, with its plan; a refused call has none."""

    call: Call
    plan: Plan | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """Drafts the calls of one answer."""

    kernel: Kernel
    turn: TurnRow
    conversation: Conversation
    message_id: str
    planner: Planner
    toolbox: Toolbox
    limits: Limits
    earlier: tuple[Call, ...]
    now: datetime

    async def draft(self, answer: Answer) -> list[Draft]:
        """Return one draft per proposal, in the model's order; one for all beyond the cap."""
        most = self.limits.calls_per_answer
        drafts = await self._wanted(answer.proposals[:most])
        for proposal in answer.proposals[most : most + 1]:
            call = self._call(most, proposal, await self._taken(proposal))
            made = len(answer.proposals) + answer.left_out
            text = self.kernel.texts.surplus.format(made=made, most=most)
            drafts.append(_failed(call, SURPLUS, text))
        return drafts

    async def _wanted(self, proposals: Sequence[Proposal]) -> list[Draft]:
        counts = Counter((call.tool, call.proposed) for call in self.earlier)
        drafts: list[Draft] = []
        for start in range(0, len(proposals), _AT_ONCE):
            if start:
                # Let other tasks run: a judgement need not wait for I/O, however many calls there
                # are.
                await asyncio.sleep(0)
            work = [
                self._one(place, proposals[place], taken, repeated)
                for place, taken, repeated in await self._portion(start, proposals, counts)
            ]
            # Mostly there is one, which needs no task of its own.
            drafts += [await work[0]] if len(work) == 1 else await asyncio.gather(*work)
        return drafts

    async def _portion(
        self, start: int, proposals: Sequence[Proposal], counts: Counter[tuple[str, str]]
    ) -> list[tuple[int, Accepted | Refused, bool]]:
        """Take in some proposals; return each with its place, and True if it was made too often."""
        portion: list[tuple[int, Accepted | Refused, bool]] = []
        for place in range(start, min(start + _AT_ONCE, len(proposals))):
            taken = await self._taken(proposals[place])
            portion.append((place, taken, self._is_repeated(counts, proposals[place], taken)))
        return portion

    async def _taken(self, proposal: Proposal) -> Accepted | Refused:
        return await aside(len(proposal.arguments), take_in, proposal, self.toolbox)

    def _is_repeated(
        self, counts: Counter[tuple[str, str]], proposal: Proposal, taken: Accepted | Refused
    ) -> bool:
        key = (storable(proposal.tool, _NAME_CHARS), _as_proposed(proposal, taken))
        counts[key] += 1
        return counts[key] > self.limits.repeats

    async def _one(
        self, position: int, proposal: Proposal, taken: Accepted | Refused, repeated: bool
    ) -> Draft:
        call = self._call(position, proposal, taken)
        if isinstance(taken, Refused):
            return _failed(call, REFUSED, taken.reason)
        if repeated:
            return _failed(call, REPEATED, self.kernel.texts.repeated)
        context = Context(
            call_id=call.id,
            conversation_id=call.conversation_id,
            agent=call.agent,
            tool=call.tool,
            owner=self.conversation.owner,
            turn=call.turn_number,
            step=call.step,
            arguments=call.arguments.text,
        )
        try:
            plan = await self.planner.first(taken, context, self.now)
        except (InvalidArguments, InvalidAnswer) as error:
            return _failed(call, REFUSED, str(error))
        return Draft(call=planned(call, plan), plan=plan)

    def _call(self, position: int, proposal: Proposal, taken: Accepted | Refused) -> Call:
        tool = taken.tool
        is_accepted = isinstance(taken, Accepted)
        return Call(
            id=self.kernel.ids("call"),
            conversation_id=self.conversation.id,
            turn_id=self.turn.id,
            message_id=self.message_id,
            position=position,
            provider_id=storable(proposal.provider_id, _NAME_CHARS),
            agent=self.conversation.agent,
            tool=storable(proposal.tool, _NAME_CHARS),
            source=tool.tool.source if tool else "",
            risk=tool.risk if tool else "",
            definition_hash=tool.tool.definition_hash if tool else "",
            status=CallStatus.PROPOSED,
            revision=1,
            arguments=taken.frozen if is_accepted else Frozen.of({}),
            proposed=_as_proposed(proposal, taken),
            created_at=self.now,
            policy_version=self.kernel.policy_version,
            turn_number=self.turn.number,
            step=self.turn.step + 1,
        )


def unasked(drafts: Sequence[Draft], room: int, text: str) -> list[Draft]:
    """Return the drafts with as many questions as there is room for; the rest fail unasked."""
    kept: list[Draft] = []
    for draft in drafts:
        if draft.plan is not None and draft.plan.asking is not None:
            room -= 1
            if room < 0:
                kept.append(_failed(draft.call, CROWDED, text))
                continue
        kept.append(draft)
    return kept


def _as_proposed(proposal: Proposal, taken: Accepted | Refused) -> str:
    """Return what identifies equal calls: the normalised arguments if there are any."""
    return taken.frozen.text if isinstance(taken, Accepted) else storable(proposal.arguments)


def _failed(call: Call, by: str, reason: str) -> Draft:
    output = json_text(error_output(storable(reason)))
    return Draft(call=changed(call, status=CallStatus.FAILED, cleared_by=by, output=output))


def planned(call: Call, plan: Plan) -> Call:
    """Return the call as its plan leaves it."""
    call = changed(call, status=plan.target, arguments=plan.frozen)
    if isinstance(plan.verdict, Deny):
        output = json_text(error_output(plan.verdict.reason))
        return changed(call, cleared_by=plan.verdict.by, output=output)
    if plan.target is CallStatus.CLEARED or plan.target is CallStatus.AWAITING_RESULT:
        return changed(call, cleared_by=plan.verdict.by, approved=plan.approved)
    return call
