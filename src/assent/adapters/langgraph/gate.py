"""The gate before a tool: each call is proposed, and runs under a claim or not at all."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Self, cast

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from assent.adapters.declared_tools import DeclaredTools
from assent.adapters.keys import key_of, named
from assent.adapters.langgraph.pauses import Waiting
from assent.adapters.langgraph.results import (
    ToolFailed,
    ToolResult,
    message_for,
    recorded,
    told,
    told_again,
)
from assent.adapters.options import checked
from assent.adapters.replies import unkept
from assent.adapters.unanswered import is_unanswered
from assent.domain.tools import Tool
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.errors import AsyncOnly, CallWaits, InvalidJson, LeaseLost, NotResumable
from assent.guard import Guard, GuardedCall, new_token

Handler = Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Takes the tool calls of a graph through a guard."""

    guard: Guard
    declared: DeclaredTools
    unguarded: frozenset[str]
    wait: float | None

    @classmethod
    def of(
        cls,
        where: str,
        guard: Guard,
        metadata: Mapping[str, Mapping[str, Any]] | None,
        unguarded: Collection[str],
        wait: float | None,
        *,
        called: str = "tools",
    ) -> Self:
        """Return a gate with options that were checked.

        `where` and `called` name it, and its metadata, in errors.
        """
        given = checked(where, guard=guard, unguarded=unguarded, wait=wait)
        return cls(
            guard=given["guard"],
            declared=DeclaredTools(
                {} if metadata is None else metadata, where=where, called=called
            ),
            unguarded=frozenset(given["unguarded"]),
            wait=given["wait"],
        )

    async def passed(self, request: ToolCallRequest, handler: Handler) -> ToolResult:
        """Return the result of a call that may run, or what became of it instead.

        Raises `Waiting` if people have to act first.
        """
        tool_call = request.tool_call
        if tool_call["name"] in self.unguarded:
            return await handler(request)
        if request.tool is None:
            return _unknown(request)
        tool = self._tool(request.tool)
        try:
            call = await self._proposed(tool, request)
        except InvalidJson as error:
            return message_for(tool_call, unkept(error), status="error")
        attempt = Attempt(request, handler)
        try:
            ended = await self.guard.finish(call, attempt, tool=tool)
        except (CallWaits, LeaseLost):
            raise await self._waiting(call, request) from None
        if ended.is_waiting:
            raise await self._waiting(call, request)
        if attempt.result is None:
            return told_again(ended, tool_call)
        return told(attempt.result, ended)

    async def _proposed(self, tool: Tool, request: ToolCallRequest) -> GuardedCall:
        thread = _thread(request)
        return await self.guard.propose(
            tool,
            cast("Mapping[str, Any]", request.tool_call["args"]),
            key=None if thread is None else _key(thread, request),
            conversation_id=None if thread is None else named(thread),
            wait=self.wait,
            token=new_token(),
        )

    async def _waiting(self, call: GuardedCall, request: ToolCallRequest) -> Waiting:
        # By now it may wait for another caller, for a changed definition, or be in doubt.
        now = await self.guard.look(call.id)
        if _thread(request) is None:
            error = NotResumable(call.id, call.tool)
            await self.guard.withdraw(call.id)
            raise error
        return Waiting(now, request.tool_call["id"] or "")

    def _tool(self, tool: BaseTool) -> Tool:
        schema = cast("Any", tool).tool_call_schema
        full = cast("Any", schema if isinstance(schema, dict) else schema.model_json_schema())
        return self.declared.of(
            tool.name,
            description=tool.description,
            parameters={"type": "object", **full},
            source="langgraph",
        )


class Attempt:
    """Runs a tool with the arguments that were cleared, and keeps its result as it was."""

    def __init__(self, request: ToolCallRequest, handler: Handler) -> None:
        self._request, self._handler = request, handler
        self.result: ToolResult | None = None

    async def __call__(self, arguments: Mapping[str, Any]) -> object:
        """Run the tool and return what of its result is put on record."""
        cleared = cast("ToolCall", {**self._request.tool_call, "args": dict(arguments)})
        try:
            result = await self._handler(self._request.override(tool_call=cleared))
        except GraphBubbleUp as error:
            # It would run from its start again when the graph goes on, but a claim is used once.
            raise ToolFailed(
                f"the tool paused the graph itself ({type(error).__name__}): a guarded tool may "
                "not; name it in `unguarded`, and guard the tools inside it"
            ) from error
        except Exception as error:
            if is_unanswered(error) or is_unanswered(error.__cause__):
                raise OutcomeUnknown(f"a server was called and did not answer: {error}") from error
            raise
        self.result = result
        return recorded(result)


def refuse_sync(request: ToolCallRequest, _: object) -> NoReturn:
    """Refuse a run without an event loop: the guard could not be asked, so nothing runs."""
    raise AsyncOnly(f"the tool {request.tool_call['name']!r}")


def _unknown(request: ToolCallRequest) -> ToolMessage:
    tools = cast("list[BaseTool]", cast("Any", request).runtime.tools)
    known = ", ".join(sorted(tool.name for tool in tools)) or "none"
    said = f"There is no tool {request.tool_call['name']!r}; the tools are: {known}"
    return message_for(request.tool_call, said, status="error")


def _thread(request: ToolCallRequest) -> str | None:
    config = cast("RunnableConfig", cast("Any", request).runtime.config)
    found = config.get("configurable", {}).get("thread_id")
    return None if found is None else str(found)


def _key(thread: str, request: ToolCallRequest) -> str:
    """Return what stands for a call however often its node runs.

    Some providers repeat the ids of their calls in every message, so the message's id counts, too.
    """
    id = request.tool_call["id"]
    return key_of(thread, _message_id(request.state, id), id)


def _message_id(state: object, tool_call_id: str | None) -> str | None:
    """Return the id of the newest message that holds the call."""
    if isinstance(state, Mapping):
        messages: object = cast("Mapping[str, object]", state).get("messages")
    else:
        messages = getattr(state, "messages", state)
    if not isinstance(messages, list):
        return None
    for message in reversed(cast("list[object]", messages)):
        if isinstance(message, AIMessage) and any(
            each["id"] == tool_call_id for each in message.tool_calls
        ):
            return message.id
    return None
