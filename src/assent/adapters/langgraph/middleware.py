"""Middleware for LangChain's `create_agent`."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, cast

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command, interrupt

from assent.adapters.langgraph.gate import Gate, refuse_sync
from assent.adapters.langgraph.pauses import Waiting, pause_of
from assent.guard import Guard


class GuardMiddleware(AgentMiddleware[Any, Any, Any]):
    """Takes every tool call of an agent through a guard: `create_agent(…, middleware=[…])`.

    `tools` is metadata by name, such as `{"read": {"risk": "safe"}}`; `unguarded` names tools that
    run without the guard. Calls that wait longer than `wait` seconds pause the graph. Put it last:
    what a middleware behind it changes is not what people saw.
    """

    def __init__(
        self,
        *,
        guard: Guard,
        tools: Mapping[str, Mapping[str, Any]] | None = None,
        unguarded: Collection[str] = (),
        wait: float | None = 0,
    ) -> None:
        super().__init__()
        self._gate = Gate.of("GuardMiddleware", guard, tools, unguarded, wait)

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        while True:
            try:
                passed = await self._gate.passed(request, handler)
                return cast("ToolMessage | Command[Any]", passed)
            except Waiting as waiting:
                # What this returns when the graph goes on is only the sign to look again.
                interrupt(pause_of([waiting]))

    def wrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]],
    ) -> ToolMessage | Command[Any]:
        refuse_sync(request, handler)
