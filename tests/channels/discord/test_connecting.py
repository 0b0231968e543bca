"""Connecting to Discord: what keeps the channel from being served, and how it is reported."""

import asyncio
import logging
import time

import pytest

from assent import Agent, Assent, Person, tool
from assent.channels.discord import Discord
from assent.errors import ChannelError
from assent.models.scripted import calls, says
from tests.channels.discord.bots import eventually
from tests.channels.discord.company import company, problem, scripted
from tests.channels.discord.faults import broken, rate_limited

LOGIN = "GET /users/@me"


@tool(requires_approval=True)
def wipe(path: str) -> str:
    """Delete a file."""
    return f"wiped {path}"


async def test_a_revoked_token_is_reported_and_appears_nowhere(
    url: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    async with company(url, wipe) as place:
        await place.sandbox.revoke_token()
        place.script.append(says("", calls("wipe", path="a.txt")))
        await place.assent.send("agent", "wipe it", by=Person("ada"))
        error = await problem(place.assent)
        place.sandbox.application.is_revoked = False
        await eventually(lambda: place.sandbox.gateway.connected, within=20)

    assert "token" in str(error)
    assert place.sandbox.token not in caplog.text
    assert place.sandbox.token not in repr(Discord(place.sandbox.token))


async def test_a_gateway_that_cannot_be_reached_for_a_while_is_tried_again(
    url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("assent.channels.discord.gateway.FIRST_PAUSE", 0.05)
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _: 0.01)
    async with company(url, wipe) as place:
        place.faults.plan("GET /gateway", broken(503), times=3)
        await place.sandbox.revoke_token()
        place.sandbox.application.is_revoked = False
        await eventually(lambda: place.sandbox.gateway.connected, within=20)
        place.script.append("Here again.")
        thread = await place.thread(place.mention("hello"))
        await place.said(thread, lambda text: text == "Here again.")


async def test_a_wrong_token_keeps_the_engine_running_and_says_what_is_wrong(url: str):
    async with company(url) as place:
        script, model = scripted()
        script.append("Hello.")
        channel = Discord("wrong", name="other", api_url=place.sandbox.api_url)
        other = Assent(
            "sqlite:///:memory:", agents=[Agent("agent", model=model)], channels=[channel]
        )
        async with other:
            turn = await other.send("agent", "hello", by=Person("ada"))
            error = await problem(other)

    assert turn.text == "Hello."
    assert "refuses the bot's token" in str(error)
    assert "wrong" not in str(error)


async def test_a_rate_limit_on_the_command_keeps_nobody_waiting(
    url: str, caplog: pytest.LogCaptureFixture
):
    async with company(url) as place:
        commands = "GET /applications/*/commands"
        channel = place.assent.channels.named("discord")
        assert channel is not None
        await eventually(lambda: place.faults.sent(commands))
        await channel.disconnect()
        place.faults.plan(commands, rate_limited(25.0))
        # Less than the courier waits for a connection, and than the limit lasts.
        async with asyncio.timeout(8):
            await channel.connect()
        await eventually(lambda: place.faults.sent(commands)[1:])
        place.script.append("At once.")
        thread = await place.thread(place.mention("hello"))
        await place.said(thread, lambda text: text == "At once.")
        await channel.disconnect()
        assert "assent-discord-register" not in {each.get_name() for each in asyncio.all_tasks()}
        # Longer than discord.py waits by itself: a failure, logged once.
        place.faults.plan(commands, rate_limited(40.0))
        await channel.connect()
        await eventually(lambda: "could not be registered" in caplog.text)

    assert caplog.text.count("could not be registered") == 1


async def test_a_missing_intent_is_explained(url: str):
    async with company(url) as place:
        place.sandbox.application.reads_messages = False
        channel = Discord(place.sandbox.token, name="other", api_url=place.sandbox.api_url)
        _, model = scripted()
        other = Assent(
            "sqlite:///:memory:", agents=[Agent("agent", model=model)], channels=[channel]
        )
        async with other:
            assert "Message Content Intent" in await problem(other)


async def test_a_missing_intent_does_not_use_up_the_sessions_of_a_day(
    url: str, monkeypatch: pytest.MonkeyPatch
):
    async with company(url) as place:
        channel = place.assent.channels.named("discord")
        assert channel is not None
        await channel.disconnect()
        place.sandbox.application.reads_messages = False
        for _ in range(3):
            with pytest.raises(ChannelError, match="Message Content Intent"):
                await channel.connect()
        # Once for the company, and once for these.
        assert len(place.faults.sent(LOGIN)) == 2
        place.sandbox.application.reads_messages = True
        later = time.monotonic() + 901
        monkeypatch.setattr("assent.channels.discord.gateway.monotonic", lambda: later)
        await channel.connect()


async def test_an_intent_that_is_taken_away_is_tried_again_much_later(
    url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("assent.channels.discord.gateway.FIRST_PAUSE", 0.001)
    monkeypatch.setattr("assent.channels.discord.gateway.LONGEST_PAUSE", 0.001)
    monkeypatch.setattr("assent.channels.discord.gateway.INTENTS_PAUSE", 0.4)
    async with company(url) as place:
        place.sandbox.application.reads_messages = False
        await place.sandbox.gateway.drop(resumable=False)
        await eventually(lambda: place.faults.sent(LOGIN)[2:])
        at = [each.at for each in place.faults.sent(LOGIN)]
        place.sandbox.application.reads_messages = True
        await eventually(lambda: place.sandbox.gateway.connected)

    assert at[2] - at[1] >= 0.4
