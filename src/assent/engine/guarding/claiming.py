"""Claims of callers: the right to run a call elsewhere, renewed and settled from there."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.copies import changed
from assent.domain.identifiers import want_findable, want_keepable
from assent.domain.lifecycle import AWAITING, CallStatus
from assent.domain.outputs import cut
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Tool
from assent.engine.failpoints import point
from assent.engine.gate.definitions import tool_of
from assent.engine.guarding.proposing import HOLDER, Proposing
from assent.engine.kernel import Kernel
from assent.engine.runs.claims import Claim, conversation_of
from assent.engine.runs.outcomes import BodyRun, Outcome, Succeeded, Unknown, failed
from assent.engine.runs.recording import Recorded
from assent.engine.runs.runner import Runner
from assent.engine.transitions import Moves, Raced
from assent.errors import (
    CallNotRun,
    CallWaits,
    InvalidOutput,
    LeaseLost,
    NotFound,
    SecretUnreadable,
)
from assent.guard import BodyOutcome, CallClaim, Raised, Returned, Unclear, lease_clock
from assent.ports import Held, Tx

# Who acts, read within a transaction.
By = Callable[[Tx], Person]
_WAITS: Final = AWAITING | {CallStatus.IN_DOUBT, CallStatus.RUNNING, CallStatus.PROPOSED}
# Claims beyond these are read again when they are settled.
_MOST_KEPT: Final = 10_000


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
class _Held:
    """A claim as it was handed out, and who decided its call if anybody was asked."""

    claim: Claim
    decided_by: str | None = None
    # True if its holder has said how it ended.
    is_told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A call as its outcome left it, and who had decided it."""

    call: Call
    decided_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerClaims:
    """Hands out, renews and settles the claims of callers."""

    kernel: Kernel
    runner: Runner
    proposing: Proposing
    # Claims handed out here, by call. Only spares a read: the row decides whether one still holds.
    _kept: dict[str, _Held] = field(default_factory=dict[str, _Held])
    # Agents of calls seen here, which never change: as much.
    _agents: dict[str, str] = field(default_factory=dict[str, str])

    def seen(self, call: Call) -> None:
        """Keep what a claim of this call needs to know."""
        if len(self._agents) >= _MOST_KEPT:
            self._agents.clear()
        self._agents[call.id] = call.agent

    async def claim(self, by: By, call_id: str, token: str, tool: Tool | None) -> CallClaim:
        """Claim a cleared call, or raise what keeps it from running."""
        want_keepable("token", token)
        now_tool, definition = None, None
        if tool is not None:
            agent = self._agents.get(call_id) or await self._agent_of(by, call_id)
            now_tool, definition = self.proposing.outside_tool(agent, tool)
        started = lease_clock()
        try:
            held, call, recorded = await self.kernel.store.run(
                lambda tx: self._take(
                    tx, by(tx), call_id, token=token, tool=now_tool, definition=definition
                )
            )
        except Raced:
            # Another caller was faster: its claim is visible now.
            return await self.claim(by, call_id, token, tool)
        point("after_claim")
        self.kernel.announce(recorded.requests)
        if held is None:
            raise _refusal(call)
        lease = self.kernel.times.lease.total_seconds()
        return await self._handed_out(held, token, expires=started + lease)

    async def taken(self, claim: Claim, token: str, *, expires: float) -> CallClaim:
        """Return the claim of a call that was claimed when it was proposed; nobody was asked."""
        return await self._handed_out(_Held(claim=claim), token, expires=expires)

    async def _handed_out(self, held: _Held, token: str, *, expires: float) -> CallClaim:
        """Return a claim as its caller gets it, with the secrets that people entered."""
        call = held.claim.call
        arguments, _ = await self.runner.resolved(call)
        if len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[call.id] = held
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

    async def _agent_of(self, by: By, call_id: str) -> str:
        return await self.kernel.store.run(lambda tx: own_call(tx, by(tx), call_id).agent)

    def _take(
        self,
        tx: Tx,
        by: Person,
        call_id: str,
        *,
        token: str,
        tool: EffectiveTool | None,
        definition: dict[str, Json] | None,
    ) -> tuple[_Held | None, Call, Recorded]:
        call = own_call(tx, by, call_id)
        conversation = conversation_of(tx, call.conversation_id)
        worker = f"{HOLDER}{token}"
        known = tool_of(tx, self.kernel.catalogue, call)
        if call.status is CallStatus.RUNNING and call.worker == worker and known is not None:
            again = Claim(call=call, tool=known, conversation=conversation, expires=0.0)
            held = _Held(claim=again, decided_by=_decider(tx, call))
            return (held if self._holds_again(tx, call) else None), call, Recorded()
        if call.status is not CallStatus.CLEARED or not call.by_caller:
            return None, call, Recorded()
        moves = Moves(tx, self.kernel.ids, actor=f"agent:{call.agent}")
        claims, claim, decided_by = self.runner.claims, None, _decider(tx, call)
        if tool is not None and tool.tool.definition_hash != call.definition_hash:
            if definition is not None:
                self.proposing.keep_definition(tx, call.agent, tool.tool, definition)
            claims.void(moves, call, tool, conversation)
        else:
            claim = claims.take(moves, call, conversation, worker=worker)
        recorded = Recorded(requests=tuple(moves.opened))
        if claim is None:
            return None, own_call(tx, by, call_id), recorded
        return _Held(claim=claim, decided_by=decided_by), claim.call, recorded

    def _holds_again(self, tx: Tx, call: Call) -> bool:
        """Renew a claim whose holder asks for it again: the first answer was lost.

        Once its lease is over it may be taken for lost at any moment, and so must not run.
        """
        if call.lease_until is None or call.lease_until <= tx.now():
            return False
        lease, held = self.kernel.times.lease, frozenset({(call.id, call.fence)})
        return bool(tx.leases.renew(str(call.worker), lease, calls=held, turns=frozenset()))

    async def renew(self, by: By, claim: CallClaim) -> CallClaim:
        """Extend the lease of a claim; raises `LeaseLost` if it is no longer held."""
        started, lease = lease_clock(), self.kernel.times.lease
        worker, wanted = f"{HOLDER}{claim.token}", frozenset({(claim.call_id, claim.fence)})

        def renew(tx: Tx) -> frozenset[Held]:
            own_call(tx, by(tx), claim.call_id)
            return tx.leases.renew(worker, lease, calls=wanted, turns=frozenset())

        if not await self.kernel.store.run(renew):
            raise LeaseLost("call", claim.call_id)
        seconds = lease.total_seconds()
        return replace(claim, expires=started + seconds, lease_seconds=seconds)

    async def settle(
        self, by: By, call_id: str, *, fence: int, token: str, said: BodyOutcome
    ) -> Ended | None:
        """Record how a claimed call ended, once; raises `LeaseLost` if it came too late.

        Returns it if that ended it here and now.
        """
        kept = self._kept.pop(call_id, None)
        if kept is None or not _is_of(kept.claim, fence, token):
            kept = await self.kernel.store.run(lambda tx: self._held(tx, by(tx), call_id))
        held, mine = kept.claim, _is_of(kept.claim, fence, token)
        if mine and kept.is_told:
            return None
        # The row may be in doubt, claimed anew, or settled by a person: then the outcome is only
        # put on record.
        own = replace(held, call=changed(held.call, fence=fence))
        outcome = await self._outcome(own, said)
        recorder, owner = self.runner.recorder, held.conversation.owner.id

        def want_owner(tx: Tx) -> None:
            if by(tx).id != owner:
                raise NotFound("call", call_id)

        try:
            if not mine or held.call.status is not CallStatus.RUNNING:
                raise Raced(call_id)
            recorded = await recorder.record(held, outcome, (), want=want_owner)
        except Raced:
            late = await recorder.record_late(own, outcome)
            self.kernel.announce(late.requests)
            raise LeaseLost("call", call_id) from None
        self.kernel.announce(recorded.requests)
        ended = recorded.ended
        return None if ended is None else Ended(call=ended, decided_by=kept.decided_by)

    async def _outcome(self, held: Claim, said: BodyOutcome) -> Outcome:
        try:
            arguments, scrubber = await self.runner.resolved(held.call)
        except SecretUnreadable:
            # Gone with the end of the call: they could not be taken out of what is said now.
            return Unknown("it reported after its end, and what it said is not kept")
        run = BodyRun(
            tool=held.tool.tool,
            context=held.context,
            arguments=arguments,
            scrubber=scrubber,
            report=_nothing,
        )
        return await _reported(run, said)

    def _held(self, tx: Tx, by: Person, call_id: str) -> _Held:
        """Return a claim as its row has it."""
        call = own_call(tx, by, call_id)
        tool = tool_of(tx, self.kernel.catalogue, call)
        if tool is None or not call.by_caller:
            raise NotFound("call", call_id)
        conversation = conversation_of(tx, call.conversation_id)
        claim = Claim(call=call, tool=tool, conversation=conversation, expires=0.0)
        is_told = call.is_settled and _is_told(tx, call)
        return _Held(claim=claim, decided_by=_decider(tx, call), is_told=is_told)


def _is_told(tx: Tx, call: Call) -> bool:
    """Return True if a call was settled by its caller, and not by a person or for being lost."""
    caller = f"agent:{call.agent}"
    return any(
        entry.source == CallStatus.RUNNING and entry.target == call.status and entry.actor == caller
        for entry in tx.journal.entries(call_id=call.id)
    )


def decider(requests: Iterable[Request]) -> str | None:
    """Return who closed the last of the questions about a call; None if nobody did."""
    closed = [each.closed_by for each in requests if not each.is_open]
    return closed[-1] if closed else None


def _decider(tx: Tx, call: Call) -> str | None:
    return decider(tx.requests.of_call(call.id))


def _is_of(claim: Claim, fence: int, token: str) -> bool:
    return (claim.call.fence, claim.call.worker) == (fence, f"{HOLDER}{token}")


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
            return Unknown(cut(run.scrubber.text(reason)))


def _refusal(call: Call) -> CallWaits | CallNotRun:
    if call.status in _WAITS:
        return CallWaits(call.id, call.tool, call.status)
    return CallNotRun(call.id, call.tool, call.status)


async def _nothing(_: object) -> None:
    """Take progress that nobody follows."""
