"""Tools that an agent can call: their metadata, and overrides of it."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final, Literal, TypeGuard, cast

from assent.domain import ask_terms, parameters, people
from assent.domain.ask_terms import ConfirmationGiven
from assent.domain.bodies import (
    ArgumentsCodec,
    Context,
    External,
    Hitl,
    Kind,
    Manual,
    OutputCodec,
    Preview,
)
from assent.domain.canonical import Json, digest, encode
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.fingerprints import fingerprint
from assent.domain.forms import UserInput
from assent.domain.origins import Described, Origin
from assent.domain.parameters import Check, either, optional, settle
from assent.domain.people import Audience, AudienceGiven
from assent.errors import InvalidTool

LOCAL = "local"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


class Risk(StrEnum):
    """The harm that a call can do."""

    SAFE = "safe"
    MODERATE = "moderate"
    DANGEROUS = "dangerous"


RiskGiven = Risk | Literal["safe", "moderate", "dangerous"]


# The risk that a tool's name tells where its author declared none: whole words, not prefixes.
_RISK_WORDS: tuple[tuple[frozenset[str], Risk], ...] = (
    (frozenset({"delete", "command"}), Risk.DANGEROUS),
    (frozenset({"write"}), Risk.MODERATE),
    (frozenset({"read", "search"}), Risk.SAFE),
)


def usual_confirmation(risk: str) -> Confirmation:
    """Return the confirmation for a risk where none is declared: a second step if dangerous."""
    return Confirmation.STEP if risk == Risk.DANGEROUS else Confirmation.CLICK


def words_of(name: str) -> list[str]:
    """Split a name into words: `delete_file`, `deleteFile` and `delete-file` are the same."""
    return [word.lower() for word in _WORD.findall(name)]


def want_name(name: str) -> None:
    """Raise unless models can call a tool by this name."""
    if not _NAME.fullmatch(name):
        raise InvalidTool(name, "a name must be 1-64 ASCII letters, digits, '_' or '-'")


def risk_by_name(name: str) -> Risk | None:
    """Return the risk that the words of a name imply, the most dangerous first."""
    words = set(words_of(name))
    return next((risk for known, risk in _RISK_WORDS if words & known), None)


Arguments = Mapping[str, Json]
# Authors' functions get their own copy of the arguments; the tool's schema says what is in it.
Copied = dict[str, Any]
Predicate = Callable[[Copied, Context], bool | Awaitable[bool]]
# A predicate as people write it: of arguments and context, or of the arguments alone.
PredicateGiven = Predicate | Callable[[Copied], bool | Awaitable[bool]]
Previewer = Callable[[Copied, Context], Preview | str | Awaitable[Preview | str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """The display of an argument: `secret` masks it, `elidable` lets it be cut, with a count.

    `significant` makes it the one to type if an approval has to be typed.
    """

    secret: bool = False
    elidable: bool = False
    significant: bool = False

    def __post_init__(self) -> None:
        settle(self, _HINT)


_HINT: Final = {
    "secret": parameters.flag,
    "elidable": parameters.flag,
    "significant": parameters.flag,
}


def _hints(given: object) -> object:
    found = parameters.mapping.read(given)
    fits = isinstance(found, Mapping) and all(isinstance(hint, Hint) for hint in found.values())  # pyright: ignore[reportUnknownVariableType]
    return dict(cast("Mapping[str, Hint]", found)) if fits else parameters.unfit()


_FUNCTION: Final = parameters.of_two("a function of (arguments, context) or of the arguments")
WISH: Final = either(parameters.flag, _FUNCTION)
# The parameters that every form of declaration takes.
SAID: Final[Mapping[str, Check]] = {
    "risk": parameters.one_of(Risk),
    "requires_approval": WISH,
    "confirmation": optional(parameters.one_of(Confirmation)),
    "impact": parameters.text,
    "category": parameters.text,
    "source": parameters.name,
    "version": parameters.text,
    "timeout": optional(parameters.duration()),
    "decide_within": ask_terms.limit,
    "idempotent": parameters.flag,
    "caller_roles": parameters.several(
        parameters.name, frozenset, "a role or several roles", some=True
    ),
    "question": parameters.text,
    "hints": Check("a mapping of arguments' names to Hints", _hints),
    "preview": optional(_FUNCTION),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool, with all that the gate, the runner and the cards need to know about it."""

    name: str
    description: str
    kind: Kind
    arguments: ArgumentsCodec
    output: OutputCodec | None = None
    risk: Risk = Risk.MODERATE
    requires_approval: bool | Predicate = False
    # None: by its risk.
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
    # The origins of these settings; one that is missing was declared.
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin], compare=False)
    definition_hash: str = field(init=False, default="")

    def __post_init__(self) -> None:
        settle(self, _TOOL, called="name")
        want_name(self.name)
        object.__setattr__(self, "origins", self._origins())
        if self.risk is Risk.DANGEROUS and self.requires_approval is False:
            by_name = self.origins.get("risk") is Origin.NAME
            raise InvalidTool(self.name, _UNASKED_BY_NAME if by_name else _UNASKED)
        if isinstance(self.kind, Hitl) and self.output is None:
            raise InvalidTool(self.name, "a HITL tool needs an output type (output schema)")
        object.__setattr__(self, "definition_hash", self._hash())

    def _origins(self) -> dict[str, Origin]:
        """Return the origin of each setting; one that was changed in a copy counts as declared."""
        by_name = {"risk": risk_by_name(self.name)}
        usual = {Origin.DEFAULT: _DEFAULTS, Origin.NAME: by_name}

        def holds(name: str, origin: Origin) -> bool:
            values = usual.get(origin, {})
            return name not in values or getattr(self, name) == values[name]

        return {n: o if holds(n, o) else Origin.DECLARED for n, o in self.origins.items()}

    def _hash(self) -> str:
        # The definition that a person relied on when approving; display metadata may change freely.
        definition: dict[str, Json] = {
            "name": self.name,
            "source": self.source,
            "version": self.version,
            "description": self.description,
            "kind": type(self.kind).__name__.lower(),
            "parameters": self.arguments.full,
            "output": None if self.output is None else self.output.schema,
            "approval": self._approval(),
        }
        return digest(encode(definition))

    def _approval(self) -> dict[str, Json]:
        """Return the terms of approval: once they change, earlier approvals no longer count."""
        wish = self.requires_approval
        return {
            "risk": self.risk,
            "wished": wish if isinstance(wish, bool) else fingerprint(wish),
            "audience": cast("Json", self.audience.to_json()),
            "confirmation": self.confirmation,
            "callers": cast("Json", sorted(self.caller_roles)),
        }

    def describe(self) -> dict[str, Described]:
        """Return each setting with its origin."""
        return effective(self, None).describe()


_DEFAULTS: Final = {
    each.name: each.default if each.default_factory is MISSING else each.default_factory()
    for each in fields(Tool)
}
_CODEC: Final = Check(
    "a codec", lambda given: given if hasattr(given, "normalise") else parameters.unfit()
)
_TOOL: Final = {
    "name": parameters.text,
    "description": parameters.text,
    "kind": parameters.instance(Kind, "Regular, Generator, Hitl, Manual or External"),  # pyright: ignore[reportArgumentType]
    "arguments": _CODEC,
    "output": optional(_CODEC),
    **SAID,
    "run_within": parameters.duration(),
    "audience": people.audience,
    "user_input": optional(parameters.instance(UserInput)),
    "origins": parameters.mapping,
}
_UNASKED: Final = (
    "it is dangerous and has requires_approval=False; loosen it by an override, which is recorded"
)
_UNASKED_BY_NAME: Final = (
    "it is dangerous by its name and has requires_approval=False; "
    "declare its risk as well if that is wrong"
)


def is_hitl_tool(tool: Tool) -> bool:
    """Return True if a hook decides per call between answering and asking a person."""
    return isinstance(tool.kind, Hitl)


def is_manual_tool(tool: Tool) -> bool:
    """Return True if the caller has to supply every output."""
    return isinstance(tool.kind, Manual)


def is_auto_resolvable_tool(tool: Tool) -> bool:
    """Return True if calling the tool runs code here."""
    return not isinstance(tool.kind, Manual | External)


def requires_approval(tool: "Tool | EffectiveTool") -> bool:
    """Return True if the tool itself asks for approval, at least for some arguments."""
    return tool.requires_approval is not False


def is_predicate(wish: bool | Predicate) -> TypeGuard[Predicate]:
    """Return True if the wish has to be evaluated per call."""
    return callable(wish)


@dataclass(frozen=True, slots=True, init=False)
class Override:
    """An admin's changes to a tool's metadata; None keeps the declared value."""

    risk: Risk | None
    requires_approval: bool | None
    decide_within: timedelta | None
    impact: str | None
    category: str | None
    audience: Audience | None
    confirmation: Confirmation | None

    def __init__(
        self,
        *,
        risk: RiskGiven | None = None,
        requires_approval: bool | None = None,
        decide_within: float | timedelta | None = None,
        impact: str | None = None,
        category: str | None = None,
        audience: AudienceGiven | None = None,
        confirmation: ConfirmationGiven | None = None,
    ) -> None:
        settle(
            self,
            _OVERRIDE,
            risk=risk,
            requires_approval=requires_approval,
            decide_within=decide_within,
            impact=impact,
            category=category,
            audience=audience,
            confirmation=confirmation,
        )

    def loosens(self, tool: Tool) -> bool:
        """Return True if a dangerous tool gets less risk, runs unasked or is easier to approve."""
        was_dangerous, risk = tool.risk is Risk.DANGEROUS, self.risk or tool.risk
        less_risk = was_dangerous and risk is not Risk.DANGEROUS
        unasked = self.requires_approval is False and (was_dangerous or risk is Risk.DANGEROUS)
        return less_risk or unasked or (was_dangerous and self._is_easier(tool))

    def _is_easier(self, tool: Tool) -> bool:
        declared = tool.confirmation or usual_confirmation(tool.risk)
        return self.confirmation is not None and firmest(self.confirmation, declared) != (
            self.confirmation
        )


_OVERRIDE: Final = {
    "risk": optional(parameters.one_of(Risk)),
    "requires_approval": optional(parameters.flag),
    "decide_within": optional(parameters.duration()),
    "impact": optional(parameters.text),
    "category": optional(parameters.text),
    "audience": optional(people.audience),
    "confirmation": optional(parameters.one_of(Confirmation)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectiveTool:
    """A tool in this deployment: the declaration with its override applied."""

    tool: Tool
    risk: Risk
    requires_approval: bool | Predicate
    decide_within: timedelta | None
    impact: str
    category: str
    audience: Audience
    confirmation: Confirmation = Confirmation.CLICK
    overridden: bool = False
    # A change of its definition that nobody has accepted: until then every call asks.
    change: Preview | None = None
    # The origins of these settings; one that is missing was declared.
    origins: Mapping[str, Origin] = field(default_factory=dict[str, Origin], compare=False)

    def describe(self) -> dict[str, Described]:
        """Return each setting in this deployment with its origin."""
        return {
            name: Described(
                getattr(self if name in _OVERRIDE else self.tool, name),
                self.origins.get(name, Origin.DECLARED),
            )
            for name in (*_OVERRIDE, *_KEPT)
        }


# Settings that a deployment cannot override.
_KEPT: Final = ("timeout", "run_within", "idempotent", "caller_roles", "question", "source")


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
        origins=tool.origins,
    )
    if override is None:
        return plain
    said = {name: value for name in _OVERRIDE if (value := getattr(override, name)) is not None}
    origins = {**tool.origins, **dict.fromkeys(said, Origin.OVERRIDE)}
    changes = {name: value for name, value in said.items() if name != "confirmation"}
    # An override that only makes a tool dangerous must not leave it running unasked.
    silent = "requires_approval" not in said and tool.requires_approval is False
    if said.get("risk", tool.risk) is Risk.DANGEROUS and silent:
        changes["requires_approval"] = True
        origins["requires_approval"] = Origin.RISK
    return replace(plain, overridden=True, origins=origins, **changes)


def _confirmation(tool: Tool, override: Override | None) -> Confirmation:
    said = override or Override()
    if said.confirmation is not None:
        return said.confirmation
    if tool.confirmation is None:
        return usual_confirmation(said.risk or tool.risk)
    # An override to dangerous makes it no easier to approve than other dangerous tools.
    by_risk = None if said.risk is None else usual_confirmation(said.risk)
    return firmest(tool.confirmation, by_risk)
