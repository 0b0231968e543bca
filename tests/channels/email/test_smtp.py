from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage

import pytest

from assent.channels.email.message import Envelope, mail_of
from assent.channels.email.smtp import Relay, Tls
from assent.errors import ChannelError
from assent.presentation.letter import letter
from tests.channels.certificates import TestAuthority
from tests.channels.email.mailhost import DROP, DROP_KEPT, HANG, At, Mailhost
from tests.presentation.samples import card

SENDER, TO = "assent@example.com", "ann@example.com"


def mail() -> EmailMessage:
    envelope = Envelope(
        sender=Address("Assent", addr_spec=SENDER),
        to=TO,
        id="<1@example.com>",
        at=datetime.now(UTC),
    )
    return mail_of(letter(card({"x": ".\n..\n.x"}), url="https://assent.example/r/1"), envelope)


def relay(host: Mailhost, tls: Tls = Tls.NONE, **more) -> Relay:
    return Relay(host="127.0.0.1", port=host.port, tls=tls, **more)


async def send(to: Relay) -> None:
    async with to.connected() as connection:
        await connection.send(mail(), sender=SENDER, to=TO)


async def failed(sending: Relay) -> ChannelError:
    with pytest.raises(ChannelError) as caught:
        await send(sending)
    return caught.value


async def test_a_mail_arrives_as_it_was_made() -> None:
    async with Mailhost() as host:
        await send(relay(host))

    [received] = host.received
    assert (received.sender, received.to) == (SENDER, TO)
    # Lines that are dots only are doubled on the way and single again.
    assert "│ .\n" in received.part("plain").replace("\r\n", "\n")
    assert received.message["Message-ID"] == "<1@example.com>"


@pytest.mark.parametrize("tls", [Tls.STARTTLS, Tls.IMPLICIT])
async def test_a_connection_is_encrypted_and_its_server_verified(
    authority: TestAuthority, tls: Tls
) -> None:
    server = authority.server("127.0.0.1")
    async with Mailhost(tls=server, implicit=tls is Tls.IMPLICIT, password="pw-canary") as host:
        good = relay(host, tls, username="assent", password="pw-canary", context=authority.client())
        await send(good)
        # Its certificate is not one of the world's.
        stranger = await failed(relay(host, tls, username="assent", password="pw-canary"))
        wrong = await failed(
            relay(host, tls, username="assent", password="no", context=authority.client())
        )

    [received] = host.received
    assert received.is_encrypted
    assert stranger.whole
    assert "TLS failed" in str(stranger)
    assert wrong.whole
    assert "refuses our user name or password (535)" in str(wrong)
    assert "pw-canary" not in f"{good!r} {stranger} {wrong}"


async def test_a_server_without_encryption_gets_no_mail_and_no_password() -> None:
    async with Mailhost(starttls=False) as host:
        error = await failed(relay(host, Tls.STARTTLS, username="assent", password="pw"))

    assert error.whole
    assert "lacks what is asked of it, as STARTTLS" in str(error)
    assert host.received == []


@pytest.mark.parametrize(
    ("at", "answer", "permanent", "whole"),
    [
        (At.EHLO, "421 too busy", False, True),
        (At.EHLO, "554 go away", False, True),
        (At.MAIL, "451 later", False, True),
        (At.MAIL, "550 not you", False, True),
        (At.RCPT, "450 greylisted, come later", False, False),
        (At.RCPT, "550 no such user", True, False),
        (At.RCPT, "552 mailbox full", True, False),
        (At.DATA, "451 later", False, False),
        (At.DATA, "554 looks like spam", True, False),
        (At.DATA, DROP, False, False),
        (At.DATA, DROP_KEPT, False, False),
        (At.RCPT, DROP, False, False),
    ],
)
async def test_each_answer_has_its_meaning(
    at: At, answer: str, permanent: bool, whole: bool
) -> None:
    async with Mailhost() as host:
        host.script(at, answer)
        error = await failed(relay(host))
        assert (error.permanent, error.whole) == (permanent, whole)
        # Only where the connection broke is it not known whether the server has the mail.
        assert error.unsent is (answer not in {DROP, DROP_KEPT})
        # Whatever it was, the next one is not concerned.
        before = len(host.received)
        await send(relay(host))

    assert len(host.received) == before + 1
    # What a server says is in no error: it may quote the mail.
    assert not any(word in str(error) for word in ("greylisted", "spam", "busy"))


async def test_a_server_that_is_not_there_concerns_all_mails() -> None:
    async with Mailhost() as host:
        gone = relay(host)

    assert (await failed(gone)).whole


@pytest.mark.parametrize("at", [At.EHLO, At.RCPT, At.DATA])
async def test_a_server_that_hangs_takes_no_longer_than_its_limit(at: At) -> None:
    async with Mailhost() as host:
        host.script(at, HANG)
        error = await failed(relay(host, seconds=0.3))

    assert "took too long" in str(error)
    assert (error.permanent, error.whole) == (False, at is At.EHLO)
