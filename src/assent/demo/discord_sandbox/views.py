"""The page's view of people, channels and messages, as plain JSON."""

from assent.demo.discord_sandbox.interactions import Modal
from assent.demo.discord_sandbox.places import Channel, Message, MessageType, User
from assent.demo.discord_sandbox.refusals import Payload
from assent.demo.discord_sandbox.world import World

_QUOTED_CHARS = 120


def user_view(user: User) -> Payload:
    """Return a person for the page."""
    return {"id": str(user.id), "name": user.display_name, "bot": user.is_bot}


def channel_view(channel: Channel, world: World) -> Payload:
    """Return a channel for the page."""
    now = world.now()
    typing = [id for id, until in channel.typing.items() if until > now and id in world.users]
    return {
        "id": str(channel.id),
        "type": channel.type.name.lower(),
        "name": channel.name,
        "topic": channel.topic,
        "parent": str(channel.parent.id) if channel.parent else "",
        "archived": channel.is_archived,
        "locked": channel.is_locked,
        "count": len(channel.messages),
        "typing": [world.users[id].display_name for id in typing],
    }


def message_view(message: Message, me: User, world: World) -> Payload:
    """Return a message for the page."""
    thread = world.channels.get(message.thread_id) if message.thread_id else None
    view: Payload = {
        "id": str(message.id),
        "channel": str(message.channel_id),
        "version": message.version,
        "author": user_view(message.author),
        "at": message.created_at.isoformat(),
        "edited": message.edited_at is not None,
        "content": message.content,
        "embeds": message.embeds,
        "components": message.components,
        "ephemeral": message.is_ephemeral,
        "loading": message.is_loading,
        "mentioned": me in message.mentions or message.mention_everyone,
        "thread": str(thread.id) if thread else "",
        "reply": None if message.reply_to is None else _quoted(message.reply_to),
    }
    if message.type is MessageType.CHAT_INPUT_COMMAND and message.interaction is not None:
        view["command"] = {"user": message.interaction["user"]["global_name"]}
    return view


def modal_view(modal: Modal) -> Payload:
    """Return an open modal for the page; its id tells two with the same fields apart."""
    return {**modal.data, "id": str(modal.opener.id), "problem": modal.problem}


def _quoted(message: Message) -> Payload:
    return {"author": user_view(message.author), "text": message.content[:_QUOTED_CHARS]}
