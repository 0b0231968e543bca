"""The channel itself: what it takes, what it keeps to itself, and what it says it can do."""

import logging
from typing import Any

import pytest

from assent.channels import HttpReceiver, Room
from assent.channels.slack import Slack
from assent.channels.slack.addresses import PostedMessages
from assent.channels.slack.api import sdk_logger
from assent.errors import InvalidParameter

TOKENS: dict[str, Any] = {"token": "xoxb-1-secret", "app_token": "xapp-1-secret"}


@pytest.fixture(autouse=True)
def no_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"):
        monkeypatch.delenv(name, raising=False)


def test_tokens_come_from_the_environment_where_none_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-1")
    monkeypatch.setenv("SLACK_SIGNING_SECRET", "s3cret")
    assert isinstance(Slack(), HttpReceiver)
    monkeypatch.delenv("SLACK_BOT_TOKEN")
    with pytest.raises(InvalidParameter, match="token"):
        Slack()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"token": "xoxp-user"}, "token"),
        ({"token": 1}, "token"),
        ({"app_token": "xoxb-1"}, "app_token"),
        ({"signing_secret": " "}, "signing_secret"),
        ({"room": "#general"}, "room"),
        ({"room": Room(address="general")}, "room"),
        ({"room": 5}, "room"),
        ({"agent": ""}, "agent"),
        ({"strangers": "maybe"}, "strangers"),
        ({"decide_within": 0}, "decide_within"),
        ({"base_url": "ftp://slack"}, "base_url"),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_made(given: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidParameter, match=named) as refused:
        Slack(**{**TOKENS, **given})
    assert "secret" not in str(refused.value).replace("signing_secret", "").replace("signing s", "")


def test_one_of_socket_and_http_is_needed() -> None:
    with pytest.raises(InvalidParameter, match="app_token"):
        Slack(token="xoxb-1")
    Slack(token="xoxb-1", signing_secret="s")


def test_rooms_are_channels_of_slack() -> None:
    several = Slack(**TOKENS, room=["C1AAA", Room(address="G2BBB", everything=True)])
    assert several.terms.rooms == (
        Room(address="room:C1AAA"),
        Room(address="room:G2BBB", everything=True),
    )
    assert Slack(**TOKENS).terms.rooms == ()


def test_no_token_is_in_its_repr() -> None:
    assert "secret" not in repr(Slack(**TOKENS))


def test_the_sdk_logs_neither_payloads_nor_tokens(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    logger = sdk_logger()

    logger.debug("Received message (data: password)")
    logger.error("Failed: %s", "xoxb-12-abc xapp-1-abc wss://x/link/?ticket=abc-def&app_id=1")

    assert "password" not in caplog.text
    assert "abc" not in caplog.text
    assert "app_id=1" in caplog.text


def test_a_reference_to_messages_is_read_back() -> None:
    for posted in (
        PostedMessages(channel="C1", stamps=("1.000001",)),
        PostedMessages(channel="D2", stamps=("1.000001", "2.000002")),
    ):
        assert PostedMessages.read(str(posted)) == posted
    for text in ("", "C1", "C1/", "C1/x", "c1/1.1", "C1/1.1+", "C1/1.1/2"):
        assert PostedMessages.read(text) is None
