import json

import httpx2
import pytest

from assent.domain.canonical import Json
from tests.providers import FakeProvider, Reply, SeenRequest, ToolUse

CHAT, RESPONSES, ANTHROPIC = "/v1/chat/completions", "/v1/responses", "/v1/messages"
GOOGLE = "/v1beta/models/gemini:generateContent"
USER: Json = {"role": "user", "content": "hi"}


async def post(provider: FakeProvider, path: str, body: dict[str, Json]) -> httpx2.Response:
    async with httpx2.AsyncClient(base_url=provider.url) as client:
        return await client.post(path, json=body)


def chat(*messages: Json) -> dict[str, Json]:
    return {"model": "m", "messages": [USER, *messages]}


def chat_call(*ids: str) -> Json:
    function: Json = {"name": "search", "arguments": "{}"}
    calls: list[Json] = [{"id": id, "type": "function", "function": function} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def chat_result(id: str) -> Json:
    return {"role": "tool", "tool_call_id": id, "content": "ok"}


def items(*items: Json) -> dict[str, Json]:
    return {"model": "m", "input": [USER, *items]}


def item_call(id: str) -> Json:
    return {"type": "function_call", "call_id": id, "name": "search", "arguments": "{}"}


def item_result(id: str) -> Json:
    return {"type": "function_call_output", "call_id": id, "output": "ok"}


def messages(*messages: Json) -> dict[str, Json]:
    return {"model": "m", "max_tokens": 9, "messages": [USER, *messages]}


def use(*ids: str, written: Json = None) -> Json:
    parsed: Json = {} if written is None else written
    blocks: list[Json] = [
        {"type": "tool_use", "id": id, "name": "s", "input": parsed} for id in ids
    ]
    return {"role": "assistant", "content": blocks}


def results(*ids: str) -> Json:
    blocks: list[Json] = [{"type": "tool_result", "tool_use_id": id} for id in ids]
    return {"role": "user", "content": blocks}


def contents(*contents: Json) -> dict[str, Json]:
    return {"contents": [{"role": "user", "parts": [{"text": "hi"}]}, *contents]}


def function(kind: str, *ids: str) -> Json:
    parts: list[Json] = [{kind: {"id": id, "name": "search"}} for id in ids]
    return {"role": "model", "parts": parts}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, chat()),
        (CHAT, chat(chat_call("a", "b"), chat_result("b"), chat_result("a"), USER)),
        (RESPONSES, items(item_call("a"), item_result("a"), USER)),
        (ANTHROPIC, messages(use("a", "b"), results("a", "b"), use("c"), results("c"))),
        (GOOGLE, contents(function("functionCall", "a"), function("functionResponse", "a"))),
    ],
)
async def test_a_valid_history_is_answered(
    path: str, body: dict[str, Json], provider: FakeProvider
) -> None:
    provider.script(Reply(text="fine"))
    response = await post(provider, path, body)
    assert response.status_code == 200
    assert "fine" in response.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (CHAT, chat(chat_call("a"))),
        (CHAT, chat(chat_call("a", "b"), chat_result("a"), USER, chat_result("b"))),
        (CHAT, chat(chat_result("a"))),
        (CHAT, chat(chat_call("a"), chat_result("a"), chat_result("a"))),
        (CHAT, chat(chat_call("a", "a"), chat_result("a"), chat_result("a"))),
        (CHAT, chat({"role": "assistant", "content": ""})),
        (RESPONSES, items(item_call("a"))),
        (RESPONSES, items(item_result("a"))),
        (RESPONSES, items(item_call("a"), item_call("a"), item_result("a"))),
        (RESPONSES, items(item_call("a"), item_result("a"), item_result("a"))),
        (ANTHROPIC, messages(use("a"))),
        (ANTHROPIC, messages(use("a"), USER, results("a"))),
        (ANTHROPIC, messages(results("a"))),
        (ANTHROPIC, messages(use("a", "b"), results("a"))),
        (ANTHROPIC, messages(use("a"), results("a", "a"))),
        (ANTHROPIC, messages(use("a"), results("a"), use("a"), results("a"))),
        (ANTHROPIC, messages(use("a", written="text"), results("a"))),
        (ANTHROPIC, messages({"role": "assistant", "content": []})),
        (ANTHROPIC, messages({"role": "user", "content": [{"type": "text", "text": ""}]})),
        (ANTHROPIC, {"model": "m", "messages": [USER]}),
        (ANTHROPIC, {"model": "m", "max_tokens": 9, "messages": [use("a"), results("a")]}),
        (GOOGLE, contents(function("functionCall", "a"))),
        (GOOGLE, contents(function("functionResponse", "a"))),
    ],
)
async def test_a_history_that_a_provider_would_refuse_is_refused(
    path: str, body: dict[str, Json], provider: FakeProvider
) -> None:
    provider.script(Reply(text="never sent"))
    response = await post(provider, path, body)
    assert response.status_code == 400
    assert "error" in response.json()


async def test_requests_are_recorded_with_headers_body_and_ids(provider: FakeProvider) -> None:
    provider.script(Reply(text="fine"))
    await post(provider, CHAT, chat(chat_call("a"), chat_result("a")))
    (seen,) = provider.requests
    assert (seen.dialect, seen.streamed) == ("openai-chat", False)
    assert seen.headers["content-type"] == "application/json"
    assert (seen.call_ids, seen.result_ids) == (("a",), ("a",))


async def test_answers_come_in_the_order_of_the_script(provider: FakeProvider) -> None:
    provider.script(Reply(text="one"), Reply(text="two"))
    answers = [await post(provider, CHAT, chat()) for _ in range(2)]
    assert ["one" in answers[0].text, "two" in answers[1].text] == [True, True]


async def test_a_callable_decides_when_it_sees_the_request(provider: FakeProvider) -> None:
    def echo(seen: SeenRequest) -> Reply:
        return Reply(calls=(ToolUse(tool="echo", arguments=json.dumps(seen.body)),))

    provider.script(echo)
    response = await post(provider, CHAT, chat())
    assert "echo" in response.text


async def test_a_request_beyond_the_script_is_refused_with_a_reason(
    provider: FakeProvider,
) -> None:
    response = await post(provider, CHAT, chat())
    assert response.status_code == 400
    assert "nothing is scripted" in response.text


async def test_an_unknown_path_is_not_found(provider: FakeProvider) -> None:
    assert (await post(provider, "/v2/what", {})).status_code == 404


def test_a_provider_that_was_not_entered_has_no_address() -> None:
    with pytest.raises(RuntimeError, match="async with"):
        _ = FakeProvider().url
