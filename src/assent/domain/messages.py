"""Prompts to a model and its answers, independent of any provider."""

from enum import StrEnum

from msgspec import Struct, field

from assent.domain.canonical import Json
from assent.domain.copies import changed

# A call adds this many characters to the length of an answer, besides its arguments.
CALL_CHARS = 32


class FinishReason(StrEnum):
    """The reason why a model stopped."""

    STOP = "stop"
    CALLS = "tool_calls"
    LENGTH = "length"
    FILTERED = "content_filter"
    ERROR = "error"


class Usage(Struct, frozen=True, kw_only=True):
    """The tokens used by one request to a model."""

    input_tokens: int = 0
    output_tokens: int = 0


class Proposal(Struct, frozen=True, kw_only=True):
    """A tool call as the model wrote it: the provider's id and raw, unchecked arguments."""

    provider_id: str
    tool: str
    arguments: str


class Answer(Struct, frozen=True, kw_only=True):
    """A complete answer of a model.

    `wire` is the adapter's own JSON of it, kept so that nothing a provider needs back is lost;
    `wire_format` names the library and version that wrote it. `left_out` counts the calls that were
    dropped because there were too many.
    """

    text: str = ""
    reasoning: str = ""
    proposals: tuple[Proposal, ...] = ()
    finish: FinishReason = FinishReason.STOP
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    wire: str | None = None
    wire_format: str | None = None
    left_out: int = 0

    @property
    def length(self) -> int:
        """The number of characters that the model wrote."""
        called = sum(CALL_CHARS + len(proposal.arguments) for proposal in self.proposals)
        return len(self.text) + len(self.reasoning) + called

    def cut(self, most: int) -> "Answer":
        """Return the answer with at most this many calls; if cut, without `wire`, which has all."""
        left_out = len(self.proposals) - most
        if left_out <= 0:
            return self
        return changed(
            self,
            proposals=self.proposals[:most],
            left_out=self.left_out + left_out,
            wire=None,
            wire_format=None,
        )


class TextBlock(Struct, frozen=True, kw_only=True):
    """Text in a tool's output, or beside the files of a message."""

    text: str


class MediaBlock(Struct, frozen=True, kw_only=True):
    """An image or file: a URL or base64 data, with its media type.

    `name` is there for the files of messages.
    """

    type: str
    media_type: str
    url: str | None = None
    data: str | None = None
    name: str | None = None


Block = TextBlock | MediaBlock


class ToolOutput(Struct, frozen=True, kw_only=True):
    """The output of one call as the model reads it: text, or content blocks."""

    provider_id: str
    tool: str
    content: str | tuple[Block, ...]
    failed: bool = False


class UserSaid(Struct, frozen=True, kw_only=True):
    """A message of the conversation's owner; a file that cannot be sent is there in words."""

    text: str
    files: tuple[Block, ...] = ()


class ModelSaid(Struct, frozen=True, kw_only=True):
    """An earlier answer of the model, with exactly one output per proposal."""

    answer: Answer
    outputs: tuple[ToolOutput, ...] = ()


HistoryItem = UserSaid | ModelSaid


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as the model sees it."""

    name: str
    description: str
    parameters: dict[str, Json]


class Prompt(Struct, frozen=True, kw_only=True):
    """One request to a model: instructions, history and tools; without tools it has to answer.

    Calls beyond `most_calls` are not used: a model may drop them and count them in `left_out`.
    """

    instructions: str = ""
    history: tuple[HistoryItem, ...]
    tools: tuple[ToolSpec, ...] = ()
    most_calls: int | None = None


class TextDelta(Struct, frozen=True):
    """A piece of the answer's text."""

    text: str


class ReasoningDelta(Struct, frozen=True):
    """A piece of the model's reasoning."""

    text: str


class ArgumentsDelta(Struct, frozen=True):
    """A piece of a proposed call's raw arguments, while the model still writes them."""

    index: int
    tool: str
    text: str


Delta = TextDelta | ReasoningDelta | ArgumentsDelta
