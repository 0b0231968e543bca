"""What happened, by pages: every call however it went, and the entries of the audit."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from assent.domain.calls import Frozen
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.paging import Place

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFilter:
    """Which calls are wanted; what is None does not matter.

    `text` is looked for in the names of tool, agent and owner; the times are when it was recorded.
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
    """Which audit entries are wanted; what is None does not matter."""

    actor: str | None = None
    action: str | None = None
    conversation_id: str | None = None
    call_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request as a list of calls shows it: what was asked, and how that ended."""

    id: str
    kind: RequestKind
    status: RequestStatus
    created_at: datetime
    closed_at: datetime | None = None
    closed_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastCall:
    """A call as a list shows it, with whatever people were asked about it."""

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
    questions: tuple[Question, ...] = ()

    @property
    def decided_by(self) -> str | None:
        """Who closed the last question about it: a person, the deadline, or the policy."""
        closed = [each.closed_by for each in self.questions if each.closed_by is not None]
        return closed[-1] if closed else None

    @property
    def waited(self) -> timedelta | None:
        """How long it waited for people; None where nobody was asked, or has answered yet."""
        ended = [each for each in self.questions if each.closed_at is not None]
        if not ended:
            return None
        return sum((_length(each) for each in ended), timedelta(0))

    @property
    def waits_for(self) -> Question | None:
        """The question that is still open."""
        return next((each for each in self.questions if each.status is RequestStatus.OPEN), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch(Generic[T]):
    """Some rows, newest first. `next` is where to go on: with fewer rows than were wanted, as many
    as one look may cost have been read past.
    """

    items: tuple[T, ...]
    next: Place | None = None
    is_cut: bool = False


def _length(question: Question) -> timedelta:
    return (question.closed_at or question.created_at) - question.created_at
