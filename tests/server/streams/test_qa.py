"""The decision endpoints of AI SDK 4 frontends: `validate_tool`, and PATCH on a call."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from assent import Person, Risk, approve, hitl, tool
from assent.domain.people import Audience
from assent.domain.requests import Request
from assent.errors import Superseded
from assent.server import Settings
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World
from tests.server.conftest import Serve, Served

THREAD = "thread-1"
REFUSED = "Tool execution denied by user. Do not run it again unless the user asks for it."

MALFORMED: list[Any] = [
    {"isValidated": True},
    {"toolCallId": "call_1"},
    {"toolCallId": "call_1", "isValidated": "true"},
    {"toolCallId": "call_1", "isValidated": 1},
    {"toolCallId": "call_1", "isValidated": True, "validatedInputs": [1]},
    {"toolCallId": "call\u0000", "isValidated": True},
    {"toolCallId": "", "isValidated": True},
    # Passed over, an edit under another name would run what was there before.
    {"toolCallId": "call_1", "isValidated": True, "validated_inputs": {"target": "b"}},
    {"toolCallId": "call_1", "isValidated": True, "validatedInput": {"target": "b"}},
    {"toolCallId": "call_1", "isValidated": True, "args": "{}"},
    [],
]


class Dangerous:
    """A gated tool that remembers what it did."""

    def __init__(self, **options: Any) -> None:
        self.done: list[tuple[str, str]] = []
        self.gate = asyncio.Event()
        self.gate.set()

        async def dangerous_tool(action: str, target: str, times: int = 1) -> str:
            """Performs a dangerous operation."""
            await self.gate.wait()
            self.done.append((action, target))
            if action == "break":
                raise RuntimeError("it broke")
            return f"Performed {action} on {target} x{times}"

        options = {"risk": Risk.DANGEROUS, "requires_approval": True} | options
        self.tool = tool(**options)(dangerous_tool)


def asking(**arguments: Any) -> ScriptedModel:
    """A model that calls the dangerous tool once, then is done."""
    arguments = {"action": "delete", "target": "test.txt"} | arguments
    return ScriptedModel([says("I will.", calls("dangerous_tool", arguments)), "Done."])


async def paused(served: Served, text: str = "go", account: str = "user") -> Request:
    """The one request of a turn that waits, in the account's own thread."""
    person = await served.assent.people.get(account)
    assert person is not None
    turn = await served.assent.send(
        "agent", text, by=person.person, conversation_id=THREAD, create=True
    )
    [request] = turn.pending
    return request


def validation(request: Request, *, ok: bool = True, inputs: Any = None) -> dict[str, Any]:
    return {"toolCallId": request.call_id, "validatedInputs": inputs, "isValidated": ok}


async def validate(served: Served, body: Any, account: str | None = "user") -> Any:
    return await served.client(account).post("/api/qa/validate_tool", json=body)


async def execute(
    served: Served, request: Request, body: Any, *, thread: str = THREAD, account: str = "user"
) -> Any:
    path = f"/tools/{thread}/execute/{request.call_id}"
    return await served.client(account).patch(path, json=body)


async def is_open(served: Served, request: Request) -> bool:
    return (await served.assent.request(request.id)).is_open


# conformance: 126
async def test_approving_runs_the_call_and_answers_its_result(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        shown = {"action": "delete", "target": "test.txt"}
        answer = await validate(served, validation(request, inputs=shown))
        turn = await served.assent.wait(request.turn_id)

    assert answer.status_code == 200
    assert answer.json() == {"success": True, "result": "Performed delete on test.txt x1"}
    assert dangerous.done == [("delete", "test.txt")]
    assert turn.text == "Done."


# conformance: 126
async def test_rejecting_answers_the_refusal_and_runs_nothing(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        answer = await validate(served, validation(request, ok=False, inputs={}))
        again = await validate(served, {"toolCallId": request.call_id, "isValidated": False})

    assert (answer.status_code, answer.json()) == (200, {"success": True, "result": REFUSED})
    assert again.json() == answer.json()
    assert dangerous.done == []


# conformance: 126
async def test_a_call_that_is_decided_otherwise_is_a_conflict_with_the_state_that_won(
    serve: Serve,
) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        await validate(served, validation(request))
        answer = await validate(served, validation(request, ok=False))

    assert answer.status_code == 409
    assert answer.headers["content-type"] == "application/problem+json"
    assert (answer.json()["code"], answer.json()["by"]) == ("already_approved", "user")
    assert len(dangerous.done) == 1


async def test_the_same_approval_again_answers_the_first_result_and_runs_nothing(
    serve: Serve,
) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        first = await validate(served, validation(request))
        second = await validate(served, validation(request))

    assert second.json() == first.json()
    assert len(dangerous.done) == 1


# conformance: 126
async def test_an_unknown_call_is_not_found(serve: Serve) -> None:
    async with serve(asking()) as served:
        for id in ("call_nope", "~"):
            answer = await validate(served, {"toolCallId": id, "isValidated": True})
            assert answer.status_code == 404


# conformance: 126
async def test_a_malformed_body_is_refused_with_details(serve: Serve) -> None:
    async with serve(asking()) as served:
        for broken in MALFORMED:
            answer = await validate(served, broken)
            assert answer.status_code == 422
            assert answer.json()["code"] == "invalid_request"
            assert answer.json()["errors"][0]["at"][0] == "body"


async def test_a_body_that_is_no_strict_json_is_refused(serve: Serve) -> None:
    async with serve(asking()) as served:
        for text in ("{", '{"toolCallId":"a","toolCallId":"b"}', "NaN", ""):
            answer = await served.client().post("/api/qa/validate_tool", content=text)
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_json")


# conformance: 69
@pytest.mark.parametrize("inputs", [None, ""])
async def test_no_inputs_mean_the_original_arguments(serve: Serve, inputs: Any) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        answer = await validate(served, validation(request, inputs=inputs))
        revisions = await served.assent.kernel.store.run(
            lambda tx: tx.calls.revisions(request.call_id)
        )

    assert answer.json()["success"] is True
    assert dangerous.done == [("delete", "test.txt")]
    assert revisions == []


# conformance: 69
async def test_no_arguments_for_the_backend_mean_the_original_ones(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        answer = await execute(served, request, {"validation": "accepted", "args": ""})

    assert answer.json()["status"] == "done"
    assert dangerous.done == [("delete", "test.txt")]


@pytest.mark.parametrize("inputs", [{}, "{}"])
async def test_empty_inputs_lack_what_the_tool_requires(serve: Serve, inputs: Any) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        answer = await validate(served, validation(request, inputs=inputs))
        is_open = (await served.assent.request(request.id)).is_open

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_arguments")
    assert (is_open, dangerous.done) == (True, [])


async def test_inputs_that_are_equal_after_normalisation_are_no_edit(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(times="2"), dangerous.tool) as served:
        request = await paused(served)
        inputs = {"target": "test.txt", "times": 2.0, "action": "delete"}
        answer = await validate(served, validation(request, inputs=inputs))
        revisions = await served.assent.kernel.store.run(
            lambda tx: tx.calls.revisions(request.call_id)
        )

    assert answer.json()["result"] == "Performed delete on test.txt x2"
    assert revisions == []


async def test_edited_inputs_run_instead(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        inputs = {"action": "archive", "target": "test.txt"}
        answer = await validate(served, validation(request, inputs=inputs))

    assert answer.json()["result"] == "Performed archive on test.txt x1"
    assert dangerous.done == [("archive", "test.txt")]


# conformance: 68
async def test_edited_inputs_that_do_not_fit_leave_the_call_pending(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        answer = await validate(served, validation(request, inputs={"action": "delete"}))
        still = await is_open(served, request)
        fixed = await validate(served, validation(request))

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_arguments")
    assert still
    assert fixed.status_code == 200


# conformance: 136
async def test_a_call_that_was_not_gated_cannot_be_run_here(serve: Serve) -> None:
    free = Dangerous(risk=Risk.MODERATE, requires_approval=False)
    async with serve(asking(), free.tool) as served:
        user = await served.assent.people.get("user")
        assert user is not None
        turn = await served.assent.send("agent", "go", by=user.person)
        [call] = turn.calls
        for ok in (True, False):
            body = {"toolCallId": call.id, "isValidated": ok}
            answer = await validate(served, body)
            assert (answer.status_code, answer.json()["code"]) == (409, "nothing_awaited")
            foreign = await validate(served, body, "stranger")
            assert foreign.status_code == 404

    assert len(free.done) == 1


# conformance: 132
async def test_somebody_elses_call_is_not_found_and_nothing_happens(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        for account in ("stranger", "approver"):
            by_id = await validate(served, validation(request), account)
            sent = await execute(served, request, {"validation": "accepted"}, account=account)
            unknown = {"toolCallId": "call_x", "isValidated": True}
            nothing = await validate(served, unknown, account)
            assert (by_id.status_code, sent.status_code) == (404, 404)
            assert by_id.content == sent.content == nothing.content
        still = await is_open(served, request)

    assert still
    assert dangerous.done == []


# conformance: 134
async def test_whoever_may_not_decide_is_refused_without_using_the_request_up(
    serve: Serve,
) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        for account, status in ((None, 401), ("agent", 403), ("auditor", 404), ("admin", 403)):
            answer = await validate(served, validation(request), account)
            assert answer.status_code == status
            assert await is_open(served, request)

    assert dangerous.done == []


# conformance: 134
async def test_a_routed_call_is_decided_by_its_audience_and_not_by_the_owner(serve: Serve) -> None:
    dangerous = Dangerous(approvers=Audience.of("approver", exclude_requester=True))
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        own = await validate(served, validation(request))
        theirs = await validate(served, validation(request), "approver")

    assert (own.status_code, own.json()["code"]) == (403, "not_eligible")
    assert theirs.json()["success"] is True
    assert len(dangerous.done) == 1


async def test_what_takes_longer_than_the_patience_is_accepted_with_its_status(
    serve: Serve,
) -> None:
    dangerous = Dangerous()
    dangerous.gate.clear()
    settings = Settings(patience=timedelta(milliseconds=50))
    async with serve(asking(), dangerous.tool, settings=settings) as served:
        request = await paused(served)
        posted = await validate(served, validation(request))
        sent = await execute(served, request, {"validation": "accepted"})
        dangerous.gate.set()
        await served.assent.wait(request.turn_id)
        later = await validate(served, validation(request))

    assert (posted.status_code, posted.json()) == (202, {"success": True, "status": "running"})
    assert (sent.status_code, sent.json()) == (202, {"status": "running", "content": None})
    assert later.json()["result"] == "Performed delete on test.txt x1"
    assert len(dangerous.done) == 1


# conformance: 51
async def test_an_approved_call_that_waits_for_its_result_says_so_at_once(serve: Serve) -> None:
    async def ask(action: str, target: str) -> str | None:
        """Leave it to a person."""
        return None

    waits = hitl("dangerous_tool", output=str, on_tool_called=ask, requires_approval=True)
    async with serve(asking(), waits, settings=Settings(patience=timedelta(hours=1))) as served:
        request = await paused(served)
        answer = await validate(served, validation(request))

    told = {"success": True, "status": "awaiting_result"}
    assert (answer.status_code, answer.json()) == (202, told)


# conformance: 125
async def test_accepting_through_the_backends_shape(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        args = '{"action": "archive", "target": "test.txt"}'
        answer = await execute(served, request, {"validation": "accepted", "args": args})

    content = "Performed archive on test.txt x1"
    assert (answer.status_code, answer.json()) == (200, {"status": "done", "content": content})


# conformance: 125
async def test_rejecting_through_the_backends_shape(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        body = {"validation": "rejected", "args": '{"action":"x"}', "feedback": "Not that file"}
        answer = await execute(served, request, body)

    refusal = "Tool call refused by the user. User's feedback: Not that file"
    assert (answer.status_code, answer.json()) == (200, {"status": "done", "content": refusal})
    assert dangerous.done == []


# conformance: 63
async def test_a_tool_that_raises_is_done_with_its_error(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(action="break"), dangerous.tool) as served:
        request = await paused(served)
        answer = await execute(served, request, {"validation": "accepted", "args": None})
        closed = await served.assent.request(request.id)

    told = {"status": "done", "content": "RuntimeError: it broke"}
    assert (answer.status_code, answer.json()) == (200, told)
    assert closed.status == "approved"


# conformance: 68
async def test_edits_that_do_not_fit_are_a_validation_error_of_the_backend(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        body = {"validation": "accepted", "args": '{"action": "delete", "target": 5}'}
        answer = await execute(served, request, body)
        still = await is_open(served, request)

    assert (answer.status_code, answer.json()["status"]) == (200, "validation-error")
    assert "target" in answer.json()["content"]
    assert still
    assert dangerous.done == []


# conformance: 70
async def test_edits_that_are_no_json_are_refused_in_words(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        answer = await execute(served, request, {"validation": "accepted", "args": "{oops"})
        still = await is_open(served, request)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_json")
    assert still


@pytest.mark.parametrize("odd", [{"isValidated": it} for it in ("true", 1, 0, None, "")] + [{}])
async def test_what_is_neither_true_nor_false_validates_nothing(serve: Serve, odd: Any) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        answer = await validate(served, {"toolCallId": request.call_id, **odd})
        words = [await execute(served, request, {"validation": it}) for it in (True, 1, None, "")]
        still = await is_open(served, request)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["at"][-1] == "isValidated"
    assert {each.status_code for each in words} == {422}
    assert still


# conformance: 125
@pytest.mark.parametrize(
    "body", [{"validation": "maybe"}, {"validation": "accepted", "arguments": "{}"}]
)
async def test_a_word_that_is_no_validation_is_refused(serve: Serve, body: Any) -> None:
    async with serve(asking(), Dangerous().tool) as served:
        request = await paused(served)
        answer = await execute(served, request, body)
        still = await is_open(served, request)

    assert answer.status_code == 422
    assert still


# conformance: 125, 132
async def test_a_call_in_another_thread_is_not_found(serve: Serve) -> None:
    dangerous = Dangerous()
    async with serve(asking(), dangerous.tool) as served:
        request = await paused(served)
        for thread in ("other-thread", "%00", "th%20read"):
            answer = await execute(served, request, {"validation": "accepted"}, thread=thread)
            assert answer.status_code == 404
        path = f"/tools/{THREAD}/execute/call_nope"
        unknown = await served.client().patch(path, json={"validation": "accepted"})

    assert unknown.status_code == 404
    assert dangerous.done == []


async def redefined(served: Served, request: Request) -> Request:
    """The request that a changed definition of the tool put in the place of this one."""
    user = await served.assent.people.get("user")
    assert user is not None
    with pytest.raises(Superseded):
        await served.assent.decide(request.id, approve(), by=user.person)
    turn = await served.assent.turn(request.turn_id)
    [again] = turn.pending
    return again


# conformance: 131
async def test_an_id_whose_revision_changed_since_it_was_announced_is_a_conflict(
    serve: Serve, world: World
) -> None:
    before = Dangerous()
    done: list[str] = []

    async def dangerous_tool(action: str, target: str, times: int = 7) -> str:
        """Performs another dangerous operation."""
        done.append(f"{action} {target} {times}")
        return "ok"

    after = tool(risk=Risk.DANGEROUS, requires_approval=True)(dangerous_tool)
    async with world(asking(), before.tool) as assent:
        owner = Person("user", roles=frozenset({"requester"}))
        turn = await assent.send("agent", "go", by=owner, conversation_id=THREAD, create=True)
        [announced] = turn.pending
    async with serve(ScriptedModel(["Done."]), after) as served:
        again = await redefined(served, announced)
        blind = await validate(served, validation(announced))
        stale = await validate(
            served, validation(announced, inputs={"action": "delete", "target": "other.txt"})
        )
        untouched = list(done)
        shown = (await served.assent.turn(again.turn_id)).calls[0].arguments.thaw()
        seen = await validate(served, validation(announced, inputs=shown))

    assert again.revision > announced.revision
    assert (blind.status_code, blind.json()["code"]) == (409, "stale_digest")
    assert (stale.status_code, stale.json()["code"]) == (409, "stale_digest")
    assert untouched == []
    assert seen.json()["result"] == "ok"
    assert len(done) == 1
