"""The gate of a coding agent: a claim before its tool, an outcome after it."""

from collections.abc import Mapping
from typing import Any, Final

from assent.adapters.hooks.coding_tools import CodingTools
from assent.adapters.hooks.events import After, Before, Ended
from assent.adapters.hooks.held_claims import HeldClaim, HeldClaims
from assent.adapters.hooks.inputs import are_equal, outcome_with
from assent.adapters.hooks.rulings import Allowed, Denied, Ruling, Undecided
from assent.adapters.keys import key_of, named
from assent.adapters.options import GUARD
from assent.adapters.replies import refusal
from assent.domain.outputs import as_text, cut
from assent.domain.parameters import instance, taken
from assent.domain.tools import Tool
from assent.errors import CallNotRun, CallWaits, LeaseLost
from assent.guard import BodyOutcome, CallClaim, Guard, GuardedCall, Unclear, new_token

_SILENT: Final = Unclear("the agent came to rest and reported no outcome")
_GATE: Final = {
    "guard": GUARD,
    "tools": instance(CodingTools, "CodingTools"),
    "held": instance(HeldClaims, "HeldClaims"),
}


class HookGate:
    """Rules on the tools of a coding agent, which runs them itself."""

    def __init__(self, guard: Guard, tools: CodingTools, held: HeldClaims) -> None:
        taken("HookGate", {"guard": guard, "tools": tools, "held": held}, _GATE)
        self._guard, self._tools, self._held = guard, tools, held

    async def before(self, event: Before, *, wait: float | None) -> Ruling:
        """Propose a call and wait for people; the claim of one that may run is kept in a file."""
        tool, token = self._tools.of(event.tool), new_token()
        call = await self._guard.propose(
            tool,
            event.arguments,
            key=key_of(event.session, event.id),
            conversation_id=named(event.session),
            wait=wait,
            token=token,
        )
        claimed = await claim_of(self._guard, call, tool, token)
        if not isinstance(claimed, CallClaim):
            return claimed
        # Before the answer: a claim that nobody knows of could never be settled.
        self._held.keep(event, claimed)
        return allowed(call, claimed, event.arguments)

    async def after(self, event: After) -> GuardedCall | None:
        """Settle the claim of a tool that has run; None if it has none."""
        held = self._held.of(event.session, event.id)
        if held is None:
            return None
        cleared = (await self._guard.look(held.claim.call_id)).arguments
        outcome = outcome_with(event.outcome, event.ran, cleared, event.folder)
        return await self._settled(held, outcome)

    async def ended(self, event: Ended) -> int:
        """Put in doubt what was allowed and has no outcome; returns how many calls that are."""
        count = 0
        for held in self._held.of_session(event.session):
            # Parts of the agent work on while it rests itself.
            if event.whole or not held.part:
                try:
                    await self._settled(held, _SILENT)
                except LeaseLost:
                    continue
                count += 1
        return count

    async def withdraw(self, call: GuardedCall) -> None:
        """Close the question about a call that the agent does not wait for any longer."""
        await self._guard.withdraw(call.id)

    async def _settled(self, held: HeldClaim, outcome: BodyOutcome) -> GuardedCall:
        try:
            settled = await self._guard.settle(held.claim, outcome)
        except LeaseLost:
            held.drop()
            raise
        held.drop()
        return settled


async def claim_of(
    guard: Guard, call: GuardedCall, tool: Tool, token: str
) -> CallClaim | Denied | Undecided:
    """Return the right to run a call, or why it may not run (yet)."""
    if call.claim is not None:
        return call.claim
    if call.is_waiting:
        return Undecided(call)
    if not call.is_cleared:
        return _past(call)
    try:
        return await guard.claim(call.id, tool=tool, token=token)
    except (CallWaits, CallNotRun):
        now = await guard.look(call.id)
        return Undecided(now) if now.is_waiting else _past(now)


def allowed(call: GuardedCall, claim: CallClaim, proposed: Mapping[str, Any]) -> Allowed:
    """Return the ruling on a claimed call, with its arguments if they were changed."""
    arguments = dict(claim.arguments)
    is_changed = not are_equal(arguments, dict(proposed))
    return Allowed(call=call, claim=claim, changed=arguments if is_changed else None)


def _past(call: GuardedCall) -> Denied:
    if call.succeeded:
        # The same use of a tool once more: a repeated hook must not run it a second time.
        return Denied(f"This call ran before and is not run again; it gave {_short(call)}")
    return Denied(refusal(call) or f"Nothing was run: the call is {call.status}.")


def _short(call: GuardedCall) -> str:
    return cut(as_text(call.output))
