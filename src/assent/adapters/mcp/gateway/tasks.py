"""Tasks of protocol 2025-11-25: a client that asks for one polls for the outcome of its call.

The SDK knows their values and not their methods, so they are served here.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Final

import mcp_types as types
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from assent.adapters.mcp.gateway.answers import question, result_of
from assent.adapters.mcp.gateway.clients import TASKS_FROM, ClientSide, Request
from assent.adapters.mcp.gateway.open_calls import OpenCall, OpenCalls
from assent.adapters.mcp.gateway.waiting import Waiting
from assent.domain.identifiers import TIME_BYTES
from assent.domain.lifecycle import CallStatus
from assent.errors import NotFound
from assent.guard import GuardedCall

CAPABILITY: Final = types.ServerTasksCapability(
    cancel=types.TasksCancelCapability(),
    requests=types.ServerTasksRequestsCapability(
        tools=types.TasksToolsCapability(call=types.TasksCallCapability())
    ),
)
RELATED: Final = "io.modelcontextprotocol/related-task"
Start = Callable[[Request, types.CallToolRequestParams], Awaitable[HandlerResult]]
_POLL_MILLISECONDS: Final = 1_000
_NANOSECONDS: Final = 1_000_000_000


class Tasks:
    """Calls as tasks; the id of a task is the ticket of its call."""

    def __init__(self, calls: OpenCalls, waiting: Waiting) -> None:
        self._calls, self._waiting = calls, waiting

    def serve(self, server: Server[Any]) -> None:
        """Add the methods of tasks to a server."""
        server.add_request_handler("tasks/get", types.GetTaskRequestParams, self._get)
        server.add_request_handler("tasks/result", types.GetTaskPayloadRequestParams, self._result)
        server.add_request_handler("tasks/cancel", types.CancelTaskRequestParams, self._cancel)

    def created(self, opened: OpenCall) -> HandlerResult:
        """Return the answer to a call that was asked for as a task."""
        return {"task": _shown(opened)}

    async def _get(self, request: Request, params: types.GetTaskRequestParams) -> HandlerResult:
        try:
            async with self._calls.found(params.task_id, ClientSide.of(request)) as opened:
                return _shown(opened)
        except NotFound:
            raise _unknown(params.task_id) from None

    async def _result(
        self, request: Request, params: types.GetTaskPayloadRequestParams
    ) -> HandlerResult:
        """Answer with the call's result; waits for it, as the protocol wants, while it takes."""
        try:
            client = ClientSide.of(request)
            async with self._calls.found(params.task_id, client) as opened:
                await self._waiting.ended(opened, client)
        except NotFound:
            raise _unknown(params.task_id) from None
        self._calls.deliver(opened)
        result = result_of(opened.call, opened.answer)
        shown = result.model_dump(by_alias=True, mode="json", exclude_none=True)
        related = {RELATED: {"taskId": params.task_id}}
        return {**shown, "_meta": {**shown.get("_meta", {}), **related}}

    async def _cancel(
        self, request: Request, params: types.CancelTaskRequestParams
    ) -> HandlerResult:
        try:
            async with self._calls.found(params.task_id, ClientSide.of(request)) as opened:
                if opened.call.is_settled:
                    said = f"Task {params.task_id!r} has ended and cannot be cancelled"
                    raise MCPError(types.INVALID_PARAMS, said)
                await self._calls.give_up(opened)
                return _shown(opened)
        except NotFound:
            raise _unknown(params.task_id) from None


def wants_task(request: Request) -> bool:
    """Return True if a client asks for a task and speaks the one version that has them."""
    version, given = request.protocol_version, request.params or {}
    speaks = version in HANDSHAKE_PROTOCOL_VERSIONS and version >= TASKS_FROM
    return speaks and request.method == "tools/call" and isinstance(given.get("task"), dict)


class TaskCalls:
    """Middleware that answers calls which are asked for as tasks."""

    def __init__(self, start: Start) -> None:
        self._start = start

    async def __call__(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        if not wants_task(ctx):
            return await call_next(ctx)
        params = types.CallToolRequestParams.model_validate(ctx.params, by_name=False)
        return await self._start(ctx, params)


def _unknown(task_id: str) -> MCPError:
    return MCPError(types.INVALID_PARAMS, f"Task {task_id[:80]!r} is not known")


def _shown(opened: OpenCall) -> dict[str, Any]:
    shown = _task(opened).model_dump(by_alias=True, mode="json", exclude_none=True)
    # Required, and null: calls are kept.
    return {**shown, "ttl": None}


def _task(opened: OpenCall) -> types.Task:
    call = opened.call
    status = _status(call)
    return types.Task(
        task_id=opened.ticket,
        status=status,
        status_message=call.error or None if call.is_settled else question(call),
        created_at=_made_at(call.id).isoformat(),
        last_updated_at=datetime.now(UTC).isoformat(),
        ttl=None,
        poll_interval=_POLL_MILLISECONDS,
    )


def _status(call: GuardedCall) -> types.TaskStatus:
    if not call.is_settled:
        # Not "input_required": that would mean input through this client.
        return "working"
    if call.succeeded:
        return "completed"
    return "cancelled" if call.status is CallStatus.CANCELLED else "failed"


def _made_at(call_id: str) -> datetime:
    """Return when a call was made: our ids begin with the time."""
    try:
        made = int.from_bytes(bytes.fromhex(call_id.rpartition("_")[2])[:TIME_BYTES])
        return datetime.fromtimestamp(made / _NANOSECONDS, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.now(UTC)
