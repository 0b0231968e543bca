"""Conversations on Discord: mentions, threads, direct messages, and who may talk."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from assent import tool
from assent.channels.discord import Discord
from assent.channels.discord.addresses import Place
from assent.domain.chats import ChatThread
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import SYSTEM
from assent.errors import MessageGone, StoreUnavailable, WriteUncertain
from assent.models.scripted import calls, says
from assent.testing.channels import until
from tests.channels.discord.bots import eventually
from tests.channels.discord.company import company
from tests.channels.discord.stage import text_of


@tool(requires_approval=True)
def wipe(path: str) -> str:
    """Delete a file."""
    return f"wiped {path}"


async def test_a_mention_opens_a_thread_with_the_answer(url: str):
    async with company(url) as place:
        place.script.append("Hello, **Ada**!")
        start = place.mention("say hello\nplease")
        thread = await place.thread(start)
        answer = await place.said(thread, lambda text: "Hello" in text)

    assert thread.name == "say hello"
    assert answer.content == "Hello, **Ada**!"
    assert place.ada.messages(place.general) == [start]


async def test_further_messages_in_the_thread_need_no_mention(url: str):
    async with company(url) as place:
        place.script.extend(["First.", "Second."])
        thread = await place.thread(place.mention("begin"))
        await place.said(thread, lambda text: text == "First.")
        place.ada.say(thread, "go on")
        await place.said(thread, lambda text: text == "Second.")


async def test_direct_messages_are_a_conversation_too(url: str):
    async with company(url) as place:
        place.script.append("Just us.")
        direct = place.sandbox.world.direct_channel(place.ada.user)
        place.ada.say(direct, "hello")
        await place.said(direct, lambda text: text == "Just us.")


async def test_a_call_waits_in_the_thread_and_the_answer_follows_the_decision(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("I would wipe it.", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        assert await place.press(place.ada, card, "approve") == "Approved."
        await place.said(thread, lambda text: text == "Done.")
        ended = await place.settled(card)

    assert "Approved by ada via discord" in ended
    texts = [text_of(each) for each in thread.messages.values() if not each.is_ephemeral]
    # The card may come before the words that it goes with, never after the answer.
    assert texts[-1] == "Done."
    assert sorted(text.split("\n")[0] for text in texts) == ["", "Done.", "I would wipe it."]


# requirement: W13
async def test_strangers_are_told_how_to_link_and_nothing_is_sent(url: str):
    async with company(url) as place:
        start = place.mention("hello", by=place.linus)
        refusal = await place.said(place.general, lambda text: "/assent link" in text)
        assert start.thread_id is None
        assert refusal.reply_to is start
        assert await place.assent.people.find(f"discord-{place.linus.id}") is None


async def test_strangers_can_be_welcomed_with_an_account_of_their_own(url: str):
    async with company(url, wipe, discord={"strangers": "welcome"}) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe it", by=place.linus))
        card = await place.card(thread)
        told = await place.press(place.linus, card, "approve")
        account = await place.assent.people.get(f"discord-{place.linus.id}")

    assert told == "Approved."
    assert account.person.roles == frozenset({"requester"})


# conformance: 132
async def test_a_thread_is_its_owners_and_others_only_talk_there(url: str):
    async with company(url) as place:
        place.script.append("For Ada.")
        thread = await place.thread(place.mention("begin"))
        await place.said(thread, lambda text: text == "For Ada.")
        place.grace.say(thread, "I have a question")
        place.grace.say(thread, f"{place.sandbox.bot.mention} and you?")
        await place.said(thread, lambda text: "another person's" in text)
        [state] = await place.assent.channels.threads.untold("discord") or [None]
        conversation = await place.assent.channels.threads.conversation_in(
            "discord", f"thread:{thread.id}"
        )
        assert conversation is not None
        found = await place.assent.conversation(conversation)

    assert state is None
    said = [each.text for each in found.messages]
    assert said == ["begin", "For Ada."]


async def test_a_message_while_calls_wait_is_not_sent_and_says_so(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        place.ada.say(thread, "and b.txt")
        await place.said(thread, lambda text: "Decide first" in text)
        [request] = await place.pending()
        await place.press(place.ada, card, "approve")
        await place.settled(card)

    assert request.status is RequestStatus.OPEN


# requirement: D19
async def test_free_text_never_decides(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        for text in ("yes", "approve", "ok", place.button(card, "approve"), "/assent approve"):
            before = len(thread.messages)
            place.ada.say(thread, text)
            await place.sandbox.world.until(
                lambda before=before: True if len(thread.messages) > before + 1 else None
            )
        assert len(await place.pending()) == 1


async def test_a_message_that_comes_twice_is_sent_once(url: str):
    async with company(url) as place:
        place.script.extend(["First.", "Second."])
        start = place.mention("begin")
        thread = await place.thread(start)
        await place.said(thread, lambda text: text == "First.")
        from assent.demo.discord_sandbox.world import Event

        data = {**start.json(), "guild_id": str(place.sandbox.world.guild_id)}
        place.sandbox.world.emit(
            Event(name="MESSAGE_CREATE", data=data, channel=place.general, message=start)
        )
        place.ada.say(thread, "go on")
        await place.said(thread, lambda text: text == "Second.")

    said = [text_of(each) for each in thread.messages.values() if each.author.is_bot]
    assert said == ["First.", "Second."]


async def test_long_answers_become_several_messages_and_lose_nothing(url: str):
    words = " ".join(f"word{number}" for number in range(1500))
    async with company(url) as place:
        place.script.append(f"{words}\n```python\n" + "x = 1\n" * 500 + "```\nThe end.")
        thread = await place.thread(place.mention("tell me everything"))
        await place.said(thread, lambda text: text.endswith("The end."))
        messages = [each.content for each in thread.messages.values()]

    assert all(len(each) <= 2000 for each in messages)
    whole = " ".join(messages)
    assert all(f"word{number}" in whole for number in range(1500))
    assert whole.count("x = 1") == 500
    assert all(each.count("```") % 2 == 0 for each in messages)


# requirement: D9
async def test_an_answer_links_nowhere_mentions_nobody_and_loads_nothing(url: str):
    async with company(url) as place:
        hostile = (
            f"{place.grace.user.mention} @everyone [bank](https://evil.example) "
            "https://evil.example/x.png ||hidden|| <t:0:R> \u202eevil"
        )
        place.script.append(hostile)
        thread = await place.thread(place.mention("attack"))
        answer = await place.said(thread, lambda text: "evil" in text)

    assert (answer.mentions, answer.mention_everyone) == ([], False)
    assert "`https://evil.example/x.png`" in answer.content
    assert "\\[bank]" in answer.content
    assert "\u202e" not in answer.content
    assert int(answer.flags) & 4


async def test_an_empty_mention_is_asked_what_it_wants(url: str):
    async with company(url) as place:
        start = place.mention("")
        await place.said(place.general, lambda text: "Say what I should do" in text)
        assert start.thread_id is None


async def test_the_deadline_in_chat_is_five_minutes_unless_a_tool_says_otherwise(url: str):
    @tool(requires_approval=True, decide_within=3600)
    def slow(path: str) -> str:
        """Take your time."""
        return path

    async with company(url, wipe, slow) as place:
        place.script.append(says("", calls("wipe", path="a"), calls("slow", path="b")))
        thread = await place.thread(place.mention("both"))
        await place.card(thread)
        found = {each.tool: each for each in await place.pending()}

    lengths = {}
    for name, request in found.items():
        assert request.decide_by is not None
        lengths[name] = round((request.decide_by - request.created_at).total_seconds())
    assert lengths == {"wipe": 300, "slow": 3600}


async def test_a_thread_that_was_deleted_meanwhile_stops_nothing(
    url: str, caplog: pytest.LogCaptureFixture
):
    # Slowly, so that its first words come when there is no thread any more.
    async with company(url, word_delay=timedelta(seconds=0.05)) as place:
        place.script.extend(["First.", "Never seen by anybody at all. " * 8, "Elsewhere."])
        thread = await place.thread(place.mention("begin"))
        await place.said(thread, lambda text: text == "First.")
        place.ada.say(thread, "go on")
        place.sandbox.world.remove_channel(thread)
        gone = f"POST /channels/{thread.id}/messages"
        await eventually(lambda: [each for each in place.faults.sent(gone) if each.status == 404])

        async def over() -> bool:
            answers = await place.assent.channels.threads.answers(
                ChatThread(channel="discord", address=f"thread:{thread.id}")
            )
            untold = await place.assent.channels.threads.untold("discord")
            at_work = await place.assent.channels.threads.at_work("discord")
            return answers is not None and not (answers.answers or untold or at_work)

        await until("no answer to be left", over)
        other = await place.thread(place.mention("begin anew"))
        await place.said(other, lambda text: text == "Elsewhere.")

    assert "could not be shown" not in caplog.text


@contextmanager
def failing(holder: object, method: str, error: Exception) -> Iterator[None]:
    """Let one read of the engine fail, as it does while the database is away."""

    async def fail(*_: object) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holder, method, fail)
        yield


@pytest.mark.parametrize(
    "error", [StoreUnavailable("gone"), ValueError("a bug")], ids=["db", "bug"]
)
async def test_a_person_whose_message_could_not_be_sent_is_told(url: str, error: Exception):
    async with company(url) as place:
        place.script.append("Hello.")
        with failing(place.assent.people.chats, "person_of", error):
            start = place.mention("hi")
            told = await place.said(place.general, lambda text: "Say it again" in text)
        assert "was not sent" in text_of(told)
        assert start.thread_id is None
        thread = await place.thread(place.mention("hi"))
        await place.said(thread, lambda text: text == "Hello.")


async def test_in_a_thread_of_the_bot_its_person_is_told_and_elsewhere_nobody(url: str):
    async with company(url) as place:
        place.script.append("Hello.")
        ours = await place.thread(place.mention("hi"))
        await place.said(ours, lambda text: text == "Hello.")
        start = place.ada.say(place.general, "Among us")
        world = place.sandbox.world
        theirs = world.add_thread(place.general, "Ours", place.ada.user, start=start, private=False)
        threads = place.assent.channels.threads
        with failing(threads, "conversation_in", StoreUnavailable("gone")):
            place.ada.say(theirs, "nobody asked you")
            place.ada.say(ours, "go on")
            await place.said(ours, lambda text: "Say it again" in text)

    assert not [each for each in theirs.messages.values() if each.author.is_bot]


async def test_a_write_whose_end_is_unknown_is_not_called_unsent(url: str):
    async with company(url) as place:
        with failing(place.assent.people.chats, "person_of", WriteUncertain("gone")):
            place.mention("hi")
            told = await place.said(place.general, lambda text: "say it again" in text)

    assert "not known whether" in text_of(told)


async def test_a_disabled_account_is_not_welcomed_again_and_is_told(url: str):
    async with company(url, discord={"strangers": "welcome"}) as place:
        place.script.append("Welcome.")
        thread = await place.thread(place.mention("hi", by=place.linus))
        await place.said(thread, lambda text: text == "Welcome.", to=place.linus)
        await place.assent.people.change(f"discord-{place.linus.id}", by=SYSTEM, disabled=True)
        again = place.mention("hi again", by=place.linus)
        await place.said(place.general, lambda text: "is disabled" in text, to=place.linus)

    assert again.thread_id is None


def test_a_place_without_messages_can_be_read_again():
    nowhere = Place(channel="12", messages=())

    assert Place.read(str(nowhere)) == nowhere
    with pytest.raises(MessageGone):
        _ = nowhere.message


async def test_an_answer_grows_by_edits_into_as_many_messages_as_it_needs(url: str):
    async with company(url) as place:
        channel = place.assent.channels.named("discord")
        assert isinstance(channel, Discord)
        address = f"thread:{place.general.id}"

        async def say(text: str, message: str | None) -> str:
            return await channel.say(address, text, key="k", message=message, is_final=False)

        first = await say("It begins", None)
        again = await say("It begins", None)
        second = await say("It begins and goes on", first)
        assert first == again == second
        long = await say("It begins and goes on\n" + "word\n" * 500, second)
        shown = [each.content for each in place.general.messages.values()]
        assert len(shown) == 2
        assert shown[0].startswith("It begins and goes on")
        patched = len(place.faults.sent("PATCH /channels/*/messages/*"))
        await say("It begins and goes on\n" + "word\n" * 500, long)
        assert len(place.faults.sent("PATCH /channels/*/messages/*")) == patched
        await say("Short after all", long)
        assert [each.content for each in place.general.messages.values()] == ["Short after all"]


async def test_a_part_that_somebody_deleted_is_said_again(url: str):
    async with company(url) as place:
        channel = place.assent.channels.named("discord")
        assert isinstance(channel, Discord)
        address = f"thread:{place.general.id}"
        first = await channel.say(address, "One", key="k", message=None, is_final=False)
        [message] = place.general.messages.values()
        place.sandbox.world.remove_message(message)
        await channel.say(address, "One and two", key="k", message=first, is_final=True)

    assert [each.content for each in place.general.messages.values()] == ["One and two"]


async def test_the_bot_is_seen_typing_until_it_answers(url: str):
    async with company(url) as place:
        place.script.append("Here.")
        thread = await place.thread(place.mention("hello"))
        await place.said(thread, lambda text: text == "Here.")
        typed = place.faults.sent("POST /channels/*/typing")

    assert [each.path for each in typed][:1] == [f"/channels/{thread.id}/typing"]
    assert place.sandbox.bot.id not in thread.typing
