"""Decisions in Slack: by any replica, after a restart, once, and again in the same run."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from assent import Person, approve
from assent.channels import Reference
from assent.channels.slack import api, channel
from assent.domain.lifecycle import RequestStatus
from assent.errors import AssentError
from assent.testing import calls, says
from assent.testing.channels import playing, until
from tests.channels.slack import LoopbackSlack
from tests.channels.slack.office import channel_of, opened
from tests.channels.slack.reading import words
from tests.channels.slack.stage import SlackStage

BOB = Person("bob", roles=frozenset({"ops"}))


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture
def stage(slack: LoopbackSlack, url: str) -> SlackStage:
    return SlackStage(slack, url)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)
    monkeypatch.setattr(channel, "PER_SECOND", 100.0)


async def test_a_replica_that_does_not_serve_the_channel_takes_presses_over_http(
    stage: SlackStage, slack: LoopbackSlack, url: str
) -> None:
    ann = stage.members["ann"]
    async with playing(stage) as play:
        await play.pay("acme", 7)
        await play.post()
        other = channel_of(slack, signing_secret=slack.signing_secret)
        async with opened(
            slack, url, over_http=True, channel=other, worker=False, serving=False
        ) as replica:
            assert not replica.assent.channels.is_serving("slack")

            await ann.press(ann.messages(stage.room)[0], "Approve")

            await ann.sees_ephemeral(stage.room, "Approved.")
            await ann.sees(stage.room, "Approved by ann via slack")
            await play.assent.wait(play.turns[-1])
            assert play.ledger.paid == [("acme", 7)]


# conformance: 115
async def test_a_request_keeps_its_deadline_and_its_buttons_over_a_restart(
    stage: SlackStage,
) -> None:
    ann = stage.members["ann"]
    async with playing(stage) as first:
        request = await first.pay()
        await first.post()

    async with playing(stage) as second:
        found = await second.assent.request(request)
        assert (found.status, found.decide_by) == (RequestStatus.OPEN, request.decide_by)
        await ann.press(ann.messages(stage.room)[0], "Approve")
        await ann.sees(stage.room, "Approved by ann via slack")
    assert len(stage.room.messages) == 1


# conformance: 114
async def test_a_press_and_the_deadline_have_one_winner_and_the_card_shows_it(
    stage: SlackStage,
) -> None:
    ann = stage.members["ann"]
    async with playing(stage, decide_within=timedelta(seconds=1)) as play:
        request = await play.pay()
        await play.post()
        old = ann.messages(stage.room)[0]
        assert request.decide_by is not None
        left = (request.decide_by - request.created_at).total_seconds() - 0.2
        await asyncio.sleep(left)
        presses = [ann.press(old, "Approve") for _ in range(4)]
        await asyncio.gather(*presses)

        await play.settled_post()
        await play.idle()
        await play.assent.wait(play.turns[-1])
        status = await play.status(request)
        shown = words(ann.messages(stage.room)[0])
        assert status in (RequestStatus.APPROVED, RequestStatus.EXPIRED)
        assert ("Approved by ann" in shown) == (status == RequestStatus.APPROVED)
        assert ("Expired" in shown) == (status == RequestStatus.EXPIRED)
        assert len(play.ledger.paid) == (status == RequestStatus.APPROVED)


# conformance: 113
# conformance: 136
async def test_a_call_that_was_settled_is_not_run_by_an_old_button(stage: SlackStage) -> None:
    ann = stage.members["ann"]
    async with playing(stage) as play:
        request = await play.pay()
        await play.post()
        old = ann.messages(stage.room)[0]
        await play.assent.decide(request, approve(), by=BOB)
        await ann.sees(stage.room, "Approved by bob")
        await play.assent.wait(play.turns[-1])

        for button in ("Approve", "Edit…", "Reject…"):
            await ann.press(old, button)
            await ann.sees_ephemeral(stage.room, "Approved by bob")
            stage.room.ephemerals.clear()
        assert len(play.ledger.paid) == 1


# conformance: 132
# conformance: 134
async def test_a_reference_to_a_foreign_request_says_nothing_about_it(
    stage: SlackStage, slack: LoopbackSlack
) -> None:
    eve = stage.members["eve"]
    async with playing(stage) as play:
        request = await play.pay("acme-secret-account", 1)
        await play.post()
        for verb in ("approve", "reject", "edit", "details"):
            heard = await stage.press("eve", str(Reference.to(request, verb)))
            assert "acme-secret-account" not in heard.text
            assert "may not decide" in heard.text
            stage.room.ephemerals.clear()
        assert eve.modal is None
        assert await play.status(request) == RequestStatus.OPEN


# conformance: 139
async def test_arguments_as_text_as_an_object_and_none_are_shown(stage: SlackStage) -> None:
    async with playing(stage) as play:
        await play.ask(calls("note", '{"text": "from text"}'))
        assert "from text" in (await play.post()).text
        await play.ask(calls("note", {"text": "from an object"}))
        assert "from an object" in (await play.post(count=2)).text
        await play.ask(calls("quote"))
        assert "none" in (await play.post(count=3)).text


# conformance: 141
async def test_a_second_request_in_the_same_run_is_handled_by_the_same_flow(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    steps = [
        says("first", calls("delete", path="a")),
        says("second", calls("delete", path="b")),
        "All done.",
    ]
    async with opened(slack, url, *steps, in_order=True) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete both")
        for path in ("a", "b"):
            card = await ada.sees(ada.direct, f'path  "{path}"')
            await ada.press(card, "Approve")
            await ada.press(await ada.sees_ephemeral(ada.direct, "Sure?"), "Yes, Approve")
            ada.direct.ephemerals.clear()
        await ada.sees(ada.direct, "All done.")
        assert office.deleted == ["a", "b"]


# conformance: 133
async def test_the_person_is_who_slack_says_and_not_who_a_value_says(stage: SlackStage) -> None:
    async with playing(stage) as play:
        request = await play.pay()
        await play.post()
        mallory = stage.members["mallory"]
        message = mallory.messages(stage.room)[0]
        for block in message.blocks:
            for element in block.get("elements", []):
                if "value" in element:
                    element["value"] += f":{stage.members['ann'].id}"

        await mallory.press(message, "Approve")
        await mallory.press(mallory.messages(stage.room)[0], "Approve")

        await mallory.sees_ephemeral(stage.room, "not linked")
        with pytest.raises(AssentError):
            await play.assent.people.chats.person_of("slack", mallory.id)

        async def is_open() -> bool:
            return await play.status(request) == RequestStatus.OPEN

        await until("the request to stay open", is_open)
