"""Over quota nothing is started and nothing runs; it is said, and it is on record."""

import asyncio
from typing import Any

import pytest

from assent.engine.gate.quotas import Quotas
from assent.server import Settings
from assent.testing import calls, says
from tests.server.api.desk import Desk, ask, conversation, decide, pending, rested, script
from tests.server.conftest import Serve, Served


@pytest.fixture
def desk() -> Desk:
    return Desk()


def limited(**quotas: int) -> Settings:
    return Settings(quotas=Quotas(**quotas))


async def refusals(served: Served) -> list[dict[str, Any]]:
    page = await served.client("auditor").get("/api/audit", params={"action": "refused"})
    return [entry["data"] for entry in page.json()["items"]]


# requirement: V7
async def test_messages_beyond_the_minutes_quota_start_nothing(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools, settings=limited(messages_per_minute=3)) as served:
        client = served.client()
        ids = [await conversation(client) for _ in range(4)]
        for id in ids[:3]:
            await ask(client, "look_up x", id)
        refused = await client.post(
            f"/api/conversations/{ids[3]}/messages", json={"text": "look_up y"}
        )
        assert refused.status_code == 429
        body = refused.json()
        assert (body["code"], body["limit"]) == ("over_quota", 3)
        assert refused.headers["retry-after"] == "60"
        assert len(desk.ran) == 3
        assert (await client.get(f"/api/conversations/{ids[3]}")).json()["messages"] == []
        assert await refusals(served) == [
            {"code": "over_quota", "what": "messages in a minute", "limit": 3}
        ]
        # It is each person's own.
        await ask(served.client("stranger"), "hello")


# requirement: V7
async def test_conversations_beyond_the_minutes_quota_are_not_made(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools, settings=limited(conversations_per_minute=2)) as served:
        client = served.client()
        for _ in range(2):
            await conversation(client)
        refused = await client.post("/api/conversations", json={"agent": "agent"})
        assert (refused.status_code, refused.json()["code"]) == (429, "over_quota")
        assert len((await client.get("/api/conversations")).json()["items"]) == 2
        assert len(await refusals(served)) == 1


# requirement: V7
async def test_a_person_with_too_many_open_requests_gets_no_more(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools, settings=limited(open_per_owner=2)) as served:
        client = served.client()
        first = await pending(client, "delete_file a")
        await pending(client, "delete_file b")
        id = await conversation(client)
        path = f"/api/conversations/{id}/messages"
        refused = await client.post(path, json={"text": "delete_file c"})
        assert (refused.status_code, refused.json()["what"]) == (
            429,
            "open requests of one person",
        )
        await pending(served.client("stranger"), "delete_file d")
        await decide(client, first, verdict="reject")
        assert (await client.post(path, json={"text": "delete_file c"})).status_code == 202


# requirement: V7
async def test_one_answer_cannot_open_more_requests_than_there_is_room_for(
    serve: Serve, desk: Desk
) -> None:
    proposals = [calls("delete_file", path=str(n)) for n in range(5)]
    steps: list[Any] = [says("", *proposals), "Then not."]
    async with serve(steps, *desk.tools, settings=limited(open_per_owner=2)) as served:
        client = served.client()
        turn = await ask(client, "delete everything")
        assert len(turn["pending"]) == 2
        failed = [call for call in turn["calls"] if call["status"] == "failed"]
        assert len(failed) == 3
        assert "too many questions" in failed[0]["output"]["error"]
        for request in turn["pending"]:
            await decide(client, request, verdict="approve")
        done = await rested(client, turn["id"])
        assert done["status"] == "done"
        assert sorted(desk.ran) == [("delete_file", "0"), ("delete_file", "1")]
        page = await served.client("auditor").get(
            "/api/audit", params={"call": failed[0]["id"], "action": "gate"}
        )
        assert page.json()["items"][0]["data"] == {"by": "quota"}


# requirement: V7
async def test_an_agent_has_a_quota_over_all_its_people(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools, settings=limited(open_per_agent=1)) as served:
        await pending(served.client(), "delete_file a")
        stranger = served.client("stranger")
        id = await conversation(stranger)
        refused = await stranger.post(f"/api/conversations/{id}/messages", json={"text": "hello"})
        assert (refused.status_code, refused.json()["what"]) == (429, "open requests of one agent")


# requirement: V7
@pytest.mark.parametrize(
    ("quota", "what"),
    [
        ({"messages_per_conversation": 4}, "messages in a conversation"),
        ({"characters_per_conversation": 200}, "characters in a conversation"),
    ],
)
async def test_a_conversation_grows_no_further_than_its_quota(
    serve: Serve, desk: Desk, quota: dict[str, int], what: str
) -> None:
    async with serve(script, *desk.tools, settings=limited(**quota)) as served:
        client = served.client()
        id = await conversation(client)
        address, said = f"/api/conversations/{id}/messages", {"text": "hello"}
        sent, count = await client.post(address, json=said), 1
        while sent.status_code == 202 and count < 20:
            await rested(client, sent.json()["id"])
            sent, count = await client.post(address, json=said), count + 1
        assert (sent.status_code, sent.json()["what"]) == (429, what)


# requirement: V7
async def test_messages_that_arrive_at_once_do_not_slip_past_the_quota(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools, settings=limited(messages_per_minute=3)) as served:
        client = served.client()
        ids = [await conversation(client) for _ in range(12)]
        answers = await asyncio.gather(
            *(
                client.post(f"/api/conversations/{id}/messages", json={"text": "hello"})
                for id in ids
            )
        )
        accepted = [answer for answer in answers if answer.status_code == 202]
        # PostgreSQL counts what is committed: as many as run side by side may each see room.
        if served.assent.url.startswith("sqlite"):
            assert len(accepted) == 3
        id = await conversation(client)
        last = await client.post(f"/api/conversations/{id}/messages", json={"text": "hello"})
        assert last.status_code == 429
