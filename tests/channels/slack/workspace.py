"""A Slack workspace in memory: its users, channels and messages, and the modals that are open."""

import asyncio
import copy
import itertools
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from tests.channels.slack.blocks import elements_of

T = TypeVar("T")

TEAM = "T0LOOP"
APP = "A0ASSENT"
BOT_ID = "B0ASSENT"
BOT_USER = "U0ASSENT"


class ChannelKind(StrEnum):
    """The kinds of conversations that differ in who may see and post."""

    PUBLIC = "public"
    PRIVATE = "private"
    DIRECT = "direct"


@dataclass(slots=True, kw_only=True)
class User:
    """An account; `team` is another one for a guest from a connected workspace."""

    id: str
    name: str
    team: str = TEAM
    is_bot: bool = False
    deleted: bool = False


@dataclass(slots=True, kw_only=True)
class Message:
    """A message that everybody in its channel sees."""

    ts: str
    channel: str
    user: str
    text: str
    blocks: list[Any] = field(default_factory=list)
    thread: str | None = None
    metadata: dict[str, Any] | None = None
    edits: int = 0
    deleted: bool = False
    formatted: bool = True
    unfurls: bool = True

    @property
    def by_app(self) -> bool:
        return self.user == BOT_USER


@dataclass(slots=True, kw_only=True)
class Ephemeral:
    """A message that one user sees, until their client starts again."""

    ts: str
    channel: str
    user: str
    text: str
    blocks: list[Any] = field(default_factory=list)
    thread: str | None = None
    deleted: bool = False
    formatted: bool = True


@dataclass(slots=True, kw_only=True)
class Channel:
    """A conversation and everything said in it, oldest first."""

    id: str
    name: str
    kind: ChannelKind
    members: set[str]
    archived: bool = False
    messages: list[Message] = field(default_factory=list)
    ephemerals: list[Ephemeral] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class View:
    """A modal on a user's screen: what the app sent, and what the user entered so far."""

    id: str
    user: str
    payload: dict[str, Any]
    hash: str
    root: str
    previous: str | None = None
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.payload["title"]["text"]

    @property
    def blocks(self) -> list[Any]:
        return self.payload["blocks"]


class Changes:
    """Wakes whoever waits for something to become true."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()

    def note(self) -> None:
        """Say that something changed."""
        for event in self._waiting:
            event.set()

    async def until(
        self, found: Callable[[], T | None], *, seconds: float = 10, what: str = ""
    ) -> T:
        """Return the first truthy value of `found`; it is asked again after every change."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            async with asyncio.timeout(seconds):
                while not (value := found()):
                    await event.wait()
                    event.clear()
                return value
        except TimeoutError:
            raise AssertionError(f"not within {seconds} s: {what or found}") from None
        finally:
            self._waiting.discard(event)


class Workspace:
    """The state behind the API, with a clock that a test can move on."""

    def __init__(self) -> None:
        self.changes = Changes()
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.views: dict[str, list[View]] = {}
        self._offset = 0.0
        self._last_ts = 0
        self._numbers = itertools.count(1)
        self.users[BOT_USER] = User(id=BOT_USER, name="assent", is_bot=True)

    def now(self) -> float:
        """Unix time here."""
        return time.time() + self._offset

    def advance(self, seconds: float) -> None:
        """Let time pass without waiting."""
        self._offset += seconds

    def number(self) -> int:
        """A number that was not given out before."""
        return next(self._numbers)

    def next_ts(self) -> str:
        """A timestamp later than all before: Slack's name for a message in its channel."""
        self._last_ts = max(self._last_ts + 1, int(self.now() * 1_000_000))
        seconds, micros = divmod(self._last_ts, 1_000_000)
        return f"{seconds}.{micros:06}"

    def add_user(self, name: str, *, team: str = TEAM) -> User:
        """Create a user's account."""
        user = User(id=f"U{self.number():03}{name.upper()}", name=name, team=team)
        self.users[user.id] = user
        return user

    def add_channel(
        self, name: str, *members: User, private: bool = False, with_bot: bool = True
    ) -> Channel:
        """Create a channel; the app is a member unless told otherwise."""
        kind = ChannelKind.PRIVATE if private else ChannelKind.PUBLIC
        ids = {user.id for user in members} | ({BOT_USER} if with_bot else set())
        return self._keep("G" if private else "C", name, kind, ids)

    def direct(self, user_id: str) -> Channel:
        """The conversation of one user with the app, opened on first use."""
        for channel in self.channels.values():
            if channel.kind is ChannelKind.DIRECT and user_id in channel.members:
                return channel
        return self._keep("D", "directmessage", ChannelKind.DIRECT, {user_id, BOT_USER})

    def _keep(self, letter: str, name: str, kind: ChannelKind, members: set[str]) -> Channel:
        id = f"{letter}{self.number():03}{name.upper()[:8]}"
        channel = Channel(id=id, name=name, kind=kind, members=members)
        self.channels[id] = channel
        return channel

    def message(self, channel: str, ts: str) -> Message | None:
        """The message of that name, unless it was deleted."""
        found = self.channels.get(channel)
        messages = found.messages if found else []
        return next((each for each in messages if each.ts == ts and not each.deleted), None)

    def post(self, channel: Channel, user: str, **content: Any) -> Message:
        """Add a message to its channel."""
        message = Message(ts=self.next_ts(), channel=channel.id, user=user, **content)
        channel.messages.append(message)
        self.changes.note()
        return message

    def whisper(self, channel: Channel, user: str, **content: Any) -> Ephemeral:
        """Show a message to one user."""
        ephemeral = Ephemeral(ts=self.next_ts(), channel=channel.id, user=user, **content)
        channel.ephemerals.append(ephemeral)
        self.changes.note()
        return ephemeral

    def open_view(self, user: str, payload: dict[str, Any]) -> View:
        """Put a modal on top of those that the user has open."""
        stack = self.views.setdefault(user, [])
        id = f"V{self.number():05}"
        view = View(
            id=id,
            user=user,
            payload=copy.deepcopy(payload),
            hash=self.next_ts(),
            root=stack[0].id if stack else id,
            previous=stack[-1].id if stack else None,
        )
        stack.append(view)
        self.changes.note()
        return view

    def replace_view(self, view: View, payload: dict[str, Any]) -> None:
        """Change what a modal shows; entries in inputs that are still there are kept."""
        view.payload = copy.deepcopy(payload)
        view.hash = self.next_ts()
        view.errors = {}
        kept = {
            (block["block_id"], element["action_id"])
            for block in view.blocks
            for element in elements_of(block)
        }
        view.values = {
            block: values
            for block, values in view.values.items()
            if all((block, action) in kept for action in values)
        }
        self.changes.note()

    def view(self, wanted: Callable[[View], bool]) -> View | None:
        """The first open modal that fits."""
        return next((view for stack in self.views.values() for view in stack if wanted(view)), None)
