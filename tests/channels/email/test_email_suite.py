"""The suite of channels over mail: a thread of mails counts as one post, in its newest state."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from assent import Person, approve
from assent.channels.email import Email
from assent.channels.reference import DIGEST_CHARS, Reference
from assent.testing.channel_stage import BOB, OPS, playing
from assent.testing.channels import Fault, Heard, PeopleSuite, Shown, Stage
from tests.channels.email.mailhost import DROP_KEPT, At, Mailhost, Received

FAULTS: dict[Fault, tuple[At, str]] = {
    Fault.RATE_LIMIT: (At.MAIL, "451 too many mails"),
    Fault.LOST_REPLY: (At.DATA, DROP_KEPT),
    Fault.REFUSAL: (At.RCPT, "550 no such user"),
}


@dataclass
class EmailStage:
    """Mailboxes of people; a mail that comes twice, by its id, is kept once."""

    database: str
    host: Mailhost
    read_from: int = 0

    @property
    def place(self) -> str:
        return self.chat_id("ann")

    def channel(self) -> Email:
        return Email(
            host="127.0.0.1",
            port=self.host.port,
            tls="none",
            sender="Assent <assent@example.com>",
            per_second=100,
        )

    def chat_id(self, name: str) -> str:
        return f"{name}@example.com"

    async def shown(self, place: str) -> Sequence[Shown]:
        threads: dict[str, list[Received]] = {}
        known = set[str]()
        for mail in self.host.received[self.read_from :]:
            id = str(mail.message["Message-ID"])
            if mail.to == place and id not in known:
                known.add(id)
                threads.setdefault(str(mail.message["References"] or id), []).append(mail)
        return [_shown(mails) for mails in threads.values()]

    async def press(self, name: str, button: str) -> Heard:
        raise NotImplementedError("nobody presses anything in a mail")

    async def fill(self, name: str, form: Heard, values: Mapping[str, str]) -> Heard:
        raise NotImplementedError("nobody fills in anything in a mail")

    async def write(self, name: str, text: str) -> None:
        raise NotImplementedError("nobody answers these mails")

    async def fault(self, fault: Fault) -> None:
        match fault:
            case Fault.OUTAGE:
                await self.host.go_down()
            case Fault.RECOVERY:
                await self.host.listen()
            case Fault.DELETION:
                self.read_from = len(self.host.received)
            case _:
                at, answer = FAULTS[fault]
                self.host.script(at, answer)


def _shown(mails: list[Received]) -> Shown:
    """The newest mail of a thread. Its link stands for the buttons of the page behind it."""
    newest = mails[-1]
    text = newest.part("plain").replace("\r\n", "\n")
    request = re.search(r"\b(req_[0-9a-f]+) ·", text)
    verbs = ("approve", "reject", "details") if "Review and decide" in text else ("details",)
    buttons = [
        str(Reference(verb=verb, request_id=request[1], digest="0" * DIGEST_CHARS))
        for verb in verbs
        if request and "Open the request" not in text
    ]
    raw = "\n".join(mail.raw.decode() for mail in mails) + text + newest.part("html")
    return Shown(text=f"{newest.message['Subject']}\n{text}", buttons=tuple(buttons), raw=raw)


class TestEmail(PeopleSuite):
    @pytest.fixture
    async def stage(self, url: str) -> AsyncIterator[EmailStage]:
        async with Mailhost() as host:
            yield EmailStage(database=url, host=host)

    async def test_a_vote_of_several_is_shown(self, stage: Stage) -> None:
        """A mail cannot be changed, and one for every vote is too many: the page shows them."""
        await _voted_quietly(stage)

    async def test_a_deleted_post_of_an_open_request_is_shown_again(self, stage: Stage) -> None:
        """People delete their mails because they want to: none comes again."""
        await _voted_quietly(stage, Fault.DELETION)


async def _voted_quietly(stage: Stage, fault: Fault | None = None) -> None:
    async with playing(stage, quorum=2) as play:
        request: Any = await play.pay()
        await play.post()
        if fault is not None:
            await stage.fault(fault)
        before = await stage.shown(stage.place)

        await play.assent.decide(request, approve(), by=Person(BOB, roles=OPS))
        await play.idle()

        assert await stage.shown(stage.place) == before
