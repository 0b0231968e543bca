"""The runner of cleared calls: claim, execute, record; at most once, whatever happens."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from assent.domain.bodies import Progress
from assent.domain.calls import Call, Frozen
from assent.domain.canonical import Json
from assent.domain.conversations import TurnRow
from assent.domain.copies import changed
from assent.domain.events import EventKind
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.mcp_servers import REMOTE
from assent.domain.outputs import jsonable
from assent.domain.tools import Context, Tool
from assent.engine.failpoints import point
from assent.engine.files.answers import has_files
from assent.engine.kernel import Kernel
from assent.engine.loop.event_buffer import EventBuffer
from assent.engine.loop.steps import Loaded
from assent.engine.runs.claims import Claim, Claims, conversation_of
from assent.engine.runs.exchanges import resumed
from assent.engine.runs.outcomes import (
    BodyRun,
    Outcome,
    Unknown,
    failed,
)
from assent.engine.runs.recording import Recorded, Recorder
from assent.engine.runs.scrubber import Scrubber
from assent.engine.threads import offload, weight
from assent.engine.transitions import Moves, Raced
from assent.engine.vault import references, resolve
from assent.errors import (
    AssentError,
    InvalidOutput,
    LeaseLost,
    StoreUnavailable,
)
from assent.ports import Held, Tx

if TYPE_CHECKING:
    from assent.engine.files.lending import LentFiles

log = logging.getLogger(__name__)
# Most calls hold no secrets, and share this one.
NO_SECRETS = Scrubber()


class Runner:
    """Holds claims and runs them, a limited number per turn at the same time."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.claims = Claims(kernel=kernel)
        self.recorder = Recorder(kernel, self.claims)
        self.on_ready: Callable[[TurnRow | Loaded], None] = _nobody
        self._slots: dict[str, _Slots] = {}
        self._queued: set[str] = set()
        self._expiry: dict[Held, float] = {}
        # Claims that may have had an effect here, and whose outcome is not stored yet.
        self._begun: set[Held] = set()
        # Calls that a server outside runs for this process, by the turn that they belong to.
        self._remote: dict[str, str] = {}

    def start(self, claim: Claim) -> None:
        """Run a claimed call in a task of its own."""
        self._expiry[claim.held] = claim.expires
        self._kernel.tasks.spawn(claim.call.turn_id, "call", self._run(claim))

    def enqueue(self, call_id: str, turn_id: str, agent: str) -> None:
        """Claim and run a cleared call as soon as a slot is free."""
        if call_id not in self._queued and not self._kernel.tasks.closing:
            self._queued.add(call_id)
            self._kernel.tasks.spawn(turn_id, "claim", self._claim(call_id, turn_id, agent))

    @property
    def held(self) -> frozenset[Held]:
        """The claims that this process works on; not every row that names this worker is one."""
        return frozenset(self._expiry)

    def never_began(self, call: Call) -> bool:
        """Return True if a call's row names this worker, but its body never began here.

        Then the reply to the claim was lost. Only this process can say so, and only of calls that
        it claimed itself.
        """
        held = (call.id, call.fence)
        return call.worker == self._kernel.worker and held not in self._begun

    def renewed(self, held: frozenset[Held], started: float) -> None:
        """Extend the claims that the heartbeat renewed.

        Others are lost, even if their bodies run.
        """
        expires = started + self._kernel.times.lease.total_seconds()
        for claimed in held & self._expiry.keys():
            self._expiry[claimed] = expires

    async def _claim(self, call_id: str, turn_id: str, agent: str) -> None:
        async with self._slot(turn_id, agent):
            try:
                taken = await self._kernel.store.run(lambda tx: self._take(tx, call_id))
            except Raced:
                return
            finally:
                self._queued.discard(call_id)
            await self._attempt(self._follow(taken))

    def _follow(self, recorded: Recorded) -> Claim | None:
        """Let other parts go on with what is stored now; return the next attempt, if any."""
        if recorded.ready is not None:
            self.on_ready(recorded.ready)
        self._kernel.announce(recorded.requests)
        if recorded.again is not None:
            self._expiry[recorded.again.held] = recorded.again.expires
        return recorded.again

    def _take(self, tx: Tx, call_id: str) -> Recorded:
        point("before_claim")
        call = tx.calls.get(call_id)
        if call is None or call.status is not CallStatus.CLEARED:
            return Recorded()
        conversation = conversation_of(tx, call.conversation_id)
        moves = Moves(tx, self._kernel.ids)
        claim = self.claims.take(moves, call, conversation)
        turn = moves.wake(self._kernel.worker, self._kernel.times.lease)
        return Recorded(ready=turn, again=claim, requests=tuple(moves.opened))

    async def _run(self, claim: Claim) -> None:
        try:
            async with self._slot(claim.call.turn_id, claim.call.agent):
                await self._attempt(claim)
        finally:
            self._expiry.pop(claim.held, None)

    @asynccontextmanager
    async def _slot(self, turn_id: str, agent: str) -> AsyncGenerator[None]:
        slots = self._slots.get(turn_id)
        if slots is None:
            limit = self._kernel.catalogue.parallel(agent)
            slots = self._slots[turn_id] = _Slots(asyncio.Semaphore(limit))
        slots.users += 1
        try:
            async with slots.free:
                yield
        finally:
            slots.users -= 1
            if slots.users == 0:
                del self._slots[turn_id]

    async def _attempt(self, claim: Claim | None) -> None:
        while claim is not None:
            point("after_claim")
            try:
                recorded = await self._perform(claim)
            except LeaseLost:
                log.warning("call %s is held by another worker now; not run", claim.call.id)
                return
            finally:
                self._expiry.pop(claim.held, None)
            point("after_outcome")
            claim = self._follow(recorded)

    async def _perform(self, claim: Claim) -> Recorded:
        buffer = EventBuffer(self._kernel, claim.call.turn_id)
        try:
            outcome = await self._execute(claim, buffer)
        except asyncio.CancelledError:
            await asyncio.shield(self._cut_off(claim, buffer))
            raise
        point("before_outcome")
        return await self._record(claim, outcome, buffer)

    async def _cut_off(self, claim: Claim, buffer: EventBuffer) -> None:
        """Record that the body was cancelled in the middle: what it did is unknown."""
        if self._kernel.tasks.closing:
            await self._record(claim, Unknown("the worker was stopped while it ran"), buffer)
            return
        # Cancelled by its own body, or by code that we do not know. This task ends, the worker goes
        # on.
        recorded = await self._record(claim, Unknown("it was cancelled while it ran"), buffer)
        if (again := self._follow(recorded)) is not None:
            self.start(again)

    async def _execute(self, claim: Claim, buffer: EventBuffer) -> Outcome:
        call, tool = claim.call, claim.tool.tool
        try:
            arguments, scrubber = await self.resolved(call)
            context = await resumed(self._kernel, call, claim.context)
            files = await self._lent(call, tool, context, arguments)
        except StoreUnavailable:
            # Nothing has begun: once the lease is over, this worker claims the call again.
            raise
        except AssentError as error:
            return failed(str(error))
        body = _Prepared(context=context, arguments=arguments, scrubber=scrubber)
        if files is None:
            return await self._run_body(claim, buffer, body)
        try:
            return await self._run_body(claim, buffer, body.with_files(files))
        finally:
            # A body that runs on after its time still reads them, and gives them back itself.
            if claim.held not in self._kernel.bodies.held:
                files.give_back()

    async def _lent(
        self, call: Call, tool: Tool, context: Context, arguments: dict[str, Json]
    ) -> "LentFiles | None":
        """Return copies of the files that a body is given; None if there are none."""
        if not has_files(tool.user_input, context.answers):
            return None
        from assent.engine.files.lending import lend

        return await lend(self._kernel, call, tool, context, arguments)

    async def _run_body(self, claim: Claim, buffer: EventBuffer, given: "_Prepared") -> Outcome:
        call, tool, scrubber = claim.call, claim.tool.tool, given.scrubber

        async def report(progress: Progress) -> None:
            value = await offload(weight(progress.value), _shown, tool, progress, scrubber)
            said: dict[str, Json] = {"call_id": call.id, "value": value}
            buffer.say(EventKind.PROGRESS, said | {"fraction": progress.fraction})
            # A body that never awaits anything would block all other tasks.
            await asyncio.sleep(0)

        body = BodyRun(
            tool=tool,
            context=given.context,
            arguments=given.arguments,
            scrubber=scrubber,
            report=report,
        )
        # The last check before anything happens: a worker that was paused notices here, not later.
        while self._kernel.clock.monotonic() >= self._expiry.get(claim.held, 0.0):
            await self._hold(claim)
        self._begun.add(claim.held)
        point("before_body")
        now, bodies = self._kernel.clock.now(), self._kernel.bodies
        # An idempotent call may be tried again beside an attempt that hangs.
        if not tool.idempotent and (since := bodies.since(call.id)) is not None:
            return Unknown(f"an earlier run of it, begun at {since:%X} UTC, has not ended")
        with self._noted(call, tool):
            outcome = await bodies.run(
                claim.held,
                self._body(body, call, given.files),
                tool.timeout,
                now=now,
                late=partial(self._ended_late, claim),
            )
        point("after_body")
        return outcome

    @contextmanager
    def _noted(self, call: Call, tool: Tool) -> Generator[None]:
        # What may be repeated would be, once it is cancelled: it is left to end.
        if call.source.startswith(REMOTE) and not tool.idempotent:
            self._remote[call.id] = call.turn_id
        try:
            yield
        finally:
            self._remote.pop(call.id, None)

    async def cancel_stopped(self) -> None:
        """Cancel calls that servers outside run for turns which another process has stopped.

        They are in doubt then. A turn that a newer message ended is left alone, as it is where the
        message is sent.
        """
        if not self._remote:
            return
        remote = dict(self._remote)
        for call_id in await self._kernel.store.run(lambda tx: _stopped(tx, remote)):
            # Once: a second time would cut off the server's being told.
            if self._remote.pop(call_id, None) is not None:
                self._kernel.bodies.cancel(call_id)

    async def _body(self, body: BodyRun, call: Call, files: "LentFiles | None") -> Outcome:
        # Here, not around the wait: a body that runs on after its timeout still has the secrets.
        with files or nullcontext(), self._kernel.logs.hiding(body.scrubber):
            if call.supplied is not None:
                supplied = await offload(len(call.supplied), json.loads, call.supplied)
                return await body.respond(supplied)
            return await body.perform()

    def _ended_late(self, claim: Claim, outcome: Outcome) -> None:
        if self._kernel.tasks.closing:
            log.error("this worker closes before call %s has ended: not recorded", claim.call.id)
            return
        self._kernel.tasks.spawn(claim.call.turn_id, "late", self._too_late(claim, outcome))

    async def _hold(self, claim: Claim) -> None:
        """Renew a late claim unless another worker has taken it: a dropped call would be lost."""
        started, lease = self._kernel.clock.monotonic(), self._kernel.times.lease
        worker, wanted = self._kernel.worker, frozenset({claim.held})
        held = await self._kernel.store.run(
            lambda tx: tx.leases.renew(worker, lease, calls=wanted, turns=frozenset())
        )
        if not held:
            raise LeaseLost("call", claim.call.id)
        self._expiry[claim.held] = started + lease.total_seconds()

    async def resolved(self, call: Call) -> tuple[dict[str, Json], Scrubber]:
        """Return the arguments of a claimed call with its secrets, and what hides them."""
        frozen, vault = call.arguments, self._kernel.vault
        arguments, wanted = await offload(len(frozen.text), _with_references, frozen)
        if not wanted:
            return arguments, NO_SECRETS
        rows = await self._kernel.store.run(lambda tx: tx.values.sealed(wanted))

        def filled_in() -> tuple[dict[str, Json], Scrubber]:
            values = {row.id: vault.open(row.sealed, row=row.id, field=row.field) for row in rows}
            resolved = {name: resolve(value, values) for name, value in arguments.items()}
            return resolved, Scrubber(values.values())

        sealed = sum(len(row.sealed) for row in rows)
        return await offload(len(frozen.text) + sealed, filled_in)

    async def _record(self, claim: Claim, outcome: Outcome, buffer: EventBuffer) -> Recorded:
        try:
            recorded = await self.recorder.record(claim, outcome, await buffer.drain())
        except Raced:
            await self._too_late(claim, outcome)
            recorded = Recorded()
        self._begun.discard(claim.held)
        return recorded

    async def _too_late(self, claim: Claim, outcome: Outcome) -> None:
        self._follow(await self.recorder.record_late(claim, outcome))


def _stopped(tx: Tx, remote: Mapping[str, str]) -> list[str]:
    """Return the calls of turns that were stopped."""
    turns = {id: tx.turns.get(id) for id in set(remote.values())}
    ended = {
        id
        for id, turn in turns.items()
        if turn is not None and turn.status is TurnStatus.STOPPED and _is_newest(tx, turn)
    }
    return [call_id for call_id, turn_id in remote.items() if turn_id in ended]


def _is_newest(tx: Tx, turn: TurnRow) -> bool:
    newest = tx.turns.newest(turn.conversation_id)
    return newest is not None and newest.id == turn.id


class _Prepared(NamedTuple):
    """The context, arguments and files that a body is run with."""

    context: Context
    arguments: Mapping[str, Json]
    scrubber: Scrubber
    files: "LentFiles | None" = None

    def with_files(self, files: "LentFiles") -> "_Prepared":
        """Return it with files in place of references, and what is sealed in them hidden."""
        scrubber = Scrubber(files.hidden, beside=[self.scrubber]) if files.hidden else self.scrubber
        context = changed(self.context, answers=files.answers)
        return _Prepared(context, files.arguments, scrubber, files)


def _with_references(frozen: Frozen) -> tuple[dict[str, Json], tuple[str, ...]]:
    arguments = frozen.thaw()
    return arguments, references(arguments)


def _shown(tool: Tool, progress: Progress, scrubber: Scrubber) -> Json:
    try:
        return scrubber.json(jsonable(tool.name, progress.value))
    except InvalidOutput:
        # Only informative: no reason to end a body in the middle of its work.
        return scrubber.text(repr(progress.value))


@dataclass(slots=True)
class _Slots:
    free: asyncio.Semaphore
    users: int = 0


def _nobody(ready: TurnRow | Loaded) -> None:
    raise AssertionError(f"nobody advances {ready!r}")
