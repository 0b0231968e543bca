"""Tasks of protocol 2025-11-25: calls that a server answers at once, and ends later.

The SDK knows their values, and has no methods for them.
"""

import asyncio
import logging
from typing import Any, Final

import mcp_types as types
from mcp import MCPError
from mcp.client.session import ClientSession
from pydantic import TypeAdapter, ValidationError

from assent.adapters.mcp.faults import Fault, fault_error, fault_of

log = logging.getLogger(__name__)
# How long the server shall keep the task, in milliseconds.
_KEPT: Final = 24 * 3600 * 1_000
_POLL_SECONDS: Final = (0.1, 1.0, 10.0)
_GOODBYE_SECONDS: Final = 5.0
_FIRST: Final[TypeAdapter[types.CallToolResult | types.CreateTaskResult]] = TypeAdapter(
    types.CallToolResult | types.CreateTaskResult
)


def has_tasks(session: ClientSession) -> bool:
    """Return True if the server takes calls as tasks."""
    tasks = getattr(session.server_capabilities, "tasks", None)
    tools = None if tasks is None or tasks.requests is None else tasks.requests.tools
    return tools is not None and tools.call is not None


async def called_as_task(
    session: ClientSession, params: types.CallToolRequestParams, within: float | None
) -> types.CallToolResult:
    """Call a tool as a task, and return its result once it has ended.

    Cancelled, or out of time, it cancels the task. Once there is a task, every error means that the
    outcome is unknown.
    """
    request = types.CallToolRequest(
        params=params.model_copy(update={"task": types.TaskMetadata(ttl=_KEPT)})
    )
    created = await _begun(session, request, within)
    if isinstance(created, types.CallToolResult):
        return created
    task = created.task
    try:
        async with asyncio.timeout(within):
            return await _result(session, task)
    except asyncio.CancelledError:
        await asyncio.shield(_cancelled(session, task))
        raise
    except TimeoutError:
        await _cancelled(session, task)
        raise _lost(f"its task timed out after {within} s and was cancelled") from None


async def _begun(
    session: ClientSession, request: types.CallToolRequest, within: float | None
) -> types.CallToolResult | types.CreateTaskResult:
    # As `send_request` does it, which refuses a task as the answer to a call.
    inner: Any = session
    data = request.model_dump(by_alias=True, mode="json", exclude_none=True)
    options: dict[str, Any] = {} if within is None else {"timeout": within}
    inner._stamp(data, options)  # noqa: SLF001 - there is no other way
    sending = inner._dispatcher.send_raw_request(data["method"], data["params"], options)  # noqa: SLF001
    raw = await sending
    return _FIRST.validate_python(raw, by_name=False)


async def _result(session: ClientSession, task: types.Task) -> types.CallToolResult:
    """Wait until a task is no longer at work, and return its result."""
    status = await _ended(session, task)
    if status == "cancelled":
        raise _lost("it cancelled the task itself")
    params = types.GetTaskPayloadRequestParams(task_id=task.task_id)
    try:
        # Asked now, it also asks what it needs of people.
        return await session.send_request(
            types.GetTaskPayloadRequest(params=params), types.CallToolResult
        )
    except MCPError as error:
        fault = fault_of(error.error)
        if fault is Fault.UNKEPT or (fault is None and status == "failed"):
            raise
        raise _lost(f"the result of its task is missing: {error}") from None


async def _ended(session: ClientSession, task: types.Task) -> types.TaskStatus:
    state, params = task, types.GetTaskRequestParams(task_id=task.task_id)
    while state.status == "working":
        await asyncio.sleep(_pause(state))
        try:
            state = await session.send_request(
                types.GetTaskRequest(params=params), types.GetTaskResult
            )
        except (MCPError, ValidationError) as error:
            raise _lost(f"its task cannot be followed: {error}") from None
    return state.status


def _pause(task: types.Task) -> float:
    least, usual, most = _POLL_SECONDS
    wanted = usual if task.poll_interval is None else task.poll_interval / 1_000
    return min(max(wanted, least), most)


async def _cancelled(session: ClientSession, task: types.Task) -> None:
    request = types.CancelTaskRequest(params=types.CancelTaskRequestParams(task_id=task.task_id))
    try:
        async with asyncio.timeout(_GOODBYE_SECONDS):
            await session.send_request(request, types.CancelTaskResult)
    except (MCPError, ValidationError, TimeoutError, OSError, RuntimeError) as error:
        log.warning("a task was not cancelled: %s", error)


def _lost(reason: str) -> MCPError:
    error = fault_error(Fault.UNANSWERED, reason)
    return MCPError(error.code, error.message, error.data)
