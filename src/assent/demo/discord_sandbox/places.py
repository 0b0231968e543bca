"""People, channels, threads and messages, and how Discord writes each of them as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum

from assent.demo.discord_sandbox.message_body import NO_FLAGS, MessageFlag
from assent.demo.discord_sandbox.permissions import INVITED, NOTHING, Permission
from assent.demo.discord_sandbox.refusals import Payload
from assent.demo.discord_sandbox.snowflakes import LONG_AGO

# What every member may do; the sandbox restricts the bot only.
_EVERYONE = "2251799813685247"


class ChannelType(IntEnum):
    """Discord's numbers."""

    TEXT = 0
    DM = 1
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12


class MessageType(IntEnum):
    """Discord's numbers."""

    DEFAULT = 0
    THREAD_CREATED = 18
    REPLY = 19
    CHAT_INPUT_COMMAND = 20
    THREAD_STARTER = 21


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person, or the bot."""

    id: int
    name: str
    display_name: str
    is_bot: bool = False
    takes_direct_messages: bool = True

    @property
    def mention(self) -> str:
        """The text that mentions them."""
        return f"<@{self.id}>"

    def json(self) -> Payload:
        """Return a user object."""
        return {
            "id": str(self.id),
            "username": self.name,
            "discriminator": "0",
            "global_name": None if self.is_bot else self.display_name,
            "avatar": None,
            "bot": self.is_bot,
            "public_flags": 0,
            "flags": 0,
        }

    def member_json(self) -> Payload:
        """Return a guild member object without its user."""
        return {
            "nick": None,
            "avatar": None,
            "roles": [],
            "joined_at": LONG_AGO.isoformat(),
            "premium_since": None,
            "deaf": False,
            "mute": False,
            "pending": False,
            "flags": 0,
            "communication_disabled_until": None,
            "permissions": _EVERYONE,
        }


@dataclass(slots=True, kw_only=True)
class Message:
    """A message as it stands now; `seen_by` is set if only one person sees it."""

    id: int
    channel_id: int
    author: User
    created_at: datetime
    version: int
    type: MessageType = MessageType.DEFAULT
    content: str = ""
    embeds: list[Payload] = field(default_factory=list[Payload])
    components: list[Payload] = field(default_factory=list[Payload])
    flags: MessageFlag = NO_FLAGS
    edited_at: datetime | None = None
    mentions: list[User] = field(default_factory=list[User])
    mention_roles: list[int] = field(default_factory=list[int])
    mention_everyone: bool = False
    nonce: str | None = None
    seen_by: int | None = None
    reply_to: "Message | None" = None
    thread_id: int | None = None
    # How Discord describes the interaction that this message answers.
    interaction: Payload | None = None

    @property
    def is_ephemeral(self) -> bool:
        """True if only one person sees it."""
        return self.seen_by is not None

    @property
    def is_loading(self) -> bool:
        """True while the bot is thinking about an answer."""
        return bool(self.flags & MessageFlag.LOADING)

    def json(self) -> Payload:
        """Return a message object; gateway events add `guild_id` and `member`."""
        body: Payload = {
            "id": str(self.id),
            "channel_id": str(self.channel_id),
            "type": int(self.type),
            "author": self.author.json(),
            "content": self.content,
            "embeds": self.embeds,
            "components": self.components,
            "attachments": [],
            "timestamp": self.created_at.isoformat(),
            "edited_timestamp": self.edited_at.isoformat() if self.edited_at else None,
            "tts": False,
            "mention_everyone": self.mention_everyone,
            "mentions": [user.json() for user in self.mentions],
            "mention_roles": list(map(str, self.mention_roles)),
            "pinned": False,
            "flags": int(self.flags),
        }
        if self.reply_to is not None:
            body["message_reference"] = {
                "type": 0,
                "message_id": str(self.reply_to.id),
                "channel_id": str(self.reply_to.channel_id),
            }
        if self.interaction is not None:
            body["interaction_metadata"] = self.interaction
            body["application_id"] = body["webhook_id"] = str(self.author.id)
        return body


@dataclass(slots=True, kw_only=True)
class Channel:
    """A text channel, a thread, or the direct messages between the bot and one person."""

    id: int
    type: ChannelType
    name: str
    version: int
    guild_id: int | None = None
    parent: "Channel | None" = None
    topic: str = ""
    position: int = 0
    owner_id: int | None = None
    recipient: User | None = None
    members: set[int] = field(default_factory=set[int])
    is_archived: bool = False
    is_locked: bool = False
    archive_minutes: int = 1440
    created_at: datetime = LONG_AGO
    denied: Permission = NOTHING
    messages: dict[int, Message] = field(default_factory=dict[int, Message])
    # Until when somebody is typing.
    typing: dict[int, datetime] = field(default_factory=dict[int, datetime])

    @property
    def is_thread(self) -> bool:
        """True for threads of both kinds."""
        return self.type in (ChannelType.PUBLIC_THREAD, ChannelType.PRIVATE_THREAD)

    def permissions(self) -> Permission:
        """Return what the bot may do here; a thread has the permissions of its channel."""
        inherited = self.parent.denied if self.parent else NOTHING
        return INVITED & ~self.denied & ~inherited

    def is_visible_to(self, user: User) -> bool:
        """Tell whether a person sees this channel."""
        match self.type:
            case ChannelType.DM:
                return user.is_bot or self.recipient == user
            case ChannelType.PRIVATE_THREAD:
                return user.id in self.members
            case _:
                return True

    def json(self) -> Payload:
        """Return a channel object."""
        last = str(next(reversed(self.messages))) if self.messages else None
        body: Payload = {
            "id": str(self.id),
            "type": int(self.type),
            "last_message_id": last,
            "flags": 0,
        }
        if self.recipient is not None:
            return {**body, "recipients": [self.recipient.json()]}
        body |= {
            "guild_id": str(self.guild_id),
            "name": self.name,
            "rate_limit_per_user": 0,
            "parent_id": str(self.parent.id) if self.parent else None,
        }
        return {**body, **(self._thread_json() if self.is_thread else self._text_json())}

    def _text_json(self) -> Mapping[str, object]:
        return {
            "position": self.position,
            "permission_overwrites": [],
            "topic": self.topic or None,
            "nsfw": False,
        }

    def _thread_json(self) -> Mapping[str, object]:
        return {
            "owner_id": str(self.owner_id),
            "message_count": len(self.messages),
            "member_count": len(self.members),
            "total_message_sent": len(self.messages),
            "thread_metadata": {
                "archived": self.is_archived,
                "locked": self.is_locked,
                "auto_archive_duration": self.archive_minutes,
                "archive_timestamp": self.created_at.isoformat(),
                "create_timestamp": self.created_at.isoformat(),
            },
        }
