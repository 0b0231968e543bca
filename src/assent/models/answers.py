"""Conversion of a provider's response to our `Answer`, and back."""

import json
from dataclasses import replace
from importlib.metadata import version
from typing import Final

from pydantic_ai.messages import (
    ModelMessagesTypeAdapter,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
)

from assent.domain.messages import Answer, FinishReason, Proposal, Usage
from assent.errors import ModelFailed

_LIBRARY: Final = "pydantic-ai"
_FINISHES: Final = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.FILTERED,
    "tool_call": FinishReason.CALLS,
    "error": FinishReason.ERROR,
}
_CUT_SHORT: Final = ("length", "content_filter")


def answer_of(response: ModelResponse, most_calls: int | None = None) -> Answer:
    """Return the model's answer; raises `ModelFailed` if it is incomplete, failed or empty."""
    _check_finished(response)
    proposals = proposals_of(response)
    most = len(proposals) if most_calls is None else most_calls
    answer = Answer(
        text=response.text or "",
        reasoning=response.thinking or "",
        proposals=proposals[:most],
        left_out=len(proposals[most:]),
        finish=_finish(response),
        usage=_usage(response),
        model=response.model_name or "",
        wire=ModelMessagesTypeAdapter.dump_json([_cut(response, most)]).decode(),
        wire_format=f"{_LIBRARY}/{version('pydantic-ai-slim')}",
    )
    _check_said_something(answer)
    return answer


def _cut(response: ModelResponse, most: int) -> ModelResponse:
    """Return the response up to its last call that is used; `most` is at least one."""
    calls = [n for n, part in enumerate(response.parts) if isinstance(part, ToolCallPart)]
    if len(calls) <= most:
        return response
    # Later parts are cut as well: providers refuse reasoning without the call that it led to.
    return replace(response, parts=response.parts[: calls[most - 1] + 1])


def proposals_of(response: ModelResponse) -> tuple[Proposal, ...]:
    """Return the tool calls of a response in order, with arguments as the model wrote them."""
    return tuple(
        Proposal(
            provider_id=part.tool_call_id,
            tool=part.tool_name,
            arguments=_arguments(part, cut_short=_is_cut_short(part, response)),
        )
        for part in response.parts
        if isinstance(part, ToolCallPart)
    )


def response_of(answer: Answer) -> ModelResponse:
    """Return an earlier answer as it was received, or rebuilt if its stored form is unusable."""
    return _stored(answer) or _rebuilt(answer)


def _stored(answer: Answer) -> ModelResponse | None:
    if answer.wire is None or not (answer.wire_format or "").startswith(f"{_LIBRARY}/"):
        return None
    try:
        messages = ModelMessagesTypeAdapter.validate_json(answer.wire)
    except ValueError:
        return None
    match messages:
        # The outputs belong to our proposals, so no other calls may be sent.
        case [ModelResponse() as response] if proposals_of(response) == answer.proposals:
            return response
        case _:
            return None


def _rebuilt(answer: Answer) -> ModelResponse:
    # Without reasoning: providers refuse it unsigned or take it for an answer.
    parts: list[ModelResponsePart] = [TextPart(content=answer.text)] if answer.text else []
    parts += [
        ToolCallPart(tool_name=p.tool, args=p.arguments, tool_call_id=p.provider_id)
        for p in answer.proposals
    ]
    return ModelResponse(parts=parts)


def _arguments(part: ToolCallPart, *, cut_short: bool) -> str:
    match part.args:
        case str() as written if written:
            return written
        case dict() as parsed if not cut_short:
            return json.dumps(parsed, ensure_ascii=False)
        case _:
            # A call without parameters may have no arguments text. If the answer was cut short,
            # the arguments may be missing: then the text must not become valid JSON.
            return "" if cut_short else "{}"


def _is_cut_short(part: ToolCallPart, response: ModelResponse) -> bool:
    return response.finish_reason in _CUT_SHORT and part is response.parts[-1]


def _finish(response: ModelResponse) -> FinishReason:
    finish = _FINISHES.get(response.finish_reason or "stop", FinishReason.STOP)
    calls = any(isinstance(part, ToolCallPart) for part in response.parts)
    if finish in (FinishReason.STOP, FinishReason.CALLS):
        return FinishReason.CALLS if calls else FinishReason.STOP
    return finish


def _usage(response: ModelResponse) -> Usage:
    return Usage(
        input_tokens=response.usage.input_tokens, output_tokens=response.usage.output_tokens
    )


def _check_finished(response: ModelResponse) -> None:
    if response.state != "complete":
        raise ModelFailed(f"the answer is {response.state}", transient=True)
    if response.finish_reason == "error":
        raise ModelFailed("the provider reported an error during the answer", transient=True)


def _check_said_something(answer: Answer) -> None:
    silent = not answer.text.strip() and not answer.proposals
    if silent and answer.finish is FinishReason.STOP:
        raise ModelFailed("the answer is empty", transient=True)
