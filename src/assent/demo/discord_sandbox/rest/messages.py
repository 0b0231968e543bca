"""Routes about the messages of a channel."""

from itertools import islice

from aiohttp import web

from assent.demo.discord_sandbox import refusals
from assent.demo.discord_sandbox.form_body import FormBody, one_error
from assent.demo.discord_sandbox.message_body import MessageBody, MessageFlag, message_body
from assent.demo.discord_sandbox.permissions import Permission
from assent.demo.discord_sandbox.places import Channel, MessageType
from assent.demo.discord_sandbox.rest.channels import send_permission
from assent.demo.discord_sandbox.rest.exchange import (
    BASE,
    body_of,
    channel_in,
    message_in,
    nothing,
    reply,
    require,
)
from assent.demo.discord_sandbox.world import Draft, World

HISTORY, HISTORY_DEFAULT = 100, 50


class MessageRoutes:
    """Create, read, edit and delete messages as the bot."""

    def __init__(self, world: World) -> None:
        self._world = world

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        messages = f"{BASE}/channels/{{channel}}/messages"
        return [
            web.post(messages, self.create),
            web.get(messages, self.list),
            web.get(f"{messages}/{{message}}", self.get),
            web.patch(f"{messages}/{{message}}", self.edit),
            web.delete(f"{messages}/{{message}}", self.delete),
        ]

    async def create(self, request: web.Request) -> web.Response:
        """POST /channels/{channel}/messages"""
        channel = channel_in(request, self._world)
        require(channel, send_permission(channel))
        if channel.recipient is not None and not channel.recipient.takes_direct_messages:
            raise refusals.cannot_message_user()
        body = message_body(await body_of(request))
        if body.is_empty:
            raise refusals.empty_message()
        _check_embeds(channel, body)
        _check_reply(channel, body)
        self._wake(channel)
        kind = MessageType.DEFAULT if body.reply_to is None else MessageType.REPLY
        message = self._world.post(channel, Draft(author=self._world.bot, body=body, type=kind))
        return reply({**message.json(), **({"nonce": body.nonce} if body.nonce else {})})

    async def list(self, request: web.Request) -> web.Response:
        """GET /channels/{channel}/messages, newest first"""
        channel = channel_in(request, self._world)
        require(channel, Permission.READ_MESSAGE_HISTORY)
        limit = _number(request, "limit", HISTORY_DEFAULT)
        before, after = _number(request, "before", 1 << 63), _number(request, "after", 0)
        found = (
            message
            for message in reversed(channel.messages.values())
            if after < message.id < before and not message.is_ephemeral
        )
        return reply([message.json() for message in islice(found, min(limit, HISTORY))])

    async def get(self, request: web.Request) -> web.Response:
        """GET /channels/{channel}/messages/{message}"""
        channel = channel_in(request, self._world)
        require(channel, Permission.READ_MESSAGE_HISTORY)
        return reply(message_in(request, channel).json())

    async def edit(self, request: web.Request) -> web.Response:
        """PATCH /channels/{channel}/messages/{message}"""
        channel = channel_in(request, self._world)
        message = message_in(request, channel)
        if message.author != self._world.bot:
            raise refusals.not_the_author()
        if channel.is_archived:
            raise refusals.thread_archived()
        body = message_body(await body_of(request), old_flags=message.flags)
        check_remainder(body, message.content, message.embeds, message.components)
        _check_embeds(channel, body)
        self._world.edit(message, body)
        return reply(message.json())

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE /channels/{channel}/messages/{message}"""
        channel = channel_in(request, self._world)
        message = message_in(request, channel)
        if message.author != self._world.bot:
            require(channel, Permission.MANAGE_MESSAGES)
        self._world.remove_message(message)
        return nothing()

    def _wake(self, thread: Channel) -> None:
        """Open an archived thread again, as a message in it does, unless it is locked."""
        if thread.is_locked:
            raise refusals.thread_locked()
        if thread.is_archived:
            thread.is_archived = False
            self._world.change_thread(thread)


def check_remainder(body: MessageBody, content: str, *others: list[dict[str, object]]) -> None:
    """Raise the refusal if an edit would leave nothing to see."""
    embeds, components = others
    left = (
        content if body.content is None else body.content,
        embeds if body.embeds is None else body.embeds,
        components if body.components is None else body.components,
    )
    if not any(left):
        raise refusals.empty_message()


def _check_embeds(channel: Channel, body: MessageBody) -> None:
    if body.embeds:
        require(channel, Permission.EMBED_LINKS)
    if body.flags & MessageFlag.EPHEMERAL:
        raise one_error("flags", "MESSAGE_FLAGS_INVALID", "Only interactions make ephemerals")


def _check_reply(channel: Channel, body: MessageBody) -> None:
    if body.reply_to is None:
        return
    require(channel, Permission.READ_MESSAGE_HISTORY)
    if body.reply_to not in channel.messages:
        form = FormBody()
        words = "Unknown message"
        form.root().at("message_reference").wrong("MESSAGE_REFERENCE_UNKNOWN_MESSAGE", words)
        form.check()


def _number(request: web.Request, name: str, default: int) -> int:
    text = request.query.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() else default
