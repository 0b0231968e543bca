"""The Discord channel: cards in threads, rooms and direct messages, and talks with agents."""

import asyncio
import hashlib
import json
import logging
import os
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final, Literal, cast

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from assent.channels.answers import Answers
from assent.channels.desk import Desk
from assent.channels.discord.addresses import Place, channel_in, is_id, room_address
from assent.channels.discord.cards import ROWS, is_of, message_of
from assent.channels.discord.commands import Commands, register
from assent.channels.discord.gateway import API_URL, Gateway, GatewayClient
from assent.channels.discord.interactions import Interactions, InteractionType, interaction_in
from assent.channels.discord.markup import answer_parts
from assent.channels.discord.modals import LIMITS
from assent.channels.discord.responder import Responder
from assent.channels.discord.signatures import is_signed, public_key
from assent.channels.discord.talk import Talk, TalkSettings
from assent.channels.discord.typing_signs import TypingSigns
from assent.domain import parameters
from assent.domain.deliveries import ChannelTerms, HttpReply, Post, Room
from assent.domain.parameters import Check, optional
from assent.engine.assent import Assent
from assent.errors import ChannelError, InvalidParameter, MessageGone
from assent.presentation.surfaces import SURFACES

log = logging.getLogger(__name__)
TOKEN_VARIABLE: Final = "DISCORD_TOKEN"  # noqa: S105 - the name of a variable
KEY_VARIABLE: Final = "DISCORD_PUBLIC_KEY"
DECIDE_WITHIN: Final = timedelta(minutes=5)
_WHERE: Final = "Discord"
# Messages among which an earlier attempt at a post is looked for.
_LOOKED_AT: Final = 50
_SHOWN: Final = 2000
# Discord would load pictures and previews of links otherwise.
_SUPPRESS_EMBEDS: Final = 1 << 2


def _channel_id(given: object) -> object:
    if isinstance(given, Room):
        fits = is_id(given.address)
        return (
            Room(address=room_address(given.address), everything=given.everything)
            if fits
            else _UNFIT
        )
    text = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    return Room(address=room_address(text)) if isinstance(text, str) and is_id(text) else _UNFIT


def _key(given: object) -> object:
    try:
        return public_key(given) if isinstance(given, str) else _UNFIT
    except ValueError:
        return _UNFIT


def _address(given: object) -> object:
    fits = isinstance(given, str) and given.startswith(("https://", "http://"))
    return given.rstrip("/") if isinstance(given, str) and fits else _UNFIT


_UNFIT: Final = parameters.unfit()
_CHECKS: Final = {
    "token": parameters.hidden(Check("the token of a bot", parameters.name.read)),
    "name": parameters.name,
    "agent": optional(parameters.name),
    "rooms": parameters.several(
        Check("the id of a channel", _channel_id), tuple, "ids of channels, or rooms of them"
    ),
    "strangers": parameters.word("refuse", "welcome"),
    "decide_within": optional(parameters.duration()),
    "interactions": parameters.word("gateway", "http"),
    "public_key": optional(Check("the 64 hexadecimal digits that Discord's portal shows", _key)),
    "reads_messages": parameters.flag,
    "api_url": Check("an address that begins with https:// or http://", _address),
}


class Discord:
    """Reaches people on Discord: they talk with an agent there, and decide what it may do.

    `rooms` are channels that get requests which others than the owner may decide. With
    `interactions="http"` Discord sends presses to `POST /channels/discord` of the server, signed
    with `public_key`, and there is no gateway connection and no talk.
    """

    def __init__(
        self,
        token: str | None = None,
        *,
        name: str = "discord",
        agent: str | None = None,
        rooms: str | int | Room | Iterable[str | int | Room] = (),
        strangers: Literal["refuse", "welcome"] = "refuse",
        decide_within: float | timedelta | None = DECIDE_WITHIN,
        interactions: Literal["gateway", "http"] = "gateway",
        public_key: str | None = None,
        reads_messages: bool = True,
        api_url: str = API_URL,
    ) -> None:
        given = parameters.taken(
            _WHERE,
            {
                "token": _from_environment(token),
                "name": name,
                "agent": agent,
                "rooms": rooms,
                "strangers": strangers,
                "decide_within": decide_within,
                "interactions": interactions,
                "public_key": _key_given(public_key),
                "reads_messages": reads_messages,
                "api_url": api_url,
            },
            _CHECKS,
        )
        self._name: str = given["name"]
        self._key: Ed25519PublicKey | None = given["public_key"]
        self._listens = given["interactions"] == "gateway"
        if not self._listens and self._key is None:
            raise InvalidParameter(_WHERE, "public_key", f"given, or {KEY_VARIABLE} set", "None")
        self._terms = ChannelTerms(rooms=given["rooms"], grouped=ROWS)
        self._reads_messages: bool = given["reads_messages"]
        self._settings = TalkSettings(
            channel=self._name,
            agent=given["agent"],
            welcomes_strangers=given["strangers"] == "welcome",
            decide_within=given["decide_within"],
        )
        self._responder = Responder(given["api_url"])
        self._gateway = Gateway(
            given["token"], api_url=given["api_url"], listens=self._listens, make=self._client
        )
        self._signs = TypingSigns(self._type)
        self._shown: OrderedDict[str, str] = OrderedDict()
        self._interactions: Interactions | None = None
        self._answers: Answers | None = None
        self._talk: Talk | None = None
        self._registering: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        return f"Discord(name={self._name!r})"

    @property
    def name(self) -> str:
        """The name that deliveries and decisions have on record."""
        return self._name

    @property
    def terms(self) -> ChannelTerms:
        """Its abilities, and where it posts by itself."""
        return self._terms

    # Life

    async def open(self, assent: Assent) -> None:
        """Get ready to take interactions."""
        if self._settings.agent is not None:
            assent.catalogue.agent(self._settings.agent)
        desk = Desk(assent, self._name, SURFACES["discord"], LIMITS)
        commands = Commands(assent, self._name)
        self._interactions = Interactions(desk, commands, self._responder, assent.channels.link)
        self._answers = Answers(assent, self._name, self)
        self._talk = Talk(assent, self._answers, self._gateway, self._signs, self._settings)

    async def connect(self) -> None:
        """Log in, and hold the gateway connection in gateway mode."""
        await self._gateway.connect()
        if self._answers is not None:
            self._answers.start()
        # Not awaited: a rate limit here would keep the whole channel from being served.
        self._registering = asyncio.create_task(self._register(), name="assent-discord-register")

    async def disconnect(self) -> None:
        """Log out: another process serves the channel from now on."""
        registering, self._registering = self._registering, None
        if registering is not None:
            registering.cancel()
            await asyncio.gather(registering, return_exceptions=True)
        if self._answers is not None:
            await self._answers.stop()
        await self._signs.close()
        await self._gateway.disconnect()

    async def _register(self) -> None:
        """Register the command; what fails is tried again at the next connection."""
        try:
            await register(self._gateway.rest, self._gateway.bot_id)
        except ChannelError as error:
            log.warning("the command /assent could not be registered: %s", error)
        except Exception:
            log.exception("the command /assent could not be registered")

    async def close(self) -> None:
        """End everything."""
        if self._interactions is not None:
            await self._interactions.close()
        await self._responder.close()

    # Posts

    async def announce(self, post: Post) -> str:
        """Post cards, once."""
        rest = self._gateway.rest
        payload = await asyncio.to_thread(message_of, post)
        try:
            channel = channel_in(post.address) or await rest.direct(post.address)
            self._signs.end(channel)
            found = await self._earlier(channel, post) if post.is_repeated else None
            message = found or await rest.post(channel, payload, nonce=post.key)
            if post.is_repeated:
                await rest.edit(channel, message, payload)
        except MessageGone as gone:
            if not post.is_open:
                raise
            raise ChannelError(str(gone), permanent=True) from None
        return str(Place(channel=channel, messages=(message,)))

    async def update(self, post: Post, message: str) -> None:
        """Show the present state of cards where they were posted."""
        place = Place.read(message)
        payload = await asyncio.to_thread(message_of, post)
        try:
            await self._gateway.rest.edit(place.channel, place.message, payload)
        except MessageGone:
            await self._go_on(post)
            raise
        await self._go_on(post)

    async def _go_on(self, post: Post) -> None:
        """Show how a turn goes on after its last decision, where this is a thread of ours."""
        if self._answers is not None and not post.is_open:
            await self._answers.follow(post.address)

    async def _earlier(self, channel: str, post: Post) -> str | None:
        """Return the message that an earlier attempt has left, however long ago.

        Discord remembers a nonce for some minutes only. Raises `MessageGone` if there is none and
        nothing is left to ask.
        """
        rest, bot = self._gateway.rest, self._gateway.bot_id
        try:
            recent = await rest.recent(channel, _LOOKED_AT)
        except ChannelError as error:
            if error.whole:
                raise
            return None
        for message in recent:
            if message["author"]["id"] == bot and is_of(message, post):
                return str(message["id"])
        if not post.is_open:
            raise MessageGone
        return None

    # Talk

    async def say(
        self, address: str, text: str, *, key: str, message: str | None, is_final: bool
    ) -> str:
        """Show an agent's words: in as many messages as they need, each edited while they grow."""
        del is_final
        channel = channel_in(address) or ""
        parts = await asyncio.to_thread(answer_parts, text) or ["…"]
        known = Place.read(message).messages if message is not None else ()
        self._signs.end(channel)
        try:
            shown = [
                await self._show(channel, part, f"{key}/{number}", known[number : number + 1])
                for number, part in enumerate(parts)
            ]
        except MessageGone:
            # The thread was deleted: there is nobody to tell, now or later.
            log.info("a thread of Discord is gone, with the rest of its answer")
            return message or str(Place(channel=channel, messages=()))
        for surplus in known[len(parts) :]:
            await self._gateway.rest.delete(channel, surplus)
        return str(Place(channel=channel, messages=tuple(shown)))

    async def _show(self, channel: str, part: str, key: str, known: tuple[str, ...]) -> str:
        """Show one message of an answer; return its id."""
        rest, payload = self._gateway.rest, {"content": part, "flags": _SUPPRESS_EMBEDS}
        nonce = hashlib.sha256(key.encode()).hexdigest()[:24]
        if known:
            if self._shown.get(known[0]) == part:
                return known[0]
            try:
                await rest.edit(channel, known[0], payload)
                return self._remember(known[0], part)
            except MessageGone:
                # Somebody deleted it: it is said once more, under another nonce.
                nonce = hashlib.sha256(f"{key}/{known[0]}".encode()).hexdigest()[:24]
        return self._remember(await rest.post(channel, payload, nonce=nonce), part)

    def _remember(self, message: str, part: str) -> str:
        self._shown[message] = part
        self._shown.move_to_end(message)
        if len(self._shown) > _SHOWN:
            self._shown.popitem(last=False)
        return message

    async def _type(self, channel: str) -> None:
        await self._gateway.rest.type_in(channel)

    def _client(self) -> GatewayClient:
        talk, interactions = self._talk, self._interactions
        if talk is None or interactions is None:
            raise ChannelError("The channel is not open", whole=True)
        return GatewayClient(
            reads_messages=self._reads_messages, heard=talk.heard, pressed=interactions.handle
        )

    # Interactions over HTTP

    async def receive(self, headers: Mapping[str, str], body: bytes) -> HttpReply:
        """Answer an interaction that Discord sent over HTTP; only signed ones are read at all."""
        if self._listens or self._key is None or self._interactions is None:
            return HttpReply(status=404)
        if not is_signed(self._key, headers, body, now=time.time()):
            return HttpReply(status=401)
        try:
            payload = cast("dict[str, Any]", json.loads(body))
            if payload["type"] == InteractionType.PING:
                return _reply({"type": int(InteractionType.PING)})
            interaction = interaction_in(payload)
        except (ValueError, KeyError, TypeError, RecursionError):
            return HttpReply(status=400)
        answer = await self._interactions.first_answer(interaction)
        return HttpReply(status=202) if answer is None else _reply(answer)


def _reply(answer: Mapping[str, object]) -> HttpReply:
    return HttpReply(body=json.dumps(answer).encode())


def _key_given(given: str | None) -> str | None:
    return (os.environ.get(KEY_VARIABLE) or None) if given is None else given


def _from_environment(token: str | None) -> str:
    found = os.environ.get(TOKEN_VARIABLE) if token is None else token
    if found is None:
        allowed = f"the token of a bot, or in the environment as {TOKEN_VARIABLE}"
        raise InvalidParameter(_WHERE, "token", allowed, "None")
    return found
