"""The real `ai` packages 4 to 7, unmodified, against the running server."""

from datetime import timedelta
from typing import Any

import pytest

from assent import (
    Audience,
    Confirmation,
    Effect,
    Field,
    Rule,
    Step,
    UserInput,
    manual,
    reject,
    tool,
)
from assent.errors import ModelFailed
from assent.server import Settings
from assent.server.settings import AiSdk
from assent.testing import ScriptedModel, calls, says
from tests.npm.clients import client, outcome
from tests.server.conftest import Serve, Served
from tests.server.streams.lines import Shop

# What a client makes of a stream does not depend on the database.
pytestmark = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
# The client's major, and the one that the server was told.
MAJORS = pytest.mark.parametrize(("major", "told"), [("6", "6"), ("7", "7")])
# What 6 is told, 7 reads too.
ALSO_TOLD_SIX = pytest.mark.parametrize(("major", "told"), [("6", "6"), ("7", "7"), ("7", "6")])
STORY = " ".join(f"word{n}" for n in range(60))


def deletes(*targets: str) -> Any:
    return says("I will.", *(calls("delete", target=target) for target in targets))


async def chat(served: Served, major: str, scenario: str) -> dict[str, Any]:
    return await outcome("chat.mjs", major, scenario, served.base, served.keys["user"])


def tool_parts(seen: dict[str, Any]) -> list[dict[str, Any]]:
    parts = [part for message in seen["messages"] for part in message["parts"]]
    return [part for part in parts if part["type"].startswith("tool-")]


def words(message: dict[str, Any]) -> str:
    return "".join(part.get("text", "") for part in message["parts"] if part["type"] == "text")


@ALSO_TOLD_SIX
async def test_an_approved_call_runs_once(serve: Serve, major: str, told: AiSdk) -> None:
    shop = Shop()
    script = [deletes("a"), "It is gone."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "approve")

    [part] = tool_parts(seen)
    assert (part["state"], part["output"]) == ("output-available", "deleted a")
    assert part["approval"]["approved"] is True
    assert [message["role"] for message in seen["messages"]] == ["user", "assistant"]
    assert words(seen["messages"][1]) == "I will.It is gone."
    assert (seen["status"], seen["errors"], seen["statuses"]) == ("ready", [], [200, 200])
    assert shop.ran == ["delete a"]


@ALSO_TOLD_SIX
async def test_a_denied_call_does_not_run(serve: Serve, major: str, told: AiSdk) -> None:
    shop, model = Shop(), ScriptedModel([deletes("a"), "Fine."])
    async with serve(model, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "deny")

    [part] = tool_parts(seen)
    assert part["state"] == "output-denied"
    assert (part["approval"]["approved"], part["approval"]["reason"]) == (False, "not that one")
    heard: Any = model.prompts[-1].history[-1]
    assert "not that one" in heard.outputs[0].content
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])
    assert shop.ran == []


@MAJORS
async def test_two_calls_are_decided_differently(serve: Serve, major: str, told: AiSdk) -> None:
    shop = Shop()
    script = [deletes("a", "b"), "Done."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "both")

    states = {part["input"]["target"]: part["state"] for part in tool_parts(seen)}
    assert states == {"a": "output-available", "b": "output-denied"}
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])
    assert shop.ran == ["delete a"]


@MAJORS
async def test_tampered_input_is_ignored(serve: Serve, major: str, told: AiSdk) -> None:
    shop = Shop()
    script = [deletes("a"), "Done."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        await chat(served, major, "tamper")

    assert shop.ran == ["delete a"]


@MAJORS
async def test_a_replayed_approval_runs_nothing_twice(
    serve: Serve, major: str, told: AiSdk
) -> None:
    shop = Shop()
    script = [deletes("a"), "It is gone."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "replay")

    for messages in (seen["messages"], seen["other"]):
        [part] = tool_parts({"messages": messages})
        assert (part["state"], part["output"]) == ("output-available", "deleted a")
        assert words(messages[-1]) == "I will.It is gone."
    assert '"output":"deleted a"' in seen["bytes"]
    assert seen["statuses"] == [200, 200, 200]
    assert shop.ran == ["delete a"]


@MAJORS
async def test_an_answer_that_comes_too_late_shows_what_happened(
    serve: Serve, major: str, told: AiSdk
) -> None:
    shop = Shop()
    script = [deletes("a"), "Fine."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        arguments = (major, "late", served.base, served.keys["user"])
        async with client("chat.mjs", *arguments) as running:
            [request_id] = (await running.report())["waiting"]
            owner = (await served.assent.conversation("chat-1")).conversation.owner
            await served.assent.decide(request_id, reject("too risky"), by=owner)
            await running.sign()
            seen = await running.report()

    [part] = tool_parts(seen)
    assert part["state"] == "output-denied"
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])
    assert shop.ran == []


# conformance: 129
@ALSO_TOLD_SIX
async def test_a_client_that_lost_its_stream_finds_it_again(
    serve: Serve, major: str, told: AiSdk
) -> None:
    model = ScriptedModel([STORY], word_delay=timedelta(milliseconds=20))
    async with serve(model, settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "disconnect")

    assert 0 < len(seen["seen"]) < len(STORY)
    assert [message["role"] for message in seen["messages"]] == ["user", "assistant"]
    assert words(seen["messages"][1]) == STORY
    assert len(model.prompts) == 1


@MAJORS
async def test_a_reloaded_page_finds_its_question(serve: Serve, major: str, told: AiSdk) -> None:
    shop = Shop()
    script = [deletes("a"), "It is gone."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "reload")

    [part] = tool_parts(seen)
    assert (part["state"], part["output"]) == ("output-available", "deleted a")
    assert words(seen["messages"][-1]) == "I will.It is gone."
    assert seen["statuses"] == [200, 200, 200, 204]
    assert shop.ran == ["delete a"]


@MAJORS
async def test_a_client_tool_supplies_its_output(serve: Serve, major: str, told: AiSdk) -> None:
    pick = manual("pick", description="Pick a file.")
    script = [says("", calls("pick")), "You picked a."]
    async with serve(script, pick, settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "client_tool")

    [part] = tool_parts(seen)
    assert (part["state"], part["output"]) == ("output-available", {"file": "a"})
    assert words(seen["messages"][-1]) == "You picked a."
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])


@MAJORS
async def test_an_edit_is_shown_with_what_came_of_it(serve: Serve, major: str, told: AiSdk) -> None:
    shop = Shop()
    script = [deletes("a"), "Done."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "edit")

    [part] = tool_parts(seen)
    assert (part["state"], part["input"]) == ("output-available", {"target": "b"})
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])
    assert shop.ran == ["delete b"]


@MAJORS
@pytest.mark.parametrize(
    "form",
    [
        UserInput("Which company?", [Field("company")]),
        # A client that knows no steps fills it in as one.
        UserInput("Which company?", steps=[Step("Company", [Field("company")])]),
    ],
    ids=["fields", "steps"],
)
async def test_a_form_is_filled_in(serve: Serve, major: str, told: AiSdk, form: UserInput) -> None:
    @tool(user_input=form)
    async def report(company: str) -> str:
        return f"report of {company}"

    script = [says("", calls("report")), "Here it is."]
    async with serve(script, report, settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "form")

    [part] = tool_parts(seen)
    assert (part["input"], part["output"]) == ({"company": "ACME"}, "report of ACME")
    [question] = [p for p in seen["messages"][-1]["parts"] if p["type"] == "data-request"]
    assert question["data"]["status"] == "answered"
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])


# conformance: 90
@MAJORS
async def test_a_message_while_a_call_waits_is_refused(
    serve: Serve, major: str, told: AiSdk
) -> None:
    async with serve([deletes("a")], Shop().delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "interrupt")
        [waiting] = (await served.assent.conversation("chat-1")).pending

    assert seen["status"] == "error"
    assert seen["statuses"] == [200, 409]
    assert waiting.call_id in seen["errors"][0]


async def test_five_asks_by_a_data_part(serve: Serve) -> None:
    shop = Shop()
    script = [deletes("a"), "It is gone."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk="5")) as served:
        seen = await chat(served, "5", "data_parts")

    [part] = tool_parts(seen)
    assert (part["state"], part["output"]) == ("output-available", "deleted a")
    assert seen["asked"]["status"] == "open"
    [shown] = [p for p in seen["messages"][-1]["parts"] if p["type"] == "data-approval"]
    assert shown["data"]["status"] == "approved"
    assert words(seen["messages"][-1]) == "I will.It is gone."
    assert (seen["status"], seen["errors"]) == ("ready", [])
    assert shop.ran == ["delete a"]


async def test_five_reads_an_answer_with_calls_that_need_nobody(serve: Serve) -> None:
    shop = Shop()
    script = [says("", calls("look", at="b")), "I saw b."]
    async with serve(script, shop.look, settings=Settings(ai_sdk="5")) as served:
        seen = await chat(served, "5", "say")

    assert [part["output"] for part in tool_parts(seen)] == ["saw b"]
    assert (words(seen["messages"][-1]), seen["status"]) == ("I saw b.", "ready")


async def four(served: Served, scenario: str) -> dict[str, Any]:
    return await outcome("useChat.mjs", scenario, served.base, served.keys["user"])


# conformance: 118, 119
async def test_four_approves_by_its_annotation_and_goes_on_by_itself(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "It is gone."], shop.delete()) as served:
        seen = await four(served, "approve")

    # Steps are left, yet nothing was sent again while the call waited.
    assert seen["posts"] == 1
    assert [call["args"] for call in seen["shown"]] == [{"target": "a"}]
    assert seen["results"] == ["deleted a"]
    assert [message["role"] for message in seen["messages"]] == ["user", "assistant"]
    assert seen["messages"][-1]["content"].endswith("It is gone.")
    [call] = seen["messages"][-1]["toolInvocations"]
    assert (call["state"], call["result"]) == ("result", "deleted a")
    assert (seen["status"], seen["errors"], seen["statuses"]) == ("ready", [], [200, 200])
    assert shop.ran == ["delete a"]


async def test_four_decides_two_calls_differently(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a", "b"), "Done."], shop.delete()) as served:
        seen = await four(served, "both")

    assert seen["results"][0] == "deleted a"
    assert "denied" in seen["results"][1]
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])
    assert shop.ran == ["delete a"]


async def test_four_edits_what_runs(serve: Serve) -> None:
    shop = Shop()
    async with serve([deletes("a"), "Done."], shop.delete()) as served:
        seen = await four(served, "edit")

    assert seen["results"] == ["deleted b"]
    assert shop.ran == ["delete b"]


# conformance: 129
async def test_four_finds_its_stream_again(serve: Serve) -> None:
    model = ScriptedModel([STORY], word_delay=timedelta(milliseconds=20))
    async with serve(model) as served:
        seen = await four(served, "disconnect")

    assert 0 < len(seen["seen"]) < len(STORY)
    assert seen["messages"][-1]["content"] == STORY
    assert (seen["status"], seen["errors"], len(model.prompts)) == ("ready", [], 1)


def paying(shop: Shop) -> Any:
    """A call that is somebody else's to decide."""

    @tool(requires_approval=True, approvers=("approver",))
    async def pay() -> str:
        shop.ran.append("pay")
        return "paid"

    return pay


@MAJORS
async def test_answers_are_sent_although_another_call_is_somebody_elses(
    serve: Serve, major: str, told: AiSdk
) -> None:
    shop = Shop()
    both = says("", calls("delete", target="a"), calls("pay"))
    async with serve([both], shop.delete(), paying(shop), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "mixed")

    [other] = seen["open"]
    assert (other["kind"], other["mine"]) == ("approval", False)
    assert shop.ran == ["delete a"]
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])


@MAJORS
async def test_answers_are_sent_although_another_call_needs_a_form(
    serve: Serve, major: str, told: AiSdk
) -> None:
    @tool(user_input=UserInput("Which company?", [Field("company")]))
    async def report(company: str) -> str:
        return company

    shop = Shop()
    both = says("", calls("report"), calls("delete", target="a"))
    async with serve([both], shop.delete(), report, settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "mixed")

    assert [each["kind"] for each in seen["open"]] == ["input"]
    assert shop.ran == ["delete a"]
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])


@MAJORS
async def test_a_client_recovers_from_a_message_that_was_refused(
    serve: Serve, major: str, told: AiSdk
) -> None:
    shop = Shop()
    script = [deletes("a"), "It is gone."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "recover")

    assert seen["refused"] == "error"
    assert words(seen["messages"][-1]) == "I will.It is gone."
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 409, 200])
    assert shop.ran == ["delete a"]


@MAJORS
async def test_a_client_insists_on_a_message_that_was_refused(
    serve: Serve, major: str, told: AiSdk
) -> None:
    shop = Shop()
    script = [deletes("a"), "Something else, then."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "insist")

    assert words(seen["messages"][-1]) == "Something else, then."
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 409, 200])
    assert shop.ran == []


@MAJORS
async def test_one_vote_of_several_is_not_sent_again_and_again(
    serve: Serve, major: str, told: AiSdk
) -> None:
    shop = Shop()
    approvers = Audience.of("requester")
    rule = Rule(name="two", effect=Effect.ASK, tools=("delete",), audience=approvers, quorum=2)
    settings = Settings(ai_sdk=told)
    async with serve([deletes("a")], shop.delete(), rules=[rule], settings=settings) as served:
        seen = await chat(served, major, "vote")
        [request] = await served.assent.pending()

    assert (seen["status"], seen["statuses"]) == ("ready", [200, 200])
    assert request.votes == 1
    [shown] = [p for p in seen["messages"][-1]["parts"] if p["type"] == "data-request"]
    assert (shown["data"]["votes"], shown["data"]["quorum"]) == (1, 2)
    assert (shown["data"]["mine"], shown["data"]["status"]) == (False, "open")
    assert shop.ran == []


@MAJORS
async def test_what_has_to_be_typed_goes_along_with_the_answer(
    serve: Serve, major: str, told: AiSdk
) -> None:
    shop = Shop()
    erase = shop.delete(confirmation=Confirmation.TYPED)
    async with serve([deletes("a"), "Gone."], erase, settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "typed")

    assert seen["descriptor"]["confirmation"] == "typed"
    assert seen["refusal"]["code"] == "confirmation_required"
    assert (seen["status"], seen["statuses"]) == ("ready", [200, 422, 200])
    assert shop.ran == ["delete a"]


@MAJORS
async def test_a_reloaded_page_gets_back_what_was_said_and_its_question(
    serve: Serve, major: str, told: AiSdk
) -> None:
    shop = Shop()
    script = ["Hi.", deletes("a"), "It is gone."]
    async with serve(script, shop.delete(), settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "comeback")

    said = ["hello", "Hi.", "go", "I will.It is gone."]
    assert [words(message) for message in seen["messages"]] == said
    assert [words(message) for message in seen["settled"]][:3] == said[:3]
    assert shop.ran == ["delete a"]


@MAJORS
async def test_a_new_chat_can_be_resumed(serve: Serve, major: str, told: AiSdk) -> None:
    async with serve(["Hello."], settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "fresh")

    assert (words(seen["messages"][-1]), seen["errors"]) == ("Hello.", [])
    assert seen["statuses"] == [204, 200]


@MAJORS
async def test_a_turn_is_stopped_on_the_server(serve: Serve, major: str, told: AiSdk) -> None:
    model = ScriptedModel([STORY], word_delay=timedelta(milliseconds=20))
    async with serve(model, settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "stop")

    assert 0 < len(words(seen["messages"][-1])) < len(STORY)
    assert (seen["status"], seen["errors"]) == ("ready", [])


@MAJORS
async def test_a_turn_that_failed_is_tried_again(serve: Serve, major: str, told: AiSdk) -> None:
    script = [ModelFailed("overloaded"), "Here I am."]
    async with serve(script, settings=Settings(ai_sdk=told)) as served:
        seen = await chat(served, major, "regenerate")

    assert seen["failed"] == "error"
    assert (words(seen["messages"][-1]), seen["status"]) == ("Here I am.", "ready")
