"""Runs one call of an MCP tool: rounds of questions, and how it ended."""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import mcp_types as types

from assent.adapters.mcp.connection import McpConnection
from assent.adapters.mcp.elicitation import Asked, asked_by, responses_to
from assent.adapters.mcp.results import error_of, output_of
from assent.domain.bodies import Context, InputRequired
from assent.domain.canonical import Json
from assent.domain.lifecycle import RequestStatus
from assent.domain.pins import Pin
from assent.engine.sources import Ask
from assent.errors import AssentError, McpToolFailed

log = logging.getLogger(__name__)
_KEY: Final = "it"
_FIRST_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 1.0


async def run_call(
    connection: McpConnection, pin: Pin, context: Context, arguments: Mapping[str, Json]
) -> object:
    """Call a tool, or call it again with the answers it asked for; return its output.

    Raises `InputRequired` if people have to answer first.
    """
    kept = cast("dict[str, Any]", context.state or {})
    responses = None
    if context.answers is not None:
        responses = responses_to(kept["asked"], context.answers)
    state, rounds = kept.get("state"), kept.get("rounds", 0)
    pause = _FIRST_PAUSE_SECONDS
    while True:
        answer = await connection.call(
            pin.tool,
            arguments,
            responses=responses,
            state=state,
            token=context.call_id,
            as_task=_wants_task(pin),
        )
        if isinstance(answer, types.CallToolResult):
            return _output(answer)
        rounds += 1
        if rounds > connection.limits.rounds:
            raise McpToolFailed(f"It asked for more {connection.limits.rounds} times: given up.")
        state, responses = answer.request_state, None
        if answer.input_requests:
            asked = asked_by(connection.server.source, answer.input_requests)
            left: Json = {"asked": asked.to_json(), "state": state, "rounds": rounds}
            raise InputRequired(asked.form(), left)
        # Nothing to ask: it wants to be called again a little later.
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)


def _wants_task(pin: Pin) -> bool:
    """Return True if a tool can only be called as a task of 2025-11-25."""
    execution = cast("Mapping[str, Any]", pin.seen.get("execution") or {})
    return execution.get("taskSupport") == "required"


def _output(answer: types.CallToolResult) -> object:
    if answer.is_error:
        raise McpToolFailed(error_of(answer))
    return output_of(answer)


@dataclass(kw_only=True)
class Questions:
    """Questions that a server of 2025-11-25 asks while its call runs."""

    server: str
    ask: Ask
    _open: dict[object, set[asyncio.Task[Any]]] = field(
        default_factory=dict[object, set[asyncio.Task[Any]]]
    )

    async def elicited(
        self, params: types.ElicitRequestParams, token: object
    ) -> types.ElicitResult:
        """Ask a person beside the call; declined, dismissed and expired are told apart."""
        asked = Asked()
        try:
            asked.add(_KEY, params, self.server)
        except AssentError as error:
            log.warning("%s asks what people are not asked; declined: %s", self.server, error)
            return types.ElicitResult(action="decline")
        task = asyncio.create_task(self.ask(str(token), asked.form()))
        self._open.setdefault(token, set()).add(task)
        try:
            await asyncio.wait({task})
        finally:
            task.cancel()
            self._open.get(token, set()).discard(task)
        if task.cancelled() or task.exception() is not None:
            return types.ElicitResult(action="cancel")
        status, answers = task.result()
        if status is RequestStatus.ANSWERED:
            return responses_to(cast("dict[str, Any]", asked.to_json()), answers)[_KEY]
        # A person who withdraws the question declines it; nobody chose that it expires.
        declined = status in (RequestStatus.REJECTED, RequestStatus.CANCELLED)
        return types.ElicitResult(action="decline" if declined else "cancel")

    async def end(self, token: object) -> None:
        """Withdraw what is still asked for a call that has ended."""
        tasks = self._open.pop(token, set())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
