"""Methods of the Web API about messages."""

import json
from typing import Any

from tests.channels.slack.api import Answer, Api, ApiRefusal, Arguments
from tests.channels.slack.blocks import elements_of, message_complaints, too_long
from tests.channels.slack.conversations import seen
from tests.channels.slack.payloads import message_json
from tests.channels.slack.schema import units
from tests.channels.slack.workspace import BOT_USER, Channel, ChannelKind, Message

POST_CHARS = 40_000
UPDATE_CHARS = 4_000
METADATA_CHARS = 8_000


def post_message(api: Api, args: Arguments) -> Answer:
    api.need("chat:write")
    channel = _posted_to(api, args.text("channel"))
    content = _content(api, args, POST_CHARS)
    message = api.workspace.post(
        channel,
        BOT_USER,
        thread=_thread(api, channel, args),
        metadata=_metadata(args),
        unfurls=args.flag("unfurl_links") or args.flag("unfurl_media", default=True),
        **content,
    )
    api.announce({"type": "message", **message_json(message)})
    return {"channel": channel.id, "ts": message.ts, "message": message_json(message)}


def post_ephemeral(api: Api, args: Arguments) -> Answer:
    api.need("chat:write")
    channel = _posted_to(api, args.text("channel"))
    user = args.text("user")
    if user not in channel.members:
        raise ApiRefusal("user_not_in_channel")
    content = _content(api, args, POST_CHARS)
    thread = _thread(api, channel, args)
    return {"message_ts": api.workspace.whisper(channel, user, thread=thread, **content).ts}


def update(api: Api, args: Arguments) -> Answer:
    api.need("chat:write")
    message = _own(api, args, "cant_update_message")
    if api.workspace.channels[message.channel].archived:
        raise ApiRefusal("is_inactive")
    content = _content(api, args, UPDATE_CHARS)
    if content["blocks"] and _is_rich(message.blocks) and not _is_rich(content["blocks"]):
        raise ApiRefusal("block_mismatch")
    message.text, message.blocks = content["text"], content["blocks"]
    message.formatted = content["formatted"]
    if args.has("metadata"):
        message.metadata = _metadata(args) or None
    message.edits += 1
    api.workspace.changes.note()
    changed = {"subtype": "message_changed", "message": message_json(message), "hidden": True}
    api.announce({"type": "message", "channel": message.channel, "ts": message.ts, **changed})
    return {
        "channel": message.channel,
        "ts": message.ts,
        "text": message.text,
        "message": message_json(message),
    }


def delete(api: Api, args: Arguments) -> Answer:
    api.need("chat:write")
    message = _own(api, args, "cant_delete_message")
    message.deleted = True
    api.workspace.changes.note()
    return {"channel": message.channel, "ts": message.ts}


def checked_blocks(api: Api, blocks: Any) -> list[Any]:
    """The blocks as Slack keeps them, with ids where the app gave none; refuses wrong ones."""
    if not isinstance(blocks, list):
        raise ApiRefusal("invalid_blocks_format")
    if complaints := message_complaints(blocks):
        raise ApiRefusal("invalid_blocks", complaints)
    return named_blocks(api, blocks)


def named_blocks(api: Api, blocks: list[Any]) -> list[Any]:
    """A copy of blocks in which every block and element has an id."""
    named = json.loads(json.dumps(blocks))
    for block in named:
        block.setdefault("block_id", f"b{api.workspace.number()}")
        for element in elements_of(block):
            element.setdefault("action_id", f"a{api.workspace.number()}")
    return named


def _posted_to(api: Api, name: str) -> Channel:
    """The channel that an id, a name or a user's id stands for."""
    workspace = api.workspace
    if name in workspace.users and not workspace.users[name].is_bot:
        return workspace.direct(name)
    by_name = [each for each in workspace.channels.values() if each.name == name.lstrip("#")]
    channel = by_name[0] if by_name and name not in workspace.channels else seen(api, name)
    if channel.archived:
        raise ApiRefusal("is_archived")
    if BOT_USER not in channel.members:
        is_public = channel.kind is ChannelKind.PUBLIC
        raise ApiRefusal("not_in_channel" if is_public else "channel_not_found")
    return channel


def _content(api: Api, args: Arguments, most: int) -> dict[str, Any]:
    text = args.text("text", "")
    blocks = args.json("blocks", "invalid_blocks_format")
    if not text and not blocks:
        raise ApiRefusal("no_text")
    if units(text) > most:
        raise ApiRefusal("msg_too_long")
    checked = checked_blocks(api, blocks or [])
    if too_long(checked):
        raise ApiRefusal("msg_blocks_too_long")
    return {"text": text, "blocks": checked, "formatted": args.flag("mrkdwn", default=True)}


def _thread(api: Api, channel: Channel, args: Arguments) -> str | None:
    if not args.has("thread_ts"):
        return None
    root = api.workspace.message(channel.id, args.text("thread_ts"))
    if root is None or root.thread not in (None, root.ts):
        raise ApiRefusal("cannot_reply_to_message")
    return root.ts


def _metadata(args: Arguments) -> dict[str, Any] | None:
    metadata = args.json("metadata", "invalid_metadata_format")
    if metadata is None or metadata == {}:
        return metadata
    if set(metadata) != {"event_type", "event_payload"}:
        raise ApiRefusal("invalid_metadata_format")
    if len(json.dumps(metadata)) > METADATA_CHARS:
        raise ApiRefusal("metadata_too_large")
    return metadata


def _own(api: Api, args: Arguments, foreign: str) -> Message:
    channel = seen(api, args.text("channel"))
    message = api.workspace.message(channel.id, args.text("ts"))
    if message is None:
        raise ApiRefusal("message_not_found")
    if not message.by_app:
        raise ApiRefusal(foreign)
    return message


def _is_rich(blocks: list[Any]) -> bool:
    return any(block["type"] == "rich_text" for block in blocks)
