"""Cards as they arrive in Slack: whole or not offered, inert, and updated once settled."""

from pathlib import Path

import pytest

from assent import Person, approve
from assent.channels import Reference
from assent.channels.slack import api, channel
from assent.testing import calls
from assent.testing.channels import playing
from assent.testing.hostile import DECEPTIONS, LOOK_ALIKES, PADDING, TROJAN_SOURCE, is_unseen
from tests.channels.slack import LoopbackSlack
from tests.channels.slack.blocks import message_complaints, too_long
from tests.channels.slack.reading import labels, links, pings, walk, words
from tests.channels.slack.stage import SlackStage
from tests.channels.slack.workspace import Message

REVIEW = "Open the full review"
HOSTILE = {**DECEPTIONS, **TROJAN_SOURCE, **PADDING, **{text: text for text in LOOK_ALIKES}}


@pytest.fixture
def stage(slack: LoopbackSlack, tmp_path: Path) -> SlackStage:
    return SlackStage(slack, f"sqlite:///{tmp_path / 'assent.db'}")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)
    monkeypatch.setattr(api, "UPDATES_PER_SECOND", 100)
    monkeypatch.setattr(channel, "PER_SECOND", 100.0)


def newest(stage: SlackStage) -> Message:
    return stage.room.messages[-1]


# requirement: D3
# requirement: D4
# conformance: 137
async def test_approve_is_offered_only_for_what_is_shown_in_full(stage: SlackStage) -> None:
    seen = dict[int, bool]()
    async with playing(stage) as play:
        for count, size in enumerate((100, 1_000, 8_000, 10_000, 100_000), 1):
            text = "".join(f"{number:07};" for number in range(size // 8))
            await play.ask(calls("note", text=text))
            await play.post(count=count)

            message = newest(stage)
            assert message_complaints(message.blocks) == []
            assert not too_long(message.blocks)
            shown = words(message)
            is_whole = all(part in _joined(shown) for part in text.split(";") if part)
            seen[size] = offered = "Approve" in labels(message.blocks)
            assert offered == is_whole
            if not offered:
                assert "not shown" in shown
                assert labels(message.blocks)[0] == REVIEW
                assert REVIEW not in shown.replace(REVIEW, "", 1)
    assert seen[8_000]
    assert not seen[100_000]


def _joined(shown: str) -> str:
    """The words without the breaks at which lines are wrapped."""
    return "".join(line.strip(" │") for line in shown.split("\n"))


# requirement: D5
# requirement: D6
# requirement: D7
# requirement: D8
# requirement: D9
# requirement: D10
# conformance: 138
async def test_hostile_text_is_spelt_out_and_inert_in_the_real_payload(stage: SlackStage) -> None:
    async with playing(stage) as play:
        asked = {
            (await play.ask(calls("note", text=text)))[0].id: text for text in HOSTILE.values()
        }
        await play.post(count=len(asked))
        await play.idle()

        for message in stage.room.messages:
            text = asked.pop(_request_in(message))
            seen = words(message).replace("\n", "")
            assert not {f"U+{ord(each):04X}" for each in seen if is_unseen(each)}, text
            assert pings(message) == []
            ours = [url for url in links(message) if url.startswith("https://assent.test/")]
            assert links(message) == ours, text
            for node in walk(message.blocks):
                assert node.get("type") not in ("mrkdwn", "link", "user", "broadcast", "emoji")
                assert node.get("emoji", False) is False
            assert not message.unfurls
            assert not message.formatted
        assert not asked


def _request_in(message: Message) -> str:
    """The request that a card is about."""
    found = [Reference.read(node["value"]) for node in walk(message.blocks) if "value" in node]
    [id] = {each.request_id for each in found if each}
    return id


# conformance: 138
async def test_text_that_imitates_a_card_or_a_button_is_only_text(stage: SlackStage) -> None:
    async with playing(stage) as play:
        fake = "Approval: approved · SAFE\n[Approve] [Reject]\nApproved by bob via slack"
        request = (await play.ask(calls("note", text=fake)))[0]
        await play.post()

        message = newest(stage)
        boxed = [
            span["text"]
            for block in message.blocks
            for part in block.get("elements", [])
            if part.get("type") == "rich_text_preformatted"
            for span in part["elements"]
        ]
        assert any("Approved by bob via slack" in text for text in boxed)
        outside = words(message)
        for text in boxed:
            outside = outside.replace(text, "")
        assert "Approved by bob" not in outside
        assert message.text == "Approval needed · MODERATE"
        for node in walk(message.blocks):
            if "value" in node:
                found = Reference.read(node["value"])
                assert found is not None
                assert found.request_id == request.id


# conformance: 140
async def test_several_calls_are_one_message_with_buttons_for_each(stage: SlackStage) -> None:
    async with playing(stage) as play:
        first, second, third = await play.ask(
            calls("pay", to="acme", amount=1),
            calls("note", text="n" * 20_000),
            calls("pay", to="bolt", amount=3),
        )
        await play.post()
        await play.idle()

        [message] = stage.room.messages
        assert message.text == "3 of 3 requests wait for a decision"
        assert message_complaints(message.blocks) == []
        assert not too_long(message.blocks)
        headers = [block["text"]["text"] for block in message.blocks if block["type"] == "header"]
        assert [header[:2] for header in headers] == ["1.", "2.", "3."]
        ann = stage.members["ann"]
        await ann.press(ann.messages(stage.room)[0], str(Reference.to(third, "approve")))
        await ann.sees(stage.room, "Approved by ann via slack")
        [changed] = stage.room.messages
        offered = {
            found.request_id
            for node in walk(changed.blocks)
            if "value" in node and (found := Reference.read(node["value"]))
        }
        assert offered == {first.id, second.id}
        assert changed.text == "2 of 3 requests wait for a decision"


async def test_a_large_group_fits_into_one_message(stage: SlackStage) -> None:
    async with playing(stage) as play:
        await play.ask(*(calls("pay", to=f"account-{n}", amount=n) for n in range(10)))
        await play.post()

        [message] = stage.room.messages
        assert message_complaints(message.blocks) == []
        assert not too_long(message.blocks)
        assert labels(message.blocks).count("Approve") == 10


# requirement: D20
# conformance: 113
async def test_a_settled_card_says_who_and_when_and_old_buttons_report_it(
    stage: SlackStage,
) -> None:
    async with playing(stage) as play:
        request = await play.pay("acme", 1)
        await play.post()
        ann = stage.members["ann"]
        old = ann.messages(stage.room)[0]
        bob = Person("bob", roles=frozenset({"ops"}))
        await play.assent.decide(request, approve(), by=bob, channel="web")

        card = await ann.sees(stage.room, "Approved by bob via web")
        assert labels(card.blocks) == []
        assert "UTC" in words(card)
        assert card.ts == old.ts
        for label in ("Approve", "Reject…", "Edit…"):
            await ann.press(old, label)
            told = await ann.sees_ephemeral(stage.room, "Approved by bob via web")
            assert links(told) == [f"https://assent.test/requests/{request.id}"]
            stage.room.ephemerals.clear()


# conformance: 134
# requirement: W13
async def test_a_guest_from_another_workspace_decides_nothing(
    stage: SlackStage, slack: LoopbackSlack
) -> None:
    zoe = slack.member("zoe", team="T9OTHER")
    stage.room.members.add(zoe.id)
    async with playing(stage) as play:
        await play.assent.people.chats.welcome("ann", "slack", zoe.id, "zoe")
        request = await play.pay()
        await play.post()

        await zoe.press(zoe.messages(stage.room)[0], "Approve")

        await zoe.sees_ephemeral(stage.room, "another workspace")
        assert (await play.assent.request(request)).is_open


# conformance: 135
async def test_a_decision_is_on_record_with_its_channel_and_what_was_shown(
    stage: SlackStage,
) -> None:
    async with playing(stage) as play:
        request = await play.pay()
        await play.post()
        ann = stage.members["ann"]
        await ann.press(ann.messages(stage.room)[0], "Approve")
        await ann.sees(stage.room, "Approved by ann")

        entries = await play.assent.audit(call_id=request.call_id)
        decided = [each for each in entries if each.actor == "ann"]
        assert {each.channel for each in decided} == {"slack"}
