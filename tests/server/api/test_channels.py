"""Channels over the API: linking, what one wants to hear of, and dead letters."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from assent.channels import ChannelError, Room
from assent.ports import Tx
from tests.engine.deliveries.wall import PATIENCE_SECONDS, Letters, Wall
from tests.server.api.desk import Client, Desk, pending, script
from tests.server.conftest import Serve
from tests.server.web.test_notifications import known

MINE = "/api/me/chat-accounts"
WISHES = "/api/me/notifications"
GONE = ChannelError("The room does not exist any more", permanent=True)


# requirement: W13
async def test_an_account_is_linked_from_both_sides_and_unlinked(serve: Serve) -> None:
    slack, letters = Wall("slack"), Letters("email")
    hook = Wall("hook", reaches_people=False)
    async with serve(script, *Desk().tools, channels=[slack, letters, hook]) as served:
        await known(served, slack, letters, hook)
        client, chats = served.client(), served.assent.people.chats
        offered = (await client.get(MINE)).json()
        assert offered["items"] == []
        assert {each["name"]: each["takes_addresses"] for each in offered["channels"]} == {
            "slack": False,
            "email": True,
        }
        made = await client.post(f"{MINE}/codes", json={"channel": "slack"})
        assert made.status_code == 201
        code = made.json()
        assert code["words"] == f"/assent link {code['code']}"
        assert code["valid_seconds"] == 600
        await chats.link_chat(code["code"], "slack", "T1/U1", "user.name")
        entered = await chats.code_for_chat("slack", "U2", "me at home")
        assert (await client.post(MINE, json={"code": entered})).status_code == 201
        assert (await client.post(MINE, json={"code": entered})).json()["code"] == "link_refused"
        sent = await client.post(
            f"{MINE}/invitations", json={"channel": "email", "address": "user@example.org"}
        )
        assert sent.status_code == 201
        await client.post(MINE, json={"code": letters.sent["user@example.org"]})
        items = (await client.get(MINE)).json()["items"]
        assert {(each["channel"], each["chat_id"]) for each in items} == {
            ("slack", "T1/U1"),
            ("slack", "U2"),
            ("email", "user@example.org"),
        }
        gone = await client.delete(f"{MINE}/slack/T1/U1")
        assert (gone.status_code, gone.json()["chat_id"]) == (200, "T1/U1")
        assert (await client.delete(f"{MINE}/slack/T1/U1")).status_code == 404


# requirement: W18
async def test_what_is_somebody_elses_cannot_be_unlinked_or_told_from_nothing(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        chats = served.assent.people.chats
        me = (await served.assent.people.get("user")).person
        await chats.link_person(await chats.code_for_chat("slack", "U1", "x"), me)
        for account in ("stranger", "admin"):
            client = served.client(account)
            answers = [await client.delete(f"{MINE}/slack/{chat_id}") for chat_id in ("U1", "U2")]
            assert [each.status_code for each in answers] == [404, 404]
            assert answers[0].content == answers[1].content
        assert len(await chats.of("user")) == 1


async def test_codes_are_not_guessed_over_the_api(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        client = served.client()
        answers = [
            await client.post(MINE, json={"code": f"AAAAA-AAAA{number}"}) for number in range(2, 9)
        ]
        assert {each.status_code for each in answers} == {422}
        assert ["Too many" in each.json()["detail"] for each in answers] == [False] * 5 + [True] * 2


async def test_wishes_are_read_and_replaced(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        client = served.client()
        assert (await client.get(WISHES)).json() == {
            "least": {},
            "quiet": None,
            "digest_seconds": None,
            "urgent": "dangerous",
        }
        wishes = {
            "least": {"slack": "never"},
            "quiet": {"start": "22:00", "end": "07:00", "zone": "Europe/Berlin"},
            "digest_seconds": 900.0,
            "urgent": "moderate",
        }
        assert (await client.put(WISHES, json=wishes)).json() == wishes
        assert (await client.get(WISHES)).json() == wishes
        assert (await served.client("stranger").get(WISHES)).json()["least"] == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"least": {"slack": "sometimes"}},
        {"least": {"": "safe"}},
        {"least": {f"channel{n}": "safe" for n in range(101)}},
        {"quiet": {"start": "22:00", "end": "07:00", "zone": "Europe/Atlantis"}},
        {"quiet": {"start": "24:00", "end": "07:00", "zone": "UTC"}},
        {"quiet": {"start": "22:00", "end": "07:00"}},
        {"digest_seconds": 0},
        {"digest_seconds": 1e9},
        {"urgent": "never"},
        {"loud": True},
    ],
)
async def test_wishes_that_mean_nothing_are_refused(serve: Serve, wrong: dict[str, Any]) -> None:
    async with serve(script, *Desk().tools) as served:
        client = served.client()
        answer = await client.put(WISHES, json=wrong)
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        assert (await client.get(WISHES)).json()["least"] == {}


async def dead(admin: Client, number: int, query: str = "") -> list[dict[str, Any]]:
    """The dead letters, once there are as many."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            found = (await admin.get(f"/api/deliveries/dead{query}")).json()["items"]
            if len(found) == number:
                return found
            await asyncio.sleep(0.02)


async def test_dead_letters_are_listed_and_sent_again(serve: Serve) -> None:
    rooms = (Room(address="room:1", everything=True),)
    wall = Wall("hook", rooms=rooms, reaches_people=False)
    async with serve(script, *Desk().tools, channels=[wall]) as served:
        await known(served, wall)
        admin, ids = served.client("admin"), list[str]()
        for file in ("a", "b", "c"):
            wall.errors.append(GONE)
            ids.append((await pending(served.client(), f"delete_file {file}"))["id"])
            await wall.until(lambda: not wall.errors)
        letters = await dead(admin, 3)
        assert [each["request_id"] for each in letters] == ids[::-1]
        assert {each["error"] for each in letters} == {"The room does not exist any more"}
        assert {(each["tool"], each["open"], each["status"]) for each in letters} == {
            ("delete_file", True, "dead")
        }
        assert await dead(admin, 0, "?channel=other") == []
        [channel] = (await admin.get("/api/channels")).json()["items"]
        assert (channel["name"], channel["served"], channel["here"]) == ("hook", True, True)
        assert (channel["due"], channel["told"], channel["dead"]) == (0, 0, 3)
        one = {"channel": "hook", "request_id": ids[0], "address": "room:1"}
        again = "/api/deliveries/dead/send-again"
        assert (await admin.post(again, json=one)).json() == {"number": 1}
        assert (await admin.post(again, json=one)).status_code == 404
        half = {"channel": "hook", "request_id": ids[0]}
        assert (await admin.post(again, json=half)).status_code == 422
        assert (await admin.post(again, json={"channel": "hook"})).json() == {"number": 2}
        await wall.until(lambda: wall.told("room:1") == set(ids))
        [told] = (await admin.get(f"/api/deliveries?request={ids[0]}")).json()["items"]
        assert (told["channel"], told["address"], told["recipient"]) == ("hook", "room:1", None)


async def test_a_channel_that_nobody_serves_is_removed(serve: Serve) -> None:
    wall = Wall("hook", reaches_people=False)

    def abandoned(tx: Tx) -> None:
        tx.deliveries.serve("old-bot", "gone", timedelta(seconds=-1), link_words=None)

    async with serve(script, *Desk().tools, channels=[wall]) as served:
        await known(served, wall)
        await served.assent.kernel.store.run(abandoned)
        admin = served.client("admin")
        assert (await admin.delete("/api/channels/old-bot")).json()["name"] == "old-bot"
        assert (await admin.delete("/api/channels/old-bot")).status_code == 404
        refused = await admin.delete("/api/channels/hook")
        assert (refused.status_code, refused.json()["code"]) == (409, "channel_in_use")
