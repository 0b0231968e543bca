"""OpenAI's Responses API."""

from collections.abc import Iterator

from assent.domain.canonical import Json
from tests.providers.dialect import Dialect, Ids, Object, objects, repeated, sse, text
from tests.providers.openai_chat import error
from tests.providers.script import Reply, ToolUse


def _ids(body: Object) -> Ids:
    items = objects(body.get("input"))
    calls = (text(item, "call_id") for item in items if item.get("type") == "function_call")
    results = (
        text(item, "call_id") for item in items if item.get("type") == "function_call_output"
    )
    return tuple(calls), tuple(results)


def _problem(body: Object) -> str | None:
    calls, results = _ids(body)
    if twice := repeated(calls) or repeated(results):
        return f"Duplicate item found with call_id {twice[0]}"
    if missing := [id for id in calls if id not in results]:
        return f"No tool output found for function call {missing[0]}."
    if unknown := [id for id in results if id not in calls]:
        return f"No tool call found for function call output with call_id {unknown[0]}."
    return None


def _usage(reply: Reply) -> Object:
    return {
        "input_tokens": reply.input_tokens,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": reply.output_tokens,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": reply.input_tokens + reply.output_tokens,
    }


def _response(model: str, status: str, output: list[Json]) -> Object:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": model,
        "status": status,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "error": None,
        "incomplete_details": None,
    }


def _whole(reply: Reply, model: str) -> Object:
    status = "incomplete" if reply.finish else "completed"
    response = _response(model, status, [*_output(reply)])
    if reply.finish:
        response["incomplete_details"] = {"reason": reply.finish}
    return {**response, "usage": _usage(reply)}


def _output(reply: Reply) -> Iterator[Object]:
    if reply.reasoning:
        yield _reasoning(reply, reply.reasoning)
    if reply.text:
        yield _message(reply.text)
    for index, call in enumerate(reply.calls):
        yield _call(index, call, call.arguments)


def _reasoning(reply: Reply, summary: str) -> Object:
    parts: list[Json] = [{"type": "summary_text", "text": summary}] if summary else []
    return {
        "id": "rs_1",
        "type": "reasoning",
        "summary": parts,
        "encrypted_content": reply.signature,
        "status": None,
    }


def _message(content: str) -> Object:
    part: Object = {"type": "output_text", "text": content, "annotations": [], "logprobs": []}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def _call(index: int, call: ToolUse, arguments: str) -> Object:
    return {
        "id": f"fc_{index}",
        "type": "function_call",
        "call_id": call.id,
        "name": call.tool,
        "arguments": arguments,
        "status": "completed",
    }


def _events(reply: Reply, model: str) -> list[bytes]:
    return [
        sse({**event, "sequence_number": number}, event=text(event, "type"))
        for number, event in enumerate(_stream(reply, model))
    ]


def _stream(reply: Reply, model: str) -> Iterator[Object]:
    yield {"type": "response.created", "response": _response(model, "in_progress", [])}
    for index, item in enumerate(_output(reply)):
        at: Object = {"item_id": item["id"], "output_index": index}
        yield {"type": "response.output_item.added", "output_index": index, "item": _opened(item)}
        yield from _item_deltas(reply, item, at)
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    kind = "response.incomplete" if reply.finish else "response.completed"
    yield {"type": kind, "response": _whole(reply, model)}


def _opened(item: Object) -> Object:
    empty: dict[str, Object] = {
        "reasoning": {"summary": []},
        "message": {"content": [], "status": "in_progress"},
        "function_call": {"arguments": "", "status": "in_progress"},
    }
    return {**item, **empty[text(item, "type")]}


def _item_deltas(reply: Reply, item: Object, at: Object) -> Iterator[Object]:
    match item["type"]:
        case "reasoning":
            yield from _reasoning_deltas(reply, at)
        case "message":
            yield from _text_deltas(reply, at)
        case _:
            yield from _argument_deltas(reply, text(item, "arguments"), at)


def _reasoning_deltas(reply: Reply, at: Object) -> Iterator[Object]:
    at = {**at, "summary_index": 0}
    empty: Object = {"type": "summary_text", "text": ""}
    yield {"type": "response.reasoning_summary_part.added", **at, "part": empty}
    for piece in reply.pieces(reply.reasoning):
        yield {"type": "response.reasoning_summary_text.delta", **at, "delta": piece}
    yield {"type": "response.reasoning_summary_text.done", **at, "text": reply.reasoning}


def _text_deltas(reply: Reply, at: Object) -> Iterator[Object]:
    at = {**at, "content_index": 0}
    empty: Object = {"type": "output_text", "text": "", "annotations": []}
    yield {"type": "response.content_part.added", **at, "part": empty}
    for piece in reply.pieces(reply.text):
        yield {"type": "response.output_text.delta", **at, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **at, "text": reply.text, "logprobs": []}


def _argument_deltas(reply: Reply, arguments: str, at: Object) -> Iterator[Object]:
    for piece in reply.pieces(arguments):
        yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
    yield {"type": "response.function_call_arguments.done", **at, "arguments": arguments}


def _stream_error(message: str) -> bytes:
    event: Object = {"type": "error", "code": "server_error", "message": message, "param": None}
    return sse({**event, "sequence_number": 99}, event="error")


OPENAI_RESPONSES = Dialect(
    name="openai-responses",
    ids=_ids,
    problem=_problem,
    whole=_whole,
    events=_events,
    error=error,
    stream_error=_stream_error,
)
