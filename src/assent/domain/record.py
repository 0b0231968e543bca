"""The record: every call and audit entry in pages, and earlier decisions on similar calls."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from assent.domain.calls import Frozen
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.paging import Place

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """A filter for calls; None matches all.

    `text` is searched in the names of tool, agent and owner. `since` and `until` limit the time at
    which a call was recorded.
    """

    status: CallStatus | None = None
    awaiting: bool = False
    tool: str | None = None
    agent: str | None = None
    risk: str | None = None
    decided_by: str | None = None
    asked: bool | None = None
    text: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """A filter for audit entries; None matches all."""

    actor: str | None = None
    action: str | None = None
    conversation_id: str | None = None
    call_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRequest:
    """A request in a list of calls: its kind and its end."""

    id: str
    kind: RequestKind
    status: RequestStatus
    created_at: datetime
    closed_at: datetime | None = None
    closed_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """A call in a list, with the requests that people got about it."""

    id: str
    conversation_id: str
    agent: str
    owner: str
    tool: str
    source: str
    risk: str
    status: CallStatus
    arguments: Frozen
    revision: int
    attempts: int
    cleared_by: str | None
    created_at: datetime
    settled_at: datetime | None
    questions: tuple[PastRequest, ...] = ()

    @property
    def decided_by(self) -> str | None:
        """The person, deadline or policy that closed the last request about the call."""
        closed = [each.closed_by for each in self.questions if each.closed_by is not None]
        return closed[-1] if closed else None

    @property
    def waited(self) -> timedelta | None:
        """The time it waited for people; None if no request about it was closed."""
        ended = [each for each in self.questions if each.closed_at is not None]
        if not ended:
            return None
        return sum((_length(each) for each in ended), timedelta(0))

    @property
    def waits_for(self) -> PastRequest | None:
        """The request that is still open, if any."""
        return next((each for each in self.questions if each.status is RequestStatus.OPEN), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPage(Generic[T]):
    """Some rows, newest first, and the place where the next page begins.

    `is_cut` is True if the search stopped at its limit of rows: more may match after it.
    """

    items: tuple[T, ...]
    next: Place | None = None
    is_cut: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedent:
    """An earlier request for approval of a similar call: approved, rejected or expired.

    `by` closed it. `arguments` is None if they are too long to be shown beside a request.
    """

    request_id: str
    call_id: str
    owner: str
    decided: RequestStatus
    by: str | None
    at: datetime
    status: CallStatus
    arguments: str | None


def _length(question: PastRequest) -> timedelta:
    return (question.closed_at or question.created_at) - question.created_at
