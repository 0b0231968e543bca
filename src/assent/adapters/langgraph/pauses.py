"""Pauses of a graph: what its client is shown of calls that wait, and how it goes on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from langgraph.errors import GraphBubbleUp
from langgraph.types import Command, Interrupt

from assent.adapters.replies import ticket
from assent.guard import GuardedCall

_OURS: Final = "assent"


class Waiting(GraphBubbleUp):
    """A call may not run yet; ends the node's run, as an interrupt does."""

    def __init__(self, call: GuardedCall, tool_call_id: str) -> None:
        self.call, self.tool_call_id = call, tool_call_id
        super().__init__(call.id)


def pause_of(waiting: Sequence[Waiting]) -> dict[str, Any]:
    """Return the value of an interrupt, in the shape of LangChain's own, with our tickets.

    No decision is allowed in an answer to it: people decide at the review page.
    """
    calls = [each.call for each in waiting]
    return {
        "action_requests": [
            {"name": call.tool, "args": dict(call.arguments), "description": _described(call)}
            for call in calls
        ],
        "review_configs": [
            {"action_name": name, "allowed_decisions": []}
            for name in dict.fromkeys(call.tool for call in calls)
        ],
        _OURS: [{"tool_call_id": each.tool_call_id, **ticket(each.call)} for each in waiting],
    }


def look_again(interrupts: Iterable[Interrupt]) -> Command[Any]:
    """Return the command that continues a graph after pauses of guarded calls.

    It says nothing about decisions: each call is looked up on the record, and one that still waits
    pauses again. Interrupts of others are left unanswered.
    """
    return Command(resume={each.id: True for each in interrupts if _is_ours(each.value)})


def _is_ours(value: object) -> bool:
    return isinstance(value, Mapping) and _OURS in cast("Mapping[object, object]", value)


def _described(call: GuardedCall) -> str:
    where = f" at {call.review_url}" if call.review_url else ""
    return f"{call.tool} is {call.status}: people act on it{where}"
