"""Bodies of tools: their kinds, what they are given, and what they may return or raise.

Codecs check the arguments before a body runs, and its output afterwards.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

import msgspec

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.forms import UserInput
from assent.domain.parameters import either, optional, settle
from assent.domain.people import Person
from assent.errors import AssentError


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call as it is on the wire; `arguments` is JSON text, with references for secrets."""

    call_id: str
    name: str
    arguments: str
    type: str = "function_call"

    def __post_init__(self) -> None:
        settle(self, _TOOL_CALL, called="name")


_TOOL_CALL: Final = {
    "call_id": parameters.name,
    "name": parameters.name,
    "arguments": parameters.text,
    "type": parameters.text,
}


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The circumstances of a call, passed to predicates, previews and tool bodies.

    `call_id` is unique and stable over attempts: pass it upstream as an idempotency key.
    """

    call_id: str
    conversation_id: str
    agent: str
    tool: str
    owner: Person
    turn: int = 1
    step: int = 1
    attempt: int = 1
    approved: bool = False
    metadata: Mapping[str, Json] = msgspec.field(default_factory=dict[str, Json])
    arguments: str = "{}"
    # What the body left for itself when it asked for input, and the answers; None before that.
    state: Json = None
    answers: Mapping[str, Json] | None = None
    # An adapter for another framework may pass that framework's own, richer call.
    given: ToolCall | None = None

    def __post_init__(self) -> None:
        settle(self, _CONTEXT, called="call_id")

    @property
    def call(self) -> ToolCall:
        """The call as it is on the wire."""
        plain = ToolCall(call_id=self.call_id, name=self.tool, arguments=self.arguments)
        return self.given or plain


_CONTEXT: Final = {
    "call_id": parameters.text,
    "conversation_id": parameters.text,
    "agent": parameters.text,
    "tool": parameters.text,
    "owner": parameters.instance(Person),
    "turn": parameters.whole(0),
    "step": parameters.whole(0),
    "attempt": parameters.whole(0),
    "approved": parameters.flag,
    "metadata": parameters.mapping,
    "arguments": parameters.text,
    "answers": optional(parameters.mapping),
    "given": optional(parameters.instance(ToolCall)),
}


class ApprovalRequired(AssentError):
    """Raised by a tool body before it has done anything: ask a person, then run it again."""

    code = "approval_required"

    def __init__(self, metadata: Mapping[str, Json] | str | None = None) -> None:
        """Take details for the person who is asked; a plain text is the reason they read."""
        check = optional(either(parameters.text, parameters.mapping))
        said = check.taken("ApprovalRequired", "metadata", metadata)
        self.metadata = {"reason": said} if isinstance(said, str) else dict(said or {})
        super().__init__("This call needs a person's approval")


class InputRequired(AssentError):
    """Raised by a body that needs answers before it can go on: ask for them, then run it again.

    It runs again with `ctx.answers`, and with `ctx.state`, which is sealed until then.
    """

    code = "input_required"

    def __init__(self, form: UserInput, state: Json = None) -> None:
        self.form, self.state = form, state
        super().__init__("This call needs a person's input")


@dataclass(frozen=True, slots=True)
class Progress:
    """An intermediate value of a generator tool: shown in the stream, not told to the model."""

    value: Json
    fraction: float | None = None

    def __post_init__(self) -> None:
        settle(self, _PROGRESS)


@dataclass(frozen=True, slots=True)
class Deferred:
    """Returned by a body whose result any process supplies later, under this task id."""

    # Not checked here: the work has begun, so a wrong id puts the call in doubt, not in error.
    task_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The effect of a call, computed before asking: a text, or a unified diff of two texts."""

    text: str = ""
    before: str | None = None
    after: str | None = None
    failed: bool = False

    def __post_init__(self) -> None:
        settle(self, _PREVIEW)


_PROGRESS: Final = {"fraction": optional(parameters.number(0))}
_PREVIEW: Final = {
    "text": parameters.text,
    "before": optional(parameters.text),
    "after": optional(parameters.text),
    "failed": parameters.flag,
}


Body = Callable[[Context, Any], Awaitable[object]]
Steps = Callable[[Context, Any], AsyncIterator[object]]


class ArgumentsCodec(Protocol):
    """Validates raw arguments, and turns normalised ones into the parameters of a body."""

    @property
    def visible(self) -> dict[str, Json]:
        """The JSON schema for the model, without the fields that people fill in."""
        ...

    @property
    def full(self) -> dict[str, Json]:
        """The JSON schema of all parameters of the body."""
        ...

    def normalise(self, raw: Mapping[str, Json], *, partial: bool) -> dict[str, Json]:
        """Return valid arguments with defaults; `partial` leaves out fields that people fill in."""
        ...

    def bind(self, arguments: Mapping[str, Json]) -> Any:
        """Return the parameters of the body, with secrets resolved."""
        ...


class OutputCodec(Protocol):
    """Validates the output of a tool or of a person."""

    @property
    def schema(self) -> dict[str, Json]: ...

    def normalise(self, value: object) -> Json:
        """Return the value as JSON; raises `InvalidOutput`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Regular:
    """A tool that runs its body and returns the result."""

    body: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """A tool that yields progress, and exactly one other value: the result."""

    steps: Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Hitl:
    """A tool whose hook answers, or returns None to ask a person.

    `on_response_received` may change the person's answer.
    """

    on_tool_called: Body
    on_response_received: Callable[[Context, Json], Awaitable[object]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual:
    """A tool that is not run here: the caller supplies the output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class External:
    """A tool that whoever calls it also runs: the caller gets a claim, and reports the outcome."""


Kind = Regular | Generator | Hitl | Manual | External
