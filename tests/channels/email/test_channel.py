import re
from datetime import timedelta
from typing import Any

import pytest

from assent import Assent, Audience, Person, approve, reject, tool
from assent.channels.email import Email
from assent.channels.email.addresses import address_of, mailbox_of
from assent.domain.messages import Answer, Prompt, UserSaid
from assent.domain.notifications import NotificationSettings
from assent.domain.paging import EntryFilter
from assent.domain.people import SYSTEM
from assent.domain.tools import Hint
from assent.engine.deliveries import courier
from assent.errors import InvalidParameter, LinkRefused
from assent.testing import VirtualClock, calls, says
from assent.testing.hostile import DECEPTIONS
from tests.channels.email.mailhost import DROP_KEPT, At, Mailhost, Received
from tests.channels.scenes import ADA, ROOT, asked, delivered, error_of, publishing
from tests.conftest import World
from tests.faults.nursery import until

ADDRESS = "ada@example.com"
REVIEW = "https://assent.example"
MAIN_HEADERS = {"Subject", "From", "To", "Date", "Message-ID"}


@tool(requires_approval=True, risk="moderate", hints={"pin": Hint(secret=True)})
async def publish(title: str, text: str, pin: str = "") -> str:
    """Publish a text."""
    return f"published {title}"


def email(host: Mailhost, **more: Any) -> Email:
    options: dict[str, Any] = {"sender": "Assent <assent@example.com>", "tls": "none"}
    return Email(host="127.0.0.1", port=host.port, **(options | more))


async def linked(assent: Assent, person: Person = ADA, address: str = ADDRESS) -> None:
    await assent.people.add(person, by=SYSTEM)
    await assent.people.chats.welcome(person.id, "email", address, person.id)


def mailed(world: World, host: Mailhost, **more: Any) -> Assent:
    script = more.pop("script", publishing())
    return world(script, publish, channels=email(host), review_url=REVIEW, **more)


async def test_a_mail_has_a_card_in_two_parts_and_the_headers_of_a_robot(world: World) -> None:
    async with Mailhost() as host, mailed(world, host) as assent:
        await linked(assent)
        request = await asked(assent)
        await delivered(assent, request.id)

    [mail] = host.received
    message = mail.message
    assert mail.to == str(message["To"]) == ADDRESS
    assert str(message["From"]) == "Assent <assent@example.com>"
    assert message["Subject"] == f"Approval needed: publish (moderate) [{request.id[-6:]}]"
    assert message["Auto-Submitted"] == "auto-generated"
    assert re.fullmatch(r"<[0-9a-f]+\.1@example\.com>", str(message["Message-ID"]))
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/alternative",
        "text/plain",
        "text/html",
    ]
    for part in ("plain", "html"):
        assert "publish" in mail.part(part)
        assert "Hello" in mail.part(part)


async def test_who_decided_it_gets_no_mail_about_its_end(world: World) -> None:
    async with Mailhost() as host, mailed(world, host) as assent:
        await linked(assent)
        request = await asked(assent)
        await delivered(assent, request.id)
        await assent.decide(request.id, reject("no"), by=ADA)
        await until(lambda: _idle(assent))

    assert len(host.received) == 1


async def _idle(assent: Assent) -> bool:
    return not await assent.channels.is_behind("email")


# requirement: R18
async def test_greylisting_delays_a_mail_and_loses_nothing(
    world: World, clock: VirtualClock
) -> None:
    async with Mailhost() as host, mailed(world, host, clock=clock) as assent:
        await linked(assent)
        host.script(At.RCPT, "450 4.7.1 greylisted, come back later")
        request = await asked(assent)
        held = await delivered(assent, request.id, "due", failed=True)
        clock.advance(timedelta(minutes=5))
        await delivered(assent, request.id)

    assert held.address == ADDRESS
    assert len(host.received) == 1


async def test_a_mailbox_that_is_not_there_is_a_dead_letter_that_admins_see(world: World) -> None:
    async with Mailhost() as host, mailed(world, host) as assent:
        await linked(assent)
        host.script(At.RCPT, "550 5.1.1 no such user")
        request = await asked(assent)
        dead = await delivered(assent, request.id, "dead")
        assert dead.error == "The mail server '127.0.0.1' refuses the recipient (550)"
        assert (await assent.request(request.id)).is_open
        await assent.channels.send_again(request.id, "email", ADDRESS, by=ROOT)
        await delivered(assent, request.id)

    assert len(host.received) == 1


# requirement: W9
async def test_a_connection_lost_after_the_mail_makes_two_mails_with_one_id(
    world: World, clock: VirtualClock
) -> None:
    async with Mailhost() as host, mailed(world, host, clock=clock) as assent:
        await linked(assent)
        host.script(At.DATA, DROP_KEPT)
        request = await asked(assent)
        await delivered(assent, request.id, "due", failed=True)
        clock.advance(timedelta(minutes=1))
        await delivered(assent, request.id)

    first, second = (mail.message for mail in host.received)
    assert first["Message-ID"] == second["Message-ID"]


# requirement: R18
async def test_a_password_that_was_changed_stops_all_mails_and_loses_none(world: World) -> None:
    async with Mailhost(password="new") as host:
        old = email(host, username="assent", password="old-canary")
        async with world(publishing(), publish, channels=old, review_url=REVIEW) as assent:
            await linked(assent)
            request = await asked(assent)
            error = await error_of(assent, "email")
            assert "refuses our user name or password" in error
            assert "canary" not in error
        new = email(host, username="assent", password="new")
        async with world(publishing(), publish, channels=new, review_url=REVIEW) as assent:
            await delivered(assent, request.id)

    assert len(host.received) == 1


# requirement: S3
async def test_a_secret_is_in_no_mail_and_no_log(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    script = publishing(pin="canary-4711")
    async with Mailhost() as host, mailed(world, host, script=script) as assent:
        await linked(assent)
        request = await asked(assent)
        await delivered(assent, request.id)

    [mail] = host.received
    everything = mail.part("plain") + mail.part("html") + mail.raw.decode()
    assert "canary" not in everything
    token = re.search(r"/r/(link_[^\s\"]+)", mail.part("plain"))
    assert token
    assert token[1] not in caplog.text


# requirement: D9
async def test_hostile_names_and_arguments_make_no_second_header(world: World) -> None:
    nasty = "x\r\nBcc: eve@evil.test\r\n\r\n<script>"
    texts = iter([*DECEPTIONS.values()][::9])

    def script(prompt: Prompt) -> Answer:
        return says(nasty, calls("publish", title=nasty + next(texts), text=nasty))

    async with Mailhost() as host, mailed(world, host, script=script) as assent:
        await linked(assent)
        for _ in range(5):
            await delivered(assent, (await asked(assent)).id)

    for mail in host.received:
        message = mail.message
        assert message["Bcc"] is None
        assert set(message.keys()) >= MAIN_HEADERS
        assert len(message.keys()) == len(set(message.keys()))
        assert mail.to == ADDRESS
        assert "<script>" not in mail.part("html").split("<body", 1)[1]


async def test_a_digest_lists_requests_with_a_link_for_each(world: World) -> None:
    async with Mailhost() as host, mailed(world, host) as assent:
        await linked(assent)
        wishes = NotificationSettings(digest=timedelta(seconds=1))
        await assent.people.chats.change_settings(wishes, by=ADA)
        requests = [await asked(assent) for _ in range(3)]
        await until(lambda: len(host.received) == 1)
        await delivered(assent, requests[0].id)
        # One of them ends: a list is not written again.
        await assent.decide(requests[0].id, approve(), by=ADA)
        await until(lambda: _idle(assent))

    [mail] = host.received
    assert mail.message["Subject"] == "3 requests for you"
    tokens = re.findall(rf"{REVIEW}/r/(\S+)", mail.part("plain"))
    assert len(set(tokens)) == 3
    assert mail.part("html").count("publish") == 3
    assert "Review and decide" not in mail.part("html")


async def test_everybody_who_is_asked_gets_a_mail_and_a_link_of_their_own(world: World) -> None:
    ops = Audience.of("ops")

    @tool(requires_approval=True, approvers=ops)
    async def restart(host: str) -> str:
        """Restart a machine."""
        return "restarted"

    def script(prompt: Prompt) -> Answer | str:
        is_new = isinstance(prompt.history[-1], UserSaid)
        return says("", calls("restart", host="db1")) if is_new else "Done."

    people = [Person(name, roles=frozenset({"ops"})) for name in ("ann", "bob")]
    async with (
        Mailhost() as host,
        world(script, restart, channels=email(host), review_url=REVIEW) as assent,
    ):
        for person in people:
            await linked(assent, person, f"{person.id}@example.com")
        await linked(assent, Person("eve"), "eve@example.com")
        request = await asked(assent)
        await until(lambda: len(host.received) == 2)
        await assent.decide(request.id, approve(), by=people[0])
        await until(lambda: len(host.received) == 3)
        await until(lambda: _idle(assent))

    assert sorted(mail.to for mail in host.received[:2]) == ["ann@example.com", "bob@example.com"]
    assert len({_token(mail) for mail in host.received[:2]}) == 2
    ended = host.received[2]
    assert ended.to == "bob@example.com"
    assert "Approved by ann" in ended.part("plain")
    assert str(ended.message["Subject"]).startswith("Re: Approval needed: restart")
    [first] = [mail for mail in host.received[:2] if mail.to == ended.to]
    assert ended.message["References"] == first.message["Message-ID"]
    assert len(host.received) == 3


def _token(mail: Received) -> str:
    found = re.search(rf"{REVIEW}/r/(\S+)", mail.part("plain"))
    assert found
    return found[1]


# requirement: W13
@pytest.mark.parametrize(
    "address", ["", "ada", "a@b@c", "ada@", "@x", "a b@x.test", "a@x\r\nBcc: e@e.test"]
)
async def test_what_is_no_address_gets_no_code(world: World, address: str) -> None:
    async with Mailhost() as host, mailed(world, host) as assent:
        await linked(assent)
        with pytest.raises(LinkRefused):
            await assent.channels.invite("email", address, by=ADA)

    assert host.received == []


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("Ada@Example.com", "ada@example.com"),
        (" ada@example.com ", "ada@example.com"),
        ("ada+tag@example.co.uk", "ada+tag@example.co.uk"),
        ("ada@b\u00fccher.example", "ada@xn--bcher-kva.example"),
        ("ad\u00e4@example.com", None),
        ('"a b"@example.com', None),
        ("ada@exam_ple.com", None),
        ("ada@[127.0.0.1]", None),
        ("ada@example..com", None),
        (".ada@example.com", None),
        ("ada.@example.com", None),
        ("a" * 65 + "@example.com", None),
        ("ada@" + "x" * 64 + ".com", None),
        ("ada@" + "x." * 130 + "com", None),
        ("ada@example.com\n", "ada@example.com"),
        ("ada@exa\nmple.com", None),
        ("ada@example.com,eve@evil.test", None),
        ("ada@example.com>", None),
        ("ada\x00@example.com", None),
    ],
)
def test_an_address_is_taken_only_if_it_is_nothing_else(given: str, meant: str | None) -> None:
    assert address_of(given) == meant


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("assent@example.com", "assent@example.com"),
        ("Assent <assent@example.com>", "Assent <assent@example.com>"),
        ("Assent, Inc. <assent@example.com>", None),
        ('"Assent, Inc." <assent@example.com>', '"Assent, Inc." <assent@example.com>'),
        ("Assent", None),
        ("A\r\nBcc: e@e.test <assent@example.com>", None),
        ("a@x.test, b@x.test", None),
    ],
)
def test_a_sender_is_one_address_with_or_without_a_name(given: str, meant: str | None) -> None:
    found = mailbox_of(given)

    assert (None if found is None else str(found)) == meant


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"host": ""}, "host"),
        ({"host": None}, "host"),
        ({"port": 0}, "port"),
        ({"port": 99_999}, "port"),
        ({"port": "25"}, "port"),
        ({"sender": "nobody"}, "sender"),
        ({"sender": 3}, "sender"),
        ({"tls": "maybe"}, "tls"),
        ({"tls": None}, "tls"),
        ({"tls": "none", "username": "assent", "password": "pw-canary"}, "tls"),
        ({"password": 3}, "password"),
        ({"username": ""}, "username"),
        ({"name": " "}, "name"),
        ({"per_second": 0}, "per_second"),
        ({"send_seconds": -1}, "send_seconds"),
    ],
)
def test_a_wrong_setting_is_refused_by_name_when_it_is_made(given, named) -> None:
    with pytest.raises(InvalidParameter) as refused:
        Email(**({"host": "mail.example.com", "sender": "assent@example.com"} | given))

    assert refused.value.parameter == named
    assert "canary" not in str(refused.value)


def test_the_password_comes_from_the_environment_and_is_in_no_repr(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ASSENT_EMAIL_PASSWORD", "pw-canary")

    channel = Email(host="mail.example.com", sender="assent@example.com", username="assent")

    assert channel._relay.password == "pw-canary"
    assert channel._relay.port == 587
    assert "canary" not in f"{channel!r} {channel._relay!r}"


async def test_mails_need_an_address_to_lead_to(world: World) -> None:
    async with Mailhost() as host:
        with pytest.raises(InvalidParameter, match="review_url"):
            async with world(publishing(), publish, channels=email(host)):
                pass


@tool(requires_approval=True, approvers=Audience.of("ops"))
async def restart(host: str) -> str:
    """Restart a machine."""
    return f"restarted {host}"


def restarting(prompt: Prompt) -> Answer | str:
    is_new = isinstance(prompt.history[-1], UserSaid)
    return says("", calls("restart", host="db1")) if is_new else "Done."


BOB, ANN = Person("bob", roles={"ops"}), Person("ann", roles={"ops"})


async def _unlink(assent: Assent) -> None:
    await assent.people.chats.unlink("email", "bob@example.com", by=BOB)


async def _disable(assent: Assent) -> None:
    await assent.people.change("bob", disabled=True, by=ROOT)


async def _unsubscribe(assent: Assent) -> None:
    assert await assent.people.stop_links.stop(assent.people.stop_links.token("email", "bob"))


async def _want_none(assent: Assent) -> None:
    wishes = NotificationSettings(least={"email": "never"})
    await assent.people.chats.change_settings(wishes, by=BOB)


@pytest.mark.parametrize("leave", [_unlink, _disable, _unsubscribe, _want_none])
async def test_who_left_or_unsubscribed_gets_no_further_mail(world: World, leave: Any) -> None:
    async with (
        Mailhost() as host,
        world(restarting, restart, channels=email(host), review_url=REVIEW) as assent,
    ):
        await linked(assent, BOB, "bob@example.com")
        await assent.people.add(ANN, by=SYSTEM)
        request = await asked(assent)
        await delivered(assent, request.id)

        await leave(assent)
        await assent.decide(request.id, approve(), by=ANN)
        await until(lambda: _idle(assent))

    assert len(host.received) == 1


async def test_after_an_outage_nothing_is_said_of_what_was_never_asked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(courier, "LONGEST_PAUSE", 0.05)
    async with Mailhost() as host:
        host.script(At.EHLO, *["421 down"] * 2_000)
        mails = email(host, per_second=1000)
        async with world(restarting, restart, channels=mails, review_url=REVIEW) as assent:
            await linked(assent, BOB, "bob@example.com")
            await assent.people.add(ANN, by=SYSTEM)
            request = await asked(assent)
            await delivered(assent, request.id, "due", failed=True)
            await assent.decide(request.id, approve(), by=ANN)
            await until(lambda: _idle(assent))
            entries = await assent.queries.record.entries(
                EntryFilter(action="issue_link"), after=None, limit=100
            )

    assert host.received == []
    # A link is made once there is a server to take it.
    assert entries.items == ()
