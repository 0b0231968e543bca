"""Following turns: wait until one rests, replay its events, and look at its rows as they change."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from assent.domain.calls import Call
from assent.domain.events import Event, EventKind
from assent.domain.identifiers import want_findable
from assent.domain.lifecycle import AT_WORK, TurnStatus
from assent.domain.requests import Request
from assent.engine.kernel import Kernel
from assent.engine.queries.snapshots import Turn, read_turn
from assent.errors import NotFound, NoWorker
from assent.ports import Tx

# A notification can get lost, a row cannot: the rows are read at least this often.
POLL_SECONDS = 1.0
EVENTS_PAGE = 500
# Events that say only which row changed.
_ROW_KINDS = frozenset({EventKind.PENDING, EventKind.DECIDED, EventKind.CALL})
_ENDED = frozenset({TurnStatus.DONE, TurnStatus.FAILED, TurnStatus.STOPPED})


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLook:
    """One look at a turn: its new events, and the rows that they are about."""

    turn: Turn
    events: Sequence[Event]
    calls: Mapping[str, Call] = field(default_factory=dict[str, Call])
    requests: Mapping[str, Request] = field(default_factory=dict[str, Request])

    def asked_before(self, request: Request) -> bool:
        """Return True if an older request was about the same call."""
        of_call = [each for each in self.requests.values() if each.call_id == request.call_id]
        return of_call[0].id != request.id


class Following:
    """Reads turns again whenever something changed in them."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def wait(self, turn_id: str) -> Turn:
        """Return the turn once it rests: answered, failed, stopped, or waiting for people only."""
        bus, unclaimed = self._kernel.bus, _Unclaimed(self._kernel.times.takeup)
        while True:
            # A turn that came to rest in this process need not be read again.
            left = await self._kernel.tasks.quiet(turn_id)
            if isinstance(left, Turn) and left.is_resting:
                return left
            ticket = bus.ticket(turn_id)
            try:
                found = await self._kernel.store.run(lambda tx: read_turn(tx, turn_id))
                if found.is_resting:
                    return found
                if not self._kernel.is_worker:
                    unclaimed.look(found)
                await bus.wait(turn_id, ticket, POLL_SECONDS)
            finally:
                bus.drop(turn_id, ticket)

    async def events(self, turn_id: str, *, after: int = 0) -> AsyncGenerator[Event]:
        """Replay a turn's events from a cursor, then follow it live until it ends."""
        bus = self._kernel.bus
        while True:
            ticket = bus.ticket(turn_id)
            try:
                found = self._kernel.store.run(lambda tx: _events(tx, turn_id, after))  # noqa: B023 - run now
                events, ended = await found
                if not events and not ended:
                    await bus.wait(turn_id, ticket, POLL_SECONDS)
                    continue
            finally:
                # Before yielding: a follower may leave and never come back here.
                bus.drop(turn_id, ticket)
            if not events:
                return
            for event in events:
                after = event.seq
                yield event

    async def looks(self, turn_id: str, *, after: int = 0) -> AsyncGenerator[TurnLook]:
        """Look at a turn again and again from a cursor; the last look finds it at rest."""
        bus = self._kernel.bus
        while True:
            ticket = bus.ticket(turn_id)
            try:
                look = await self._kernel.store.run(lambda tx: _look(tx, turn_id, after))  # noqa: B023 - run now
                if look.events:
                    after = look.events[-1].seq
                elif not look.turn.is_resting:
                    await bus.wait(turn_id, ticket, POLL_SECONDS)
                    continue
            finally:
                bus.drop(turn_id, ticket)
            yield look
            # No events, and the turn was read before them: it rests, and nothing was missed.
            if not look.events:
                return

    async def call(
        self, call_id: str, turn_id: str, *, patience: timedelta, is_over: Callable[[], bool]
    ) -> Call:
        """Return the call once it rests, or as it is when `patience` or `is_over` ends the wait."""
        clock, bus = asyncio.get_running_loop().time, self._kernel.bus
        until = clock() + patience.total_seconds()
        while True:
            ticket = bus.ticket(turn_id)
            try:
                call = await self._kernel.store.run(lambda tx: tx.calls.get(call_id))
                if call is None:
                    raise NotFound("call", call_id)
                left = until - clock()
                if call.status not in AT_WORK or left <= 0 or is_over():
                    return call
                await bus.wait(turn_id, ticket, min(left, POLL_SECONDS))
            finally:
                bus.drop(turn_id, ticket)


class _Unclaimed:
    """Gives up on a turn that no worker takes up."""

    def __init__(self, takeup: timedelta) -> None:
        self._seconds = takeup.total_seconds()
        self._since: float | None = None

    def look(self, turn: Turn) -> None:
        """Raise `NoWorker` once no worker has held the turn for too long."""
        now = asyncio.get_running_loop().time()
        if not turn.is_unclaimed:
            self._since = None
        elif self._since is None:
            self._since = now
        elif now - self._since > self._seconds:
            raise NoWorker(turn.id, self._seconds)


def _events(tx: Tx, turn_id: str, after: int) -> tuple[list[Event], bool]:
    want_findable("turn", turn_id)
    turn = tx.turns.get(turn_id)
    if turn is None:
        raise NotFound("turn", turn_id)
    return tx.journal.events(turn_id, after, EVENTS_PAGE), turn.status in _ENDED


def _look(tx: Tx, turn_id: str, after: int) -> TurnLook:
    # In this order: the rows are at least as new as the events that mention them.
    turn = read_turn(tx, turn_id)
    events = tx.journal.events(turn_id, after, EVENTS_PAGE)
    if not any(event.kind in _ROW_KINDS for event in events):
        return TurnLook(turn=turn, events=events)
    return TurnLook(
        turn=turn,
        events=events,
        calls={call.id: call for call in tx.calls.of_turn(turn_id)},
        requests={request.id: request for request in tx.requests.of_turn(turn_id)},
    )
