"""Runs that paused for people, resumed from Assent's record: in any process, at any time."""

import asyncio
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_ai import AgentRunResult
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.messages import ModelMessage
from pydantic_ai.tools import (
    DeferredToolRequests,
    DeferredToolResults,
    ToolApproved,
    ToolDenied,
)

from assent.adapters.options import checked
from assent.adapters.pydantic_ai.guarding import want_guarded
from assent.adapters.pydantic_ai.toolset import MARK
from assent.adapters.replies import refusal, was_refused
from assent.domain.parameters import instance
from assent.errors import Malformed, NothingAwaited
from assent.guard import Guard, GuardedCall


@dataclass(frozen=True, kw_only=True)
class _Pause:
    messages: list[ModelMessage]
    requests: DeferredToolRequests


_PAUSE: Final = TypeAdapter(_Pause)
_REQUESTS: Final = instance(DeferredToolRequests, "DeferredToolRequests, the output of a run")
_RESULT: Final = instance(AgentRunResult, "a paused run, or what saved() returned")


def saved(result: AgentRunResult[Any]) -> bytes:
    """Return a run that ended with `DeferredToolRequests` as JSON, for `resume`; keep it anywhere.

    Whoever can write there can change what the model reads, but not what runs: that is on record.
    """
    return _PAUSE.dump_json(_pause(result))


async def results(
    guard: Guard, requests: DeferredToolRequests, *, wait: float | None = 0
) -> DeferredToolResults:
    """Return results for the calls of a paused run that the guard knows, from its record.

    What people rejected is denied with their reason. Everything else goes back to the toolset,
    which runs what is approved and defers again what still waits; up to `wait` seconds for people.
    """
    checked("results()", guard=guard, wait=wait)
    _REQUESTS.taken("results()", "requests", requests)
    known = {
        part.tool_call_id: call_id
        for part in requests.approvals
        if (call_id := _call_id(requests, part.tool_call_id)) is not None
    }
    calls = await asyncio.gather(*(guard.look(call_id, wait=wait) for call_id in known.values()))
    found = zip(known, calls, strict=True)
    return DeferredToolResults(approvals={tool_call: _verdict(call) for tool_call, call in found})


async def resume(
    agent: AbstractAgent[Any, Any],
    guard: Guard,
    paused: AgentRunResult[Any] | bytes | str,
    *,
    wait: float | None = 0,
    **options: Any,
) -> AgentRunResult[Any]:
    """Go on with a paused run, as its result or as `saved` returned it; `options` are `run`'s.

    What still waits afterwards is in the new result's `DeferredToolRequests`.
    """
    want_guarded("resume()", agent, options)
    pause = _read(paused) if isinstance(paused, bytes | str) else _pause(paused)
    decided = await results(guard, pause.requests, wait=wait)
    return await agent.run(message_history=pause.messages, deferred_tool_results=decided, **options)


def _pause(result: AgentRunResult[Any]) -> _Pause:
    _RESULT.taken("resume()", "paused", result)
    if not isinstance(result.output, DeferredToolRequests):
        raise NothingAwaited("run", str(result.run_id), "finished")
    return _Pause(messages=result.all_messages(), requests=result.output)


def _read(paused: bytes | str) -> _Pause:
    try:
        return _PAUSE.validate_json(paused)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(map(str, first["loc"]))
        raise Malformed("Paused run", path, first["msg"]) from None


def _call_id(requests: DeferredToolRequests, tool_call_id: str) -> str | None:
    mark: object = requests.metadata.get(tool_call_id, {}).get(MARK)
    if not isinstance(mark, dict):
        return None
    call_id = cast("dict[str, object]", mark).get("call_id")
    return call_id if isinstance(call_id, str) else None


def _verdict(call: GuardedCall) -> ToolApproved | ToolDenied:
    return ToolDenied(refusal(call)) if was_refused(call) else ToolApproved()
