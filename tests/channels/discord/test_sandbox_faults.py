"""Bad days: what discord.py makes of them, and what has happened in the guild then."""

import asyncio

import aiohttp
import discord
import pytest

from assent.demo.discord_sandbox import DiscordSandbox
from tests.channels.discord.bots import Bot, eventually, running
from tests.channels.discord.conftest import Place
from tests.channels.discord.faults import broken, delayed, lost, rate_limited

POST = "POST /channels/*/messages"


def channel_of(bot: Bot, place: Place) -> discord.TextChannel:
    found = bot.get_channel(place.general.id)
    assert isinstance(found, discord.TextChannel)
    return found


@pytest.mark.parametrize("everywhere", [False, True])
async def test_a_rate_limited_message_is_sent_when_discord_says(place: Place, everywhere: bool):
    async with running(Bot(), place.sandbox) as bot:
        place.faults.plan(POST, rate_limited(0.05, everywhere=everywhere))
        await channel_of(bot, place).send("hello")

    refused, taken = place.faults.sent(POST)
    assert (refused.status, taken.status) == (429, 200)
    assert taken.at - refused.at >= 0.05
    assert len(place.ada.messages(place.general)) == 1


async def test_a_client_can_choose_not_to_wait_for_a_long_limit(place: Place):
    async with running(Bot(max_ratelimit_timeout=30), place.sandbox) as bot:
        place.faults.plan(POST, rate_limited(600))
        with pytest.raises(discord.RateLimited) as limited:
            await channel_of(bot, place).send("hello")

    assert limited.value.retry_after == 600


async def test_a_server_error_is_tried_again(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        place.faults.plan(POST, broken(500))
        await channel_of(bot, place).send("hello")

    assert [each.status for each in place.faults.sent(POST)] == [500, 200]


async def test_a_lost_response_and_a_nonce_leave_one_message(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        place.faults.plan(POST, lost())
        with pytest.raises((aiohttp.ClientError, OSError)):
            await channel_of(bot, place).send("hello", nonce="n1")
        assert len(place.ada.messages(place.general)) == 1
        again = await channel_of(bot, place).send("hello", nonce="n1")

    [message] = place.ada.messages(place.general)
    assert message.id == again.id


async def test_a_delayed_request_is_carried_out_in_the_end(place: Place):
    gate = asyncio.Event()
    async with running(Bot(), place.sandbox) as bot:
        place.faults.plan(POST, delayed(gate))
        sending = asyncio.create_task(channel_of(bot, place).send("hello"))
        channel = channel_of(bot, place)
        assert await channel.guild.fetch_member(place.ada.id)
        assert place.ada.messages(place.general) == []
        gate.set()
        await sending

    assert len(place.ada.messages(place.general)) == 1


async def test_an_outage_ends_and_the_bot_comes_back(place: Place, monkeypatch: pytest.MonkeyPatch):
    # discord.py waits a second or more between its attempts.
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _: 0.01)
    async with running(Bot(), place.sandbox) as bot:
        place.faults.is_down = True
        await place.sandbox.gateway.drop()
        place.ada.say(place.general, "said during the outage")
        with pytest.raises(discord.DiscordServerError):
            await channel_of(bot, place).send("hello")
        place.faults.is_down = False
        await eventually(lambda: bot.heard)

    assert [each.content for each in bot.heard] == ["said during the outage"]


async def test_limits_by_default_are_discords_and_announced_before_they_hit(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    async with DiscordSandbox(around=[place.faults]) as sandbox:
        channel = sandbox.add_channel("general")
        address = f"{sandbox.api_url}/channels/{channel.id}/messages"
        headers = {"Authorization": f"Bot {sandbox.token}"}
        async with aiohttp.ClientSession(headers=headers) as session:
            answers = [await session.post(address, json={"content": "x"}) for _ in range(6)]

    assert [each.status for each in answers] == [200] * 5 + [429]
    left = [each.headers["X-RateLimit-Remaining"] for each in answers]
    assert left == ["4", "3", "2", "1", "0", "0"]
    body = await answers[-1].json()
    assert (body["global"], 0 < body["retry_after"] <= 5) == (False, True)
    assert len(channel.messages) == 5
