"""The encoder for AG-UI 1.0, limited to the events that 0.0.59 accepts, too."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any, assert_never

from ag_ui.core import (
    BaseEvent,
    CustomEvent,
    Interrupt,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
)

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.events import Event, EventKind
from assent.domain.outputs import as_text
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.agents import Catalogue
from assent.server.frames import compact, sse
from assent.server.streams import steps as told
from assent.server.streams.agui_interrupts import interrupt_of
from assent.server.streams.protocol import StreamEncoder
from assent.server.streams.steps import End, OfCall, OfStep, Said, TurnStep

PROTOCOL_VERSION = "1.0"
REVISED = "assent.call_revised"
PROGRESS = "assent.progress"
Told = BaseEvent | dict[str, Json]
Posted = dict[str, Any]


def message_id(turn_id: str, step: int) -> str:
    """Return the id of the assistant's message in one step; it is the same in every replay."""
    return f"{turn_id}.{step}"


def reasoning_id(message_id: str) -> str:
    """Return the id of the message with the model's reasoning before this message."""
    return f"{message_id}.reasoning"


def result_id(call_id: str) -> str:
    """Return the id of the message with a call's result."""
    return f"{call_id}.result"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownMessages:
    """The client's messages, minus those that this stream sends again; None if it repeats none.

    They are only sent back for the client's display: nothing of them is believed or stored.
    """

    rest: tuple[Posted, ...] | None = None
    # A snapshot does not remove reasoning from the client, so it is not sent again.
    thoughts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, turn_id: str, events: Sequence[Event], posted: Sequence[Posted]) -> "ShownMessages":
        """Compare the messages that a stream of these events sends with those a client posted."""
        coming = frozenset(_ids(turn_id, events))
        rest = tuple(message for message in posted if _stem(message) not in coming)
        thoughts = {str(m.get("id")) for m in posted if m.get("role") == "reasoning"}
        is_same = len(rest) == len(posted)
        return cls(rest=None if is_same else rest, thoughts=frozenset(thoughts))


def _ids(turn_id: str, events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        if event.kind is EventKind.STEP:
            yield message_id(turn_id, int(str(event.data["step"])))
        elif event.kind is EventKind.RESULT:
            yield result_id(str(event.data["call_id"]))


def _stem(message: Posted) -> str:
    """Return the id without the suffix of further messages in the same step."""
    return ".".join(str(message.get("id")).split(".")[:2])


class AguiEvents(StreamEncoder):
    """Encodes one run; `declared` is the protocol version that the client names."""

    def __init__(
        self,
        thread_id: str,
        run_id: str,
        *,
        declared: str | None,
        viewer: Person,
        catalogue: Catalogue,
        base: str = "",
        shown: ShownMessages | None = None,
        votes: Set[str] = frozenset(),
    ) -> None:
        self._declared = declared
        self._thread, self._run = thread_id, run_id
        self._viewer, self._catalogue, self._base = viewer, catalogue, base
        self._shown, self._votes = shown or ShownMessages(), votes
        self._message, self._spoke = "", False
        self._open: str | None = None
        self._thinking: str | None = None
        self._calls: dict[str, Call] = {}
        self._over = False

    def encode(self, step: TurnStep) -> Iterator[bytes]:
        """Encode one step as events."""
        return map(_framed, self._events(step))

    def broken(self, message: str) -> Iterator[bytes]:
        """Encode that the stream cannot go on; the client can run again to follow the turn."""
        if not self._over:
            yield _framed(RunErrorEvent(message=message, code="stream_broken"))

    def _events(self, step: TurnStep) -> Iterator[Told]:
        if isinstance(step, Said):
            yield from self._said(step)
            return
        yield from self._shut()
        if isinstance(step, told.Opened):
            yield from self._opened()
        elif isinstance(step, OfStep):
            self._of_step(step)
        elif isinstance(step, OfCall):
            yield from self._of_call(step)
        else:
            yield self._end(step)

    def _opened(self) -> Iterator[Told]:
        yield _started(self._thread, self._run)
        if self._shown.rest is not None:
            yield {"type": "MESSAGES_SNAPSHOT", "messages": [*self._shown.rest]}

    def _said(self, step: Said) -> Iterator[BaseEvent]:
        match step:
            case told.TextSaid(text=text):
                yield from self._text(text)
            case told.ReasoningSaid(text=text):
                yield from self._reasoning(text)

    def _of_step(self, step: OfStep) -> None:
        match step:
            case told.StepStarted(turn_id=turn_id, number=number):
                self._message, self._spoke = message_id(turn_id, number), False
            case told.StepReset():
                # The protocol cannot take text back, so what comes now is another message.
                if self._spoke:
                    self._message, self._spoke = f"{self._message}.again", False
            case told.StepPaused(calls=calls):
                # From here and not from the announcements, which may be before the start of this
                # stream.
                self._calls = {call.id: call for call in calls}
            case told.StepFinished():
                pass

    def _of_call(self, step: OfCall) -> Iterator[BaseEvent]:
        match step:
            case told.CallProposed():
                yield from self._call(step)
            case told.CallRevised(call_id=id, arguments=arguments):
                yield _custom(REVISED, {"toolCallId": id, "arguments": dict(arguments)})
            case told.Progressed(call_id=id, value=value, fraction=fraction):
                far: dict[str, Json] = {} if fraction is None else {"fraction": fraction}
                yield _custom(PROGRESS, {"toolCallId": id, "value": value, **far})
            case told.CallSettled(call_id=id, output=output):
                yield ToolCallResultEvent(
                    message_id=result_id(id), tool_call_id=id, content=as_text(output), role="tool"
                )
            case told.Requested() | told.RequestClosed():
                # Open requests are sent at the end, in their state at that time.
                pass

    def _text(self, text: str) -> Iterator[BaseEvent]:
        yield from self._stop_thinking()
        if self._open is None:
            self._open, self._spoke = self._message, True
            yield TextMessageStartEvent(message_id=self._open, role="assistant")
        yield TextMessageContentEvent(message_id=self._open, delta=text)

    def _reasoning(self, text: str) -> Iterator[BaseEvent]:
        if reasoning_id(self._message) in self._shown.thoughts:
            return
        if self._thinking is None:
            yield from self._shut()
            self._thinking = id = reasoning_id(self._message)
            yield ReasoningStartEvent(message_id=id)
            yield ReasoningMessageStartEvent(message_id=id, role="reasoning")
        yield ReasoningMessageContentEvent(message_id=self._thinking, delta=text)

    def _stop_thinking(self) -> Iterator[BaseEvent]:
        if self._thinking is not None:
            yield ReasoningMessageEndEvent(message_id=self._thinking)
            yield ReasoningEndEvent(message_id=self._thinking)
            self._thinking = None

    def _shut(self) -> Iterator[BaseEvent]:
        yield from self._stop_thinking()
        if self._open is not None:
            yield TextMessageEndEvent(message_id=self._open)
            self._open = None

    def _call(self, step: told.CallProposed) -> Iterator[BaseEvent]:
        id = step.call_id
        yield ToolCallStartEvent(
            tool_call_id=id, tool_call_name=step.tool, parent_message_id=self._message
        )
        yield ToolCallArgsEvent(tool_call_id=id, delta=compact(dict(step.arguments)))
        yield ToolCallEndEvent(tool_call_id=id)

    def _end(self, step: End) -> BaseEvent:
        self._over = True
        match step:
            case told.TurnWaiting(requests=(_, *_) as asked):
                interrupts = [self._interrupt(request) for request in asked]
                return self._finished(RunFinishedInterruptOutcome(interrupts=interrupts))
            case told.TurnFinished() | told.TurnWaiting():
                return self._finished(RunFinishedSuccessOutcome())
            case told.TurnStopped():
                # Not an error: the client would keep its interrupts, and could never go on.
                return self._finished(self._cancelled())
            case told.TurnErrored(message=message):
                return RunErrorEvent(message=message, code="turn_failed")
        assert_never(step)

    def _interrupt(self, request: Request) -> Interrupt:
        tool = self._catalogue.tool(request.agent, request.tool)
        call = self._calls.get(request.call_id)
        mine = False if request.id in self._votes else None
        return interrupt_of(request, call, tool, viewer=self._viewer, base=self._base, mine=mine)

    def _cancelled(self) -> RunFinishedCancelledOutcome | RunFinishedSuccessOutcome:
        # Older clients, which declare no version, crash on an outcome that they do not know.
        return RunFinishedCancelledOutcome() if self._declared else RunFinishedSuccessOutcome()

    def _finished(self, outcome: RunFinishedOutcome) -> BaseEvent:
        return RunFinishedEvent(thread_id=self._thread, run_id=self._run, outcome=outcome)


def refused_run(thread_id: str, run_id: str, message: str, code: str) -> bytes:
    """Return the whole stream of a run that could not begin; open requests stay open."""
    events = (_started(thread_id, run_id), RunErrorEvent(message=message, code=code))
    return b"".join(map(_framed, events))


def _started(thread_id: str, run_id: str) -> BaseEvent:
    return RunStartedEvent(thread_id=thread_id, run_id=run_id, protocol_version=PROTOCOL_VERSION)


def _custom(name: str, value: dict[str, Json]) -> BaseEvent:
    return CustomEvent(name=name, value=value)


def _framed(event: Told) -> bytes:
    plain = event if isinstance(event, dict) else event.model_dump(mode="json", by_alias=True)
    return sse(plain)
