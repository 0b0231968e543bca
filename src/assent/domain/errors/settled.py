"""A decision that came too late: one class for each state that may have won."""

from datetime import datetime

from assent.domain.errors.root import Conflict


class AlreadySettled(Conflict):
    """Somebody or something was first; the state that won is in `status`."""

    code = "already_settled"

    def __init__(
        self, request_id: str, status: str, *, by: str | None = None, at: datetime | None = None
    ) -> None:
        self.request_id, self.status, self.by, self.at = request_id, status, by, at
        who = f" by {by!r}" if by else ""
        super().__init__(f"Request {request_id!r} is already {status}{who}")

    @staticmethod
    def of(
        request_id: str, status: str, *, by: str | None = None, at: datetime | None = None
    ) -> "AlreadySettled":
        """The error class that stands for this final status."""
        kind = _SETTLED.get(status, AlreadySettled)
        return kind(request_id, status, by=by, at=at)


class AlreadyApproved(AlreadySettled):
    """Somebody approved it before."""

    code = "already_approved"


class AlreadyRejected(AlreadySettled):
    """Somebody rejected it before."""

    code = "already_rejected"


class AlreadyAnswered(AlreadySettled):
    """Somebody answered it before."""

    code = "already_answered"


class Expired(AlreadySettled):
    """The deadline passed before the decision arrived."""

    code = "expired"


class Cancelled(AlreadySettled):
    """It was cancelled before the decision arrived."""

    code = "cancelled"


class Superseded(AlreadySettled):
    """A newer message, revision or policy took its place."""

    code = "superseded"


_SETTLED: dict[str, type[AlreadySettled]] = {
    "approved": AlreadyApproved,
    "rejected": AlreadyRejected,
    "answered": AlreadyAnswered,
    "expired": Expired,
    "cancelled": Cancelled,
    "superseded": Superseded,
}
