"""HTTP mode: Slack's signed requests at `POST /channels/slack`, on any replica, in time."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest

from assent.channels.slack import api, channel
from assent.channels.slack.reception import is_signed
from assent.engine.settings import Times
from assent.testing import calls, says
from tests.channels.slack import LoopbackSlack
from tests.channels.slack.deliveries import HttpTransport, signature
from tests.channels.slack.office import channel_of, opened


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "assent.db"


@pytest.fixture
def url(database: Path) -> str:
    return f"sqlite:///{database}"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)


# requirement: W10
def test_the_example_of_slacks_documentation_is_signed_and_nothing_else_is() -> None:
    secret = "8f742231b10e8888abcd99yyyzzz85a5"
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow"
        b"&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner"
        b"&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands"
        b"%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
        b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    at = 1531420618
    headers = {
        "x-slack-request-timestamp": str(at),
        "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
    }
    assert is_signed(secret, headers, body, at)
    assert is_signed(secret, headers, body, at + 300)
    assert is_signed(secret, headers, body, at - 300)
    for now in (at + 301, at - 301):
        assert not is_signed(secret, headers, body, now)
    assert not is_signed(secret, headers, body.replace(b"%2F", b"/"), at)
    assert not is_signed("other", headers, body, at)
    for name in headers:
        for value in ("", "v0=", "v0=ü", "-1", "1e9", "١٥٣١٤٢٠٦١٨", "9" * 40):
            assert not is_signed(secret, {**headers, name: value}, body, at)
        missing = {key: value for key, value in headers.items() if key != name}
        assert not is_signed(secret, missing, body, at)


# requirement: W10
async def test_an_unsigned_request_is_refused_and_decides_nothing(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    step = says("", calls("delete", path="a.txt"))
    async with opened(slack, url, step, over_http=True) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")
        await ada.sees(ada.direct, "Approval needed")
        pressed = await ada.press(await ada.sees(ada.direct, "Approval needed"), "Details")
        await ada.sees_modal("a.txt")
        body = urlencode({"payload": json.dumps(pressed.payload)}).encode()
        http = slack.http
        assert isinstance(http, HttpTransport)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        good = http.signed(body)
        stamp = good["X-Slack-Request-Timestamp"]

        forged = [
            {},
            {**good, "X-Slack-Signature": signature("guessed", stamp, body)},
            {**good, "X-Slack-Request-Timestamp": str(int(stamp) + 1)},
            http.signed(body, at=time.time() - 301),
            http.signed(body, at=time.time() + 302),
            http.signed(body + b" "),
        ]
        for headers in forged:
            assert (await http.post(body, headers | form)).status == 401
        assert (await http.post(body, good | form)).status == 200
        for nonsense in (b"", b"payload=%7B", b"payload=[]", b"\xff\xfe", b"ssl_check=1"):
            assert (await http.post(nonsense, http.signed(nonsense) | form)).status in (200, 400)
        check = json.dumps({"type": "url_verification", "challenge": "c"}).encode()
        signed = http.signed(check) | {"Content-Type": "application/json"}
        assert (await http.post(check, signed)).body == {"challenge": "c"}


async def test_a_channel_in_socket_mode_takes_no_http(slack: LoopbackSlack, url: str) -> None:
    channel = channel_of(slack)
    async with opened(slack, url, over_http=True, channel=channel):
        http = slack.http
        assert isinstance(http, HttpTransport)
        assert (await http.post(b"{}", http.signed(b"{}"))).status == 404


async def test_talk_cards_modals_and_commands_work_over_http(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    step = says("", calls("delete", path="a.txt"))
    async with opened(slack, url, step, over_http=True) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")
        card = await ada.sees(ada.direct, "Approval needed")

        await ada.press(card, "Reject…")
        await ada.sees_modal("Reject: delete")
        await ada.fill("Why not", "keep it")
        await ada.submit()

        assert ada.modal is None
        await ada.sees_ephemeral(ada.direct, "Rejected.")
        await ada.sees(ada.direct, "Rejected by ada via slack")
        await ada.command("/assent", "inbox")
        await ada.sees_ephemeral(ada.direct, "Nothing waits for you.")
        assert slack.called("apps.connections.open") == []


@contextmanager
def locked(database: Path) -> Iterator[None]:
    """A database that takes no transaction: every decision and every look waits."""
    with sqlite3.connect(database, isolation_level=None) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        try:
            yield
        finally:
            connection.execute("ROLLBACK")
    connection.close()


# requirement: W11
async def test_a_press_is_acknowledged_in_time_and_counts_once_while_the_database_is_slow(
    slack: LoopbackSlack, url: str, database: Path
) -> None:
    ada = slack.member("ada")
    step = says("", calls("delete", path="a.txt"))
    async with opened(slack, url, step, over_http=True) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")
        await ada.press(await ada.sees(ada.direct, "Approval needed"), "Approve")
        sure = await ada.sees_ephemeral(ada.direct, "Sure?")

        with locked(database):
            # The second and third come as retries, with X-Slack-Retry-Num.
            pressed = await ada.press(sure, "Yes, Approve", copies=3)
            assert [reply.status for reply in pressed.replies] == [200, 200, 200]
            assert office.deleted == []

        await ada.sees(ada.direct, "Approved by ada via slack")
        await ada.sees(ada.direct, "Done.")
        assert office.deleted == ["a.txt"]


# requirement: W11
async def test_a_form_is_answered_in_time_while_the_database_is_slow(
    slack: LoopbackSlack, url: str, database: Path
) -> None:
    ada = slack.member("ada")
    step = says("", calls("delete", path="a.txt"))
    async with opened(slack, url, step, over_http=True) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")
        card = await ada.sees(ada.direct, "Approval needed")

        with locked(database):
            await ada.press(card, "Reject…")
            # The trigger would be too old by the time the database answers.
            await ada.sees_modal("One moment…")
        await ada.sees_modal("Reject: delete")
        await ada.fill("Why not", "keep it")
        with locked(database):
            assert (await ada.submit()).acknowledged
            await ada.sees_modal("One moment…")
        await ada.sees_modal("Rejected.")
        assert office.deleted == []


# requirement: W11
async def test_a_message_is_heard_once_while_the_database_is_slow(
    slack: LoopbackSlack, url: str, database: Path
) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, "Hello.", over_http=True) as office:
        await office.link(ada)

        with locked(database):
            await ada.say(ada.direct, "hello", copies=2)
            assert [reply.status for reply in slack.deliveries[-1].replies] == [200, 200]

        await ada.sees(ada.direct, "Hello.")
        assert office.heard == ["hello"]


# requirement: W11
async def test_a_person_is_told_of_a_message_that_is_lost_after_its_acknowledgement(
    slack: LoopbackSlack, url: str, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(channel, "ANSWER_SECONDS", 0.1)
    slack.subscriptions |= {"message.channels"}
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    times = Times(wait=timedelta(seconds=0.5))
    async with opened(slack, url, "Hello.", over_http=True, times=times) as office:
        await office.link(ada)
        asked = await ada.mention(general, "hello")
        await ada.sees(general, "Hello.", thread=asked.ts)
        lunch = await ada.say(general, "lunch?")

        with locked(database):
            for place, thread in ((ada.direct, None), (general, asked.ts), (general, lunch.ts)):
                await ada.say(place, "go on", thread=thread)
                assert slack.deliveries[-1].acknowledged
            for place in (ada.direct, general):
                await ada.sees_ephemeral(place, "Send it again.")
            [told] = ada.ephemerals(general)
            assert told.thread == asked.ts

        await ada.say(ada.direct, "again")
        await ada.sees(ada.direct, "Done.")
        assert office.heard == ["hello", "again"]
