"""AI SDK 5, 6 and 7: `POST /api/chat` and the UI message stream, with approvals and questions."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.messages import FinishReason
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.server.frames import EVENT_STREAM, sse, utf8
from assent.server.settings import AiSdk
from assent.server.streams import steps as told
from assent.server.streams.actions import ClientOutput, DecideRequests, RetryTurn, StreamAction
from assent.server.streams.bodies import misshapen
from assent.server.streams.chat_posts import (
    ApprovalAnswer,
    approvals_of,
    message_of,
    outputs_of,
    post_of,
)
from assent.server.streams.data_stream import finish_of
from assent.server.streams.protocol import (
    StreamEncoder,
    StreamProtocol,
    StreamReader,
    StreamRequest,
    question,
)
from assent.server.streams.steps import End, OfCall, OfStep, Said, TurnStep

HEADERS = {
    "content-type": EVENT_STREAM,
    "x-vercel-ai-ui-message-stream": "v1",
    "access-control-expose-headers": "x-vercel-ai-ui-message-stream",
}
_DECIDED = {RequestStatus.APPROVED: True, RequestStatus.REJECTED: False}
_Part = Literal["text", "reasoning"]


class UiMessageProtocol(StreamProtocol):
    """The chat endpoints of `useChat`; the major version of the AI SDK is a setting."""

    posts = ("/api/chat",)
    follows = ("/api/chat/{id}/stream",)

    def read(self, given: StreamRequest) -> StreamAction:
        post, message = post_of(given.body)
        if post.id is None:
            raise misshapen("the id of the conversation is missing", "body", "id")
        if message.role != "user":
            return _answers(post.id, approvals_of(message), outputs_of(message))
        if post.trigger == "regenerate-message":
            return RetryTurn(conversation_id=post.id)
        return message_of(post.id, post, message)

    def encoder(self, reader: StreamReader) -> StreamEncoder:
        settings = reader.settings
        return UiMessages(
            settings.ai_sdk,
            reader.person,
            base=settings.base,
            voted=reader.start.voted,
            votes=reader.votes,
        )


@dataclass(frozen=True, kw_only=True)
class AnswerApprovals(DecideRequests):
    """Decide approvals only; `calls` are pairs of request and call as the page shows them."""

    calls: frozenset[tuple[str, str]]

    def answers(self, request: Request) -> bool:
        shown = {call_id for request_id, call_id in self.calls if request_id == request.id}
        return request.kind is RequestKind.APPROVAL and shown <= {request.call_id}


def _answers(
    id: str, approvals: Sequence[ApprovalAnswer], outputs: Sequence[ClientOutput]
) -> AnswerApprovals:
    return AnswerApprovals(
        conversation_id=id,
        decisions=[(said.request_id, said.verdict) for said in approvals],
        calls=frozenset(
            (said.request_id, said.call_id) for said in approvals if said.call_id is not None
        ),
        outputs=outputs,
    )


class UiMessages(StreamEncoder):
    """Encodes one stream for one reader.

    A client crashes on a chunk that its major version does not know: 5 has no approvals, 6 no
    resets.
    """

    headers = HEADERS

    def __init__(
        self,
        major: AiSdk,
        viewer: Person,
        *,
        base: str = "",
        voted: Sequence[tuple[Request, Call]] = (),
        votes: Set[str] = frozenset(),
    ) -> None:
        self._major, self._viewer, self._base = int(major), viewer, base
        self._voted, self._votes = voted, votes
        self._part: tuple[_Part, str] | None = None
        self._denied: set[str] = set()

    def encode(self, step: TurnStep) -> Iterator[bytes]:
        for chunk in self._chunks(step):
            yield sse(chunk)

    def broken(self, message: str) -> Iterator[bytes]:
        yield sse({"type": "error", "errorText": message})

    def close(self) -> Iterator[bytes]:
        yield utf8("data: [DONE]\n\n")

    def _chunks(self, step: TurnStep) -> Iterator[dict[str, Json]]:
        if isinstance(step, Said):
            yield from self._said(step)
            return
        yield from self._end_part()
        if isinstance(step, told.Opened):
            yield {"type": "start", "messageId": step.turn_id}
            for request, call in self._voted:
                yield from self._counted(request, call)
        elif isinstance(step, OfStep):
            yield from self._of_step(step)
        elif isinstance(step, OfCall):
            yield from self._of_call(step)
        else:
            yield _ended(step)

    def _of_step(self, step: OfStep) -> Iterator[dict[str, Json]]:
        match step:
            case told.StepStarted():
                yield {"type": "start-step"}
            case told.StepReset():
                if self._major >= 7:
                    yield {"type": "reset-step"}
            case told.StepPaused():
                # Each request was sent when it was opened.
                pass
            case told.StepFinished():
                yield {"type": "finish-step"}

    def _of_call(self, step: OfCall) -> Iterator[dict[str, Json]]:
        match step:
            case told.CallProposed(call_id=call_id, tool=tool, arguments=arguments):
                yield {"type": "tool-input-start", "toolCallId": call_id, "toolName": tool}
                yield _input(call_id, tool, dict(arguments))
            case told.CallRevised(call_id=call_id, tool=tool, arguments=arguments):
                yield _input(call_id, tool, dict(arguments))
            case told.Requested():
                yield from self._requested(step)
            case told.RequestClosed():
                yield from self._closed(step)
            case told.Progressed(call_id=call_id, value=value):
                yield _output(call_id, value) | {"preliminary": True}
            case told.CallSettled():
                yield self._settled(step)

    def _said(self, step: Said) -> Iterator[dict[str, Json]]:
        kind: _Part = "text" if isinstance(step, told.TextSaid) else "reasoning"
        if self._part is None or self._part[0] != kind:
            yield from self._end_part()
            self._part = (kind, f"{kind}-{step.seq}")
            yield {"type": f"{kind}-start", "id": self._part[1]}
        yield {"type": f"{kind}-delta", "id": self._part[1], "delta": step.text}

    def _end_part(self) -> Iterator[dict[str, Json]]:
        if self._part is not None:
            kind, id = self._part
            self._part = None
            yield {"type": f"{kind}-end", "id": id}

    def _asks_natively(self, request: Request) -> bool:
        """Return True to send the protocol's own approval, which the reader answers in the chat."""
        mine = request.admits(self._viewer) and request.id not in self._votes
        return self._major > 5 and request.kind is RequestKind.APPROVAL and mine

    def _requested(self, step: told.Requested) -> Iterator[dict[str, Json]]:
        request, call = step.request, step.call
        if self._asks_natively(request):
            yield self._approval(request)
            return
        if step.again:
            # Else the client's part stays "responded", and the client resends without end.
            yield _input(call.id, call.tool, call.arguments.thaw())
        yield self._data(request, request.status)

    def _counted(self, request: Request, call: Call) -> Iterator[dict[str, Json]]:
        """Encode that this reader's approval counts: the request stays open, but not for them."""
        # Else the client's part stays "responded", and the client resends without end.
        yield _input(call.id, call.tool, call.arguments.thaw())
        told = question(request, self._viewer, base=self._base, mine=False)
        yield {"type": "data-request", "id": request.id, "data": told}

    def _approval(self, request: Request) -> dict[str, Json]:
        chunk: dict[str, Json] = {
            "type": "tool-approval-request",
            "approvalId": request.id,
            "toolCallId": request.call_id,
            "approvalDescriptor": question(request, self._viewer, base=self._base),
        }
        if self._major >= 7 and request.question.reason:
            chunk["reason"] = request.question.reason
        return chunk

    def _data(self, request: Request, status: RequestStatus) -> dict[str, Json]:
        # 5 has no approvals of its own; its frontends look for this part.
        is_approval = request.kind is RequestKind.APPROVAL and self._major == 5
        return {
            "type": "data-approval" if is_approval else "data-request",
            "id": request.id,
            "data": question(
                request,
                self._viewer,
                status,
                base=self._base,
                mine=False if request.id in self._votes else None,
            ),
        }

    def _closed(self, step: told.RequestClosed) -> Iterator[dict[str, Json]]:
        request = step.request
        if not self._asks_natively(request):
            yield self._data(request, step.status)
            return
        approved = _DECIDED.get(step.status)
        if approved is False:
            self._denied.add(request.call_id)
        if self._major >= 7 and approved is not None:
            yield {
                "type": "tool-approval-response",
                "approvalId": request.id,
                "approved": approved,
            }

    def _settled(self, call: told.CallSettled) -> dict[str, Json]:
        if call.succeeded:
            return _output(call.call_id, call.output)
        if call.status is CallStatus.REJECTED and call.call_id in self._denied:
            return {"type": "tool-output-denied", "toolCallId": call.call_id}
        return {"type": "tool-output-error", "toolCallId": call.call_id, "errorText": call.error}


def _input(call_id: str, tool: str, arguments: Json) -> dict[str, Json]:
    return {
        "type": "tool-input-available",
        "toolCallId": call_id,
        "toolName": tool,
        "input": arguments,
    }


def _output(call_id: str, output: Json) -> dict[str, Json]:
    return {"type": "tool-output-available", "toolCallId": call_id, "output": output}


def _ended(end: End) -> dict[str, Json]:
    match end:
        case told.TurnWaiting():
            return _finish(FinishReason.CALLS)
        case told.TurnFinished(reason=reason):
            return _finish(reason)
        case told.TurnStopped():
            return {"type": "abort"}
        case told.TurnErrored(message=message):
            return {"type": "error", "errorText": message}


def _finish(reason: str) -> dict[str, Json]:
    return {"type": "finish", "finishReason": finish_of(reason)}
