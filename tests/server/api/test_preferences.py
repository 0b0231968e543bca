"""Preferences and suggestions over HTTP."""

from typing import Any

import pytest

from assent import Tool
from assent.domain.suggestions import Suggest
from tests.browser.office import person, script, wants
from tests.engine.bureau import Bureau
from tests.server.conftest import Serve, Served

PIN = "c4n4ry-31"


def tools(bureau: Bureau) -> list[Tool]:
    suggesting = bureau.fields(suggest=Suggest("tool"))
    return [bureau.tool(), bureau.tool("amend", suggesting, save=False)]


async def asked(served: Served, name: str, by: str = "user") -> str:
    turn = await served.assent.send("agent", wants(name, year=2025), by=person(by))
    return turn.pending[0].id


async def answered(served: Served, id: str, by: str = "user", **body: Any) -> Any:
    said = {"verdict": "answer", **body}
    return await served.client(by).post(f"/api/requests/{id}/decide", json=said)


async def mine(served: Served, by: str = "user") -> list[dict[str, Any]]:
    got = await served.client(by).get("/api/me/preferences")
    assert got.status_code == 200, got.text
    return got.json()["items"]


async def test_answers_are_kept_listed_changed_and_deleted(serve: Serve) -> None:
    async with serve(script, *tools(Bureau())) as served:
        client = served.client()
        id = await asked(served, "file_return")
        values = {"company": "Acme", "staff": 0, "urgent": False, "pin": PIN}
        kept = await answered(served, id, values=values, keep="person")
        assert kept.status_code == 200, kept.text
        listed = await mine(served)
        shown = {each["name"]: each["value"] for each in listed}
        assert shown == {"company": "Acme", "staff": 0, "urgent": False, "pin": None}
        assert all(each["since"] and each["fits"] for each in listed)
        body = {"scope": "tool:file_return", "name": "company", "value": "Beta"}
        put = await client.put("/api/me/preferences", json=body)
        assert put.json()["value"] == "Beta"
        turn = await served.assent.send("agent", wants("file_return", year=1), by=person("user"))
        assert turn.calls[0].arguments["company"] == "Beta"
        gone = await client.delete(f"/api/me/preferences/{put.json()['id']}")
        assert gone.status_code == 200
        assert (await client.delete(f"/api/me/preferences/{put.json()['id']}")).status_code == 404
        assert PIN not in str(await mine(served))


# requirement: W18
async def test_what_another_keeps_is_not_there(serve: Serve) -> None:
    async with serve(script, *tools(Bureau())) as served:
        preferences = served.assent.people.preferences
        made = await preferences.set("tool:file_return", "company", "Acme", by=person("user"))
        for stranger in ("stranger", "admin", "auditor", "approver"):
            assert await mine(served, stranger) == []
            other = served.client(stranger)
            got = await other.delete(f"/api/me/preferences/{made.id}")
            assert got.status_code in (403, 404)
        assert len(await mine(served)) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"scope": "tool:file_return", "name": "company", "value": ""}, 422),
        ({"scope": "tool:file_return", "name": "company", "value": None}, 422),
        ({"scope": "tool:file_return", "name": "company", "value": {}}, 422),
        ({"scope": "tool:file_return", "name": "staff", "value": "many"}, 422),
        ({"scope": "tool:file_return", "name": "code", "value": "x"}, 404),
        ({"scope": "tool:nothing", "name": "company", "value": "x"}, 404),
        ({"scope": "nothing", "name": "company", "value": "x"}, 422),
        ({"scope": "tool:file_return", "name": "", "value": "x"}, 422),
        ({}, 422),
    ],
)
async def test_what_cannot_be_kept_is_refused_without_repeating_it(
    serve: Serve, body: dict[str, Any], status: int
) -> None:
    async with serve(script, *tools(Bureau())) as served:
        got = await served.client().put("/api/me/preferences", json=body)
        assert got.status_code == status, got.text
        assert "many" not in got.text
        assert await mine(served) == []


@pytest.mark.parametrize("keep", ["", "forever", 0, True, {}, []])
async def test_how_long_is_one_of_three_words(serve: Serve, keep: Any) -> None:
    async with serve(script, *tools(Bureau())) as served:
        id = await asked(served, "file_return")
        got = await answered(served, id, values={"company": "Acme"}, keep=keep)
        assert got.status_code == 422


async def test_a_suggestion_comes_with_its_origin_and_is_taken_by_name(serve: Serve) -> None:
    bureau = Bureau()
    async with serve(script, *tools(bureau)) as served:
        client = served.client()
        first = await asked(served, "amend")
        await answered(served, first, values={"company": "Acme"})
        call = (await client.get(f"/api/requests/{first}")).json()["call_id"]
        await served.assent.wait((await client.get(f"/api/requests/{first}")).json()["turn_id"])
        id = await asked(served, "amend")
        detail = (await client.get(f"/api/requests/{id}")).json()
        card = (await client.get(f"/api/requests/{id}/card")).json()
        assert detail["suggestions"]["company"]["value"] == "Acme"
        assert detail["suggestions"]["company"]["call_id"] == call
        assert card["suggestions"] == detail["suggestions"]
        assert detail["prefilled"] == {}
        # An admin sees the request, and nothing of what its owner had elsewhere.
        seen = (await served.client("admin").get(f"/api/requests/{id}")).json()
        assert seen["suggestions"] == {}
        assert (await answered(served, id, values={})).status_code == 422
        assert (await answered(served, id, values={}, accept=["staff"])).status_code == 422
        taken = await answered(served, id, values={}, accept=["company"])
        assert taken.status_code == 200, taken.text
        await served.assent.wait(taken.json()["turn_id"])
        assert [each["company"] for each in bureau.given] == ["Acme", "Acme"]


async def test_suggestions_are_stopped_and_brought_back(serve: Serve) -> None:
    async with serve(script, *tools(Bureau())) as served:
        client = served.client()
        first = await asked(served, "amend")
        done = await answered(served, first, values={"company": "Acme"})
        await served.assent.wait(done.json()["turn_id"])
        id = await asked(served, "amend")
        body = {"request_id": id, "name": "company"}
        refused = await served.client("stranger").post("/api/me/stopped-suggestions", json=body)
        assert refused.status_code == 404
        stopped = await client.post("/api/me/stopped-suggestions", json=body)
        [row] = stopped.json()["items"]
        assert (row["scope"], row["name"]) == ("tool:amend", "company")
        assert (await client.get(f"/api/requests/{id}")).json()["suggestions"] == {}
        back = await client.delete(f"/api/me/stopped-suggestions/{row['id']}")
        assert back.status_code == 200
        again = await asked(served, "amend")
        assert (await client.get(f"/api/requests/{again}")).json()["suggestions"]


async def test_the_form_endpoint_of_frontends_carries_both(serve: Serve) -> None:
    bureau = Bureau()
    async with serve(script, *tools(bureau)) as served:
        client = served.client()
        done = await answered(served, await asked(served, "amend"), values={"company": "Acme"})
        await served.assent.wait(done.json()["turn_id"])
        id = await asked(served, "amend")
        detail = (await client.get(f"/api/requests/{id}")).json()
        pending = {"action": "get_pending", "conversation_id": detail["conversation_id"]}
        [form] = (await client.post("/api/tool-user-input", json=pending)).json()["requests"]
        [company] = [each for each in form["required_fields"] if each["name"] == "company"]
        assert company["suggestion"]["value"] == "Acme"
        assert "value" not in company
        body = {
            "action": "submit_response",
            "tool_call_id": detail["call_id"],
            "user_inputs": {},
            "accept": ["company"],
        }
        assert (await client.post("/api/tool-user-input", json=body)).json()["success"] is True
        await served.assent.wait(detail["turn_id"])
        assert bureau.given[1]["company"] == "Acme"
