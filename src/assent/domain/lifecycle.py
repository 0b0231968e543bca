"""The life of a call: one enum, one transition table."""

from enum import StrEnum


class CallStatus(StrEnum):
    """The status of a call; every change is one row of `TRANSITIONS`."""

    PROPOSED = "proposed"
    AWAITING_INPUT = "awaiting_input"
    AWAITING_APPROVAL = "awaiting_approval"
    AWAITING_RESULT = "awaiting_result"
    CLEARED = "cleared"
    RUNNING = "running"
    IN_DOUBT = "in_doubt"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DENIED = "denied"
    REJECTED = "rejected"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"


S = CallStatus

AWAITING = frozenset({S.AWAITING_INPUT, S.AWAITING_APPROVAL, S.AWAITING_RESULT})
# The statuses in which something happens to a call by itself, without a person.
AT_WORK = frozenset({S.PROPOSED, S.CLEARED, S.RUNNING})
TERMINAL = frozenset(
    {S.SUCCEEDED, S.FAILED, S.DENIED, S.REJECTED, S.EXPIRED, S.CANCELLED, S.SUPERSEDED}
)
_WITHDRAWN = frozenset({S.REJECTED, S.EXPIRED, S.CANCELLED, S.SUPERSEDED})

TRANSITIONS: dict[CallStatus, frozenset[CallStatus]] = {
    S.PROPOSED: frozenset(
        {
            S.FAILED,
            S.DENIED,
            S.AWAITING_INPUT,
            S.AWAITING_APPROVAL,
            S.AWAITING_RESULT,
            S.CLEARED,
        }
    ),
    # Cleared: the answer to a body's own question, which is no argument and needs no new ruling.
    S.AWAITING_INPUT: frozenset({S.AWAITING_INPUT, S.PROPOSED, S.CLEARED, S.FAILED}) | _WITHDRAWN,
    S.AWAITING_APPROVAL: frozenset(
        {S.CLEARED, S.PROPOSED, S.AWAITING_RESULT, S.AWAITING_APPROVAL, S.DENIED, S.FAILED}
    )
    | _WITHDRAWN,
    S.CLEARED: frozenset({S.RUNNING, S.AWAITING_APPROVAL, S.DENIED, S.FAILED}) | _WITHDRAWN,
    # A second claim of an idempotent call whose lease ran out stays running under a new fence.
    S.RUNNING: frozenset(
        {
            S.SUCCEEDED,
            S.FAILED,
            S.AWAITING_INPUT,
            S.AWAITING_RESULT,
            S.AWAITING_APPROVAL,
            S.IN_DOUBT,
            S.RUNNING,
        }
    ),
    S.AWAITING_RESULT: frozenset({S.CLEARED, S.SUCCEEDED, S.FAILED}) | _WITHDRAWN,
    S.IN_DOUBT: frozenset({S.IN_DOUBT, S.SUCCEEDED, S.FAILED, S.CLEARED}),
} | {status: frozenset[CallStatus]() for status in TERMINAL}


def is_allowed(source: CallStatus, target: CallStatus) -> bool:
    """Return True if the table has this transition."""
    return target in TRANSITIONS[source]


class RequestKind(StrEnum):
    """The kinds of requests that people get about a call."""

    APPROVAL = "approval"
    INPUT = "input"
    RESULT = "result"
    OUTCOME = "outcome"


class RequestStatus(StrEnum):
    """The status of a request: open, or the way in which it was closed."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    ANSWERED = "answered"
    EXPIRED = "expired"
    CANCELLED = "cancelled"
    SUPERSEDED = "superseded"


class TurnStatus(StrEnum):
    """The status of a turn: `running` has a lease, `ready` needs a worker, `waiting` people."""

    RUNNING = "running"
    WAITING = "waiting"
    READY = "ready"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


ACTIVE_TURNS = frozenset({TurnStatus.RUNNING, TurnStatus.WAITING, TurnStatus.READY})


class ConversationStatus(StrEnum):
    """The status of a conversation, derived from calls and turns; in order of precedence."""

    AWAITING_APPROVAL = "awaiting_approval"
    AWAITING_INPUT = "awaiting_input"
    IN_DOUBT = "in_doubt"
    AWAITING_HITL = "awaiting_hitl"
    AWAITING_CLIENT_TOOLS = "awaiting_client_tools"
    IN_PROGRESS = "in_progress"
    INTERRUPTED = "interrupted"
    IDLE = "idle"
