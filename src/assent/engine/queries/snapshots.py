"""Snapshots of turns and conversations, read from rows; no model is called."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec import Struct

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation, Message, TurnRow, status_of
from assent.domain.identifiers import want_findable
from assent.domain.lifecycle import (
    AT_WORK,
    CallStatus,
    ConversationStatus,
    TurnStatus,
)
from assent.domain.requests import Request
from assent.engine.kernel import Kernel
from assent.errors import NotFound
from assent.ports import Tx


class Turn(Struct, frozen=True, kw_only=True):
    """A turn in its present state: its answer so far, its calls, and its open requests."""

    id: str
    conversation_id: str
    number: int
    status: TurnStatus
    text: str
    calls: tuple[Call, ...]
    pending: tuple[Request, ...]
    error: str | None = None

    @property
    def is_resting(self) -> bool:
        """True if nothing happens until a person acts."""
        if self.status in (TurnStatus.RUNNING, TurnStatus.READY):
            return False
        if self.status is TurnStatus.WAITING:
            # What its caller runs rests here, too: it goes on when the caller comes.
            return not any(call.status in AT_WORK and not call.by_caller for call in self.calls)
        return True

    @property
    def is_unclaimed(self) -> bool:
        """True if it has no worker, and any worker would take it up."""
        if self.status is not TurnStatus.WAITING:
            return self.status is TurnStatus.READY
        at_work = {call.status for call in self.calls if not call.by_caller} & AT_WORK
        return at_work == {CallStatus.CLEARED}

    @property
    def requires_attention(self) -> bool:
        """True if a person has to act before it can go on."""
        return bool(self.pending)

    def result(self, call_id: str) -> Json:
        """Return the output of one of its calls."""
        for call in self.calls:
            if call.id == call_id and call.output is not None:
                return json.loads(call.output)
        raise NotFound("output of call", call_id)


def resting(
    row: TurnRow,
    status: TurnStatus,
    calls: Iterable[Call],
    *,
    text: str = "",
    pending: tuple[Request, ...] = (),
) -> Turn:
    """Return a turn as its worker leaves it."""
    return Turn(
        id=row.id,
        conversation_id=row.conversation_id,
        number=row.number,
        status=status,
        text=text,
        calls=tuple(calls),
        pending=pending,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Thread:
    """A conversation in its present state, with its derived status."""

    conversation: Conversation
    status: ConversationStatus
    messages: tuple[Message, ...]
    calls: tuple[Call, ...]
    pending: tuple[Request, ...]


def read_turn(tx: Tx, turn_id: str) -> Turn:
    """Read a turn with its calls and open requests."""
    want_findable("turn", turn_id)
    found = tx.snapshots.turn(turn_id)
    if found is None:
        raise NotFound("turn", turn_id)
    row, text, calls, pending = found
    return Turn(
        id=row.id,
        conversation_id=row.conversation_id,
        number=row.number,
        status=row.status,
        text="" if row.status is TurnStatus.WAITING else text,
        calls=tuple(calls),
        pending=tuple(pending),
        error=row.error,
    )


def read_thread(tx: Tx, conversation_id: str, kernel: Kernel) -> Thread:
    """Read a conversation with everything in it."""
    want_findable("conversation", conversation_id)
    conversation = tx.conversations.get(conversation_id)
    if conversation is None:
        raise NotFound("conversation", conversation_id)
    newest = tx.turns.newest(conversation_id)
    calls = tx.calls.of_conversation(conversation_id)
    active = _active(newest, calls)
    requests = [each for turn_id in active for each in tx.requests.of_turn(turn_id)]
    manual = kernel.catalogue.manual_tools(conversation.agent)
    live = [call for call in calls if call.turn_id in active]
    return Thread(
        conversation=conversation,
        status=status_of(None if newest is None else newest.status, live, manual),
        messages=tuple(tx.messages.of_conversation(conversation_id)),
        calls=tuple(calls),
        pending=tuple(request for request in requests if request.is_open),
    )


def _active(newest: TurnRow | None, calls: Iterable[Call]) -> list[str]:
    """Return the turns that say how a conversation stands: the newest, or all with open calls."""
    if newest is None or not newest.outside:
        return [] if newest is None else [newest.id]
    waiting = (call.turn_id for call in calls if not call.is_settled)
    return list(dict.fromkeys((newest.id, *waiting)))
