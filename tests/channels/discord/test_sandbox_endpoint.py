"""Interactions over HTTP: signed, verified beforehand, and answered in the response."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import ClientSession, web
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from assent.demo.discord_sandbox import InteractionStatus
from assent.demo.discord_sandbox.message_body import message_body
from assent.demo.discord_sandbox.refusals import Refusal
from assent.demo.discord_sandbox.world import Draft
from tests.channels.discord.conftest import Place

ROW = {"type": 1, "components": [{"type": 2, "style": 1, "label": "Go", "custom_id": "go"}]}


@dataclass(slots=True)
class Server:
    """An endpoint that checks signatures and gives one answer to everything but a PING."""

    key: str
    is_careless: bool = False
    answer: dict[str, Any] | None = None
    status: int = 200
    heard: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.read()
        signed = request.headers["X-Signature-Timestamp"].encode() + body
        signature = bytes.fromhex(request.headers["X-Signature-Ed25519"])
        try:
            Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key)).verify(signature, signed)
        except InvalidSignature:
            if not self.is_careless:
                return web.Response(status=401)
        interaction = json.loads(body)
        if interaction["type"] == 1:
            return web.json_response({"type": 1})
        self.heard.append(interaction)
        if self.answer is None:
            return web.Response(status=self.status)
        return web.json_response(self.answer)


@pytest_asyncio.fixture
async def server(place: Place) -> AsyncGenerator[Server]:
    found = Server(place.sandbox.application.verify_key)
    app = web.Application()
    app.add_routes([web.post("/interactions", found.handle)])
    runner = web.AppRunner(app, shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    found.url = f"http://127.0.0.1:{runner.addresses[0][1]}/interactions"
    yield found
    await runner.cleanup()


def card(place: Place):
    body = message_body({"content": "Please", "components": [ROW]})
    return place.sandbox.world.post(place.general, Draft(author=place.sandbox.bot, body=body))


async def test_an_endpoint_is_taken_if_it_answers_a_ping_and_checks_signatures(
    place: Place, server: Server
):
    headers = {"Authorization": f"Bot {place.sandbox.token}"}
    address = f"{place.sandbox.api_url}/applications/@me"
    change = {"interactions_endpoint_url": server.url}
    async with ClientSession(headers=headers) as session:
        server.is_careless = True
        async with session.patch(address, json=change) as refused:
            assert (refused.status, (await refused.json())["code"]) == (400, 50035)
        server.is_careless = False
        async with session.patch(address, json=change) as taken:
            assert (await taken.json())["interactions_endpoint_url"] == server.url


async def test_an_address_where_nobody_answers_is_refused(place: Place):
    with pytest.raises(Refusal):
        await place.sandbox.endpoint.use("http://127.0.0.1:9/interactions")


async def test_an_interaction_is_answered_in_the_response(place: Place, server: Server):
    await place.sandbox.endpoint.use(server.url)
    server.answer = {"type": 7, "data": {"content": "Done", "components": []}}
    message = card(place)

    pressed = await place.ada.settled(place.ada.press(message, "Go"))

    assert pressed.status is InteractionStatus.ANSWERED
    assert message.content == "Done"
    [heard] = server.heard
    assert (heard["member"]["user"]["id"], heard["data"]["custom_id"]) == (
        str(place.ada.id),
        "go",
    )
    assert place.sandbox.gateway.sessions == {}


async def test_an_interaction_can_be_answered_by_the_callback_instead(place: Place, server: Server):
    await place.sandbox.endpoint.use(server.url)
    server.status = 202
    pressed = place.ada.press(card(place), "Go")
    path = f"/interactions/{pressed.id}/{pressed.token}/callback"
    async with (
        ClientSession() as session,
        session.post(f"{place.sandbox.api_url}{path}", json={"type": 6}) as response,
    ):
        assert response.status == 204

    assert pressed.status is InteractionStatus.ANSWERED


@pytest.mark.parametrize("answer", [{"type": 4, "data": {}}, {"type": 99}, {"type": 1}])
async def test_an_answer_that_discord_refuses_fails_the_interaction(
    place: Place, server: Server, answer: dict[str, Any]
):
    await place.sandbox.endpoint.use(server.url)
    server.answer = answer

    pressed = await place.ada.settled(place.ada.press(card(place), "Go"))

    assert pressed.status is InteractionStatus.FAILED
    assert len(place.ada.failures) == 1
