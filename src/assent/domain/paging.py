"""Lists in pages: the place where a page ends, filters, and rows."""

import base64
import binascii
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from assent.domain.calls import Call
from assent.domain.conversations import Conversation
from assent.domain.identifiers import MAX_BYTES
from assent.domain.lifecycle import RequestKind, RequestStatus, TurnStatus
from assent.domain.people import Audience, Person, PersonKind
from assent.errors import BadPage

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# The latest time that a place can name, in 2255: much later ones would overflow a datetime.
_LATEST = 2**53
# The longest id and the latest time, as base64 writes them.
MAX_PLACE_CHARS = (MAX_BYTES + len(f"{_LATEST}:") + 2) // 3 * 4


@dataclass(frozen=True, slots=True)
class Place:
    """The last row of a page: lists are newest first, so the next page has older rows."""

    at: datetime
    id: str

    def __str__(self) -> str:
        plain = f"{(self.at - _EPOCH) // _MICROSECOND}:{self.id}".encode()
        return base64.urlsafe_b64encode(plain).rstrip(b"=").decode()

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Parse the text that `str` wrote; raises `BadPage`."""
        try:
            if len(text) > MAX_PLACE_CHARS:
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
    """A filter for requests; None matches all."""

    status: RequestStatus | None = RequestStatus.OPEN
    kind: RequestKind | None = None
    tool: str | None = None
    risk: str | None = None
    agent: str | None = None
    conversation_id: str | None = None
    # A part of the name of tool, agent or owner, in upper or lower case.
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The call of a request in a list; `arguments` is None if they are too long for a list."""

    revision: int
    arguments: str | None
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """A filter for audit entries; None matches all."""

    conversation_id: str | None = None
    call_id: str | None = None
    request_id: str | None = None
    actor: str | None = None
    action: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A conversation in a list, with its newest turn and the open calls in it."""

    conversation: Conversation
    turn: TurnStatus | None
    open_calls: tuple[Call, ...] = ()


def audience_keys(audience: Audience) -> list[str]:
    """Return the lookup keys of the roles and people in an audience, without the owner.

    A person must be in every part of an audience, but each part has keys: `admits` decides.
    """
    roles = {role_key(role) for part in audience.parts for role in part.roles}
    people = {f"person:{person}" for part in audience.parts for person in part.people}
    return [*sorted(roles), *sorted(people)]


def role_key(role: str) -> str:
    """Return the lookup key for requests to a role."""
    return f"role:{role}"


def person_keys(person: Person) -> list[str]:
    """Return the lookup keys for requests to a person; none for an agent, which is never asked."""
    if person.kind is PersonKind.AGENT:
        return []
    return audience_keys(Audience(roles=person.roles, people=frozenset({person.id})))
