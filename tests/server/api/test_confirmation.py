"""Confirmation over the API: what approving takes, and the value that was typed."""

from typing import Any

from assent import Audience, Confirmation, Effect, Risk, Rule, tool
from tests.server.api.desk import decide, pending, script_of
from tests.server.conftest import Serve

SCRIPT = script_of("erase", "path")


def erase(done: list[str], **options: Any) -> Any:
    options = {"risk": Risk.MODERATE, "requires_approval": True} | options

    @tool(**options)
    async def erase(path: str) -> str:
        """Erase a file."""
        done.append(path)
        return "erased"

    return erase


# requirement: F5
async def test_an_approval_without_the_typed_value_says_what_to_type(serve: Serve) -> None:
    done: list[str] = []
    async with serve(SCRIPT, erase(done, confirmation=Confirmation.TYPED)) as served:
        client = served.client()
        request = await pending(client, "erase /srv/x")
        assert request["confirmation"] == "typed"
        whole = (await client.get(f"/api/requests/{request['id']}")).json()
        assert whole["to_type"] == {"text": "/srv/x", "argument": "path", "is_check": False}
        for typed in ({}, {"typed": None}, {"typed": "/srv/y"}):
            refused = await decide(client, request, verdict="approve", **typed)
            assert refused.status_code == 422
            assert refused.json()["code"] == "confirmation_required"
            assert refused.json()["to_type"] == "/srv/x"
            assert refused.json()["argument"] == "path"
        assert done == []
        decided = await decide(client, request, verdict="approve", typed="/srv/x")
        assert decided.status_code == 200, decided.text


async def test_an_edit_and_a_batch_carry_it_too(serve: Serve) -> None:
    done: list[str] = []
    async with serve(SCRIPT, erase(done, confirmation=Confirmation.TYPED)) as served:
        client = served.client()
        first, second = [await pending(client, f"erase /srv/{n}") for n in "xy"]
        edit = {"verdict": "edit", "arguments": {"path": "/srv/z"}}
        assert (await decide(client, first, **edit, typed="/srv/x")).status_code == 422
        assert (await decide(client, first, **edit, typed="/srv/z")).status_code == 200
        decision = {"verdict": "approve", "digest": second["digest"], "typed": "/srv/x"}
        batch = {"decisions": [{"request_id": second["id"], "decision": decision}]}
        [outcome] = (await client.post("/api/decisions", json=batch)).json()["outcomes"]
        assert outcome["problem"]["code"] == "confirmation_required"
        decision["typed"] = "/srv/y"
        [outcome] = (await client.post("/api/decisions", json=batch)).json()["outcomes"]
        assert outcome["decided"]["status"] == "approved"


async def test_who_only_sees_a_request_is_not_asked_to_type(serve: Serve) -> None:
    typed = erase([], confirmation=Confirmation.TYPED, approvers=Audience.of("approver"))
    async with serve(SCRIPT, typed) as served:
        request = await pending(served.client(), "erase /srv/x")
        refused = await decide(served.client(), request, verdict="approve")
        assert refused.status_code == 403
        assert "to_type" not in refused.json()


async def test_an_admin_sets_what_approving_takes_and_the_record_tells(serve: Serve) -> None:
    async with serve(SCRIPT, erase([], risk=Risk.DANGEROUS)) as served:
        admin = served.client("admin")
        path = "/api/tools/erase"
        assert (await admin.get(path)).json()["items"][0]["confirmation"] == "step"
        made = await admin.put(f"{path}/override", json={"confirmation": "typed"})
        assert made.json()["override"]["confirmation"] == "typed"
        assert made.json()["items"][0]["confirmation"] == "typed"
        assert (await pending(served.client(), "erase /srv/x"))["confirmation"] == "typed"
        wrong = await admin.put(f"{path}/override", json={"confirmation": "shout"})
        assert wrong.status_code == 422
        await admin.put(f"{path}/override", json={"confirmation": "click"})
        entries = [each for each in await served.assent.audit() if each.action == "override"]
        assert [each.data["loosens"] for each in entries] == [False, True]


async def test_the_policy_shows_what_a_rule_asks_for(serve: Serve) -> None:
    rules = [Rule.of(Effect.ASK, "erase", confirmation=Confirmation.TYPED), Rule(effect=Effect.ASK)]
    async with serve(SCRIPT, erase([]), rules=rules) as served:
        shown = (await served.client("admin").get("/api/policy")).json()["rules"]
    assert [rule["confirmation"] for rule in shown] == ["typed", None]


# requirement: D13
async def test_a_bare_api_has_shown_nothing(serve: Serve) -> None:
    async with serve(SCRIPT, erase([])) as served:
        client = served.client()
        request = await pending(client, "erase /srv/x")
        await decide(client, request, verdict="reject")
        [decision] = (await client.get(f"/api/requests/{request['id']}")).json()["decisions"]
    assert decision["shown"] is None
