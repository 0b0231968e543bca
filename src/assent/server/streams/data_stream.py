"""AI SDK 4: `/api/qa/chat_streamed` and the data stream, with the `8:` line of pending calls."""

import re
from collections.abc import Iterator

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.lifecycle import RequestKind
from assent.domain.messages import FinishReason
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.server.frames import compact, utf8
from assent.server.input_forms import user_input_request
from assent.server.streams import steps as told
from assent.server.streams.actions import CHAT_ID, DecideRequests, StreamAction
from assent.server.streams.bodies import misshapen
from assent.server.streams.chat_posts import message_of, outputs_of, post_of
from assent.server.streams.protocol import (
    StreamEncoder,
    StreamProtocol,
    StreamReader,
    StreamRequest,
)
from assent.server.streams.steps import End, OfCall, OfStep, Said, TurnStep

HEADERS = {
    "content-type": "text/plain; charset=utf-8",
    "x-vercel-ai-data-stream": "v1",
    # assistant-ui picks its decoder by this header, also from another origin.
    "access-control-expose-headers": "x-vercel-ai-data-stream",
}
FINISHES: dict[str, str] = {
    FinishReason.STOP: "stop",
    FinishReason.CALLS: "tool-calls",
    FinishReason.LENGTH: "length",
    FinishReason.FILTERED: "content-filter",
    FinishReason.ERROR: "error",
}


def finish_of(reason: str) -> str:
    """Return the AI SDK's name of a finish reason."""
    return FINISHES.get(reason, "other")


def line(code: str, value: Json) -> bytes:
    """Return one part of the stream: a code and one JSON value."""
    return utf8(f"{code}:{compact(value)}\n")


class DataStreamProtocol(StreamProtocol):
    """The chat endpoints of AI SDK 4, whose approvals are decided at an endpoint of their own."""

    posts = follows = ("/api/qa/chat_streamed", "/api/qa/chat_streamed/{thread_id}")
    # Not 204, because this major version treats a response without a body as an error.
    idle_headers = HEADERS

    def read(self, given: StreamRequest) -> StreamAction:
        post, message = post_of(given.body)
        id = given.path.get("thread_id") or post.id
        if id is None or re.fullmatch(CHAT_ID, id) is None:
            msg = (
                "send the id of the conversation, in the path or as 'id': "
                "1 to 128 letters, digits, '_', '.', ':' and '-', but not '.' or '..' alone"
            )
            raise misshapen(msg, "thread_id")
        if message.role == "user":
            return message_of(id, post, message)
        return DecideRequests(conversation_id=id, outputs=outputs_of(message))

    def conversation_id(self, given: StreamRequest) -> str:
        return given.query.get("chatId") or given.path.get("thread_id") or ""

    def encoder(self, reader: StreamReader) -> StreamEncoder:
        return DataStream(reader.person)


class DataStream(StreamEncoder):
    """Encodes one stream; a waiting call gets no `a:` line.

    Its `a:` line would hold a marker as the result, which clients would resubmit.
    """

    headers = HEADERS
    # An unknown prefix is fatal for the client, even that of an SSE comment.
    beat = b"\n"

    def __init__(self, viewer: Person) -> None:
        self._viewer = viewer

    def encode(self, step: TurnStep) -> Iterator[bytes]:
        if isinstance(step, Said):
            yield line("0" if isinstance(step, told.TextSaid) else "g", step.text)
        elif isinstance(step, OfStep):
            yield from _of_step(step, self._viewer)
        elif isinstance(step, OfCall):
            yield from _of_call(step)
        elif not isinstance(step, told.Opened):
            yield from _ended(step)

    def broken(self, message: str) -> Iterator[bytes]:
        yield line("3", message)


def _of_step(step: OfStep, viewer: Person) -> Iterator[bytes]:
    match step:
        case told.StepStarted(turn_id=turn_id):
            yield line("f", {"messageId": turn_id})
        case told.StepPaused(requests=requests, calls=calls):
            known = {call.id: call for call in calls}
            if requests:
                yield line(
                    "8", [annotation(each, known.get(each.call_id), viewer) for each in requests]
                )
        case told.StepFinished(reason=reason):
            yield line("e", {"finishReason": finish_of(reason), "isContinued": False})
        case told.StepReset():
            # The protocol cannot take anything back.
            pass


def _of_call(step: OfCall) -> Iterator[bytes]:
    match step:
        case told.CallProposed():
            yield from _proposed(step)
        case told.CallSettled(call_id=call_id, output=output):
            yield line("a", {"toolCallId": call_id, "result": output})
        case told.CallRevised() | told.Requested() | told.RequestClosed() | told.Progressed():
            # A second `9:` would duplicate the call; open requests are sent once, in the `8:` line.
            pass


def _proposed(call: told.CallProposed) -> Iterator[bytes]:
    arguments = dict(call.arguments)
    start: dict[str, Json] = {"toolCallId": call.call_id, "toolName": call.tool}
    yield line("b", start)
    yield line("c", {"toolCallId": call.call_id, "argsTextDelta": compact(arguments)})
    yield line("9", {**start, "args": arguments})


def _ended(end: End) -> Iterator[bytes]:
    match end:
        case told.TurnWaiting():
            yield _finish(FinishReason.CALLS)
        case told.TurnFinished(reason=reason):
            yield _finish(reason)
        case told.TurnStopped():
            yield _finish("stopped")
        case told.TurnErrored(message=message):
            yield line("3", message)
            yield _finish(FinishReason.ERROR)


def _finish(reason: str) -> bytes:
    return line("d", {"finishReason": finish_of(reason)})


def annotation(request: Request, call: Call | None, viewer: Person) -> Json:
    """Return the annotation of a pending call; a request that is not an approval says so."""
    pending: dict[str, Json] = {
        "toolCallId": request.call_id,
        "validated": "pending",
        "toolName": request.tool,
    }
    if call is not None:
        pending["parameters"] = call.arguments.thaw()
    if request.kind is RequestKind.APPROVAL:
        return pending
    pending |= {"kind": request.kind, "requestId": request.id}
    if request.kind is RequestKind.INPUT:
        pending["requires_user_input"] = True
        pending["user_input_request"] = user_input_request(request, viewer)
    return pending
