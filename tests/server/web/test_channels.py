"""The page of channels: which are served, what failed, and what is sent again."""

import re
from datetime import timedelta
from typing import Any

from assent.channels import ChannelError, Room
from assent.domain.notifications import NotificationSettings
from assent.ports import Tx
from tests.engine.deliveries.wall import PATIENCE_SECONDS, Wall
from tests.server.api.desk import Desk, pending, script
from tests.server.conftest import Serve, Served
from tests.server.web.desk_clerk import Clerk
from tests.server.web.test_notifications import known

ROOMS = (Room(address="room:1", everything=True),)
GONE = ChannelError("The room <b>does not</b> exist any more", permanent=True)


def hook(name: str = "hook") -> Wall:
    return Wall(name, rooms=ROOMS, reaches_people=False)


async def looking(clerk: Clerk, words: str, path: str = "/channels") -> None:
    """Look at a page until it says this."""
    import asyncio

    async with asyncio.timeout(PATIENCE_SECONDS):
        while words not in (await clerk.open(path)).text and words not in clerk.text:  # noqa: ASYNC110 - rows have no event
            await asyncio.sleep(0.05)


async def buried(served: Served, wall: Wall, file: str = "a") -> dict[str, Any]:
    """A request that a channel could not tell of."""
    wall.errors.append(GONE)
    asked = await pending(served.client(), f"delete_file {file}")
    await wall.until(lambda: not wall.errors)
    return asked


async def test_the_page_says_how_each_channel_does(serve: Serve) -> None:
    wall = hook()

    def abandoned(tx: Tx) -> None:
        tx.deliveries.serve("old-bot", "gone", timedelta(seconds=-1), link_words=None)
        tx.deliveries.set_error("old-bot", "The token was revoked")
        tx.deliveries.serve("slack", "elsewhere", timedelta(hours=1), link_words=None)

    async with serve(script, *Desk().tools, channels=[wall]) as served:
        await known(served, wall)
        await served.assent.kernel.store.run(abandoned)
        clerk = await Clerk.of(served)
        await clerk.open("/channels")
        assert re.search(r"hook running here 0 0 0", clerk.text)
        assert re.search(r"Slack running elsewhere", clerk.text)
        assert re.search(r"old-bot not running .* The token was revoked", clerk.text)
        assert "No process serves it" in clerk.text


async def test_a_dead_letter_is_shown_and_sent_again(serve: Serve) -> None:
    wall = hook()
    async with serve(script, *Desk().tools, channels=[wall]) as served:
        await known(served, wall)
        asked = await buried(served, wall)
        clerk = await Clerk.of(served)
        await looking(clerk, "delete_file")
        assert f'href="/requests/{asked["id"]}"' in clerk.page.text
        assert "The room <b>" not in clerk.page.text
        assert "exist any more" in clerk.page.text
        await clerk.press("/channels", "send_again")
        assert "It is being sent again" in clerk.text
        await wall.until(lambda: wall.told("room:1") == {asked["id"]})
        # Pressed on a page that is out of date: nothing is told twice.
        fields = [("csrf_token", clerk.csrf), ("do", "send_again"), ("request", asked["id"])]
        await clerk.post("/channels", [*fields, ("channel", "hook"), ("address", "room:1")])
        assert "sent again already" in clerk.text
        assert len(wall.shown) == 1


async def test_all_of_one_channel_are_sent_again(serve: Serve) -> None:
    wall, other = hook(), hook("other")
    async with serve(script, *Desk().tools, channels=[wall, other]) as served:
        await known(served, wall, other)
        other.errors.append(GONE)
        first = await buried(served, wall, "a")
        await other.until(lambda: not other.errors)
        clerk = await Clerk.of(served)
        await looking(clerk, "delete_file", "/channels?channel=other")
        assert "Dead letters of other" in clerk.text
        await looking(clerk, "delete_file", "/channels?channel=hook")
        await clerk.press("/channels", "send_all", channel="hook")
        await wall.until(lambda: wall.told("room:1") == {first["id"]})
        assert other.shown == {}


async def test_a_channel_is_removed_after_a_question_and_only_if_nobody_serves_it(
    serve: Serve,
) -> None:
    wall = hook()

    def abandoned(tx: Tx) -> None:
        tx.deliveries.serve("old-bot", "gone", timedelta(seconds=-1), link_words=None)

    async with serve(script, *Desk().tools, channels=[wall]) as served:
        await known(served, wall)
        await served.assent.kernel.store.run(abandoned)
        await pending(served.client(), "delete_file a")
        clerk = await Clerk.of(served)
        await clerk.open("/channels")
        await clerk.press("/channels", "remove")
        assert "Remove old-bot ?" in clerk.text
        assert "1 message, and 0 dead letters" in clerk.text
        assert len(await served.assent.channels.status()) == 2
        await clerk.press("/channels", "remove")
        assert "Removed." in clerk.text
        assert [each.name for each in await served.assent.channels.status()] == ["hook"]
        fields = [("csrf_token", clerk.csrf), ("do", "remove"), ("confirmed", "yes")]
        await clerk.post("/channels", [*fields, ("channel", "hook")])
        assert clerk.page.status_code == 409
        assert "is being served" in clerk.text
        await clerk.open("/channels")
        await clerk.post("/channels", [fields[0], fields[1], ("channel", "nothing")])
        assert clerk.page.status_code == 404


async def test_without_channels_the_page_says_where_requests_are(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        clerk = await Clerk.of(served)
        await clerk.open("/channels")
        assert "No channels" in clerk.text
        assert "in the inbox" in clerk.text


async def test_admins_see_beside_a_request_where_it_was_told_of(serve: Serve) -> None:
    wall, other = hook(), hook("other")
    async with serve(script, *Desk().tools, channels=[wall, other]) as served:
        await known(served, wall, other)
        asked = await buried(served, wall)
        path = f"/requests/{asked['id']}"
        clerk = await Clerk.of(served)
        await looking(clerk, "given up hook", path)
        await looking(clerk, "told other room:1", path)
        assert "exist any more" in clerk.page.text
        mine = await Clerk.of(served, "user")
        await mine.open(path)
        assert mine.page.status_code == 200
        assert "Told in channels" not in mine.text
        assert "room:1" not in mine.page.text


async def test_admins_see_until_when_something_is_held(serve: Serve) -> None:
    slack = Wall("slack")
    async with serve(script, *Desk().tools, channels=[slack]) as served:
        await known(served, slack)
        chats = served.assent.people.chats
        approver = (await served.assent.people.get("approver")).person
        await chats.link_person(await chats.code_for_chat("slack", "U1", "x"), approver)
        wishes = NotificationSettings(digest=timedelta(hours=2))
        await chats.change_settings(wishes, by=approver)
        asked = await pending(served.client(), "run_command ls")
        clerk = await Clerk.of(served)
        await looking(clerk, "held Slack approver until", f"/requests/{asked['id']}")
        assert slack.shown == {}


async def test_only_admins_have_the_section(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        for account, has in {"admin": True, "approver": False, "auditor": False}.items():
            clerk = await Clerk.of(served, account)
            await clerk.open("/settings")
            assert ('href="/channels"' in clerk.page.text) is has
