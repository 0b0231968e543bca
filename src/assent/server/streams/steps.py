"""The steps of a turn, which every stream protocol encodes: a closed set of small facts.

`follow` joins the events of a turn with its rows into steps: it replays them, then goes on live.
"""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from assent.domain.calls import Call
from assent.domain.canonical import Json, parse
from assent.domain.events import Event, EventKind
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.messages import FinishReason
from assent.domain.requests import Request
from assent.engine.assent import Assent
from assent.engine.following import TurnLook
from assent.engine.queries.snapshots import Turn


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


async def follow(assent: Assent, turn_id: str, *, after: int = 0) -> AsyncGenerator[TurnStep]:
    """Replay a turn from a cursor and follow it until nothing more happens by itself.

    A reader that leaves early changes nothing: the turn goes on and can be followed again.
    """
    turn = await assent.turn(turn_id)
    yield Opened(turn_id=turn_id, conversation_id=turn.conversation_id)
    telling = Telling(turn_id)
    async with aclosing(assent.following.looks(turn_id, after=after)) as found:
        async for look in found:
            for event in look.events:
                for step in telling.tell(event, look):
                    yield step
            turn = look.turn
    for step in telling.end(turn):
        yield step


@dataclass
class Telling:
    """Turns events into steps; remembers which step of the model is open."""

    turn_id: str
    _number: int | None = None
    _called: bool = False
    _reason: str = FinishReason.STOP

    def tell(self, event: Event, look: TurnLook) -> Iterator[TurnStep]:
        """Yield the steps that one event stands for."""
        data = event.data
        match event.kind:
            case EventKind.STEP:
                yield from self._start(int(str(data["step"])))
            case EventKind.RESET:
                # With calls on record the step is complete: nothing of it is sent again.
                if self._number is not None and not self._called:
                    yield StepReset(reason=str(data["reason"]))
            case EventKind.TEXT | EventKind.REASONING:
                if text := str(data["text"]):
                    kind = TextSaid if event.kind is EventKind.TEXT else ReasoningSaid
                    yield kind(seq=event.seq, text=text)
            case EventKind.FINISHED:
                self._reason = str(data["reason"])
            case EventKind.STARTED | EventKind.WAITING | EventKind.ERROR:
                # The row of the turn says if it really rests there.
                pass
            case _:
                self._called = self._called or event.kind is EventKind.PROPOSED
                yield from _of_call(event.kind, data, look)

    def _start(self, number: int) -> Iterator[TurnStep]:
        # After a failure the same step is announced again.
        if self._number == number:
            return
        yield from self._finish(FinishReason.CALLS)
        self._number = number
        yield StepStarted(turn_id=self.turn_id, number=number)

    def _finish(self, reason: str) -> Iterator[TurnStep]:
        if self._number is not None:
            yield StepFinished(reason=reason)
        self._number, self._called = None, False

    def end(self, turn: Turn) -> Iterator[TurnStep]:
        """Yield the last steps of a turn that rests."""
        match turn.status:
            case TurnStatus.WAITING | TurnStatus.RUNNING | TurnStatus.READY:
                yield StepPaused(requests=turn.pending, calls=turn.calls)
                yield from self._finish(FinishReason.CALLS)
                yield TurnWaiting(requests=turn.pending)
            case TurnStatus.DONE:
                yield from self._finish(self._reason)
                yield TurnFinished(reason=self._reason)
            case TurnStatus.STOPPED:
                yield from self._finish("stopped")
                yield TurnStopped()
            case TurnStatus.FAILED:
                yield from self._finish(FinishReason.ERROR)
                yield TurnErrored(message=turn.error or "The turn failed.")


def _of_call(kind: EventKind, data: Mapping[str, Json], look: TurnLook) -> Iterator[OfCall]:
    match kind:
        case EventKind.PROPOSED:
            yield _proposed(data)
        case EventKind.CALL if data["status"] == CallStatus.PROPOSED:
            yield _revised(look.calls[str(data["call_id"])])
        case EventKind.PENDING:
            yield _requested(look.requests[str(data["request_id"])], look)
        case EventKind.DECIDED:
            yield _closed(data, look)
        case EventKind.PROGRESS:
            yield _progressed(data)
        case EventKind.RESULT:
            yield _settled(data)
        case _:
            # The protocols do not report that a call starts to run.
            pass


def _proposed(data: Mapping[str, Json]) -> CallProposed:
    arguments = parse(str(data["arguments"]))
    return CallProposed(
        call_id=str(data["call_id"]),
        tool=str(data["tool"]),
        arguments=arguments if isinstance(arguments, dict) else {"arguments": arguments},
    )


def _revised(call: Call) -> CallRevised:
    return CallRevised(call_id=call.id, tool=call.tool, arguments=call.arguments.thaw())


def _requested(request: Request, look: TurnLook) -> Requested:
    call = look.calls[request.call_id]
    return Requested(request=request, call=call, again=look.asked_before(request))


def _closed(data: Mapping[str, Json], look: TurnLook) -> RequestClosed:
    return RequestClosed(
        request=look.requests[str(data["request_id"])],
        status=RequestStatus(str(data["status"])),
        by=str(data["by"]),
    )


def _progressed(data: Mapping[str, Json]) -> Progressed:
    fraction = data.get("fraction")
    return Progressed(
        call_id=str(data["call_id"]),
        value=data["value"],
        fraction=float(fraction) if isinstance(fraction, int | float) else None,
    )


def _settled(data: Mapping[str, Json]) -> CallSettled:
    stored = data.get("output")
    return CallSettled(
        call_id=str(data["call_id"]),
        tool=str(data["tool"]),
        status=CallStatus(str(data["status"])),
        output=json.loads(stored) if isinstance(stored, str) else None,
    )
