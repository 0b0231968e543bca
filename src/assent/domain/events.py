"""Appended facts: what a turn's stream shows, and what the audit keeps."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from assent.domain.canonical import Json


class EventKind(StrEnum):
    """What happened in a turn, as its followers see it."""

    STARTED = "started"
    STEP = "step"
    RESET = "reset"
    TEXT = "text"
    REASONING = "reasoning"
    PROPOSED = "proposed"
    PENDING = "pending"
    DECIDED = "decided"
    CALL = "call"
    PROGRESS = "progress"
    RESULT = "result"
    WAITING = "waiting"
    FINISHED = "finished"
    ERROR = "error"


# After one of these a turn says nothing more until somebody acts.
RESTING = frozenset({EventKind.WAITING, EventKind.FINISHED, EventKind.ERROR})


class Event(Struct, frozen=True, kw_only=True):
    """One fact of a turn; `seq` grows and is the cursor to follow from.

    A `reset` takes the text of the answer that it ends with it, so numbers may be missing.
    """

    turn_id: str
    seq: int
    kind: EventKind
    data: dict[str, Json] = field(default_factory=dict[str, Json])
    at: datetime


class Fact(Struct, frozen=True):
    """An event before the store has numbered it."""

    kind: EventKind
    data: dict[str, Json] = field(default_factory=dict[str, Json])


class Entry(Struct, frozen=True, kw_only=True):
    """One audit entry: a transition with its actor, or an attempt that was refused."""

    id: str
    action: str
    actor: str
    channel: str = ""
    conversation_id: str | None = None
    call_id: str | None = None
    request_id: str | None = None
    source: str | None = None
    target: str | None = None
    data: dict[str, Json] = field(default_factory=dict[str, Json])
    at: datetime
