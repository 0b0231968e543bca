"""Answers to interactions: posts to a response URL, and words in an acknowledgement."""

from typing import Any

from aiohttp import web

from tests.channels.slack.api import Api, ApiRefusal, Arguments
from tests.channels.slack.chat import checked_blocks
from tests.channels.slack.tickets import ResponseUrl
from tests.channels.slack.workspace import BOT_USER, Ephemeral, Message


def respond(api: Api, id: str, args: Arguments) -> web.Response:
    """Do what an app posts to a response URL; Slack answers in plain text."""
    answer = api.tickets.answer(id)
    if isinstance(answer, str):
        return web.Response(status=404, text=answer)
    try:
        apply_answer(api, answer, args)
    except ApiRefusal as refusal:
        return web.Response(status=400, text=refusal.error)
    return web.Response(text="ok")


def apply_answer(api: Api, answer: ResponseUrl, args: Arguments) -> None:
    """Show an answer to the user, or to all in the channel, or in place of what was acted on."""
    original = _original(api, answer)
    if args.flag("delete_original"):
        if original:
            original.deleted = True
            api.workspace.changes.note()
        return
    text, blocks = args.text("text", ""), args.json("blocks")
    if not text and not blocks:
        raise ApiRefusal("no_text")
    content: dict[str, Any] = {"text": text, "blocks": checked_blocks(api, blocks or [])}
    channel = api.workspace.channels[answer.channel]
    if args.flag("replace_original") and original:
        original.text, original.blocks = content["text"], content["blocks"]
        api.workspace.changes.note()
        return
    thread = args.text("thread_ts", "") or None
    if args.text("response_type", "ephemeral") == "in_channel":
        api.workspace.post(channel, BOT_USER, thread=thread, **content)
    else:
        api.workspace.whisper(channel, answer.user, thread=thread, **content)


def _original(api: Api, answer: ResponseUrl) -> Message | Ephemeral | None:
    channel = api.workspace.channels[answer.channel]
    kept = channel.ephemerals if answer.ephemeral else channel.messages
    return next((each for each in kept if each.ts == answer.ts and not each.deleted), None)
