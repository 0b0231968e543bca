"""A tool node for graphs that are built by hand."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from langchain_core.messages import ToolCall
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.prebuilt.tool_node import ToolCallRequest, ToolNode, ToolRuntime
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from assent.adapters.langgraph.gate import Gate, Handler, refuse_sync
from assent.adapters.langgraph.pauses import Waiting, pause_of
from assent.domain import parameters
from assent.domain.parameters import Check, several
from assent.errors import InvalidParameter
from assent.guard import Guard

InputType = Literal["list", "dict", "tool_calls"]


def _tool(given: object) -> object:
    # What a model is told of a function is its docstring, without which there is no tool.
    is_described = parameters.function.read(given) is given and inspect.getdoc(given)
    return given if isinstance(given, BaseTool) or is_described else parameters.unfit()


_ONE: Final = Check("a tool", _tool)
_TOOLS: Final = several(_ONE, tuple, "a tool, or several: BaseTools or functions with a docstring")


@dataclass(frozen=True, slots=True)
class _Broken:
    """A call of the node that gave no result."""

    error: Exception


class _Paused(Exception):
    """Calls of the node wait; all others have ended."""

    def __init__(self, waiting: Sequence[Waiting]) -> None:
        self.waiting = waiting
        super().__init__()


class GuardedToolNode(ToolNode):
    """A `ToolNode` that takes every call through a guard; all that wait pause the graph together.

    `metadata` is that of tools by name, `unguarded` names tools that run without the guard. Calls
    that wait longer than `wait` seconds pause the graph. Further options are those of `ToolNode`.
    """

    def __init__(
        self,
        tools: Sequence[BaseTool | Callable[..., Any]],
        *,
        guard: Guard,
        metadata: Mapping[str, Mapping[str, Any]] | None = None,
        unguarded: Collection[str] = (),
        wait: float | None = 0,
        **options: Any,
    ) -> None:
        self._gate = Gate.of("GuardedToolNode", guard, metadata, unguarded, wait, called="metadata")
        given = _TOOLS.taken("GuardedToolNode", "tools", tools)
        through: Any = self._through
        cast("Any", super()).__init__(
            given, wrap_tool_call=refuse_sync, awrap_tool_call=through, **options
        )
        if len(self.tools_by_name) < len(given):
            # The last one would take the place of the first, with what was said about it.
            allowed = f"tools of different names ({', '.join(sorted(self.tools_by_name))})"
            raise InvalidParameter("GuardedToolNode", "tools", allowed, f"{len(given)} tools")

    async def _through(self, request: ToolCallRequest, handler: Handler) -> Any:
        return await self._gate.passed(request, handler)

    # The node awaits its calls with `gather`, which would leave those that run to themselves when
    # the first one has to wait, and show that one only (langgraph issue 6624).

    async def _afunc(
        self,
        input: Any,  # noqa: A002 - the name is langgraph's
        config: RunnableConfig,
        runtime: Runtime[Any],
    ) -> Any:
        while True:
            try:
                return await super()._afunc(input, config, runtime)
            except _Paused as paused:
                # Run again, calls that have ended are told again from the record.
                interrupt(pause_of(paused.waiting))

    async def _arun_one(
        self, call: ToolCall, input_type: InputType, tool_runtime: ToolRuntime[Any, Any]
    ) -> Any:
        try:
            return await cast("Any", super())._arun_one(call, input_type, tool_runtime)  # noqa: SLF001
        except Exception as error:  # noqa: BLE001 - raised again when the other calls have ended
            return _Broken(error)

    def _combine_tool_outputs(self, outputs: list[Any], input_type: InputType) -> Any:
        errors = [each.error for each in outputs if isinstance(each, _Broken)]
        waiting = [error for error in errors if isinstance(error, Waiting)]
        if len(waiting) < len(errors):
            raise next(error for error in errors if not isinstance(error, Waiting))
        if waiting:
            raise _Paused(waiting)
        return cast("Any", super())._combine_tool_outputs(outputs, input_type)  # noqa: SLF001
