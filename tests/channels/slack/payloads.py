"""JSON that Slack sends to apps: messages, modals, events, interactions, commands."""

from typing import Any

from tests.channels.slack.workspace import (
    APP,
    BOT_ID,
    TEAM,
    Channel,
    ChannelKind,
    Ephemeral,
    Message,
    User,
    View,
)

# Apps are told to check signatures instead; Slack still sends it.
VERIFICATION_TOKEN = "deprecated-verification-token"
_CHANNEL_TYPES = {
    ChannelKind.PUBLIC: "channel",
    ChannelKind.PRIVATE: "group",
    ChannelKind.DIRECT: "im",
}


def message_json(message: Message | Ephemeral, *, with_metadata: bool = False) -> dict[str, Any]:
    """A message; its metadata only if it was asked for."""
    json: dict[str, Any] = {
        "type": "message",
        "user": message.user,
        "text": message.text,
        "ts": message.ts,
        "channel": message.channel,
        "team": TEAM,
    }
    if message.blocks:
        json["blocks"] = message.blocks
    if message.thread:
        json["thread_ts"] = message.thread
    if isinstance(message, Message):
        if message.by_app:
            json |= {"bot_id": BOT_ID, "app_id": APP}
        if with_metadata and message.metadata:
            json["metadata"] = message.metadata
    return json


def view_json(view: View) -> dict[str, Any]:
    """A modal with what the user entered so far."""
    optional = {"submit": None, "close": None, "private_metadata": "", "callback_id": ""}
    return {
        **optional,
        "external_id": "",
        "clear_on_close": False,
        "notify_on_close": False,
        **view.payload,
        "id": view.id,
        "team_id": TEAM,
        "app_id": APP,
        "bot_id": BOT_ID,
        "hash": view.hash,
        "root_view_id": view.root,
        "previous_view_id": view.previous,
        "state": {"values": view.values},
    }


def event_json(event: dict[str, Any], *, id: str, at: float) -> dict[str, Any]:
    """An event in the wrapper in which it is delivered."""
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": TEAM,
        "api_app_id": APP,
        "event": event,
        "type": "event_callback",
        "event_id": id,
        "event_time": int(at),
        "authorizations": [{"team_id": TEAM, "is_bot": True, "is_enterprise_install": False}],
    }


def said_json(
    message: Message, channel: Channel, user: User, *, mention: bool = False
) -> dict[str, Any]:
    """The event that tells of a message."""
    said = {**message_json(message), "event_ts": message.ts, "team": user.team}
    if mention:
        return {**said, "type": "app_mention"}
    return {**said, "channel_type": _CHANNEL_TYPES[channel.kind]}


def _interaction(kind: str, user: User, trigger: str) -> dict[str, Any]:
    return {
        "type": kind,
        "token": VERIFICATION_TOKEN,
        "api_app_id": APP,
        "team": {"id": TEAM, "domain": "loopback"},
        "user": {
            "id": user.id,
            "username": user.name,
            "name": user.name,
            "team_id": user.team,
        },
        "enterprise": None,
        "is_enterprise_install": False,
        "trigger_id": trigger,
    }


def message_action_json(
    user: User,
    channel: Channel,
    message: Message | Ephemeral,
    action: dict[str, Any],
    *,
    trigger: str,
    response_url: str,
) -> dict[str, Any]:
    """A press of a button in a message."""
    container: dict[str, Any] = {
        "type": "message",
        "message_ts": message.ts,
        "channel_id": channel.id,
        "is_ephemeral": isinstance(message, Ephemeral),
    }
    if message.thread:
        container["thread_ts"] = message.thread
    # An ephemeral message is not sent back: Slack does not keep it.
    shown = {} if isinstance(message, Ephemeral) else {"message": message_json(message)}
    return {
        **_interaction("block_actions", user, trigger),
        "container": container,
        "channel": {"id": channel.id, "name": channel.name},
        **shown,
        "state": {"values": {}},
        "response_url": response_url,
        "actions": [action],
    }


def view_action_json(
    user: User, view: View, action: dict[str, Any], *, trigger: str
) -> dict[str, Any]:
    """A press or a choice in a modal."""
    return {
        **_interaction("block_actions", user, trigger),
        "container": {"type": "view", "view_id": view.id},
        "view": view_json(view),
        "actions": [action],
    }


def submission_json(user: User, view: View, *, trigger: str) -> dict[str, Any]:
    """A submitted modal."""
    return {
        **_interaction("view_submission", user, trigger),
        "view": view_json(view),
        "response_urls": [],
    }


def closed_json(user: User, view: View, *, cleared: bool) -> dict[str, Any]:
    """A modal that was closed without being submitted."""
    closed = _interaction("view_closed", user, "")
    del closed["trigger_id"]
    return {**closed, "view": view_json(view), "is_cleared": cleared}


def command_json(
    user: User, channel: Channel, command: str, text: str, *, trigger: str, response_url: str
) -> dict[str, str]:
    """A slash command; it comes as a form."""
    return {
        "token": VERIFICATION_TOKEN,
        "team_id": TEAM,
        "team_domain": "loopback",
        "channel_id": channel.id,
        "channel_name": channel.name,
        "user_id": user.id,
        "user_name": user.name,
        "command": command,
        "text": text,
        "api_app_id": APP,
        "is_enterprise_install": "false",
        "response_url": response_url,
        "trigger_id": trigger,
    }
