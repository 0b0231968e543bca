"""OpenAI's chat completions, which OpenRouter, Ollama and most local servers speak too."""

import json
from collections.abc import Iterator

from tests.providers.dialect import Dialect, Ids, Object, objects, repeated, sse, text
from tests.providers.script import Reply, ToolUse


def _ids(body: Object) -> Ids:
    messages = objects(body.get("messages"))
    calls = (
        text(call, "id") for message in messages for call in objects(message.get("tool_calls"))
    )
    results = (text(m, "tool_call_id") for m in messages if m.get("role") == "tool")
    return tuple(calls), tuple(results)


def _problem(body: Object) -> str | None:
    open_ids: list[str] = []
    for message in objects(body.get("messages")):
        problem = _message_problem(message, open_ids)
        if problem:
            return problem
    return _unanswered(open_ids)


def _message_problem(message: Object, open_ids: list[str]) -> str | None:
    role = message.get("role")
    if role == "tool":
        return _result_problem(text(message, "tool_call_id"), open_ids)
    if open_ids:
        return _unanswered(open_ids)
    if role == "assistant":
        return _assistant_problem(message, open_ids)
    return None


def _result_problem(id: str, open_ids: list[str]) -> str | None:
    if id not in open_ids:
        return f"messages with role 'tool' must answer a preceding tool call: {id}"
    open_ids.remove(id)
    return None


def _assistant_problem(message: Object, open_ids: list[str]) -> str | None:
    open_ids.extend(text(call, "id") for call in objects(message.get("tool_calls")))
    if twice := repeated(open_ids):
        return f"duplicate tool_call_id: {twice[0]}"
    if not open_ids and not message.get("content"):
        return "an assistant message needs content or tool_calls"
    return None


def _unanswered(open_ids: list[str]) -> str | None:
    if not open_ids:
        return None
    return f"tool_call_ids did not have response messages: {', '.join(open_ids)}"


def _finish(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _usage(reply: Reply) -> Object:
    total = reply.input_tokens + reply.output_tokens
    return {
        "prompt_tokens": reply.input_tokens,
        "completion_tokens": reply.output_tokens,
        "total_tokens": total,
    }


def _call(call: ToolUse, arguments: str) -> Object:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.tool, "arguments": arguments},
    }


def _whole(reply: Reply, model: str) -> Object:
    message: Object = {"role": "assistant", "content": reply.text or None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = [_call(call, call.arguments) for call in reply.calls]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": model,
        "provider": "fake",  # only OpenRouter says who answered, and its client insists
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(reply)}],
        "usage": _usage(reply),
    }


def _events(reply: Reply, model: str) -> list[bytes]:
    chunks = [_chunk(model, delta) for delta in _deltas(reply)]
    chunks.append(_chunk(model, {}, finish=_finish(reply)))
    usage: Object = {**_chunk(model, {}), "choices": [], "usage": _usage(reply)}
    return [*map(sse, [*chunks, usage]), b"data: [DONE]\n\n"]


def _deltas(reply: Reply) -> Iterator[Object]:
    yield {"role": "assistant", "content": ""}
    for piece in reply.pieces(reply.reasoning):
        yield {"reasoning_content": piece}
    for piece in reply.pieces(reply.text):
        yield {"content": piece}
    for index, call in enumerate(reply.calls):
        yield {"tool_calls": [{"index": index, **_call(call, "")}]}
        for piece in reply.pieces(call.arguments):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _chunk(model: str, delta: Object, finish: str | None = None) -> Object:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": model,
        "provider": "fake",  # only OpenRouter says who answered, and its client insists
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }


def error(status: int, message: str, code: str | None) -> Object:
    """OpenAI's error body; the Responses API has the same."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _stream_error(message: str) -> bytes:
    return f"data: {json.dumps(error(500, message, 'server_error'))}\n\n".encode()


OPENAI_CHAT = Dialect(
    name="openai-chat",
    ids=_ids,
    problem=_problem,
    whole=_whole,
    events=_events,
    error=error,
    stream_error=_stream_error,
)
