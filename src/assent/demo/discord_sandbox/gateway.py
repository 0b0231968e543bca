"""The gateway: sessions of bots over websockets, with heartbeats, resuming and replay."""

import asyncio
import json
import secrets
import zlib
from collections import deque
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag
from typing import Any, cast

from aiohttp import WSMsgType, web

from assent.demo.discord_sandbox.application import Application
from assent.demo.discord_sandbox.permissions import Permission
from assent.demo.discord_sandbox.refusals import Payload
from assent.demo.discord_sandbox.world import Event, World

HEARTBEAT_MS = 41_250
REPLAYED_EVENTS = 1000
RESUMABLE_SESSIONS = 8
PATH = "/gateway"


class Op(IntEnum):
    """Discord's operations."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    RESUME = 6
    RECONNECT = 7
    REQUEST_MEMBERS = 8
    INVALID_SESSION = 9
    HELLO = 10
    HEARTBEAT_ACK = 11


class Close(IntEnum):
    """Discord's reasons to close a connection."""

    UNKNOWN_ERROR = 4000
    UNKNOWN_OPCODE = 4001
    DECODE_ERROR = 4002
    NOT_AUTHENTICATED = 4003
    AUTHENTICATION_FAILED = 4004
    ALREADY_AUTHENTICATED = 4005
    INVALID_SEQ = 4007
    SESSION_TIMED_OUT = 4009
    INVALID_API_VERSION = 4012
    DISALLOWED_INTENTS = 4014


class Intent(IntFlag):
    """Discord's bits, as far as the sandbox sends such events."""

    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15


_PRIVILEGED = Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES
# A client that closes with one of these gives its session up.
_CLEAN_CLOSES = frozenset({1000, 1001})
_CONTENT_FIELDS: Payload = {"content": "", "embeds": [], "components": [], "attachments": []}


class Closing(Exception):
    """The connection must end with a code."""

    def __init__(self, code: Close) -> None:
        self.code = code
        super().__init__(code.name)


class Connection:
    """One websocket, compressed as a stream if the client asks for it."""

    def __init__(self, socket: web.WebSocketResponse, request: web.Request) -> None:
        self._socket, self._request = socket, request
        is_compressed = request.query.get("compress") == "zlib-stream"
        self._stream = zlib.compressobj() if is_compressed else None
        self._outgoing: asyncio.Queue[Payload | None] = asyncio.Queue()
        self._sender = asyncio.create_task(self._run(), name="sandbox gateway sender")

    def send(self, op: Op, data: Any, *, seq: int | None = None, name: str | None = None) -> None:
        """Send a frame; frames leave in the order of the calls."""
        self._outgoing.put_nowait({"op": int(op), "d": data, "s": seq, "t": name})

    async def close(self, code: int) -> None:
        """Send what is left and close."""
        self._outgoing.put_nowait(None)
        await self._sender
        await self._socket.close(code=code)

    async def abort(self, code: int | None) -> None:
        """Close without sending what is left; without a code, as if a cable was cut."""
        self._sender.cancel()
        if code is not None:
            await self._socket.close(code=code)
        elif (transport := self._request.transport) is not None:
            transport.abort()

    def end(self) -> None:
        """Stop sending, after the client has gone."""
        self._sender.cancel()

    async def _run(self) -> None:
        while (frame := await self._outgoing.get()) is not None:
            try:
                await self._write(json.dumps(frame, separators=(",", ":")))
            except ConnectionError:
                # The reader of this socket sees the same and ends the connection.
                return

    async def _write(self, text: str) -> None:
        if self._stream is None:
            await self._socket.send_str(text)
            return
        packed = self._stream.compress(text.encode())
        await self._socket.send_bytes(packed + self._stream.flush(zlib.Z_SYNC_FLUSH))


@dataclass(slots=True, kw_only=True)
class Session:
    """A bot's session; it outlives its connection, so that the bot can resume it."""

    id: str
    intents: Intent
    connection: Connection | None = None
    seq: int = 0
    sent: deque[tuple[int, str, Payload]] = field(
        default_factory=lambda: deque(maxlen=REPLAYED_EVENTS)
    )

    def dispatch(self, name: str, data: Payload) -> None:
        """Send an event, and keep it for a connection that resumes."""
        self.seq += 1
        self.sent.append((self.seq, name, data))
        if self.connection is not None:
            self.connection.send(Op.DISPATCH, data, seq=self.seq, name=name)

    def replay(self, after: int) -> None:
        """Send again what a resuming connection has missed."""
        if self.connection is None:
            return
        for seq, name, data in self.sent:
            if seq > after:
                self.connection.send(Op.DISPATCH, data, seq=seq, name=name)


class Gateway:
    """All sessions; several with the same token all hear everything, as with Discord."""

    def __init__(self, world: World, application: Application) -> None:
        self._world, self._application = world, application
        self.sessions: dict[str, Session] = {}
        self.url = ""
        world.listen(self.dispatch)

    @property
    def connected(self) -> list[Session]:
        """Sessions with a live connection."""
        return [each for each in self.sessions.values() if each.connection is not None]

    def dispatch(self, event: Event) -> None:
        """Send an event to every session whose intents and permissions allow it."""
        channel = event.channel
        if channel is not None and Permission.VIEW_CHANNEL not in channel.permissions():
            return
        for session in self.sessions.values():
            if _wants(session.intents, event):
                session.dispatch(event.name, self._readable(session.intents, event))

    async def drop(self, *, resumable: bool = True, code: int | None = Close.UNKNOWN_ERROR) -> None:
        """Close every connection, abruptly without a code; forget sessions if not resumable."""
        connections = [each.connection for each in self.sessions.values()]
        for session in self.sessions.values():
            session.connection = None
        if not resumable:
            self.sessions.clear()
        for connection in connections:
            if connection is not None:
                await connection.abort(code)
        self._world.touch()

    def ask_to_reconnect(self) -> None:
        """Ask every bot to reconnect and resume, as Discord does when it deploys."""
        for session in self.connected:
            if session.connection is not None:
                session.connection.send(Op.RECONNECT, None)

    async def handle(self, request: web.Request) -> web.WebSocketResponse:
        """Serve one connection until it ends."""
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        connection = Connection(socket, request)
        visit = _Visit(self, connection)
        try:
            if request.query.get("v") not in ("9", "10"):
                raise Closing(Close.INVALID_API_VERSION)
            connection.send(Op.HELLO, {"heartbeat_interval": HEARTBEAT_MS, "_trace": []})
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    visit.receive(message.data)
        except Closing as closing:
            await connection.close(closing.code)
        finally:
            connection.end()
            self._left(visit.session, connection, clean=socket.close_code in _CLEAN_CLOSES)
        return socket

    def identify(self, data: Payload, connection: Connection) -> Session:
        """Begin a session and send what a bot needs to start."""
        if not self._application.knows(data.get("token")):
            raise Closing(Close.AUTHENTICATION_FAILED)
        intents = Intent(data.get("intents") or 0)
        if intents & self._forbidden():
            raise Closing(Close.DISALLOWED_INTENTS)
        self._forget_old()
        session = Session(id=secrets.token_hex(16), intents=intents, connection=connection)
        self.sessions[session.id] = session
        shard: Any = data.get("shard") or [0, 1]
        session.dispatch("READY", self._ready(session, shard))
        if Intent.GUILDS in intents:
            session.dispatch("GUILD_CREATE", self._world.guild_json())
        self._world.touch()
        return session

    def resume(self, data: Payload, connection: Connection) -> Session | None:
        """Go on with a session; None if it is unknown, and the client must identify again."""
        if not self._application.knows(data.get("token")):
            raise Closing(Close.AUTHENTICATION_FAILED)
        session = self.sessions.get(str(data.get("session_id")))
        if session is None:
            connection.send(Op.INVALID_SESSION, False)
            return None
        seq = data.get("seq")
        if not isinstance(seq, int) or seq > session.seq:
            del self.sessions[session.id]
            raise Closing(Close.INVALID_SEQ)
        session.connection = connection
        session.replay(seq)
        session.dispatch("RESUMED", {"_trace": []})
        self._world.touch()
        return session

    def members(self, data: Payload, session: Session) -> None:
        """Send the members of the guild, which some clients ask for."""
        users = self._world.users.values()
        chunk: Payload = {
            "guild_id": str(self._world.guild_id),
            "members": [{"user": user.json(), **user.member_json()} for user in users],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [],
        }
        nonce = data.get("nonce")
        session.dispatch(
            "GUILD_MEMBERS_CHUNK", chunk if nonce is None else chunk | {"nonce": nonce}
        )

    def _forget_old(self) -> None:
        left = [each for each in self.sessions.values() if each.connection is None]
        for session in left[:-RESUMABLE_SESSIONS]:
            del self.sessions[session.id]

    def _forbidden(self) -> Intent:
        content = Intent(0) if self._application.reads_messages else Intent.MESSAGE_CONTENT
        return content | (_PRIVILEGED & ~Intent.GUILD_MEMBERS)

    def _ready(self, session: Session, shard: Any) -> Payload:
        return {
            "v": 10,
            "user": {**self._world.bot.json(), "verified": True, "mfa_enabled": False},
            "guilds": [{"id": str(self._world.guild_id), "unavailable": True}],
            "session_id": session.id,
            "session_type": "normal",
            "resume_gateway_url": self.url,
            "shard": shard,
            "private_channels": [],
            "application": {"id": str(self._world.bot.id), "flags": self._application.flags},
        }

    def _readable(self, intents: Intent, event: Event) -> Payload:
        """Return an event without contents that a bot may read only with an intent."""
        message, bot = event.message, self._world.bot
        if message is None or Intent.MESSAGE_CONTENT in intents:
            return event.data
        is_direct = event.channel is not None and event.channel.guild_id is None
        if is_direct or message.author == bot or bot in message.mentions:
            return event.data
        return {**event.data, **_CONTENT_FIELDS}

    def _left(self, session: Session | None, connection: Connection, *, clean: bool) -> None:
        if session is None or session.connection is not connection:
            return
        session.connection = None
        if clean:
            self.sessions.pop(session.id, None)
        self._world.touch()


class _Visit:
    """Everything that one connection says, in order."""

    def __init__(self, gateway: Gateway, connection: Connection) -> None:
        self._gateway, self._connection = gateway, connection
        self.session: Session | None = None

    def receive(self, text: str) -> None:
        op, data = _frame(text)
        match op:
            case Op.HEARTBEAT:
                self._connection.send(Op.HEARTBEAT_ACK, None)
            case Op.IDENTIFY | Op.RESUME if self.session is not None:
                raise Closing(Close.ALREADY_AUTHENTICATED)
            case Op.IDENTIFY:
                self.session = self._gateway.identify(data, self._connection)
            case Op.RESUME:
                self.session = self._gateway.resume(data, self._connection)
            case Op.PRESENCE | Op.REQUEST_MEMBERS if self.session is None:
                raise Closing(Close.NOT_AUTHENTICATED)
            case Op.REQUEST_MEMBERS if self.session is not None:
                self._gateway.members(data, self.session)
            case Op.PRESENCE:
                pass
            case _:
                raise Closing(Close.UNKNOWN_OPCODE)


def _frame(text: str) -> tuple[int | None, Payload]:
    try:
        frame: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise Closing(Close.DECODE_ERROR) from None
    if not isinstance(frame, dict):
        raise Closing(Close.DECODE_ERROR)
    read = cast("Payload", frame)
    data: Any = read.get("d")
    return read.get("op"), cast("Payload", data) if isinstance(data, dict) else {}


def _wants(intents: Intent, event: Event) -> bool:
    is_direct = event.channel is not None and event.channel.guild_id is None
    match event.name.partition("_")[0]:
        case "MESSAGE":
            return bool(intents & (Intent.DIRECT_MESSAGES if is_direct else Intent.GUILD_MESSAGES))
        case "TYPING":
            typing = Intent.DIRECT_MESSAGE_TYPING if is_direct else Intent.GUILD_MESSAGE_TYPING
            return bool(intents & typing)
        case "CHANNEL" | "THREAD" | "GUILD":
            return Intent.GUILDS in intents
        case _:
            return True
