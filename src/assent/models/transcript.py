"""A prompt's history as messages of pydantic-ai, with the media that the model can read.

Every call has a unique id and one result.
"""

import base64
import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple, assert_never

from pydantic_ai.messages import (
    BinaryContent,
    DocumentUrl,
    ImageUrl,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    MultiModalContent,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)
from pydantic_ai.models import Model

from assent.domain.copies import changed
from assent.domain.messages import (
    Block,
    HistoryItem,
    MediaBlock,
    ModelSaid,
    Prompt,
    TextBlock,
    ToolOutput,
    UserSaid,
)
from assent.errors import Malformed
from assent.models.answers import response_of

Takes = Callable[[MediaBlock], bool]
_TEXTUAL: Final = ("text/", "application/json", "application/xml", "application/yaml")


class _Taken(NamedTuple):
    """Prefixes of the media types that a provider reads from a link, and as data."""

    links: tuple[str, ...] = ()
    data: tuple[str, ...] = ("",)


# By name, because importing the class would import the provider's client. A link that a provider
# does not read would be downloaded here for every request, and make it fail once it is gone.
_TAKEN: Final = {
    "OpenAIChatModel": _Taken(("image/",), ("image/", "application/", "audio/wav", "audio/mpeg")),
    "OpenAIResponsesModel": _Taken(("image/", "application/pdf"), ("image/", "application/")),
    "AnthropicModel": _Taken(("image/", "application/pdf"), ("image/", "application/pdf")),
}


def accepted_by(model: Model) -> Takes:
    """Return a test for the images and files that this model accepts as they are."""
    names = (kind.__name__ for kind in type(model).__mro__)
    taken = next((_TAKEN[name] for name in names if name in _TAKEN), _Taken())

    def takes(block: MediaBlock) -> bool:
        kinds = taken.data if block.url is None else taken.links
        return _is_text(block) or block.media_type.startswith(kinds)

    return takes


def _is_text(block: MediaBlock) -> bool:
    """Return True for a text file, which every model can read."""
    return block.url is None and block.media_type.startswith(_TEXTUAL)


def content_of(block: MediaBlock) -> str | MultiModalContent:
    """Return the block as pydantic-ai takes it; in words if it is broken or of unknown type."""
    if block.url is not None:
        kind = ImageUrl if block.media_type.startswith("image/") else DocumentUrl
        return kind(url=block.url, media_type=block.media_type)
    try:
        data = base64.b64decode("".join((block.data or "").split()), validate=True)
        if _is_text(block):
            return data.decode()
        content = BinaryContent(data=data, media_type=block.media_type)
        # `format` raises ValueError here, and not later, for a type that no provider knows.
        return content if data and content.format else _words(block)
    except ValueError:
        return _words(block)


def describe_media(prompt: Prompt, *, unless: Takes = _is_text) -> Prompt:
    """Return the prompt with its images and files in words; the same object if it has none."""
    if all(unless(block) for block in _media(prompt)):
        return prompt
    return changed(prompt, history=tuple(_retold(said, unless) for said in prompt.history))


def _media(prompt: Prompt) -> Iterator[MediaBlock]:
    for said in prompt.history:
        told = [said.files] if isinstance(said, UserSaid) else [o.content for o in said.outputs]
        for blocks in told:
            if not isinstance(blocks, str):
                yield from (block for block in blocks if isinstance(block, MediaBlock))


def _retold(said: HistoryItem, unless: Takes) -> HistoryItem:
    if isinstance(said, UserSaid):
        return changed(said, files=_told(said.files, unless))
    outputs = (changed(given, content=_told(given.content, unless)) for given in said.outputs)
    return changed(said, outputs=tuple(outputs))


def _told(content: str | tuple[Block, ...], unless: Takes) -> str | tuple[Block, ...]:
    if isinstance(content, str):
        return content
    return tuple(
        block if isinstance(block, TextBlock) or unless(block) else TextBlock(text=_words(block))
        for block in content
    )


def _words(block: MediaBlock) -> str:
    where = "that cannot be read here" if block.url is None else f"at {block.url}"
    what = f"the file {block.name}, of type" if block.name else "a file of type"
    return f"[{what} {block.media_type} {where}]"


_NOT_IN_A_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_NAME_CHARS: Final = 64
_BLANK: Final = "(blank)"


def messages_of(prompt: Prompt) -> list[ModelMessage]:
    """Return the history as messages; raises `Malformed` unless each call has one output."""
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
        self._parts.append(UserPromptPart(content=_heard(said)))

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


def _heard(said: UserSaid) -> str | list[UserContent]:
    """Return a message: its text, then each file behind its name."""
    if not said.files:
        return _filled(said.text)
    content: list[UserContent] = [said.text] if said.text.strip() else []
    for block in said.files:
        if isinstance(block, MediaBlock) and block.name:
            content.append(f"{block.name}:")
        content.append(_content(block))
    return content


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
