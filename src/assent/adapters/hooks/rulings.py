"""Rulings: what a hook is to answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    def reason(self) -> str:
        """What it waits for, and where, in words for a model."""
        where = f" at {self.call.review_url}" if self.call.review_url else ""
        return f"Nothing was run: {self.call.tool!r} is {self.call.status}{where}."


Ruling = Allowed | Denied | Undecided
