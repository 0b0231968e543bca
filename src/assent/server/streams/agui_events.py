"""AG-UI 1.0: a turn's steps as its events, in the subset that 0.0.59 takes too."""

from collections.abc import Iterator, Mapping
from typing import assert_never

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
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
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
from assent.domain.outputs import as_text
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.agents import Catalogue
from assent.server.streams.agui_held import Held, message_id, reasoning_id, result_id
from assent.server.streams.agui_interrupts import interrupt_of
from assent.server.streams.frames import EVENT_STREAM, SSE_BEAT, compact, sse
from assent.server.streams.steps import (
    CallProposed,
    CallRevised,
    CallSettled,
    Opened,
    Progressed,
    ReasoningSaid,
    RequestClosed,
    Requested,
    Step,
    StepFinished,
    StepReset,
    StepStarted,
    TextSaid,
    TurnFailed,
    TurnFinished,
    TurnStopped,
    TurnWaiting,
)

PROTOCOL_VERSION = "1.0"
REVISED = "assent.call_revised"
PROGRESS = "assent.progress"


class AguiEvents:
    """Tells one run."""

    headers: Mapping[str, str] = {"content-type": EVENT_STREAM}
    beat = SSE_BEAT

    def __init__(
        self, thread_id: str, run_id: str, *, viewer: Person, catalogue: Catalogue
    ) -> None:
        self._thread, self._run = thread_id, run_id
        self._viewer, self._catalogue = viewer, catalogue
        self._held = Held()
        self._message = ""
        self._open: str | None = None
        self._thinking: str | None = None
        self._calls: dict[str, Call] = {}
        self._over = False

    def repeat(self, held: Held) -> None:
        """Take notice of what the client shows already, before the first step."""
        self._held = held

    def encode(self, step: Step) -> Iterator[bytes]:
        """The events that one step stands for."""
        return map(_framed, self._events(step))

    def refused(self, message: str, code: str) -> Iterator[bytes]:
        """A whole run that could not begin; what waits still waits."""
        yield _framed(self._started())
        yield _framed(RunErrorEvent(message=message, code=code))

    def broken(self, message: str) -> Iterator[bytes]:
        """The stream cannot go on; run again to follow the turn."""
        if not self._over:
            yield _framed(self._failed(message, "stream_broken"))

    def close(self) -> Iterator[bytes]:
        """Nothing: the last event of a run is its end."""
        return iter(())

    def _events(self, step: Step) -> Iterator[BaseEvent | dict[str, Json]]:
        match step:
            case Opened():
                yield self._started()
                if self._held.rest is not None:
                    yield {"type": "MESSAGES_SNAPSHOT", "messages": [*self._held.rest]}
            case StepStarted(turn_id=turn_id, number=number):
                self._message = message_id(turn_id, number)
            case TextSaid(text=text):
                yield from self._text(text)
            case ReasoningSaid(text=text):
                yield from self._reasoning(text)
            case CallProposed():
                yield from self._shut()
                yield from self._call(step)
            case CallRevised(call_id=id, arguments=arguments):
                yield _custom(REVISED, {"toolCallId": id, "arguments": dict(arguments)})
            case Progressed(call_id=id, value=value, fraction=fraction):
                far: dict[str, Json] = {} if fraction is None else {"fraction": fraction}
                yield _custom(PROGRESS, {"toolCallId": id, "value": value, **far})
            case CallSettled(call_id=id, output=output):
                yield ToolCallResultEvent(
                    message_id=result_id(id), tool_call_id=id, content=as_text(output), role="tool"
                )
            case StepReset():
                yield from self._shut()
                # There is no taking back: what comes is another message.
                self._message = f"{self._message}.again"
            case Requested(request=request, call=call):
                self._calls[request.call_id] = call
            case StepFinished():
                yield from self._shut()
            case RequestClosed():
                pass
            case TurnWaiting() | TurnFinished() | TurnStopped() | TurnFailed():
                yield from self._shut()
                yield self._end(step)
            case _:
                assert_never(step)

    def _started(self) -> BaseEvent:
        return RunStartedEvent(
            thread_id=self._thread, run_id=self._run, protocol_version=PROTOCOL_VERSION
        )

    def _text(self, text: str) -> Iterator[BaseEvent]:
        yield from self._stop_thinking()
        if self._open is None:
            self._open = self._message
            yield TextMessageStartEvent(message_id=self._open, role="assistant")
        yield TextMessageContentEvent(message_id=self._open, delta=text)

    def _reasoning(self, text: str) -> Iterator[BaseEvent]:
        if reasoning_id(self._message) in self._held.thoughts:
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

    def _call(self, step: CallProposed) -> Iterator[BaseEvent]:
        id = step.call_id
        yield ToolCallStartEvent(
            tool_call_id=id, tool_call_name=step.tool, parent_message_id=self._message
        )
        yield ToolCallArgsEvent(tool_call_id=id, delta=compact(dict(step.arguments)))
        yield ToolCallEndEvent(tool_call_id=id)

    def _end(self, step: TurnWaiting | TurnFinished | TurnStopped | TurnFailed) -> BaseEvent:
        self._over = True
        match step:
            case TurnWaiting(requests=(_, *_) as asked):
                interrupts = [self._interrupt(request) for request in asked]
                return self._finished(RunFinishedInterruptOutcome(interrupts=interrupts))
            case TurnFinished() | TurnWaiting():
                return self._finished(RunFinishedSuccessOutcome())
            case TurnStopped():
                # The protocol's `cancelled` is fatal to 0.0.59.
                return self._failed(
                    "The run was stopped, or a newer message replaced it", "stopped"
                )
            case TurnFailed(message=message):
                return self._failed(message, "turn_failed")
        assert_never(step)

    def _interrupt(self, request: Request) -> Interrupt:
        tool = self._catalogue.tool(request.agent, request.tool)
        call = self._calls.get(request.call_id)
        return interrupt_of(request, call, tool, viewer=self._viewer)

    def _finished(
        self, outcome: RunFinishedSuccessOutcome | RunFinishedInterruptOutcome
    ) -> BaseEvent:
        return RunFinishedEvent(thread_id=self._thread, run_id=self._run, outcome=outcome)

    def _failed(self, message: str, code: str) -> BaseEvent:
        return RunErrorEvent(message=message, code=code)


def _custom(name: str, value: dict[str, Json]) -> BaseEvent:
    return CustomEvent(name=name, value=value)


def _framed(event: BaseEvent | dict[str, Json]) -> bytes:
    told = event if isinstance(event, dict) else event.model_dump(mode="json", by_alias=True)
    return sse(told)
