"""Following a turn: its events joined with its rows, replayed and then live, until it rests."""

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
from assent.engine.following import Look
from assent.engine.queries.snapshots import Turn
from assent.server.streams.steps import (
    CallProposed,
    CallRevised,
    CallSettled,
    OfCall,
    Opened,
    Progressed,
    ReasoningSaid,
    RequestClosed,
    Requested,
    StepFinished,
    StepPaused,
    StepReset,
    StepStarted,
    TextSaid,
    TurnErrored,
    TurnFinished,
    TurnStep,
    TurnStopped,
    TurnWaiting,
)


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

    def tell(self, event: Event, look: Look) -> Iterator[TurnStep]:
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


def _of_call(kind: EventKind, data: Mapping[str, Json], look: Look) -> Iterator[OfCall]:
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


def _requested(request: Request, look: Look) -> Requested:
    call = look.calls[request.call_id]
    return Requested(request=request, call=call, again=look.asked_before(request))


def _closed(data: Mapping[str, Json], look: Look) -> RequestClosed:
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
