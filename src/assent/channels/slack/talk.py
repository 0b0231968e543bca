"""Conversations in Slack: people talk to an agent in a thread or directly, and it answers there."""

import html
import logging
import re
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Literal

from assent.channels.answers import Answers, waiting_words
from assent.channels.desk import Desk
from assent.channels.replies import Tell
from assent.channels.slack.addresses import Place
from assent.channels.slack.api import SlackApi
from assent.channels.slack.presses import Presses
from assent.domain.chats import ChatThread
from assent.domain.people import REQUESTER, SYSTEM, Person
from assent.engine.assent import Assent
from assent.errors import (
    AccountExists,
    AssentError,
    ChannelError,
    NotFound,
    NotLinked,
    PendingCalls,
    StoreUnavailable,
    WriteUncertain,
)

log = logging.getLogger(__name__)
Strangers = Literal["refuse", "welcome"]
# What a message may be besides plain: with a file, or a reply shown in the channel, too.
_SPOKEN: Final = frozenset({None, "file_share", "thread_broadcast"})
_MARKUP: Final = re.compile(r"<([^<>|]+)(?:\|([^<>]*))?>")
_UNLINKED: Final = (
    "Your Slack account is not linked to an account here, so I cannot talk to you yet. Type "
    "/assent link to link it."
)
_FOREIGN: Final = "You belong to another workspace, so I cannot talk to you."
_ANOTHERS: Final = (
    "This thread is another person's conversation. Mention me in a message of your own, outside of "
    "this thread."
)
_EMPTY: Final = "Mention me with a message, and I answer in a thread."
_UNCERTAIN: Final = (
    "Something went wrong here, and I cannot tell if I got your message. If no answer comes, say "
    "it again."
)
# Threads of which it is remembered whose conversation is held in them.
_REMEMBERED: Final = 1_000
_FAILED: Final = "Your message was not taken: something went wrong here. Send it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackMessage:
    """A message to the app."""

    user: str
    team: str
    channel: str
    ts: str
    thread: str
    text: str
    is_direct: bool
    is_mention: bool

    @property
    def is_addressed(self) -> bool:
        """True if it is meant for the app without a doubt, so that it deserves an answer."""
        return self.is_direct or self.is_mention

    @property
    def place(self) -> Place:
        """Where the conversation is held: a thread, or the whole of a direct conversation."""
        own = "" if self.is_direct else self.ts
        return Place(channel=self.channel, thread=self.thread or own or None)


class Talk:
    """Takes messages from people, and sends them to the agent."""

    def __init__(
        self,
        assent: Assent,
        *,
        name: str,
        api: SlackApi,
        desk: Desk,
        presses: Presses,
        answers: Answers,
        agent: str,
        strangers: Strangers,
        decide_within: timedelta | None,
    ) -> None:
        self._assent, self._name, self._api, self._desk = assent, name, api, desk
        self._presses, self._answers, self._agent = presses, answers, agent
        self._strangers, self._decide_within = strangers, decide_within
        # To tell people of a message that is lost while the store cannot be asked whose thread it
        # is: the users who talked here, by their threads.
        self._owners: OrderedDict[str, str] = OrderedDict()

    async def hear(self, body: Mapping[str, Any]) -> None:
        """Handle an event; what is not said to the app is let pass."""
        heard = await self._read(body)
        if heard is None or not (heard.is_addressed or await self._is_held(heard)):
            return
        try:
            await self._answer(heard)
        except StoreUnavailable:
            # Slack sends it once more.
            raise
        except PendingCalls as error:
            await self._tell(heard, waiting_words(error))
        except NotLinked:
            await self._tell_if_addressed(heard, _UNLINKED)
        except NotFound:
            await self._tell_if_addressed(heard, _ANOTHERS)
        except ChannelError as error:
            log.warning("slack: a person was not answered: %s", error)
        except AssentError as error:
            log.warning("slack: a message was not taken: %s", error.code)
            await self._tell(heard, _FAILED)

    async def regret(self, body: Mapping[str, Any], error: Exception) -> None:
        """Tell the person that their message is lost, which Slack will not send once more."""
        try:
            heard = await self._read(body)
        except ChannelError as unreadable:
            log.warning("slack: a person was not told: %s", unreadable)
            return
        if heard is None:
            return
        if heard.is_addressed or self._owners.get(heard.place.address) == heard.user:
            is_uncertain = isinstance(error, WriteUncertain)
            await self._tell(heard, _UNCERTAIN if is_uncertain else _FAILED)

    async def _person(self, heard: SlackMessage) -> Person:
        """Return who said it; a stranger who talks to the app gets an account where welcome."""
        try:
            return await self._desk.person(heard.user)
        except NotLinked:
            if self._strangers == "refuse" or not heard.is_addressed:
                raise
        return await self._welcome(heard.user)

    async def _read(self, body: Mapping[str, Any]) -> SlackMessage | None:
        """Return what a person said; None for everything else, and for what comes twice."""
        event, us = body["event"], await self._api.identity()
        kind, text = event.get("type"), str(event.get("text") or "")
        is_direct, is_mention = event.get("channel_type") == "im", kind == "app_mention"
        is_spoken = event.get("subtype") in _SPOKEN and not event.get("bot_id")
        if not is_spoken or not event.get("user") or event["user"] == us.user:
            return None
        mention = f"<@{us.user}>"
        # A mention comes as an event of its own.
        is_twofold = kind == "message" and not is_direct and mention in text
        if is_twofold or kind not in ("message", "app_mention"):
            return None
        return SlackMessage(
            user=str(event["user"]),
            team=str(event.get("user_team") or event.get("team") or body.get("team_id", "")),
            channel=str(event["channel"]),
            ts=str(event["ts"]),
            thread=str(event.get("thread_ts") or ""),
            text=_plain(text.replace(mention, " ")).strip(),
            is_direct=is_direct,
            is_mention=is_mention,
        )

    async def _is_held(self, heard: SlackMessage) -> bool:
        """Return True if a conversation is held in the thread of a message."""
        if not heard.thread:
            return False
        threads = self._assent.channels.threads
        return await threads.conversation_in(self._name, heard.place.address) is not None

    async def _answer(self, heard: SlackMessage) -> None:
        if heard.team != (await self._api.identity()).team:
            await self._tell_if_addressed(heard, _FOREIGN)
            return
        person = await self._person(heard)
        if not heard.text:
            await self._tell_if_addressed(heard, _EMPTY)
            return
        await self._answers.ask(
            ChatThread(channel=self._name, address=heard.place.address),
            heard.text,
            agent=self._agent,
            by=person,
            key=f"{heard.channel}:{heard.ts}",
            decide_within=self._decide_within,
        )
        self._remember(heard)

    def _remember(self, heard: SlackMessage) -> None:
        """Remember whose conversation it is: only its owner's messages are taken."""
        address = heard.place.address
        self._owners[address] = heard.user
        self._owners.move_to_end(address)
        if len(self._owners) > _REMEMBERED:
            self._owners.popitem(last=False)

    async def _welcome(self, user: str) -> Person:
        """Make an account for a user; that the message came through Slack is the proof."""
        person = Person(f"{self._name}-{user.lower()}", roles=frozenset({REQUESTER}))
        with suppress(AccountExists):
            await self._assent.people.add(person, by=SYSTEM, name=await self._name_of(user))
        await self._assent.people.chats.welcome(person.id, self._name, user, user)
        return await self._desk.person(user)

    async def _name_of(self, user: str) -> str:
        try:
            found = (await self._api.call("users.info", {"user": user}))["user"]
        except ChannelError:
            return ""
        name = str(found.get("real_name") or found.get("name") or "")[:80]
        return name if name.isprintable() else ""

    async def _tell_if_addressed(self, heard: SlackMessage, words: str) -> None:
        """Refuse what was said to the app; people may talk to each other in its threads."""
        if heard.is_addressed:
            await self._tell(heard, words)

    async def _tell(self, heard: SlackMessage, words: str) -> None:
        try:
            await self._presses.whisper(
                heard.channel, heard.user, Tell(words=words), thread=heard.thread
            )
        except ChannelError as error:
            log.warning("slack: a person was not told: %s", error)


def _plain(text: str) -> str:
    """Return a message as its writer sees it: Slack writes links and mentions in its own way."""

    def shown(found: re.Match[str]) -> str:
        target, label = found.group(1), found.group(2)
        if target[0] in "@#!":
            return f"{target[0].replace('!', '@')}{label or target[1:]}"
        return label if label and label in target else target

    return html.unescape(_MARKUP.sub(shown, text))
