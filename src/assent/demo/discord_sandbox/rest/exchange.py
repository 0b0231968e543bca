"""Requests and responses as Discord's REST interface reads and writes them."""

import json
from typing import Any, cast

from aiohttp import web

from assent.demo.discord_sandbox import refusals
from assent.demo.discord_sandbox.form_body import one_error
from assent.demo.discord_sandbox.permissions import Permission
from assent.demo.discord_sandbox.places import Channel, Message
from assent.demo.discord_sandbox.refusals import Payload, Refusal
from assent.demo.discord_sandbox.world import World

BASE = "/api/v10"


def reply(data: object, status: int = 200) -> web.Response:
    """Return a JSON response; its content type has no charset, which clients compare."""
    text = json.dumps(data, separators=(",", ":")).encode()
    return web.Response(body=text, status=status, content_type="application/json")


def nothing() -> web.Response:
    """Return a response without a body."""
    return web.Response(status=204)


def refused(refusal: Refusal) -> web.Response:
    """Return a refusal as a response."""
    return reply(refusal.json(), refusal.status)


async def body_of(request: web.Request) -> Payload:
    """Return the JSON object in a request."""
    found = await json_of(request)
    if not isinstance(found, dict):
        raise _invalid("Only dictionaries may be used in a ModelType")
    return cast("Payload", found)


async def json_of(request: web.Request) -> Any:
    """Return the JSON in a request; no body at all counts as an empty object."""
    text = await request.text()
    if not text:
        return {}
    if request.content_type != "application/json":
        raise _invalid("Expected \"Content-Type\" header to be one of {'application/json'}.")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal(400, 50109, "The request body contains invalid JSON.") from None


def id_in(request: web.Request, name: str) -> int:
    """Return an id from the path."""
    text = request.match_info[name]
    if text.isascii() and text.isdecimal():
        return int(text)
    raise one_error(name, "NUMBER_TYPE_COERCE", f'Value "{text[:40]}" is not snowflake.')


def channel_in(request: web.Request, world: World) -> Channel:
    """Return the channel in the path, if the bot may see it."""
    channel = world.channel(id_in(request, "channel"))
    if Permission.VIEW_CHANNEL not in channel.permissions():
        raise refusals.missing_access()
    return channel


def message_in(request: web.Request, channel: Channel) -> Message:
    """Return the message in the path; a bot finds no ephemeral message this way."""
    message = channel.messages.get(id_in(request, "message"))
    if message is None or message.is_ephemeral:
        raise refusals.unknown_message()
    return message


def require(channel: Channel, *permissions: Permission) -> None:
    """Raise the refusal unless the bot has all these permissions; direct messages need none."""
    granted = channel.permissions()
    if channel.guild_id is not None and not all(each in granted for each in permissions):
        raise refusals.missing_permissions()


def _invalid(words: str) -> Exception:
    return one_error("_body", "CONTENT_TYPE_INVALID", words)
