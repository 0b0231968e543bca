"""Somebody's conversations in a list: how each began, with whom, and whether it waits for them."""

from dataclasses import dataclass
from typing import Final

from assent.domain.conversations import Conversation
from assent.domain.lifecycle import RequestStatus
from assent.domain.paging import Place, RequestFilter
from assent.domain.people import Person
from assent.engine.agents import Catalogue
from assent.engine.queries.listing import conversations
from assent.ports import Tx
from assent.server.web.chat.conversation_view import status_words, tone_of

PAGE: Final = 30
# Of more than these it is only said that they wait.
_ASKED: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """One conversation in the list."""

    conversation: Conversation
    title: str
    status: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chats:
    """One page of them, newest first."""

    items: tuple[Chat, ...]
    next: Place | None


def read_chats(tx: Tx, catalogue: Catalogue, person: Person, after: Place | None) -> Chats:
    """A person's own conversations."""
    found = conversations(tx, catalogue, owner=person.id, agent=None, after=after, limit=PAGE)
    begun = tx.openings.of_owner(person.id, after=after, limit=PAGE)
    asked = _waiting_for(tx, person)
    return Chats(
        items=tuple(
            _chat(each.conversation, begun, status_words(each.status, is_mine=mine))
            for each in found.items
            for mine in (each.conversation.id in asked,)
        ),
        next=found.next,
    )


def _chat(conversation: Conversation, begun: dict[str, str], status: str) -> Chat:
    first = " ".join(begun.get(conversation.id, "").split())
    return Chat(
        conversation=conversation,
        title=first or "Nothing said yet",
        status=status,
        tone=tone_of(status),
    )


def _waiting_for(tx: Tx, person: Person) -> frozenset[str]:
    """The conversations of theirs in which they are asked something themselves."""
    wanted = RequestFilter(status=RequestStatus.OPEN)
    found = tx.listings.requests_of(person.id, wanted, after=None, limit=_ASKED)
    return frozenset(each.conversation_id for each in found if each.admits(person))
