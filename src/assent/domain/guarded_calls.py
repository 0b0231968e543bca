"""Calls as their callers outside see them: their state, the right to run one, and its outcome."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.lifecycle import AWAITING, TERMINAL, CallStatus, RequestKind
from assent.domain.parameters import Check, either, instance, optional, settle
from assent.domain.tools import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedCall:
    """A call in its present state, as its caller sees it."""

    id: str
    tool: str
    status: CallStatus
    # Those that run, after every edit; secrets are references, and masked.
    arguments: Mapping[str, Json]
    revision: int = 1
    definition_hash: str = ""
    # True if the caller runs it, under a claim.
    by_caller: bool = True
    # What it waits for, and where people answer it.
    request_id: str | None = None
    waits_for: RequestKind | None = None
    review_url: str | None = None
    decide_by: datetime | None = None
    # As a model should read it: the output, or an error that says what became of the call.
    output: Json = None
    # A note for the model about arguments that a person changed.
    note: str | None = None
    decided_by: str | None = None
    # The right to run it, if that was asked for with the proposal and nobody has to be asked.
    claim: "CallClaim | None" = None

    @property
    def is_waiting(self) -> bool:
        """True if people have to act first."""
        return self.status in AWAITING or self.status is CallStatus.IN_DOUBT

    @property
    def is_cleared(self) -> bool:
        """True if it may be claimed and run."""
        return self.status is CallStatus.CLEARED

    @property
    def is_settled(self) -> bool:
        """True if it has ended; its status and output never change again."""
        return self.status in TERMINAL

    @property
    def succeeded(self) -> bool:
        """True if it ran and its output is here."""
        return self.status is CallStatus.SUCCEEDED

    @property
    def error(self) -> str:
        """Why it did not succeed, in words for a model; empty if it did or has not ended."""
        if self.succeeded or not self.is_settled:
            return ""
        match self.output:
            case {"error": str(reason)}:
                return reason
            case _:
                return f"The call was {self.status}."


@dataclass(frozen=True, slots=True, kw_only=True)
class CallClaim:
    """The right to run a call once, until its lease runs out; `arguments` are what to run."""

    call_id: str
    tool: str
    fence: int
    # Chosen at random by the caller: a repeated request gets the same claim again.
    token: str = field(repr=False)
    # With the secrets that people entered.
    arguments: Mapping[str, Any] = field(repr=False)
    lease_seconds: float
    approved: bool = False
    # When the lease is over, by `lease_clock`; counted from before the claim was asked for.
    expires: float = field(compare=False)


@dataclass(slots=True)
class RenewedClaim:
    """A claim that is renewed in the background: `claim` is as it was last renewed."""

    claim: CallClaim


@dataclass(frozen=True, slots=True)
class Returned:
    """The body returned this output."""

    output: object

    def __post_init__(self) -> None:
        settle(self, {"output": _OUTPUT})


@dataclass(frozen=True, slots=True)
class Raised:
    """The body failed: the error says why, and what it did before that, if anything."""

    error: str

    def __post_init__(self) -> None:
        settle(self, {"error": parameters.text})


@dataclass(frozen=True, slots=True)
class Unclear:
    """The body may or may not have had its effect: a person has to look."""

    reason: str

    def __post_init__(self) -> None:
        settle(self, {"reason": parameters.text})


BodyOutcome = Returned | Raised | Unclear
GuardedBody = Callable[[Mapping[str, Any]], Any]


def is_begun(value: object) -> bool:
    """Return True for a coroutine or a generator: code that somebody still has to run."""
    return inspect.isawaitable(value) or inspect.isgenerator(value) or inspect.isasyncgen(value)


def _output(given: object) -> object:
    return parameters.unfit() if is_begun(given) else given


def _body(given: object) -> object:
    is_generator = inspect.isgeneratorfunction(given) or inspect.isasyncgenfunction(given)
    return parameters.unfit() if is_generator else _FUNCTION.read(given)


_OUTPUT: Final = Check("what the body returned, awaited", _output)
_FUNCTION: Final = parameters.function_of(1, "a function")
_TOOL: Final = "a tool (of @tool or external())"
_ENDINGS: Final = "Returned(…), Raised(…) or Unclear(…)"
_GIVEN: Final = {
    "tool": Check(f"{_TOOL}, or the name of one", either(instance(Tool), parameters.name).read),
    "own_tool": instance(Tool, _TOOL),
    "arguments": parameters.mapping,
    "body": Check("a function that takes the arguments as one mapping, no generator", _body),
    "wait": optional(parameters.number(0)),
    "call_id": Check("the id of a call", parameters.text.read),
    "call": instance(GuardedCall, "what propose() or look() returned"),
    "claim": instance(CallClaim, "what claim() returned"),
    "outcome": Check(_ENDINGS, either(*map(instance, (Returned, Raised, Unclear))).read),
}


def want(**given: object) -> None:
    """Raise `InvalidParameter` for what no guard can take; nothing was recorded then."""
    for name, value in given.items():
        _GIVEN[name].taken("Guard", name.removeprefix("own_"), value)
