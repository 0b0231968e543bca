"""The feed: events of the whole deployment in one order, which update live pages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assent.domain.canonical import Json
from assent.domain.events import EventKind
from assent.domain.people import Audience, Person
from assent.errors import BadCursor

# All kinds but the words of an answer, which are followed turn by turn.
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
    data: dict[str, Json] = field(default_factory=dict[str, Json])
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
