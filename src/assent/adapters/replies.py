"""Replies: what a model is told of a guarded call."""

from typing import Final

from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus
from assent.domain.outputs import as_text
from assent.errors import InvalidJson
from assent.guard import GuardedCall

_REFUSED: Final = frozenset(
    {
        CallStatus.DENIED,
        CallStatus.REJECTED,
        CallStatus.EXPIRED,
        CallStatus.CANCELLED,
        CallStatus.SUPERSEDED,
    }
)


def was_refused(call: GuardedCall) -> bool:
    """Return True if a call has ended without a run: people or policy said no, or nobody did."""
    return call.status in _REFUSED


def reply(call: GuardedCall) -> Json:
    """Return the output of a call that succeeded, below the note if a person changed it."""
    return call.output if call.note is None else f"{call.note}\n{as_text(call.output)}"


def refusal(call: GuardedCall) -> str:
    """Return why a call did not succeed."""
    return call.error if call.note is None else f"{call.note}\n{call.error}"


def unkept(error: InvalidJson) -> str:
    """Return what a model is told of arguments that nobody can be asked about."""
    return f"The tool was not run, its arguments cannot be kept exactly: {error}"


def ticket(call: GuardedCall) -> dict[str, Json]:
    """Return what a program needs to follow a call that waits: its id, and where people decide."""
    return {
        "call_id": call.id,
        "status": str(call.status),
        "request_id": call.request_id,
        "waits_for": None if call.waits_for is None else str(call.waits_for),
        "review_url": call.review_url,
        "decide_by": None if call.decide_by is None else call.decide_by.isoformat(),
    }
