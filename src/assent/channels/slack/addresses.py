"""Addresses in Slack: of people, rooms and threads, and of the messages that were posted there."""

import re
from dataclasses import dataclass
from typing import Final

_ROOM: Final = "room:"
_THREAD: Final = "thread:"
_ID: Final = re.compile(r"[A-Z0-9]{2,32}")
_TS: Final = re.compile(r"[0-9]{1,16}\.[0-9]{1,8}")


def is_id(text: str) -> bool:
    """Return True for an id as Slack makes them: of a user, a channel, a team."""
    return _ID.fullmatch(text) is not None


def room_address(channel: str) -> str:
    """Return the address of a channel that gets requests by itself."""
    return f"{_ROOM}{channel}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a message goes: a channel or thread, or a user whose conversation is to be opened."""

    channel: str = ""
    thread: str | None = None
    user: str = ""

    @classmethod
    def of(cls, address: str) -> "Place":
        """Read the address of a room or a thread; any other is a user's id."""
        if address.startswith(_ROOM):
            return cls(channel=address.removeprefix(_ROOM))
        if address.startswith(_THREAD):
            channel, _, thread = address.removeprefix(_THREAD).partition("/")
            return cls(channel=channel, thread=thread or None)
        return cls(user=address)

    @property
    def address(self) -> str:
        """The address of the thread, or of a direct conversation as a whole."""
        return f"{_THREAD}{self.channel}" + (f"/{self.thread}" if self.thread else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PostedMessages:
    """Messages that were posted one after the other: most often one, more for a long answer."""

    channel: str
    stamps: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> "PostedMessages | None":
        """Read what `str` wrote; None for any other text."""
        channel, _, rest = text.partition("/")
        stamps = tuple(rest.split("+"))
        is_ours = is_id(channel) and all(map(_TS.fullmatch, stamps))
        return cls(channel=channel, stamps=stamps) if is_ours else None

    def __str__(self) -> str:
        return f"{self.channel}/{'+'.join(self.stamps)}"
