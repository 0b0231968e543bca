"""The sandbox in a browser: one page, a stream of changes, and what people do there."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from importlib import resources
from typing import Any, cast

from aiohttp import web

from assent.demo.discord_sandbox.application import Application
from assent.demo.discord_sandbox.gateway import Gateway
from assent.demo.discord_sandbox.interactions import Interactions
from assent.demo.discord_sandbox.members import Member, NotPossible
from assent.demo.discord_sandbox.places import Channel, Message, User
from assent.demo.discord_sandbox.refusals import Payload, Refusal
from assent.demo.discord_sandbox.views import channel_view, message_view, modal_view, user_view
from assent.demo.discord_sandbox.world import World

KEEP_ALIVE_SECONDS = 15.0
COME_BACK_MS = 1000
_MEDIA = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
_NO_KEY = "Open the address that was printed when the sandbox started: it has a key in it.\n"
_LOCAL = ("127.0.0.1", "localhost")

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Act = Callable[[Member, Payload], object]


class Page:
    """Routes for the browser; `key` keeps other users of the machine out."""

    def __init__(
        self,
        *,
        world: World,
        application: Application,
        interactions: Interactions,
        member: Callable[[User], Member],
        gateway: Gateway,
        suggestions: Sequence[str],
    ) -> None:
        self._world, self._application = world, application
        self._interactions, self._member = interactions, member
        self._gateway, self._suggestions = gateway, suggestions
        self.key = secrets.token_urlsafe(24)
        self._streams: set[asyncio.Task[Any]] = set()
        self._files = _files()

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        acts: dict[str, Act] = {
            "say": self._say,
            "press": self._press,
            "choose": self._choose,
            "submit": self._submit,
            "dismiss": self._dismiss,
            "command": self._command,
        }
        return [
            web.get("/", self.index),
            web.get("/static/{name}", self._guarded(self.static)),
            web.get("/sandbox/stream", self._guarded(self.stream)),
            *(
                web.post(f"/sandbox/{name}", self._guarded(self._posted(act)))
                for name, act in acts.items()
            ),
        ]

    def close(self) -> None:
        """End all streams."""
        for task in self._streams:
            task.cancel()

    async def index(self, request: web.Request) -> web.StreamResponse:
        """Serve the page; the key in the address becomes a cookie."""
        _check_host(request)
        given = request.query.get("key")
        if given is not None and secrets.compare_digest(given.encode(), self.key.encode()):
            response = web.Response(status=303, headers={**_HEADERS, "Location": "/"})
            name = _cookie(request)
            response.set_cookie(name, self.key, httponly=True, samesite="Strict", path="/")
            return response
        return await self._guarded(self._index)(request)

    async def static(self, request: web.Request) -> web.StreamResponse:
        """Serve a script or stylesheet."""
        return self._file(request.match_info["name"])

    async def stream(self, request: web.Request) -> web.StreamResponse:
        """Send everything that one person sees, then every change, as server-sent events."""
        me = self._person(request.query.get("as", ""))
        response = web.StreamResponse(headers={**_HEADERS, "Content-Type": "text/event-stream"})
        await response.prepare(request)
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a request handler always runs in a task
        self._streams.add(task)
        try:
            with suppress(ConnectionError, asyncio.CancelledError):
                await self._follow(me, response)
        finally:
            self._streams.discard(task)
        return response

    async def _index(self, _: web.Request) -> web.StreamResponse:
        return self._file("index.html")

    async def _follow(self, me: Member, response: web.StreamResponse) -> None:
        await response.write(f"retry: {COME_BACK_MS}\n\n".encode())
        seen = 0
        while True:
            version = self._world.version
            text = json.dumps(self.view(me, since=seen), separators=(",", ":"))
            await response.write(f"data: {text}\n\n".encode())
            seen = version
            while True:
                try:
                    async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                        await self._world.changed_since(seen)
                    break
                except TimeoutError:
                    await response.write(b": still here\n\n")

    def view(self, me: Member, *, since: int) -> Payload:
        """Return what a person sees that changed since a version; from 0 on, everything."""
        world = self._world
        channels = [each for each in world.channels.values() if each.is_visible_to(me.user)]
        modal = me.modal
        return {
            "version": world.version,
            "first": since == 0,
            "guild": world.guild_name,
            "me": user_view(me.user),
            "bot": str(world.bot.id),
            "people": [user_view(each) for each in world.users.values()],
            "channels": [channel_view(each, world) for each in channels],
            "messages": [message_view(each, me.user, world) for each in self._news(me, since)],
            "removed": [
                {"channel": str(each.channel_id), "message": str(each.message_id or "")}
                for each in world.removed
                if each.version > since
            ],
            "modal": None if modal is None else modal_view(modal),
            "pending": [
                {"message": str(each.message.id), "custom_id": each.data.get("custom_id")}
                for each in self._interactions.pending.values()
                if each.user == me.user and each.message is not None
            ],
            "online": bool(self._gateway.connected or self._application.endpoint_url),
            "suggestions": list(self._suggestions),
            "failures": [
                {"message": str(each.message_id or ""), "text": each.text} for each in me.failures
            ],
            "commands": self._application.commands,
        }

    def _news(self, me: Member, since: int) -> list[Message]:
        found: list[Message] = []
        for message in reversed(self._world.changed.values()):
            if message.version <= since:
                break
            channel = self._world.channels.get(message.channel_id)
            is_for_me = message.seen_by in (None, me.id)
            if is_for_me and channel is not None and channel.is_visible_to(me.user):
                found.append(message)
        return found

    # What people do

    def _say(self, me: Member, body: Payload) -> None:
        channel, text = self._channel(body), str(body.get("text", ""))
        for user in self._world.users.values():
            text = text.replace(f"@{user.display_name}", user.mention)
        answered = channel.messages.get(_id(body.get("reply_to")))
        me.say(channel, text, reply_to=answered)

    def _press(self, me: Member, body: Payload) -> None:
        me.press(self._message(body), str(body.get("custom_id")))

    def _choose(self, me: Member, body: Payload) -> None:
        me.choose(self._message(body), str(body.get("custom_id")), *body.get("values", []))

    def _submit(self, me: Member, body: Payload) -> None:
        me.submit(body.get("values", {}))

    def _dismiss(self, me: Member, body: Payload) -> None:
        if body.get("message"):
            me.dismiss_message(self._message(body))
        else:
            me.dismiss()

    def _command(self, me: Member, body: Payload) -> None:
        options: Payload = body.get("options", {})
        me.command(self._channel(body), str(body.get("name")), **options)

    # Plumbing

    def _posted(self, act: Act) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            _check_origin(request)
            try:
                body = cast("Payload", await request.json())
                act(self._person(str(body.get("as"))), body)
            except NotPossible as problem:
                return web.json_response({"problem": str(problem)}, status=409, headers=_HEADERS)
            except Refusal as refusal:
                words = f"Discord would refuse this: {_first_error(refusal)}"
                return web.json_response({"problem": words}, status=409, headers=_HEADERS)
            return web.json_response({}, headers=_HEADERS)

        return handle

    def _guarded(self, handler: Handler) -> Handler:
        async def handle(request: web.Request) -> web.StreamResponse:
            _check_host(request)
            given = request.cookies.get(_cookie(request), "")
            if not secrets.compare_digest(given.encode(), self.key.encode()):
                return web.Response(status=403, text=_NO_KEY, headers=_HEADERS)
            return await handler(request)

        return handle

    def _file(self, name: str) -> web.Response:
        if name not in self._files:
            raise web.HTTPNotFound
        media = _MEDIA[name[name.rindex(".") :]]
        return web.Response(
            body=self._files[name], content_type=media, charset="utf-8", headers=_HEADERS
        )

    def _person(self, id: str) -> Member:
        people = [user for user in self._world.users.values() if not user.is_bot]
        chosen = [user for user in people if str(user.id) == id] or people[:1]
        if not chosen:
            raise web.HTTPNotFound(text="Nobody is in this guild yet\n")
        return self._member(chosen[0])

    def _channel(self, body: Payload) -> Channel:
        channel = self._world.channels.get(_id(body.get("channel")))
        if channel is None:
            raise NotPossible("The channel is not there any more")
        return channel

    def _message(self, body: Payload) -> Message:
        message = self._channel(body).messages.get(_id(body.get("message")))
        if message is None:
            raise NotPossible("The message is not there any more")
        return message


def _files() -> dict[str, bytes]:
    folder = resources.files("assent.demo.discord_sandbox") / "static"
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


def _id(value: object) -> int:
    text = str(value or "")
    return int(text) if text.isascii() and text.isdecimal() else 0


def _cookie(request: web.Request) -> str:
    # Browsers send the cookies of one port to all ports of a host.
    return f"assent_sandbox_{request.url.port}"


def _check_host(request: web.Request) -> None:
    """Refuse other names for this address, by which a foreign page could reach it."""
    if request.url.host not in _LOCAL:
        raise web.HTTPForbidden(text="Open it as 127.0.0.1 or localhost\n")


def _check_origin(request: web.Request) -> None:
    origin = request.headers.get("Origin", "")
    if origin and origin != f"http://{request.host}":
        raise web.HTTPForbidden(text="Only the sandbox's own page may do this\n")
    if request.content_type != "application/json":
        raise web.HTTPForbidden(text="JSON only\n")


def _first_error(refusal: Refusal) -> str:
    """Return the innermost message of a refusal, which says most."""
    found: Any = refusal.errors
    while isinstance(found, dict):
        errors = cast("Payload", found)
        if "_errors" in errors:
            return errors["_errors"][0]["message"]
        found = next(iter(errors.values()), None)
    return refusal.message
