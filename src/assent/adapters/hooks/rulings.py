"""Rulings: what a hook is to answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assent.domain.lifecycle import CallStatus
from assent.guard import CallClaim, GuardedCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """The call is claimed, and may run with these arguments."""

    call: GuardedCall
    claim: CallClaim
    # None if they are those that the agent proposed.
    changed: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Denied:
    """The call does not run; the reason is for the model."""

    reason: str


@dataclass(frozen=True, slots=True)
class Undecided:
    """People have not decided yet; the call still waits for them."""

    call: GuardedCall

    @property
    def in_doubt(self) -> bool:
        """True if it may have run before: asked again, it could run a second time."""
        return self.call.status is CallStatus.IN_DOUBT

    @property
    def reason(self) -> str:
        """Says in words for a model what the call waits for, and where."""
        where = f" at {self.call.review_url}" if self.call.review_url else ""
        if self.in_doubt:
            unknown = f"It is not known whether {self.call.tool!r} ran"
            return f"{unknown}: people say what happened{where}. Do not call it again meanwhile."
        return f"Nothing was run: {self.call.tool!r} is {self.call.status}{where}."


Ruling = Allowed | Denied | Undecided
