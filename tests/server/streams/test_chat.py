"""AI SDK 5, 6 and 7 over HTTP: `POST /api/chat` and `GET /api/chat/{id}/stream`."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import httpx
import pytest

from assent import (
    ApprovalRequired,
    Context,
    Field,
    Person,
    Progress,
    UserInput,
    approve,
    manual,
    reject,
    tool,
)
from assent import answer as fill
from assent.domain.forms import FieldType
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import Audience, Scope
from assent.domain.policy import Ask
from assent.errors import ModelFailed
from assent.server import Settings
from assent.testing import VirtualClock, calls, says
from tests.server.conftest import Serve, Served
from tests.server.streams.lines import (
    Chunk,
    Shop,
    answer,
    ask,
    chunks,
    eventually,
    one,
    responded,
    said,
    types,
    user,
)

SEVEN = Settings(ai_sdk="7")
FIVE = Settings(ai_sdk="5")


def deletes(*targets: str) -> Any:
    return says("", *(calls("delete", target=target) for target in targets))


async def asked(served: Served, text: str = "go") -> list[Chunk]:
    """The approvals that a message leads to."""
    answered = await ask(served.client(), text)
    assert answered.status_code == 200, answered.text
    return [c for c in chunks(answered.text) if c["type"] == "tool-approval-request"]


async def test_an_answer_is_streamed_in_steps(serve: Serve) -> None:
    script = [says("Let me look.", calls("look", at="b"), reasoning="Hm."), "I saw b."]
    async with serve(script, Shop().look) as served:
        answered = await ask(served.client(), "look")

    got = chunks(answered.text)
    shape = [c["type"] for c in got if not c["type"].endswith("-delta")]
    assert shape == [
        "start",
        "start-step",
        "reasoning-start",
        "reasoning-end",
        "text-start",
        "text-end",
        "tool-input-start",
        "tool-input-available",
        "tool-output-available",
        "finish-step",
        "start-step",
        "text-start",
        "text-end",
        "finish-step",
        "finish",
    ]
    assert said(answered.text) == "Let me look.I saw b."
    assert one(answered.text, "tool-output-available")["output"] == "saw b"
    assert got[-1] == {"type": "finish", "finishReason": "stop"}
    assert answered.headers["x-vercel-ai-ui-message-stream"] == "v1"
    assert answered.headers["content-type"].startswith("text/event-stream")
    assert answered.headers["x-accel-buffering"] == "no"


# conformance: 124, 131
async def test_an_approval_is_announced_once_it_can_be_decided(serve: Serve) -> None:
    async with serve([deletes("a"), "Done."], Shop().delete()) as served:
        [approval] = await asked(served)
        request = await served.assent.request(approval["approvalId"])

        assert (request.status, request.call_id) == (RequestStatus.OPEN, approval["toolCallId"])
        told = approval["approvalDescriptor"]
        assert told["digest"] == request.digest
        assert (told["kind"], told["mine"], told["risk"]) == ("approval", True, request.risk)


async def test_approving_runs_it_once_and_goes_on_in_the_same_message(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "It is gone."], shop.delete()) as served:
        first = await ask(served.client(), "go")
        approval = one(first.text, "tool-approval-request")
        answered = await answer(
            served.client(), responded({"id": approval["approvalId"], "approved": True})
        )

    assert [t for t in types(answered.text) if t != "text-delta"] == [
        "start",
        "tool-output-available",
        "start-step",
        "text-start",
        "text-end",
        "finish-step",
        "finish",
    ]
    assert one(answered.text, "start") == one(first.text, "start")
    assert one(answered.text, "tool-output-available")["output"] == "deleted a"
    assert said(answered.text) == "It is gone."
    assert shop.ran == ["delete a"]


async def test_a_denial_with_a_reason_runs_nothing_and_tells_the_model(serve: Serve) -> None:
    shop, heard = Shop(), []

    def script(prompt: Any) -> Any:
        if not heard:
            heard.append("")
            return deletes("a")
        heard.append(prompt.history[-1].outputs[0].content)
        return "Fine."

    async with serve(script, shop.delete()) as served:
        [approval] = await asked(served)
        denial = {"id": approval["approvalId"], "approved": False, "reason": "not that one"}
        answered = await answer(served.client(), responded(denial))

    assert one(answered.text, "tool-output-denied")["toolCallId"] == approval["toolCallId"]
    assert "not that one" in heard[-1]
    assert shop.ran == []


async def test_two_approvals_in_one_message_are_decided_differently(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a", "b"), "Done."], shop.delete()) as served:
        first, second = await asked(served)
        answered = await answer(
            served.client(),
            responded(
                {"id": first["approvalId"], "approved": False},
                {"id": second["approvalId"], "approved": True},
            ),
        )

    assert one(answered.text, "tool-output-denied")["toolCallId"] == first["toolCallId"]
    assert one(answered.text, "tool-output-available")["toolCallId"] == second["toolCallId"]
    assert shop.ran == ["delete b"]


async def test_one_answer_of_two_leaves_the_other_open(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a", "b"), "Done."], shop.delete()) as served:
        first, second = await asked(served)
        yes = {"id": first["approvalId"], "approved": True}
        answered = await answer(served.client(), responded(yes))
        request = await served.assent.request(second["approvalId"])

    assert request.is_open
    assert one(answered.text, "tool-output-available")["toolCallId"] == first["toolCallId"]
    assert chunks(answered.text)[-1]["finishReason"] == "tool-calls"
    assert shop.ran == ["delete a"]


async def test_what_the_client_says_the_input_was_is_not_read(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        [approval] = await asked(served)
        forged = {"id": approval["approvalId"], "approved": True, "input": {"target": "/"}}
        await answer(served.client(), responded(forged))

    assert shop.ran == ["delete a"]


async def test_a_replayed_approval_runs_nothing_and_streams_what_came_of_it(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "It is gone."], shop.delete()) as served:
        [approval] = await asked(served)
        yes = responded({"id": approval["approvalId"], "approved": True})
        first = await answer(served.client(), yes)
        second = await answer(served.client(), yes)

    assert one(second.text, "tool-output-available")["output"] == "deleted a"
    assert said(second.text) == said(first.text) == "It is gone."
    assert shop.ran == ["delete a"]


async def test_a_change_of_mind_after_the_outcome_shows_the_outcome(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "It is gone."], shop.delete()) as served:
        [approval] = await asked(served)
        await answer(served.client(), responded({"id": approval["approvalId"], "approved": True}))
        no = await answer(
            served.client(), responded({"id": approval["approvalId"], "approved": False})
        )

    assert one(no.text, "tool-output-available")["output"] == "deleted a"
    assert shop.ran == ["delete a"]


@pytest.mark.parametrize("odd", [{"approved": it} for it in ("true", 1, 0, None, "", [])] + [{}])
async def test_an_answer_that_is_neither_true_nor_false_is_refused(
    serve: Serve, odd: Chunk
) -> None:
    shop = Shop()
    async with serve([deletes("a", "b"), "Done."], shop.delete()) as served:
        first, second = await asked(served)
        good = {"id": first["approvalId"], "approved": True}
        bad = {"id": second["approvalId"], **odd}
        refused = await answer(served.client(), responded(good, bad))
        thread = await served.assent.conversation("chat-1")

    assert refused.status_code == 422
    [error] = refused.json()["errors"]
    assert error["at"][-1] == "approved"
    assert len(thread.pending) == 2
    assert shop.ran == []


async def test_an_answer_beside_another_call_is_refused(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a", "b"), "Done."], shop.delete()) as served:
        first, second = await asked(served)
        crossed = {"id": first["approvalId"], "approved": True, "call": second["toolCallId"]}
        refused = await answer(served.client(), responded(crossed))
        straight = {"id": first["approvalId"], "approved": True, "call": first["toolCallId"]}
        await answer(served.client(), responded(straight))

    assert refused.status_code == 404
    assert shop.ran == ["delete a"]


async def test_an_answer_that_says_both_is_refused(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        [approval] = await asked(served)
        said_so = {"id": approval["approvalId"], "approved": True}
        body = json.dumps({"id": "chat-1", "messages": [user("go"), responded(said_so)]})
        both = body.replace('"approved": true', '"approved": false, "approved": true')
        sent = {"content-type": "application/json"}
        refused = await served.client().post("/api/chat", content=both, headers=sent)
        request = await served.assent.request(approval["approvalId"])

    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_json")
    assert request.is_open
    assert shop.ran == []


@pytest.mark.parametrize("odd", [{"id": 7}, {"reason": 5}, {"typed": 5}])
async def test_an_answer_of_another_shape_is_refused(serve: Serve, odd: Chunk) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        [approval] = await asked(served)
        said_so = {"id": approval["approvalId"], "approved": False, **odd}
        refused = await answer(served.client(), responded(said_so))
        request = await served.assent.request(approval["approvalId"])

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["at"][-1] in odd
    assert request.is_open


async def test_an_answered_part_without_its_approval_is_refused(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        [approval] = await asked(served)
        for odd in (None, "yes", []):
            message = responded({"id": approval["approvalId"], "approved": True})
            message["parts"][-1]["approval"] = odd
            assert (await answer(served.client(), message)).status_code == 422
        request = await served.assent.request(approval["approvalId"])

    assert request.is_open


async def test_an_output_that_cannot_be_kept_leaves_the_approval_beside_it_undecided(
    serve: Serve,
) -> None:
    shop, pick = Shop(), manual("pick", description="Pick.")
    both = says("", calls("delete", target="a"), calls("pick"))
    async with serve([both, "Done."], shop.delete(), pick) as served:
        first = await ask(served.client(), "go")
        mine = one(first.text, "tool-approval-request")["approvalId"]
        call = one(first.text, "data-request")["data"]["toolCallId"]
        message = responded({"id": mine, "approved": True})
        wrong = {"type": "tool-pick", "toolCallId": call, "state": "output-available"}
        message["parts"].append({**wrong, "input": {}, "output": float("nan")})
        body = json.dumps({"id": "chat-1", "messages": [user("go"), message]})
        refused = await served.client().post("/api/chat", content=body)
        request = await served.assent.request(mine)

    assert refused.status_code == 422
    assert request.is_open
    assert shop.ran == []


async def test_an_approval_that_was_never_asked_is_refused_with_the_rest(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        [approval] = await asked(served)
        answered = await answer(
            served.client(),
            responded(
                {"id": approval["approvalId"], "approved": True},
                {"id": "req_made_up", "approved": True},
            ),
        )
        alone = await answer(served.client(), responded({"id": "req_made_up", "approved": True}))
        request = await served.assent.request(approval["approvalId"])

    assert answered.status_code == alone.status_code == 404
    assert request.is_open
    assert shop.ran == []


# conformance: 132
async def test_a_request_of_another_conversation_cannot_be_answered_here(serve: Serve) -> None:
    shop = Shop()
    async with serve(lambda _: deletes("a"), shop.delete()) as served:
        [approval] = await asked(served)
        stranger = served.client("stranger")
        own = await stranger.post("/api/chat", json={"id": "mine", "messages": [user("go")]})
        assert own.status_code == 200
        yes = responded({"id": approval["approvalId"], "approved": True})
        for chat in ("mine", "chat-1"):
            forged = {"id": chat, "messages": [yes]}
            assert (await stranger.post("/api/chat", json=forged)).status_code == 404
        request = await served.assent.request(approval["approvalId"])

    assert request.is_open
    assert shop.ran == []


# requirement: T15
async def test_a_credential_for_chatting_does_not_decide(serve: Serve) -> None:
    shop = Shop()
    root = Person("root", roles=frozenset({"admin"}))
    async with serve([deletes("a")], shop.delete()) as served:
        _, served.keys["user"] = await served.assent.people.issue_key(
            "user", label="chat only", scopes=frozenset({Scope.CHAT}), by=root
        )
        [approval] = await asked(served)
        yes = responded({"id": approval["approvalId"], "approved": True})
        answered = await answer(served.client(), yes)

    assert (answered.status_code, answered.json()["code"]) == (403, "not_allowed")
    assert shop.ran == []


async def test_a_question_routed_to_others_is_shown_but_not_asked(serve: Serve) -> None:
    shop = Shop()
    routed = shop.delete(approvers=Audience.of("approver", exclude_requester=True))
    async with serve([deletes("a"), "Done."], routed) as served:
        first = await ask(served.client(), "go")
        part = one(first.text, "data-request")
        forged = responded({"id": part["id"], "approved": True})
        refused = await answer(served.client(), forged)

    assert "tool-approval-request" not in types(first.text)
    assert (part["data"]["mine"], part["data"]["status"]) == (False, "open")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_eligible")
    assert shop.ran == []


async def test_answers_of_which_one_is_not_ours_to_give_decide_nothing(serve: Serve) -> None:
    shop = Shop()

    @tool(requires_approval=True, approvers=("approver",))
    async def pay() -> str:
        shop.ran.append("pay")
        return "paid"

    both = says("", calls("delete", target="a"), calls("pay"))
    async with serve([both], shop.delete(), pay) as served:
        first = await ask(served.client(), "go")
        mine = one(first.text, "tool-approval-request")["approvalId"]
        theirs = one(first.text, "data-request")["id"]
        yes = [{"id": id, "approved": True} for id in (mine, theirs)]
        refused = await answer(served.client(), responded(*yes))
        thread = await served.assent.conversation("chat-1")

    assert refused.status_code == 403
    assert {request.id for request in thread.pending} == {mine, theirs}
    assert shop.ran == []


async def test_what_somebody_else_decided_is_shown_as_it_happened(serve: Serve) -> None:
    shop, heard = Shop(), Person("approver", roles=frozenset({"approver"}))
    routed = shop.delete(approvers=Audience.of("approver"))
    async with serve([deletes("a"), "Fine."], routed) as served:
        first = await ask(served.client(), "go")
        id = one(first.text, "data-request")["id"]
        await served.assent.decide(id, reject("no"), by=heard)
        answered = await answer(served.client(), {"id": "m1", "role": "assistant", "parts": []})

    assert one(answered.text, "data-request")["data"]["status"] == "rejected"
    # Without an approval of its own the part has nothing to be denied.
    assert "no" in one(answered.text, "tool-output-error")["errorText"]


async def test_an_edit_is_shown_before_the_output(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        [approval] = await asked(served)
        owner = (await served.assent.conversation("chat-1")).conversation.owner
        edit = approve({"target": "b"})
        await served.assent.decide(approval["approvalId"], edit, by=owner)
        yes = responded({"id": approval["approvalId"], "approved": True})
        answered = await answer(served.client(), yes)

    shape = [t for t in types(answered.text) if t.startswith("tool-")]
    assert shape == ["tool-input-available", "tool-output-available"]
    assert one(answered.text, "tool-input-available")["input"] == {"target": "b"}
    assert shop.ran == ["delete b"]


async def test_an_approved_call_that_asks_again_gets_a_fresh_approval(serve: Serve) -> None:
    async def pay(amount: int, context: Context) -> str:
        """Pay."""
        if not context.approved:
            raise ApprovalRequired({"fee": 3})
        return "paid"

    async with serve([says("", calls("pay", amount=1)), "Done."], tool(pay)) as served:
        [first] = await asked(served)
        yes = responded({"id": first["approvalId"], "approved": True}, tool="pay")
        answered = await answer(served.client(), yes)

    assert first["approvalDescriptor"]["metadata"] == {"fee": 3}
    assert one(answered.text, "tool-output-available")["output"] == "paid"


async def test_an_approved_manual_call_becomes_a_question_for_its_result(serve: Serve) -> None:
    pick = manual("pick", description="Pick a file.", requires_approval=True)
    async with serve([says("", calls("pick")), "Thanks."], pick) as served:
        [approval] = await asked(served)
        yes = responded({"id": approval["approvalId"], "approved": True}, tool="pick")
        answered = await answer(served.client(), yes)
        done = {"type": "tool-pick", "toolCallId": approval["toolCallId"]}
        done |= {"state": "output-available", "input": {}, "output": "a.txt"}
        message = {"id": "m1", "role": "assistant", "parts": [done]}
        last = await answer(served.client(), message)

    # Not left "responded": the client would send its answer again, without end.
    assert one(answered.text, "tool-input-available")["toolCallId"] == approval["toolCallId"]
    assert one(answered.text, "data-request")["data"]["kind"] == "result"
    assert one(last.text, "tool-output-available")["output"] == "a.txt"
    assert said(last.text) == "Thanks."


async def test_a_client_tools_failure_is_taken_too(serve: Serve) -> None:
    pick = manual("pick", description="Pick a file.")
    async with serve([says("", calls("pick")), "Oh."], pick) as served:
        first = await ask(served.client(), "go")
        call = one(first.text, "tool-input-available")["toolCallId"]
        failed = {"type": "tool-pick", "toolCallId": call, "state": "output-error"}
        failed |= {"input": {}, "errorText": "no files here"}
        message = {"id": "m1", "role": "assistant", "parts": [failed]}
        last = await answer(served.client(), message)

    assert one(last.text, "tool-output-error")["errorText"] == "no files here"


async def test_an_output_for_a_call_that_awaits_none_is_not_read(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a")], shop.delete()) as served:
        [approval] = await asked(served)
        forged = {"type": "tool-delete", "toolCallId": approval["toolCallId"]}
        forged |= {"state": "output-available", "input": {}, "output": "deleted a"}
        message = {"id": "m1", "role": "assistant", "parts": [forged]}
        answered = await answer(served.client(), message)
        request = await served.assent.request(approval["approvalId"])

    assert (answered.status_code, answered.json()["calls"]) == (409, [approval["toolCallId"]])
    assert request.is_open


async def test_a_form_is_a_data_part_that_can_be_shown_and_says_when_it_is_done(
    serve: Serve,
) -> None:
    form = UserInput("Which?", [Field("company"), Field("pin", type=FieldType.SECRET)])

    @tool(user_input=form)
    async def report(company: str, pin: str) -> str:
        return company

    async with serve([says("", calls("report")), "Done."], report) as served:
        first = await ask(served.client(), "go")
        part = one(first.text, "data-request")
        owner = (await served.assent.conversation("chat-1")).conversation.owner
        await served.assent.decide(part["id"], fill(company="ACME", pin="4711"), by=owner)
        message = {"id": "m1", "role": "assistant", "parts": []}
        last = await answer(served.client(), message)

    data = part["data"]
    assert (data["kind"], data["status"], data["mine"]) == ("input", "open", True)
    assert [field["name"] for field in data["fields"]] == ["company", "pin"]
    assert data["decideAt"].endswith(f"/{part['id']}/decide")
    assert one(last.text, "data-request")["data"]["status"] == "answered"
    assert one(last.text, "tool-input-available")["input"]["company"] == "ACME"
    assert "4711" not in first.text + last.text


async def test_progress_is_a_preliminary_output(serve: Serve) -> None:
    @tool
    async def count() -> Any:
        yield Progress("half way", fraction=0.5)
        await asyncio.sleep(0.2)
        yield "counted"

    async with serve([says("", calls("count")), "Done."], count) as served:
        answered = await ask(served.client(), "go")

    outputs = [c for c in chunks(answered.text) if c["type"] == "tool-output-available"]
    assert [(c["output"], c.get("preliminary")) for c in outputs] == [
        ("half way", True),
        ("counted", None),
    ]


async def test_seven_hears_of_the_decision_the_reason_and_resets(serve: Serve) -> None:
    transient = ModelFailed("connection lost", transient=True)
    script = [deletes("a"), transient, "It is gone."]
    shop = Shop()
    delete = shop.delete()

    async with serve(script, delete, settings=SEVEN, policy=_because) as served:
        first = await ask(served.client(), "go")
        approval = one(first.text, "tool-approval-request")
        yes = responded({"id": approval["approvalId"], "approved": True})
        answered = await answer(served.client(), yes)

    assert approval["reason"] == "because"
    response = one(answered.text, "tool-approval-response")
    assert (response["approvalId"], response["approved"]) == (approval["approvalId"], True)
    got = types(answered.text)
    assert got.index("start-step") < got.index("reset-step") < got.index("text-start")


def _because(*_: Any) -> Ask:
    return Ask(by="policy", reason="because")


async def test_six_gets_nothing_that_only_seven_knows(serve: Serve) -> None:
    transient = ModelFailed("connection lost", transient=True)
    async with serve([deletes("a"), transient, "Gone."], Shop().delete()) as served:
        first = await ask(served.client(), "go")
        approval = one(first.text, "tool-approval-request")
        yes = responded({"id": approval["approvalId"], "approved": True})
        answered = await answer(served.client(), yes)

    known = set(types(first.text)) | set(types(answered.text))
    assert not known & {"reset-step", "tool-approval-response", "custom"}
    assert "reason" not in approval


async def test_five_gets_data_parts_and_never_an_approval_of_six(serve: Serve) -> None:
    async with serve([deletes("a"), "Fine."], Shop().delete(), settings=FIVE) as served:
        first = await ask(served.client(), "go")
        part = one(first.text, "data-approval")
        owner = (await served.assent.conversation("chat-1")).conversation.owner
        await served.assent.decide(part["id"], reject(), by=owner)
        message = {"id": "m1", "role": "assistant", "parts": []}
        last = await answer(served.client(), message)

    assert part["data"]["status"] == "open"
    assert one(last.text, "data-approval")["data"]["status"] == "rejected"
    assert "denied" in one(last.text, "tool-output-error")["errorText"]
    new = {"tool-approval-request", "tool-output-denied", "tool-approval-response"}
    assert not new & {*types(first.text), *types(last.text)}


async def test_the_same_message_twice_is_one_turn(serve: Serve) -> None:
    async with serve(["Hello.", "Never."]) as served:
        first = await ask(served.client(), "hi")
        second = await ask(served.client(), "hi")
        thread = await served.assent.conversation("chat-1")

    assert chunks(first.text)[0] == chunks(second.text)[0]
    assert said(first.text) == said(second.text) == "Hello."
    assert len(thread.messages) == 2


async def test_another_text_under_the_same_message_id_is_refused(serve: Serve) -> None:
    async with serve(["Hello.", "Never."]) as served:
        await ask(served.client(), "hi")
        answered = await ask(served.client(), "hi, again")

    assert (answered.status_code, answered.json()["code"]) == (409, "message_changed")


async def test_an_answer_on_record_is_not_made_anew(serve: Serve) -> None:
    async with serve(["Hello.", "Never."]) as served:
        await ask(served.client(), "hi")
        answered = await ask(served.client(), "hi", trigger="regenerate-message")

    assert (answered.status_code, answered.json()["code"]) == (409, "nothing_to_regenerate")


# conformance: 87
async def test_a_failed_answer_is_tried_again(serve: Serve) -> None:
    async with serve([ModelFailed("gone"), "Hello."]) as served:
        first = await ask(served.client(), "hi")
        again = await ask(served.client(), "hi", trigger="regenerate-message")
        thread = await served.assent.conversation("chat-1")

    assert "gone" in one(first.text, "error")["errorText"]
    assert said(again.text) == "Hello."
    assert types(again.text).count("start-step") == 1
    assert "error" not in types(again.text)
    assert [message.role for message in thread.messages] == ["user", "assistant"]


# conformance: 90
async def test_a_message_while_calls_wait_is_refused_or_takes_their_place(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Never mind."], shop.delete()) as served:
        [approval] = await asked(served)
        more = {"id": "chat-1", "messages": [user("stop that", "u2")]}
        refused = await served.client().post("/api/chat", json=more)
        more["onPending"] = "supersede"  # type: ignore[assignment]
        taken = await served.client().post("/api/chat", json=more)
        # The client of the first message comes late with its answer.
        yes = responded({"id": approval["approvalId"], "approved": True})
        late = await answer(served.client(), yes)

    assert (refused.status_code, refused.json()["calls"]) == (409, [approval["toolCallId"]])
    assert said(taken.text) == "Never mind."
    assert "new message" in one(late.text, "tool-output-error")["errorText"]
    assert shop.ran == []


# conformance: 129
async def test_a_disconnected_client_finds_its_turn_again(serve: Serve) -> None:
    go = asyncio.Event()

    @tool
    async def slow() -> str:
        await go.wait()
        return "done"

    async with serve([says("Wait.", calls("slow")), "Done."], slow) as served:
        async with served.client().stream(
            "POST", "/api/chat", json={"id": "chat-1", "messages": [user("go")]}
        ) as stream:
            async for line in stream.aiter_lines():
                if "tool-input-available" in line:
                    break
        follower = asyncio.create_task(served.client().get("/api/chat/chat-1/stream"))
        await asyncio.sleep(0.1)
        go.set()
        resumed = await follower
        idle = await served.client().get("/api/chat/chat-1/stream")

    assert said(resumed.text) == "Wait.Done."
    assert one(resumed.text, "tool-output-available")["output"] == "done"
    assert (idle.status_code, idle.text) == (204, "")


async def test_resuming_finds_the_open_approval(serve: Serve) -> None:
    async with serve([deletes("a")], Shop().delete()) as served:
        first = await ask(served.client(), "go")
        resumed = await served.client().get("/api/chat/chat-1/stream")

    assert chunks(resumed.text) == chunks(first.text)


async def test_a_stopped_turn_is_told_as_aborted(serve: Serve) -> None:
    async with serve([deletes("a")], Shop().delete()) as served:
        [approval] = await asked(served)
        thread = await served.assent.conversation("chat-1")
        turn_id = thread.messages[0].turn_id
        await served.assent.stop(turn_id, by=thread.conversation.owner)
        yes = responded({"id": approval["approvalId"], "approved": True})
        late = await answer(served.client(), yes)
        nothing = await answer(served.client(), {"id": "m", "role": "assistant", "parts": []})

    assert types(late.text) == ["start", "tool-output-error", "abort"]
    assert (nothing.status_code, nothing.json()["code"]) == (409, "nothing_awaited")


# conformance: 113
async def test_a_late_answer_shows_that_the_time_was_over(
    serve: Serve, clock: VirtualClock
) -> None:
    shop = Shop()
    quick = shop.delete(decide_within=timedelta(hours=1))
    async with serve([deletes("a"), "Too late."], quick, clock=clock) as served:
        [approval] = await asked(served)
        clock.advance(timedelta(hours=1))

        async def over() -> bool:
            return not (await served.assent.request(approval["approvalId"])).is_open

        await eventually(over)
        yes = responded({"id": approval["approvalId"], "approved": True})
        late = await answer(served.client(), yes)

    assert one(late.text, "tool-output-error")["errorText"] == "Approval request timed out."
    assert shop.ran == []


# requirement: W18
async def test_somebody_elses_chat_is_not_found(serve: Serve) -> None:
    async with serve(lambda _: deletes("a"), Shop().delete()) as served:
        [approval] = await asked(served)
        stranger = served.client("stranger")
        yes = responded({"id": approval["approvalId"], "approved": True})
        replies: list[httpx.Response] = [
            await ask(stranger, "hi"),
            await answer(stranger, yes),
            await stranger.post("/api/chat", json={"id": "none", "messages": [yes]}),
        ]

    assert {reply.status_code for reply in replies} == {404}
    assert len({reply.content for reply in replies}) == 1


async def test_a_new_chat_has_nothing_to_resume_like_somebody_elses(serve: Serve) -> None:
    async with serve(lambda _: deletes("a"), Shop().delete()) as served:
        await asked(served)
        stranger = served.client("stranger")
        ids = ("none", "chat-1", "a%20b", "%2e%2e", "x" * 200)
        looks = [await stranger.get(f"/api/chat/{id}/stream") for id in ids]
        mine = await served.client().get("/api/chat/chat-1/stream")

    assert [(look.status_code, look.content) for look in looks] == [(204, b"")] * len(ids)
    assert len({tuple(look.headers.keys()) for look in looks}) == 1
    assert mine.status_code == 200


@pytest.mark.parametrize("id", ["-x", ".x", "_x", "--", "...", "..x", ".-", "-" * 128, "a" * 128])
async def test_an_id_may_begin_as_nanoids_do(serve: Serve, id: str) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        client = served.client()
        first = await ask(client, "go", id=id)
        found = await client.get(f"/api/chat/{id}/stream")
        approval = one(found.text, "tool-approval-request")["approvalId"]
        done = await answer(client, responded({"id": approval, "approved": True}), id=id)
        thread = await client.get(f"/api/conversations/{id}")

    assert first.status_code == done.status_code == thread.status_code == 200
    assert shop.ran == ["delete a"]


async def test_where_to_decide_is_absolute_once_an_origin_is_configured(serve: Serve) -> None:
    settings = Settings(origin="https://assent.example.com/")
    async with serve([deletes("a")], Shop().delete(), settings=settings) as served:
        [approval] = await asked(served)

    path = f"/api/requests/{approval['approvalId']}/decide"
    assert approval["approvalDescriptor"]["decideAt"] == f"https://assent.example.com{path}"


async def test_where_to_decide_is_a_path_where_no_origin_is_configured(serve: Serve) -> None:
    async with serve([deletes("a")], Shop().delete()) as served:
        [approval] = await asked(served)

    path = f"/api/requests/{approval['approvalId']}/decide"
    assert approval["approvalDescriptor"]["decideAt"] == path
    # `assent serve` without --origin: an address of this machine that nobody configured.
    assert Settings(origin="http://127.0.0.1:8123", local=True).base == ""


@pytest.mark.parametrize("spelling", ["onPending", "on_pending"])
async def test_both_spellings_of_on_pending_work_on_every_endpoint(
    serve: Serve, spelling: str
) -> None:
    text = {"role": "user", "content": "again"}
    async with serve(lambda _: deletes("a"), Shop().delete()) as served:
        client, over = served.client(), {spelling: "supersede"}
        await asked(served)
        refused = await ask(client, "again", messages=[user("again", "u2")])
        posts = [
            ("/api/chat", {"id": "chat-1", "messages": [user("again", "u3")], **over}),
            ("/api/qa/chat_streamed/chat-1", {"messages": [text], **over}),
            ("/api/conversations/chat-1/messages", {"text": "again", **over}),
        ]
        replies = [await client.post(url, json=body) for url, body in posts]

    detail = refused.json()["detail"]
    assert refused.status_code == 409
    assert "delete ('call_" in detail
    assert "on_pending='supersede'" in detail
    assert [reply.is_success for reply in replies] == [True] * 3, [r.text for r in replies]


async def test_nobody_gets_nothing(serve: Serve) -> None:
    async with serve(lambda _: "Hello.") as served:
        nobody = served.client(None)
        assert (await ask(nobody, "hi")).status_code == 401
        assert (await nobody.get("/api/chat/chat-1/stream")).status_code == 401


@pytest.mark.parametrize(
    "changes",
    [
        {"id": None},
        {"id": "x" * 129},
        {"id": "a b"},
        {"id": "a/b"},
        {"id": "."},
        {"id": ".."},
        {"id": ""},
        {"messages": []},
        {"messages": [{"role": "user", "parts": []}]},
        {"messages": [{"id": "u", "role": "user", "parts": [{"type": "reasoning", "text": "x"}]}]},
        {"trigger": "resume"},
        {"onPending": "drop"},
    ],
)
async def test_a_malformed_post_is_refused_before_any_stream(serve: Serve, changes: Chunk) -> None:
    async with serve(["Hello."]) as served:
        answered = await ask(served.client(), "hi", **changes)

    assert answered.status_code == 422, answered.text
    assert answered.headers["content-type"] == "application/problem+json"


async def test_a_comment_keeps_an_idle_stream_alive(serve: Serve) -> None:
    go = asyncio.Event()

    @tool
    async def slow() -> str:
        await go.wait()
        return "done"

    quick = Settings(keep_alive=timedelta(milliseconds=50))
    async with serve([says("", calls("slow")), "ok"], slow, settings=quick) as served:
        post = {"id": "chat-1", "messages": [user("go")]}
        async with served.client().stream("POST", "/api/chat", json=post) as stream:
            seen = ""
            async for piece in stream.aiter_text():
                seen += piece
                if ": keep-alive\n\n" in seen:
                    go.set()

    assert said(seen) == "ok"


# requirement: W17
async def test_a_revoked_key_ends_the_stream_and_nothing_else(serve: Serve) -> None:
    go = asyncio.Event()

    @tool
    async def slow() -> str:
        await go.wait()
        return "done"

    root = Person("root", roles=frozenset({"admin"}))
    post = {"id": "chat-1", "messages": [user("go")]}
    async with serve([says("", calls("slow")), "ok"], slow) as served:
        async with served.client().stream("POST", "/api/chat", json=post) as stream:
            [key] = await served.assent.people.keys("user", by=root)
            await served.assent.people.revoke_key(key.id, by=root)
            async with asyncio.timeout(20):
                text = "".join([piece async for piece in stream.aiter_text()])
        go.set()
        thread = await served.assent.conversation("chat-1")
        turn = await served.assent.wait(thread.messages[0].turn_id)

    assert one(text, "error")["errorText"] == "You are no longer signed in."
    assert turn.text == "ok"


# requirement: V6
async def test_a_long_history_is_taken_and_an_endless_one_is_not(serve: Serve) -> None:
    old = {"id": "a0", "role": "assistant", "parts": [{"type": "text", "text": "x" * 1_500_000}]}
    async with serve(["Hello."]) as served:
        client = served.client()
        taken = await ask(client, "hi", messages=[old, user("hi")])
        refused = await ask(client, "hi", messages=[*[old] * 6, user("hi", "u2")])
        thread = await served.assent.conversation("chat-1")

    assert said(taken.text) == "Hello."
    assert refused.status_code == 413
    assert len(thread.messages) == 2


async def test_what_nobody_reads_of_a_history_may_be_anything(serve: Serve) -> None:
    # A large whole number, as JavaScript writes back what a tool once returned.
    output = {"n": 12345678901234567000, "text": "\ud83d"}
    part = {"type": "tool-x", "toolCallId": "c", "state": "output-available", "output": output}
    old = {"id": "a0", "role": "assistant", "parts": [part], "content": 7}
    post = json.dumps({"id": "chat-1", "messages": [old, {}, user("hi \ud83d")]})
    async with serve(["Hello."]) as served:
        answered = await served.client().post("/api/chat", content=post)

    assert said(answered.text) == "Hello."


async def test_the_first_message_sent_twice_at_once_is_one_turn(serve: Serve) -> None:
    async with serve(["Hello.", "Never."]) as served:
        clients = [served.client() for _ in range(6)]
        replies = await asyncio.gather(*(ask(client, "hi") for client in clients))
        thread = await served.assent.conversation("chat-1")

    assert [said(reply.text) for reply in replies] == ["Hello."] * 6
    assert len(thread.messages) == 2


async def test_a_client_may_post_its_newest_message_alone(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        client = served.client()
        first = await client.post("/api/chat", json={"id": "chat-1", "message": user("go")})
        id = one(first.text, "tool-approval-request")["approvalId"]
        yes = {"id": "chat-1", "message": responded({"id": id, "approved": True})}
        answered = await client.post("/api/chat", json=yes)

    assert said(answered.text) == "Done."
    assert shop.ran == ["delete a"]
