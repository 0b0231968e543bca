"""The inbox and deciding over HTTP."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from assent import Audience, Effect, Rule, tool
from assent.domain.tools import Hint
from assent.testing import calls, says
from tests.server.api.desk import Desk, ask, decide, pending, rested, script, script_of
from tests.server.conftest import Serve


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_an_approval_runs_what_was_shown_once(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        shown = (await client.get(f"/api/requests/{request['id']}")).json()
        assert shown["arguments"] == {"path": "a.txt"}
        assert shown["call"]["arguments_digest"]
        assert shown["may_decide"] is True
        decided = await decide(client, shown, verdict="approve")
        assert decided.status_code == 200
        assert decided.json()["status"] == "approved"
        turn = await rested(client, request["turn_id"])
        assert (turn["status"], turn["text"]) == ("done", "Done: deleted a.txt")
        assert desk.ran == [("delete_file", "a.txt")]
        after = (await client.get(f"/api/requests/{request['id']}")).json()
        [vote] = after["decisions"]
        assert (vote["by"], vote["channel"], vote["verdict"]) == ("user", "api", "approve")


# requirement: D14
async def test_an_approval_without_the_digest_of_what_was_seen_is_refused(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        path = f"/api/requests/{request['id']}/decide"
        for body in (
            {"verdict": "approve"},
            {"verdict": "approve", "digest": None},
            {"verdict": "edit", "arguments": {"path": "b"}},
            {"verdict": "run_again"},
        ):
            answer = await client.post(path, json=body)
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")
        assert desk.ran == []
        assert (await client.get(f"/api/requests/{request['id']}")).json()["status"] == "open"


# requirement: D14
async def test_an_edit_between_view_and_submit_makes_the_digest_stale(
    serve: Serve, desk: Desk
) -> None:
    audience = Audience(roles=frozenset({"approver"}))
    rule = Rule.of(
        Effect.ASK, "delete_file", when=lambda args, _: args["path"] != "a.txt", audience=audience
    )
    async with serve(script, *desk.tools, rules=[rule]) as served:
        client, approver = served.client(), served.client("approver")
        request = await pending(client, "delete_file a.txt")
        # The edit is asked of others too, under a new request: the old one stands for nothing now.
        edited = await decide(client, request, verdict="edit", arguments={"path": "b.txt"})
        assert edited.status_code == 200
        stale = await decide(approver, request, verdict="approve")
        assert stale.status_code in (404, 409)
        wrong = await pending(served.client("approver"), "delete_file c")
        answer = await decide(approver, wrong, verdict="approve", digest=request["digest"])
        assert (answer.status_code, answer.json()["code"]) == (409, "stale_digest")
        assert ("delete_file", "c") not in desk.ran


# conformance: 131
async def test_an_edit_without_its_payload_or_with_two_is_refused(serve: Serve, desk: Desk) -> None:
    edits: list[dict[str, Any]] = [
        *({}, {"arguments": {}}, {"arguments": None}, {"arguments": ""}),
        *({"edit": None}, {"edit": ""}, {"edit": {"path": 5}}, {"edit": {"no": "such"}}),
        {"arguments": {"path": "b"}, "edit": {"path": "b"}},
    ]
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        for edit in edits:
            answer = await decide(client, request, verdict="edit", **edit)
            assert answer.status_code == 422
        assert desk.ran == []


# conformance: 131
async def test_unknown_is_404_and_decided_is_409_with_the_state_that_won(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        unknown = await decide(client, request | {"id": "req_none"}, verdict="reject")
        assert unknown.status_code == 404
        await decide(client, request, verdict="reject", reason="not that one")
        late = await decide(client, request, verdict="approve")
        body = late.json()
        assert late.status_code == 409
        assert late.headers["content-type"] == "application/problem+json"
        assert body["type"] == "urn:assent:problem:already_rejected"
        assert (body["state"], body["by"], body["request_id"]) == (
            "rejected",
            "user",
            request["id"],
        )
        assert body["status"] == 409
        assert body["at"]
        assert desk.ran == []


async def test_a_field_that_nobody_knows_is_a_mistake_not_an_approval(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        answer = await decide(client, request, verdict="approve", args={"path": "b"})
        assert answer.status_code == 422
        assert desk.ran == []


AMBIGUOUS = [
    '{"verdict":"reject","verdict":"approve","digest":"DIGEST"}',
    '{"verdict":"edit","digest":"DIGEST","arguments":{"path":"a","path":"b"}}',
    '{"verdict":"edit","digest":"DIGEST","arguments":{"path":NaN}}',
    '{"verdict":"edit","digest":"DIGEST","arguments":{"path":"\\ud800"}}',
    '{"verdict":"edit","digest":"DIGEST","arguments":' + '{"a":' * 60 + "1" + "}" * 60 + "}",
    '{"verdict":"approve","digest":"DIGEST"',
    "",
]


async def test_json_that_two_parsers_read_differently_is_refused(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        for text in AMBIGUOUS:
            answer = await client.post(
                f"/api/requests/{request['id']}/decide",
                content=text.replace("DIGEST", request["digest"]),
                headers={"content-type": "application/json"},
            )
            assert answer.status_code == 422, answer.text
            assert answer.headers["content-type"] == "application/problem+json"
        assert desk.ran == []


async def test_edited_arguments_run_and_both_versions_are_kept(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        await decide(client, request, verdict="edit", arguments={"path": "b.txt"})
        await rested(client, request["turn_id"])
        assert desk.ran == [("delete_file", "b.txt")]
        shown = (await client.get(f"/api/requests/{request['id']}")).json()
        assert [(r["author"], r["by"], r["arguments"]["path"]) for r in shown["revisions"]] == [
            ("model", "agent", "a.txt"),
            ("edit", "user", "b.txt"),
        ]
        assert shown["arguments"] == {"path": "a.txt"}
        bad = await pending(client, "delete_file c")
        answer = await decide(client, bad, verdict="edit", arguments={"path": 7, "more": 1})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_arguments")


async def test_an_idempotency_key_gives_the_first_answer_again(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client(**{"Idempotency-Key": "d-1"})
        request = await pending(served.client(), "delete_file a.txt")
        first = await decide(client, request, verdict="approve")
        again = await decide(client, request, verdict="approve")
        assert (first.json()["replayed"], again.json()["replayed"]) == (False, True)
        other = await decide(client, request, verdict="reject")
        assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
        await rested(client, request["turn_id"])
        assert len(desk.ran) == 1


async def test_a_form_is_answered_in_parts_and_errors_name_the_fields(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "connect x")
        shown = (await client.get(f"/api/requests/{request['id']}")).json()
        assert [each["name"] for each in shown["form"]["fields"]] == ["host", "password"]
        part = await decide(client, request, verdict="answer", values={"host": "h"}, partial=True)
        assert part.json()["status"] == "open"
        missing = await decide(client, request, verdict="answer", values={"nobody": "1"})
        assert missing.status_code == 422
        assert set(missing.json()["errors"]) == {"password", "nobody"}
        shown = (await client.get(f"/api/requests/{request['id']}")).json()
        assert shown["has_draft"] is True
        await decide(client, request, verdict="answer", values={"password": "correct-horse"})
        await rested(client, request["turn_id"])
        assert desk.ran == [("connect", "x", "h", "correct-horse")]


async def test_a_manual_result_is_supplied_as_json_or_as_content(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        one = await pending(client, "pick_file")
        both = await decide(client, one, verdict="supply", output=1, content=[])
        neither = await decide(client, one, verdict="supply")
        assert (both.status_code, neither.status_code) == (422, 422)
        await decide(client, one, verdict="supply", output={"path": "a"})
        turn = await rested(client, one["turn_id"])
        assert turn["calls"][0]["output"] == {"path": "a"}
        two = await pending(client, "pick_file")
        blocks = [{"type": "input_text", "text": "a.txt"}]
        await decide(client, two, verdict="supply", content=blocks)
        turn = await rested(client, two["turn_id"])
        assert turn["calls"][0]["output"] == blocks
        three = await pending(client, "pick_file")
        await decide(client, three, verdict="fail", reason="nobody is there")
        turn = await rested(client, three["turn_id"])
        assert turn["calls"][0]["status"] == "failed"


async def test_a_wrong_verdict_for_the_kind_changes_nothing(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a")
        for verdict in ("supply", "ran", "answer"):
            body = {"supply": {"output": 1}, "answer": {"values": {}}}.get(verdict, {})
            answer = await decide(client, request, verdict=verdict, **body)
            assert (answer.status_code, answer.json()["code"]) == (409, "wrong_verdict")


async def test_a_batch_reports_each_outcome(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        turn = await ask(client, "delete_file a and delete_file b and run_command ls")
        one, two, routed = turn["pending"]
        decisions = [
            {
                "request_id": one["id"],
                "decision": {"verdict": "approve", "digest": one["digest"]},
            },
            {
                "request_id": two["id"],
                "decision": {"verdict": "approve", "digest": one["digest"]},
            },
            {
                "request_id": routed["id"],
                "decision": {"verdict": "approve", "digest": routed["digest"]},
            },
            {"request_id": "req_none", "decision": {"verdict": "reject"}},
        ]
        answer = await client.post("/api/decisions", json={"decisions": decisions})
        assert answer.status_code == 200
        outcomes = answer.json()["outcomes"]
        assert [o["request_id"] for o in outcomes] == [d["request_id"] for d in decisions]
        assert outcomes[0]["decided"]["status"] == "approved"
        codes = [o["problem"]["code"] for o in outcomes[1:]]
        assert codes == ["stale_digest", "not_eligible", "not_found"]
        clash = [
            {"request_id": two["id"], "decision": {"verdict": "reject"}},
            {"request_id": two["id"], "decision": {"verdict": "cancel"}},
        ]
        answer = await client.post("/api/decisions", json={"decisions": clash})
        assert (answer.status_code, answer.json()["code"]) == (409, "conflicting_decisions")
        assert (await client.get(f"/api/requests/{two['id']}")).json()["status"] == "open"


# conformance: 134
async def test_who_is_not_asked_is_refused_without_consuming_the_request(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "run_command ls")
        for name, status in (
            ("user", 403),
            ("stranger", 404),
            ("auditor", 403),
            ("admin", 403),
            ("agent", 403),
        ):
            answer = await decide(served.client(name), request, verdict="approve")
            assert answer.status_code == status, name
        assert desk.ran == []
        approved = await decide(served.client("approver"), request, verdict="approve")
        assert approved.status_code == 200
        await rested(client, request["turn_id"])
        assert desk.ran == [("run_command", "ls")]


async def test_an_approver_sees_the_request_and_its_call_not_the_conversation(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        request = await pending(served.client(), "run_command ls")
        approver = served.client("approver")
        shown = await approver.get(f"/api/requests/{request['id']}")
        assert shown.json()["call"]["arguments"] == {"command": "ls"}
        for path in ("conversations/" + request["conversation_id"], "turns/" + request["turn_id"]):
            assert (await approver.get(f"/api/{path}")).status_code == 404


async def test_the_owner_withdraws_what_others_are_asked(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "run_command ls")
        path = f"/api/requests/{request['id']}/cancel"
        assert (await served.client("stranger").post(path)).status_code == 404
        assert (await served.client("auditor").post(path, json={})).status_code == 403
        cancelled = await client.post(path, json={"reason": "changed my mind"})
        assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
        assert (await client.post(path)).status_code == 409


async def test_the_inbox_holds_what_one_may_see(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        routed = await pending(client, "run_command ls")
        own = await pending(client, "delete_file a")
        foreign = await pending(served.client("stranger"), "delete_file b")

        async def inbox(name: str, **params: Any) -> list[str]:
            answer = await served.client(name).get("/api/requests", params=params)
            assert answer.status_code == 200
            return [item["id"] for item in answer.json()["items"]]

        everything = [foreign["id"], own["id"], routed["id"]]
        assert await inbox("user") == [own["id"], routed["id"]]
        assert await inbox("user", mine=True) == [own["id"]]
        assert await inbox("approver") == [routed["id"]]
        assert await inbox("stranger") == [foreign["id"]]
        assert await inbox("auditor") == everything
        assert await inbox("admin") == everything
        assert await inbox("admin", mine=True) == []
        assert await inbox("agent") == []
        assert await inbox("auditor", role="approver") == [routed["id"]]
        assert await inbox("user", role="approver") == [routed["id"]]
        assert await inbox("user", tool="delete_file") == [own["id"]]
        assert await inbox("auditor", risk="dangerous", kind="approval") == everything[:2]
        assert await inbox("auditor", kind="input") == []
        assert await inbox("auditor", conversation=own["conversation_id"]) == [own["id"]]
        assert await inbox("auditor", agent="nobody") == []
        await decide(served.client("approver"), routed, verdict="reject")
        assert await inbox("approver") == []
        assert await inbox("approver", status="rejected") == [routed["id"]]
        assert await inbox("approver", status="any") == [routed["id"]]
        assert await inbox("user", status="any") == [own["id"], routed["id"]]
        assert await inbox("auditor", status="any") == everything


async def test_inbox_pages_join_own_and_routed_requests_without_gaps(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        approver = served.client("approver")
        expected: list[str] = []
        for n in range(4):
            expected.append((await pending(served.client(), f"run_command {n}"))["id"])
            expected.append((await pending(approver, f"delete_file {n}"))["id"])
        # Their own command is visible to the approver but not theirs to decide.
        await pending(approver, "run_command own")
        for mine in (True, False):
            seen: list[str] = []
            after = None
            while True:
                params: dict[str, Any] = {"limit": 3, "mine": mine} | (
                    {"after": after} if after else {}
                )
                page = (await approver.get("/api/requests", params=params)).json()
                seen += [item["id"] for item in page["items"]]
                after = page["next"]
                if after is None:
                    break
            assert seen[-8:] == expected[::-1]
            assert len(seen) == (8 if mine else 9)


# requirement: T16
async def test_who_may_not_use_a_tool_makes_no_request(serve: Serve) -> None:
    @tool(requires_approval=True, caller_roles=["operator"])
    async def restart(host: str) -> str:
        """Restart a host."""
        raise AssertionError("it must not run")

    steps = [says("", calls("restart", host="a")), "I may not."]
    async with serve(steps, restart) as served:
        client = served.client()
        turn = await ask(client, "restart a")
        assert (turn["status"], turn["pending"]) == ("done", [])
        assert turn["calls"][0]["status"] == "denied"
        everything = await served.client("auditor").get("/api/requests", params={"status": "any"})
        assert everything.json()["items"] == []


async def test_arguments_that_their_tool_hides_are_masked_and_masks_do_not_run(
    serve: Serve,
) -> None:
    ran: list[str] = []

    @tool(requires_approval=True, hints={"token": Hint(secret=True)})
    async def publish(name: str, token: str) -> str:
        """Publish."""
        ran.append(token)
        return "published"

    steps = [says("", calls("publish", name="a", token="s3cr3t-s3cr3t")), "Published."]
    async with serve(steps, publish) as served:
        client = served.client()
        request = await pending(client, "publish")
        shown = await client.get(f"/api/requests/{request['id']}")
        assert "s3cr3t" not in shown.text
        assert shown.json()["arguments"] == {"name": "a", "token": {"$masked": True}}
        arguments = {**shown.json()["arguments"], "name": "b"}
        masked = await decide(client, request, verdict="edit", arguments=arguments)
        assert (masked.status_code, ran) == (422, [])
        await decide(client, request, verdict="approve")
        await rested(client, request["turn_id"])
        assert ran == ["s3cr3t-s3cr3t"]
        own = f"/api/conversations/{request['conversation_id']}/audit"
        for who, path in (("user", own), ("auditor", "/api/audit")):
            record = await served.client(who).get(path)
            assert record.status_code == 200
            assert "s3cr3t" not in record.text
            assert "masked" in record.text


async def test_people_resolve_what_is_in_doubt(serve: Serve) -> None:
    ran: list[str] = []

    @tool(timeout=timedelta(milliseconds=50))
    async def transfer(to: str) -> str:
        """Transfer money; nobody knows whether a slow one went through."""
        ran.append(to)
        if len(ran) < 4:
            await asyncio.sleep(30)
        return f"sent to {to}"

    async with serve(script_of("transfer", "to"), transfer) as served:
        client = served.client()
        for decision, status, output in (
            ({"verdict": "ran", "output": "receipt 7"}, "succeeded", "receipt 7"),
            ({"verdict": "did_not_run", "reason": "no trace of it"}, "failed", None),
            ({"verdict": "run_again"}, "succeeded", "sent to c"),
        ):
            request = await pending(client, f"transfer {'abc'[len(ran)]}")
            assert request["kind"] == "outcome"
            refused = await decide(client, request, verdict="approve")
            assert (refused.status_code, refused.json()["code"]) == (409, "wrong_verdict")
            decided = await decide(client, request, **decision)
            assert decided.status_code == 200, decided.text
            turn = await rested(client, request["turn_id"])
            [call] = turn["calls"]
            assert call["status"] == status
            assert output is None or call["output"] == output
        assert ran == ["a", "b", "c", "c"]


async def test_a_batch_sent_again_with_its_key_decides_nothing_twice(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client(**{"Idempotency-Key": "batch-1"})
        turn = await ask(served.client(), "delete_file a and delete_file b")
        decisions = [
            {
                "request_id": request["id"],
                "decision": {"verdict": "approve", "digest": request["digest"]},
            }
            for request in turn["pending"]
        ]
        for replayed in (False, True):
            answer = await client.post("/api/decisions", json={"decisions": decisions})
            outcomes = answer.json()["outcomes"]
            assert [o["decided"]["replayed"] for o in outcomes] == [replayed] * 2
        await rested(client, turn["id"])
        assert sorted(desk.ran) == [("delete_file", "a"), ("delete_file", "b")]
