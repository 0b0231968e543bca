"""Messages, threads and permissions of the sandbox, with the real discord.py."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import discord
import pytest

from assent.demo.discord_sandbox import DiscordSandbox, Permission
from assent.demo.discord_sandbox.permissions import INVITED
from tests.channels.discord.bots import Bot, eventually, running
from tests.channels.discord.conftest import Place


def channel_of(bot: Bot, place: Place) -> discord.TextChannel:
    found = bot.get_channel(place.general.id)
    assert isinstance(found, discord.TextChannel)
    return found


async def test_a_message_is_posted_edited_read_and_deleted(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        channel = channel_of(bot, place)
        sent = await channel.send("one", embed=discord.Embed(title="T", description="D"))
        [seen] = place.ada.messages(place.general)
        assert (seen.content, seen.embeds[0]["description"]) == ("one", "D")

        await sent.edit(content="two", embed=None)
        assert (seen.content, seen.embeds) == ("two", [])
        assert seen.edited_at is not None
        assert (await channel.fetch_message(sent.id)).content == "two"

        await sent.delete()
        assert place.ada.messages(place.general) == []
        with pytest.raises(discord.NotFound) as unknown:
            await sent.edit(content="three")
        assert unknown.value.code == 10008


async def test_the_history_is_read_newest_first(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        for text in ("one", "two", "three"):
            place.ada.say(place.general, text)
        found = [each.content async for each in channel_of(bot, place).history(limit=2)]

    assert found == ["three", "two"]


async def test_an_enforced_nonce_gives_the_first_message_again(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        channel = channel_of(bot, place)
        one = await channel.send("hello", nonce="n1")
        again = await channel.send("hello", nonce="n1")
        other = await channel.send("hello", nonce="n2")

    assert (one.id == again.id, one.id == other.id) == (True, False)
    assert len(place.ada.messages(place.general)) == 2


async def test_a_nonce_is_forgotten_after_some_minutes(monkeypatch: pytest.MonkeyPatch):
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    later = timedelta(0)
    async with DiscordSandbox(now=lambda: moment + later) as sandbox:
        from assent.demo.discord_sandbox.message_body import MessageBody
        from assent.demo.discord_sandbox.world import Draft

        channel = sandbox.add_channel("general")
        body = MessageBody(content="hello", nonce="n1", is_nonce_enforced=True)
        one = sandbox.world.post(channel, Draft(author=sandbox.bot, body=body))
        later = timedelta(minutes=10)
        two = sandbox.world.post(channel, Draft(author=sandbox.bot, body=body))

    assert one.id != two.id


async def test_mentions_notify_only_whom_the_bot_allows(place: Place):
    text = f"{place.ada.user.mention} @everyone"
    async with running(Bot(), place.sandbox) as bot:
        channel = channel_of(bot, place)
        await channel.send(text)
        await channel.send(text, allowed_mentions=discord.AllowedMentions.none())

    loud, quiet = place.ada.messages(place.general)
    assert (loud.mentions, loud.mention_everyone) == ([place.ada.user], True)
    assert (quiet.mentions, quiet.mention_everyone) == ([], False)


async def test_a_thread_starts_from_a_message_once(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        start = place.ada.say(place.general, "start here")
        heard = await eventually(lambda: bot.heard and bot.heard[0])
        thread = await heard.create_thread(name="Work")
        await thread.send("inside")
        with pytest.raises(discord.HTTPException) as twice:
            await heard.create_thread(name="Work")

    assert twice.value.code == 160004
    assert start.thread_id == thread.id == start.id
    seen = place.sandbox.world.channels[thread.id]
    assert [each.content for each in place.grace.messages(seen)] == ["inside"]


async def test_a_private_thread_is_seen_by_its_members_only(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        world = place.sandbox.world
        seen = world.add_thread(
            place.general, "Between us", place.sandbox.bot, start=None, private=True
        )
        thread = await bot.fetch_channel(seen.id)
        assert isinstance(thread, discord.Thread)
        await thread.add_user(discord.Object(place.ada.id))
        await thread.send("psst")
        with pytest.raises(discord.Forbidden):
            await channel_of(bot, place).create_thread(name="Not allowed")

    assert len(place.ada.messages(seen)) == 1
    assert place.grace.messages(seen) == []


async def test_a_deleted_thread_is_unknown_to_its_bot(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        thread = await channel_of(bot, place).create_thread(
            name="Gone", type=discord.ChannelType.public_thread
        )
        place.sandbox.world.remove_channel(place.sandbox.world.channels[thread.id])
        with pytest.raises(discord.NotFound) as unknown:
            await thread.send("hello?")

    assert unknown.value.code == 10003


async def test_an_archived_thread_opens_with_a_message_unless_it_is_locked(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        thread = await channel_of(bot, place).create_thread(
            name="Old", type=discord.ChannelType.public_thread
        )
        first = await thread.send("first")
        await thread.edit(archived=True)
        with pytest.raises(discord.HTTPException) as archived:
            await first.edit(content="changed")
        await thread.send("open again")
        seen = place.sandbox.world.channels[thread.id]
        assert not seen.is_archived

        await thread.edit(archived=True, locked=True)
        with pytest.raises(discord.Forbidden) as locked:
            await thread.send("and again")

    assert (archived.value.code, locked.value.code) == (50083, 160005)


async def test_direct_messages_reach_one_person_who_can_refuse_them(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        user = await bot.fetch_user(place.ada.id)
        await user.send("for you alone")
        direct = place.sandbox.world.direct_channel(place.ada.user)
        assert [each.content for each in place.ada.messages(direct)] == ["for you alone"]
        assert place.grace.messages(direct) == []

        place.ada.say(direct, "thank you")
        heard = await eventually(lambda: bot.heard and bot.heard[0])
        assert (heard.content, heard.guild) == ("thank you", None)


async def test_a_bot_needs_the_permissions_of_the_channel(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        channel = channel_of(bot, place)
        codes: list[int] = []
        for denied in (
            Permission.VIEW_CHANNEL,
            Permission.SEND_MESSAGES,
            Permission.EMBED_LINKS,
        ):
            place.sandbox.world.deny(place.general, denied)
            with pytest.raises(discord.Forbidden) as refused:
                await channel.send("hello", embed=discord.Embed(title="T"))
            codes.append(refused.value.code)
        place.sandbox.world.deny(place.general, Permission(0))
        await channel.send("hello")

    assert codes == [50001, 50013, 50013]
    assert len(place.ada.messages(place.general)) == 1


async def test_a_bot_edits_and_deletes_only_its_own_messages(place: Place):
    said = place.ada.say(place.general, "mine")
    async with running(Bot(), place.sandbox) as bot:
        message = await channel_of(bot, place).fetch_message(said.id)
        with pytest.raises(discord.Forbidden) as edit:
            await message.edit(content="yours")
        with pytest.raises(discord.Forbidden) as delete:
            await message.delete()

    assert (edit.value.code, delete.value.code) == (50005, 50013)
    assert said.content == "mine"


async def test_a_reply_points_to_a_message_that_exists(place: Place):
    said = place.ada.say(place.general, "a question")
    async with running(Bot(), place.sandbox) as bot:
        channel = channel_of(bot, place)
        question = await channel.fetch_message(said.id)
        await question.reply("an answer")
        place.sandbox.world.remove_message(said)
        with pytest.raises(discord.HTTPException) as gone:
            await question.reply("another")

    [answer] = place.ada.messages(place.general)
    assert answer.reply_to is said
    assert "message_reference" in str(gone.value)


async def test_typing_is_shown_until_the_message_comes(place: Place):
    async with running(Bot(), place.sandbox) as bot:
        channel = channel_of(bot, place)
        async with channel.typing():
            assert place.sandbox.bot.id in place.general.typing
        await channel.send("here")

    assert place.sandbox.bot.id not in place.general.typing


def test_the_guide_asks_for_the_permissions_that_the_sandbox_gives():
    guide = (Path(__file__).parents[3] / "docs" / "discord.md").read_text()

    assert f"permissions={int(INVITED)}\n" in guide
