"""`/assent`: linking proves both sides, and every answer is seen by its user alone."""

import logging
from pathlib import Path

import pytest

from assent.channels.slack import api
from assent.errors import NotLinked
from assent.testing import calls, says
from tests.channels.slack import LoopbackSlack
from tests.channels.slack.office import opened
from tests.channels.slack.reading import links, words


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)


# requirement: W13
async def test_a_code_from_the_web_links_the_account_that_types_it(
    slack: LoopbackSlack, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ada, eve = slack.member("ada"), slack.member("eve")
    general = slack.channel("general", ada, eve)
    async with opened(slack, url) as office:
        chats, other = office.assent.people.chats, slack.member("other")
        person = await office.link(other)
        code = await chats.code_for_person(person, "slack")

        await ada.command("/assent", f"link {code}", channel=general)
        await ada.sees_ephemeral(general, "linked to other")
        assert (await chats.person_of("slack", ada.id)).id == "other"
        # A code works once.
        await eve.command("/assent", f"link {code.lower()}", channel=general)
        await eve.sees_ephemeral(general, "wrong, used or over ten minutes old")
        with pytest.raises(NotLinked):
            await chats.person_of("slack", eve.id)
        assert eve.messages(general) == ada.messages(general) == []
    assert code not in caplog.text


# requirement: W13
async def test_a_code_from_slack_is_entered_on_the_web(slack: LoopbackSlack, url: str) -> None:
    ada, other = slack.member("ada"), slack.member("other")
    async with opened(slack, url) as office:
        chats, person = office.assent.people.chats, await office.link(other)

        await ada.command("/assent", "link")
        told = await ada.sees_ephemeral(ada.direct, "on your settings page")
        code = words(told).rsplit(" ", 1)[1]
        linked = await chats.link_person(code, person)

        assert (linked.chat_id, linked.name) == (ada.id, "ada")
        await ada.command("/assent", "unlink")
        await ada.sees_ephemeral(ada.direct, "no longer linked")
        with pytest.raises(NotLinked):
            await chats.person_of("slack", ada.id)


async def test_the_inbox_lists_what_waits_with_links(slack: LoopbackSlack, url: str) -> None:
    ada, eve = slack.member("ada"), slack.member("eve")
    async with opened(slack, url, says("", calls("delete", path="a.txt"))) as office:
        await office.link(ada)
        await office.link(eve)
        await ada.say(ada.direct, "delete it")
        await ada.sees(ada.direct, "Approval needed")
        [request] = await office.assent.pending()

        await ada.command("/assent", "inbox")
        listed = await ada.sees_ephemeral(ada.direct, "delete  path=")
        await eve.command("/assent", "inbox")
        await eve.sees_ephemeral(eve.direct, "Nothing waits for you.")

        assert links(listed) == [f"https://assent.test/requests/{request.id}"]


@pytest.mark.parametrize("text", ["", "help", "approve req_1", "yes", "link " + "x" * 3000])
async def test_whatever_is_typed_is_answered_and_decides_nothing(
    slack: LoopbackSlack, url: str, text: str
) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, says("", calls("delete", path="a.txt"))) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")
        await ada.sees(ada.direct, "Approval needed")

        delivery = await ada.command("/assent", text)

        assert delivery.acknowledged
        await ada.sees_ephemeral(ada.direct, "")
        assert len(await office.assent.pending()) == 1


async def test_a_stranger_and_a_guest_learn_nothing(slack: LoopbackSlack, url: str) -> None:
    eve = slack.member("eve")
    async with opened(slack, url):
        for text in ("inbox", "unlink"):
            await eve.command("/assent", text)
            await eve.sees_ephemeral(eve.direct, "not linked")
            eve.direct.ephemerals.clear()
