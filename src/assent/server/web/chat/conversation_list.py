"""A person's conversations in a list: first words, agent, and status."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assent.domain.conversations import Conversation
from assent.domain.paging import Place
from assent.engine.queries.conversations import OwnConversations
from assent.server.web.chat.conversation_view import status_words, tone_of

PAGE: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """One conversation in the list."""

    conversation: Conversation
    title: str
    status: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chats:
    """One page of conversations, newest first."""

    items: tuple[Chat, ...]
    next: Place | None


def chats_of(own: OwnConversations) -> Chats:
    """Return a page of conversations as the list shows them."""
    return Chats(
        items=tuple(
            _chat(each.conversation, own.first_words, status_words(each.status, is_mine=mine))
            for each in own.page.items
            for mine in (each.conversation.id in own.asked,)
        ),
        next=own.page.next,
    )


def _chat(conversation: Conversation, begun: Mapping[str, str], status: str) -> Chat:
    first = " ".join(begun.get(conversation.id, "").split())
    return Chat(
        conversation=conversation,
        title=first or "Nothing said yet",
        status=status,
        tone=tone_of(status),
    )
