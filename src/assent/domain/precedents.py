"""What was decided about calls like one."""

from dataclasses import dataclass
from datetime import datetime

from assent.domain.lifecycle import CallStatus, RequestStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Precedent:
    """An earlier approval that somebody gave, refused or let pass; `by` closed it.

    `arguments` is None where they are too long to be read beside something else.
    """

    request_id: str
    call_id: str
    owner: str
    decided: RequestStatus
    by: str | None
    at: datetime
    status: CallStatus
    arguments: str | None
