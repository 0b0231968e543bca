"""Pieces of an answer while it is streamed."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic_ai.messages import (
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)

from assent.domain.messages import ArgumentsDelta, Delta, ReasoningDelta, TextDelta

_BREAK = "\n\n"


class Reading:
    """Reads the events of one response; its deltas together give the text of the answer."""

    def __init__(self) -> None:
        self._calls: dict[int, ArgumentsDelta] = {}
        self._texts: set[int] = set()
        self._reasonings: set[int] = set()

    def read(self, event: ModelResponseStreamEvent) -> Iterator[Delta]:
        """Yield the pieces that one event adds."""
        match event:
            case PartStartEvent(index=index, part=TextPart(content=text)):
                apart = self._is_another(self._texts, index) and event.previous_part_kind != "text"
                yield from _said(TextDelta(_BREAK + text if apart else text))
            case PartStartEvent(index=index, part=ThinkingPart(content=text)):
                apart = self._is_another(self._reasonings, index)
                yield from _said(ReasoningDelta(_BREAK + text if apart else text))
            case PartStartEvent(index=index, part=ToolCallPart() as part):
                yield self._begun(index, part)
            case PartDeltaEvent():
                yield from self._continued(event)
            case _:
                return

    def _is_another(self, parts: set[int], index: int) -> bool:
        """Add a part; return True if there were others of its kind before."""
        others = len(parts) - (index in parts)
        parts.add(index)
        return others > 0

    def _begun(self, index: int, part: ToolCallPart) -> ArgumentsDelta:
        delta = ArgumentsDelta(len(self._calls), part.tool_name, _written(part.args))
        self._calls[index] = delta
        return delta

    def _continued(self, event: PartDeltaEvent) -> Iterator[Delta]:
        match event.delta:
            case TextPartDelta(content_delta=text) if text:
                yield TextDelta(text)
            case ThinkingPartDelta(content_delta=text) if text:
                yield ReasoningDelta(text)
            case ToolCallPartDelta(args_delta=arguments) if arguments:
                begun = self._calls[event.index]
                yield ArgumentsDelta(begun.index, begun.tool, _written(arguments))
            case _:
                return


def _said(delta: TextDelta | ReasoningDelta) -> Iterator[Delta]:
    if delta.text:
        yield delta


def _written(arguments: str | dict[str, Any] | None) -> str:
    if isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    return arguments or ""
