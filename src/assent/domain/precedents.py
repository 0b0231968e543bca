"""Earlier decisions about similar calls."""

from dataclasses import dataclass
from datetime import datetime

from assent.domain.lifecycle import CallStatus, RequestStatus


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
