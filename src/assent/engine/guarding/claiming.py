"""Claims of callers: the right to run a call elsewhere, renewed and settled from there."""

from dataclasses import dataclass, replace
from typing import Final

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.copies import changed
from assent.domain.identifiers import want_findable, want_keepable
from assent.domain.lifecycle import AWAITING, CallStatus
from assent.domain.people import Person
from assent.domain.tools import EffectiveTool, Tool
from assent.engine.failpoints import point
from assent.engine.gate.definitions import tool_of
from assent.engine.guarding.proposing import CALLER, Proposing
from assent.engine.kernel import Kernel
from assent.engine.runs.claims import Claim, conversation_of
from assent.engine.runs.outcomes import BodyRun, Outcome, Succeeded, Unknown, failed
from assent.engine.runs.recording import Recorded
from assent.engine.runs.runner import Runner
from assent.engine.transitions import Moves, Raced
from assent.errors import CallNotRun, CallWaits, InvalidOutput, LeaseLost, NotFound
from assent.guard import BodyOutcome, CallClaim, Raised, Returned, Unclear, lease_clock
from assent.ports import Held, Tx

_WAITS: Final = AWAITING | {CallStatus.IN_DOUBT, CallStatus.RUNNING, CallStatus.PROPOSED}


def own_call(tx: Tx, by: Person, call_id: str) -> Call:
    """Return a call that this person's agent made outside; any other one looks unknown."""
    want_findable("call", call_id)
    call = tx.calls.get(call_id)
    if call is None or not call.outside:
        raise NotFound("call", call_id)
    if conversation_of(tx, call.conversation_id).owner.id != by.id:
        raise NotFound("call", call_id)
    return call


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerClaims:
    """Hands out, renews and settles the claims of callers."""

    kernel: Kernel
    runner: Runner
    proposing: Proposing

    async def claim(self, by: Person, call_id: str, token: str, tool: Tool | None) -> CallClaim:
        """Claim a cleared call, or raise what keeps it from running."""
        want_keepable("token", token)
        now_tool, definition = None, None
        if tool is not None:
            agent = (await self._call(by, call_id)).agent
            now_tool, definition = self.proposing.outside_tool(agent, tool)
        started = lease_clock()
        try:
            claim, call, recorded = await self.kernel.store.run(
                lambda tx: self._take(
                    tx, by, call_id, token=token, tool=now_tool, definition=definition
                )
            )
        except Raced:
            # Another caller was faster: its claim is visible now.
            return await self.claim(by, call_id, token, tool)
        point("after_claim")
        self.kernel.announce(recorded.requests)
        if claim is None:
            raise _refusal(call)
        lease = self.kernel.times.lease.total_seconds()
        return await self.handed_out(claim.call, token, expires=started + lease)

    async def handed_out(self, call: Call, token: str, *, expires: float) -> CallClaim:
        """Return a claim as its caller gets it, with the secrets that people entered."""
        arguments, _ = await self.runner.resolved(call)
        return CallClaim(
            call_id=call.id,
            tool=call.tool,
            fence=call.fence,
            token=token,
            arguments=arguments,
            lease_seconds=self.kernel.times.lease.total_seconds(),
            approved=call.approved,
            expires=expires,
        )

    async def _call(self, by: Person, call_id: str) -> Call:
        return await self.kernel.store.run(lambda tx: own_call(tx, by, call_id))

    def _take(
        self,
        tx: Tx,
        by: Person,
        call_id: str,
        *,
        token: str,
        tool: EffectiveTool | None,
        definition: dict[str, Json] | None,
    ) -> tuple[Claim | None, Call, Recorded]:
        call = own_call(tx, by, call_id)
        conversation = conversation_of(tx, call.conversation_id)
        worker = f"{CALLER}{token}"
        known = tool_of(tx, self.kernel.catalogue, call)
        if call.status is CallStatus.RUNNING and call.worker == worker and known is not None:
            # The same request again: the answer to the first one was lost.
            held = Claim(call=call, tool=known, conversation=conversation, expires=0.0)
            return held, call, Recorded()
        if call.status is not CallStatus.CLEARED or not call.by_caller:
            return None, call, Recorded()
        moves = Moves(tx, self.kernel.ids, actor=f"agent:{call.agent}")
        claims, claim = self.runner.claims, None
        if tool is not None and tool.tool.definition_hash != call.definition_hash:
            if definition is not None:
                self.proposing.keep_definition(tx, call.agent, tool.tool, definition)
            claims.void(moves, call, tool, conversation)
        else:
            claim = claims.take(moves, call, conversation, worker=worker)
        now = claim.call if claim is not None else own_call(tx, by, call_id)
        return claim, now, Recorded(requests=tuple(moves.opened))

    async def renew(self, by: Person, claim: CallClaim) -> CallClaim:
        """Extend the lease of a claim; raises `LeaseLost` if it is no longer held."""
        started, lease = lease_clock(), self.kernel.times.lease
        worker, wanted = f"{CALLER}{claim.token}", frozenset({(claim.call_id, claim.fence)})

        def renew(tx: Tx) -> frozenset[Held]:
            own_call(tx, by, claim.call_id)
            return tx.leases.renew(worker, lease, calls=wanted, turns=frozenset())

        if not await self.kernel.store.run(renew):
            raise LeaseLost("call", claim.call_id)
        seconds = lease.total_seconds()
        return replace(claim, expires=started + seconds, lease_seconds=seconds)

    async def settle(
        self, by: Person, call_id: str, *, fence: int, token: str, said: BodyOutcome
    ) -> None:
        """Record how a claimed call ended, once; raises `LeaseLost` if it came too late."""
        held = await self.kernel.store.run(lambda tx: self._held(tx, by, call_id))
        mine = (held.call.fence, held.call.worker) == (fence, f"{CALLER}{token}")
        if mine and held.call.is_settled:
            return
        # The row may be in doubt, or claimed anew: then the outcome is only put on record.
        own = replace(held, call=changed(held.call, fence=fence))
        arguments, scrubber = await self.runner.resolved(own.call)
        run = BodyRun(
            tool=held.tool.tool,
            context=own.context,
            arguments=arguments,
            scrubber=scrubber,
            report=_nothing,
        )
        outcome = await _reported(run, said)
        recorder = self.runner.recorder
        try:
            if not mine or held.call.status is not CallStatus.RUNNING:
                raise Raced(call_id)
            recorded = await recorder.record(held, outcome, ())
        except Raced:
            late = await recorder.record_late(own, outcome)
            self.kernel.announce(late.requests)
            raise LeaseLost("call", call_id) from None
        self.kernel.announce(recorded.requests)

    def _held(self, tx: Tx, by: Person, call_id: str) -> Claim:
        call = own_call(tx, by, call_id)
        tool = tool_of(tx, self.kernel.catalogue, call)
        if tool is None or not call.by_caller:
            raise NotFound("call", call_id)
        conversation = conversation_of(tx, call.conversation_id)
        return Claim(call=call, tool=tool, conversation=conversation, expires=0.0)


async def _reported(run: BodyRun, said: BodyOutcome) -> Outcome:
    """Return what a caller reports of its run as an outcome, checked and without secrets."""
    match said:
        case Returned(output=value):
            try:
                return Succeeded(await run.kept(value))
            except InvalidOutput as error:
                return replace(failed(run.not_kept(error)), ran=True)
        case Raised(error=text):
            return failed(run.scrubber.text(text))
        case Unclear(reason=reason):
            return Unknown(run.scrubber.text(reason))


def _refusal(call: Call) -> CallWaits | CallNotRun:
    if call.status in _WAITS:
        return CallWaits(call.id, call.tool, call.status)
    return CallNotRun(call.id, call.tool, call.status)


async def _nothing(_: object) -> None:
    """Take progress that nobody follows."""
