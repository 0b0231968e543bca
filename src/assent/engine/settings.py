"""Settings of a deployment: the texts that models are told, and times."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from assent.domain import parameters
from assent.domain.parameters import Check, settle


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The texts that the model is told when a call did not simply run."""

    rejected: str = "Tool execution denied by user."
    rejected_hint: str = "Do not run it again unless the user asks for it."
    feedback: str = "Tool call refused by the user. User's feedback: {feedback}"
    expired: str = "Approval request timed out."
    cancelled: str = "The call was cancelled before it ran."
    superseded: str = "The call was cancelled because the user sent a new message."
    aborted: str = "The user stopped the turn before this call ran."
    unknown: str = "The outcome of this call is unknown. It may have run: do not retry it."
    surplus: str = (
        "Not run: this answer made {made:,} calls, and only the first {most:,} were taken. "
        "Call again what is still needed."
    )
    repeated: str = "Not run: the same call with the same arguments was made too often."
    crowded: str = "Not run: too many questions wait for people already. Do not call it again now."
    edited: str = "A person changed the arguments of this call to: {arguments}"

    def __post_init__(self) -> None:
        settle(self, _TEXTS)


def _with(**parts: object) -> Check:
    """Return a check for text with placeholders: any others would fail only in a turn.

    Each part has an example of its value, for what is said about it after a colon.
    """

    def read(given: object) -> object:
        if not isinstance(given, str):
            return _UNFIT
        try:
            given.format(**parts)
        except (LookupError, ValueError, AttributeError, TypeError):
            return _UNFIT
        return given

    names = " and ".join(f"{{{part}}}" for part in parts)
    return Check(f"text where only {names} {'is' if len(parts) == 1 else 'are'} filled in", read)


_UNFIT: Final = parameters.unfit()
_TEXTS: Final = dict.fromkeys(Texts.__dataclass_fields__, parameters.text) | {
    "feedback": _with(feedback=""),
    "edited": _with(arguments=""),
    "surplus": _with(made=2, most=1),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The lengths of leases, and the intervals at which workers look for work."""

    lease: timedelta = timedelta(seconds=30)
    look: timedelta = timedelta(seconds=2)
    flush: timedelta = timedelta(milliseconds=150)
    grace: timedelta = timedelta(seconds=10)
    # A turn that nobody takes up for this long has no worker: a process without one stops waiting
    # and raises `NoWorker`.
    takeup: timedelta = timedelta(seconds=10)
    # How long the database may take to answer before it counts as unavailable.
    wait: timedelta = timedelta(seconds=10)

    def __post_init__(self) -> None:
        settle(self, _TIMES)


_TIMES: Final = {
    "lease": parameters.duration(),
    "look": parameters.duration(),
    "flush": parameters.duration(zero=True),
    "grace": parameters.duration(zero=True),
    "takeup": parameters.duration(zero=True),
    "wait": parameters.duration(),
}
