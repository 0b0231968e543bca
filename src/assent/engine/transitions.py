"""Transitions of calls and turns inside a transaction: guarded, audited and published together."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Unpack

from assent.domain.calls import Author, Call, Frozen, Revision
from assent.domain.canonical import Json
from assent.domain.conversations import TurnRow, TurnSnapshot
from assent.domain.copies import changed
from assent.domain.events import Entry, EventKind, Fact
from assent.domain.lifecycle import TERMINAL, CallStatus
from assent.domain.outputs import as_text
from assent.domain.people import SYSTEM
from assent.domain.requests import Request
from assent.engine.ids import Ids
from assent.errors import Conflict
from assent.ports import CallChanges, Tx

NOBODY = SYSTEM.id


class Raced(Conflict):
    """Raised if another transaction moved the row first; the intended change is void."""

    code = "raced"

    def __init__(self, call_id: str) -> None:
        self.call_id = call_id
        super().__init__(f"Call {call_id!r} was changed by somebody else just now")


class Moves:
    """The transitions of one transaction, by one actor."""

    def __init__(self, tx: Tx, ids: Ids, *, actor: str = NOBODY, channel: str = "") -> None:
        self.tx, self.ids, self.actor, self.channel = tx, ids, actor, channel
        self.now = tx.now()
        self.ready: str | None = None
        self.opened: list[Request] = []
        # The call that ended in it, as it left it.
        self.ended: Call | None = None
        # The rows as read before any change. If they are known, all changes can be sent at once.
        self.snapshot: TurnSnapshot | None = None

    def move(
        self,
        call: Call,
        target: CallStatus,
        action: str,
        *,
        request_id: str | None = None,
        data: dict[str, Json] | None = None,
        lost: bool = False,
        **changes: Unpack[CallChanges],
    ) -> Call:
        """Move a call to another status; raises `Raced` if the row is not what `call` says."""
        if target in TERMINAL:
            changes["settled_at"] = self.now
            # The heartbeat may have renewed it since the row was read, so its end is unknown here.
            changes["lease_until"] = None
        if not self.tx.calls.move(call, target, lost=lost, **changes):
            raise Raced(call.id)
        moved = self._moved(call, target, action, changes, request_id=request_id, data=data)
        if target in TERMINAL:
            self.settle(moved)
        return moved

    def _moved(
        self,
        call: Call,
        target: CallStatus,
        action: str,
        changes: CallChanges,
        *,
        request_id: str | None = None,
        data: dict[str, Json] | None = None,
    ) -> Call:
        """Write the entry and the event of a transition; return the call after it."""
        self.note(action, call, target=target, request_id=request_id, data=data)
        moved = after(call, target, changes)
        self.tell(moved)
        return moved

    def clear_and_claim(
        self,
        call: Call,
        cleared: Call,
        action: str,
        changes: CallChanges,
        *,
        request_id: str | None = None,
        data: dict[str, Json] | None = None,
    ) -> Call:
        """Make two transitions in one change of the row; each has its own entry and event."""
        if not self.tx.calls.move(call, CallStatus.RUNNING, via=CallStatus.CLEARED, **changes):
            raise Raced(call.id)
        self.note(action, call, target=CallStatus.CLEARED, request_id=request_id, data=data)
        self.tell(cleared)
        fence: dict[str, Json] = {"fence": changes.get("fence")}
        return self._moved(cleared, CallStatus.RUNNING, "claim", changes, data=fence)

    @contextmanager
    def acting(self, actor: str) -> Generator[None]:
        """Let another actor act within this block, in the same transaction."""
        before, self.actor = self.actor, actor
        try:
            yield
        finally:
            self.actor = before

    def revise(
        self,
        call: Call,
        target: CallStatus,
        action: str,
        frozen: Frozen,
        author: Author,
        *,
        request_id: str | None = None,
        told: dict[str, Json] | None = None,
        **changes: Unpack[CallChanges],
    ) -> Call:
        """Make a transition together with the next revision of the arguments."""
        if call.revision == 1:
            self._keep(call, 1, call.arguments, Author.MODEL)
        self._keep(call, call.revision + 1, frozen, author)
        data: dict[str, Json] = {
            "revision": call.revision + 1,
            "before": shown(call.arguments.text),
            "after": shown(frozen.text),
            "digest": frozen.digest,
            **(told or {}),
        }
        changes["revision"] = call.revision + 1
        changes["arguments"] = frozen.text
        changes["arguments_digest"] = frozen.digest
        return self.move(call, target, action, request_id=request_id, data=data, **changes)

    def _keep(self, call: Call, number: int, arguments: Frozen, author: Author) -> None:
        self.tx.calls.revise(
            Revision(
                call_id=call.id,
                revision=number,
                arguments=arguments,
                author=author,
                by=call.agent if author is Author.MODEL else self.actor,
                at=self.now,
            )
        )

    def note(
        self,
        action: str,
        call: Call | None = None,
        *,
        source: CallStatus | None = None,
        target: CallStatus | None = None,
        request_id: str | None = None,
        conversation_id: str | None = None,
        data: dict[str, Json] | None = None,
    ) -> None:
        """Write one audit entry; the source status is the call's, unless given."""
        self.tx.journal.note(
            Entry(
                id=self.ids("aud"),
                at=self.now,
                action=action,
                actor=self.actor,
                channel=self.channel,
                conversation_id=call.conversation_id if call else conversation_id,
                call_id=call.id if call else None,
                request_id=request_id,
                source=source or (call.status if call and target else None),
                target=target,
                data=data or {},
            )
        )

    def tell(self, call: Call) -> None:
        """Publish one event."""
        data: dict[str, Json] = {"call_id": call.id, "tool": call.tool, "status": str(call.status)}
        if call.status in TERMINAL:
            data["output"] = call.output
            self.tx.journal.tell(call.turn_id, Fact(EventKind.RESULT, data))
        else:
            self.tx.journal.tell(call.turn_id, Fact(EventKind.CALL, data))

    def pending(self, request: Request) -> None:
        """Announce a request; it is durable with the same commit."""
        self.opened.append(request)
        data: dict[str, Json] = {
            "request_id": request.id,
            "call_id": request.call_id,
            "kind": str(request.kind),
            "tool": request.tool,
        }
        self.tx.journal.tell(request.turn_id, Fact(EventKind.PENDING, data))

    def settle(self, call: Call) -> None:
        """Count a call as settled; the caller that settles the last one wakes the turn."""
        self.ended = call
        seen = None if self.snapshot is None else self.snapshot.open_calls(call.message_id)
        if self.tx.messages.settle(call.message_id, seen=seen) == 0:
            self._last_settled(call)
        if self.snapshot is not None:
            self.snapshot = self.snapshot.with_settled(call)
        # Secrets come with answers, and an answer makes a revision or leaves metadata: most calls
        # have none to purge.
        if call.revision > 1 or call.metadata is not None:
            self.tx.values.purge(call.id)

    def _last_settled(self, call: Call) -> None:
        if not call.outside:
            self.ready = call.turn_id
        # No model is asked: the agent outside goes on by itself.
        elif self.tx.turns.end(call.turn_id, self.now):
            self.tx.journal.tell(call.turn_id, Fact(EventKind.FINISHED, {"reason": "settled"}))

    def wake(self, worker: str | None, lease: timedelta) -> TurnRow | None:
        """Let the turn go on after its last call: here, or in any process with a worker."""
        if self.ready is None:
            return None
        if worker is not None:
            seen = None if self.snapshot is None else self.snapshot.turn
            return self.tx.turns.wake(self.ready, worker, lease, seen=seen)
        self.tx.turns.rouse(self.ready)
        return None


def after(call: Call, target: CallStatus, changes: CallChanges) -> Call:
    """Return the call as a transition leaves it."""
    return changed(call, status=target, **_known(changes))


def _known(changes: CallChanges) -> dict[str, Any]:
    # Lengths of time become times only in the database, and are not read back here.
    known: dict[str, Any] = {n: v for n, v in changes.items() if not isinstance(v, timedelta)}
    digest = known.pop("arguments_digest", None)
    if digest is not None:
        known["arguments"] = Frozen(str(known["arguments"]), str(digest))
    return known


def shown(value: Json, limit: int = 2_000) -> str:
    """Return a value for the audit: whole if short, else its head and its length."""
    text = as_text(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"
