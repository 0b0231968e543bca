"""The gateway connection: discord.py's client, begun again for as long as the channel is served."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any, Final

import aiohttp
import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from assent.channels.discord.interactions import Interaction
from assent.channels.discord.rest import LONGEST_WAIT_SECONDS, Rest
from assent.errors import ChannelError

log = logging.getLogger(__name__)
API_URL: Final = "https://discord.com/api/v10"
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
# After a session that Discord refuses for its intents. Nothing but a change in its portal helps,
# and a bot that begins a thousand sessions in a day loses its token.
INTENTS_PAUSE = 900.0
_BAD_TOKEN: Final = 4004
_INTENTS: Final = (
    "Discord does not give the bot the contents of messages: switch on Message Content Intent on "
    "the page Bot of Discord's developer portal, or set reads_messages=False; then start again, or "
    "wait: it is tried every 15 minutes"
)
_TOKEN: Final = "Discord refuses the bot's token"  # noqa: S105 - words about a token
# At their most talkative these log whole payloads: tokens of interactions, and secrets in forms.
_TALKATIVE: Final = ("discord.client", "discord.gateway", "discord.http", "discord.webhook")

OnMessage = Callable[[discord.Message], Awaitable[None]]
OnInteraction = Callable[[Interaction], Awaitable[None]]


class GatewayClient(discord.Client):
    """Hands what it hears to us; it keeps no messages and no views."""

    def __init__(self, *, reads_messages: bool, heard: OnMessage, pressed: OnInteraction) -> None:
        intents = discord.Intents.none()
        intents.guilds = intents.guild_messages = intents.dm_messages = True
        intents.message_content = reads_messages
        super().__init__(
            intents=intents,
            max_messages=None,
            max_ratelimit_timeout=LONGEST_WAIT_SECONDS,
            allowed_mentions=discord.AllowedMentions.none(),
            chunk_guilds_at_startup=False,
        )
        self._heard, self._pressed = heard, pressed
        self.is_up = asyncio.Event()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Identify at once: discord.py's own hook waits five seconds, for bots with shards."""

    async def on_connect(self) -> None:
        """Begin: the session is there."""
        self.is_up.set()

    async def on_message(self, message: discord.Message) -> None:
        """Hand over what people say, and nothing that bots say."""
        if not message.author.bot and message.webhook_id is None:
            await _safely(self._heard(message))

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Hand over a press, a form or a command."""
        heard = Interaction(
            id=str(interaction.id),
            token=interaction.token,
            application_id=str(interaction.application_id),
            type=interaction.type.value,
            user_id=str(interaction.user.id),
            user_name=interaction.user.display_name,
            data=dict(interaction.data or {}),
        )
        await _safely(self._pressed(heard))


async def _safely(work: Awaitable[None]) -> None:
    try:
        await work
    except Exception:
        log.exception("handling an event of Discord failed")


class Gateway:
    """One client at a time, logged in; one that listens is also on the gateway."""

    def __init__(
        self, token: str, *, api_url: str, listens: bool, make: Callable[[], GatewayClient]
    ) -> None:
        self._token, self._api_url, self._listens, self._make = token, api_url, listens, make
        self._client: GatewayClient | None = None
        self._rest: Rest | None = None
        self._reason = "Discord is not connected"
        self._task: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        # When a session may be begun again after one that was refused for its intents.
        self._begin_at = 0.0

    @property
    def rest(self) -> Rest:
        """Requests with the bot's token; raises `ChannelError` while there is no connection."""
        if self._rest is None:
            raise ChannelError(self._reason, whole=True)
        return self._rest

    @property
    def bot_id(self) -> str:
        """The id of the bot's account."""
        user = None if self._client is None else self._client.user
        return "" if user is None else str(user.id)

    async def connect(self) -> None:
        """Log in and, if it listens, wait until the session is there."""
        if monotonic() < self._begin_at:
            raise ChannelError(_INTENTS, whole=True)
        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.INFO)
        try:
            client = await self._log_in()
            if self._listens:
                await self._begin(client)
        except BaseException:
            await self.disconnect()
            raise

    async def disconnect(self) -> None:
        """Log out."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await self._drop("Discord is not connected")

    async def _begin(self, client: GatewayClient) -> None:
        if self._api_url != API_URL:
            found = await self.rest.request("GET", "/gateway")
            DiscordWebSocket.DEFAULT_GATEWAY = URL(str(found["url"]))
        self._task = asyncio.create_task(self._stay(client), name="assent-discord-gateway")
        up = asyncio.create_task(client.is_up.wait(), name="assent-discord-up")
        try:
            await asyncio.wait({self._task, up}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            up.cancel()
        if self._task.done():
            await self._task

    async def _log_in(self) -> GatewayClient:
        # discord.py keeps the address for all clients of a process.
        Route.BASE = self._api_url
        client = self._client = self._make()
        try:
            await client.login(self._token)
        except discord.LoginFailure:
            words = f"{_TOKEN}: enter a new one and start again"
            raise ChannelError(words, whole=True) from None
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            words = f"Discord cannot be reached ({type(error).__name__})"
            raise ChannelError(words, whole=True) from None
        self._rest = Rest(client.http)
        return client

    async def _stay(self, client: GatewayClient) -> None:
        """Stay connected: discord.py resumes by itself; what ends it for good is begun anew.

        Raises the reason if the first session never began, so that nobody waits for it.
        """
        reason = await self._listen(client)
        if not client.is_up.is_set():
            raise ChannelError(reason, whole=True)
        pause = FIRST_PAUSE
        while True:
            log.warning("the gateway of Discord is closed: %s", reason)
            await self._drop(reason)
            await asyncio.sleep(max(pause, self._begin_at - monotonic()))
            pause = min(pause * 2, LONGEST_PAUSE)
            try:
                client = await self._log_in()
                reason = await self._listen(client)
                pause = FIRST_PAUSE if client.is_up.is_set() else pause
            except ChannelError as error:
                reason = str(error)

    async def _listen(self, client: GatewayClient) -> str:
        """Listen until the connection is over for good; return the reason."""
        reason = await _ended(client)
        if reason == _INTENTS:
            self._begin_at = monotonic() + INTENTS_PAUSE
        return reason

    async def _drop(self, reason: str) -> None:
        self._reason = reason
        client, self._client, self._rest = self._client, None, None
        if client is not None:
            self._closing = asyncio.create_task(_close(client), name="assent-discord-closing")
        if self._closing is not None:
            # Half closed, a client would leave its connections open: whoever is cancelled here
            # leaves the rest to the next who comes by.
            await asyncio.shield(self._closing)


async def _close(client: GatewayClient) -> None:
    """Close a client, also one that was cancelled while it logged in."""
    await client.close()
    # A sentinel before the log-in, whatever its type says.
    connector: Any = client.http.connector
    if isinstance(connector, aiohttp.BaseConnector) and not connector.closed:
        await connector.close()


async def _ended(client: GatewayClient) -> str:
    """Listen until the connection is over for good, and return the reason in plain words."""
    try:
        await client.connect(reconnect=True)
    except discord.PrivilegedIntentsRequired:
        return _INTENTS
    except discord.ConnectionClosed as closed:
        return _TOKEN if closed.code == _BAD_TOKEN else f"Discord closed it with {closed.code}"
    except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
        return f"the connection to Discord failed ({type(error).__name__})"
    except Exception:
        # discord.py fails with an AttributeError if the very first connection does.
        log.exception("the connection to Discord failed")
        return "the connection to Discord failed"
    return "Discord closed the connection"
