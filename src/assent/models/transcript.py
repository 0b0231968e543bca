"""A prompt's history as messages of pydantic-ai: every call has a unique id and one result."""

import re
from collections import defaultdict, deque
from dataclasses import replace
from typing import Final, assert_never

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    MultiModalContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from assent.domain.messages import (
    Block,
    ModelSaid,
    Prompt,
    TextBlock,
    ToolOutput,
    UserSaid,
)
from assent.errors import Malformed
from assent.models.answers import response_of
from assent.models.media import content_of

_NOT_IN_A_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME_CHARS: Final = 64
_BLANK: Final = "(blank)"


def messages_of(prompt: Prompt) -> list[ModelMessage]:
    """Return the history as messages; raises `Malformed` if a call has not exactly one output."""
    transcript = _Transcript(frozenset(tool.name for tool in prompt.tools))
    for said in prompt.history:
        match said:
            case UserSaid():
                transcript.hear(said)
            case ModelSaid():
                transcript.recall(said)
            case _:
                assert_never(said)
    return transcript.finished()


class _Transcript:
    def __init__(self, tools: frozenset[str]) -> None:
        self._tools = tools
        self._messages: list[ModelMessage] = []
        self._parts: list[ModelRequestPart] = []
        self._ids: set[str] = set()
        self._times: dict[str, int] = {}

    def hear(self, said: UserSaid) -> None:
        self._parts.append(UserPromptPart(content=_filled(said.text)))

    def recall(self, said: ModelSaid) -> None:
        outputs = _paired(said)
        # No provider accepts an empty assistant message.
        if not said.answer.text.strip() and not said.answer.proposals:
            return
        self._close_request()
        response = self._relabelled(response_of(said.answer))
        self._messages.append(response)
        calls = (part for part in response.parts if isinstance(part, ToolCallPart))
        self._parts += [_returned(*pair) for pair in zip(calls, outputs, strict=True)]

    def finished(self) -> list[ModelMessage]:
        self._close_request()
        return self._messages

    def _close_request(self) -> None:
        if self._parts:
            self._messages.append(ModelRequest(parts=self._parts))
            self._parts = []

    def _relabelled(self, response: ModelResponse) -> ModelResponse:
        parts = [
            replace(part, tool_call_id=self._unique(part.tool_call_id), tool_name=self._name(part))
            if isinstance(part, ToolCallPart)
            else part
            for part in response.parts
            if not _is_blank(part)
        ]
        return replace(response, parts=parts)

    def _unique(self, id: str) -> str:
        """Return a unique id: providers repeat ids, and refuse repeated ones in a history."""
        id = id or "call"
        # Counting goes on from the last number: from 1, many equal ids would take quadratic time.
        unique, times = id, self._times.get(id, 1)
        while unique in self._ids:
            times += 1
            unique = f"{id}_{times}"
        self._times[id] = times
        self._ids.add(unique)
        return unique

    def _name(self, part: ToolCallPart) -> str:
        """Return a valid name: providers refuse every later request with an invalid one."""
        if part.tool_name in self._tools:
            return part.tool_name
        return _NOT_IN_A_NAME.sub("_", part.tool_name)[:_MAX_NAME_CHARS] or "unknown"


def _is_blank(part: ModelResponsePart) -> bool:
    # Google wants signed parts back, even blank ones.
    return isinstance(part, TextPart) and not (part.content.strip() or part.provider_details)


def _paired(said: ModelSaid) -> list[ToolOutput]:
    """Return the outputs in the order of the proposals; equal ids are matched in order."""
    waiting: defaultdict[str, deque[ToolOutput]] = defaultdict(deque)
    for output in said.outputs:
        waiting[output.provider_id].append(output)
    paired: list[ToolOutput] = []
    for proposal in said.answer.proposals:
        if not waiting[proposal.provider_id]:
            raise Malformed("The history", proposal.provider_id, "this call has no output")
        paired.append(waiting[proposal.provider_id].popleft())
    if (left := next((id for id, outputs in waiting.items() if outputs), None)) is not None:
        raise Malformed("The history", left, "this output belongs to no call")
    return paired


def _returned(call: ToolCallPart, output: ToolOutput) -> ToolReturnPart:
    content = output.content
    return ToolReturnPart(
        tool_name=call.tool_name,
        tool_call_id=call.tool_call_id,
        content=_filled(content) if isinstance(content, str) else [*map(_content, content)],
        outcome="failed" if output.failed else "success",
    )


def _content(block: Block) -> str | MultiModalContent:
    content = block.text if isinstance(block, TextBlock) else content_of(block)
    return _filled(content) if isinstance(content, str) else content


def _filled(text: str) -> str:
    """Replace blank text: Anthropic refuses every request with blank text in its history."""
    return text if text.strip() else _BLANK
