"""Why a decision is not taken."""

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from assent.domain.confirmations import Phrase
from assent.domain.errors.root import AssentError, Conflict


class NotEligible(AssentError):
    """This person may see the request but not decide it."""

    code = "not_eligible"

    def __init__(self, request_id: str, person: str) -> None:
        self.request_id, self.person = request_id, person
        super().__init__(f"{person!r} may not decide request {request_id!r}")


class AlreadyVoted(Conflict):
    """Several people have to approve it, and this one has."""

    code = "already_voted"

    def __init__(self, request_id: str, person: str) -> None:
        self.request_id, self.person = request_id, person
        super().__init__(f"{person!r} has already approved {request_id!r}: somebody else has to")


class StaleDigest(Conflict):
    """What the person saw is not what the request stands for now."""

    code = "stale_digest"
    said: ClassVar[str] = "Request {id!r} is not what was shown: look again, then decide"

    def __init__(self, request_id: str) -> None:
        self.request_id = request_id
        super().__init__(self.said.format(id=request_id))


class NotAsShown(StaleDigest):
    """What would run is not what the person was told would run; nothing changed."""

    code = "not_as_shown"
    said = (
        "Request {id!r} would run other arguments than those that were shown as what will run: "
        "look again, then decide. Nothing was changed"
    )


class InvalidVerdict(AssentError):
    """A verdict made of something that it cannot mean."""

    code = "invalid_verdict"


class WrongVerdict(Conflict):
    """This kind of request cannot be decided with this verdict."""

    code = "wrong_verdict"

    def __init__(self, request_id: str, kind: str, verdict: str) -> None:
        self.request_id, self.kind, self.verdict = request_id, kind, verdict
        super().__init__(
            f"Request {request_id!r} of kind {str(kind)!r} cannot be decided by {str(verdict)!r}"
        )


class StillRunning(Conflict):
    """A call in doubt whose body has outlived its time: nothing is run beside it."""

    code = "still_running"

    def __init__(self, request_id: str, call_id: str, *, worker: str, since: datetime) -> None:
        self.request_id, self.call_id, self.worker, self.since = request_id, call_id, worker, since
        super().__init__(
            f"Call {call_id!r} still runs in {worker!r}, past its time since {since:%F %T} UTC. "
            "Wait until it has ended, or restart that process, then decide again"
        )


class EditRefused(AssentError):
    """Policy denies the edited arguments; nothing changed and the call still waits."""

    code = "edit_refused"

    def __init__(self, request_id: str, reason: str) -> None:
        self.request_id, self.reason = request_id, reason
        super().__init__(f"The edit of request {request_id!r} is refused: {reason}")


class ConfirmationRequired(AssentError):
    """An approval that has to be confirmed by typing a value; nothing was decided.

    `to_type` is the value, `argument` whose it is (empty: the tool's name); `is_check` says that it
    is the start of the value's SHA-256, because the value itself cannot be typed.
    """

    code = "confirmation_required"

    def __init__(self, request_id: str, phrase: Phrase, *, typed: bool) -> None:
        self.request_id, self.typed = request_id, typed
        self.to_type, self.argument, self.is_check = phrase.text, phrase.argument, phrase.is_check
        wrong = "What was typed is not it. " if typed else ""
        super().__init__(f"{wrong}To approve {request_id!r}, type {phrase.what}: {phrase.text}")


class TooEarly(AssentError):
    """An approval that came sooner than anybody could have read what it is about."""

    code = "too_early"

    def __init__(self, request_id: str, seconds: int) -> None:
        self.request_id, self.retry_after = request_id, seconds
        super().__init__(
            f"That was quick. Read the call first, then approve {request_id!r} once more"
        )


class ConflictingDecisions(Conflict):
    """One batch says two things about one request; nothing was decided."""

    code = "conflicting_decisions"

    def __init__(self, request_ids: Sequence[str]) -> None:
        self.request_ids = tuple(request_ids)
        super().__init__(f"The batch contradicts itself about {', '.join(map(repr, request_ids))}")
