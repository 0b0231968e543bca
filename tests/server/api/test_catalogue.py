"""Tools, overrides, policy, the record, people, keys and health over HTTP."""

from typing import Any

import pytest

from assent import Audience, Effect, Rule
from tests.server.api.desk import Desk, ask, decide, pending, rested, script
from tests.server.conftest import Serve


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_the_catalogue_shows_what_a_frontend_needs(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        found = {tool["name"]: tool for tool in (await client.get("/api/tools")).json()["items"]}
        assert set(found) == {"delete_file", "run_command", "connect", "look_up", "pick_file"}
        deletion = found["delete_file"]
        assert deletion["agent"] == "agent"
        assert (deletion["risk"], deletion["requires_approval"]) == ("dangerous", True)
        assert deletion["impact"] == "Deletes the file for good"
        assert deletion["parameters"]["required"] == ["path"]
        assert found["run_command"]["audience"]["roles"] == ["approver"]
        assert found["pick_file"]["kind"] == "manual"
        assert found["look_up"]["origins"]["timeout"] == "default"
        assert [field["name"] for field in found["connect"]["form"]["fields"]] == [
            "host",
            "password",
        ]
        assert (await client.get("/api/tools/nothing")).status_code == 404
        [agent] = (await client.get("/api/agents")).json()["items"]
        assert agent == {"name": "agent", "model": "scripted (offline, no real model)"}


async def test_an_override_holds_at_once_and_goes_back(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        admin, client = served.client("admin"), served.client()
        path = "/api/tools/look_up/override"
        body = {
            "risk": "dangerous",
            "decide_within_seconds": 60,
            "audience": {"owner": False, "roles": ["approver"]},
        }
        changed = await admin.put(path, json=body)
        assert changed.status_code == 200
        assert changed.json()["override"]["risk"] == "dangerous"
        [tool] = changed.json()["items"]
        assert (tool["overridden"], tool["requires_approval"]) == (True, True)
        assert tool["origins"]["risk"] == "override"
        request = await pending(client, "look_up tea")
        assert request["audience"]["roles"] == ["approver"]
        assert (await decide(client, request, verdict="approve")).status_code == 403
        restored = await admin.delete(path)
        assert restored.json()["override"] is None
        turn = await ask(client, "look_up tea")
        assert turn["status"] == "done"


async def test_loosening_a_dangerous_tool_is_on_record(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        path = "/api/tools/delete_file/override"
        await served.client("admin").put(path, json={"requires_approval": False})
        page = await served.client("auditor").get("/api/audit", params={"action": "override"})
        [entry] = page.json()["items"]
        assert (entry["actor"], entry["data"]["loosens"]) == ("admin", True)
        nobody = {"audience": {"owner": False}}
        assert (await served.client("admin").put(path, json=nobody)).status_code == 422


async def test_the_policy_can_be_read(serve: Serve, desk: Desk) -> None:
    rules = [
        Rule.of(Effect.DENY, "run_*", reason="not here"),
        Rule.of(Effect.ASK, "look_up", audience=Audience.of("approver")),
    ]
    async with serve(script, *desk.tools, rules=rules) as served:
        found = (await served.client("auditor").get("/api/policy")).json()
        assert found["version"] == served.assent.kernel.policy_version
        assert found["approvals"] is True
        assert [(rule["effect"], rule["tools"]) for rule in found["rules"]] == [
            ("deny", ["run_*"]),
            ("ask", ["look_up"]),
        ]
        assert found["rules"][1]["audience"]["roles"] == ["approver"]


async def test_the_record_is_filtered_and_paged(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client, auditor = served.client(), served.client("auditor")
        request = await pending(client, "delete_file a")
        await decide(client, request, verdict="approve")
        await rested(client, request["turn_id"])

        async def actions(**params: Any) -> list[str]:
            page = await auditor.get("/api/audit", params=params)
            return [entry["action"] for entry in page.json()["items"]]

        call = await actions(call=request["call_id"])
        assert call[::-1] == ["propose", "gate", "approve", "claim", "succeed"] or "approve" in call
        assert await actions(request=request["id"], actor="user") == ["approve"]
        assert await actions(conversation=request["conversation_id"], call="call_none") == []
        everything = await actions(limit=200)
        seen: list[str] = []
        after = None
        while True:
            params = {"limit": 3} | ({"after": after} if after else {})
            page = (await auditor.get("/api/audit", params=params)).json()
            seen += [entry["action"] for entry in page["items"]]
            after = page["next"]
            if after is None:
                break
        assert seen == everything
        assert len(seen) > 6


async def test_an_admin_makes_people_and_keys(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        admin = served.client("admin")
        body = {"id": "oidc|ada/1", "name": "Ada", "roles": ["requester", "approver"]}
        made = await admin.post("/api/people", json=body)
        assert made.status_code == 201
        assert (await admin.post("/api/people", json=body)).status_code == 409
        shown = await admin.get("/api/people/oidc|ada/1")
        assert shown.json()["roles"] == ["approver", "requester"]
        issued = await admin.post(
            "/api/keys", json={"person": "oidc|ada/1", "scopes": ["read"], "days": 1}
        )
        assert issued.status_code == 201
        served.keys["ada"] = issued.json()["key"]
        ada = served.client("ada")
        me = (await ada.get("/api/me")).json()
        assert (me["id"], me["scopes"], me["method"]) == ("oidc|ada/1", ["read"], "key")
        listed = await admin.get("/api/keys", params={"person": "oidc|ada/1"})
        assert issued.json()["key"] not in listed.text
        assert (await ada.post("/api/conversations", json={"agent": "agent"})).status_code == 403
        revoked = await admin.delete(f"/api/keys/{issued.json()['id']}")
        assert revoked.json()["revoked_at"]
        assert (await ada.get("/api/me")).status_code == 401


async def test_a_disabled_person_is_nobody(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        assert (await client.get("/api/me")).status_code == 200
        await served.client("admin").patch("/api/people/user", json={"disabled": True})
        assert (await client.get("/api/me")).status_code == 401


async def test_health_says_alive_and_ready(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        nobody = served.client(None)
        assert (await nobody.get("/healthz")).json() == {"status": "alive"}
        assert (await nobody.get("/readyz")).json() == {"status": "ready", "worker": True}
        await served.assent._worker.rest()
        stopped = await nobody.get("/readyz")
        assert (stopped.status_code, stopped.json()["code"]) == (503, "not_ready")
        await served.assent.kernel.store.close()
        gone = await nobody.get("/readyz")
        assert (gone.status_code, gone.json()["code"]) == (503, "store_unavailable")
        assert (await nobody.get("/healthz")).status_code == 200
        await served.assent.kernel.store.open(worker=True)
