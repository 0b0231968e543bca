"""The gateway of the sandbox, with the real discord.py on the other side."""

import asyncio
import contextlib

import discord
import pytest
from aiohttp import ClientSession

from assent.demo.discord_sandbox import Close, DiscordSandbox, Permission
from tests.channels.discord.bots import Bot, eventually, running
from tests.channels.discord.conftest import Place


async def test_a_bot_connects_and_knows_its_guild(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        [guild] = bot.guilds
        assert (guild.name, [each.name for each in guild.text_channels]) == ("Assent", ["general"])
        assert bot.user is not None
        assert guild.me.id == bot.user.id == place.sandbox.bot.id
        assert guild.me.guild_permissions.send_messages


async def test_a_bot_hears_a_mention_and_sees_who_it_is_from(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        place.ada.say(place.general, f"{place.sandbox.bot.mention} hello")
        heard = await eventually(lambda: bot.heard and bot.heard[0])

    assert (heard.author.display_name, heard.author.id) == ("Ada", place.ada.id)
    assert [each.id for each in heard.mentions] == [place.sandbox.bot.id]


async def test_without_the_intent_a_bot_reads_only_what_mentions_it(place: Place):
    async with running(Bot(intents=discord.Intents.default()), place.sandbox) as bot:
        place.ada.say(place.general, "a secret")
        place.ada.say(place.general, f"{place.sandbox.bot.mention} not a secret")
        await eventually(lambda: len(bot.heard) == 2)

    assert [each.content for each in bot.heard] == [
        "",
        f"{place.sandbox.bot.mention} not a secret",
    ]


async def test_an_intent_that_the_portal_does_not_allow_is_refused(monkeypatch, place: Place):
    place.sandbox.application.reads_messages = False
    bot = Bot()

    with pytest.raises(discord.PrivilegedIntentsRequired):
        await bot.start(place.sandbox.token)
    await bot.close()


@pytest.mark.parametrize("code", [None, Close.UNKNOWN_ERROR])
async def test_a_bot_resumes_after_a_drop_and_misses_nothing(place: Place, code: Close | None):
    async with running(Bot(), place.sandbox) as bot:
        await place.sandbox.gateway.drop(code=code)
        place.ada.say(place.general, "said meanwhile")
        await eventually(lambda: bot.resumes == 1)
        await eventually(lambda: bot.heard)

    assert [each.content for each in bot.heard] == ["said meanwhile"]


async def test_a_bot_starts_anew_when_its_session_is_gone(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        await place.sandbox.gateway.drop(resumable=False)
        await place.sandbox.world.until(lambda: place.sandbox.gateway.connected or None)
        place.ada.say(place.general, "said afterwards")
        await eventually(lambda: bot.heard)

    assert bot.resumes == 0
    assert [each.content for each in bot.heard] == ["said afterwards"]


async def test_a_bot_reconnects_when_it_is_asked_to(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        place.sandbox.gateway.ask_to_reconnect()
        await eventually(lambda: bot.resumes == 1)


async def test_a_wrong_token_is_refused(place: Place):
    bot = Bot()

    with pytest.raises(discord.LoginFailure):
        await bot.start("wrong")
    await bot.close()


async def test_a_revoked_token_ends_a_running_bot(place: Place):
    bot = Bot()
    task = asyncio.create_task(bot.start(place.sandbox.token))
    await place.sandbox.world.until(lambda: place.sandbox.gateway.connected or None)

    await place.sandbox.revoke_token()

    with pytest.raises(discord.ConnectionClosed) as closed:
        await asyncio.wait_for(task, 10)
    assert closed.value.code == Close.AUTHENTICATION_FAILED


async def test_a_second_session_with_the_same_token_hears_everything_too(place: Place):
    async with running(Bot(), place.sandbox) as one, running(Bot(), place.sandbox) as two:
        place.ada.say(place.general, "hello")
        await eventually(lambda: one.heard and two.heard)


async def test_a_bot_does_not_hear_a_channel_that_it_may_not_see(place: Place):
    hidden = place.sandbox.add_channel("hidden")
    place.sandbox.world.deny(hidden, Permission.VIEW_CHANNEL)
    async with running(Bot(), place.sandbox) as bot:
        place.ada.say(hidden, "not for you")
        place.ada.say(place.general, "for you")
        await eventually(lambda: bot.heard)

    assert [each.content for each in bot.heard] == ["for you"]


@pytest.mark.parametrize(("code", "left"), [(1000, 0), (4000, 1)])
async def test_a_session_is_forgotten_when_its_client_says_goodbye(
    place: Place, code: int, left: int
):
    gateway = place.sandbox.gateway
    identify = {"op": 2, "d": {"token": place.sandbox.token, "intents": 1}}
    async with (
        ClientSession() as session,
        session.ws_connect(f"{place.sandbox.gateway_url}?v=10") as socket,
    ):
        await socket.send_json(identify)
        await place.sandbox.world.until(lambda: gateway.connected or None)
        await socket.close(code=code)

    await place.sandbox.world.until(lambda: True if not gateway.connected else None)
    assert len(gateway.sessions) == left


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ("not json", Close.DECODE_ERROR),
        ("[1]", Close.DECODE_ERROR),
        ('{"op": 77}', Close.UNKNOWN_OPCODE),
        ('{"op": 3, "d": {}}', Close.NOT_AUTHENTICATED),
        ('{"op": 2, "d": {"token": "wrong"}}', Close.AUTHENTICATION_FAILED),
    ],
)
async def test_frames_that_make_no_sense_close_the_connection(
    place: Place, frame: str, code: Close
):
    async with (
        ClientSession() as session,
        session.ws_connect(f"{place.sandbox.gateway_url}?v=10&encoding=json") as socket,
    ):
        assert (await socket.receive_json())["op"] == 10
        await socket.send_str(frame)
        await socket.receive()

        assert socket.close_code == code


async def test_the_ids_of_places_and_people_are_always_the_same():
    async def ids() -> list[int]:
        async with DiscordSandbox() as sandbox:
            channel, ada = sandbox.add_channel("general"), sandbox.add_member("Ada")
            return [sandbox.bot.id, channel.id, ada.id]

    assert await ids() == await ids()


async def test_leaving_the_context_ends_connections_and_frees_the_port(place: Place):
    async with DiscordSandbox() as sandbox:
        port = int(sandbox.origin.rpartition(":")[2])
        async with ClientSession() as session:
            socket = await session.ws_connect(f"{sandbox.gateway_url}?v=10")
            with contextlib.suppress(ConnectionError):
                await socket.close()

    async with DiscordSandbox(port=port) as again:
        assert again.origin == sandbox.origin
