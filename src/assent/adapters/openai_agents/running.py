"""Runs that pause for people and go on in any process, decided by Assent's record only."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

from agents import FunctionTool, Runner, RunResult, RunState, ToolApprovalItem
from agents.exceptions import AgentsException
from pydantic import BaseModel, ConfigDict, ValidationError

from assent.adapters.openai_agents.agents import GuardedAgent
from assent.adapters.openai_agents.threads import Thread
from assent.adapters.replies import refusal, was_refused
from assent.domain.canonical import Json
from assent.domain.parameters import instance
from assent.errors import AssentError, Malformed, NothingAwaited

# Any other one would run its tools, and ask nobody.
_GUARDED: Final = instance(GuardedAgent, "one that guarded(…) returned")


class _Saved(BaseModel):
    """A paused run as it is stored."""

    model_config = ConfigDict(extra="forbid")

    thread: str
    tickets: dict[str, dict[str, Any]]
    state: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedRun:
    """A run as far as it got: finished, or paused until people decide."""

    result: RunResult
    thread: Thread

    @property
    def is_paused(self) -> bool:
        """True if it waits for people."""
        return bool(self.result.interruptions)

    @property
    def final_output(self) -> Any:
        """The answer of a run that is finished."""
        return self.result.final_output

    @property
    def tickets(self) -> Mapping[str, Mapping[str, Json]]:
        """The calls that wait, by the ids of the SDK: `call_id`, `request_id`, `review_url` …."""
        waiting = {item.call_id for item in self.result.interruptions}
        return {id: made for id, made in self.thread.tickets.items() if id in waiting}

    def saved(self, **options: Any) -> str:
        """Return a paused run as JSON, for `resume`; `options` are those of `RunState.to_json`.

        Whoever can write there can change what the model reads, but not what runs.
        """
        if not self.is_paused:
            raise NothingAwaited("run", self.thread.id, "finished")
        state = self.result.to_state().to_json(**options)
        tickets = {id: dict(made) for id, made in self.tickets.items()}
        return _Saved(thread=self.thread.id, tickets=tickets, state=state).model_dump_json()


async def run(
    agent: GuardedAgent, message: Any, *, thread: str | None = None, **options: Any
) -> GuardedRun:
    """Run a guarded agent until it answers or people have to act; `options` are `Runner.run`'s.

    `thread` names the run: whoever starts it again under the same name repeats no call.
    """
    _GUARDED.taken("run()", "agent", agent)
    return await _run(agent, message, Thread(thread), options)


async def resume(
    agent: GuardedAgent,
    paused: GuardedRun | str,
    *,
    wait: float | None = 0,
    context: Any = None,
    **options: Any,
) -> GuardedRun:
    """Go on with a paused run, or with what its `saved` returned.

    What people decided is read from the guard's record, after up to `wait` seconds for each call.
    `context` replaces the stored context of the run.
    """
    _GUARDED.taken("resume()", "agent", agent)
    text = paused.saved() if isinstance(paused, GuardedRun) else paused
    saved = _read(text)
    state = await RunState.from_json(agent, saved.state, context_override=context)
    thread = Thread(saved.thread)
    thread.tickets.update(saved.tickets)
    for item in state.get_interruptions():
        await _decide(agent, thread, state, item, wait)
    return await _run(agent, state, thread, options)


async def _run(
    agent: GuardedAgent, given: Any, thread: Thread, options: Mapping[str, Any]
) -> GuardedRun:
    async with _own_errors():
        with thread:
            result = await Runner.run(agent, given, **options)
    return GuardedRun(result=result, thread=thread)


@asynccontextmanager
async def _own_errors() -> AsyncGenerator[None]:
    """Raise what the guard said, and not the SDK's summary of it."""
    try:
        yield
    except AgentsException as error:
        cause = error.__cause__
        if isinstance(cause, AssentError):
            raise cause from None
        raise


def _read(text: str) -> _Saved:
    try:
        return _Saved.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise Malformed("Paused run", ".".join(map(str, first["loc"])), first["msg"]) from None


async def _decide(
    agent: GuardedAgent,
    thread: Thread,
    state: RunState[Any, Any],
    item: ToolApprovalItem,
    wait: float | None,
) -> None:
    call_id = thread.call_id(item.call_id or "")
    if call_id is None:
        # The SDK asks about arguments that are no JSON without asking us: our gate refuses them.
        if _is_gated(item):
            state.approve(item)
        return
    call = await agent.family.guard.look(call_id, wait=wait)
    if was_refused(call):
        state.reject(item, rejection_message=refusal(call))
    elif call.is_cleared or call.is_settled:
        state.approve(item)


def _is_gated(item: ToolApprovalItem) -> bool:
    """Return True if an approved item comes to our gate, which runs nothing that is not cleared."""
    if not isinstance(item.agent, GuardedAgent):
        return False
    raw: Any = item.raw_item
    kind = cast("dict[str, Any]", raw).get("type") if isinstance(raw, dict) else raw.type
    is_function = kind == "function_call"
    nested = {t.name for t in item.agent.tools if isinstance(t, FunctionTool) and _is_nested(t)}
    return is_function and item.tool_name not in nested


def _is_nested(tool: FunctionTool) -> bool:
    return bool(getattr(tool, "_is_agent_tool", False))
