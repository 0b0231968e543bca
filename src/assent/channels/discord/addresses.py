"""Addresses: the texts by which deliveries name rooms, threads and people of Discord."""

import re
from dataclasses import dataclass
from typing import Final

from assent.errors import ChannelError, MessageGone

_ROOM: Final = "room:"
_THREAD: Final = "thread:"
_ID: Final = re.compile(r"[1-9][0-9]{0,19}")


def is_id(text: str) -> bool:
    """Return True for the digits of an id of Discord."""
    return _ID.fullmatch(text) is not None


def room_address(channel: str) -> str:
    """Return the address of a channel that requests are posted to."""
    return f"{_ROOM}{channel}"


def thread_address(channel: str) -> str:
    """Return the address of a thread, or of direct messages, that a conversation is held in."""
    return f"{_THREAD}{channel}"


def channel_in(address: str) -> str | None:
    """Return the channel of a room or thread; None for the address of a person."""
    for prefix in (_ROOM, _THREAD):
        if address.startswith(prefix):
            return address.removeprefix(prefix)
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Messages that were posted, in order; most posts are one, long answers are several.

    An answer whose thread was deleted has none.
    """

    channel: str
    messages: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.channel}/{','.join(self.messages)}"

    @property
    def message(self) -> str:
        """The message of a post; raises `MessageGone` if there is none."""
        if not self.messages:
            raise MessageGone("The message, thread or channel is not there any more")
        return self.messages[0]

    @classmethod
    def read(cls, text: str) -> "Place":
        """Read what `str` wrote."""
        channel, _, messages = text.partition("/")
        found = tuple(messages.split(",")) if messages else ()
        if not is_id(channel) or not all(map(is_id, found)):
            raise ChannelError("The reference to a message of Discord is broken", permanent=True)
        return cls(channel=channel, messages=found)
