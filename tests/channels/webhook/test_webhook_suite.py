"""The suite of channels over webhooks: a receiver that keeps the newest message of each request."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from assent.channels.reference import DIGEST_CHARS, Reference
from assent.channels.webhook import Webhook
from assent.channels.webhook.signing import new_secret
from assent.testing.channel_stage import OWNER, playing
from assent.testing.channels import ChannelSuite, Fault, Heard, Shown, Stage
from tests.channels.webhook.receiver import Answer, Cut, WebhookReceiver
from tests.channels.webhook.receiver import Script as Scripted

SECRET = new_secret()
FAULTS: dict[Fault, Scripted] = {
    Fault.RATE_LIMIT: Answer(status=429, headers={"Retry-After": "1"}),
    Fault.LOST_REPLY: Cut(),
    Fault.REFUSAL: Answer(status=422),
}


@dataclass
class WebhookStage:
    """A program that reads webhooks; one that it did not answer with 2xx does not count."""

    database: str
    receiver: WebhookReceiver
    place: str = "endpoint"
    read_from: int = 0

    def channel(self) -> Webhook:
        return Webhook(
            self.receiver.url,
            secrets=SECRET,
            allow="127.0.0.1",
            plain_http=True,
            per_second=100,
        )

    def chat_id(self, name: str) -> str:
        return f"nobody-{name}"

    async def shown(self, place: str) -> Sequence[Shown]:
        if place != self.place:
            return []
        newest: dict[str, tuple[Any, str]] = {}
        known = set[str]()
        there = self.receiver
        for request, message, answer in [
            *zip(there.requests, there.messages, there.answers, strict=True)
        ][self.read_from :]:
            is_taken = answer == Cut() or (isinstance(answer, Answer) and answer.status < 300)
            # A repeated message is known by its id.
            id = request.headers["webhook-id"]
            if is_taken and id not in known:
                known.add(id)
                newest[message["data"]["id"]] = (message, request.body.decode())
        return [_shown(message, raw) for message, raw in newest.values()]

    async def press(self, name: str, button: str) -> Heard:
        raise NotImplementedError("nobody presses anything in a webhook")

    async def fill(self, name: str, form: Heard, values: Mapping[str, str]) -> Heard:
        raise NotImplementedError("nobody fills in anything in a webhook")

    async def write(self, name: str, text: str) -> None:
        raise NotImplementedError("nobody writes in a webhook")

    async def fault(self, fault: Fault) -> None:
        match fault:
            case Fault.OUTAGE:
                await self.receiver.go_down()
            case Fault.RECOVERY:
                await self.receiver.listen()
            case Fault.DELETION:
                self.read_from = len(self.receiver.requests)
            case _:
                self.receiver.script(FAULTS[fault])


def _shown(message: dict[str, Any], raw: str) -> Shown:
    """What a program knows: it may decide with the digest of what it got in full."""
    data = message["data"]
    verbs = ("approve", "reject", "details") if data["complete"] else ("details",)
    digest = data["digest"][:DIGEST_CHARS]
    buttons = [str(Reference(verb=v, request_id=data["id"], digest=digest)) for v in verbs]
    words = raw if data["complete"] else f"{raw} is not shown in full"
    return Shown(text=words, buttons=tuple(buttons) if data["status"] == "open" else (), raw=raw)


class TestWebhook(ChannelSuite):
    @pytest.fixture
    async def stage(self, url: str) -> AsyncIterator[WebhookStage]:
        async with WebhookReceiver(SECRET) as receiver:
            yield WebhookStage(database=url, receiver=receiver)

    async def test_a_newer_message_is_shown(self, stage: Stage) -> None:
        """A program reads the status, which is no sentence."""
        async with playing(stage) as play:
            await play.pay()
            await play.post()
            talk = play.turns[-1].conversation_id
            await play.assent.send(
                "agent", "Never mind.", by=OWNER, conversation_id=talk, on_pending="supersede"
            )

            assert '"status":"superseded"' in (await play.settled_post()).text
