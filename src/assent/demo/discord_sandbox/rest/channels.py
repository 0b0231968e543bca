"""Routes about channels and threads."""

from aiohttp import web

from assent.demo.discord_sandbox import refusals
from assent.demo.discord_sandbox.form_body import FormBody
from assent.demo.discord_sandbox.permissions import Permission
from assent.demo.discord_sandbox.places import Channel, ChannelType
from assent.demo.discord_sandbox.rest.exchange import (
    BASE,
    body_of,
    channel_in,
    id_in,
    message_in,
    nothing,
    reply,
    require,
)
from assent.demo.discord_sandbox.world import World

THREAD_NAME_CHARS = 100
ARCHIVE_MINUTES = (60, 1440, 4320, 10080)


class ChannelRoutes:
    """Channels, threads and who is in them."""

    def __init__(self, world: World) -> None:
        self._world = world

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        channel = f"{BASE}/channels/{{channel}}"
        member = f"{channel}/thread-members/{{user}}"
        return [
            web.get(channel, self.get),
            web.patch(channel, self.change),
            web.delete(channel, self.delete),
            web.post(f"{channel}/typing", self.type),
            web.post(f"{channel}/threads", self.start_thread),
            web.post(f"{channel}/messages/{{message}}/threads", self.start_thread_here),
            web.put(member, self.join),
            web.delete(member, self.leave),
        ]

    async def get(self, request: web.Request) -> web.Response:
        """GET /channels/{channel}"""
        return reply(channel_in(request, self._world).json())

    async def change(self, request: web.Request) -> web.Response:
        """PATCH /channels/{channel}: rename, archive or lock a thread"""
        thread = channel_in(request, self._world)
        if not thread.is_thread or thread.owner_id != self._world.bot.id:
            raise refusals.missing_permissions()
        given = await body_of(request)
        if thread.is_archived and given.get("archived") is not False:
            raise refusals.thread_archived()
        thread.name = _thread_name(given) if "name" in given else thread.name
        thread.is_archived = bool(given.get("archived", thread.is_archived))
        thread.is_locked = bool(given.get("locked", thread.is_locked))
        self._world.change_thread(thread)
        return reply(thread.json())

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE /channels/{channel}"""
        channel = channel_in(request, self._world)
        require(channel, Permission.MANAGE_THREADS)
        self._world.remove_channel(channel)
        return reply(channel.json())

    async def type(self, request: web.Request) -> web.Response:
        """POST /channels/{channel}/typing"""
        channel = channel_in(request, self._world)
        require(channel, send_permission(channel))
        self._world.type_in(channel, self._world.bot)
        return nothing()

    async def start_thread(self, request: web.Request) -> web.Response:
        """POST /channels/{channel}/threads"""
        channel, given = channel_in(request, self._world), await body_of(request)
        is_private = given.get("type") != ChannelType.PUBLIC_THREAD
        wanted = (
            Permission.CREATE_PRIVATE_THREADS if is_private else Permission.CREATE_PUBLIC_THREADS
        )
        require(channel, wanted)
        name = _thread_name(given)
        bot = self._world.bot
        thread = self._world.add_thread(channel, name, bot, start=None, private=is_private)
        return reply(thread.json(), 201)

    async def start_thread_here(self, request: web.Request) -> web.Response:
        """POST /channels/{channel}/messages/{message}/threads"""
        channel = channel_in(request, self._world)
        require(channel, Permission.CREATE_PUBLIC_THREADS)
        message, name = message_in(request, channel), _thread_name(await body_of(request))
        if channel.type is not ChannelType.TEXT:
            raise refusals.Refusal(400, 50024, "Cannot execute action on this channel type")
        bot = self._world.bot
        thread = self._world.add_thread(channel, name, bot, start=message, private=False)
        return reply(thread.json(), 201)

    async def join(self, request: web.Request) -> web.Response:
        """PUT /channels/{channel}/thread-members/{user}"""
        thread = channel_in(request, self._world)
        thread.members.add(self._member(request))
        self._world.change_thread(thread)
        return nothing()

    async def leave(self, request: web.Request) -> web.Response:
        """DELETE /channels/{channel}/thread-members/{user}"""
        thread = channel_in(request, self._world)
        thread.members.discard(self._member(request))
        self._world.change_thread(thread)
        return nothing()

    def _member(self, request: web.Request) -> int:
        if request.match_info["user"] == "@me":
            return self._world.bot.id
        user = self._world.users.get(id_in(request, "user"))
        if user is None:
            raise refusals.unknown_user()
        return user.id


def send_permission(channel: Channel) -> Permission:
    """Return the permission that writing in a channel needs."""
    is_thread = channel.is_thread
    return Permission.SEND_MESSAGES_IN_THREADS if is_thread else Permission.SEND_MESSAGES


def _thread_name(given: dict[str, object]) -> str:
    body = FormBody()
    name = body.root().at("name").text(given.get("name"), least=1, most=THREAD_NAME_CHARS)
    if given.get("auto_archive_duration") is not None:
        minutes = given["auto_archive_duration"]
        body.root().at("auto_archive_duration").one_of(minutes, ARCHIVE_MINUTES)
    body.check()
    return name
