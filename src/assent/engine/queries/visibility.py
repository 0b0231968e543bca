"""Visibility: rows are seen by their owner, by people who may decide, by auditors and by admins."""

from assent.domain.conversations import Conversation
from assent.domain.people import ADMIN, AUDITOR, Person, PersonKind
from assent.domain.requests import Request
from assent.errors import NotAllowed, NotFound
from assent.ports import Tx

_ALL_SEEING = frozenset({ADMIN, AUDITOR})


def sees_everything(person: Person) -> bool:
    """Return True if this person may read everything."""
    # An agent sees only what it owns, whatever roles it was given.
    return person.kind is not PersonKind.AGENT and not _ALL_SEEING.isdisjoint(person.roles)


def sees_request(person: Person, request: Request) -> bool:
    """Return True for the owner, people who may decide it, and people who see everything."""
    is_owner = person.id == request.owner
    return is_owner or sees_everything(person) or request.admits(person)


def readable_conversation(tx: Tx, person: Person, id: str) -> Conversation:
    """Return a conversation that this person may read."""
    found = tx.conversations.get(id)
    if found is None or not (found.owner.id == person.id or sees_everything(person)):
        raise NotFound("conversation", id)
    return found


def own_conversation(tx: Tx, person: Person, id: str) -> Conversation:
    """Return a conversation that is this person's own; being able to read it is not enough."""
    found = tx.conversations.get(id)
    if found is None or found.owner.id != person.id:
        raise NotFound("conversation", id)
    return found


def usable_conversation(
    tx: Tx, person: Person, id: str, action: str, *, admins: bool = False
) -> Conversation:
    """Return a conversation that this person may use; `NotAllowed` if they may only read it."""
    found = readable_conversation(tx, person, id)
    if found.owner.id != person.id and not (admins and ADMIN in person.roles):
        raise NotAllowed(person.id, action)
    return found


def request_of(tx: Tx, person: Person, id: str) -> Request:
    """Return a request that this person may read."""
    found = tx.requests.look(id)
    if found is None or not sees_request(person, found):
        raise NotFound("request", id)
    return found


def own_turn(tx: Tx, person: Person, id: str) -> Conversation:
    """Return the conversation of a turn that this person may follow."""
    turn = tx.turns.get(id)
    if turn is None:
        raise NotFound("turn", id)
    return readable_conversation(tx, person, turn.conversation_id)
