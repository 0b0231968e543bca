"""Conversations: people mention the bot, and it answers in a thread; or in direct messages."""

import hashlib
import logging
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

import discord

from assent.channels.answers import Answers, waiting_words
from assent.channels.discord.addresses import thread_address
from assent.channels.discord.gateway import Gateway
from assent.channels.discord.markup import plain
from assent.channels.discord.typing_signs import TypingSigns
from assent.domain.chats import ChatThread
from assent.domain.people import REQUESTER, SYSTEM, Person
from assent.engine.assent import Assent
from assent.errors import (
    AccountExists,
    AssentError,
    ChannelError,
    LinkRefused,
    NotFound,
    NotLinked,
    PendingCalls,
    StoreUnavailable,
    WriteUncertain,
)
from assent.presentation.text import safe_line
from assent.presentation.truncation import clip

log = logging.getLogger(__name__)
_NAME_CHARS: Final = 80
_WHO: Final = (
    "I do not know you yet. Link your account with /assent link, then say it again. "
    "Nothing was sent."
)
_DISABLED: Final = "Your account here is disabled, so nothing was sent. Ask an admin."
_WHAT: Final = "Say what I should do, in the same message."
_NOT_YOURS: Final = "This conversation is another person's. Mention me in a channel to begin yours."
_FAILED: Final = "Something went wrong, and your message was not sent. Say it again."
_UNCERTAIN: Final = (
    "Something went wrong, and it is not known whether your message was sent. If no answer comes, "
    "say it again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkSettings:
    """How conversations are held: with which agent, by whom, and how long their questions wait."""

    channel: str
    agent: str | None
    welcomes_strangers: bool
    decide_within: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """A message of a person, as far as it concerns the bot."""

    message: discord.Message
    text: str
    is_direct: bool
    is_mention: bool
    in_thread: bool
    in_own_thread: bool

    @property
    def is_addressed(self) -> bool:
        """True if it is meant for the bot without a doubt, so that it deserves an answer."""
        return self.is_direct or self.is_mention


class Talk:
    """Sends what people say to the agent; free text never decides anything."""

    def __init__(
        self,
        assent: Assent,
        answers: Answers,
        gateway: Gateway,
        signs: TypingSigns,
        settings: TalkSettings,
    ) -> None:
        self._assent, self._answers, self._gateway = assent, answers, gateway
        self._signs, self._settings = signs, settings

    async def heard(self, message: discord.Message) -> None:
        """Handle a message of a person; whatever fails, they are told."""
        said = self._read(message)
        try:
            await self._answer(said)
        except ChannelError as error:
            log.warning("a message of Discord could not be answered: %s", error)

    async def _answer(self, said: _Said) -> None:
        try:
            if said.is_addressed or await self._is_held_here(said):
                await self._handle(said)
        except PendingCalls as waiting:
            await self._reply(said, waiting_words(waiting))
        except NotFound:
            if said.is_addressed:
                await self._reply(said, _NOT_YOURS)
        except ChannelError as error:
            await self._reply(said, f"{error}.")
        except StoreUnavailable as error:
            log.warning("a message of Discord could not be sent to the agent: %s", error)
            is_uncertain = isinstance(error, WriteUncertain)
            await self._reply(said, _UNCERTAIN if is_uncertain else _FAILED)
        except AssentError as error:
            log.warning("a message of Discord was refused: %s", error.code)
            await self._reply(said, safe_line(f"{error}."))
        except Exception:
            log.exception("a message of Discord could not be sent to the agent")
            await self._reply(said, _FAILED)

    async def _handle(self, said: _Said) -> None:
        person = await self._person(said)
        if person is None:
            return
        if said.text:
            await self._ask(said, person)
        elif said.is_addressed:
            await self._reply(said, _WHAT)

    async def _ask(self, said: _Said, person: Person) -> None:
        settings = self._settings
        channel = await self._place(said)
        self._signs.begin(channel)
        agent = settings.agent or self._assent.catalogue.names()[0]
        try:
            await self._answers.ask(
                ChatThread(channel=settings.channel, address=thread_address(channel)),
                said.text,
                agent=agent,
                by=person,
                key=str(said.message.id),
                decide_within=settings.decide_within,
            )
        except BaseException:
            self._signs.end(channel)
            raise

    async def _place(self, said: _Said) -> str:
        """Return the thread to answer in; a mention in a channel opens one."""
        channel = str(said.message.channel.id)
        if said.is_direct or said.in_thread:
            return channel
        name = clip(safe_line(said.text.split("\n")[0]), _NAME_CHARS).head or "Conversation"
        return await self._gateway.rest.start_thread(channel, str(said.message.id), name)

    async def _is_held_here(self, said: _Said) -> bool:
        """Return True if this is a thread of ours, where nobody needs to mention the bot."""
        if not said.in_thread:
            return False
        address = thread_address(str(said.message.channel.id))
        threads = self._assent.channels.threads
        try:
            return await threads.conversation_in(self._settings.channel, address) is not None
        except AssentError as error:
            # In a thread that the bot opened, its person is waiting; others are let alone.
            if said.in_own_thread:
                raise
            log.warning("a message in a thread of Discord was not read: %s", error)
            return False

    async def _person(self, said: _Said) -> Person | None:
        """Return who says it; strangers are welcomed or told how to be known."""
        chats, channel = self._assent.people.chats, self._settings.channel
        author = said.message.author
        try:
            return await chats.person_of(channel, str(author.id))
        except NotLinked:
            pass
        if self._settings.welcomes_strangers and said.is_addressed:
            with suppress(LinkRefused, NotLinked):
                return await self._welcomed(str(author.id), author.display_name)
            await self._reply(said, _DISABLED)
        elif said.is_addressed:
            await self._reply(said, _WHO)
        return None

    async def _welcomed(self, chat_id: str, name: str) -> Person:
        """Make an account for somebody who talks here for the first time."""
        channel, people = self._settings.channel, self._assent.people
        person = Person(f"{channel}-{chat_id}", roles=frozenset({REQUESTER}))
        with suppress(AccountExists):
            await people.add(person, by=SYSTEM, name=name if name.isprintable() else "")
        await people.chats.welcome(person.id, channel, chat_id, name)
        return await people.chats.person_of(channel, chat_id)

    async def _reply(self, said: _Said, words: str) -> None:
        reference = {"message_id": str(said.message.id), "fail_if_not_exists": False}
        payload = {"content": plain(words), "message_reference": reference}
        nonce = hashlib.sha256(f"{said.message.id}/{words}".encode()).hexdigest()[:24]
        await self._gateway.rest.post(str(said.message.channel.id), payload, nonce=nonce)

    def _read(self, message: discord.Message) -> _Said:
        bot = self._gateway.bot_id
        text = re.sub(rf"<@!?{bot or 0}>", "", message.content).strip()
        threads = (discord.ChannelType.public_thread, discord.ChannelType.private_thread)
        return _Said(
            message=message,
            text=text,
            is_direct=message.guild is None,
            is_mention=bot in {str(user.id) for user in message.mentions},
            in_thread=message.channel.type in threads,
            in_own_thread=str(getattr(message.channel, "owner_id", "")) == bot,
        )
