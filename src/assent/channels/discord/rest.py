"""Requests to Discord with the bot's token. discord.py keeps to the rate limits."""

import json
from contextlib import suppress
from typing import Any, Final, cast

import aiohttp
import discord
from discord.http import HTTPClient, Route

from assent.errors import ChannelError, MessageGone

Payload = dict[str, Any]
# discord.py waits for shorter limits by itself; for a longer one the whole channel pauses.
LONGEST_WAIT_SECONDS: Final = 30.0
ARCHIVED: Final = 50083
EXISTS: Final = 160004
_UNREACHABLE_USER: Final = 50007
_REASONS: Final = {
    50001: "The bot may not see this channel: give it the permission View Channel",
    50013: "The bot may not write here: give it the permissions that docs/discord.md lists",
    _UNREACHABLE_USER: "This person takes no direct messages from the bot",
    160005: "This thread is locked",
}
_NO_MENTIONS: Final[Payload] = {"parse": []}


class Archived(ChannelError):
    """The thread is archived: nothing can be changed in it until it is opened again."""


class ThreadExists(ChannelError):
    """The message has started a thread before; both have the same id."""


class Rest:
    """Requests to Discord; every failure is a `ChannelError` in plain words."""

    def __init__(self, http: HTTPClient) -> None:
        self._http = http
        self._direct: dict[str, str] = {}

    async def request(self, method: str, path: str, *, json: Any = None, **parts: str) -> Any:
        """Make one request; `parts` fill in the path."""
        body = {} if json is None else {"json": json}
        try:
            return await self._http.request(Route(method, path, **parts), **body)
        except discord.RateLimited as error:
            raise _limited(error.retry_after) from None
        except discord.HTTPException as error:
            raise _refused(error) from None
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            words = f"Discord cannot be reached ({type(error).__name__})"
            unsent = isinstance(error, aiohttp.ClientConnectorError)
            raise ChannelError(words, whole=True, unsent=unsent) from None

    async def post(self, channel: str, payload: Payload, *, nonce: str) -> str:
        """Post a message once, whatever happens on the way, and return its id."""
        body = {**payload, "nonce": nonce, "enforce_nonce": True, "allowed_mentions": _NO_MENTIONS}
        path = "/channels/{channel_id}/messages"
        made = await self.request("POST", path, json=body, channel_id=channel)
        return str(made["id"])

    async def edit(self, channel: str, message: str, payload: Payload) -> None:
        """Change a message; an archived thread is opened for it. Raises `MessageGone`."""
        body = {**payload, "allowed_mentions": _NO_MENTIONS}
        path = "/channels/{channel_id}/messages/{message_id}"
        where: dict[str, str] = {"channel_id": channel, "message_id": message}
        try:
            await self.request("PATCH", path, json=body, **where)
        except Archived:
            await self._wake(channel)
            await self.request("PATCH", path, json=body, **where)

    async def delete(self, channel: str, message: str) -> None:
        """Delete a message of the bot; one that is gone already is fine."""
        path = "/channels/{channel_id}/messages/{message_id}"
        with suppress(MessageGone):
            await self.request("DELETE", path, channel_id=channel, message_id=message)

    async def recent(self, channel: str, limit: int) -> list[Payload]:
        """Return the newest messages of a channel, newest first."""
        path = f"/channels/{{channel_id}}/messages?limit={limit}"
        return cast("list[Payload]", await self.request("GET", path, channel_id=channel))

    async def direct(self, user: str) -> str:
        """Return the id of the channel for direct messages to a user."""
        if user not in self._direct:
            path, body = "/users/@me/channels", {"recipient_id": user}
            self._direct[user] = str((await self.request("POST", path, json=body))["id"])
        return self._direct[user]

    async def start_thread(self, channel: str, message: str, name: str) -> str:
        """Open a thread at a message and return its id; one that is there already is fine."""
        path = "/channels/{channel_id}/messages/{message_id}/threads"
        body = {"name": name, "auto_archive_duration": 1440}
        where: dict[str, str] = {"channel_id": channel, "message_id": message}
        try:
            return str((await self.request("POST", path, json=body, **where))["id"])
        except ThreadExists:
            return message

    async def type_in(self, channel: str) -> None:
        """Show for ten seconds that the bot is typing."""
        await self.request("POST", "/channels/{channel_id}/typing", channel_id=channel)

    async def _wake(self, thread: str) -> None:
        body = {"archived": False}
        await self.request("PATCH", "/channels/{channel_id}", json=body, channel_id=thread)


def _limited(seconds: float) -> ChannelError:
    words = "Discord asks to wait before more is sent"
    return ChannelError(words, whole=True, unsent=True, retry_after=seconds)


def _refused(error: discord.HTTPException) -> ChannelError:
    """Return a refusal of Discord in plain words, and whether trying again can help."""
    if error.code == ARCHIVED:
        return Archived("This thread is archived")
    if error.code == EXISTS:
        return ThreadExists("A thread starts at this message already")
    match error.status:
        case 401:
            words = "Discord refuses the bot's token: enter a new one and start again"
            return ChannelError(words, whole=True)
        case 404:
            return MessageGone("The message, thread or channel is not there any more")
        case 429:
            return _limited(_seconds(error.response.headers.get("Retry-After", "")))
        case status if status >= 500:
            return ChannelError(f"Discord answers with error {status}", whole=True)
        case _:
            words = f"Discord refuses this ({error.code}): {_first_words(error)}"
            return ChannelError(_REASONS.get(error.code, words), permanent=True)


def _seconds(text: str) -> float:
    return float(text) if text.replace(".", "", 1).isdecimal() else LONGEST_WAIT_SECONDS


def _first_words(error: discord.HTTPException) -> str:
    return json.dumps(error.text)[:200]
