"""The gate of one function tool: whether it needs approval, and its body under a claim."""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from agents import FunctionTool, RunContextWrapper
from agents.tool import maybe_invoke_function_tool_failure_error_function
from agents.tool_context import ToolContext

from assent.adapters.openai_agents.attempt import Attempt, has_files
from assent.adapters.openai_agents.threads import Thread
from assent.adapters.replies import refusal, reply, unkept
from assent.domain.outputs import as_text
from assent.domain.tools import Tool
from assent.errors import CallWaits, InvalidJson
from assent.guard import Guard, GuardedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Stands before a function tool: the guard says who is asked, and what of it runs, once."""

    source: FunctionTool
    definition: Tool
    guard: Guard
    agent: str
    wait: float | None

    def tool(self) -> FunctionTool:
        """Return the tool as the SDK gets it."""
        made = copy.copy(self.source)
        made.params_json_schema = dict(self.definition.arguments.visible)
        made.needs_approval = self.needs_approval
        made.on_invoke_tool = self.invoke
        return made

    async def needs_approval(
        self, _: RunContextWrapper[Any], arguments: dict[str, Any], tool_call_id: str
    ) -> bool:
        """Propose a call, and return True if people have to act on it first."""
        try:
            call = await self._proposed(arguments, tool_call_id, wait=self.wait)
        except InvalidJson:
            # Nobody can be asked about these; `invoke` tells the model.
            return False
        return call.is_waiting

    async def invoke(self, ctx: ToolContext[Any], text: str) -> Any:
        """Run what the guard has cleared; an approval in the SDK's state alone runs nothing."""
        arguments = _object(text)
        if arguments is None:
            return "The tool was not run: its arguments must be a JSON object."
        try:
            call = await self._proposed(arguments, ctx.tool_call_id, wait=0)
        except InvalidJson as error:
            return unkept(error)
        attempt = Attempt(source=self.source, ctx=ctx)
        call = await self.guard.finish(call, attempt, tool=self.definition)
        return await self._told(call, attempt, ctx)

    async def _proposed(
        self, arguments: Mapping[str, Any], tool_call_id: str, *, wait: float | None
    ) -> GuardedCall:
        thread = Thread.here(self.source.name)
        call = await self.guard.propose(
            self.definition,
            arguments,
            key=thread.key(self.agent, tool_call_id),
            conversation_id=thread.id,
            wait=wait,
        )
        thread.note(tool_call_id, call)
        return call

    async def _told(self, call: GuardedCall, attempt: Attempt, ctx: ToolContext[Any]) -> Any:
        if call.is_waiting:
            raise CallWaits(call.id, call.tool, call.status, call.review_url)
        if attempt.raised is not None:
            return await self._failed(attempt.raised, ctx)
        if not call.succeeded:
            return refusal(call)
        if has_files(attempt.returned):
            return attempt.returned
        # An output that the SDK checks against a schema has no room for a note.
        return call.output if self.source.output_json_schema is not None else as_text(reply(call))

    async def _failed(self, error: Exception, ctx: ToolContext[Any]) -> str:
        # As the tool's own policy has it: a text for the model, or the end of the run.
        told = await maybe_invoke_function_tool_failure_error_function(
            function_tool=self.source, context=ctx, error=error
        )
        if told is None:
            raise error
        return told


def _object(text: str) -> dict[str, Any] | None:
    try:
        found: object = json.loads(text or "{}")
    except ValueError:
        return None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
