"""The buffer of deltas and progress, which are written together: a commit for each is too slow."""

import asyncio
from dataclasses import dataclass, field

from assent.domain.canonical import Json
from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import ACTIVE_TURNS
from assent.engine.kernel import Kernel
from assent.ports import Tx

_JOINED = frozenset({EventKind.TEXT, EventKind.REASONING})


@dataclass
class EventBuffer:
    """Events of one turn that wait for its next commit, for `Times.flush` at most."""

    kernel: Kernel
    turn_id: str
    # The fence of the turn's own worker; None for the reports of a call, which are written while
    # the turn is active.
    fence: int | None = None
    is_void: bool = False
    _facts: list[Fact] = field(default_factory=list[Fact])
    _timer: asyncio.TimerHandle | None = None
    _commit: asyncio.Task[None] | None = None

    def say(self, kind: EventKind, data: dict[str, Json]) -> None:
        """Add an event.

        Adjacent deltas of a kind are joined; of a call's progress only the newest is kept.
        """
        last = self._facts[-1] if self._facts else None
        if last is not None and kind in _JOINED and last.kind is kind:
            self._facts[-1] = Fact(kind, {"text": f"{last.data['text']}{data['text']}"})
        else:
            self._facts = [fact for fact in self._facts if not _outdated(fact, kind, data)]
            self._facts.append(Fact(kind, data))
        if self._timer is None and self._commit is None:
            self._wait()

    def _wait(self) -> None:
        delay = self.kernel.times.flush.total_seconds()
        self._timer = asyncio.get_running_loop().call_later(delay, self._flush)

    async def drain(self) -> list[Fact]:
        """Return the events not written yet, for the caller's own transaction."""
        # A flush under way has to commit first, or the events would change their order.
        if self._commit is not None:
            await asyncio.wait({self._commit})
        facts = self._facts
        self.drop()
        return facts

    def drop(self) -> None:
        """Write nothing more: the turn ended, or another worker holds it."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._facts = []

    def _flush(self) -> None:
        self._timer = None
        facts, self._facts = self._facts, []
        self._commit = self.kernel.tasks.spawn(self.turn_id, "outbox", self._write(facts))

    async def _write(self, facts: list[Fact]) -> None:
        try:
            self.is_void = not await self.kernel.store.run(lambda tx: self._tell(tx, facts))
        finally:
            self._commit = None
            if self._facts:
                self._wait()

    def _tell(self, tx: Tx, facts: list[Fact]) -> bool:
        """Write events, unless the turn was stopped or another worker holds it."""
        # Locked: otherwise a stop could commit between this look and our insert, and be followed by
        # events.
        turn = tx.turns.lock(self.turn_id)
        if turn is None or turn.status not in ACTIVE_TURNS:
            return False
        if self.fence is not None and self.fence != turn.fence:
            return False
        tx.journal.tell(self.turn_id, *facts)
        return True


def _outdated(fact: Fact, kind: EventKind, data: dict[str, Json]) -> bool:
    both_progress = fact.kind is kind is EventKind.PROGRESS
    return both_progress and fact.data["call_id"] == data["call_id"]
