"""Methods of the Web API about people and conversations."""

from collections.abc import Sequence
from typing import Any

from tests.channels.slack.api import Answer, Api, ApiRefusal, Arguments
from tests.channels.slack.payloads import message_json
from tests.channels.slack.workspace import (
    BOT_ID,
    BOT_USER,
    TEAM,
    Channel,
    ChannelKind,
    Message,
)

_PREFIXES = {
    ChannelKind.PUBLIC: "channels",
    ChannelKind.PRIVATE: "groups",
    ChannelKind.DIRECT: "im",
}


def auth_test(api: Api, args: Arguments) -> Answer:
    return {
        "url": "https://loopback.slack.com/",
        "team": "Loopback",
        "user": "assent",
        "team_id": TEAM,
        "user_id": BOT_USER,
        "bot_id": BOT_ID,
        "is_enterprise_install": False,
    }


def connections_open(api: Api, args: Arguments) -> Answer:
    return {"url": api.socket_url()}


def seen(api: Api, id: str) -> Channel:
    """A channel that the app can look into."""
    channel = api.workspace.channels.get(id)
    if channel is None:
        raise ApiRefusal("channel_not_found")
    if channel.kind is not ChannelKind.PUBLIC and BOT_USER not in channel.members:
        raise ApiRefusal("channel_not_found")
    return channel


def conversations_info(api: Api, args: Arguments) -> Answer:
    channel = seen(api, args.text("channel"))
    api.need(f"{_PREFIXES[channel.kind]}:read")
    return {"channel": _channel_json(channel)}


def conversations_open(api: Api, args: Arguments) -> Answer:
    api.need("im:write")
    if args.has("channel"):
        return {"channel": {"id": seen(api, args.text("channel")).id}}
    ids = [each for each in args.text("users", "").split(",") if each]
    if not ids:
        raise ApiRefusal("users_list_not_supplied")
    if len(ids) > 1:
        raise ApiRefusal("missing_scope", needed="mpim:write", provided="im:write")
    user = api.workspace.users.get(ids[0])
    if user is None:
        raise ApiRefusal("user_not_found")
    if user.deleted:
        raise ApiRefusal("user_disabled")
    return {"channel": {"id": api.workspace.direct(user.id).id}}


def conversations_history(api: Api, args: Arguments) -> Answer:
    channel = _read(api, args)
    top = [each for each in channel.messages if each.thread in (None, each.ts)]
    return _page(args, [each for each in reversed(top) if not each.deleted])


def conversations_replies(api: Api, args: Arguments) -> Answer:
    channel = _read(api, args)
    root = args.text("ts")
    if api.workspace.message(channel.id, root) is None:
        raise ApiRefusal("thread_not_found")
    thread = [each for each in channel.messages if root in (each.ts, each.thread)]
    return _page(args, [each for each in thread if not each.deleted])


def users_info(api: Api, args: Arguments) -> Answer:
    api.need("users:read")
    user = api.workspace.users.get(args.text("user"))
    if user is None:
        raise ApiRefusal("user_not_found")
    return {
        "user": {
            "id": user.id,
            "team_id": user.team,
            "name": user.name,
            "real_name": user.name.title(),
            "deleted": user.deleted,
            "is_bot": user.is_bot,
            "tz": "Europe/Amsterdam",
            "profile": {"real_name": user.name.title(), "display_name": user.name},
        }
    }


def _read(api: Api, args: Arguments) -> Channel:
    channel = seen(api, args.text("channel"))
    api.need(f"{_PREFIXES[channel.kind]}:history")
    if BOT_USER not in channel.members:
        raise ApiRefusal("not_in_channel")
    return channel


def _page(args: Arguments, messages: Sequence[Message]) -> Answer:
    """A page of messages between two timestamps; the cursor is the place to go on from."""
    inclusive = args.flag("inclusive")
    oldest, latest = args.text("oldest", ""), args.text("latest", "")
    within = [
        each
        for each in messages
        if (not oldest or each.ts > oldest or (inclusive and each.ts == oldest))
        and (not latest or each.ts < latest or (inclusive and each.ts == latest))
    ]
    start, size = int(args.text("cursor", "0") or 0), int(args.text("limit", "100"))
    page = within[start : start + size]
    more = len(within) > start + size
    with_metadata = args.flag("include_all_metadata")
    return {
        "messages": [message_json(each, with_metadata=with_metadata) for each in page],
        "has_more": more,
        "response_metadata": {"next_cursor": str(start + size) if more else ""},
    }


def _channel_json(channel: Channel) -> dict[str, Any]:
    people = sorted(channel.members - {BOT_USER})
    return {
        "id": channel.id,
        "name": channel.name,
        "is_channel": channel.kind is ChannelKind.PUBLIC,
        "is_private": channel.kind is not ChannelKind.PUBLIC,
        "is_im": channel.kind is ChannelKind.DIRECT,
        "is_archived": channel.archived,
        "is_member": BOT_USER in channel.members,
        **({"user": people[0]} if channel.kind is ChannelKind.DIRECT else {}),
    }
