"""Results of tools: what of them is recorded, and what the model reads, now or told again."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, cast

from langchain_core.messages import ToolCall, ToolMessage
from langgraph.types import Command

from assent.adapters.replies import refusal
from assent.domain.canonical import Json
from assent.domain.outputs import as_text
from assent.guard import GuardedCall

Result = ToolMessage | Command[Any]
ToolResult = Result | list[Result]
Content = str | list[str | dict[Any, Any]]
_CHANGES: Final = "changed the state of the graph"
_NOT_KEPT: Final = (
    "The run ended before the tool's change of the graph's state was kept; it is not run again."
)


class ToolFailed(Exception):
    """The tool returned an error message instead of an output."""


def recorded(result: ToolResult) -> object:
    """Return what of a result is put on record; raises `ToolFailed` for an error message."""
    contents = [_successful(message) for message in _messages(result)]
    if isinstance(result, ToolMessage):
        return contents[0]
    return {"content": contents, _CHANGES: True}


def told(result: ToolResult, call: GuardedCall) -> ToolResult:
    """Return a result with the contents that are on record, which hold no secret, and the note."""
    if not call.succeeded:
        return result
    output = call.output
    kept = output["content"] if isinstance(output, dict) and _CHANGES in output else [output]
    contents = iter(kept if isinstance(kept, list) else [kept])

    def replaced(message: ToolMessage) -> ToolMessage:
        content = _noted(_content(next(contents, None)), call.note)
        return message.model_copy(update={"content": content})

    return _mapped(result, replaced)


def told_again(call: GuardedCall, tool_call: ToolCall) -> ToolMessage:
    """Return the message about a call that had ended before; it is not run a second time."""
    if not call.succeeded:
        return message_for(tool_call, refusal(call), status="error")
    output = call.output
    if isinstance(output, dict) and _CHANGES in output:
        said = f"{as_text(output['content'])}\n{_NOT_KEPT}"
        return message_for(tool_call, _noted(said, call.note), status="error")
    return message_for(tool_call, _noted(_content(output), call.note))


def message_for(tool_call: ToolCall, content: Content, **more: Any) -> ToolMessage:
    """Return the message that answers a tool call."""
    name, id = tool_call["name"], tool_call["id"]
    return ToolMessage(content=content, name=name, tool_call_id=id, **more)


def _successful(message: ToolMessage) -> Content:
    if message.status == "error":
        raise ToolFailed(message.text)
    return message.content


def _messages(result: ToolResult) -> list[ToolMessage]:
    match result:
        case ToolMessage():
            return [result]
        case Command():
            return [each for each in _listed(result) if isinstance(each, ToolMessage)]
        case list():
            return [message for part in result for message in _messages(part)]


def _mapped(result: ToolResult, change: Callable[[ToolMessage], ToolMessage]) -> ToolResult:
    match result:
        case ToolMessage():
            return change(result)
        case Command():
            listed = [change(e) if isinstance(e, ToolMessage) else e for e in _listed(result)]
            if not listed:
                return result
            return replace(result, update={**cast("Any", result.update), "messages": listed})
        case list():
            return [cast("Result", _mapped(part, change)) for part in result]


def _listed(command: Command[Any]) -> list[object]:
    update = cast("object", command.update)
    if not isinstance(update, Mapping):
        return []
    listed = cast("Mapping[str, object]", update).get("messages")
    return cast("list[object]", listed) if isinstance(listed, list) else []


def _noted(content: Content, note: str | None) -> Content:
    if note is None:
        return content
    if isinstance(content, str):
        return f"{note}\n{content}"
    return [{"type": "text", "text": note}, *content]


def _content(output: Json) -> Content:
    if isinstance(output, list) and output and all(_is_block(each) for each in output):
        return cast("Content", output)
    return as_text(output)


def _is_block(part: Json) -> bool:
    return isinstance(part, dict) and isinstance(part.get("type"), str)
