"""The loopback Slack against the real SDK: what works must look as it does at Slack."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError

from tests.channels.slack import LoopbackSlack
from tests.channels.slack.apps import (
    actions,
    bolt_app,
    button,
    client_of,
    in_socket_mode,
    modal,
    over_http,
    section,
    text_field,
)
from tests.channels.slack.reading import labels, links, pings, words

Mode = Callable[[LoopbackSlack, AsyncApp], AbstractAsyncContextManager[None]]


@pytest.fixture(params=[in_socket_mode, over_http])
def mode(request: pytest.FixtureRequest) -> Mode:
    return request.param


@pytest.fixture
async def app(slack: LoopbackSlack, mode: Mode) -> AsyncIterator[AsyncApp]:
    app = bolt_app(slack)
    async with mode(slack, app):
        yield app


async def test_a_message_is_posted_updated_and_deleted(slack: LoopbackSlack) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    client = client_of(slack)

    posted = await client.chat_postMessage(channel=general.id, text="one", blocks=[section("uno")])
    assert words(ada.messages(general)[0]) == "uno"
    await client.chat_update(channel=general.id, ts=posted["ts"], text="two")
    assert [words(each) for each in ada.messages(general)] == ["two"]
    await client.chat_delete(channel=general.id, ts=posted["ts"])
    assert ada.messages(general) == []


async def test_a_stranger_to_the_channel_sees_nothing(slack: LoopbackSlack) -> None:
    ada, eve = slack.member("ada"), slack.member("eve")
    general = slack.channel("general", ada)

    await client_of(slack).chat_postMessage(channel="#general", text="hello")
    await client_of(slack).chat_postEphemeral(channel=general.id, user=ada.id, text="for you")

    assert [each.text for each in ada.messages(general)] == ["hello"]
    assert [each.text for each in ada.ephemerals(general)] == ["for you"]
    assert eve.messages(general) == []
    assert eve.ephemerals(general) == []


async def test_threads_and_history_are_read_page_by_page_with_metadata(
    slack: LoopbackSlack,
) -> None:
    general = slack.channel("general", slack.member("ada"))
    client = client_of(slack)
    metadata = {"event_type": "request", "event_payload": {"id": "r1"}}
    root = await client.chat_postMessage(channel=general.id, text="root", metadata=metadata)
    for text in ("a", "b", "c"):
        await client.chat_postMessage(channel=general.id, text=text, thread_ts=root["ts"])
    await client.chat_postMessage(channel=general.id, text="top")

    history = await client.conversations_history(channel=general.id, include_all_metadata=True)
    assert [each["text"] for each in history["messages"]] == ["top", "root"]
    assert history["messages"][1]["metadata"] == metadata
    plain = await client.conversations_history(
        channel=general.id, latest=root["ts"], inclusive=True
    )
    assert "metadata" not in plain["messages"][0]
    thread = await client.conversations_replies(channel=general.id, ts=root["ts"], limit=3)
    texts = [each["text"] async for page in thread for each in page["messages"]]
    assert texts == ["root", "a", "b", "c"]


async def test_people_and_conversations_are_looked_up(slack: LoopbackSlack) -> None:
    ada = slack.member("ada")
    client = client_of(slack)

    opened = await client.conversations_open(users=[ada.id])
    direct = (await client.conversations_info(channel=opened["channel"]["id"]))["channel"]
    assert (direct["is_im"], direct["user"]) == (True, ada.id)
    assert (await client.users_info(user=ada.id))["user"]["name"] == "ada"
    assert (await client.auth_test())["user_id"] == "U0ASSENT"
    await client.chat_postMessage(channel=ada.id, text="psst")
    assert [each.text for each in ada.messages(ada.direct)] == ["psst"]


async def test_the_app_answers_a_mention_in_a_thread(slack: LoopbackSlack, app: AsyncApp) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)

    @app.event("app_mention")
    async def reply(event: dict[str, Any], say: Any) -> None:
        await say(text=f"you said {event['text']}", thread_ts=event["ts"])

    asked = await ada.mention(general, "hello")
    answer = await ada.sees(general, "you said", thread=asked.ts)
    assert answer.text == "you said <@U0ASSENT> hello"
    assert answer.by_app


async def test_a_direct_message_reaches_the_app_and_its_own_words_do_not(
    slack: LoopbackSlack, app: AsyncApp
) -> None:
    ada = slack.member("ada")
    heard = list[str]()

    @app.event("message")
    async def reply(event: dict[str, Any], say: Any) -> None:
        heard.append(event["text"])
        await say("pong")

    await ada.say(ada.direct, "ping")
    await ada.sees(ada.direct, "pong")
    await slack.until(lambda: len(slack.deliveries) == 2 and slack.deliveries[1].replies)
    assert heard == ["ping"]


async def test_a_pressed_button_carries_its_value_and_the_person(
    slack: LoopbackSlack, app: AsyncApp
) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    row = actions(button("Yes", "yes", value="r1"), button("No", "no"))

    @app.action("yes")
    async def press(ack: Any, body: dict[str, Any], respond: Any, client: Any) -> None:
        await ack()
        container = body["container"]
        await client.chat_update(
            channel=container["channel_id"],
            ts=container["message_ts"],
            text=f"{body['user']['id']} pressed {body['actions'][0]['value']}",
        )
        await respond("thank you")

    posted = await client_of(slack).chat_postMessage(
        channel=general.id, text="?", blocks=[section("sure?"), row]
    )
    shown = await ada.sees(general, "sure?")
    assert labels(shown.blocks) == ["Yes", "No"]
    assert (await ada.press(shown, "Yes")).acknowledged
    assert (await ada.sees(general, "pressed r1")).ts == posted["ts"]
    assert (await ada.sees_ephemeral(general, "thank you")).user == ada.id


async def test_a_modal_is_opened_filled_refused_and_submitted(
    slack: LoopbackSlack, app: AsyncApp
) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    taken = list[dict[str, Any]]()

    @app.action("edit")
    async def open_modal(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack()
        view = modal(
            text_field("Amount", "amount", element={"initial_value": "5"}),
            text_field("Note", "note", optional=True),
            private_metadata="r1",
        )
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    @app.view("edit")
    async def submit(ack: Any, view: dict[str, Any]) -> None:
        if view["state"]["values"]["amount"]["value"]["value"] == "5":
            await ack(response_action="errors", errors={"amount": "more, please"})
            return
        taken.append(view)
        await ack()

    await client_of(slack).chat_postMessage(
        channel=general.id, text="?", blocks=[actions(button("Edit", "edit"))]
    )
    await ada.press(await ada.sees(general, "Edit"), "Edit")
    view = await ada.sees_modal("Amount")
    await ada.submit()
    assert view.errors == {"amount": "more, please"}
    await ada.fill("Amount", "7")
    await ada.submit()
    assert ada.modal is None
    assert taken[0]["private_metadata"] == "r1"
    values = taken[0]["state"]["values"]
    assert (values["amount"]["value"]["value"], values["note"]["value"]["value"]) == ("7", None)


async def test_a_modal_changes_pushes_another_and_tells_when_it_is_closed(
    slack: LoopbackSlack, app: AsyncApp
) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    closed = list[str]()
    options = [
        {"text": {"type": "plain_text", "text": name}, "value": name} for name in ("card", "iban")
    ]
    choice = {
        "type": "input",
        "block_id": "how",
        "dispatch_action": True,
        "label": {"type": "plain_text", "text": "How"},
        "element": {"type": "static_select", "action_id": "how", "options": options},
    }

    @app.action("edit")
    async def open_modal(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack()
        view = modal(text_field("Note", "note"), choice, notify_on_close=True)
        await client.views_open(trigger_id=body["trigger_id"], view=view)

    @app.action("how")
    async def chosen(ack: Any, body: dict[str, Any], client: Any) -> None:
        await ack()
        shown = body["view"]
        how = shown["state"]["values"]["how"]["how"]["selected_option"]["value"]
        view = modal(text_field("Note", "note"), choice, section(f"by {how}"), notify_on_close=True)
        await client.views_update(view_id=shown["id"], hash=shown["hash"], view=view)

    @app.view("edit")
    async def submit(ack: Any) -> None:
        await ack(response_action="push", view=modal(section("sure?"), callback_id="sure"))

    @app.view_closed(re.compile("edit|sure"))
    async def close(ack: Any, view: dict[str, Any]) -> None:
        await ack()
        closed.append(view["callback_id"])

    await client_of(slack).chat_postMessage(
        channel=general.id, text="?", blocks=[actions(button("Edit", "edit"))]
    )
    await ada.press(await ada.sees(general, "Edit"), "Edit")
    await ada.sees_modal("Note")
    await ada.fill("Note", "kept")
    await ada.fill("How", "iban")
    await ada.sees_modal("by iban")
    await ada.submit()
    await ada.sees_modal("sure?")
    await ada.close()
    below = await ada.sees_modal("by iban")
    assert below.values["note"]["value"]["value"] == "kept"
    await ada.close()
    assert ada.modal is None
    assert closed == ["edit"]


async def test_a_slash_command_is_answered_to_its_user(slack: LoopbackSlack, app: AsyncApp) -> None:
    ada, bob = slack.member("ada"), slack.member("bob")
    general = slack.channel("general", ada, bob)

    @app.command("/assent")
    async def command(ack: Any, body: dict[str, Any], respond: Any) -> None:
        await ack(f"linking {body['text']}")
        await respond(text="done", response_type="in_channel")

    await ada.command("/assent", "ABC-123", channel=general)
    await ada.sees_ephemeral(general, "linking ABC-123")
    await bob.sees(general, "done")
    assert bob.ephemerals(general) == []


async def test_a_response_url_replaces_deletes_and_ends(
    slack: LoopbackSlack, app: AsyncApp
) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    statuses = list[tuple[int, str]]()

    @app.action("go")
    async def go(ack: Any, respond: Any) -> None:
        await ack()
        for number in range(5):
            await respond(text=f"number {number}", replace_original=True)
        over = await respond(delete_original=True)
        statuses.append((over.status_code, over.body))
        slack.workspace.changes.note()

    await client_of(slack).chat_postEphemeral(
        channel=general.id, user=ada.id, text="?", blocks=[actions(button("Go", "go"))]
    )
    await ada.press(await ada.sees_ephemeral(general, "Go"), "Go")
    await slack.until(lambda: statuses)
    assert statuses == [(404, "used_url")]
    assert [words(each) for each in ada.ephemerals(general)] == ["number 4"]


async def test_mentions_and_links_are_seen_only_where_slack_reads_markup(
    slack: LoopbackSlack,
) -> None:
    ada = slack.member("ada")
    general = slack.channel("general", ada)
    text = f"<!channel> <@{ada.id}> <https://a.test|a> https://b.test"
    client = client_of(slack)

    await client.chat_postMessage(channel=general.id, text=text)
    quiet = {"type": "section", "text": {"type": "plain_text", "text": text}}
    await client.chat_postMessage(channel=general.id, text=text, mrkdwn=False, blocks=[quiet])

    loud, still = ada.messages(general)
    assert pings(loud) == ["channel", ada.id]
    assert links(loud) == ["https://a.test", "https://b.test"]
    assert (pings(still), links(still)) == ([], [])


async def test_wrong_tokens_are_refused(slack: LoopbackSlack) -> None:
    for token, error in (("", "not_authed"), ("xoxb-no", "invalid_auth")):
        with pytest.raises(SlackApiError, match=error):
            await client_of(slack, token).auth_test()
    with pytest.raises(SlackApiError, match="not_allowed_token_type"):
        await client_of(slack, slack.app_token).auth_test()
    slack.api.revoked = "token_revoked"
    with pytest.raises(SlackApiError, match="token_revoked"):
        await client_of(slack).auth_test()
