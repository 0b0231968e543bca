"""One attempt at a tool's body, under a claim."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, cast

from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry
from pydantic_ai.messages import MULTI_MODAL_CONTENT_TYPES, BinaryContent, ToolReturn
from pydantic_ai.tools import AgentDepsT, RunContext
from pydantic_ai.toolsets import AbstractToolset
from pydantic_core import PydanticSerializationError, to_jsonable_python

from assent.adapters.pydantic_ai.guarded_tool import GuardedTool
from assent.adapters.unanswered import is_unanswered
from assent.engine.runs.outcomes import OutcomeUnknown


@dataclass(slots=True, kw_only=True)
class Attempt(Generic[AgentDepsT]):
    """Runs a tool's body, and keeps what the record cannot hold: its exception, its attachments."""

    toolset: AbstractToolset[AgentDepsT]
    name: str
    tool: GuardedTool[AgentDepsT]
    ctx: RunContext[AgentDepsT]
    returned: Any = None
    raised: Exception | None = None

    async def __call__(self, arguments: Mapping[str, Any]) -> object:
        """Run the body with these arguments and return its output as JSON."""
        try:
            typed = await self.tool.bound(arguments, self.ctx)
            # The guard has cleared the call: a wrapper inside that asks as well is answered.
            ctx = replace(self.ctx, tool_call_approved=True)
            self.returned = await self.toolset.call_tool(self.name, typed, ctx, self.tool.source)
        except CallDeferred as deferral:
            # The body has begun something whose result comes later, and not through the guard.
            self.raised = deferral
            return {"deferred": to_jsonable_python(deferral.metadata, fallback=str)}
        except Exception as error:
            self.raised = error
            raise _outcome(error) from error
        return _recorded(self.returned)


def _outcome(error: Exception) -> Exception:
    if _ran_out_of_time(error) or is_unanswered(error) or is_unanswered(error.__cause__):
        return OutcomeUnknown(f"it was stopped while it ran: {error}")
    if isinstance(error, ApprovalRequired):
        return RuntimeError("the tool asks for approval again, although the call was cleared")
    return error


def _ran_out_of_time(error: Exception) -> bool:
    # The framework's own time limit: it cuts the body off and tells the model to try again.
    return (
        isinstance(error, ModelRetry)
        and isinstance(error.__context__, TimeoutError)
        and error.message.startswith("Timed out after")
    )


def _recorded(returned: object) -> object:
    """Return what of a result is recorded; images and other files go to the model only."""
    value: object = returned.return_value if isinstance(returned, ToolReturn) else returned
    if has_files(value):
        value = [_described(part) for part in _parts(value)]
    try:
        return to_jsonable_python(value, by_alias=True, inf_nan_mode="strings")
    except PydanticSerializationError:
        return str(value)


def has_files(value: object) -> bool:
    """Return True if a result is a file or a list with files, as the framework sends them."""
    return any(isinstance(part, MULTI_MODAL_CONTENT_TYPES) for part in _parts(value))


def _parts(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else [value]


def _described(part: object) -> object:
    if isinstance(part, BinaryContent):
        return f"[{part.media_type}, {len(part.data):,} bytes]"
    return part
