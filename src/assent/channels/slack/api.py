"""Slack's Web API: kept within its limits, and with its refusals as `ChannelError`."""

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from assent.errors import ChannelError

BASE_URL: Final = "https://slack.com/api/"
CALL_SECONDS: Final = 10.0
# A channel takes a message in a second, by the time at which they arrive. Updates may come 50 in a
# minute: ten at once, and then forty a minute, stay below that in every minute.
POST_SECONDS: Final = 1.1
UPDATES_AT_ONCE: Final = 10
UPDATES_PER_SECOND: Final = 40 / 60
# All others take forms only.
_JSON_METHODS: Final = ("chat.", "views.")
_PACED_CHANNELS: Final = 1_000
# What an update and a message to one user take of a message's content.
_CHANGED: Final = ("text", "blocks", "parse", "link_names")
# The whole channel waits: for an admin, or for Slack.
_WHOLE: Final = frozenset(
    {
        *("invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired"),
        *("missing_scope", "not_allowed_token_type", "org_login_required", "ekm_access_denied"),
        *(
            "accesslimited",
            "team_access_not_granted",
            "team_added_to_org",
            "enterprise_is_restricted",
        ),
        *("ratelimited", "rate_limited", "service_unavailable", "internal_error", "fatal_error"),
        *("request_timeout", "two_factor_setup_required", "access_denied"),
    }
)
# Another attempt may go better, also without anybody doing anything.
_PASSING: Final = frozenset(
    {"update_failed", "external_channel_migrating", "message_limit_exceeded"}
)
# The message may be there all the same.
_UNSURE: Final = frozenset({"internal_error", "fatal_error", "request_timeout"})
# A message can be changed no more: it was deleted, is too old, or is not ours.
LOST: Final = frozenset({"message_not_found", "cant_update_message", "edit_window_closed"})
_SECRET: Final = re.compile(r"xox[a-z]-[\w-]+|xapp-[\w-]+|ticket=[^&\s'\"]+|/link/\w+")


class SlackRefused(ChannelError):
    """Slack answered with an error; `error` is its code."""

    code = "slack_refused"

    def __init__(self, method: str, error: str, retry_after: float | None, needed: str) -> None:
        self.error = error
        whole = error in _WHOLE
        scope = f", the app needs the scope {needed}" if needed else ""
        super().__init__(
            f"Slack refused {method}: {error}{scope}",
            permanent=not whole and error not in _PASSING,
            whole=whole,
            unsent=error not in _UNSURE,
            retry_after=retry_after,
        )


class _Redacted(logging.Filter):
    """Keeps tokens out of what Slack's SDK logs."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = _SECRET.sub("…", record.getMessage()), ()
        # A traceback would repeat addresses with tickets in them.
        record.exc_info, record.exc_text = None, None
        return True


def sdk_logger() -> logging.Logger:
    """Return the logger for Slack's SDK.

    Never below WARNING: its debug lines hold whole payloads, with what people typed in modals.
    """
    logger = logging.getLogger("assent.channels.slack.sdk")
    logger.setLevel(logging.WARNING)
    if not any(isinstance(each, _Redacted) for each in logger.filters):
        logger.addFilter(_Redacted())
    return logger


class Pacing:
    """Slack's limits, kept before Slack has to."""

    def __init__(self) -> None:
        self._next_post: dict[str, float] = {}
        self._updates, self._counted_at = float(UPDATES_AT_ONCE), 0.0

    async def post(self, channel: str) -> None:
        """Wait until this channel takes another message."""
        now = asyncio.get_running_loop().time()
        if len(self._next_post) > _PACED_CHANNELS:
            self._next_post = {id: at for id, at in self._next_post.items() if at > now}
        at = max(now, self._next_post.get(channel, 0.0))
        self._next_post[channel] = at + POST_SECONDS
        await asyncio.sleep(at - now)

    async def update(self) -> None:
        """Wait until another update may be made."""
        self._refill()
        self._updates -= 1
        if self._updates < 0:
            await asyncio.sleep(-self._updates / UPDATES_PER_SECOND)

    @property
    def has_spare_updates(self) -> bool:
        """True if an update that may be left out takes no other's place."""
        self._refill()
        return self._updates >= UPDATES_AT_ONCE / 2

    def _refill(self) -> None:
        now = asyncio.get_running_loop().time()
        gained = (now - self._counted_at) * UPDATES_PER_SECOND
        self._updates = min(float(UPDATES_AT_ONCE), self._updates + gained)
        self._counted_at = now


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The app as Slack knows it: its workspace, and its own user there."""

    team: str
    user: str


class SlackApi:
    """Calls methods with one token. Nothing is tried again here: the SDK would post twice."""

    def __init__(self, token: str, base_url: str) -> None:
        self._token, self._base_url = token, base_url
        self._session: aiohttp.ClientSession | None = None
        self._client: Any = None
        self._identity: Identity | None = None
        self._directs: dict[str, str] = {}
        self.pacing = Pacing()

    async def open(self) -> None:
        """Get ready to call; nothing is called yet."""
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=CALL_SECONDS))
        self._client = AsyncWebClient(
            token=self._token,
            base_url=self._base_url,
            session=self._session,
            retry_handlers=[],
            logger=sdk_logger(),
        )

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()

    @property
    def client(self) -> Any:
        """The SDK's client, whose own types are not complete."""
        if self._client is None:
            raise ChannelError("the channel is not open", whole=True)
        return self._client

    async def identity(self, *, again: bool = False) -> Identity:
        """Return who the app is; asks Slack once, or `again`."""
        if self._identity is None or again:
            found = await self.call("auth.test")
            self._identity = Identity(team=str(found["team_id"]), user=str(found["user_id"]))
        return self._identity

    async def direct(self, user: str) -> str:
        """Return the id of the conversation with one user."""
        if user not in self._directs:
            opened = await self.call("conversations.open", {"users": user})
            self._directs[user] = str(opened["channel"]["id"])
        return self._directs[user]

    async def post(self, channel: str, content: Mapping[str, Any]) -> str:
        """Post a message and return its timestamp."""
        await self.pacing.post(channel)
        return str((await self.call("chat.postMessage", {"channel": channel, **content}))["ts"])

    async def change(self, channel: str, ts: str, content: Mapping[str, Any]) -> None:
        """Replace what a message shows."""
        await self.pacing.update()
        shown = {name: content[name] for name in _CHANGED if name in content}
        await self.call("chat.update", {"channel": channel, "ts": ts, **shown})

    async def remove(self, channel: str, ts: str) -> None:
        """Delete a message."""
        await self.call("chat.delete", {"channel": channel, "ts": ts})

    async def whisper(
        self, channel: str, user: str, content: Mapping[str, Any], *, thread: str = ""
    ) -> None:
        """Show a message to one user."""
        shown = {name: content[name] for name in _CHANGED if name in content}
        place = {"channel": channel, "user": user, **({"thread_ts": thread} if thread else {})}
        await self.call("chat.postEphemeral", {**place, **shown})

    async def respond(self, url: str, message: Mapping[str, Any]) -> bool:
        """Answer an interaction where it came from; False if it takes no more answers."""
        client = AsyncWebhookClient(
            url, session=self._session, logger=sdk_logger(), retry_handlers=[]
        )
        try:
            return (await client.send_dict(dict(message))).status_code == 200
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            reason = f"Slack did not take an answer: {type(error).__name__}"
            raise ChannelError(reason) from None

    async def call(
        self, method: str, arguments: Mapping[str, Any] | None = None, *, token: str | None = None
    ) -> dict[str, Any]:
        """Call a method; raises `SlackRefused`, or `ChannelError` if Slack cannot be reached."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        takes_json = method.startswith(_JSON_METHODS)
        given = {"json" if takes_json else "params": dict(arguments or {})}
        try:
            answer = await self.client.api_call(method, headers=headers, **given)
        except SlackApiError as error:
            raise _refusal(method, error.response) from None
        except (aiohttp.ClientError, SlackClientError, OSError, TimeoutError) as error:
            reason = f"Slack did not answer {method}: {type(error).__name__}"
            unsent = isinstance(error, aiohttp.ClientConnectorError)
            raise ChannelError(reason, whole=True, unsent=unsent) from None
        return cast("dict[str, Any]", answer.data)


def _refusal(method: str, response: Any) -> ChannelError:
    data: Any = getattr(response, "data", None)
    answer = cast("dict[str, Any]", data) if isinstance(data, dict) else {}
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0) or 0)
    wait = _seconds(getattr(response, "headers", {}))
    if status == 429:
        return SlackRefused(method, "ratelimited", wait or 1.0, "")
    if status != 200 or "error" not in answer:
        return ChannelError(f"Slack answered {method} with status {status}", whole=True)
    error, needed = str(answer["error"])[:80], str(answer.get("needed", ""))[:80]
    return SlackRefused(method, error, wait, needed)


def _seconds(headers: Mapping[str, str]) -> float | None:
    said = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    return float(said) if said.isdecimal() and len(said) < 6 else None
