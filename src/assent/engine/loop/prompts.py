"""Prompts from rows: every tool call gets exactly one output."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, cast

import msgspec

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Message, Role
from assent.domain.messages import (
    Answer,
    HistoryItem,
    ModelSaid,
    TextBlock,
    ToolOutput,
    UserSaid,
)
from assent.domain.outputs import as_text, blocks_of, is_content, json_text
from assent.engine.settings import Texts

INCOMPLETE = "[The user stopped this answer here.]"


def dump_answer(answer: Answer) -> str:
    """Return an answer as the text that its message's row keeps."""
    kept = msgspec.to_builtins(answer)
    # Calls beyond the cap share one stored call, whose output says how many there were.
    del kept["left_out"]
    return json_text(kept)


def load_answer(body: str) -> Answer:
    """Read what `dump_answer` wrote."""
    # Not by msgspec's own parser, which refuses the half surrogate pairs that a model can write.
    return msgspec.convert(json.loads(body), Answer)


def history(
    messages: Iterable[Message], calls: Iterable[Call], texts: Texts
) -> tuple[HistoryItem, ...]:
    """Return the whole conversation, oldest first."""
    by_message: defaultdict[str, list[Call]] = defaultdict(list)
    for call in calls:
        by_message[call.message_id].append(call)
    return tuple(_said(message, by_message[message.id], texts) for message in messages)


def _said(message: Message, calls: Sequence[Call], texts: Texts) -> HistoryItem:
    if message.role is Role.USER:
        return UserSaid(text=message.text)
    answer = load_answer(message.body) if message.body else Answer(text=message.text)
    if message.incomplete:
        answer = Answer(text=f"{message.text}\n{INCOMPLETE}".lstrip())
    ordered = sorted(calls, key=lambda call: call.position)
    # By position: a provider's ids may be hostile or occur twice.
    pairs = zip(answer.proposals, ordered, strict=False)
    outputs = tuple(told(call, proposal.provider_id, texts) for proposal, call in pairs)
    return ModelSaid(answer=answer, outputs=outputs)


def told(call: Call, provider_id: str, texts: Texts) -> ToolOutput:
    """Return what the model is told about one call."""
    value = cast("Json", json.loads(call.output)) if call.output is not None else None
    if call.output is None:
        # Only a turn that was stopped or superseded leaves a call without an output.
        content: str | tuple[Any, ...] = as_text({"error": texts.unknown})
    elif is_content(value):
        content = blocks_of(cast("list[Json]", value))
    else:
        content = as_text(value)
    return ToolOutput(
        provider_id=provider_id,
        tool=call.tool,
        content=_with_note(call, content),
        failed=call.failed or call.output is None,
    )


def _with_note(call: Call, content: Any) -> Any:
    if call.note is None or not call.is_settled:
        return content
    note = call.note
    return (TextBlock(text=note), *content) if isinstance(content, tuple) else f"{note}\n{content}"
