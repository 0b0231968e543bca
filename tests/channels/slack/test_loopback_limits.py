"""The loopback Slack refuses what Slack refuses, with Slack's codes and words."""

from typing import Any

import pytest
from slack_sdk.errors import SlackApiError

from assent.presentation.slack import BLOCKS
from assent.presentation.slack import render as render_card
from tests.channels.slack import LoopbackSlack, Member
from tests.channels.slack.apps import (
    actions,
    button,
    client_of,
    modal,
    section,
    text_field,
)
from tests.channels.slack.blocks import message_complaints, too_long, view_complaints
from tests.presentation.samples import card

RICH = {"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}


@pytest.mark.parametrize(
    ("blocks", "complaint"),
    [
        ([section("x")] * 51, "no more than 50 items allowed [json-pointer:/blocks]"),
        (
            [section("x" * 3001)],
            "must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
        ),
        ([section("")], "must be more than 0 characters [json-pointer:/blocks/0/text/text]"),
        ([section("😀" * 1501)], "must be less than 3001 characters"),
        (
            [actions(button("x", "a", value="v" * 2001))],
            "must be less than 2001 characters [json-pointer:/blocks/0/elements/0/value]",
        ),
        ([actions(button("x" * 76, "a"))], "must be less than 76 characters"),
        ([actions(button("x", "a" * 256))], "must be less than 256 characters"),
        ([actions(button("x", "a", style="green"))], "value must be one of primary, danger"),
        ([actions(*[button("x", f"a{n}") for n in range(26)])], "no more than 25 items allowed"),
        ([actions()], "no less than 1 items required"),
        ([actions(button("x", "a"), button("y", "a"))], '`action_id` "a" already exists'),
        ([section("x", block_id="b")] * 2, '`block_id` "b" already exists'),
        ([{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}], "one of plain_text"),
        ([{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}], "less than 151"),
        ([{"type": "section"}], "missing required field: text [json-pointer:/blocks/0]"),
        ([{"type": "sektion"}], "unsupported type: sektion [json-pointer:/blocks/0/type]"),
        ([section("x", color="red")], "invalid additional property: color"),
        ([{"type": "rich_text", "elements": [RICH, {"type": "text"}]}], "unsupported type: text"),
        (
            [
                {
                    "type": "rich_text",
                    "elements": [{**RICH, "elements": [{"type": "text", "text": ""}]}],
                }
            ],
            "must be more than 0 characters",
        ),
    ],
)
async def test_wrong_blocks_are_refused_with_a_pointer(
    slack: LoopbackSlack, blocks: list[Any], complaint: str
) -> None:
    general = slack.channel("general")

    with pytest.raises(SlackApiError) as refused:
        await client_of(slack).chat_postMessage(channel=general.id, text="x", blocks=blocks)

    answer = refused.value.response
    assert answer["error"] == "invalid_blocks"
    assert complaint in answer["response_metadata"]["messages"][0]
    assert general.messages == []


def test_what_is_exactly_at_the_limit_passes() -> None:
    row = actions(*[button("x" * 75, f"{n}" * 100, value="v" * 2000) for n in range(10)])
    blocks = [section("x" * 3000), row, *[section("x")] * 48]
    assert message_complaints(blocks) == []


def test_all_blocks_together_have_a_limit_of_their_own() -> None:
    assert not too_long([section("x" * 3000)] * 4)
    assert too_long([section("x" * 3000)] * 5)
    assert too_long([section("x" * 250)] * 40)


def test_a_card_of_the_renderer_is_valid() -> None:
    blocks = render_card(card({"x": "y" * 5000, "z": "é" * 1000})).json()["blocks"]
    assert message_complaints(blocks) == []
    assert not too_long(blocks)
    assert len(blocks) <= BLOCKS.texts


@pytest.mark.parametrize(
    ("view", "complaint"),
    [
        (
            modal(*[section("x")] * 101),
            "no more than 100 items allowed [json-pointer:/view/blocks]",
        ),
        (modal(private_metadata="x" * 3001), "less than 3001 characters"),
        (modal(title={"type": "plain_text", "text": "x" * 25}), "less than 25 characters"),
        (modal(callback_id="x" * 256), "less than 256 characters"),
        (modal(text_field("x", "a", element={"max_length": 3001})), "between 1 and 3000"),
        (
            modal(text_field("x", "a", element={"initial_value": "xx", "max_length": 1})),
            "less than 2 characters",
        ),
        (modal(text_field("x" * 2001, "a")), "less than 2001 characters"),
        (modal(section("x"), type="home"), "value must be one of modal"),
        (
            {
                name: value
                for name, value in modal(text_field("x", "a")).items()
                if name != "submit"
            },
            "missing required field: submit",
        ),
    ],
)
def test_a_wrong_modal_is_refused_with_a_pointer(view: dict[str, Any], complaint: str) -> None:
    assert complaint in view_complaints(view)[0]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"channel": "C404"}, "channel_not_found"),
        ({"channel": "secret"}, "channel_not_found"),
        ({"channel": "other"}, "not_in_channel"),
        ({"channel": "old"}, "is_archived"),
        ({"text": ""}, "no_text"),
        ({"text": "x" * 40_001}, "msg_too_long"),
        ({"blocks": [section("x" * 3000)] * 5}, "msg_blocks_too_long"),
        ({"blocks": "[{"}, "invalid_blocks_format"),
        ({"thread_ts": "1.000001"}, "cannot_reply_to_message"),
        ({"metadata": {"event_type": "x"}}, "invalid_metadata_format"),
        (
            {"metadata": {"event_type": "x", "event_payload": {"y": "z" * 8000}}},
            "metadata_too_large",
        ),
    ],
)
async def test_a_message_that_cannot_be_posted_is_refused(
    slack: LoopbackSlack, change: dict[str, Any], error: str
) -> None:
    slack.channel("general")
    slack.channel("other", with_bot=False)
    slack.channel("secret", with_bot=False, private=True)
    slack.channel("old").archived = True

    # Called by its name: the method of the SDK warns of some of this.
    json = {"channel": "general", "text": "x", **change}
    with pytest.raises(SlackApiError) as refused:
        await client_of(slack).api_call("chat.postMessage", json=json)

    assert refused.value.response["error"] == error


async def test_an_update_that_cannot_be_made_is_refused(slack: LoopbackSlack) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    client = client_of(slack)
    rich = [{"type": "rich_text", "elements": [RICH]}]
    posted = await client.chat_postMessage(channel=general.id, text="x", blocks=rich)
    here = {"channel": general.id, "ts": posted["ts"]}
    foreign = await ada.say(general, "mine")

    async def error(**change: Any) -> str:
        with pytest.raises(SlackApiError) as refused:
            await client.chat_update(**{**here, "text": "y", **change})
        return refused.value.response["error"]

    assert await error(ts="1.000001") == "message_not_found"
    assert await error(ts=foreign.ts) == "cant_update_message"
    assert await error(text="x" * 4001) == "msg_too_long"
    assert await error(blocks=[section("x")]) == "block_mismatch"
    general.archived = True
    assert await error() == "is_inactive"
    general.archived = False
    slack.delete(general.id, posted["ts"])
    assert await error() == "message_not_found"


async def test_an_ephemeral_message_needs_its_reader_in_the_channel(slack: LoopbackSlack) -> None:
    eve = slack.member("eve")
    general = slack.channel("general")

    with pytest.raises(SlackApiError, match="user_not_in_channel"):
        await client_of(slack).chat_postEphemeral(channel=general.id, user=eve.id, text="x")


async def test_a_missing_scope_is_named(slack: LoopbackSlack) -> None:
    general = slack.channel("general")
    slack.api.scopes.discard("channels:history")

    with pytest.raises(SlackApiError) as refused:
        await client_of(slack).conversations_history(channel=general.id)

    assert refused.value.response["error"] == "missing_scope"
    assert refused.value.response["needed"] == "channels:history"


async def pressed(slack: LoopbackSlack, ada: Member) -> str:
    """The trigger of a press; no app is there to use it."""
    general = slack.channel("general", ada)
    row = [actions(button("Go", "go"))]
    await client_of(slack).chat_postMessage(channel=general.id, text="?", blocks=row)
    return (await ada.press(await ada.sees(general, "Go"), "Go")).payload["trigger_id"]


async def test_a_trigger_opens_one_modal_within_three_seconds(slack: LoopbackSlack) -> None:
    ada = slack.member("ada")
    client = client_of(slack)
    first, second = await pressed(slack, ada), await pressed(slack, ada)

    async def error(trigger: str) -> str:
        with pytest.raises(SlackApiError) as refused:
            await client.views_open(trigger_id=trigger, view=modal())
        return refused.value.response["error"]

    await client.views_open(trigger_id=first, view=modal(external_id="e"))
    assert await error(first) == "exchanged_trigger_id"
    assert await error("1.2.3") == "invalid_trigger_id"
    slack.workspace.advance(3.5)
    assert await error(second) == "expired_trigger_id"


async def test_a_modal_is_updated_only_as_it_was_seen(slack: LoopbackSlack) -> None:
    client = client_of(slack)
    trigger = await pressed(slack, slack.member("ada"))
    view = (await client.views_open(trigger_id=trigger, view=modal(external_id="e")))["view"]

    await client.views_update(external_id="e", view=modal(section("two"), external_id="e"))
    with pytest.raises(SlackApiError, match="hash_conflict"):
        await client.views_update(view_id=view["id"], hash=view["hash"], view=modal())
    with pytest.raises(SlackApiError, match="not_found"):
        await client.views_update(view_id="V404", view=modal())


async def test_the_client_itself_refuses_to_submit_an_empty_field(slack: LoopbackSlack) -> None:
    ada = slack.member("ada")
    trigger = await pressed(slack, ada)
    view = modal(text_field("Why", "why", element={"max_length": 3}))
    await client_of(slack).views_open(trigger_id=trigger, view=view)

    with pytest.raises(AssertionError, match="Why: please complete this required field"):
        await ada.submit()
    await ada.fill("Why", "long")
    with pytest.raises(AssertionError, match="Why: too long"):
        await ada.submit()
