"""The guard: what any agent's code asks before it runs a tool, here or against a server.

`Assent.guard_for` returns one on this process's database, `assent.client.AsyncClient` is one over
HTTP. Adapters for other frameworks use nothing else.
"""

import asyncio
import inspect
import logging
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

from assent.domain.bodies import Deferred
from assent.domain.guarded_calls import (
    BodyOutcome,
    CallClaim,
    GuardedBody,
    GuardedCall,
    Raised,
    RenewedClaim,
    Returned,
    Unclear,
    is_begun,
    want,
)
from assent.domain.tools import Tool
from assent.errors import (
    AssentError,
    CallNotRun,
    CallWaits,
    LeaseLost,
    ServerUnreachable,
    StoreUnavailable,
    TooManyRequests,
)

__all__ = [
    "BodyOutcome",
    "CallClaim",
    "Guard",
    "GuardedBody",
    "GuardedCall",
    "Raised",
    "RenewedClaim",
    "Returned",
    "Unclear",
]

log = logging.getLogger(__name__)
# A lease is renewed this many times before it would run out.
_BEATS: Final = 3
_RETRY_SECONDS: Final = 0.5
# May be over soon.
_OUTAGES: Final = (ServerUnreachable, StoreUnavailable, TooManyRequests)
# Counts on while the machine sleeps: a process that slept longer than a lease has lost its claim.
_SINCE_BOOT: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class Guard(ABC):
    """Records calls, lets policy and people rule on them, and hands out the right to run them."""

    @abstractmethod
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
        """Record a call and rule on it; the same `key` finds the same call again.

        A `Tool` is run by the caller; a name means a tool that runs where the guard is. Calls with
        the same `conversation_id`, a name of the caller's own, belong together. Waits up to `wait`
        seconds for people; with None, as long as it takes. With a `token`, a new call that nobody
        has to be asked about is claimed at once. Another call under the same key raises
        `KeyReused`.
        """

    @abstractmethod
    async def look(self, call_id: str, *, wait: float | None = 0) -> GuardedCall:
        """Return a call of this caller, waiting as `propose` does; raises `NotFound`."""

    @abstractmethod
    async def claim(
        self, call_id: str, *, tool: Tool | None = None, token: str | None = None
    ) -> CallClaim:
        """Take the right to run a cleared call: one caller gets it, once.

        `tool` is the tool as it is now: if it differs from what was approved, people are asked
        again. Raises `CallWaits` or `CallNotRun` if it may not run yet, or any more.
        """

    @abstractmethod
    async def renew(self, claim: CallClaim) -> CallClaim:
        """Keep a claim for another lease; raises `LeaseLost`."""

    @abstractmethod
    async def settle(self, claim: CallClaim, outcome: BodyOutcome) -> GuardedCall:
        """Record how a claimed call ended; raises `LeaseLost` if the claim is no longer held.

        Said again, it changes nothing and returns the settled call.
        """

    @abstractmethod
    async def withdraw(self, call_id: str) -> GuardedCall:
        """Give up a call that has not begun; one that runs or has ended stays as it is."""

    @abstractmethod
    async def release(self, call_id: str) -> None:
        """Let go of the key of a call that has ended: the next call under it is a new one.

        For callers whose keys name no single call, once they have passed its outcome on.
        """

    async def run(
        self,
        tool: Tool,
        arguments: Mapping[str, Any],
        body: GuardedBody,
        *,
        key: str | None = None,
        conversation_id: str | None = None,
        wait: float | None = None,
    ) -> GuardedCall:
        """Propose a call, wait for people, run its body once under a claim, and record the outcome.

        Returns the settled call. Raises `CallWaits` if it still waits after `wait` seconds; call it
        again with the same `key` to go on.
        """
        want(own_tool=tool, body=body)
        call = await self.propose(
            tool,
            arguments,
            key=key,
            conversation_id=conversation_id,
            wait=wait,
            token=new_token(),
        )
        return await self.finish(call, body, tool=tool)

    async def finish(
        self, call: GuardedCall, body: GuardedBody, *, tool: Tool | None = None
    ) -> GuardedCall:
        """Run a call that may run, and return it settled; one that has ended is returned as it is.

        Raises `CallWaits` if people have to act first, or if another caller runs it now.
        """
        want(call=call, body=body)
        claim = (call := await self.claimed(call, tool=tool)).claim
        if claim is None:
            return call
        async with self.renewing(claim) as held:
            try:
                outcome = await performed(body, claim)
            except asyncio.CancelledError:
                await asyncio.shield(self._cut_off(held.claim))
                raise
            return await self._settled(held, outcome)

    async def claimed(self, call: GuardedCall, *, tool: Tool | None = None) -> GuardedCall:
        """Return a call with the right to run it, or as it ended; raises as `finish` does."""
        if call.is_settled or call.claim is not None:
            return call
        if not call.is_cleared:
            raise CallWaits(call.id, call.tool, call.status, call.review_url)
        try:
            return replace(call, claim=await self.claim(call.id, tool=tool))
        except CallNotRun:
            return settled(await self.look(call.id))

    async def _cut_off(self, claim: CallClaim) -> None:
        try:
            await self.settle(claim, Unclear("it was cancelled while it ran"))
        except AssentError as error:
            # Raised, it would take the place of the cancellation. The lease runs out: in doubt.
            log.warning("the cancellation of call %s is not on record: %s", claim.call_id, error)

    async def _settled(self, held: RenewedClaim, outcome: BodyOutcome) -> GuardedCall:
        # An outcome that is only known here must not be lost to a short outage.
        until = lease_clock() + held.claim.lease_seconds
        while True:
            try:
                return await self.settle(held.claim, outcome)
            except _OUTAGES as error:
                if lease_clock() > until:
                    raise
                log.warning("the outcome of call %s waits: %s", held.claim.call_id, error)
                await asyncio.sleep(_RETRY_SECONDS)

    @asynccontextmanager
    async def renewing(self, claim: CallClaim) -> AsyncGenerator[RenewedClaim]:
        """Renew a claim in the background while the block runs."""
        held = RenewedClaim(claim)
        task = asyncio.create_task(self._beat(held), name=f"assent-renew-{claim.call_id}")
        try:
            yield held
        finally:
            task.cancel()
            await asyncio.wait({task})

    async def _beat(self, held: RenewedClaim) -> None:
        id = held.claim.call_id
        while True:
            await asyncio.sleep(held.claim.lease_seconds / _BEATS)
            try:
                held.claim = await self.renew(held.claim)
            except LeaseLost:
                log.warning("the claim of call %s is lost: its outcome comes too late", id)
                return
            except AssentError as error:
                log.warning("the claim of call %s was not renewed: %s", id, error)


def settled(call: GuardedCall) -> GuardedCall:
    """Return a call that has ended; raises `CallWaits` for any other."""
    if not call.is_settled:
        raise CallWaits(call.id, call.tool, call.status, call.review_url)
    return call


def lease_clock() -> float:
    """Return the seconds by which leases are counted in this process."""
    return time.clock_gettime(_SINCE_BOOT)


def new_token() -> str:
    """Return a token for one claim."""
    return secrets.token_urlsafe(16)


async def performed(body: GuardedBody, claim: CallClaim) -> BodyOutcome:
    """Run a body with the claim's arguments; whatever it raises becomes an outcome."""
    # A process that slept since it claimed the call has perhaps lost it: nothing was done yet.
    if lease_clock() >= claim.expires:
        raise LeaseLost("call", claim.call_id)
    try:
        made = body(claim.arguments)
        return _returned(await made if inspect.isawaitable(made) else made)
    except asyncio.CancelledError:
        raise
    except Exception as error:  # noqa: BLE001 - a stranger's code
        if getattr(error, "code", "") == "outcome_unknown":
            return Unclear(str(error))
        return Raised(f"{type(error).__name__}: {error}")


def _returned(value: object) -> BodyOutcome:
    if isinstance(value, Deferred):
        return Unclear(f"it deferred to the task {value.task_id!r}, which only a person can follow")
    if not is_begun(value):
        return Returned(value)
    if inspect.iscoroutine(value):
        value.close()
    return Raised(f"the body returned a {type(value).__name__} that nobody ran")
