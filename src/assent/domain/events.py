"""Events of a turn, which its followers see, and entries of the audit."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from assent.domain.canonical import Json


class EventKind(StrEnum):
    """The kinds of events in a turn."""

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


# After one of these a turn has no further event until a person or a client acts.
RESTING = frozenset({EventKind.WAITING, EventKind.FINISHED, EventKind.ERROR})


class Event(Struct, frozen=True, kw_only=True):
    """One event of a turn; `seq` grows and is the cursor to follow from.

    A `reset` deletes the text events of the answer that it discards, so numbers may be missing.
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
