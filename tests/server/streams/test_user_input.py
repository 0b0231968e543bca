"""`/api/tool-user-input`: what tools ask of people before they run."""

from typing import Any

from assent import Field, Risk, UserInput, tool
from assent.domain.fields import FieldType
from assent.domain.requests import Request
from assent.testing import ScriptedModel, calls, says
from tests.field_samples import ANSWERS, order
from tests.server.conftest import Serve, Served
from tests.server.web.parcels import CARD, Carrier

THREAD = "thread-1"
TOOL = "quickbooks_online_api_request"
REALM = "9130346988354456"


class Books:
    """A tool that needs a company id from a person, and what it was given."""

    def __init__(self, *, save: bool = True, secret: bool = False) -> None:
        self.given: list[dict[str, Any]] = []
        realm = Field(
            "quickbooks_realm_id",
            label="QuickBooks Company ID",
            help="Find this in your QuickBooks URL",
            placeholder=REALM,
            pattern="[0-9]{10,20}",
        )
        token = Field("token", type=FieldType.SECRET)
        fields = [realm, token] if secret else [realm]
        form = UserInput("QuickBooks needs your Company ID", fields, save=save)

        async def request(report: str, quickbooks_realm_id: str, token: str = "") -> str:
            """Get a report."""
            self.given.append({"realm": quickbooks_realm_id, "token": token})
            return f"{report} of {quickbooks_realm_id}"

        self.tool = tool(name=TOOL, user_input=form)(request)


def reports(times: int = 1) -> ScriptedModel:
    steps = [[says("", calls(TOOL, report="P&L")), "Here it is."] for _ in range(times)]
    return ScriptedModel([step for pair in steps for step in pair])


async def paused(served: Served, account: str = "user") -> Request:
    person = await served.assent.people.get(account)
    assert person is not None
    talk = f"{account}-{THREAD}"
    turn = await served.assent.send(
        "agent", "P&L", by=person.person, conversation_id=talk, create=True
    )
    [request] = turn.pending
    return request


async def act(served: Served, account: str | None = "user", /, **body: Any) -> Any:
    return await served.client(account).post("/api/tool-user-input", json=body)


async def submit(served: Served, request: Request, account: str = "user", **inputs: Any) -> Any:
    body = {"tool_call_id": request.call_id, "user_inputs": inputs}
    return await act(served, account, action="submit_response", **body)


# conformance: 91
async def test_pending_requests_are_told_in_the_seeds_words(serve: Serve) -> None:
    async with serve(reports(), Books().tool) as served:
        request = await paused(served)
        answer = await act(served, action="get_pending", conversation_id=request.conversation_id)

    assert answer.status_code == 200
    assert answer.json()["success"] is True
    [told] = answer.json()["requests"]
    assert told["id"] == request.id
    assert (told["tool_name"], told["tool_call_id"]) == (TOOL, request.call_id)
    assert (told["status"], told["reason"]) == ("pending", "QuickBooks needs your Company ID")
    assert told["save_for_session"] is True
    assert told["required_fields"] == [
        {
            "name": "quickbooks_realm_id",
            "label": "QuickBooks Company ID",
            "description": "Find this in your QuickBooks URL",
            "type": "text",
            "required": True,
            "placeholder": REALM,
            "validation": "[0-9]{10,20}",
        }
    ]


# conformance: 102
async def test_pending_requests_come_newest_first_and_only_those_for_input(serve: Serve) -> None:
    books = Books()

    @tool(risk=Risk.DANGEROUS, requires_approval=True)
    async def delete_file(path: str) -> str:
        """Delete a file."""
        return path

    proposals = (calls(TOOL, report="a"), calls("delete_file", path="x"), calls(TOOL, report="b"))
    async with serve([says("", *proposals)], books.tool, delete_file) as served:
        user = await served.assent.people.get("user")
        assert user is not None
        turn = await served.assent.send("agent", "go", by=user.person)
        answer = await act(served, action="get_pending", conversation_id=turn.conversation_id)

    asked = [r for r in turn.pending if r.kind == "input"]
    newest = sorted(asked, key=lambda r: (r.created_at, r.id), reverse=True)
    assert [told["id"] for told in answer.json()["requests"]] == [r.id for r in newest]


async def test_submitted_values_complete_the_request_and_the_call_runs(serve: Serve) -> None:
    books = Books()
    async with serve(reports(), books.tool) as served:
        request = await paused(served)
        answer = await submit(served, request, quickbooks_realm_id=REALM)
        turn = await served.assent.wait(request.turn_id)
        left = await act(served, action="get_pending", conversation_id=request.conversation_id)

    assert (answer.status_code, answer.json()["success"]) == (200, True)
    assert isinstance(answer.json()["message"], str)
    assert (answer.json()["request_id"], answer.json()["status"]) == (request.id, "answered")
    assert books.given == [{"realm": REALM, "token": ""}]
    assert turn.text == "Here it is."
    assert left.json()["requests"] == []


# conformance: 94
async def test_values_that_do_not_fit_are_refused_field_by_field(serve: Serve) -> None:
    books = Books()
    wrong: list[dict[str, Any]] = [{}, {"quickbooks_realm_id": "12"}, {"other": "x"}]
    async with serve(reports(), books.tool) as served:
        request = await paused(served)
        for inputs in wrong:
            answer = await submit(served, request, **inputs)
            assert (answer.status_code, answer.json()["success"]) == (422, False)
            assert "quickbooks_realm_id" in answer.json()["errors"]
            assert (await served.assent.request(request.id)).is_open
        fixed = await submit(served, request, quickbooks_realm_id=REALM)

    assert fixed.status_code == 200


# conformance: 97, 98
async def test_a_cancelled_call_is_told_to_the_model_and_takes_no_values(serve: Serve) -> None:
    books, model = Books(), reports()
    async with serve(model, books.tool) as served:
        request = await paused(served)
        answer = await act(served, action="cancel", tool_call_id=request.call_id)
        late = await submit(served, request, quickbooks_realm_id=REALM)
        await served.assent.wait(request.turn_id)

    assert (answer.status_code, answer.json()["success"]) == (200, True)
    assert answer.json()["call_status"] == "cancelled"
    assert (late.status_code, late.json()["code"]) == (409, "cancelled")
    assert late.json()["success"] is False
    assert books.given == []
    assert "cancelled" in str(model.prompts[-1].history[-1])


# conformance: 97
async def test_other_values_for_a_completed_request_are_refused(serve: Serve) -> None:
    books = Books()
    async with serve(reports(), books.tool) as served:
        request = await paused(served)
        first = await submit(served, request, quickbooks_realm_id=REALM)
        same = await submit(served, request, quickbooks_realm_id=REALM)
        other = await submit(served, request, quickbooks_realm_id="1" * 12)
        await served.assent.wait(request.turn_id)

    assert (first.status_code, same.status_code) == (200, 200)
    assert (other.status_code, other.json()["code"]) == (409, "already_answered")
    assert books.given == [{"realm": REALM, "token": ""}]


# conformance: 96
async def test_unknown_calls_and_conversations_are_not_found(serve: Serve) -> None:
    async with serve(reports(), Books().tool) as served:
        answers = [
            await act(served, action="submit_response", tool_call_id="call_x", user_inputs={}),
            await act(served, action="cancel", tool_call_id="call_x"),
            await act(served, action="get_pending", conversation_id="nope"),
            await act(served, action="get_session_values", conversation_id="nope"),
            await act(served, action="clear_session_values", conversation_id="nope"),
        ]

    assert [answer.status_code for answer in answers] == [404] * 5
    assert {answer.json()["success"] for answer in answers} == {False}


# conformance: 99
async def test_session_values_are_kept_told_and_cleared(serve: Serve) -> None:
    books = Books(secret=True)
    async with serve(reports(3), books.tool) as served:
        request = await paused(served)
        id = request.conversation_id
        await submit(served, request, quickbooks_realm_id=REALM, token="canary-secret")
        await served.assent.wait(request.turn_id)
        kept = await act(served, action="get_session_values", conversation_id=id)
        of_tool = await act(
            served, action="get_session_values", conversation_id=id, tool_name="another_tool"
        )
        user = await served.assent.people.get("user")
        assert user is not None
        silent = await served.assent.send("agent", "again", by=user.person, conversation_id=id)
        cleared = await act(served, action="clear_session_values", conversation_id=id)
        gone = await act(served, action="get_session_values", conversation_id=id)
        asked = await served.assent.send("agent", "again", by=user.person, conversation_id=id)

    assert kept.json()["session_values"] == {"quickbooks_realm_id": REALM}
    assert "canary" not in kept.text
    assert of_tool.json()["session_values"] == {}
    assert (silent.pending, len(asked.pending)) == ((), 1)
    assert (cleared.status_code, cleared.json()["success"]) == (200, True)
    assert gone.json()["session_values"] == {}


# conformance: 100
async def test_values_that_are_not_saved_never_appear(serve: Serve) -> None:
    books = Books(save=False)
    async with serve(reports(), books.tool) as served:
        request = await paused(served)
        await submit(served, request, quickbooks_realm_id=REALM)
        await served.assent.wait(request.turn_id)
        id = request.conversation_id
        kept = await act(served, action="get_session_values", conversation_id=id)

    assert kept.json()["session_values"] == {}


# conformance: 133
async def test_nobody_else_reads_or_submits_inputs_whatever_the_body_says(serve: Serve) -> None:
    books = Books()
    async with serve(reports(), books.tool) as served:
        request = await paused(served)
        said = {"user_id": "user", "userId": "user"}
        call = {"tool_call_id": request.call_id, **said}
        own = {"conversation_id": request.conversation_id, **said}
        inputs = {"quickbooks_realm_id": REALM}
        for account in (None, "stranger", "approver", "auditor", "admin", "agent"):
            answers = [
                await act(served, account, action="submit_response", user_inputs=inputs, **call),
                await act(served, account, action="cancel", **call),
                await act(served, account, action="get_pending", **own),
                await act(served, account, action="get_session_values", **own),
                await act(served, account, action="clear_session_values", **own),
                await create(served, request, account=account),
            ]
            expected = {None: {401}, "agent": {403}, "stranger": {404}}.get(account, {404, 403})
            assert {answer.status_code for answer in answers} <= expected
            assert not any(REALM in answer.text for answer in answers)
            assert (await served.assent.request(request.id)).is_open

    assert books.given == []


async def create(
    served: Served, request: Request, *, account: str | None = "user", **changes: Any
) -> Any:
    body = {
        "conversation_id": request.conversation_id,
        "tool_name": request.tool,
        "tool_call_id": request.call_id,
        "required_fields": [{"name": "quickbooks_realm_id", "type": "text"}],
        "reason": "because",
    }
    return await act(served, account, action="create_request", **(body | changes))


async def test_creating_a_request_gives_the_one_that_the_server_has_open(serve: Serve) -> None:
    async with serve(reports(), Books().tool) as served:
        request = await paused(served)
        answer = await create(served, request)
        pending = await served.assent.pending()

    assert answer.status_code == 200
    assert answer.json()["request"]["id"] == request.id
    assert answer.json()["request"]["reason"] == "QuickBooks needs your Company ID"
    assert [each.id for each in pending] == [request.id]


async def test_creating_a_request_cannot_ask_for_what_the_tool_does_not(serve: Serve) -> None:
    async with serve(reports(), Books().tool) as served:
        request = await paused(served)
        phishing = [{"name": "bank_password", "type": "secret"}]
        answer = await create(served, request, required_fields=phishing)

    assert (answer.status_code, answer.json()["success"]) == (422, False)
    assert list(answer.json()["errors"]) == ["bank_password"]


async def test_a_request_is_created_only_for_a_call_that_waits_for_input(serve: Serve) -> None:
    async with serve(reports(), Books().tool) as served:
        request = await paused(served)
        unknown = await create(served, request, tool_call_id="call_x")
        elsewhere = await create(served, request, conversation_id="other")
        another = await create(served, request, tool_name="other_tool")
        await submit(served, request, quickbooks_realm_id=REALM)
        settled = await create(served, request)

    statuses = [unknown.status_code, elsewhere.status_code, another.status_code]
    assert statuses == [404] * 3
    assert settled.status_code == 409


# conformance: 136
async def test_a_call_that_asks_for_no_input_takes_none(serve: Serve) -> None:
    @tool(risk=Risk.DANGEROUS, requires_approval=True)
    async def delete_file(path: str) -> str:
        """Delete a file."""
        return path

    async with serve([says("", calls("delete_file", path="x"))], delete_file) as served:
        request = await paused(served)
        given = await submit(served, request, path="y")
        let_go = await act(served, action="cancel", tool_call_id=request.call_id)
        still = (await served.assent.request(request.id)).is_open

    assert (given.status_code, let_go.status_code) == (409, 409)
    assert still


async def test_a_body_of_another_shape_is_refused(serve: Serve) -> None:
    broken: list[Any] = [
        [],
        {},
        {"action": "drop_tables"},
        {"action": "submit_response", "tool_call_id": "call_1"},
        {"action": "submit_response", "tool_call_id": "call_1", "user_inputs": []},
        {"action": "get_pending", "conversation_id": 5},
        {"action": "get_pending", "conversation_id": "a\u0000b"},
    ]
    async with serve(reports(), Books().tool) as served:
        client = served.client()
        for body in broken:
            answer = await client.post("/api/tool-user-input", json=body)
            assert answer.status_code == 422
            assert answer.json()["success"] is False
            assert answer.json()["error"]
        answer = await client.post("/api/tool-user-input", content=b"{")

    assert (answer.status_code, answer.json()["success"]) == (422, False)


async def test_objects_and_rows_are_told_and_submitted_as_json(serve: Serve) -> None:
    ordered: list[dict[str, Any]] = []
    model = ScriptedModel([says("", calls("order", price="7 USD", terms=True)), "Done."])
    async with serve(model, order(ordered)) as served:
        request = await paused(served)
        told = await act(served, action="get_pending", conversation_id=request.conversation_id)
        fields = {each["name"]: each for each in told.json()["requests"][0]["required_fields"]}
        wrong = await submit(served, request, **{**ANSWERS, "tags": {"$secret": "sec_1"}})
        unsaid = await submit(served, request, **{k: v for k, v in ANSWERS.items() if k != "terms"})
        right = await submit(served, request, **{**ANSWERS, "terms": True})
        await served.assent.wait(request.turn_id)

    assert [each["name"] for each in fields["items"]["columns"]] == [
        "what",
        "count",
        "urgent",
        "kind",
    ]
    assert fields["country"]["option_labels"]["DE"] == "Germany"
    assert fields["price"]["value"] == "7 USD"
    assert "value" not in fields["terms"]
    assert wrong.status_code == unsaid.status_code == 422
    assert right.json()["success"] is True
    assert ordered == [ANSWERS]


async def test_steps_are_told_beside_the_fields_and_the_answers_stay_flat(serve: Serve) -> None:
    carrier = Carrier()
    model = ScriptedModel([says("", calls("ship", parcel="p1")), "Done."])
    async with serve(model, carrier.tool) as served:
        request = await paused(served)
        asked = await act(served, action="get_pending", conversation_id=request.conversation_id)
        given = {"name": "Bea", "country": "DE", "card": CARD}
        answer = await submit(served, request, **given)
        await served.assent.wait(request.turn_id)

    [told] = asked.json()["requests"]
    assert [(step["title"], step["fields"]) for step in told["steps"]] == [
        ("Who gets it", ["name", "country", "note"]),
        ("Customs", ["contents", "worth"]),
        ("Payment", ["card"]),
    ]
    assert [each["name"] for each in told["required_fields"]] == [
        *("name", "country", "note", "contents", "worth", "card")
    ]
    assert answer.status_code == 200
    assert carrier.shipped == [("Bea", "DE", "", "", 0, CARD)]
