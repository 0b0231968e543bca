"""Conversations: messages with one owner, and the turns in which an agent answers them."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from msgspec import Struct

from assent.domain.calls import Call
from assent.domain.copies import changed
from assent.domain.lifecycle import CallStatus, ConversationStatus, RequestStatus, TurnStatus
from assent.domain.origins import Origin
from assent.domain.people import Person
from assent.domain.tools import EffectiveTool


class Conversation(Struct, frozen=True, kw_only=True):
    """One row of the conversations table."""

    id: str
    agent: str
    owner: Person
    created_at: datetime
    # How long its questions wait unless tool or rule say so; None leaves it to the deployment.
    decide_within: timedelta | None = None

    def time_to_decide(self, tool: EffectiveTool) -> timedelta | None:
        """Return how long a question about this tool waits here, unless a rule says otherwise."""
        is_default = tool.origins.get("decide_within") is Origin.DEFAULT
        if self.decide_within is not None and is_default:
            return self.decide_within
        return tool.decide_within


class TurnRow(Struct, frozen=True, kw_only=True):
    """One row of the turns table: its lease and fence keep two workers apart.

    `guarded` is True if it was started with a per-run predicate, which exists in one process only.
    """

    id: str
    conversation_id: str
    number: int
    agent: str
    status: TurnStatus
    step: int
    fence: int
    worker: str | None = None
    lease_until: datetime | None = None
    guarded: bool = False
    error: str | None = None
    created_at: datetime
    ended_at: datetime | None = None
    # True if it holds calls of an agent outside: it asks no model, and ends with its calls.
    outside: bool = False


class Role(StrEnum):
    """The author of a stored message."""

    USER = "user"
    ASSISTANT = "assistant"


class Message(Struct, frozen=True, kw_only=True):
    """One row of the messages table; `open_calls` counts the calls that its turn waits for."""

    id: str
    conversation_id: str
    turn_id: str
    position: int
    role: Role
    text: str
    body: str | None = None
    open_calls: int = 0
    incomplete: bool = False
    created_at: datetime


class TurnSnapshot(Struct, frozen=True, kw_only=True):
    """A turn with the messages and calls of its conversation, read at one moment."""

    turn: TurnRow
    messages: list[Message]
    calls: list[Call]
    # False if only the message with open calls was read.
    is_whole: bool = True

    def open_calls(self, message_id: str) -> int:
        """Return the number of a message's calls that the turn waits for."""
        return next(m.open_calls for m in self.messages if m.id == message_id)

    def with_settled(self, call: Call) -> "TurnSnapshot":
        """Return a copy in which this call has ended: its status, output and time, and no lease."""
        names = ("status", "output", "settled_at", "lease_until")
        end = {name: getattr(call, name) for name in names}
        calls = [changed(each, **end) if each.id == call.id else each for each in self.calls]
        return changed(self, calls=calls)


_OF_CALL = {
    CallStatus.AWAITING_APPROVAL: ConversationStatus.AWAITING_APPROVAL,
    CallStatus.AWAITING_INPUT: ConversationStatus.AWAITING_INPUT,
    CallStatus.IN_DOUBT: ConversationStatus.IN_DOUBT,
    CallStatus.CLEARED: ConversationStatus.IN_PROGRESS,
    CallStatus.RUNNING: ConversationStatus.IN_PROGRESS,
    CallStatus.PROPOSED: ConversationStatus.IN_PROGRESS,
}
_OF_TURN = {
    TurnStatus.RUNNING: ConversationStatus.IN_PROGRESS,
    TurnStatus.READY: ConversationStatus.IN_PROGRESS,
    TurnStatus.STOPPED: ConversationStatus.INTERRUPTED,
    TurnStatus.FAILED: ConversationStatus.INTERRUPTED,
}
_PRECEDENCE = list(ConversationStatus)


def status_of(
    turn: TurnStatus | None, calls: Iterable[Call], manual_tools: frozenset[str]
) -> ConversationStatus:
    """Derive a conversation's status from its newest turn and that turn's calls."""
    found = {_OF_TURN.get(turn, ConversationStatus.IDLE)} if turn else {ConversationStatus.IDLE}
    for call in calls:
        if call.status is CallStatus.AWAITING_RESULT:
            manual = call.tool in manual_tools
            found.add(
                ConversationStatus.AWAITING_CLIENT_TOOLS
                if manual
                else ConversationStatus.AWAITING_HITL
            )
        elif call.status in _OF_CALL:
            found.add(_OF_CALL[call.status])
    return min(found, key=_PRECEDENCE.index)


def validated(gated: bool, approval: RequestStatus | None) -> str:
    """Derive the `validated` of AI SDK 4 frontends from the approval request."""
    match approval:
        case RequestStatus.APPROVED:
            return "accepted"
        case None:
            return "pending" if gated else "not_required"
        case RequestStatus.OPEN:
            return "pending"
        case _:
            return "rejected"
