import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from standardwebhooks import Webhook as Reference

from assent import Assent, approve, reject
from assent.channels.safe_http import HttpAnswer
from assent.channels.webhook import Webhook
from assent.channels.webhook.answers import LONGEST_SECONDS, retry_after, want_taken
from assent.channels.webhook.signing import new_secret
from assent.errors import ChannelError, InvalidParameter
from assent.testing import VirtualClock
from tests.channels.certificates import TestAuthority
from tests.channels.scenes import ADA, ROOT, asked, delivered, error_of, publish, publishing
from tests.channels.webhook.receiver import Answer, Cut, Hang, WebhookReceiver
from tests.conftest import World
from tests.faults.nursery import until

SECRET = new_secret()
REVIEW = "https://assent.example"


def hook(receiver: WebhookReceiver, **more: Any) -> Webhook:
    options: dict[str, Any] = {"secrets": SECRET, "allow": "127.0.0.1", "plain_http": True}
    return Webhook(receiver.url, **(options | more))


def types(receiver: WebhookReceiver) -> list[str]:
    return [message["type"] for message in receiver.messages]


# requirement: W7
async def test_a_request_is_told_when_it_opens_and_when_it_ends(world: World) -> None:
    async with (
        WebhookReceiver(SECRET) as receiver,
        world(publishing(), publish, channels=hook(receiver), review_url=REVIEW) as assent,
    ):
        request = await asked(assent)
        await delivered(assent, request.id)
        await assent.decide(request.id, reject("not today"), by=ADA, channel="web")
        await until(lambda: len(receiver.messages) == 2)

    opened, closed = receiver.messages
    assert (opened["type"], closed["type"]) == ("request.opened", "request.closed")
    assert opened["data"]["url"] == f"{REVIEW}/requests/{request.id}"
    assert opened["data"]["arguments"] == {"title": "News", "text": "Hello"}
    assert opened["data"]["outcome"] is None
    outcome = closed["data"]["outcome"]
    assert (outcome["status"], outcome["by"]) == ("rejected", "ada")
    assert (outcome["channel"], outcome["reason"]) == ("web", "not today")
    ids = [each.headers["webhook-id"] for each in receiver.requests]
    assert len(set(ids)) == 2


# requirement: W7, W9
async def test_an_attempt_that_failed_is_made_again_with_the_same_id_and_a_new_time(
    world: World, clock: VirtualClock
) -> None:
    async with (
        WebhookReceiver(SECRET) as receiver,
        world(publishing(), publish, channels=hook(receiver), clock=clock) as assent,
    ):
        receiver.script(Answer(status=500), Cut(), Answer(status=200))
        request = await asked(assent)
        for attempts in (1, 2):
            await until(lambda n=attempts: len(receiver.requests) == n)
            await until(lambda n=attempts: _failed(assent, request.id, n))
            clock.advance(timedelta(minutes=2))
        done = await delivered(assent, request.id)

    first, _, third = receiver.requests
    assert done.attempts == 0
    assert first.headers["webhook-id"] == third.headers["webhook-id"]
    assert first.body == third.body
    assert types(receiver) == ["request.opened"] * 3


async def _failed(assent: Assent, request_id: str, attempts: int) -> bool:
    [row] = await assent.channels.of_request(request_id, by=ROOT)
    return row.attempts == attempts and row.due_at > row.created_at and bool(row.error)


# requirement: W9
async def test_what_is_refused_for_good_is_given_up_and_can_be_sent_again(world: World) -> None:
    async with (
        WebhookReceiver(SECRET) as receiver,
        world(publishing(), publish, channels=hook(receiver)) as assent,
    ):
        receiver.script(Answer(status=400))
        request = await asked(assent)
        dead = await delivered(assent, request.id, "dead")
        assert dead.error == "The endpoint answered 400"
        [letter] = await assent.channels.dead_letters(by=ROOT)
        assert letter.request.id == request.id
        await assent.channels.send_again(request.id, "webhook", dead.address, by=ROOT)
        await delivered(assent, request.id)

    assert len(receiver.requests) == 2


# requirement: W8
async def test_a_redirect_is_given_up_with_a_reason_and_not_followed(world: World) -> None:
    async with (
        WebhookReceiver() as target,
        WebhookReceiver(SECRET) as receiver,
        world(publishing(), publish, channels=hook(receiver)) as assent,
    ):
        receiver.script(Answer(status=307, headers={"Location": target.url}))
        dead = await delivered(assent, (await asked(assent)).id, "dead")

    assert "redirects are not followed" in dead.error
    assert target.connections == 0


# requirement: W8
async def test_a_name_that_leads_inside_is_given_up_with_a_reason(world: World) -> None:
    async def inside(host: str, port: int) -> list[str]:
        return ["169.254.169.254"]

    channel = Webhook("https://rebind.example/", secrets=SECRET, resolve=inside)
    async with world(publishing(), publish, channels=channel) as assent:
        dead = await delivered(assent, (await asked(assent)).id, "dead")

    assert "'rebind.example' is refused: it has an address that is not public" in dead.error


# requirement: W9
async def test_an_endpoint_that_is_gone_gets_nothing_more_and_nothing_is_lost(
    world: World,
) -> None:
    async with WebhookReceiver(SECRET) as receiver:
        async with world(publishing(), publish, channels=hook(receiver)) as assent:
            receiver.script(Answer(status=410))
            first = await asked(assent)
            assert "410" in await error_of(assent, "webhook")
            second = await asked(assent)
            rows = [
                row
                for request in (first, second)
                for row in await assent.channels.of_request(request.id, by=ROOT)
            ]
            assert {row.status for row in rows} == {"due"}
            assert len(receiver.requests) == 1
        # Another configuration, and all of it arrives.
        async with world(publishing(), publish, channels=hook(receiver)) as assent:
            await delivered(assent, first.id)
            await delivered(assent, second.id)

    assert len(receiver.requests) == 3


# requirement: W9, R18
async def test_a_receiver_that_asks_for_patience_gets_it(world: World) -> None:
    async with (
        WebhookReceiver(SECRET) as receiver,
        world(publishing(), publish, channels=hook(receiver)) as assent,
    ):
        receiver.script(Answer(status=429, headers={"Retry-After": "1"}))
        began = datetime.now(UTC)
        first = await asked(assent)
        await until(lambda: len(receiver.requests) == 1)
        second = await asked(assent)
        await delivered(assent, first.id)
        await delivered(assent, second.id)

    assert len(receiver.requests) == 3
    assert datetime.now(UTC) - began >= timedelta(seconds=1)
    assert receiver.requests[0].headers["webhook-id"] == receiver.requests[1].headers["webhook-id"]


# requirement: R18, W9
async def test_an_outage_loses_nothing_and_decides_nothing(world: World) -> None:
    async with WebhookReceiver() as gone:
        address = gone.url
    down = Webhook(address, secrets=SECRET, allow="127.0.0.1", plain_http=True)
    async with world(publishing(), publish, channels=down) as assent:
        requests = [await asked(assent) for _ in range(3)]
        assert "gave no answer" in await error_of(assent, "webhook")
        await assent.decide(requests[0].id, approve(), by=ADA)
        for request in requests[1:]:
            assert (await assent.request(request.id)).is_open
        assert await assent.channels.dead_letters(by=ROOT) == []
    async with (
        WebhookReceiver(SECRET) as receiver,
        world(publishing(), publish, channels=hook(receiver)) as assent,
    ):
        for request in requests:
            await delivered(assent, request.id)

    assert sorted(types(receiver)) == ["request.closed", "request.opened", "request.opened"]


# requirement: R18, W9
async def test_when_an_endpoint_is_back_it_gets_no_more_at_once_than_it_should(
    world: World,
) -> None:
    async with WebhookReceiver(SECRET) as receiver:
        async with world(publishing(), publish) as assent:
            requests = [await asked(assent) for _ in range(6)]
        began = datetime.now(UTC)
        slow = hook(receiver, per_second=10)
        async with world(publishing(), publish, channels=slow) as assent:
            for request in requests:
                await delivered(assent, request.id)

    assert len(receiver.requests) == 6
    assert datetime.now(UTC) - began >= timedelta(seconds=0.5)


async def test_one_message_that_hangs_does_not_hold_up_the_others(world: World) -> None:
    async with (
        WebhookReceiver(SECRET) as receiver,
        world(publishing(), publish, channels=hook(receiver, request_seconds=600)) as assent,
    ):
        receiver.script(Hang())
        first = await asked(assent)
        await until(lambda: len(receiver.requests) == 1)
        second = await asked(assent)
        await delivered(assent, second.id)
        [hanging] = await assent.channels.of_request(first.id, by=ROOT)

    assert (hanging.status, hanging.error) == ("due", None)


# requirement: W7
async def test_a_secret_is_replaced_without_a_message_that_cannot_be_verified(
    world: World,
) -> None:
    new = new_secret()
    async with WebhookReceiver(SECRET) as receiver:
        for secrets in ([SECRET], [new, SECRET], [new]):
            receiver.secret = secrets[-1]
            channel = hook(receiver, secrets=secrets)
            async with world(publishing(), publish, channels=channel) as assent:
                await delivered(assent, (await asked(assent)).id)
        both = receiver.requests[1]
        Reference(new).verify(both.body, dict(both.headers))

    assert len(receiver.messages) == 3


async def test_several_endpoints_get_each_their_own(world: World) -> None:
    async with WebhookReceiver(SECRET) as one, WebhookReceiver(SECRET) as two:
        channels = [hook(one, name="one"), hook(two, name="two")]
        async with world(publishing(), publish, channels=channels) as assent:
            await asked(assent)
            await until(lambda: len(one.messages) == len(two.messages) == 1)


async def test_a_message_goes_over_tls(world: World, authority: TestAuthority) -> None:
    async with WebhookReceiver(SECRET, tls=authority.server("127.0.0.1")) as receiver:
        channel = Webhook(receiver.url, secrets=SECRET, allow="127.0.0.1", tls=authority.client())
        async with world(publishing(), publish, channels=channel) as assent:
            await delivered(assent, (await asked(assent)).id)

    assert types(receiver) == ["request.opened"]


# requirement: S3
async def test_the_secret_and_the_address_are_in_no_log_and_no_error(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", logger="assent")
    async with (
        WebhookReceiver(SECRET) as receiver,
        world(publishing(), publish, channels=hook(receiver)) as assent,
    ):
        channel = hook(receiver)
        receiver.script(Answer(status=400))
        dead = await delivered(assent, (await asked(assent)).id, "dead")

    for text in (caplog.text, repr(channel), str(dead), json.dumps(receiver.messages)):
        assert SECRET.removeprefix("whsec_") not in text


@pytest.mark.parametrize(
    ("status", "headers", "permanent", "whole", "wait"),
    [
        (301, {}, True, False, None),
        (304, {}, True, False, None),
        (400, {}, True, False, None),
        (401, {}, True, False, None),
        (404, {}, True, False, None),
        (408, {}, False, False, None),
        (410, {}, False, True, LONGEST_SECONDS),
        (425, {"retry-after": "3"}, False, False, 3.0),
        (429, {}, False, True, None),
        (429, {"retry-after": "7"}, False, True, 7.0),
        (500, {}, False, False, None),
        (503, {}, False, False, None),
        (503, {"retry-after": "7"}, False, True, 7.0),
        (599, {}, False, False, None),
        (199, {}, False, False, None),
    ],
)
def test_each_answer_has_its_meaning(status, headers, permanent, whole, wait) -> None:
    answer = HttpAnswer(status=status, headers=headers, body=b"")

    with pytest.raises(ChannelError) as failed:
        want_taken(answer, datetime.now(UTC))

    error = failed.value
    assert (error.permanent, error.whole, error.retry_after) == (permanent, whole, wait)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_every_2xx_is_an_acknowledgement(status: int) -> None:
    want_taken(HttpAnswer(status=status, headers={}, body=b""), datetime.now(UTC))


NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1.5", None),
        ("nan", None),
        ("\u0663", None),
        ("0", 0.0),
        ("120", 120.0),
        ("9" * 400, LONGEST_SECONDS),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(days=9), usegmt=True), 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_SECONDS),
        ("Fri, 99 Foo 9999 99:99:99 GMT", None),
    ],
)
def test_a_wish_for_patience_is_read_within_bounds(given: str, meant: float | None) -> None:
    assert retry_after({"retry-after": given}, NOW) == meant


def test_secrets_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InvalidParameter, match="secrets"):
        Webhook("https://example.com/")
    monkeypatch.setenv("ASSENT_WEBHOOK_SECRETS", f"{SECRET} {new_secret()}")

    assert repr(Webhook("https://example.com/")) == "Webhook(name='webhook')"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"url": "http://example.com/"}, "url"),
        ({"url": "https://127.0.0.1/"}, "url"),
        ({"url": ""}, "url"),
        ({"url": None}, "url"),
        ({"secrets": "hunter2"}, "secrets"),
        ({"secrets": [SECRET] * 9}, "secrets"),
        ({"secrets": 3}, "secrets"),
        ({"allow": "10.0.0.1/8"}, "allow"),
        ({"allow": 3}, "allow"),
        ({"plain_http": 1}, "plain_http"),
        ({"name": ""}, "name"),
        ({"per_second": 0}, "per_second"),
        ({"per_second": True}, "per_second"),
        ({"request_seconds": 0}, "request_seconds"),
    ],
)
def test_a_wrong_setting_is_refused_by_name_when_it_is_made(given, named) -> None:
    with pytest.raises(InvalidParameter) as refused:
        Webhook(**({"url": "https://example.com/", "secrets": SECRET} | given))

    assert refused.value.parameter == named
    assert "hunter2" not in str(refused.value)
