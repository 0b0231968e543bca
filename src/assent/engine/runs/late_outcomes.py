"""Outcomes of calls whose claim was lost: recorded, and shown to the people who are asked."""

from datetime import timedelta

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.outputs import json_text
from assent.engine.decisions.apply import tell_closed
from assent.engine.decisions.checks import Case
from assent.engine.runs.claims import Claim, Claims
from assent.engine.runs.outcomes import Asks, Failed, Outcome, Succeeded, Unknown, Waits
from assent.engine.transitions import Moves, shown

ACTION = "late_outcome"


def record_late(moves: Moves, claims: Claims, claim: Claim, outcome: Outcome) -> None:
    """Record a late outcome.

    It settles nothing; an open question is put again, with this outcome.
    """
    call = moves.tx.calls.get(claim.call.id) or claim.call
    data: dict[str, Json] = {
        "outcome": type(outcome).__name__.lower(),
        "detail": shown(_detail(outcome)),
    }
    if call.status is not CallStatus.IN_DOUBT or call.fence != claim.call.fence:
        moves.note(ACTION, call, data=data)
        return
    earlier = _close(moves, call, claim.conversation)
    reason = "; ".join([*earlier, _words(outcome)])
    still = moves.move(call, CallStatus.IN_DOUBT, ACTION, data=data, lease_until=timedelta(0))
    claims.ask(moves, still, claim.tool, claim.conversation, reason, kind=RequestKind.OUTCOME)


def _close(moves: Moves, call: Call, conversation: Conversation) -> list[str]:
    """Supersede the open question, which may be about to be answered; return why it was asked."""
    superseded, reasons = RequestStatus.SUPERSEDED, list[str]()
    for request in moves.tx.requests.of_call(call.id):
        if request.is_open:
            moves.tx.requests.close(request, superseded, by=moves.actor)
            case = Case(request=request, call=call, conversation=conversation)
            tell_closed(moves, case, superseded, moves.actor)
            reasons.append(request.question.reason)
    return reasons


def _words(outcome: Outcome) -> str:
    """Return the outcome in words for people."""
    match outcome:
        case Succeeded(output=output):
            return f"it ended meanwhile with: {shown(json_text(output))}"
        case Failed(output=output):
            return f"it failed meanwhile with: {shown(json_text(output))}"
        case Asks():
            return "meanwhile it asked for approval, which says that nothing was done"
        case Waits(task_id=None):
            return "meanwhile it left its answer to people"
        case Waits(task_id=task_id):
            return f"meanwhile it handed its work on, as the task {task_id!r}"
        case Unknown(reason=reason):
            return f"meanwhile it ended without saying how: {reason}"


def _detail(outcome: Outcome) -> Json:
    match outcome:
        case Succeeded(output=output) | Failed(output=output):
            return output
        case Asks(metadata=metadata):
            return dict(metadata)
        case Waits(task_id=task_id):
            return task_id
        case Unknown(reason=reason):
            return reason
