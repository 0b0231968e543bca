"""Conversations, messages and turns over HTTP."""

import asyncio
from typing import Any

import pytest

from assent import Person
from assent.errors import ModelFailed
from assent.testing import calls, says
from tests.server.api.desk import Desk, ask, conversation, decide, pending, rested, script
from tests.server.conftest import Serve

USER = Person("user")


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_a_message_is_answered(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        id = await conversation(client)
        sent = await client.post(f"/api/conversations/{id}/messages", json={"text": "look_up tea"})
        assert sent.status_code == 202
        assert sent.headers["location"] == f"/api/turns/{sent.json()['id']}"
        turn = await rested(client, sent.json()["id"])
        assert turn["status"] == "done"
        assert turn["text"] == "Done: found tea"
        thread = (await client.get(f"/api/conversations/{id}")).json()
        assert thread["status"] == "idle"
        assert [m["role"] for m in thread["messages"]] == ["user", "assistant", "assistant"]
        [call] = thread["calls"]
        assert call["arguments"] == {"word": "tea"}
        assert call["output"] == "found tea"


async def test_a_message_that_waits_for_input_says_so_and_for_what(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "connect backup")
        address = f"/api/conversations/{request['conversation_id']}"
        asking = (await client.get(address)).json()["messages"][-1]["metadata"]
        assert asking["requires_user_input"] is True
        form = asking["user_input_request"]
        assert (form["tool_name"], form["tool_call_id"]) == ("connect", request["call_id"])
        assert [field["name"] for field in form["required_fields"]] == ["host", "password"]
        await decide(
            client, request, verdict="answer", values={"host": "db", "password": "hunter2!"}
        )
        await rested(client, request["turn_id"])
        assert all(not m["metadata"] for m in (await client.get(address)).json()["messages"])


async def test_a_list_comes_in_pages_newest_first(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client, stranger = served.client(), served.client("stranger")
        made = [await conversation(client) for _ in range(5)]
        await conversation(stranger)
        seen: list[str] = []
        after = None
        for _ in range(3):
            params = {"limit": 2} | ({"after": after} if after else {})
            page = (await client.get("/api/conversations", params=params)).json()
            seen += [each["id"] for each in page["items"]]
            after = page["next"]
        assert after is None
        assert seen == made[::-1]


@pytest.mark.parametrize("letter", ["c", "€"])
async def test_a_page_may_end_with_the_longest_id(serve: Serve, desk: Desk, letter: str) -> None:
    long = letter * (1_000 // len(letter.encode()))
    async with serve(script, *desk.tools) as served:
        client = served.client()
        older = await conversation(client)
        await served.assent.send("agent", "hello", by=USER, conversation_id=long, create=True)
        first = (await client.get("/api/conversations", params={"limit": 1})).json()
        params = {"limit": 1, "after": first["next"]}
        second = (await client.get("/api/conversations", params=params)).json()
        assert [each["id"] for each in first["items"] + second["items"]] == [long, older]


async def test_only_who_sees_everything_lists_other_peoples_conversations(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        id = await conversation(served.client())
        for name in ("auditor", "admin"):
            page = await served.client(name).get("/api/conversations", params={"owner": "user"})
            assert [each["id"] for each in page.json()["items"]] == [id]
        for name in ("stranger", "approver", "agent"):
            theirs = served.client(name)
            assert (await theirs.get("/api/conversations")).json()["items"] == []
            page = await theirs.get("/api/conversations", params={"owner": "user"})
            assert page.json() == {"items": [], "next": None}


async def test_a_list_shows_what_each_conversation_waits_for(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        for text in ("hello", "delete_file a", "connect x", "pick_file"):
            await ask(client, text)
        page = (await client.get("/api/conversations")).json()
        found = [each["status"] for each in page["items"]]
        assert found == ["awaiting_client_tools", "awaiting_input", "awaiting_approval", "idle"]


async def test_a_place_that_was_never_given_out_is_refused(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        for place in ("nonsense", "AAAA", "_" * 300, "a b", "LTE6eA"):
            answer = await client.get("/api/conversations", params={"after": place})
            assert answer.status_code == 422, place
            assert answer.json()["code"] in ("bad_page", "invalid_request")


async def test_a_repeated_message_with_its_key_starts_one_turn(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client(**{"Idempotency-Key": "m-1"})
        path = f"/api/conversations/{await conversation(client)}/messages"
        first = await client.post(path, json={"text": "hello"})
        await rested(client, first.json()["id"])
        again = await client.post(path, json={"text": "hello"})
        assert again.json()["id"] == first.json()["id"]
        other = await client.post(path, json={"text": "look_up x"})
        assert other.status_code == 409
        assert other.json()["code"] == "idempotency_key_reused"


async def test_a_message_while_something_waits_is_refused_or_supersedes(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a")
        path = f"/api/conversations/{request['conversation_id']}/messages"
        refused = await client.post(path, json={"text": "hello"})
        assert refused.status_code == 409
        assert refused.json()["code"] == "pending_calls"
        assert refused.json()["calls"] == [request["call_id"]]
        body = {"text": "hello", "on_pending": "supersede"}
        taken = await client.post(path, json=body)
        assert taken.status_code == 202
        late = await decide(client, request, verdict="approve")
        assert (late.status_code, late.json()["code"]) == (409, "superseded")
        assert desk.ran == []


async def test_stop_cancels_what_waits(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a")
        path = f"/api/conversations/{request['conversation_id']}/stop"
        stopped = await client.post(path)
        assert (stopped.status_code, stopped.json()["status"]) == (200, "stopped")
        again = await client.post(path)
        assert (again.status_code, again.json()["code"]) == (409, "nothing_awaited")
        shown = (await client.get(f"/api/requests/{request['id']}")).json()
        assert shown["status"] == "cancelled"


# conformance: 130
async def test_continue_is_refused_while_undecided_and_goes_on_with_the_same_tools_after(
    serve: Serve, desk: Desk
) -> None:
    steps: list[Any] = [
        says("", calls("delete_file", path="a")),
        ModelFailed("the line is dead"),
        "All done.",
    ]
    async with serve(steps, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a")
        path = f"/api/turns/{request['turn_id']}/resume"
        early = await client.post(path)
        assert (early.status_code, early.json()["code"]) == (409, "nothing_awaited")
        await decide(client, request, verdict="approve")
        failed = await rested(client, request["turn_id"])
        assert failed["status"] == "failed"
        resumed = await client.post(path)
        assert resumed.status_code == 202
        done = await rested(client, request["turn_id"])
        assert (done["status"], done["text"]) == ("done", "All done.")
        assert desk.ran == [("delete_file", "a")]
        model: Any = served.assent.kernel.catalogue.model("agent")
        assert all(prompt.tools == model.prompts[0].tools for prompt in model.prompts)


async def test_an_export_holds_the_conversation(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        turn = await ask(client, "look_up tea")
        path = f"/api/conversations/{turn['conversation_id']}/export"
        exported = await client.post(path)
        assert exported.headers["content-type"] == "application/json"
        assert "found tea" in exported.text
        assert (await served.client("stranger").post(path)).status_code == 404


async def test_unknown_agents_are_not_found(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        answer = await served.client().post("/api/conversations", json={"agent": "nobody"})
        assert answer.status_code == 404


# conformance: 132
async def test_another_persons_conversation_takes_no_message(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        id = await conversation(served.client())
        for name, status in (("stranger", 404), ("approver", 404), ("admin", 403)):
            theirs = served.client(name)
            sent = await theirs.post(f"/api/conversations/{id}/messages", json={"text": "hello"})
            assert sent.status_code == status
        assert (await served.client().get(f"/api/conversations/{id}")).json()["messages"] == []


async def test_an_admin_can_stop_anybodys_turn_and_a_stranger_nobodys(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        request = await pending(served.client(), "delete_file a")
        path = f"/api/conversations/{request['conversation_id']}/stop"
        assert (await served.client("stranger").post(path)).status_code == 404
        assert (await served.client("admin").post(path)).status_code == 200


# conformance: 132
async def test_the_record_of_a_conversation_is_its_owners_to_read(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        turn = await ask(client, "look_up tea")
        path = f"/api/conversations/{turn['conversation_id']}/audit"
        page = (await client.get(path, params={"limit": 2})).json()
        assert len(page["items"]) == 2
        rest = (await client.get(path, params={"after": page["next"]})).json()
        actions = [each["action"] for each in page["items"] + rest["items"]]
        assert actions[-1] == "propose"
        assert "claim" in actions
        for name, status in (("stranger", 404), ("auditor", 200), ("agent", 404)):
            assert (await served.client(name).get(path)).status_code == status


async def test_saved_answers_are_read_and_cleared_without_their_secrets(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "connect x")
        values = {"host": "db.example", "password": "hunter2hunter2"}
        await decide(client, request, verdict="answer", values=values)
        await rested(client, request["turn_id"])
        assert desk.ran == [("connect", "x", "db.example", "hunter2hunter2")]
        path = f"/api/conversations/{request['conversation_id']}/values"
        found = (await client.get(path)).json()["items"]
        assert [(v["name"], v["value"], v["secret"]) for v in found] == [
            ("host", "db.example", False),
            ("password", None, True),
        ]
        assert (await served.client("stranger").delete(path)).status_code == 404
        assert (await served.client("admin").delete(path)).status_code == 403
        assert (await client.delete(path, params={"scope": "tool:other"})).json() == {"cleared": 0}
        assert (await client.delete(path)).json() == {"cleared": 2}
        assert (await client.get(path)).json() == {"items": []}


async def test_ids_that_no_database_could_hold_are_refused_politely(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        for path in ("/api/conversations/%00", "/api/requests/a%00b", "/api/turns/%F0%28%8C%28"):
            answer = await client.get(path)
            assert answer.status_code in (404, 422), path
            assert answer.headers["content-type"] == "application/problem+json"
        answers = await asyncio.gather(
            *(client.get("/api/requests", params={"tool": each}) for each in ("\x00", "\n", "é"))
        )
        assert [answer.status_code for answer in answers] == [422, 422, 200]
