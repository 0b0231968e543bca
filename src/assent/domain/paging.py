"""Lists by pages: a place to go on from, what is wanted, and who a question is put to."""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assent.domain.calls import Call
from assent.domain.conversations import Conversation
from assent.domain.lifecycle import RequestKind, RequestStatus, TurnStatus
from assent.domain.people import Audience, Person, PersonKind
from assent.errors import BadPage

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LONGEST = 400
# The last moment that a place can name; the first page starts before it.
_LATEST = 2**53


@dataclass(frozen=True, slots=True)
class Place:
    """The last row of a page: lists are newest first, so the next page has what is older."""

    at: datetime
    id: str

    def __str__(self) -> str:
        plain = f"{(self.at - _EPOCH) // _MICROSECOND}:{self.id}".encode()
        return base64.urlsafe_b64encode(plain).rstrip(b"=").decode()

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Read what `str` wrote; raises `BadPage`."""
        try:
            if len(text) > _LONGEST:
                raise ValueError
            padded = text.encode("ascii") + b"=" * (-len(text) % 4)
            plain = base64.b64decode(padded, altchars=b"-_", validate=True).decode()
            at, _, id = plain.partition(":")
            if not (at.isascii() and at.isdigit() and id and "\x00" not in id):
                raise ValueError
            if int(at) > _LATEST:
                raise ValueError
            return cls(_EPOCH + int(at) * _MICROSECOND, id)
        except (binascii.Error, ValueError):
            raise BadPage(text) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFilter:
    """Which requests are wanted; what is None does not matter."""

    status: RequestStatus | None = RequestStatus.OPEN
    kind: RequestKind | None = None
    tool: str | None = None
    risk: str | None = None
    agent: str | None = None
    conversation_id: str | None = None
    # A piece of the tool's, the agent's or the owner's name, in either case.
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a request in a list is about; `arguments` is None where they are too long for a list."""

    revision: int
    arguments: str | None
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which audit entries are wanted; what is None does not matter."""

    conversation_id: str | None = None
    call_id: str | None = None
    request_id: str | None = None
    actor: str | None = None
    action: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A conversation in a list: with its newest turn and what is open in that."""

    conversation: Conversation
    turn: TurnStatus | None
    open_calls: tuple[Call, ...] = ()


def put_to(audience: Audience) -> list[str]:
    """Whom a question is put to besides the owner, as they are looked up."""
    roles = [f"role:{role}" for role in sorted(audience.roles)]
    return roles + [f"person:{person}" for person in sorted(audience.people)]


def put_to_role(role: str) -> str:
    """What finds the questions that are put to a role."""
    return f"role:{role}"


def names_of(person: Person) -> list[str]:
    """What finds the questions that are put to a person; to an agent nobody puts any."""
    if person.kind is PersonKind.AGENT:
        return []
    return put_to(Audience(roles=person.roles, people=frozenset({person.id})))
