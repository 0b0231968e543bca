"""Quotas: what one person, agent or conversation may use, counted from rows before each use."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Self

from assent.domain import parameters
from assent.domain.conversations import Conversation
from assent.domain.parameters import optional, settle
from assent.errors import OverQuota
from assent.ports import Tx

_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotas:
    """A deployment's limits; None is no limit.

    Over a limit, nothing is started and nothing runs.
    """

    open_per_owner: int | None = None
    open_per_agent: int | None = None
    # Per person: messages sent, and conversations created without a message.
    messages_per_minute: int | None = None
    conversations_per_minute: int | None = None
    # Of one person's agents outside.
    calls_per_minute: int | None = None
    messages_per_conversation: int | None = None
    # Messages, arguments and outputs together.
    characters_per_conversation: int | None = None
    # Of the files that were uploaded for one person's conversations.
    file_bytes_per_owner: int | None = None

    def __post_init__(self) -> None:
        settle(self, _QUOTAS)

    @classmethod
    def generous(cls) -> Self:
        """Return the quotas that a service starts with.

        People stay far below them; a program in a loop reaches them soon.
        """
        return cls(
            open_per_owner=1_000,
            open_per_agent=10_000,
            messages_per_minute=300,
            conversations_per_minute=300,
            calls_per_minute=3_000,
            messages_per_conversation=10_000,
            characters_per_conversation=50_000_000,
            file_bytes_per_owner=1_000_000_000,
        )

    def admit_conversation(self, tx: Tx, owner: str) -> None:
        """Raise `OverQuota` if a person may not create one more conversation."""
        most = self.conversations_per_minute
        if most is not None and tx.counts.conversations_within(owner, _MINUTE, limit=most) >= most:
            raise OverQuota("new conversations in a minute", most, retry_after=60)

    def admit_call(self, tx: Tx, owner: str) -> None:
        """Raise `OverQuota` if a person's agents outside may not make one more call."""
        most = self.calls_per_minute
        if most is not None and tx.counts.calls_within(owner, _MINUTE, limit=most) >= most:
            raise OverQuota("calls in a minute", most, retry_after=60)

    def admit_message(self, tx: Tx, conversation: Conversation, sender: str) -> None:
        """Raise `OverQuota` if a conversation may not take one more message."""
        most = self.messages_per_minute
        if most is not None and tx.counts.turns_within(sender, _MINUTE, limit=most) >= most:
            raise OverQuota("messages in a minute", most, retry_after=60)
        for what, limit, room in self._rooms(tx, conversation):
            if room <= 0:
                raise OverQuota(what, limit)
        self._admit_more(tx, conversation.id)

    def _admit_more(self, tx: Tx, conversation_id: str) -> None:
        messages, characters = self.messages_per_conversation, self.characters_per_conversation
        if messages is None and characters is None:
            return
        number, length = tx.counts.stored(conversation_id)
        if messages is not None and number >= messages:
            raise OverQuota("messages in a conversation", messages)
        if characters is not None and length >= characters:
            raise OverQuota("characters in a conversation", characters)

    def admit_file(self, tx: Tx, owner: str, more: int) -> None:
        """Raise `OverQuota` if the files of one person may not grow by so many bytes."""
        most = self.file_bytes_per_owner
        if most is not None and tx.files.owned(owner) + more > most:
            raise OverQuota("bytes of uploaded files", most)

    def room(self, tx: Tx, conversation: Conversation, wanted: int) -> int:
        """Return how many of the wanted new requests may be opened for a conversation."""
        rooms = [room for _, _, room in self._rooms(tx, conversation)] if wanted else []
        return max(0, min([wanted, *rooms]))

    def _rooms(self, tx: Tx, conversation: Conversation) -> Sequence[tuple[str, int, int]]:
        rooms: list[tuple[str, int, int]] = []
        if (most := self.open_per_owner) is not None:
            count = tx.counts.open_of_owner(conversation.owner.id, limit=most)
            rooms.append(("open requests of one person", most, most - count))
        if (most := self.open_per_agent) is not None:
            count = tx.counts.open_of_agent(conversation.agent, limit=most)
            rooms.append(("open requests of one agent", most, most - count))
        return rooms


_QUOTAS: Final = dict.fromkeys(Quotas.__dataclass_fields__, optional(parameters.whole(0)))
