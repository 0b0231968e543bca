"""Events of a turn, entries of the audit, and the feed.

The feed has the events of the whole deployment in one order; it updates live pages.
"""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from msgspec import Struct, field

from assent.domain.canonical import Json
from assent.domain.people import Audience, Person
from assent.errors import BadCursor


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


# The kinds in the feed. Text, reasoning, steps, proposals and progress are followed turn by turn.
FED = frozenset(
    {
        EventKind.STARTED,
        EventKind.RESET,
        EventKind.PENDING,
        EventKind.DECIDED,
        EventKind.CALL,
        EventKind.RESULT,
        EventKind.WAITING,
        EventKind.FINISHED,
        EventKind.ERROR,
    }
)
# Ids and statuses only. Texts, arguments and outputs are read where each read is authorised.
SHOWN = ("request_id", "call_id", "tool", "kind", "status", "by", "requests", "reason")
MAX_CHARACTERS = 200
_CURSOR = re.compile(r"(0|[1-9][0-9]{0,18})-(0|[1-9][0-9]{0,18})")
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True, order=True)
class Cursor:
    """A place in the feed: the transaction that wrote an event, and the event in it."""

    transaction: int
    event: int

    def __str__(self) -> str:
        return f"{self.transaction}-{self.event}"

    @classmethod
    def parse(cls, text: str) -> "Cursor":
        """Parse the text that `str` wrote; raises `BadCursor`."""
        found = _CURSOR.fullmatch(text)
        if found is None:
            raise BadCursor(text)
        transaction, event = map(int, found.groups())
        if max(transaction, event) > _LARGEST:
            raise BadCursor(text)
        return cls(transaction, event)


START = Cursor(0, 0)


def public_data(data: Mapping[str, Json]) -> dict[str, Json]:
    """Return the part of an event's data that the feed may show without a further permission."""
    return {name: _short(data[name]) for name in SHOWN if name in data}


def _short(value: Json) -> Json:
    return value[:MAX_CHARACTERS] if isinstance(value, str) else value


# Compared by identity: an event that was read once is encoded once, for any number of followers.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class News:
    """One event of the feed, with the owner and audiences that decide who may see it."""

    cursor: Cursor
    kind: EventKind
    conversation_id: str
    turn_id: str
    seq: int
    owner: str
    owner_behind: str | None = None
    at: datetime
    data: dict[str, Json] = dataclasses.field(default_factory=dict[str, Json])
    # Those who may decide, or could have decided, the requests that this event is about.
    audiences: tuple[Audience, ...] = ()

    def concerns(self, person: Person) -> bool:
        """Return True for the owner of the conversation and for those who may decide in it."""
        if person.id == self.owner:
            return True
        return any(each.admits(person, self.owner, self.owner_behind) for each in self.audiences)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedPage:
    """Events of the feed in order, and the cursor of the last.

    `held` is True if more is written, but hidden until a transaction that began earlier ends.
    """

    news: tuple[News, ...]
    last: Cursor
    held: bool = False
