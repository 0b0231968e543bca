"""The state of the sandbox: one guild, its people, channels and messages, and their changes.

Everything here happens at once, on the event loop; nothing in it waits.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

from assent.demo.discord_sandbox import refusals
from assent.demo.discord_sandbox.message_body import NO_FLAGS, MessageBody, MessageFlag
from assent.demo.discord_sandbox.permissions import INVITED, Permission
from assent.demo.discord_sandbox.places import Channel, ChannelType, Message, MessageType, User
from assent.demo.discord_sandbox.refusals import Payload
from assent.demo.discord_sandbox.snowflakes import LONG_AGO, Now, Snowflakes

T = TypeVar("T")

# "In the past few minutes", say Discord's documents.
NONCE_KEPT = timedelta(minutes=3)
TYPING_SHOWN = timedelta(seconds=10)
REMOVED_KEPT = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A change that bots hear of; `message` is set where intents decide what they may read."""

    name: str
    data: Payload
    channel: Channel | None = None
    message: Message | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A channel or message that is gone."""

    version: int
    channel_id: int
    message_id: int | None = None


@dataclass(slots=True, kw_only=True)
class Draft:
    """A message to be posted; who posts it and how it came about."""

    author: User
    body: MessageBody
    type: MessageType = MessageType.DEFAULT
    flags: MessageFlag = NO_FLAGS
    seen_by: int | None = None
    interaction: Payload | None = None


@dataclass(slots=True)
class _Waiting:
    """Wakes everybody who waits for the next change."""

    event: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        self.event.set()
        self.event = asyncio.Event()


class World:
    """One guild with one bot in it."""

    def __init__(self, *, guild: str, bot: str, now: Now) -> None:
        self.now = now
        self._old, self._ids = Snowflakes(lambda: LONG_AGO), Snowflakes(now)
        self.guild_id, self.guild_name = self._old.next(), guild
        self.users: dict[int, User] = {}
        self.channels: dict[int, Channel] = {}
        self.removed: deque[Removed] = deque(maxlen=REMOVED_KEPT)
        # Messages in the order of their last change.
        self.changed: dict[int, Message] = {}
        self.bot = self._person(bot, is_bot=True)
        self.version = 0
        self._waiting = _Waiting()
        self._heard: list[Callable[[Event], None]] = []

    def listen(self, heard: Callable[[Event], None]) -> None:
        """Call a function with every event that bots hear of."""
        self._heard.append(heard)

    def emit(self, event: Event) -> None:
        """Tell the listeners of an event."""
        for heard in self._heard:
            heard(event)

    def touch(self) -> int:
        """Count a change, wake everybody who waits for one, and return its number."""
        self.version += 1
        self._waiting.wake()
        return self.version

    async def until(self, found: Callable[[], T | None], *, within: float = 10) -> T:
        """Wait until `found` returns something; raises `TimeoutError` after `within` seconds."""
        async with asyncio.timeout(within):
            while (value := found()) is None:
                await self._waiting.event.wait()
            return value

    async def changed_since(self, version: int) -> int:
        """Wait for a change after a version, and return the current one."""
        while self.version <= version:
            await self._waiting.event.wait()
        return self.version

    def new_id(self) -> int:
        """Return an id for something that happens now."""
        return self._ids.next()

    # People and places

    def add_user(self, name: str) -> User:
        """Add a member to the guild."""
        user = self._person(name)
        self.touch()
        return user

    def add_channel(self, name: str, *, topic: str = "") -> Channel:
        """Add a text channel to the guild."""
        channel = Channel(
            id=self._old.next(),
            type=ChannelType.TEXT,
            name=name,
            topic=topic,
            guild_id=self.guild_id,
            position=len(self.channels),
            version=self.touch(),
        )
        self.channels[channel.id] = channel
        self.emit(Event(name="CHANNEL_CREATE", data=channel.json(), channel=channel))
        return channel

    def direct_channel(self, user: User) -> Channel:
        """Return the direct messages between the bot and a user."""
        for channel in self.channels.values():
            if channel.recipient == user:
                return channel
        channel = Channel(
            id=self.new_id(),
            type=ChannelType.DM,
            name=user.display_name,
            recipient=user,
            version=self.touch(),
        )
        self.channels[channel.id] = channel
        return channel

    def add_thread(
        self, parent: Channel, name: str, owner: User, *, start: Message | None, private: bool
    ) -> Channel:
        """Open a thread, from a message or without one."""
        if start is not None and start.thread_id is not None:
            raise refusals.thread_exists()
        thread = Channel(
            id=start.id if start else self.new_id(),
            type=ChannelType.PRIVATE_THREAD if private else ChannelType.PUBLIC_THREAD,
            name=name,
            guild_id=self.guild_id,
            parent=parent,
            owner_id=owner.id,
            created_at=self.now(),
            version=self.touch(),
            members={owner.id} | ({start.author.id} if start else set()),
        )
        self.channels[thread.id] = thread
        created = {**thread.json(), "newly_created": True}
        self.emit(Event(name="THREAD_CREATE", data=created, channel=thread))
        if start is not None:
            start.thread_id = thread.id
            start.flags |= MessageFlag.HAS_THREAD
            self._updated(start)
        return thread

    def remove_channel(self, channel: Channel) -> None:
        """Delete a channel or thread with everything in it."""
        for thread in self.threads_of(channel):
            self.remove_channel(thread)
        del self.channels[channel.id]
        for id in channel.messages:
            self.changed.pop(id, None)
        self.removed.append(Removed(version=self.touch(), channel_id=channel.id))
        name = "THREAD_DELETE" if channel.is_thread else "CHANNEL_DELETE"
        self.emit(Event(name=name, data=channel.json(), channel=channel))

    def change_thread(self, thread: Channel) -> None:
        """Tell everybody that a thread was renamed, archived or locked."""
        thread.version = self.touch()
        self.emit(Event(name="THREAD_UPDATE", data=thread.json(), channel=thread))

    def deny(self, channel: Channel, permissions: Permission) -> None:
        """Take permissions from the bot in a channel; with none it gets them all back."""
        channel.denied, channel.version = permissions, self.touch()
        self.emit(Event(name="CHANNEL_UPDATE", data=self._with_overwrites(channel)))

    def threads_of(self, channel: Channel) -> list[Channel]:
        """Return the threads of a channel."""
        return [each for each in self.channels.values() if each.parent is channel]

    def channel(self, id: int) -> Channel:
        """Return a channel or thread; raises the refusal if there is none."""
        if (channel := self.channels.get(id)) is None:
            raise refusals.unknown_channel()
        return channel

    # Messages

    def post(self, channel: Channel, draft: Draft) -> Message:
        """Post a message; an enforced nonce that was used shortly before gives the first one."""
        body = draft.body
        if body.nonce is not None and body.is_nonce_enforced:
            for earlier in self._recent(channel, draft.author):
                if earlier.nonce == body.nonce:
                    return earlier
        message = Message(
            id=self.new_id(),
            channel_id=channel.id,
            author=draft.author,
            created_at=self.now(),
            version=self.touch(),
            type=draft.type,
            flags=body.flags | draft.flags,
            nonce=body.nonce,
            seen_by=draft.seen_by,
            reply_to=channel.messages.get(body.reply_to) if body.reply_to else None,
            interaction=draft.interaction,
        )
        self._fill(message, body)
        channel.messages[message.id] = self.changed[message.id] = message
        channel.typing.pop(draft.author.id, None)
        if channel.is_thread:
            channel.members.add(draft.author.id)
        self._announce("MESSAGE_CREATE", message)
        return message

    def edit(self, message: Message, body: MessageBody) -> None:
        """Change the fields of a message that the body names."""
        self._fill(message, body)
        message.flags |= body.flags & MessageFlag.IS_COMPONENTS_V2
        if not message.is_loading:
            message.edited_at = self.now()
        message.flags &= ~MessageFlag.LOADING
        self._updated(message)

    def remove_message(self, message: Message) -> None:
        """Delete a message."""
        channel = self.channel(message.channel_id)
        del channel.messages[message.id]
        self.changed.pop(message.id, None)
        gone = Removed(version=self.touch(), channel_id=channel.id, message_id=message.id)
        self.removed.append(gone)
        if message.is_ephemeral:
            return
        data = {"id": str(message.id), "channel_id": str(channel.id)}
        self.emit(Event(name="MESSAGE_DELETE", data=self._placed(data, channel), channel=channel))

    def type_in(self, channel: Channel, user: User) -> None:
        """Show for some seconds that somebody is typing."""
        channel.typing[user.id] = self.now() + TYPING_SHOWN
        channel.version = self.touch()
        data = {
            "channel_id": str(channel.id),
            "user_id": str(user.id),
            "timestamp": int(self.now().timestamp()),
        }
        self.emit(Event(name="TYPING_START", data=self._placed(data, channel), channel=channel))

    def guild_json(self) -> Payload:
        """Return the guild with its channels, threads and members."""
        places = [each for each in self.channels.values() if each.recipient is None]
        members = [{"user": user.json(), **user.member_json()} for user in self.users.values()]
        everyone: Payload = {
            "id": str(self.guild_id),
            "name": "@everyone",
            "color": 0,
            "colors": {"primary_color": 0, "secondary_color": None, "tertiary_color": None},
            "hoist": False,
            "position": 0,
            "permissions": str(int(INVITED)),
            "managed": False,
            "mentionable": False,
            "flags": 0,
        }
        return {
            **self.guild_stub(),
            "owner_id": str(next((u.id for u in self.users.values() if not u.is_bot), 0)),
            "joined_at": LONG_AGO.isoformat(),
            "member_count": len(members),
            "members": members,
            "roles": [everyone],
            "channels": [self._with_overwrites(each) for each in places if not each.is_thread],
            "threads": [each.json() for each in places if each.is_thread],
            **{name: [] for name in _EMPTY_LISTS},
            **dict.fromkeys(_ZEROES, 0),
            "preferred_locale": "en-US",
            "large": False,
            "unavailable": False,
        }

    def guild_stub(self) -> Payload:
        """Return the guild without anything in it."""
        return {"id": str(self.guild_id), "name": self.guild_name, "icon": None}

    def _with_overwrites(self, channel: Channel) -> Payload:
        denied = {"id": str(self.bot.id), "type": 1, "allow": "0", "deny": str(int(channel.denied))}
        return {**channel.json(), "permission_overwrites": [denied] if channel.denied else []}

    def _person(self, name: str, *, is_bot: bool = False) -> User:
        plain = "".join(letter for letter in name.lower() if letter.isalnum()) or "somebody"
        user = User(id=self._old.next(), name=plain, display_name=name, is_bot=is_bot)
        self.users[user.id] = user
        return user

    def _fill(self, message: Message, body: MessageBody) -> None:
        if body.content is not None:
            message.content = body.content
            found = (self.users.get(id) for id in body.mentions.users_in(body.content))
            message.mentions = [user for user in found if user is not None]
            message.mention_roles = body.mentions.roles_in(body.content)
            message.mention_everyone = body.mentions.everyone_in(body.content)
        if body.embeds is not None:
            message.embeds = body.embeds
        if body.components is not None:
            message.components = body.components

    def _recent(self, channel: Channel, author: User) -> Iterator[Message]:
        since = self.now() - NONCE_KEPT
        for message in reversed(channel.messages.values()):
            if message.created_at < since:
                return
            if message.author == author:
                yield message

    def _updated(self, message: Message) -> None:
        message.version = self.touch()
        self.changed.pop(message.id, None)
        self.changed[message.id] = message
        self._announce("MESSAGE_UPDATE", message)

    def _announce(self, name: str, message: Message) -> None:
        """Tell bots of a message; nobody hears of one that a single person sees."""
        if message.is_ephemeral:
            return
        channel = self.channel(message.channel_id)
        data = self._placed(message.json(), channel)
        if channel.guild_id is not None:
            data["member"] = message.author.member_json()
        if message.nonce is not None:
            data["nonce"] = message.nonce
        self.emit(Event(name=name, data=data, channel=channel, message=message))

    def _placed(self, data: Payload, channel: Channel) -> Payload:
        return data if channel.guild_id is None else {**data, "guild_id": str(channel.guild_id)}


_EMPTY_LISTS = (
    "emojis",
    "features",
    "guild_scheduled_events",
    "presences",
    "soundboard_sounds",
    "stage_instances",
    "stickers",
    "voice_states",
)
_ZEROES = (
    "afk_timeout",
    "default_message_notifications",
    "explicit_content_filter",
    "mfa_level",
    "nsfw_level",
    "premium_tier",
    "system_channel_flags",
    "verification_level",
)
