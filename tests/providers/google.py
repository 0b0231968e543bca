"""Google's Gemini API, as far as text, thoughts and function calls go."""

import json
from collections.abc import Iterator

from assent.domain.canonical import Json
from tests.providers.dialect import Dialect, Ids, Object, field, objects, sse, text
from tests.providers.script import Reply, ToolUse


def _named(content: Object, name: str) -> list[str]:
    parts = (field(part, name) for part in objects(content.get("parts")))
    return [text(part, "id") or text(part, "name") for part in parts if part]


def _ids(body: Object) -> Ids:
    contents = objects(body.get("contents"))
    calls = (id for content in contents for id in _named(content, "functionCall"))
    return tuple(calls), tuple(id for c in contents for id in _named(c, "functionResponse"))


def _problem(body: Object) -> str | None:
    expected: list[str] = []
    for content in [*objects(body.get("contents")), Object()]:
        if sorted(_named(content, "functionResponse")) != sorted(expected):
            return "the number of function response parts must equal that of function call parts"
        expected = _named(content, "functionCall")
    return None


def _whole(reply: Reply, model: str) -> Object:
    return _response(reply, model, [*_parts(reply)], reply.finish or "STOP")


def _response(reply: Reply, model: str, parts: list[Json], finish: str | None) -> Object:
    candidate: Object = {"index": 0, "content": {"role": "model", "parts": parts}}
    if finish:
        candidate["finishReason"] = finish
    usage: Object = {
        "promptTokenCount": reply.input_tokens,
        "candidatesTokenCount": reply.output_tokens,
        "totalTokenCount": reply.input_tokens + reply.output_tokens,
    }
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": model,
        "responseId": "resp-1",
    }


def _parts(reply: Reply) -> Iterator[Object]:
    if reply.reasoning:
        yield {"text": reply.reasoning, "thought": True}
    if reply.text:
        yield {"text": reply.text}
    for call in reply.calls:
        yield _call(call)


def _call(call: ToolUse) -> Object:
    arguments: Json = json.loads(call.arguments)
    return {"functionCall": {"id": call.id, "name": call.tool, "args": arguments}}


def _events(reply: Reply, model: str) -> list[bytes]:
    events = [sse(_response(reply, model, [part], None)) for part in _streamed_parts(reply)]
    return [*events, sse(_response(reply, model, [], reply.finish or "STOP"))]


def _streamed_parts(reply: Reply) -> Iterator[Object]:
    for piece in reply.pieces(reply.reasoning):
        yield {"text": piece, "thought": True}
    for piece in reply.pieces(reply.text):
        yield {"text": piece}
    for call in reply.calls:
        yield _call(call)


def _error(status: int, message: str, code: str | None) -> Object:
    return {"error": {"code": status, "message": message, "status": code or "UNKNOWN"}}


def _stream_error(message: str) -> bytes:
    return sse(_error(503, message, "UNAVAILABLE"))


GOOGLE = Dialect(
    name="google",
    ids=_ids,
    problem=_problem,
    whole=_whole,
    events=_events,
    error=_error,
    stream_error=_stream_error,
)
