"""A small app written with the real slack-bolt, reached over HTTP or through a socket."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.accepting import accepted
from tests.channels.slack.server import LoopbackSlack


def client_of(slack: LoopbackSlack, token: str | None = None) -> Any:
    """The SDK's client, which itself tries nothing again.

    Its types say that every field of an answer may be missing, so it goes without them.
    """
    return AsyncWebClient(
        token=slack.bot_token if token is None else token,
        base_url=slack.base_url,
        retry_handlers=[],
    )


def bolt_app(slack: LoopbackSlack) -> AsyncApp:
    """An app without listeners."""
    return AsyncApp(client=client_of(slack), signing_secret=slack.signing_secret)


@asynccontextmanager
async def in_socket_mode(
    slack: LoopbackSlack, app: AsyncApp, *, ping_interval: float = 10
) -> AsyncIterator[None]:
    """Run the app in Socket Mode."""
    handler = AsyncSocketModeHandler(app, slack.app_token, ping_interval=ping_interval)
    await handler.connect_async()
    try:
        await slack.until_connected()
        yield
    finally:
        await handler.close_async()


@asynccontextmanager
async def over_http(slack: LoopbackSlack, app: AsyncApp) -> AsyncIterator[None]:
    """Serve the app on a port of its own."""

    async def serve(request: web.Request) -> web.Response:
        reply = await app.async_dispatch(await to_bolt_request(request))
        return await to_aiohttp_response(reply)

    served = web.Application()
    served.router.add_post("/slack/events", serve)
    runner = web.AppRunner(served, access_log=None, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.reach_app_at(f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events")
    try:
        yield
    finally:
        await accepted()
        await runner.cleanup()


def section(text: str, **more: Any) -> dict[str, Any]:
    """A block of text."""
    return {"type": "section", "text": {"type": "plain_text", "text": text}, **more}


def button(label: str, action: str, **more: Any) -> dict[str, Any]:
    """A button."""
    text = {"type": "plain_text", "text": label}
    return {"type": "button", "text": text, "action_id": action, **more}


def actions(*elements: dict[str, Any]) -> dict[str, Any]:
    """A row of buttons."""
    return {"type": "actions", "elements": list(elements)}


def text_field(label: str, block: str, **more: Any) -> dict[str, Any]:
    """A field for text in a modal."""
    element = {"type": "plain_text_input", "action_id": "value", **more.pop("element", {})}
    words = {"type": "plain_text", "text": label}
    return {"type": "input", "block_id": block, "label": words, "element": element, **more}


def modal(*blocks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A modal with a title and a submit button."""
    return {
        "type": "modal",
        "title": {"type": "plain_text", "text": "Edit"},
        "submit": {"type": "plain_text", "text": "Save"},
        "callback_id": "edit",
        "blocks": list(blocks),
        **more,
    }
