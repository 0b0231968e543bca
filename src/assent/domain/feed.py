"""What happened in the whole deployment, in one order: the events that live pages are woken by."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assent.domain.canonical import Json
from assent.domain.events import EventKind
from assent.domain.people import Audience, Person
from assent.errors import BadCursor

# Everything but the words of an answer: those are followed turn by turn.
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
# Ids and states. Words, arguments and outputs are read where they are authorised one by one.
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
        """Read what `str` wrote; raises `BadCursor`."""
        found = _CURSOR.fullmatch(text)
        if found is None:
            raise BadCursor(text)
        transaction, event = map(int, found.groups())
        if max(transaction, event) > _LARGEST:
            raise BadCursor(text)
        return cls(transaction, event)


START = Cursor(0, 0)


def shown(data: Mapping[str, Json]) -> dict[str, Json]:
    """What the feed tells of an event: short, and nothing that needs a permission of its own."""
    return {name: _short(data[name]) for name in SHOWN if name in data}


def _short(value: Json) -> Json:
    return value[:MAX_CHARACTERS] if isinstance(value, str) else value


# Compared by identity: one that was read once is written out once, however many follow.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class News:
    """One event of the feed, with what is needed to judge who may see it."""

    cursor: Cursor
    kind: EventKind
    conversation_id: str
    turn_id: str
    seq: int
    owner: str
    owner_behind: str | None = None
    at: datetime
    data: dict[str, Json] = field(default_factory=dict[str, Json])
    # Who may decide, or could have decided, the requests that this event is about.
    audiences: tuple[Audience, ...] = ()

    def concerns(self, person: Person) -> bool:
        """Whether it is the person's own conversation, or a question that is put to them."""
        if person.id == self.owner:
            return True
        return any(each.admits(person, self.owner, self.owner_behind) for each in self.audiences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """News in order, and where to go on.

    `held` says that more is written, but a transaction that began earlier still runs.
    """

    news: tuple[News, ...]
    last: Cursor
    held: bool = False
