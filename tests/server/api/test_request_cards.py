"""Cards and previews over HTTP: what a client at a terminal shows, and what it checks."""

from typing import Any

import pytest

from assent import Risk, manual, tool
from assent.domain.confirmations import Confirmation
from assent.domain.tools import Hint
from assent.presentation import terminal
from assent.testing import calls, hostile, says
from tests.server.api.desk import Client, Desk, decide, pending, script, script_of
from tests.server.conftest import Serve


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def card_of(client: Client, request: dict[str, Any], columns: int = 80) -> dict[str, Any]:
    got = await client.get(f"/api/requests/{request['id']}/card", params={"columns": columns})
    assert got.status_code == 200, got.text
    return got.json()


def text_of(card: dict[str, Any]) -> str:
    return "\n".join("".join(span["text"] for span in line) for line in card["lines"])


async def preview(
    client: Client, request: dict[str, Any], **body: Any
) -> tuple[int, dict[str, Any]]:
    got = await client.post(f"/api/requests/{request['id']}/preview", json=body)
    return got.status_code, got.json()


# requirement: D13
async def test_a_card_is_whole_and_the_decision_records_which_one_was_shown(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        card = await card_of(client, request, 60)
        text = text_of(card)
        assert "DANGEROUS" in text
        assert '"a.txt"' in text
        assert max(map(len, text.splitlines())) <= 60
        assert [each["verb"] for each in card["choices"]] == ["approve", "edit", "reject"]
        assert card["confirmation"] == "step"
        assert card["shown"].startswith(terminal.VERSION)
        decided = await decide(client, request, verdict="approve", shown=card["shown"])
        assert decided.status_code == 200, decided.text
        after = (await client.get(f"/api/requests/{request['id']}")).json()
        assert [vote["shown"] for vote in after["decisions"]] == [card["shown"]]
        assert "Approval: approved" in text_of(await card_of(client, request))


async def test_what_was_shown_is_a_version_and_a_hash_and_nothing_else(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        for shown in ("anything", "terminal/7/unicode-15.0.0:12", 7, "a" * 9_000):
            answer = await decide(client, request, verdict="reject", shown=shown)
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request")


async def test_a_preview_shows_an_edit_and_decides_nothing(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        edit = {"verdict": "edit", "digest": request["digest"], "arguments": {"path": "b.txt"}}
        status, found = await preview(client, request, **edit)
        assert status == 200
        assert found["is_changed"] is True
        assert '- path  "a.txt"' in text_of(found)
        assert '+ path  "b.txt"' in text_of(found)
        assert (await client.get(f"/api/requests/{request['id']}")).json()["status"] == "open"

        sent = await decide(client, request, **edit, runs=found["runs"])
        assert sent.status_code == 200, sent.text


async def test_a_preview_of_no_change_says_so(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        status, found = await preview(
            client, request, verdict="edit", digest=request["digest"], edit={"path": "a.txt"}
        )
        assert (status, found["is_changed"]) == (200, False)


async def test_a_preview_refuses_what_a_decision_would(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        edit = {"verdict": "edit", "digest": request["digest"]}
        status, problem = await preview(client, request, **edit, arguments={"path": 7})
        assert (status, problem["code"]) == (422, "invalid_arguments")
        assert problem["problems"]
        status, problem = await preview(client, request, **edit | {"digest": "0" * 64}, edit={})
        assert (status, problem["code"]) == (409, "stale_digest")
        status, problem = await preview(client, request, verdict="supply", output=1)
        assert (status, problem["code"]) == (409, "wrong_verdict")
        await decide(client, request, verdict="reject")
        status, problem = await preview(client, request, **edit, edit={})
        assert (status, problem["code"]) == (409, "already_rejected")


async def test_others_than_those_who_decide_preview_nothing(serve: Serve, desk: Desk) -> None:
    async with serve(script, *desk.tools) as served:
        request = await pending(served.client(), "run_command ls")
        edit = {"verdict": "edit", "digest": request["digest"], "edit": {}}
        assert (await preview(served.client(), request, **edit))[0] == 403
        assert (await preview(served.client("stranger"), request, **edit))[0] == 404
        assert (await preview(served.client("approver"), request, **edit))[0] == 200


async def test_a_result_that_the_tool_does_not_return_is_found_before_it_is_sent(
    serve: Serve,
) -> None:
    count = manual("count", description="Count them.", output={"type": "integer"})
    async with serve([says("", calls("count", {}))], count) as served:
        client = served.client()
        request = await pending(client, "count")
        status, problem = await preview(client, request, verdict="supply", output="many")
        assert (status, problem["code"]) == (422, "invalid_output")
        assert (await preview(client, request, verdict="supply", output="12"))[0] == 200


async def test_a_card_has_the_form_its_suggestions_and_its_draft_but_no_secret(
    serve: Serve, desk: Desk
) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "connect x")
        card = await card_of(client, request)
        assert [field["name"] for field in card["form"]["fields"]] == ["host", "password"]
        values = {"host": "db", "password": "canary-9"}
        await decide(client, request, verdict="answer", values=values, partial=True)
        kept = await client.get(f"/api/requests/{request['id']}/card")
        assert kept.json()["values"]["host"] == "db"
        assert kept.json()["kept_secrets"] == ["password"]
        assert "canary-9" not in kept.text


async def test_arguments_that_the_tool_keeps_secret_are_masked_in_cards_previews_and_lists(
    serve: Serve,
) -> None:
    @tool(requires_approval=True, hints={"token": Hint(secret=True)})
    async def push(token: str, branch: str) -> str:
        """Push."""
        return "pushed"

    said = says("", calls("push", {"token": "canary-7", "branch": "main"}))
    async with serve([said], push) as served:
        client = served.client()
        request = await pending(client, "push")
        card = await client.get(f"/api/requests/{request['id']}/card")
        listed = await client.get("/api/requests", params={"in_short": True})
        edit = {"verdict": "edit", "digest": request["digest"], "edit": {"branch": "dev"}}
        seen = await client.post(f"/api/requests/{request['id']}/preview", json=edit)
        assert seen.status_code == 200
        assert card.json()["arguments"] == {"branch": "main", "token": {"$masked": True}}
        assert listed.json()["items"][0]["in_short"] == 'branch="main" token=••••••'
        for answer in (card, listed, seen):
            assert "canary-7" not in answer.text


async def test_the_inbox_lists_the_most_dangerous_first_with_their_arguments(serve: Serve) -> None:
    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def note(text: str) -> str:
        """Note."""
        return text

    @tool(risk=Risk.DANGEROUS, requires_approval=True)
    async def wipe(text: str) -> str:
        """Wipe."""
        return text

    steps = [
        says("", calls("wipe", {"text": "a"})),
        says("", calls("note", {"text": "b" * 5_000})),
    ]
    async with serve(steps, note, wipe) as served:
        client = served.client()
        await pending(client, "one")
        await pending(client, "two")
        asked = {"order": "danger", "in_short": True, "mine": True, "limit": 1}
        first = (await client.get("/api/requests", params=asked)).json()
        second = (await client.get("/api/requests", params=asked | {"after": first["next"]})).json()
        assert [each["in_short"] for each in first["items"]] == ['text="a"']
        assert [each["in_short"] for each in second["items"]] == [None]
        assert second["next"] is None
        plain = (await client.get("/api/requests")).json()
        assert [each["tool"] for each in plain["items"]] == ["note", "wipe"]
        assert {each["in_short"] for each in plain["items"]} == {None}


# requirement: D5, D6, D9
async def test_hostile_texts_are_spelt_out_in_the_lines_of_a_card(serve: Serve, desk: Desk) -> None:
    sample = hostile.MARKUP["ansi erase"]
    async with serve(script_of("delete_file", "path"), *desk.tools) as served:
        client = served.client()
        request = await pending(client, f"delete_file {sample}")
        card = await card_of(client, request)
        assert "\x1b" not in text_of(card)
        roles = {span["role"] for line in card["lines"] for span in line}
        assert "mark" in roles


async def test_the_value_to_type_is_that_of_the_edit(serve: Serve) -> None:
    @tool(risk=Risk.DANGEROUS, requires_approval=True, confirmation=Confirmation.TYPED)
    async def drop(table: str) -> str:
        """Drop."""
        return table

    async with serve(script_of("drop", "table"), drop) as served:
        client = served.client()
        request = await pending(client, "drop users")
        card = await card_of(client, request)
        assert card["to_type"]["text"] == "users"
        edit = {"verdict": "edit", "digest": request["digest"], "edit": {"table": "logs"}}
        status, found = await preview(client, request, **edit)
        assert (status, found["to_type"]["text"]) == (200, "logs")


@pytest.mark.parametrize("columns", [0, 23, 1_001, "wide"])
async def test_a_width_that_is_none_is_refused(serve: Serve, desk: Desk, columns: Any) -> None:
    async with serve(script, *desk.tools) as served:
        client = served.client()
        request = await pending(client, "delete_file a.txt")
        path = f"/api/requests/{request['id']}/card"
        assert (await client.get(path, params={"columns": columns})).status_code == 422
