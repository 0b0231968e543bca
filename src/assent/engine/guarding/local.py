"""The guard on this process's database."""

import asyncio
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from assent.domain.calls import Call
from assent.domain.lifecycle import AWAITING, CallStatus
from assent.domain.requests import Request
from assent.domain.tools import Tool
from assent.engine.facade_parameters import Acting
from assent.engine.following import POLL_SECONDS
from assent.engine.guarding.claiming import CallerClaims, decider, own_call
from assent.engine.guarding.proposing import HOLDER, OutsideCall, Proposed, Proposing
from assent.engine.kernel import Kernel
from assent.engine.loop.sending import Sending
from assent.engine.runs.runner import Runner
from assent.engine.runs.worker import Reconciler, Sweeper
from assent.errors import CallNotRun, CallWaits, NothingAwaited
from assent.guard import (
    BodyOutcome,
    CallClaim,
    Guard,
    GuardedCall,
    lease_clock,
    new_token,
    want,
)
from assent.ports import Tx


class Outside:
    """The parts that all guards of an engine share."""

    def __init__(
        self,
        kernel: Kernel,
        *,
        runner: Runner,
        sending: Sending,
        sweeper: Sweeper,
        reconciler: Reconciler,
        review_url: str,
    ) -> None:
        self.kernel, self.sending = kernel, sending
        self._sweeper, self._reconciler = sweeper, reconciler
        self._review_url = review_url
        self.proposing = Proposing(kernel, runner)
        self.claims = CallerClaims(kernel=kernel, runner=runner, proposing=self.proposing)

    async def tidy(self, look: "Look") -> None:
        """Move on a call whose lease or deadline is over, if no worker has done so yet.

        There may be no worker: callers run their calls themselves.
        """
        if look.is_undecided:
            await self._sweeper.expire(str(look.shown.request_id))
        elif look.is_unclaimed:
            await self._sweeper.drop(look.call)
        elif look.is_lost:
            await self._reconciler.lost(look.call)

    def look(self, tx: Tx, call: Call) -> "Look":
        """Return a call as its caller sees it now."""
        requests = tx.requests.of_call(call.id)
        asked = next((each for each in requests if each.is_open), None)
        shown = replace(shown_of(call), decided_by=decider(requests))
        if asked is not None:
            shown = replace(
                shown,
                request_id=asked.id,
                waits_for=asked.kind,
                review_url=self._address(asked),
                decide_by=asked.decide_by,
            )
        return Look(call=call, shown=shown, at=tx.now())

    def _address(self, request: Request) -> str | None:
        return f"{self._review_url}/requests/{request.id}" if self._review_url else None


def shown_of(call: Call) -> GuardedCall:
    """Return a call as its caller sees it, without what people were asked."""
    return GuardedCall(
        id=call.id,
        tool=call.tool,
        status=call.status,
        arguments=call.arguments.thaw(),
        revision=call.revision,
        definition_hash=call.definition_hash,
        by_caller=call.by_caller,
        output=call.result,
        note=call.note,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A call as it was at one moment of the database's clock."""

    call: Call
    shown: GuardedCall
    at: datetime

    @property
    def is_at_rest(self) -> bool:
        """True if waiting longer changes nothing: it has ended, or its caller has to run it."""
        return self.shown.is_settled or (self.shown.is_cleared and self.shown.by_caller)

    @property
    def is_undecided(self) -> bool:
        """True if people did not decide it in time."""
        return self._is_past(self.shown.decide_by)

    @property
    def is_unclaimed(self) -> bool:
        """True if its caller did not come for it in time."""
        is_cleared = self.call.by_caller and self.call.status is CallStatus.CLEARED
        return is_cleared and self._is_past(self.call.run_by)

    @property
    def is_lost(self) -> bool:
        """True if its caller has not renewed its claim."""
        is_running = self.call.by_caller and self.call.status is CallStatus.RUNNING
        return is_running and self._is_past(self.call.lease_until)

    def _is_past(self, moment: datetime | None) -> bool:
        return moment is not None and moment <= self.at


class LocalGuard(Guard):
    """A guard for one agent that acts for one person, on the database of an engine."""

    def __init__(self, outside: Outside, *, agent: str, by: Acting) -> None:
        self._outside, self.agent, self._by = outside, agent, by

    async def propose(
        self,
        tool: Tool | str,
        arguments: Mapping[str, Any],
        *,
        key: str | None = None,
        conversation_id: str | None = None,
        wait: float | None = 0,
        token: str | None = None,
    ) -> GuardedCall:
        want(tool=tool, arguments=arguments, wait=wait)
        self._by.want_loop()
        proposed = OutsideCall(
            agent=self.agent,
            by=self._by,
            tool=tool,
            arguments=arguments,
            key=key,
            conversation=conversation_id,
            token=token,
        )
        started = lease_clock()
        made = await self._outside.proposing.propose(proposed)
        call = made.call
        is_running = call.status is CallStatus.RUNNING
        if token is None or not is_running or call.worker != f"{HOLDER}{token}":
            return await self._seen(call.id, wait)
        try:
            claim = await self._claimed(made, token, started)
        except (CallWaits, CallNotRun):
            # The answer to the first request was lost, and its lease is over since.
            return await self._seen(call.id, wait)
        return replace(shown_of(call), claim=claim)

    async def _claimed(self, made: Proposed, token: str, started: float) -> CallClaim:
        """Return the claim that a call was proposed with: nobody was asked."""
        claims = self._outside.claims
        if made.claim is None:
            return await claims.claim(self._by.person, made.call.id, token, None)
        expires = started + self._outside.kernel.times.lease.total_seconds()
        return await claims.taken(made.claim, token, expires=expires)

    async def look(self, call_id: str, *, wait: float | None = 0) -> GuardedCall:
        want(call_id=call_id, wait=wait)
        return await self._seen(call_id, wait)

    async def _seen(self, call_id: str, wait: float | None) -> GuardedCall:
        bus, clock = self._outside.kernel.bus, asyncio.get_running_loop().time
        until = math.inf if wait is None else clock() + wait
        look = await self._look(call_id)
        while not look.is_at_rest and (left := until - clock()) > 0:
            turn_id = look.call.turn_id
            ticket = bus.ticket(turn_id)
            try:
                look = await self._look(call_id)
                if not look.is_at_rest:
                    await bus.wait(turn_id, ticket, min(left, POLL_SECONDS))
                    look = await self._look(call_id)
            finally:
                bus.drop(turn_id, ticket)
        return look.shown

    async def _look(self, call_id: str) -> Look:
        outside, by = self._outside, self._by
        by.want_loop()

        def read(tx: Tx) -> Look:
            return outside.look(tx, own_call(tx, by.person(tx), call_id))

        found = await outside.kernel.store.run(read)
        if found.is_undecided or found.is_unclaimed or found.is_lost:
            await outside.tidy(found)
            found = await outside.kernel.store.run(read)
        outside.claims.seen(found.call)
        return found

    async def claim(
        self, call_id: str, *, tool: Tool | None = None, token: str | None = None
    ) -> CallClaim:
        want(call_id=call_id)
        claims = self._outside.claims
        own = new_token() if token is None else token
        self._by.want_loop()
        return await claims.claim(self._by.person, call_id, own, tool)

    async def renew(self, claim: CallClaim) -> CallClaim:
        want(claim=claim)
        self._by.want_loop()
        return await self._outside.claims.renew(self._by.person, claim)

    async def settle(self, claim: CallClaim, outcome: BodyOutcome) -> GuardedCall:
        want(claim=claim, outcome=outcome)
        self._by.want_loop()
        ended = await self._outside.claims.settle(
            self._by.person, claim.call_id, fence=claim.fence, token=claim.token, said=outcome
        )
        if ended is None:
            return await self._seen(claim.call_id, 0)
        return replace(shown_of(ended.call), decided_by=ended.decided_by)

    async def withdraw(self, call_id: str) -> GuardedCall:
        want(call_id=call_id)
        look = await self._look(call_id)
        if look.call.status in AWAITING or look.shown.is_cleared:
            # It may have begun or ended just now.
            with suppress(NothingAwaited):
                await self._outside.sending.stop(look.call.turn_id, await self._by.looked_up())
        return await self._seen(call_id, 0)

    async def release(self, call_id: str) -> None:
        want(call_id=call_id)
        by = self._by
        by.want_loop()

        def let_go(tx: Tx) -> None:
            call = own_call(tx, by.person(tx), call_id)
            if call.is_settled:
                tx.turns.release(call.turn_id)

        await self._outside.kernel.store.run(let_go)
