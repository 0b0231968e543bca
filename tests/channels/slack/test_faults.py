"""Slack fails, processes die, tokens are revoked: nothing is lost, and nothing is shown twice."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from assent import Person, approve
from assent.channels.slack import api, reception
from assent.domain.people import ADMIN
from assent.engine.deliveries import courier
from assent.engine.failpoints import POSTING
from assent.testing.channels import playing, until
from tests.channels.slack import LoopbackSlack, Refused, post_program
from tests.channels.slack.office import channel_of, opened
from tests.channels.slack.reading import labels, links, words
from tests.channels.slack.stage import SlackStage
from tests.channels.slack.workspace import Channel

ROOT = Person("root", roles=frozenset({ADMIN}))
BOB = Person("bob", roles=frozenset({"ops"}))


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture
def stage(slack: LoopbackSlack, url: str) -> SlackStage:
    return SlackStage(slack, url)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)
    monkeypatch.setattr(reception, "PING_SECONDS", 0.1)
    monkeypatch.setattr(courier, "LONGEST_PAUSE", 0.5)
    monkeypatch.setattr(courier, "LOOK_SECONDS", 0.2)


@asynccontextmanager
async def process(
    slack: LoopbackSlack, url: str, room: Channel, what: str, failpoint: str = ""
) -> AsyncGenerator[asyncio.subprocess.Process]:
    path = os.pathsep.join(folder for folder in sys.path if folder)
    tokens = {"SLACK_BOT_TOKEN": slack.bot_token, "SLACK_APP_TOKEN": slack.app_token}
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        str(post_program.__file__),
        *(url, slack.base_url, room.id, what),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **tokens, "PYTHONPATH": path, "ASSENT_FAILPOINT": failpoint},
    )
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


# requirement: R18
# requirement: W9
@pytest.mark.slow
@pytest.mark.parametrize("point", POSTING)
async def test_a_kill_around_posting_leaves_one_message(
    slack: LoopbackSlack, url: str, point: str
) -> None:
    room = slack.channel("approvals")
    async with process(slack, url, room, "ask", point) as killed:
        assert await asyncio.wait_for(killed.wait(), 60) == -signal.SIGKILL
    assert len(room.messages) == (0 if point == "before_post" else 1)

    async with process(slack, url, room, "watch") as second:
        assert second.stdout is not None
        line = await asyncio.wait_for(second.stdout.readline(), 60)
        assert line == b"told\n"

    [message] = room.messages
    assert "Approval needed" in words(message)


# requirement: R18
async def test_an_outage_loses_nothing_and_ends_without_a_burst(
    stage: SlackStage, slack: LoopbackSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "LONGEST_PAUSE", 0.5)
    monkeypatch.setattr(reception, "PING_SECONDS", 0.1)
    slack.rates.enforced = True
    async with playing(stage) as play:
        slack.down = True
        slack.drop_sockets()
        for number in range(4):
            await play.pay("acme", number)

        async def out_of_order() -> bool:
            [status] = await play.assent.channels.status()
            return status.error is not None and "did not answer" in status.error

        await until("the outage to be seen", out_of_order)
        assert not stage.room.messages
        slack.down = False

        await play.post(count=4)
        await play.idle()
        await slack.until_connected(1)
        # Slack itself counts, and nothing came too early.
        assert slack.rates.refused == 0
        assert len(stage.room.messages) == 4
        assert not await play.assent.channels.dead_letters(by=ROOT)
        ann = stage.members["ann"]
        await ann.press(ann.messages(stage.room)[0], "Approve")
        await ann.sees(stage.room, "Approved by ann")


async def test_a_channel_gets_a_message_a_second_and_no_more(
    stage: SlackStage, slack: LoopbackSlack
) -> None:
    slack.rates.enforced = True
    async with playing(stage) as play:
        await asyncio.gather(*(play.pay("acme", number) for number in range(4)))
        await play.post(count=4)
        await play.idle()

    stamps = [float(message.ts) for message in stage.room.messages]
    gaps = [later - earlier for earlier, later in pairwise(stamps)]
    assert min(gaps) >= 0.99
    assert slack.rates.refused == 0


@pytest.mark.usefixtures("quick")
async def test_updates_keep_within_the_limit_of_a_minute(
    stage: SlackStage, slack: LoopbackSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "UPDATES_AT_ONCE", 3)
    monkeypatch.setattr(api, "UPDATES_PER_SECOND", 2)
    pacing = api.Pacing()
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await asyncio.gather(*(pacing.update() for _ in range(7)))
    # Three at once, and four more at two in a second.
    assert 1.9 < loop.time() - begun < 4
    assert not pacing.has_spare_updates


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("code", ["token_revoked", "account_inactive"])
async def test_a_revoked_token_pauses_the_channel_until_it_works_again(
    stage: SlackStage, slack: LoopbackSlack, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with playing(stage) as play:
        slack.api.revoked = code
        slack.drop_sockets()
        request = await play.pay()

        async def said() -> bool:
            [status] = await play.assent.channels.status()
            return status.error is not None and code in status.error

        await until("the refusal to be seen", said)
        assert not await play.assent.channels.dead_letters(by=ROOT)
        assert (await play.assent.request(request)).is_open
        slack.api.revoked = None

        await play.post()

        async def recovered() -> bool:
            [status] = await play.assent.channels.status()
            return status.error is None

        await until("the error to be over", recovered)
    for secret in (slack.bot_token, slack.app_token, slack.signing_secret):
        assert secret not in caplog.text


async def test_a_process_whose_token_is_wrong_says_so_and_the_engine_runs(
    slack: LoopbackSlack, url: str
) -> None:
    slack.api.revoked = "invalid_auth"
    stage = SlackStage(slack, url)
    async with playing(stage, serving=False) as play:

        async def said() -> bool:
            found = await play.assent.channels.status()
            return any("invalid_auth" in (each.error or "") for each in found)

        await until("the refusal to be seen", said)
        request = await play.pay()
        await play.assent.decide(request, approve(), by=BOB)
        await play.assent.wait(play.turns[-1])
        assert play.ledger.paid


@pytest.mark.usefixtures("quick")
async def test_a_missing_scope_is_named_to_the_admin(
    stage: SlackStage, slack: LoopbackSlack
) -> None:
    async with playing(stage) as play:
        slack.api.scopes.discard("chat:write")
        await play.pay()

        async def said() -> bool:
            [status] = await play.assent.channels.status()
            return "needs the scope chat:write" in (status.error or "")

        await until("the scope to be named", said)
        slack.api.scopes.add("chat:write")
        await play.post()


@pytest.mark.usefixtures("quick")
async def test_an_archived_channel_is_a_dead_letter_that_names_it(
    stage: SlackStage, slack: LoopbackSlack
) -> None:
    async with playing(stage) as play:
        stage.room.archived = True
        await play.pay()

        async def dead() -> bool:
            return bool(await play.assent.channels.dead_letters(by=ROOT))

        await until("a dead letter", dead)
        [letter] = await play.assent.channels.dead_letters(by=ROOT)
        assert "is_archived" in (letter.delivery.error or "")
        # The people who may decide are told directly all the same.
        await play.post(stage.chat_id("ann"))


@pytest.mark.usefixtures("quick")
async def test_a_card_that_slack_refuses_becomes_a_link_to_the_review(
    stage: SlackStage, slack: LoopbackSlack
) -> None:
    async with playing(stage) as play:
        refused = Refused(error="msg_blocks_too_long")
        slack.faults.add(refused, method="chat.postMessage", channel=stage.room.id)
        request = await play.pay()

        await play.post()
        [message] = stage.room.messages
        assert labels(message.blocks) == []
        assert links(message) == [f"https://assent.test/requests/{request.id}"]


@pytest.mark.usefixtures("quick")
async def test_a_second_process_takes_over_the_socket_of_one_that_ended(
    stage: SlackStage, slack: LoopbackSlack
) -> None:
    ann = stage.members["ann"]
    async with AsyncExitStack() as both:
        serving = AsyncExitStack()
        first = await serving.enter_async_context(playing(stage))
        other = playing(stage, worker=False, serving=False)
        second = await both.enter_async_context(other)
        await first.pay("acme", 3)
        await first.post()
        await slack.until_connected(1)
        (before,) = slack.socket.sockets
        await serving.aclose()

        await slack.until(
            lambda: slack.socket.sockets and before not in slack.socket.sockets, seconds=30
        )

        async def served() -> bool:
            return second.assent.channels.is_serving("slack")

        await until("the other process to serve", served)
        await ann.press(ann.messages(stage.room)[0], "Approve")
        await ann.sees_ephemeral(stage.room, "Approved.")
        await ann.sees(stage.room, "Approved by ann via slack")
    assert len(stage.room.messages) == 1


@pytest.mark.usefixtures("quick")
async def test_a_renewed_socket_loses_no_press(stage: SlackStage, slack: LoopbackSlack) -> None:
    ann = stage.members["ann"]
    async with playing(stage) as play:
        await play.pay()
        await play.post()
        (before,) = slack.socket.sockets
        await slack.refresh_sockets()
        await slack.until(lambda: slack.socket.sockets and before not in slack.socket.sockets)

        await ann.press(ann.messages(stage.room)[0], "Approve")
        await ann.sees(stage.room, "Approved by ann")


async def test_a_dropped_socket_is_opened_again(
    slack: LoopbackSlack, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reception, "PING_SECONDS", 0.1)
    ada = slack.member("ada")
    async with opened(slack, url, "Hello.", channel=channel_of(slack)) as office:
        await office.link(ada)
        slack.drop_sockets()
        await slack.until_connected(0)
        await slack.until_connected(1)

        await ada.say(ada.direct, "hello")
        await ada.sees(ada.direct, "Hello.")


# requirement: D20
# requirement: T5
@pytest.mark.usefixtures("quick")
async def test_two_votes_by_one_person_in_two_places_count_once(
    stage: SlackStage, slack: LoopbackSlack
) -> None:
    ann, bob = stage.members["ann"], stage.members["bob"]
    async with playing(stage, quorum=2) as play:
        await play.pay()
        await play.post()
        await play.idle()
        in_room, alone = ann.messages(stage.room)[0], ann.messages(ann.direct)[0]

        await ann.press(in_room, "Approve")
        await ann.sees_ephemeral(stage.room, "Others have to approve it, too.")
        await ann.press(alone, "Approve")
        await ann.sees_ephemeral(ann.direct, "")
        assert play.ledger.paid == []
        await play.idle()
        await bob.press(bob.messages(stage.room)[0], "Approve")

        await ann.sees(ann.direct, "Approved by bob via slack")
        await play.assent.wait(play.turns[-1])
        assert len(play.ledger.paid) == 1
        await play.idle()
        for message in (*stage.room.messages, *ann.direct.messages, *bob.direct.messages):
            assert labels(message.blocks) == []
