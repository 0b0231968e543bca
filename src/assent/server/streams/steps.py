"""The steps of a turn that every stream protocol encodes: a closed set of small facts."""

from collections.abc import Mapping
from dataclasses import dataclass

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.domain.requests import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The stream begins; the first step of every stream, also of one that continues a turn."""

    turn_id: str
    conversation_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStarted:
    """The model is asked; all steps of a turn belong to one message, named by the turn."""

    turn_id: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TextSaid:
    """A piece of the answer; `seq` grows within a turn."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningSaid:
    """A piece of the model's reasoning."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProposed:
    """A call with its frozen arguments; it may run, wait or be refused."""

    call_id: str
    tool: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRevised:
    """An edit or an answer changed the arguments to these."""

    call_id: str
    tool: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """People are asked about a call, durably; in a replay it may be decided by now.

    `again` is True if the same call was asked about before, and that request was decided.
    """

    request: Request
    call: Call
    again: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestClosed:
    """A request was decided, or its deadline passed."""

    request: Request
    status: RequestStatus
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """A running call reports its progress."""

    call_id: str
    value: Json
    fraction: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallSettled:
    """A call came to its end; the model is told the output."""

    call_id: str
    tool: str
    status: CallStatus
    output: Json

    @property
    def succeeded(self) -> bool:
        """True if the call ran and returned a result."""
        return self.status is CallStatus.SUCCEEDED

    @property
    def error(self) -> str:
        """A description of the error."""
        if isinstance(self.output, dict) and isinstance(self.output.get("error"), str):
            return str(self.output["error"])
        return f"The call is {self.status}."


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReset:
    """The model is asked this step again: forget what it said in it."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPaused:
    """Every call of the step that could run has run; the others wait for people, durably.

    The step's end and `TurnWaiting` follow.
    """

    requests: tuple[Request, ...]
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFinished:
    """The step is over, or cannot go on before a person acts.

    `reason` is one of `FinishReason`, or "stopped".
    """

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWaiting:
    """Nothing more happens until people decide these; the stream ends."""

    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished:
    """The model answered; the stream ends. `reason` is one of `FinishReason`."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStopped:
    """A person stopped the turn, or a newer message replaced it; the stream ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnErrored:
    """The turn ended with an error and can be resumed; the stream ends."""

    message: str


# Grouped by subject, so that an encoder can handle them group by group.
Said = TextSaid | ReasoningSaid
OfCall = CallProposed | CallRevised | Requested | RequestClosed | Progressed | CallSettled
OfStep = StepStarted | StepReset | StepPaused | StepFinished
End = TurnWaiting | TurnFinished | TurnStopped | TurnErrored
TurnStep = Opened | Said | OfCall | OfStep | End
