"""The calls that one answer proposes: taken in, counted and planned before they are stored."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assent.domain.calls import Call, Frozen
from assent.domain.conversations import Conversation, TurnRow
from assent.domain.copies import changed
from assent.domain.lifecycle import CallStatus
from assent.domain.messages import Answer, Proposal
from assent.domain.tools import EffectiveTool
from assent.engine.agents import Limits, Toolbox
from assent.engine.gate.gated_calls import GatedCall
from assent.engine.gate.intake import proposed_arguments
from assent.engine.gate.known import prefers, read_preferences
from assent.engine.gate.planner import Planner
from assent.engine.kernel import Kernel
from assent.engine.threads import offload
from assent.errors import InvalidAnswer, InvalidArguments, InvalidJson

_STORED_CHARS = 300_000
_NAME_CHARS = 200
_SHOWN_NAME_CHARS = 80
# This many are judged in a few milliseconds, unless a rule waits for I/O.
_AT_ONCE = 32

REFUSED = "refused"
REPEATED = "repeated"
SURPLUS = "surplus"
_NO_ARGUMENTS = Frozen.of({})


def storable(text: str, limit: int = _STORED_CHARS) -> str:
    """Return text in a form that every database can hold: no NUL, no half surrogate pairs."""
    clean = text
    if not text.isascii() or "\x00" in text:
        clean = text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")
    return clean if len(clean) <= limit else clean[:limit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposals:
    """Takes the proposals of one answer through the gate; writes no rows."""

    kernel: Kernel
    turn: TurnRow
    conversation: Conversation
    message_id: str
    planner: Planner
    toolbox: Toolbox
    # Of the same moment as the toolbox: both may change while the gate rules.
    policy_version: str
    limits: Limits
    earlier: tuple[Call, ...]
    now: datetime

    async def gated(self, answer: Answer) -> list[GatedCall]:
        """Return one call per proposal, in the model's order, and one for all beyond the cap."""
        most = self.limits.calls_per_answer
        planner = await self._informed_planner(answer.proposals[:most])
        calls = await self._wanted(answer.proposals[:most], planner)
        for proposal in answer.proposals[most : most + 1]:
            made = len(answer.proposals) + answer.left_out
            text = self.kernel.texts.surplus.format(made=made, most=most)
            calls.append((await self._taken(most, proposal)).failed(SURPLUS, storable(text)))
        return calls

    async def _informed_planner(self, proposals: Sequence[Proposal]) -> Planner:
        """Read the owner's preferences for these tools: as late as possible, so none is old."""
        forms = self.toolbox.forms({proposal.tool for proposal in proposals})
        scopes = {f.scope(tool.tool.name) for tool, f in forms if prefers(tool, self.conversation)}
        if not scopes:
            return self.planner
        person, vault = self.conversation.owner.id, self.kernel.vault
        found = await self.kernel.store.run(
            lambda tx: read_preferences(tx, vault, person, sorted(scopes))
        )
        return replace(self.planner, preferences=found)

    async def _wanted(self, proposals: Sequence[Proposal], planner: Planner) -> list[GatedCall]:
        counts = Counter((call.tool, call.proposed) for call in self.earlier)
        calls: list[GatedCall] = []
        for start in range(0, len(proposals), _AT_ONCE):
            if start:
                # Let other tasks run: a ruling need not wait for I/O, however many calls there are.
                await asyncio.sleep(0)
            portion = enumerate(proposals[start : start + _AT_ONCE], start)
            # One after the other: of equal calls the first ones pass, the others are repeats.
            taken = [self._counted(await self._taken(*each), counts) for each in portion]
            work = [self._planned(each, planner) for each in taken]
            # Mostly there is one, which needs no task of its own.
            calls += [await work[0]] if len(work) == 1 else await asyncio.gather(*work)
        return calls

    async def _taken(self, position: int, proposal: Proposal) -> GatedCall:
        return await offload(len(proposal.arguments), self._take_in, position, proposal)

    def _take_in(self, position: int, proposal: Proposal) -> GatedCall:
        """Validate and normalise one proposal; one that does not fit fails here."""
        tool = self.toolbox.get(proposal.tool)
        call = self._call(position, proposal, tool)
        taken = GatedCall(call=call, tool=tool)
        if tool is None:
            name, known = proposal.tool[:_SHOWN_NAME_CHARS], ", ".join(self.toolbox.tools)
            reason = f"There is no tool {name!r}. The tools are: {known or 'none'}."
            return taken.failed(REFUSED, storable(reason))
        try:
            arguments, prefilled = proposed_arguments(tool, proposal.arguments)
        except (InvalidArguments, InvalidJson) as error:
            return taken.failed(REFUSED, storable(str(error)))
        frozen = Frozen.of(arguments)
        call = changed(call, arguments=frozen, proposed=frozen.text)
        return changed(taken, call=call, arguments=arguments, prefilled=prefilled)

    def _counted(self, taken: GatedCall, counts: Counter[tuple[str, str]]) -> GatedCall:
        """Count a call; one that was made too often fails."""
        key = taken.call.tool, taken.call.proposed
        counts[key] += 1
        if taken.call.is_settled or counts[key] <= self.limits.repeats:
            return taken
        return taken.failed(REPEATED, storable(self.kernel.texts.repeated))

    async def _planned(self, taken: GatedCall, planner: Planner) -> GatedCall:
        try:
            return await planner.plan_proposal(taken, self.now)
        except (InvalidArguments, InvalidAnswer) as error:
            return taken.failed(REFUSED, storable(str(error)))

    def _call(self, position: int, proposal: Proposal, tool: EffectiveTool | None) -> Call:
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
            arguments=_NO_ARGUMENTS,
            proposed=storable(proposal.arguments),
            created_at=self.now,
            policy_version=self.policy_version,
            turn_number=self.turn.number,
            step=self.turn.step + 1,
        )
