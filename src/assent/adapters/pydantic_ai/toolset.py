"""The toolset whose calls pass the guard before they run."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, cast

from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
from pydantic_ai.messages import ModelResponse, ToolReturn
from pydantic_ai.tools import AgentDepsT, RunContext
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from assent.adapters.declared_tools import DeclaredTools
from assent.adapters.options import checked
from assent.adapters.pydantic_ai.attempt import Attempt, has_files
from assent.adapters.pydantic_ai.guarded_tool import GuardedTool, guarded
from assent.adapters.pydantic_ai.origins import origin_of
from assent.adapters.replies import refusal, reply, ticket, unkept
from assent.domain import parameters
from assent.domain.canonical import digest
from assent.domain.outputs import json_text
from assent.domain.parameters import optional
from assent.errors import (
    AssentError,
    CallWaits,
    InvalidJson,
    InvalidTool,
    LeaseLost,
    StoreUnavailable,
)
from assent.guard import Guard, GuardedCall, new_token

log = logging.getLogger(__name__)
# Under this name, the metadata of a deferred call tell which call of Assent it is.
MARK: Final = "assent"
_WHERE: Final = "GuardedToolset"
_WRAPPED: Final = parameters.instance(AbstractToolset, "a toolset")
_DECLARED: Final = optional(parameters.instance(DeclaredTools))


@dataclass
class GuardedToolset(WrapperToolset[AgentDepsT]):
    """Wraps any toolset: each call is proposed to the guard, and its body runs under a claim only.

    `tools` declares metadata by tool name (`risk`, `approvers`, `user_input` …); undeclared tools
    ask. A call that still waits after `wait` seconds ends the run with `DeferredToolRequests`.
    """

    guard: Guard = field(kw_only=True)
    tools: Mapping[str, Mapping[str, Any]] = field(
        default_factory=dict[str, Mapping[str, Any]], kw_only=True
    )
    wait: float | None = field(default=0, kw_only=True)
    declared: DeclaredTools | None = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        _WRAPPED.taken(_WHERE, "wrapped", self.wrapped)
        checked(_WHERE, guard=self.guard, wait=self.wait)
        # Kept through copies of this toolset, so that each definition is made once.
        known = _DECLARED.taken(_WHERE, "declared", self.declared)
        self.declared = known or DeclaredTools(self.tools, where=_WHERE)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        found = await super().get_tools(ctx)
        self._declared.compare(found)
        tools = ((name, self._guarded(tool)) for name, tool in found.items())
        return {name: tool for name, tool in tools if tool is not None}

    @property
    def _declared(self) -> DeclaredTools:
        assert self.declared is not None  # noqa: S101 - set by __post_init__
        return self.declared

    def _guarded(self, source: ToolsetTool[AgentDepsT]) -> ToolsetTool[AgentDepsT] | None:
        shown = source.tool_def
        try:
            definition = self._declared.of(
                shown.name,
                description=shown.description,
                parameters=shown.parameters_json_schema,
                **origin_of(source),
            )
        except InvalidTool:
            # The author's own mistake is said at once; a server's costs that tool only.
            if shown.name in self.tools:
                raise
            log.exception("tool %r cannot be guarded, and is left out", shown.name)
            return None
        return guarded(self, source, definition)

    async def call_tool(
        self,
        name: str,
        tool_args: dict[str, Any],
        ctx: RunContext[AgentDepsT],
        tool: ToolsetTool[AgentDepsT],
    ) -> Any:
        # A tool that is not ours has not been through the guard: nothing of it may run.
        if not isinstance(tool, GuardedTool):
            raise ToolFailed(f"Tool {name!r} is not guarded, and was not run.")
        call = await self._proposed(tool, tool_args, ctx)
        if call.is_waiting:
            raise deferral(call)
        attempt = Attempt(toolset=self.wrapped, name=name, tool=tool, ctx=ctx)
        try:
            call = await self.guard.finish(call, attempt, tool=tool.definition)
        except (CallWaits, LeaseLost):
            raise deferral(await self.guard.look(call.id)) from None
        return _told(call, attempt)

    async def _proposed(
        self, tool: GuardedTool[AgentDepsT], arguments: dict[str, Any], ctx: RunContext[AgentDepsT]
    ) -> GuardedCall:
        try:
            return await self.guard.propose(
                tool.definition,
                arguments,
                key=key_of(ctx),
                conversation_id=ctx.conversation_id,
                wait=self.wait,
                token=new_token(),
            )
        except AssentError as error:
            # One that people have seen must stay open, so that the run can be resumed later.
            if ctx.tool_call_approved:
                raise
            if isinstance(error, InvalidJson):
                raise ToolFailed(unkept(error)) from error
            log.exception("tool %s was not run: the guard did not answer", tool.tool_def.name)
            # The model's provider need not know where a database is.
            why = error.code if isinstance(error, StoreUnavailable) else str(error)
            told = f"The tool was not run, because nobody could be asked: {why}"
            raise ToolFailed(told) from error


def key_of(ctx: RunContext[Any]) -> str:
    """Return what stands for a tool call in all runs with the same history.

    Providers repeat their ids, so the response that holds the call counts, too.
    """
    # The calls of a run are those of its newest response. To look for this one among them would
    # cost the square of their number.
    responses = (each for each in reversed(ctx.messages) if isinstance(each, ModelResponse))
    response = next(responses, None)
    if response is None:
        return digest(json_text(["pydantic_ai", ctx.run_id, ctx.tool_call_id]))
    written = response.timestamp.isoformat()
    return digest(json_text(["pydantic_ai", response.run_id, written, ctx.tool_call_id]))


def deferral(call: GuardedCall) -> ApprovalRequired:
    """Return the exception that ends the run until people have decided about a call."""
    return ApprovalRequired(metadata={MARK: ticket(call)})


def _told(call: GuardedCall, attempt: Attempt[Any]) -> Any:
    """Return or raise what the framework tells the model."""
    if call.is_waiting:
        raise deferral(call)
    if attempt.raised is not None and not isinstance(attempt.raised, ApprovalRequired):
        raise attempt.raised
    if not call.succeeded:
        raise ToolFailed(refusal(call))
    if isinstance(attempt.returned, ToolReturn):
        returned = cast("ToolReturn[Any]", attempt.returned)
        value = returned.return_value if has_files(returned.return_value) else reply(call)
        return replace(returned, return_value=value)
    return attempt.returned if has_files(attempt.returned) else reply(call)
