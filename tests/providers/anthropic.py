"""Anthropic's Messages API."""

import json
from collections.abc import Iterator

from assent.domain.canonical import Json
from tests.providers.dialect import Dialect, Ids, Object, objects, repeated, sse, text
from tests.providers.script import Reply, ToolUse

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _blocks(message: Object, kind: str) -> list[Object]:
    return [block for block in objects(message.get("content")) if block.get("type") == kind]


def _uses(message: Object) -> list[str]:
    return [text(block, "id") for block in _blocks(message, "tool_use")]


def _results(message: Object) -> list[str]:
    return [text(block, "tool_use_id") for block in _blocks(message, "tool_result")]


def _ids(body: Object) -> Ids:
    messages = objects(body.get("messages"))
    calls = (id for message in messages for id in _uses(message))
    return tuple(calls), tuple(id for message in messages for id in _results(message))


def _problem(body: Object) -> str | None:
    messages = objects(body.get("messages"))
    if "max_tokens" not in body:
        return "max_tokens: Field required"
    if not messages or messages[0].get("role") != "user":
        return "messages: first message must use the user role"
    if twice := repeated(_ids(body)[0]):
        return f"messages: `tool_use` ids must be unique: {twice[0]}"
    return _content_problem(messages) or _pairing_problem(messages)


def _content_problem(messages: list[Object]) -> str | None:
    for message in messages:
        if not message.get("content"):
            return "messages: all messages must have non-empty content"
        if any(not text(block, "text").strip() for block in _blocks(message, "text")):
            return "messages: text content blocks must be non-empty"
        if any(not isinstance(block.get("input"), dict) for block in _blocks(message, "tool_use")):
            return "messages: tool_use.input: Input should be a valid dictionary"
    return None


def _pairing_problem(messages: list[Object]) -> str | None:
    expected: list[str] = []
    for message in [*messages, Object()]:
        given = _results(message)
        if unknown := [id for id in given if id not in expected]:
            return f"unexpected `tool_use_id` found in `tool_result` blocks: {unknown[0]}"
        if missing := [id for id in expected if given.count(id) != 1]:
            return f"`tool_use` ids without `tool_result` blocks immediately after: {missing[0]}"
        expected = _uses(message)
    return None


def _finish(reply: Reply) -> str:
    return reply.finish or ("tool_use" if reply.calls else "end_turn")


def _whole(reply: Reply, model: str) -> Object:
    return {
        **_message(reply, model),
        "content": [*_content(reply)],
        "stop_reason": _finish(reply),
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": reply.output_tokens},
    }


def _message(reply: Reply, model: str) -> Object:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": reply.input_tokens, "output_tokens": 1},
    }


def _content(reply: Reply) -> Iterator[Object]:
    if reply.reasoning:
        yield {"type": "thinking", "thinking": reply.reasoning, "signature": reply.signature}
    if reply.text:
        yield {"type": "text", "text": reply.text}
    for call in reply.calls:
        yield {"type": "tool_use", "id": call.id, "name": call.tool, "input": _input(call)}


def _input(call: ToolUse) -> Json:
    """Not streamed, Anthropic parses the arguments itself; what it cannot read comes as {}."""
    try:
        value: Json = json.loads(call.arguments)
    except ValueError:
        return {}
    return value


def _events(reply: Reply, model: str) -> list[bytes]:
    return [sse(event, event=text(event, "type")) for event in _stream(reply, model)]


def _stream(reply: Reply, model: str) -> Iterator[Object]:
    yield {"type": "message_start", "message": _message(reply, model)}
    arguments = iter([call.arguments for call in reply.calls])
    for index, block in enumerate(_content(reply)):
        yield {"type": "content_block_start", "index": index, "content_block": _opened(block)}
        for delta in _deltas(reply, block, arguments):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    finish: Object = {"stop_reason": _finish(reply), "stop_sequence": None}
    usage: Object = {"output_tokens": reply.output_tokens}
    yield {"type": "message_delta", "delta": finish, "usage": usage}
    yield {"type": "message_stop"}


def _opened(block: Object) -> Object:
    empty: dict[str, Object] = {
        "thinking": {"thinking": "", "signature": ""},
        "text": {"text": ""},
        "tool_use": {"input": {}},
    }
    return {**block, **empty[text(block, "type")]}


def _deltas(reply: Reply, block: Object, arguments: Iterator[str]) -> Iterator[Object]:
    match block["type"]:
        case "thinking":
            for piece in reply.pieces(reply.reasoning):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": reply.signature}
        case "text":
            for piece in reply.pieces(reply.text):
                yield {"type": "text_delta", "text": piece}
        case _:
            for piece in ["", *reply.pieces(next(arguments))]:
                yield {"type": "input_json_delta", "partial_json": piece}


def _error(status: int, message: str, code: str | None) -> Object:
    kind = code or _ERROR_TYPES.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


def _stream_error(message: str) -> bytes:
    return sse(_error(529, message, None), event="error")


ANTHROPIC = Dialect(
    name="anthropic",
    ids=_ids,
    problem=_problem,
    whole=_whole,
    events=_events,
    error=_error,
    stream_error=_stream_error,
)
