"""The terms of an ask: who decides, how many of them, until when, and how they confirm it.

Several rules can ask about one call. Their terms are merged here: for each term the strictest
counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import reduce
from typing import Final, Literal, TypedDict

from assent.domain import parameters, people
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.parameters import Check, optional
from assent.domain.people import Audience, AudienceGiven

# More people than any quorum needs, and a number that every database can store.
_MOST_PEOPLE: Final = 1_000


class Deadline(StrEnum):
    """A deadline that is not a length of time."""

    NONE = "none"


NO_DEADLINE: Final = Deadline.NONE
"""Says that a question waits for ever; to say nothing leaves the deadline to others."""
# A deadline as people write it: seconds, a timedelta, or no deadline.
DeadlineGiven = float | timedelta | Deadline | Literal["none"]
# How long a question waits, once every setting is resolved; None means for ever.
TimeLimit = timedelta | None
ConfirmationGiven = Confirmation | Literal["click", "step", "typed"]


def decide_by(limit: TimeLimit, now: datetime) -> datetime | None:
    """Return when a question that is asked now expires; None if it never does."""
    return None if limit is None else now + limit


def _deadline(given: object) -> object:
    length = _DURATION.read(given)
    return _NONE.read(given) if length is parameters.unfit() else length


def _limit(given: object) -> object:
    found = _deadline(given)
    return None if found is NO_DEADLINE else found


_DURATION: Final = parameters.duration()
_NONE: Final = parameters.one_of(Deadline)
deadline: Final = Check(f"{_DURATION.allowed}, or NO_DEADLINE", _deadline)
# The same check for settings where None means no deadline, and not an unset one.
limit: Final = optional(Check(deadline.allowed, _limit))


class TermsGiven(TypedDict, total=False):
    """The terms of an ask as people write them; missing or None leaves a term unset."""

    audience: AudienceGiven | None
    quorum: int
    decide_within: DeadlineGiven | None
    confirmation: ConfirmationGiven | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskTerms:
    """The terms under which a person is asked; None leaves a term to the tool.

    `a & b` is as strict as both: a person must be in both audiences, the larger quorum, the shorter
    deadline and the firmer confirmation count.
    """

    audience: Audience | None = None
    quorum: int = 1
    decide_within: timedelta | Deadline | None = None
    confirmation: Confirmation | None = None

    @property
    def given(self) -> TermsGiven:
        """The terms alone, as keywords."""
        return {
            "audience": self.audience,
            "quorum": self.quorum,
            "decide_within": self.decide_within,
            "confirmation": self.confirmation,
        }

    @classmethod
    def strictest(cls, terms: Iterable["AskTerms"]) -> "AskTerms":
        """Return the strictest terms of several asks; without asks every term is unset."""
        return reduce(AskTerms.__and__, terms, cls())

    def __and__(self, other: "AskTerms") -> "AskTerms":
        wanted = (self.confirmation, other.confirmation)
        return AskTerms(
            audience=_both(self.audience, other.audience),
            quorum=max(self.quorum, other.quorum),
            decide_within=_shorter(self.decide_within, other.decide_within),
            confirmation=firmest(*wanted) if any(wanted) else None,
        )

    def terms_json(self) -> dict[str, object]:
        """Return the terms as data; unset terms are left out, except the audience."""
        said: dict[str, object] = {}
        if self.confirmation is not None:
            said["confirmation"] = self.confirmation
        if self.quorum > 1:
            said["quorum"] = self.quorum
        match self.decide_within:
            case timedelta() as within:
                said["decide_within"] = within.total_seconds()
            case Deadline():
                said["decide_within"] = self.decide_within
            case None:
                pass
        return said | {"audience": None if self.audience is None else self.audience.to_json()}

    def time_to_decide(self, otherwise: TimeLimit) -> TimeLimit:
        """Return how long the question waits; `otherwise` if no deadline is set."""
        match self.decide_within:
            case None:
                return otherwise
            case Deadline():
                return None
            case timedelta() as within:
                return within


TERMS: Final = {
    "audience": optional(people.audience),
    "quorum": parameters.whole(1, _MOST_PEOPLE),
    "decide_within": optional(deadline),
    "confirmation": optional(parameters.one_of(Confirmation)),
}


def _both(one: Audience | None, other: Audience | None) -> Audience | None:
    if one is None or other is None or one == other:
        return other if one is None else one
    return one & other


def _shorter(
    one: timedelta | Deadline | None, other: timedelta | Deadline | None
) -> timedelta | Deadline | None:
    lengths = [each for each in (one, other) if isinstance(each, timedelta)]
    # Any length of time is stricter than no deadline, and an explicit "no deadline" overrides an
    # unset one.
    return min(lengths) if lengths else one or other
