"""Asides: questions that a body asks beside its running call, where it cannot end and come back."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakValueDictionary

from assent.domain.canonical import Json
from assent.domain.forms import UserInput
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.requests import Request
from assent.engine.decisions.apply import tell_closed
from assent.engine.gate.gated_calls import mint
from assent.engine.kernel import Kernel
from assent.engine.runs.claims import conversation_of
from assent.engine.runs.exchanges import input_wanted, opened
from assent.engine.transitions import Moves
from assent.errors import NothingAwaited
from assent.ports import Tx

_LOOK_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asides:
    """Asks people beside a call that runs on in this process, and waits for their answer."""

    kernel: Kernel

    # A call has one open question at a time.
    _asking: WeakValueDictionary[str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[str, asyncio.Lock]
    )

    async def ask(self, call_id: str, form: UserInput) -> tuple[RequestStatus, Mapping[str, Json]]:
        """Return how the question was closed, and the answers; cancelled, it withdraws it.

        The time that people take does not count as the call's. Several questions of one call are
        asked one after the other.
        """
        async with self._asking.setdefault(call_id, asyncio.Lock()):
            return await self._ask(call_id, form)

    async def _ask(self, call_id: str, form: UserInput) -> tuple[RequestStatus, Mapping[str, Json]]:
        opening = asyncio.create_task(
            self.kernel.store.run(lambda tx: self._open(tx, call_id, form))
        )
        try:
            with self.kernel.bodies.resting(call_id):
                request = await asyncio.shield(opening)
                self.kernel.announce([request])
                status = await self._closed(request)
        except asyncio.CancelledError:
            await asyncio.shield(self._withdrawn(opening, call_id))
            raise
        if status is not RequestStatus.ANSWERED:
            return status, {}
        rows = await self.kernel.store.run(lambda tx: tx.values.sealed([request.id]))
        return status, {} if not rows else opened(self.kernel.vault, rows[0])

    def _open(self, tx: Tx, call_id: str, form: UserInput) -> Request:
        call = tx.calls.get(call_id)
        tool = None if call is None else self.kernel.catalogue.tool(call.agent, call.tool)
        if call is None or tool is None or call.status is not CallStatus.RUNNING:
            raise NothingAwaited("Call", call_id, "gone" if call is None else call.status)
        conversation = conversation_of(tx, call.conversation_id)
        moves = Moves(tx, self.kernel.ids, actor=f"worker:{self.kernel.worker}")
        asking = input_wanted(tool, conversation, form)
        request = mint(call, asking, conversation, self.kernel.ids, moves.now)
        tx.requests.add([request])
        moves.note("ask_beside", call, request_id=request.id)
        moves.pending(request)
        return request

    async def _closed(self, request: Request) -> RequestStatus:
        while True:
            ticket = self.kernel.bus.ticket(request.turn_id)
            try:
                found = await self.kernel.store.run(lambda tx: tx.requests.look(request.id))
                if found is None or not found.is_open:
                    return RequestStatus.CANCELLED if found is None else found.status
                await self.kernel.bus.wait(request.turn_id, ticket, _LOOK_SECONDS)
            finally:
                self.kernel.bus.drop(request.turn_id, ticket)

    async def _withdrawn(self, opening: asyncio.Task[Request], call_id: str) -> None:
        # It may be in the database although nobody was told of it yet.
        await asyncio.wait({opening})
        if opening.exception() is None:
            run, ids = self.kernel.store.run, self.kernel.ids
            await run(lambda tx: withdraw(Moves(tx, ids), call_id))


def withdraw(moves: Moves, call_id: str) -> None:
    """Close the questions that are open beside a call: nobody waits for their answers any more."""
    superseded = RequestStatus.SUPERSEDED
    for request in moves.tx.requests.of_call(call_id):
        if request.is_open and request.kind is RequestKind.INPUT:
            moves.tx.requests.close(request, superseded, by=moves.actor)
            tell_closed(moves, request, superseded, moves.actor)
