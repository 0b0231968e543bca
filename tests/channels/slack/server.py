"""The loopback Slack itself: one port for the Web API, response URLs and sockets."""

import asyncio
import json
import uuid
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar

from aiohttp import WSMsgType, web

from tests.accepting import accepted
from tests.channels.slack import answers, chat, conversations, modals
from tests.channels.slack.api import Answer, Api, ApiRefusal, Arguments
from tests.channels.slack.deliveries import (
    RETRIES,
    Delivery,
    DeliveryKind,
    HttpTransport,
    Socket,
    SocketTransport,
    Transport,
)
from tests.channels.slack.faults import (
    CutOff,
    Fault,
    FaultPlan,
    Held,
    LostResponse,
    RateLimited,
    Rates,
    Refused,
    ServerError,
)
from tests.channels.slack.member import Member
from tests.channels.slack.payloads import event_json
from tests.channels.slack.tickets import Tickets
from tests.channels.slack.workspace import APP, TEAM, Channel, ChannelKind, Workspace

T = TypeVar("T")
Method = Callable[[Api, Arguments], Answer]

METHODS: dict[str, Method] = {
    "auth.test": conversations.auth_test,
    "apps.connections.open": conversations.connections_open,
    "chat.postMessage": chat.post_message,
    "chat.postEphemeral": chat.post_ephemeral,
    "chat.update": chat.update,
    "chat.delete": chat.delete,
    "conversations.info": conversations.conversations_info,
    "conversations.open": conversations.conversations_open,
    "conversations.history": conversations.conversations_history,
    "conversations.replies": conversations.conversations_replies,
    "users.info": conversations.users_info,
    "views.open": modals.views_open,
    "views.push": modals.views_push,
    "views.update": modals.views_update,
}
_EVENT_NAMES = {
    ChannelKind.PUBLIC: "message.channels",
    ChannelKind.PRIVATE: "message.groups",
    ChannelKind.DIRECT: "message.im",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiCall:
    """A call of the Web API and how it was answered; no token is kept."""

    method: str
    arguments: dict[str, Any]
    answer: Answer


class LoopbackSlack:
    """A workspace with one app installed, on a loopback port.

    `async with LoopbackSlack() as slack:` and hand `slack.base_url` to the SDK. The app is reached
    at `slack.app_url` if that is set, otherwise through the sockets that it opens.
    """

    def __init__(self) -> None:
        self.workspace = Workspace()
        self.signing_secret = uuid.uuid4().hex
        self.faults, self.rates = FaultPlan(), Rates()
        self.calls: list[ApiCall] = []
        self.deliveries: list[Delivery] = []
        self.subscriptions = {"app_mention", "message.im"}
        self.http: HttpTransport | None = None
        self.socket = SocketTransport()
        # All requests break off, and sockets cannot be opened.
        self.down = False
        self._links: set[str] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._runner: web.AppRunner | None = None
        self.api = Api(
            workspace=self.workspace,
            tickets=Tickets(self.workspace.now),
            bot_token=f"xoxb-{uuid.uuid4().hex}",
            app_token=f"xapp-{uuid.uuid4().hex}",
            announce=self._announce,
            socket_url=self._socket_url,
        )

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/api/{method}", self._serve_method)
        app.router.add_post("/response/{id}", self._serve_response_url)
        app.router.add_get("/link/{ticket}", self._serve_socket)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.drop_sockets()
        if self._runner:
            await accepted()
            await self._runner.cleanup()

    @property
    def url(self) -> str:
        if self._runner is None:
            raise RuntimeError("enter it first: async with LoopbackSlack() as slack")
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    @property
    def base_url(self) -> str:
        """The `base_url` for the SDK's clients."""
        return f"{self.url}/api/"

    @property
    def bot_token(self) -> str:
        return self.api.bot_token

    @property
    def app_token(self) -> str:
        return self.api.app_token

    def reach_app_at(self, url: str) -> HttpTransport:
        """Deliver over HTTP from now on."""
        self.http = HttpTransport(url, self.signing_secret)
        return self.http

    def member(self, name: str, *, team: str = TEAM) -> Member:
        """Create a user and return the hands and eyes of that user."""
        return Member(self, self.workspace.add_user(name, team=team))

    def channel(
        self, name: str, *members: Member, private: bool = False, with_bot: bool = True
    ) -> Channel:
        """Create a channel with these members, and the app."""
        users = [member.user for member in members]
        return self.workspace.add_channel(name, *users, private=private, with_bot=with_bot)

    def called(self, method: str) -> list[ApiCall]:
        """The calls of one method so far."""
        return [call for call in self.calls if call.method == method]

    def delete(self, channel: str, ts: str) -> None:
        """Delete a message, as an admin can."""
        if message := self.workspace.message(channel, ts):
            message.deleted = True
            self.workspace.changes.note()

    def drop_sockets(self) -> None:
        """Break all sockets."""
        for socket in self.socket.sockets:
            socket.drop()

    async def refresh_sockets(self, reason: str = "refresh_requested") -> None:
        """Ask the app to open new sockets, as Slack does every few hours."""
        for socket in [*self.socket.sockets]:
            await socket.websocket.send_json({"type": "disconnect", "reason": reason})

    async def until(
        self, found: Callable[[], T | None], *, seconds: float = 10, what: str = ""
    ) -> T:
        """Wait until something is true of this Slack."""
        return await self.workspace.changes.until(found, seconds=seconds, what=what)

    async def until_connected(self, count: int = 1, *, seconds: float = 10) -> None:
        """Wait until the app has that many sockets open."""
        await self.until(
            lambda: len(self.socket.sockets) == count, seconds=seconds, what=f"{count} sockets"
        )

    async def deliver(
        self, kind: DeliveryKind, payload: dict[str, Any], *, copies: int = 1
    ) -> Delivery:
        """Bring a payload to the app, as often as told; an event again until it is acknowledged."""
        delivery = Delivery(kind=kind, payload=payload)
        self.deliveries.append(delivery)
        transport = self.http or self.socket
        sent = (self._bring(transport, delivery, retry) for retry in range(copies))
        await asyncio.gather(*sent)
        self.workspace.changes.note()
        return delivery

    def spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run something beside the test; it ends with the test."""
        task = asyncio.create_task(work, name="loopback Slack")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def publish(self, event: dict[str, Any], *, copies: int = 1) -> Delivery:
        """Bring an event to the app."""
        id = f"Ev{self.workspace.number():06}"
        wrapped = event_json(event, id=id, at=self.workspace.now())
        return await self.deliver(DeliveryKind.EVENT, wrapped, copies=copies)

    def wants(self, channel: Channel) -> bool:
        """True if the app hears of messages in this channel."""
        return _EVENT_NAMES[channel.kind] in self.subscriptions

    async def _bring(self, transport: Transport, delivery: Delivery, copy: int) -> None:
        retry, reason = copy, "http_timeout" if copy else ""
        while True:
            reply = await transport.send(delivery, retry=retry, reason=reason)
            delivery.replies.append(reply)
            is_event = delivery.kind is DeliveryKind.EVENT
            if not is_event or not reply.failure or reply.no_retry or retry == RETRIES:
                return
            retry, reason = retry + 1, reply.failure
            if transport is self.socket:
                await self.until(lambda: self.socket.sockets, what="a socket to try again")

    def _announce(self, message: dict[str, Any]) -> None:
        channel = self.workspace.channels[message["channel"]]
        if self.wants(channel):
            self.spawn(self.publish({**message, "event_ts": message["ts"]}))

    def _socket_url(self) -> str:
        ticket = uuid.uuid4().hex
        self._links.add(ticket)
        return f"{self.url.replace('http', 'ws', 1)}/link/{ticket}"

    async def _serve_method(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        arguments = Arguments(await _arguments(request))
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        channel = str(arguments.values.get("channel", ""))
        fault = self.faults.strike(method, channel)
        return await self._meet(request, fault, lambda: self._call(method, token, arguments))

    async def _serve_response_url(self, request: web.Request) -> web.StreamResponse:
        body = Arguments(await request.json())
        id = request.match_info["id"]
        fault = self.faults.strike("response_url")
        return await self._meet(request, fault, lambda: answers.respond(self.api, id, body))

    async def _meet(
        self, request: web.Request, planned: Fault | None, work: Callable[[], web.Response]
    ) -> web.StreamResponse:
        fault: Fault | None = CutOff() if self.down else planned
        if isinstance(fault, Held):
            fault.reached.set()
            await fault.let_go.wait()
        match fault:
            case RateLimited(retry_after=seconds):
                return _limited(seconds)
            case ServerError(status=status):
                return web.Response(status=status, text="<html>", content_type="text/html")
            case Refused(error=error):
                return web.json_response({"ok": False, "error": error})
            case CutOff():
                _break_off(request)
                return web.Response()
            case LostResponse():
                work()
                _break_off(request)
                return web.Response()
            case None | Held():
                return work()

    def _call(self, method: str, token: str, arguments: Arguments) -> web.Response:
        channel = str(arguments.values.get("channel", ""))
        if wait := self.rates.seconds_to_wait(method, channel, self.workspace.now()):
            return _limited(wait)
        try:
            self.api.authenticate(token, app_level=method == "apps.connections.open")
            if method not in METHODS:
                raise ApiRefusal("unknown_method")
            answer = {"ok": True, **METHODS[method](self.api, arguments)}
        except ApiRefusal as refusal:
            answer = refusal.body()
        self.calls.append(ApiCall(method=method, arguments=dict(arguments.values), answer=answer))
        self.workspace.changes.note()
        return web.json_response(answer)

    async def _serve_socket(self, request: web.Request) -> web.StreamResponse:
        ticket = request.match_info["ticket"]
        if self.down or ticket not in self._links or self.api.revoked:
            _break_off(request)
            return web.Response(status=404)
        self._links.discard(ticket)
        websocket = web.WebSocketResponse()
        await websocket.prepare(request)
        socket = Socket(websocket, request)
        self.socket.sockets.append(socket)
        try:
            await self._talk(socket)
        finally:
            self.socket.sockets.remove(socket)
            socket.lose()
            self.workspace.changes.note()
        return websocket

    async def _talk(self, socket: Socket) -> None:
        hello = {
            "type": "hello",
            "num_connections": len(self.socket.sockets),
            "connection_info": {"app_id": APP},
            "debug_info": {"host": "loopback", "approximate_connection_time": 18060},
        }
        # The app may hang up at any moment.
        with suppress(ConnectionError):
            await socket.websocket.send_json(hello)
            self.workspace.changes.note()
            async for message in socket.websocket:
                if message.type is WSMsgType.TEXT:
                    socket.acknowledge(json.loads(message.data))


async def _arguments(request: web.Request) -> dict[str, Any]:
    found: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        # Not all methods read JSON; to the others it says nothing.
        if request.match_info["method"].startswith(("chat.", "views.")):
            found |= await request.json()
    else:
        found |= dict(await request.post())
    return found


def _limited(seconds: int) -> web.Response:
    body = {"ok": False, "error": "ratelimited"}
    return web.json_response(body, status=429, headers={"Retry-After": str(seconds)})


def _break_off(request: web.Request) -> None:
    if request.transport:
        request.transport.abort()
