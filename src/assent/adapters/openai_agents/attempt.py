"""One attempt at a function tool's body, under a claim."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from agents import FunctionTool
from agents.exceptions import MCPToolCancellationError, ModelBehaviorError, UserError
from agents.tool import (
    ToolOutputFileContent,
    ToolOutputImage,
    ToolOutputText,
    set_function_tool_failure_error_function,
)
from agents.tool_context import ToolContext
from pydantic_core import PydanticSerializationError, to_jsonable_python

from assent.adapters.unanswered import is_unanswered
from assent.domain.outputs import json_text
from assent.engine.runs.outcomes import OutcomeUnknown

# How the SDK writes an image or a file where it is not an object: tools of MCP servers return that.
_FILE_TYPES: Final = frozenset({"image", "file"})


@dataclass(slots=True, kw_only=True)
class Attempt:
    """Runs a tool's body, and keeps what the record cannot hold: its exception, its files."""

    source: FunctionTool
    ctx: ToolContext[Any]
    returned: Any = None
    raised: Exception | None = None

    async def __call__(self, arguments: Mapping[str, Any]) -> object:
        """Run the body with these arguments and return its output as JSON."""
        text = json_text(arguments)
        try:
            self.returned = await _loud(self.source).on_invoke_tool(self._context(text), text)
        except Exception as error:
            self.raised = error
            if _is_lost(self.source, error):
                raise OutcomeUnknown(f"the server was called and did not answer: {error}") from (
                    error
                )
            raise
        return _recorded(self.returned)

    def _context(self, text: str) -> ToolContext[Any]:
        # A body that reads its context must find there what was approved.
        ctx = copy.copy(self.ctx)
        ctx.tool_arguments = text
        if ctx.tool_call is not None:
            ctx.tool_call = ctx.tool_call.model_copy(update={"arguments": text})
        return ctx


def _loud(source: FunctionTool) -> FunctionTool:
    """Return the tool without its error texts: a body that failed must not count as a success."""
    return set_function_tool_failure_error_function(copy.copy(source), None)


def _is_lost(source: FunctionTool, error: Exception) -> bool:
    """Return True if a call went out to an MCP server and nobody knows what became of it."""
    if getattr(source, "_mcp_tool_binding", None) is None:
        return False
    if isinstance(error, ModelBehaviorError):
        return False
    if isinstance(error, MCPToolCancellationError):
        return True
    if isinstance(error, UserError):
        return error.__cause__ is not None
    # Whatever is no answer of the server's is the end of the connection.
    return is_unanswered(error) or not hasattr(error, "error")


def has_files(value: object) -> bool:
    """Return True if a result is an image or a file, or a list with one."""
    return any(map(_is_file, _parts(value)))


def _parts(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _is_file(part: object) -> bool:
    if isinstance(part, dict):
        return cast("dict[str, object]", part).get("type") in _FILE_TYPES
    return isinstance(part, ToolOutputImage | ToolOutputFileContent)


def _recorded(value: object) -> object:
    if has_files(value):
        return "[images or files, which went to the model only]"
    texts = [_text(part) for part in _parts(value)]
    if texts and None not in texts:
        return "\n".join(map(str, texts))
    try:
        return to_jsonable_python(value, by_alias=True, inf_nan_mode="strings")
    except PydanticSerializationError:
        return str(value)


def _text(part: object) -> str | None:
    """Return the text of a result that the SDK or an MCP server wrapped as one."""
    if isinstance(part, ToolOutputText):
        return part.text
    match part:
        case {"type": "text", "text": str(text)}:
            return text
        case _:
            return None
