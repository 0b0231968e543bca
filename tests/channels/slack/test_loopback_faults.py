"""The loopback Slack fails as Slack does: limits, outages, lost answers, broken sockets."""

import asyncio
import json
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from tests.channels.slack import (
    CutOff,
    Held,
    LoopbackSlack,
    LostResponse,
    RateLimited,
    Refused,
    ServerError,
)
from tests.channels.slack.apps import (
    actions,
    bolt_app,
    button,
    client_of,
    in_socket_mode,
    over_http,
)


async def test_a_limited_call_says_how_long_to_wait_and_does_nothing(slack: LoopbackSlack) -> None:
    general = slack.channel("general")
    slack.faults.add(RateLimited(retry_after=7), method="chat.postMessage")

    with pytest.raises(SlackApiError) as refused:
        await client_of(slack).chat_postMessage(channel=general.id, text="x")

    assert refused.value.response.status_code == 429
    assert refused.value.response.headers["Retry-After"] == "7"
    assert refused.value.response["error"] == "ratelimited"
    assert general.messages == []


async def test_a_channel_takes_one_message_a_second(slack: LoopbackSlack) -> None:
    one, two = slack.channel("one"), slack.channel("two")
    client = client_of(slack)
    slack.rates.enforced = True

    await client.chat_postMessage(channel=one.id, text="a")
    await client.chat_postMessage(channel=two.id, text="a")
    with pytest.raises(SlackApiError, match="ratelimited"):
        await client.chat_postMessage(channel=one.id, text="b")
    slack.workspace.advance(1)
    await client.chat_postMessage(channel=one.id, text="c")

    assert [each.text for each in one.messages] == ["a", "c"]
    assert slack.rates.refused == 1


async def test_fifty_updates_a_minute_are_taken(slack: LoopbackSlack) -> None:
    general = slack.channel("general")
    client = client_of(slack)
    slack.rates.enforced = True
    posted = await client.chat_postMessage(channel=general.id, text="0")

    async def update() -> None:
        await client.chat_update(channel=general.id, ts=posted["ts"], text="x")

    for _ in range(50):
        await update()
    with pytest.raises(SlackApiError) as refused:
        await update()
    slack.workspace.advance(int(refused.value.response.headers["Retry-After"]))
    await update()


@pytest.mark.parametrize(
    "fault", [ServerError(), ServerError(status=503), Refused(error="fatal_error")]
)
async def test_an_error_of_the_server_does_nothing_and_passes(
    slack: LoopbackSlack, fault: Any
) -> None:
    general = slack.channel("general")
    slack.faults.add(fault, times=2)

    for _ in range(2):
        with pytest.raises(SlackApiError):
            await client_of(slack).chat_postMessage(channel=general.id, text="x")
    assert general.messages == []
    await client_of(slack).chat_postMessage(channel=general.id, text="x")


async def test_a_lost_response_leaves_the_message_there(slack: LoopbackSlack) -> None:
    general = slack.channel("general")
    slack.faults.add(CutOff(), method="chat.postMessage")
    slack.faults.add(LostResponse(), method="chat.postMessage")

    for count in (0, 1):
        with pytest.raises(aiohttp.ClientError):
            await client_of(slack).chat_postMessage(channel=general.id, text="x")
        assert len(general.messages) == count


async def test_the_sdk_left_to_itself_posts_twice_after_a_lost_response(
    slack: LoopbackSlack,
) -> None:
    general = slack.channel("general")
    slack.faults.add(LostResponse())

    client = AsyncWebClient(token=slack.bot_token, base_url=slack.base_url)
    await client.chat_postMessage(channel=general.id, text="x")

    assert len(general.messages) == 2


async def test_a_held_call_waits_for_the_test(slack: LoopbackSlack) -> None:
    general = slack.channel("general")
    held = Held()
    slack.faults.add(held)

    call = asyncio.create_task(client_of(slack).chat_postMessage(channel=general.id, text="x"))
    await held.reached.wait()
    assert general.messages == []
    held.let_go.set()
    await call
    assert len(general.messages) == 1


async def test_an_outage_breaks_everything_until_it_is_over(slack: LoopbackSlack) -> None:
    app = bolt_app(slack)
    async with in_socket_mode(slack, app, ping_interval=0.05):
        slack.down = True
        slack.drop_sockets()
        await slack.until_connected(0)
        with pytest.raises(aiohttp.ClientError):
            await client_of(slack).auth_test()
        slack.down = False
        await slack.until_connected(1)
        assert (await client_of(slack).auth_test())["ok"]


async def test_a_dropped_socket_is_opened_again_and_the_event_comes_once_more(
    slack: LoopbackSlack,
) -> None:
    ada = slack.member("ada")
    app = bolt_app(slack)
    heard = list[Any]()

    @app.event("message")
    async def hear(event: dict[str, Any], body: dict[str, Any], ack: Any) -> None:
        heard.append(body["event_id"])
        if len(heard) == 1:
            slack.drop_sockets()
            await slack.until_connected(0)

    async with in_socket_mode(slack, app, ping_interval=0.05):
        await ada.say(ada.direct, "hello")

    delivery = slack.deliveries[0]
    assert [reply.failure for reply in delivery.replies] == ["connection_failed", None]
    assert heard == [delivery.payload["event_id"]] * 2


async def test_a_socket_is_renewed_when_slack_asks(slack: LoopbackSlack) -> None:
    ada = slack.member("ada")
    app = bolt_app(slack)

    @app.command("/hello")
    async def hello(ack: Any) -> None:
        await ack("hi")

    async with in_socket_mode(slack, app):
        (before,) = slack.socket.sockets
        await slack.refresh_sockets()
        await slack.until(lambda: slack.socket.sockets and before not in slack.socket.sockets)
        await slack.until_connected(1)
        assert (await ada.command("/hello")).acknowledged


async def test_an_event_is_sent_three_times_more_until_it_is_acknowledged(
    slack: LoopbackSlack,
) -> None:
    ada = slack.member("ada")
    app = bolt_app(slack)
    retries = list[Any]()

    @app.middleware
    async def fail(req: Any, resp: Any) -> Any:
        retries.append(req.headers.get("x-slack-retry-num", [None])[0])
        return type(resp)(status=500, body="")

    async with over_http(slack, app):
        await ada.say(ada.direct, "hello")

    assert retries == [None, "1", "2", "3"]
    assert slack.deliveries[0].trouble == "http_error"


async def test_a_press_is_not_sent_again_but_may_come_twice(slack: LoopbackSlack) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    app = bolt_app(slack)
    pressed = list[str]()

    @app.action("go")
    async def go(ack: Any, body: dict[str, Any], req: Any) -> None:
        pressed.append(body["trigger_id"])
        await ack()

    row = [actions(button("Go", "go"), button("Stop", "stop"))]
    await client_of(slack).chat_postMessage(channel=general.id, text="?", blocks=row)
    shown = await ada.sees(general, "Go")
    async with over_http(slack, app):
        await ada.press(shown, "Go", copies=2)
        assert (await ada.press(shown, "Stop")).trouble == "http_error"

    assert len(pressed) == 2
    assert len(set(pressed)) == 1
    assert [reply.status for reply in slack.deliveries[-1].replies] == [404]


async def test_a_slow_app_is_given_up_on(slack: LoopbackSlack) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    app = bolt_app(slack)
    late = asyncio.Event()

    @app.command("/slow")
    async def slow(ack: Any) -> None:
        await late.wait()
        await ack()

    async with over_http(slack, app):
        assert slack.http
        slack.http.seconds = 0.1
        assert (await ada.command("/slow", channel=general)).trouble == "http_timeout"
        late.set()


async def test_deliveries_are_signed_as_the_sdk_expects(slack: LoopbackSlack) -> None:
    app = bolt_app(slack)
    body = json.dumps({"type": "url_verification", "challenge": "c"}).encode()
    async with over_http(slack, app):
        transport = slack.http
        assert transport
        headers = transport.signed(body) | {"Content-Type": "application/json"}

        assert SignatureVerifier(slack.signing_secret).is_valid_request(body, headers)
        assert (await transport.post(body, headers)).body == {"challenge": "c"}
        assert (await transport.post(body + b" ", headers)).status == 401
        assert (await transport.post(body, {})).status == 401
        old = transport.signed(body, at=slack.workspace.now() - 301)
        assert (await transport.post(body, headers | old)).status == 401
