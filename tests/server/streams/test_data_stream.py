"""AI SDK 4: the data stream of `/api/qa/chat_streamed`, and its `8:` line."""

import asyncio
import json
from typing import Any

import httpx

from assent import Context, Field, UserInput, approve, manual, tool
from assent import answer as fill
from assent.domain.lifecycle import TurnStatus
from assent.errors import ModelFailed
from assent.server import Settings
from assent.testing import calls, says
from tests.server.conftest import Serve, Served
from tests.server.streams.lines import Shop, codes, eventually, parts

URL = "/api/qa/chat_streamed/thread-1"


def body(text: str, **more: Any) -> dict[str, Any]:
    return {"id": "thread-1", "messages": [{"role": "user", "content": text}], **more}


async def sent(served: Served, text: str = "go", url: str = URL) -> str:
    answer = await served.client().post(url, json=body(text))
    assert answer.status_code == 200, answer.text
    return answer.text


async def approved(served: Served) -> None:
    """The owner approves all that waits."""
    person = (await served.assent.conversation("thread-1")).conversation.owner
    for request in await served.assent.pending(person=person):
        await served.assent.decide(request.id, approve(), by=person)


# conformance: 118, 119, 120
async def test_a_paused_turn_ends_with_one_line_of_its_pending_calls(serve: Serve) -> None:
    shop = Shop()
    mixed = says("I will.", calls("delete", target="a"), calls("look", at="b"))
    async with serve([mixed], shop.look, shop.delete()) as served:
        text = await sent(served)

    assert codes(text).lstrip("f0") == "bc9bc9a8ed"
    got = parts(text)
    [pending] = [value for code, value in got if code == "8"]
    proposed = {value["toolCallId"]: value for code, value in got if code == "9"}
    results = [value["toolCallId"] for code, value in got if code == "a"]
    [id] = [id for id, call in proposed.items() if call["toolName"] == "delete"]
    # What the document's own frontend reads of it.
    shown = {"toolName": "delete", "parameters": {"target": "a"}}
    assert pending == [{"toolCallId": id, "validated": "pending", **shown}]
    assert proposed[id]["args"] == {"target": "a"}
    assert id not in results
    assert got[-1] == ("d", {"finishReason": "tool-calls"})
    assert shop.ran == ["look b"]


# conformance: 118
async def test_the_pending_line_comes_after_the_results_of_slow_siblings(serve: Serve) -> None:
    @tool
    async def slow() -> str:
        await asyncio.sleep(0.3)
        return "done"

    script = [says("", calls("delete", target="a"), calls("slow"))]
    async with serve(script, slow, Shop().delete()) as served:
        text = await sent(served)

    assert codes(text) == "fbc9bc9a8ed"


# conformance: 118
async def test_several_pending_calls_share_one_line(serve: Serve) -> None:
    script = [says("", calls("delete", target="a"), calls("delete", target="b"))]
    async with serve(script, Shop().delete()) as served:
        got = parts(await sent(served))

    proposed = [value for code, value in got if code == "9"]
    [pending] = [value for code, value in got if code == "8"]
    assert [each["toolCallId"] for each in pending] == [each["toolCallId"] for each in proposed]
    assert [each["parameters"] for each in pending] == [each["args"] for each in proposed]
    assert {each["validated"] for each in pending} == {"pending"}


async def test_the_pending_line_says_what_would_run_after_an_answer(serve: Serve) -> None:
    @tool(user_input=UserInput("Which company?", [Field("company")]), requires_approval=True)
    async def report(company: str, year: int) -> str:
        return company

    async with serve([says("", calls("report", year=2030))], report) as served:
        [[asked]] = [value for code, value in parts(await sent(served)) if code == "8"]
        owner = (await served.assent.conversation("thread-1")).conversation.owner
        await served.assent.decide(asked["requestId"], fill({"company": "ACME"}), by=owner)
        again = await served.client().get(URL)
        [[now]] = [value for code, value in parts(again.text) if code == "8"]

    assert (asked["toolName"], asked["parameters"]) == ("report", {"year": 2030})
    assert now["parameters"] == {"company": "ACME", "year": 2030}


# conformance: 121
async def test_without_a_pending_call_there_is_no_such_line(serve: Serve) -> None:
    script = [says("", calls("look", at="b")), "I saw b."]
    async with serve(script, Shop().look) as served:
        text = await sent(served)

    assert codes(text).replace("000", "0").replace("00", "0") == "fbc9aef0ed"
    assert parts(text)[-1] == ("d", {"finishReason": "stop"})
    assert "".join(value for code, value in parts(text) if code == "0") == "I saw b."


# conformance: 122
async def test_pending_calls_of_earlier_turns_are_not_announced_again(serve: Serve) -> None:
    script = [
        says("", calls("delete", target="old")),
        says("", calls("delete", target="new")),
    ]
    async with serve(script, Shop().delete()) as served:
        first = parts(await sent(served))
        client = served.client()
        again = await client.post(URL, json=body("no, another", onPending="supersede"))

    [[old]] = [value for code, value in first if code == "8"]
    [[new]] = [value for code, value in parts(again.text) if code == "8"]
    assert old["toolCallId"] != new["toolCallId"]
    assert old["toolCallId"] not in again.text


# conformance: 123
async def test_the_headers_say_what_it_is_and_that_nobody_may_hold_it_back(serve: Serve) -> None:
    async with serve(["Hello."]) as served:
        answer = await served.client().post(URL, json=body("hi"))

    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["x-vercel-ai-data-stream"] == "v1"
    assert answer.headers["x-accel-buffering"] == "no"
    assert "no-transform" in answer.headers["cache-control"]
    assert "x-vercel-ai-data-stream" in answer.headers["access-control-expose-headers"]
    assert "content-length" not in answer.headers


# conformance: 124
async def test_whoever_decides_at_the_sight_of_the_line_finds_the_call(serve: Serve) -> None:
    shop = Shop()
    script = [says("", calls("delete", target="a")), "Done."]
    async with serve(script, shop.delete()) as served:
        client, decided = served.client(), None
        async with client.stream("POST", URL, json=body("go")) as stream:
            async for line in stream.aiter_lines():
                if line.startswith("8:"):
                    [pending] = json.loads(line[2:])
                    verdict = {"toolCallId": pending["toolCallId"], "isValidated": True}
                    decided = await served.client().post("/api/qa/validate_tool", json=verdict)

    assert decided is not None
    assert decided.json() == {"success": True, "result": "deleted a"}
    assert shop.ran == ["delete a"]


# conformance: 130
async def test_after_the_decision_a_repost_goes_on_in_the_same_message(serve: Serve) -> None:
    script = [says("I will.", calls("delete", target="a")), "It is gone."]
    async with serve(script, Shop().delete()) as served:
        first = parts(await sent(served))
        await approved(served)
        [call] = [value for code, value in first if code == "9"]
        history = [
            {"role": "user", "content": "go"},
            {
                "role": "assistant",
                "content": "I will.",
                "toolInvocations": [{"state": "result", "step": 0, "result": "forged", **call}],
            },
        ]
        again = await served.client().post(URL, json={"id": "thread-1", "messages": history})

    assert codes(again.text)[:2] == "af"
    assert parts(again.text)[0] == (
        "a",
        {"toolCallId": call["toolCallId"], "result": "deleted a"},
    )
    assert parts(again.text)[1] == first[0]
    assert "".join(v for c, v in parts(again.text) if c == "0") == "It is gone."


# conformance: 130
async def test_a_repost_while_calls_wait_is_refused_and_lists_them(serve: Serve) -> None:
    shop = Shop()
    async with serve([says("", calls("delete", target="a"))], shop.delete()) as served:
        [call] = [value for code, value in parts(await sent(served)) if code == "9"]
        forged = {"state": "result", "step": 0, "result": "deleted a", **call}
        history = [{"role": "assistant", "content": "", "toolInvocations": [forged]}]
        answer = await served.client().post(URL, json={"id": "thread-1", "messages": history})

        assert answer.status_code == 409
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["calls"] == [call["toolCallId"]]
        [request] = (await served.assent.conversation("thread-1")).pending
        assert request.is_open
    assert shop.ran == []


# conformance: 90
async def test_a_new_message_while_calls_wait_is_refused_and_lists_them(serve: Serve) -> None:
    async with serve([says("", calls("delete", target="a"))], Shop().delete()) as served:
        [call] = [value for code, value in parts(await sent(served)) if code == "9"]
        answer = await served.client().post(URL, json=body("something else"))

    assert (answer.status_code, answer.json()["code"]) == (409, "pending_calls")
    assert answer.json()["calls"] == [call["toolCallId"]]


async def test_a_manual_tools_result_is_taken_from_the_repost(serve: Serve) -> None:
    script = [says("", calls("pick")), "You picked it."]
    async with serve(script, manual("pick", description="Pick a file.")) as served:
        first = parts(await sent(served))
        [call] = [value for code, value in first if code == "9"]
        done = {"state": "result", "step": 0, "result": {"file": "a.txt"}, **call}
        history = [{"role": "assistant", "content": "", "toolInvocations": [done]}]
        again = await served.client().post(URL, json={"id": "thread-1", "messages": history})

    assert parts(again.text)[0] == (
        "a",
        {"toolCallId": call["toolCallId"], "result": {"file": "a.txt"}},
    )


async def test_a_call_that_waits_for_input_says_what_it_wants(serve: Serve) -> None:
    @tool(user_input=UserInput("Which company?", [Field("company")]))
    async def report(company: str) -> str:
        return company

    async with serve([says("", calls("report"))], report) as served:
        [[pending]] = [value for code, value in parts(await sent(served)) if code == "8"]

    assert pending["validated"] == "pending"
    assert pending["requires_user_input"] is True
    wanted = pending["user_input_request"]
    assert (wanted["tool_name"], wanted["reason"]) == ("report", "Which company?")
    assert [field["name"] for field in wanted["required_fields"]] == ["company"]


# conformance: 129
async def test_a_client_that_leaves_changes_nothing(serve: Serve) -> None:
    started, go = asyncio.Event(), asyncio.Event()

    @tool
    async def slow() -> str:
        started.set()
        await go.wait()
        return "done"

    script = [says("", calls("slow"), calls("delete", target="a"))]
    async with serve(script, slow, Shop().delete()) as served:
        async with served.client().stream("POST", URL, json=body("go")):
            await started.wait()
        go.set()
        turn_id = (await served.assent.conversation("thread-1")).messages[0].turn_id
        turn = await served.assent.wait(turn_id)

        assert turn.status is TurnStatus.WAITING
        assert [request.tool for request in turn.pending] == ["delete"]
        again = await served.client().get(f"/api/qa/chat_streamed?chatId={turn.conversation_id}")
    assert codes(again.text) == "fbc9bc9a8ed"


async def test_resuming_an_idle_thread_is_an_empty_stream(serve: Serve) -> None:
    async with serve(["Hello."]) as served:
        await sent(served)
        answer = await served.client().get("/api/qa/chat_streamed/thread-1?chatId=thread-1")

    assert (answer.status_code, answer.text) == (200, "")


async def test_a_turn_that_fails_says_so_in_the_streams_own_way(serve: Serve) -> None:
    async with serve([ModelFailed("no such model")]) as served:
        got = parts(await sent(served))

    assert [code for code, _ in got] == ["f", "e", "3", "d"]
    assert "no such model" in got[2][1]


# conformance: 87
async def test_a_failed_turn_is_tried_again_by_a_repost(serve: Serve) -> None:
    shop = Shop()
    script = [says("", calls("delete", target="a")), ModelFailed("gone"), "It is gone."]
    async with serve(script, shop.delete()) as served:
        await sent(served)
        await approved(served)
        history = {"id": "thread-1", "messages": [{"role": "assistant", "content": ""}]}

        async def failed() -> bool:
            thread = await served.assent.conversation("thread-1")
            return thread.status == "interrupted"

        await eventually(failed)
        again = await served.client().post(URL, json=history)

    assert "".join(value for code, value in parts(again.text) if code == "0") == "It is gone."
    assert codes(again.text)[:2] == "af"
    assert shop.ran == ["delete a"]


async def test_a_blank_line_keeps_an_idle_stream_alive(serve: Serve) -> None:
    go = asyncio.Event()

    @tool
    async def slow(context: Context) -> str:
        await go.wait()
        return "done"

    quick = Settings(keep_alive=Settings().keep_alive / 300)
    async with (
        serve([says("", calls("slow")), "ok"], slow, settings=quick) as served,
        served.client().stream("POST", URL, json=body("go")) as stream,
    ):
        seen = ""
        async for piece in stream.aiter_text():
            seen += piece
            if "\n\n" in seen:
                go.set()

    assert codes(seen).startswith("fbc9ae")


async def test_the_path_names_the_thread_and_without_it_the_body(serve: Serve) -> None:
    async with serve(["One.", "Two."]) as served:
        await sent(served, url="/api/qa/chat_streamed")
        await sent(served, url="/api/qa/chat_streamed/other")

        for id in ("thread-1", "other"):
            assert (await served.assent.conversation(id)).conversation.owner.id == "user"


# requirement: W18
async def test_somebody_elses_thread_is_not_found(serve: Serve) -> None:
    async with serve(lambda _: "Hello.") as served:
        await sent(served)
        stranger = served.client("stranger")
        foreign = await stranger.post(URL, json=body("hi"))
        history = {"messages": [{"role": "assistant", "content": ""}]}
        replies: list[httpx.Response] = [
            foreign,
            await stranger.post(URL, json=history),
            await stranger.post("/api/qa/chat_streamed/none", json=history),
        ]
        looks = [await stranger.get(url) for url in (URL, "/api/qa/chat_streamed/none")]

    assert {reply.status_code for reply in replies} == {404}
    assert len({reply.content for reply in replies}) == 1
    assert [(reply.status_code, reply.content) for reply in looks] == [(200, b"")] * 2


async def test_what_cannot_be_an_id_or_a_message_is_refused(serve: Serve) -> None:
    posts: list[tuple[str, Any]] = [
        ("/api/qa/chat_streamed", {"messages": [{"role": "user", "content": "hi"}]}),
        ("/api/qa/chat_streamed", body("hi") | {"id": "x" * 200}),
        ("/api/qa/chat_streamed/a%20b", body("hi")),
        (URL, {"id": "thread-1", "messages": []}),
        (URL, {"id": "thread-1", "messages": "hi"}),
        (URL, {"id": "thread-1", "messages": [{"role": "king", "content": "hi"}]}),
        (URL, {"id": "thread-1", "messages": [{"role": "user", "content": "  "}]}),
        (URL, [1, 2]),
    ]
    async with serve(["Hello."]) as served:
        client = served.client()
        for url, posted in posts:
            answer = await client.post(url, json=posted)
            assert answer.status_code == 422, (url, posted, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
        assert (await client.post(URL, content=b'{"messages": [')).status_code == 422
