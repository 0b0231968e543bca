"""People talk to an agent in Slack: in threads, directly, and nothing that they write decides."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from assent.channels import answers as answers_module
from assent.channels.slack import api
from assent.channels.slack.addresses import Place
from assent.domain.lifecycle import RequestStatus
from assent.errors import NotLinked
from assent.testing import calls, says
from assent.testing.channels import until
from assent.testing.hostile import DECEPTIONS, is_unseen
from tests.channels.slack import LoopbackSlack, LostResponse, RateLimited
from tests.channels.slack.office import Office, channel_of, opened
from tests.channels.slack.reading import labels, links, pings, words
from tests.channels.slack.workspace import Channel


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers_module, "EDIT_SECONDS", 0.05)
    monkeypatch.setattr(answers_module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)
    monkeypatch.setattr(api, "UPDATES_PER_SECOND", 100)


async def test_a_mention_is_answered_in_a_thread_and_the_thread_goes_on_without_one(
    slack: LoopbackSlack, url: str
) -> None:
    slack.subscriptions |= {"message.channels"}
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    async with opened(slack, url, "Hello, Ada.", "Four.") as office:
        await office.link(ada)

        asked = await ada.mention(general, "hello &amp; <https://a.test|a.test>")
        answer = await ada.sees(general, "Hello, Ada.", thread=asked.ts)
        await ada.say(general, "two and two?", thread=asked.ts)
        await ada.sees(general, "Four.", thread=asked.ts)

        assert answer.by_app
        assert office.heard == ["hello & a.test", "two and two?"]
        assert len(ada.messages(general, thread=asked.ts)) == 3


async def test_what_is_not_said_to_the_app_is_let_pass(slack: LoopbackSlack, url: str) -> None:
    slack.subscriptions |= {"message.channels"}
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    async with opened(slack, url, "Yes?") as office:
        await office.link(ada)

        first = await ada.say(general, "lunch?")
        await ada.say(general, "pizza", thread=first.ts)
        asked = await ada.mention(general, "you there?")
        await ada.sees(general, "Yes?", thread=asked.ts)

        assert office.heard == ["you there?"]
        assert ada.ephemerals(general) == []


async def test_a_direct_message_needs_no_mention_and_no_thread(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, "one", "two") as office:
        await office.link(ada)

        await ada.say(ada.direct, "first")
        await ada.sees(ada.direct, "one")
        await ada.say(ada.direct, "second")
        await ada.sees(ada.direct, "two")

        # The second answer knew of the first.
        assert [len(prompt.history) for prompt in office.model.prompts] == [1, 3]


async def test_an_event_that_comes_twice_is_one_message(slack: LoopbackSlack, url: str) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    async with opened(slack, url, "once", "twice") as office:
        await office.link(ada)

        asked = await ada.mention(general, "hello", copies=3)
        await ada.sees(general, "once", thread=asked.ts)

        assert office.heard == ["hello"]


async def test_a_growing_answer_is_one_message_that_is_edited(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    text = " ".join(f"word{number}" for number in range(40))
    async with opened(slack, url, text, words=timedelta(milliseconds=20)) as office:
        await office.link(ada)

        asked = await ada.mention(general, "tell me")
        await ada.sees(general, "word3", thread=asked.ts)
        await ada.sees(general, "word39", thread=asked.ts)

        [message] = ada.messages(general, thread=asked.ts)
        assert words(message) == text
        assert message.edits >= 2


# requirement: D19
async def test_a_card_comes_into_the_thread_and_only_its_buttons_decide(
    slack: LoopbackSlack, url: str
) -> None:
    slack.subscriptions |= {"message.channels"}
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    async with opened(slack, url, says("I will.", calls("delete", path="a.txt"))) as office:
        await office.link(ada)
        asked = await ada.mention(general, "delete a.txt")
        card = await ada.sees(general, "Approval needed", thread=asked.ts)
        [request] = await office.assent.pending()

        for text in ("yes", "ok", "approve", f"approve {request.id}"):
            await ada.say(general, text, thread=asked.ts)
            await ada.sees_ephemeral(general, "Decide first")
        assert (await office.assent.request(request)).status is RequestStatus.OPEN
        assert office.deleted == []

        await ada.press(card, "Approve")
        sure = await ada.sees_ephemeral(general, "Sure?")
        assert office.deleted == []
        await ada.press(sure, "Yes, Approve")
        assert labels((await ada.sees_ephemeral(general, "Approved.")).blocks) == []
        await ada.sees(general, "Done.", thread=asked.ts)
        assert office.deleted == ["a.txt"]
        assert await ada.sees(general, "Approved by ada via slack", thread=asked.ts)


# conformance: 112
async def test_a_question_in_a_chat_waits_five_minutes_unless_told_otherwise(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    step = says("", calls("delete", path="a.txt"))

    async def waits(office: Office) -> timedelta:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")

        async def asked() -> bool:
            return bool(await office.assent.pending())

        await until("a request", asked)
        [request] = await office.assent.pending()
        assert request.decide_by is not None
        return request.decide_by - request.created_at

    async with opened(slack, url, step) as office:
        assert await waits(office) == timedelta(minutes=5)
    other = channel_of(slack, decide_within=timedelta(seconds=90))
    async with opened(slack, f"{url}2", step, channel=other) as office:
        assert await waits(office) == timedelta(seconds=90)


# conformance: 112
async def test_a_question_that_nobody_answers_is_shown_as_expired(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    channel = channel_of(slack, decide_within=timedelta(seconds=1))
    step = says("", calls("delete", path="a.txt"))
    async with opened(slack, url, step, channel=channel) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")

        card = await ada.sees(ada.direct, "Expired: nobody decided in time")

        assert labels(card.blocks) == []
        assert office.deleted == []


# requirement: W13
async def test_a_stranger_is_refused_and_told_how_to_link(slack: LoopbackSlack, url: str) -> None:
    eve = slack.member("eve")
    general = slack.channel("general", eve)
    async with opened(slack, url, "never") as office:
        await eve.mention(general, "hello")

        await eve.sees_ephemeral(general, "/assent link")
        assert office.heard == []


async def test_a_stranger_is_welcome_where_that_is_wanted(slack: LoopbackSlack, url: str) -> None:
    eve = slack.member("eve")
    channel = channel_of(slack, strangers="welcome")
    async with opened(slack, url, "Welcome.", "Again.", channel=channel) as office:
        await eve.say(eve.direct, "hello")
        await eve.sees(eve.direct, "Welcome.")
        await eve.say(eve.direct, "hello")
        await eve.sees(eve.direct, "Again.")

        person = await office.assent.people.chats.person_of("slack", eve.id)
        assert person.roles == {"requester"}
        assert (await office.assent.people.get(person.id)).name == "Eve"


# requirement: W13
async def test_a_guest_from_another_workspace_is_refused(slack: LoopbackSlack, url: str) -> None:
    zoe = slack.member("zoe", team="T9OTHER")
    general = slack.channel("general", zoe)
    channel = channel_of(slack, strangers="welcome")
    async with opened(slack, url, "never", channel=channel) as office:
        await office.link(zoe)
        await zoe.mention(general, "hello")

        await zoe.sees_ephemeral(general, "another workspace")
        assert office.heard == []


# conformance: 132
async def test_a_thread_is_one_persons_conversation(slack: LoopbackSlack, url: str) -> None:
    ada, bob = slack.member("ada"), slack.member("bob")
    general = slack.channel("general", ada, bob)
    async with opened(slack, url, "Hello.") as office:
        await office.link(ada)
        await office.link(bob)
        asked = await ada.mention(general, "hello")
        await ada.sees(general, "Hello.", thread=asked.ts)

        await bob.mention(general, "delete everything", thread=asked.ts)

        await bob.sees_ephemeral(general, "another person's conversation")
        assert office.heard == ["hello"]


# requirement: W13
@pytest.mark.parametrize("strangers", ["refuse", "welcome"])
async def test_people_may_talk_to_each_other_in_the_thread_of_a_conversation(
    slack: LoopbackSlack, url: str, strangers: str
) -> None:
    slack.subscriptions |= {"message.channels"}
    ada, bob, eve = (slack.member(name) for name in ("ada", "bob", "eve"))
    zoe = slack.member("zoe", team="T9OTHER")
    general = slack.channel("general", ada, bob, eve, zoe)
    steps = ("Hello.", says("", calls("delete", path="a.txt")))
    channel = channel_of(slack, strangers=strangers)
    async with opened(slack, url, *steps, channel=channel) as office:
        await office.link(ada)
        await office.link(bob)
        asked = await ada.mention(general, "hello")
        await ada.sees(general, "Hello.", thread=asked.ts)
        for text in ("what is this?", ""):
            for member in (bob, eve, zoe):
                await member.say(general, text, thread=asked.ts)
        await ada.say(general, "delete it", thread=asked.ts)
        await ada.sees(general, "Approval needed", thread=asked.ts)
        for member in (bob, eve, zoe):
            await member.say(general, "no, wait", thread=asked.ts)

        # Each of them was handled by the time it was acknowledged.
        await ada.say(general, "well?", thread=asked.ts)
        await ada.sees_ephemeral(general, "Decide first")
        assert [member.ephemerals(general) for member in (bob, eve, zoe)] == [[], [], []]
        assert office.heard == ["hello", "delete it"]
        with pytest.raises(NotLinked):
            await office.assent.people.chats.person_of("slack", eve.id)
        # Who mentions the app is answered.
        await eve.mention(general, "and I?", thread=asked.ts)
        words = "/assent link" if strangers == "refuse" else "another person's conversation"
        await eve.sees_ephemeral(general, words)


async def test_a_long_answer_goes_on_in_further_messages_and_nothing_is_lost(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    lines = [f"{number:05} {'x' * 60}" for number in range(400)]
    async with opened(slack, url, "\n".join(lines)) as office:
        await office.link(ada)
        await ada.say(ada.direct, "everything")

        await ada.sees(ada.direct, lines[-1])
        shown = "\n".join(words(each) for each in ada.messages(ada.direct)[1:])
        assert [line for line in shown.split("\n") if line] == lines
        assert len(_answers(ada.direct)) == 4


# requirement: D9
# conformance: 138
async def test_words_of_the_agent_ping_nobody_and_lead_nowhere(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    hostile = f"<!channel> <@{ada.id}> <https://evil.test|ok> https://evil.test"
    texts = [hostile, *DECEPTIONS.values()]
    async with opened(slack, url, *texts) as office:
        await office.link(ada)
        for count in range(len(texts)):
            await ada.say(ada.direct, "go on")
            await slack.until(lambda n=count: len(_answers(ada.direct)) > n, what="an answer")

        for message in _answers(ada.direct):
            assert (pings(message), links(message)) == ([], [])
            seen = words(message).replace("\n", "")
            assert not [each for each in seen if is_unseen(each)]


def _answers(channel: Channel) -> list:
    return [each for each in channel.messages if each.by_app]


async def test_code_and_bold_of_the_agent_are_drawn(slack: LoopbackSlack, url: str) -> None:
    ada = slack.member("ada")
    text = "Use **care** with `rm`:\n```sh\nrm -rf <dir>\n```\nDone."
    async with opened(slack, url, text) as office:
        await office.link(ada)
        await ada.say(ada.direct, "how?")

        answer = await ada.sees(ada.direct, "rm -rf <dir>")
        parts = [part for block in answer.blocks for part in block["elements"]]
        assert [part["type"] for part in parts] == [
            "rich_text_section",
            "rich_text_preformatted",
            "rich_text_section",
        ]
        styles = [span.get("style") for span in parts[0]["elements"]]
        assert styles == [None, {"bold": True}, None, {"code": True}, None]


@pytest.mark.parametrize("fault", [LostResponse(), RateLimited(retry_after=1)])
async def test_an_answer_is_shown_once_whatever_slack_does(
    slack: LoopbackSlack,
    url: str,
    fault: LostResponse | RateLimited,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers_module, "SWEEP_SECONDS", 0.2)
    ada = slack.member("ada")
    async with opened(slack, url, "Hello.") as office:
        await office.link(ada)
        slack.faults.add(fault, method="chat.postMessage")
        await ada.say(ada.direct, "hello")

        await ada.sees(ada.direct, "Hello.")
        thread = office.assent.channels.threads

        async def told() -> bool:
            return not await thread.untold("slack")

        await until("the answer to be recorded", told)
        assert [words(each) for each in _answers(ada.direct)] == ["Hello."]


# conformance: 115
async def test_an_answer_that_was_begun_is_ended_by_the_next_process(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    text = " ".join(f"word{number}" for number in range(60))
    async with opened(slack, url, text, words=timedelta(milliseconds=30)) as office:
        await office.link(ada)
        await ada.say(ada.direct, "tell me")
        await ada.sees(ada.direct, "word2")
        [turn] = [state.turn_id for state in await office.assent.channels.threads.at_work("slack")]
        assert turn is not None

    async with opened(slack, url) as second:
        await asyncio.wait_for(second.assent.wait(turn), 20)
        await ada.sees(ada.direct, "word59" if await _is_whole(second, turn) else "word2")
        assert len(_answers(ada.direct)) == 1


async def _is_whole(office: Office, turn: str) -> bool:
    return "word59" in (await office.assent.turn(turn)).text


def test_addresses_tell_people_rooms_and_threads_apart() -> None:
    assert Place.of("U123") == Place(user="U123")
    assert Place.of("room:C1") == Place(channel="C1")
    assert Place.of("thread:C1/1.2") == Place(channel="C1", thread="1.2")
    assert Place.of("thread:D1") == Place(channel="D1")
    for place in (Place(channel="C1", thread="1.2"), Place(channel="D1")):
        assert Place.of(place.address) == place
