"""Words of an agent in threads of Slack: whole, in order, once, whatever people delete."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from assent.channels.slack import api
from assent.channels.slack.addresses import Place
from assent.channels.slack.api import SlackApi
from assent.channels.slack.writer import Writer
from tests.channels.slack import LoopbackSlack, LostResponse, Refused
from tests.channels.slack.member import Member
from tests.channels.slack.reading import words
from tests.channels.slack.workspace import Channel

LINES = [f"{number:05} {'x' * 60}" for number in range(400)]
LONG = "\n".join(LINES)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)
    monkeypatch.setattr(api, "UPDATES_PER_SECOND", 100)


@pytest.fixture
def ada(slack: LoopbackSlack) -> Member:
    return slack.member("ada")


@asynccontextmanager
async def writing(slack: LoopbackSlack, *, is_young: bool = True) -> AsyncGenerator[Writer]:
    """A writer in a process that began to serve just now, or long ago."""
    client = SlackApi(slack.bot_token, slack.base_url)
    await client.open()
    writer = Writer(client)
    if is_young:
        writer.begin()
    try:
        yield writer
    finally:
        await client.close()


def address(channel: Channel) -> str:
    return Place(channel=channel.id).address


def texts(channel: Channel) -> list[str]:
    return [words(each) for each in channel.messages if each.by_app and not each.deleted]


@pytest.mark.parametrize("is_young", [True, False])
async def test_a_growing_message_that_was_deleted_is_posted_anew(
    slack: LoopbackSlack, ada: Member, *, is_young: bool
) -> None:
    async with writing(slack, is_young=is_young) as writer:
        place = address(ada.direct)
        first = await writer.say(place, "One", key="k", message=None, is_final=False)
        ada.direct.messages[0].deleted = True

        grown = await writer.say(place, "One two", key="k", message=first, is_final=False)
        assert grown != first
        await writer.say(place, "One two three", key="k", message=grown, is_final=True)

    assert texts(ada.direct) == ["One two three"]


@pytest.mark.parametrize("error", ["edit_window_closed", "cant_update_message"])
async def test_a_message_that_takes_no_more_changes_is_followed_by_one_other(
    slack: LoopbackSlack, ada: Member, error: str
) -> None:
    async with writing(slack) as writer:
        place = address(ada.direct)
        first = await writer.say(place, "One", key="k", message=None, is_final=False)
        slack.faults.add(Refused(error=error), method="chat.update", times=2)
        slack.faults.add(LostResponse(), method="chat.postMessage")

        with pytest.raises(api.ChannelError):
            await writer.say(place, "One two", key="k", message=first, is_final=True)
        await writer.say(place, "One two", key="k", message=first, is_final=True)

    assert texts(ada.direct) == ["One", "One two"]


async def test_after_a_deletion_a_long_answer_is_whole_and_in_order(
    slack: LoopbackSlack, ada: Member
) -> None:
    async with writing(slack) as writer:
        place = address(ada.direct)
        grown = await writer.say(place, LONG, key="k", message=None, is_final=False)
        ada.direct.messages[1].deleted = True

        await writer.say(place, LONG, key="k", message=grown, is_final=True)

    shown = "\n".join(texts(ada.direct)).split("\n")
    assert [line for line in shown if line] == LINES
    assert len(texts(ada.direct)) == 4


async def test_other_refusals_of_a_change_are_raised_and_post_nothing(
    slack: LoopbackSlack, ada: Member
) -> None:
    async with writing(slack) as writer:
        place = address(ada.direct)
        grown = await writer.say(place, "One", key="k", message=None, is_final=False)
        slack.faults.add(Refused(error="is_inactive"), method="chat.update")

        with pytest.raises(api.SlackRefused, match="is_inactive"):
            await writer.say(place, "One two", key="k", message=grown, is_final=True)

    assert texts(ada.direct) == ["One"]


@pytest.mark.parametrize("is_gone", [False, True])
async def test_messages_that_a_shorter_text_needs_no_more_are_deleted(
    slack: LoopbackSlack, ada: Member, *, is_gone: bool
) -> None:
    async with writing(slack) as writer:
        place = address(ada.direct)
        grown = await writer.say(place, LONG, key="k", message=None, is_final=False)
        ada.direct.messages[2].deleted = is_gone

        shown = await writer.say(place, "Sorry, no.", key="k", message=grown, is_final=True)

    assert texts(ada.direct) == ["Sorry, no."]
    assert shown == f"{ada.direct.id}/{ada.direct.messages[0].ts}"


async def test_a_surplus_message_that_cannot_be_deleted_holds_nothing_up(
    slack: LoopbackSlack, ada: Member
) -> None:
    async with writing(slack) as writer:
        place = address(ada.direct)
        grown = await writer.say(place, LONG, key="k", message=None, is_final=False)
        slack.faults.add(Refused(error="cant_delete_message"), method="chat.delete")

        await writer.say(place, "Sorry, no.", key="k", message=grown, is_final=True)

    assert texts(ada.direct)[0] == "Sorry, no."
    assert len(texts(ada.direct)) == 2


@pytest.mark.parametrize(("size", "messages"), [(1, 3), (250, 4)])
async def test_an_answer_of_many_fences_fits_into_messages_and_nothing_is_lost(
    slack: LoopbackSlack, ada: Member, size: int, messages: int
) -> None:
    kinds = ("w" * size, "code")
    parts = [f"{kind}{number}" for number in range(60) for kind in kinds]
    text = "\n".join(each if "w" in each else f"```\n{each}\n```" for each in parts)
    async with writing(slack) as writer:
        await writer.say(address(ada.direct), text, key="k", message=None, is_final=True)

    assert "\n".join(texts(ada.direct)).split() == parts
    assert len(texts(ada.direct)) == messages
