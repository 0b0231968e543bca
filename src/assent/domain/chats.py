"""Chats: the threads that conversations are held in, and the accounts that people have there."""

from datetime import datetime

from msgspec import Struct


class ChatThread(Struct, frozen=True, kw_only=True):
    """A thread of a chat; one conversation is held in it."""

    channel: str
    address: str


class ThreadState(Struct, frozen=True, kw_only=True):
    """How far a thread shows its conversation: the position of the last message shown.

    `growing` is the platform's reference to an answer that is shown in part; `turn_id` is a turn
    that runs, or else the newest one.
    """

    channel: str
    address: str
    conversation_id: str
    told: int
    growing: str | None = None
    turn_id: str | None = None

    @property
    def thread(self) -> ChatThread:
        """The thread itself."""
        return ChatThread(channel=self.channel, address=self.address)


class ChatAccount(Struct, frozen=True, kw_only=True):
    """One row of the chat_accounts table: an account of a chat that belongs to a person here.

    `name` is what the chat calls the account, for people to recognise it by; nothing rests on it.
    """

    channel: str
    chat_id: str
    person: str
    name: str
    linked_at: datetime


class LinkCode(Struct, frozen=True, kw_only=True):
    """One row of the link_codes table: made by a person here, or by an account of a chat.

    The other side redeems it: that proves that both belong to one human.
    """

    channel: str
    expires_at: datetime
    person: str | None = None
    chat_id: str | None = None
    chat_name: str | None = None
