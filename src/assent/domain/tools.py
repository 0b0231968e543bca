"""What an agent can call: a tool, its kind, and what is known about it."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol, TypeGuard, cast

import msgspec

from assent.domain.canonical import Json, digest, encode
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.errors import AssentError, InvalidTool
from assent.domain.fingerprints import fingerprint
from assent.domain.forms import UserInput
from assent.domain.people import Audience, Person

LOCAL = "local"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class Risk(StrEnum):
    """How much harm a call can do."""

    SAFE = "safe"
    MODERATE = "moderate"
    DANGEROUS = "dangerous"


# What a tool's name says when its author said nothing (seed 003): whole words, not prefixes.
_RISK_WORDS: tuple[tuple[frozenset[str], Risk], ...] = (
    (frozenset({"delete", "command"}), Risk.DANGEROUS),
    (frozenset({"write"}), Risk.MODERATE),
    (frozenset({"read", "search"}), Risk.SAFE),
)


def usual_confirmation(risk: str) -> Confirmation:
    """What approving takes where nobody said anything: a second step for what is dangerous."""
    return Confirmation.STEP if risk == Risk.DANGEROUS else Confirmation.CLICK


def risk_by_name(name: str) -> Risk | None:
    """The risk of an undeclared tool by the words of its name, the most dangerous first."""
    words = set(re.split(r"[_-]", name.lower()))
    return next((risk for known, risk in _RISK_WORDS if words & known), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call in the words of the wire; `arguments` is JSON text, a secret in it a reference."""

    call_id: str
    name: str
    arguments: str
    type: str = "function_call"


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """Where a call stands: handed to predicates, previews and tool bodies.

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
    deps: object = None
    arguments: str = "{}"
    # Whoever runs a call for another framework may hand in that framework's own, richer one.
    given: ToolCall | None = None

    @property
    def call(self) -> ToolCall:
        """The call itself, as its hook sees it."""
        plain = ToolCall(call_id=self.call_id, name=self.tool, arguments=self.arguments)
        return self.given or plain


class ApprovalRequired(AssentError):
    """Raised inside a tool body before it did anything: ask a person, then run me again."""

    code = "approval_required"

    def __init__(self, metadata: Mapping[str, Json] | None = None) -> None:
        self.metadata = dict(metadata or {})
        super().__init__("This call needs a person's approval")


@dataclass(frozen=True, slots=True)
class Progress:
    """A yield of a generator tool that is not its result: reaches the stream, not the model."""

    value: Json
    fraction: float | None = None


@dataclass(frozen=True, slots=True)
class Deferred:
    """Returned by a body whose result comes later, from any process, by this task id."""

    task_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a call would do, computed before asking: text, or a unified diff of two texts."""

    text: str = ""
    before: str | None = None
    after: str | None = None
    failed: bool = False


Arguments = Mapping[str, Json]
Predicate = Callable[[Arguments, Context], bool | Awaitable[bool]]
Previewer = Callable[[Arguments, Context], Preview | str | Awaitable[Preview | str]]
Body = Callable[[Context, Any], Awaitable[object]]
Steps = Callable[[Context, Any], AsyncIterator[object]]


class ArgumentsCodec(Protocol):
    """How raw arguments become normalised ones, and those what a body takes."""

    @property
    def visible(self) -> dict[str, Json]:
        """The JSON schema that the model sees: without the fields people fill in."""
        ...

    @property
    def full(self) -> dict[str, Json]:
        """The JSON schema of everything the body takes."""
        ...

    def normalise(self, raw: Arguments, *, partial: bool) -> dict[str, Json]:
        """Validated, coerced, defaults filled; `partial` leaves people's fields out."""
        ...

    def bind(self, arguments: Arguments) -> Any:
        """What the body takes, secrets resolved."""
        ...


class OutputCodec(Protocol):
    """What an output must look like, on both sides of a person."""

    @property
    def schema(self) -> dict[str, Json]: ...

    def normalise(self, value: object) -> Json:
        """The value as JSON; raises `InvalidOutput`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Regular:
    """Runs its body and answers."""

    body: Body


@dataclass(frozen=True, slots=True, kw_only=True)
class Generator:
    """Yields progress, and exactly one other value: the result."""

    steps: Steps


@dataclass(frozen=True, slots=True, kw_only=True)
class Hitl:
    """Settles the call itself or, by None, leaves it to a person; may rework their answer."""

    on_tool_called: Body
    on_response_received: Callable[[Context, Json], Awaitable[object]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manual:
    """Nobody runs anything: the caller supplies the output."""


Kind = Regular | Generator | Hitl | Manual


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """How an argument is displayed: `secret` masks it, `elidable` allows a counted cut.

    `significant` makes it the one to type where an approval takes typing.
    """

    secret: bool = False
    elidable: bool = False
    significant: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool with everything the gate, the runner and the cards need to know about it."""

    name: str
    description: str
    kind: Kind
    arguments: ArgumentsCodec
    output: OutputCodec | None = None
    risk: Risk = Risk.MODERATE
    requires_approval: bool | Predicate = False
    # What approving it takes; None leaves that to its risk.
    confirmation: Confirmation | None = None
    impact: str = ""
    category: str = ""
    source: str = LOCAL
    version: str = ""
    timeout: timedelta | None = timedelta(minutes=5)
    decide_within: timedelta | None = timedelta(hours=24)
    run_within: timedelta = timedelta(minutes=15)
    idempotent: bool = False
    caller_roles: frozenset[str] = frozenset()
    audience: Audience = field(default_factory=Audience)
    question: str = ""
    hints: Mapping[str, Hint] = field(default_factory=dict[str, Hint])
    preview: Previewer | None = None
    user_input: UserInput | None = None
    definition_hash: str = field(init=False, default="")

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise InvalidTool(self.name, "a name is 1-64 ASCII letters, digits, '_' or '-'")
        if self.risk is Risk.DANGEROUS and self.requires_approval is False:
            raise InvalidTool(
                self.name,
                "it is dangerous and says requires_approval=False; loosen it by an override, "
                "which is recorded, not by its declaration",
            )
        if isinstance(self.kind, Hitl) and self.output is None:
            raise InvalidTool(self.name, "a HITL tool needs an output type (output schema)")
        object.__setattr__(self, "definition_hash", self._hash())

    def _hash(self) -> str:
        # What a person relied on when approving; display metadata may change freely.
        return digest(
            encode(
                {
                    "name": self.name,
                    "source": self.source,
                    "version": self.version,
                    "description": self.description,
                    "kind": type(self.kind).__name__.lower(),
                    "parameters": self.arguments.full,
                    "output": None if self.output is None else self.output.schema,
                    "approval": self._approval(),
                }
            )
        )

    def _approval(self) -> dict[str, Json]:
        """Who is asked before it runs, and how: under other terms nobody has approved it."""
        wish = self.requires_approval
        return {
            "risk": self.risk,
            "wished": wish if isinstance(wish, bool) else fingerprint(wish),
            "audience": cast("Json", self.audience.to_json()),
            "confirmation": self.confirmation,
            "callers": cast("Json", sorted(self.caller_roles)),
        }


def is_hitl_tool(tool: Tool) -> bool:
    """Whether a hook decides per call between answering and asking a person."""
    return isinstance(tool.kind, Hitl)


def is_manual_tool(tool: Tool) -> bool:
    """Whether the caller has to supply every output."""
    return isinstance(tool.kind, Manual)


def is_auto_resolvable_tool(tool: Tool) -> bool:
    """Whether something of ours runs when it is called."""
    return not is_manual_tool(tool)


def requires_approval(tool: "Tool | EffectiveTool") -> bool:
    """Whether the tool by itself asks, at least for some arguments."""
    return tool.requires_approval is not False


def is_predicate(wish: bool | Predicate) -> TypeGuard[Predicate]:
    """Whether the wish has to be evaluated per call."""
    return callable(wish)


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """A deployment's replacement of a tool's metadata, made by an admin; None leaves as is."""

    risk: Risk | None = None
    requires_approval: bool | None = None
    decide_within: timedelta | None = None
    impact: str | None = None
    category: str | None = None
    audience: Audience | None = None
    confirmation: Confirmation | None = None

    def loosens(self, tool: Tool) -> bool:
        """Whether a dangerous tool would run unasked or more easily, or count as less dangerous."""
        was_dangerous, risk = tool.risk is Risk.DANGEROUS, self.risk or tool.risk
        less_risk = was_dangerous and risk is not Risk.DANGEROUS
        unasked = self.requires_approval is False and (was_dangerous or risk is Risk.DANGEROUS)
        return less_risk or unasked or (was_dangerous and self._is_easier(tool))

    def _is_easier(self, tool: Tool) -> bool:
        declared = tool.confirmation or usual_confirmation(tool.risk)
        return self.confirmation is not None and firmest(self.confirmation, declared) != (
            self.confirmation
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveTool:
    """A tool as this deployment sees it: the declaration with its override applied."""

    tool: Tool
    risk: Risk
    requires_approval: bool | Predicate
    decide_within: timedelta | None
    impact: str
    category: str
    audience: Audience
    confirmation: Confirmation = Confirmation.CLICK
    overridden: bool = False


def effective(tool: Tool, override: Override | None) -> EffectiveTool:
    """Apply a deployment's override."""
    plain = EffectiveTool(
        tool=tool,
        risk=tool.risk,
        requires_approval=tool.requires_approval,
        decide_within=tool.decide_within,
        impact=tool.impact,
        category=tool.category,
        audience=tool.audience,
        confirmation=_confirmation(tool, override),
    )
    if override is None:
        return plain
    names = ("risk", "requires_approval", "decide_within", "impact", "category", "audience")
    changes = {name: getattr(override, name) for name in names}
    changed = replace(
        plain, overridden=True, **{n: value for n, value in changes.items() if value is not None}
    )
    # Whoever calls a tool dangerous and says no more does not mean that it runs unasked.
    silent = override.requires_approval is None and changed.requires_approval is False
    asks = changed.risk is Risk.DANGEROUS and silent
    return replace(changed, requires_approval=True) if asks else changed


def _confirmation(tool: Tool, override: Override | None) -> Confirmation:
    said = override or Override()
    if said.confirmation is not None:
        return said.confirmation
    if tool.confirmation is None:
        return usual_confirmation(said.risk or tool.risk)
    # Whoever calls a tool dangerous makes it no easier to approve than other dangerous ones.
    by_risk = None if said.risk is None else usual_confirmation(said.risk)
    return firmest(tool.confirmation, by_risk)
