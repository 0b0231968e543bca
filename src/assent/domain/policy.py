"""Ordered rules that turn a call into allow, ask or deny; in doubt a call is not allowed."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import cached_property
from inspect import iscoroutinefunction
from typing import Any, Final, Literal, Self, Unpack

from assent.domain import parameters
from assent.domain.ask_terms import (
    TERMS,
    AskTerms,
    ConfirmationGiven,
    DeadlineGiven,
    TermsGiven,
)
from assent.domain.canonical import digest, encode
from assent.domain.fingerprints import fingerprint
from assent.domain.parameters import optional, settle
from assent.domain.people import AudienceGiven, NamesGiven
from assent.domain.tools import (
    Context,
    Copied,
    EffectiveTool,
    Predicate,
    PredicateGiven,
    Risk,
    RiskGiven,
)


class Effect(StrEnum):
    """The effect of a rule on a call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


# The value of `by` for answers of a policy hook, whose author need not set it.
HOOK: Final = "hook"
_DENIED: Final = "The policy of this deployment denies this call."


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """The call may run; `by` says what allowed it, `waived` that people would have been asked."""

    by: str = HOOK
    waived: bool = False

    def __post_init__(self) -> None:
        settle(self, _ALLOW)


@dataclass(frozen=True, slots=True, init=False)
class Ask(AskTerms):
    """A person has to be asked; None leaves audience and deadline to the tool.

    `confirmation` can only make approving harder than the tool does. `quorum` is how many people
    have to approve the same arguments. `decide_within` is seconds, a timedelta or `NO_DEADLINE`.
    """

    by: str
    reason: str

    def __init__(
        self,
        *,
        by: str = HOOK,
        reason: str = "",
        audience: AudienceGiven | None = None,
        decide_within: DeadlineGiven | None = None,
        confirmation: ConfirmationGiven | None = None,
        quorum: int = 1,
    ) -> None:
        settle(
            self,
            _ASK,
            by=by,
            reason=reason,
            audience=audience,
            decide_within=decide_within,
            confirmation=confirmation,
            quorum=quorum,
        )

    def under(self, terms: AskTerms) -> "Ask":
        """Return an ask with the same reason under other terms."""
        return Ask(by=self.by, reason=self.reason, **terms.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """The call never runs; the reason is told to the model."""

    by: str = HOOK
    reason: str = _DENIED

    def __post_init__(self) -> None:
        settle(self, _DENY)


def allow() -> Allow:
    """Let a call run, from a policy hook; waives what its tool or its run asked for."""
    return Allow()


def ask(
    reason: str = "",
    *,
    audience: AudienceGiven | None = None,
    quorum: int = 1,
    decide_within: DeadlineGiven | None = None,
    confirmation: ConfirmationGiven | None = None,
) -> Ask:
    """Ask a person about a call, from a policy hook; the reason is shown to them.

    `audience` says who decides, `quorum` how many of them must approve, `decide_within` until when
    (seconds, a timedelta or `NO_DEADLINE`), `confirmation` what approving takes at least.
    """
    return Ask(
        reason=reason,
        audience=audience,
        quorum=quorum,
        decide_within=decide_within,
        confirmation=confirmation,
    )


def deny(reason: str = _DENIED) -> Deny:
    """Deny a call, from a policy hook; the reason is told to the model."""
    return Deny(reason=reason)


_ALLOW: Final = {"by": parameters.text, "waived": parameters.flag}
_DENY: Final = {"by": parameters.text, "reason": parameters.text}
_ASK: Final = _DENY | TERMS

# The gate's answer about a call; a person's answer is a verdict.
Ruling = Allow | Ask | Deny

# The answers of a policy hook; None leaves the decision to the rules.
HookAnswer = Effect | Ask | Deny | Allow | None
PolicyHook = Callable[[EffectiveTool, Copied, Context], HookAnswer | Awaitable[HookAnswer]]


def _glob(pattern: str) -> re.Pattern[str]:
    # Only `*` is special, and only where declared: `bash` never matches `bash_admin`.
    return re.compile(".*".join(re.escape(part) for part in pattern.split("*")))


def _name(function: object) -> str:
    return getattr(function, "__qualname__", "?")


EffectGiven = Effect | Literal["allow", "ask", "deny"]


class RuleGiven(TermsGiven, total=False):
    """The keywords of a rule besides its name, its effect and its tools."""

    categories: NamesGiven
    risks: RiskGiven | Iterable[RiskGiven]
    sources: NamesGiven
    when: PredicateGiven | None
    reason: str


@dataclass(frozen=True, init=False)
class Rule(AskTerms):
    """One rule: every matcher that is given must match; none given matches every call.

    `tools` are exact names, or globs where they hold a `*`. Without a name, the rule is named after
    its effect and its tools. Audience, quorum, deadline and confirmation are for a rule that asks.
    """

    name: str
    effect: Effect
    tools: tuple[str, ...]
    categories: frozenset[str]
    risks: frozenset[Risk]
    sources: frozenset[str]
    when: Predicate | None
    reason: str

    def __init__(
        self,
        *,
        effect: EffectGiven,
        name: str = "",
        tools: NamesGiven = (),
        categories: NamesGiven = frozenset(),
        risks: RiskGiven | Iterable[RiskGiven] = frozenset(),
        sources: NamesGiven = frozenset(),
        when: PredicateGiven | None = None,
        reason: str = "",
        audience: AudienceGiven | None = None,
        decide_within: DeadlineGiven | None = None,
        confirmation: ConfirmationGiven | None = None,
        quorum: int = 1,
    ) -> None:
        settle(
            self,
            _RULE,
            called="name",
            name=name,
            effect=effect,
            tools=tools,
            categories=categories,
            risks=risks,
            sources=sources,
            when=when,
            reason=reason,
            audience=audience,
            decide_within=decide_within,
            confirmation=confirmation,
            quorum=quorum,
        )
        if not self.name:
            object.__setattr__(self, "name", f"{self.effect}:{','.join(self.tools) or '*'}")

    @classmethod
    def of(
        cls, effect: EffectGiven, *tools: NamesGiven, name: str = "", **more: Unpack[RuleGiven]
    ) -> Self:
        """Return a rule for these tools; an empty list of tools does not mean all tools."""
        # People also write one list of tools. Never an empty tuple here: it could not be told from
        # no argument.
        said: Any = list(tools)
        one = said[0] if len(tools) == 1 and said[0] != () else said
        return cls(name=name, effect=effect, tools=one, **more)

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(_glob(pattern) for pattern in self.tools)

    def covers(self, tool: EffectiveTool) -> bool:
        """Return True if the declared matchers match; the predicate is checked separately."""
        return (
            (not self.tools or any(p.fullmatch(tool.tool.name) for p in self._patterns))
            and (not self.categories or tool.category in self.categories)
            and (not self.risks or tool.risk in self.risks)
            and (not self.sources or tool.tool.source in self.sources)
        )

    @property
    def is_synchronous(self) -> bool:
        """True if the rule can be checked again inside the claim's transaction."""
        return self.when is None or not iscoroutinefunction(self.when)

    def ruling(self) -> Ruling:
        """Return the rule's ruling on a call that it matches."""
        match self.effect:
            case Effect.ALLOW:
                return Allow(by=f"rule:{self.name}", waived=True)
            case Effect.ASK:
                return Ask(by=f"rule:{self.name}", reason=self.reason, **self.given)
            case Effect.DENY:
                return (
                    Deny(by=f"rule:{self.name}", reason=self.reason)
                    if self.reason
                    else Deny(by=f"rule:{self.name}")
                )

    def to_json(self, saying: Callable[[object], str] = _name) -> dict[str, object]:
        """Return the rule as data; `saying` puts its predicate into words."""
        return self.terms_json() | {
            "name": self.name,
            "effect": self.effect,
            "tools": list(self.tools),
            "categories": sorted(self.categories),
            "risks": sorted(self.risks),
            "sources": sorted(self.sources),
            "when": None if self.when is None else saying(self.when),
            "reason": self.reason,
        }


_MATCHER: Final = parameters.several(
    parameters.name, frozenset, "a name or several names", some=True
)
_RULE: Final = {
    "name": parameters.text,
    "effect": parameters.one_of(Effect),
    "tools": parameters.several(
        parameters.name,
        tuple,
        "a tool's name or several names, where * stands for anything",
        some=True,
    ),
    "categories": _MATCHER,
    "risks": parameters.members(Risk, some=True),
    "sources": _MATCHER,
    "when": optional(parameters.of_two("a function of (arguments, context) or of the arguments")),
    "reason": parameters.text,
    **TERMS,
}
_STRENGTH = {Deny: 2, Ask: 1, Allow: 0}


def strongest(rulings: Iterable[Ruling]) -> Ruling | None:
    """Return the strongest ruling: deny over ask over allow; of equals the first.

    An ask gets the strictest terms of all asks.
    """
    found = tuple(rulings)
    first = max(found, key=lambda ruling: _STRENGTH[type(ruling)], default=None)
    asks = [each for each in found if isinstance(each, Ask)]
    if not isinstance(first, Ask) or len(asks) == 1:
        return first
    return first.under(AskTerms.strictest(asks))


@dataclass(frozen=True, kw_only=True)
class Policy:
    """A deployment's rules and hook, with a version that stands for what they say.

    `named` is a version that the deployment gives itself: code then counts by its name only, since
    it may hold values that differ between processes. `people_may_allow` are the risks for which
    people may have calls in their own conversations run unasked.
    """

    rules: tuple[Rule, ...] = ()
    hook: PolicyHook | None = None
    approvals: bool = True
    timeout: timedelta = timedelta(seconds=10)
    named: str = ""
    people_may_allow: frozenset[Risk] = frozenset()
    # Changes whenever the rules, their code, the hook's code or the approvals switch change.
    # Computed once, at the start: values that a hook collects later do not make another policy.
    version: str = field(init=False, default="")

    def __post_init__(self) -> None:
        object.__setattr__(self, "version", self._version())

    def _version(self) -> str:
        saying = _name if self.named else fingerprint
        rules: Sequence[object] = [rule.to_json(saying) for rule in self.rules]
        hook = None if self.hook is None else saying(self.hook)
        body: dict[str, object] = {
            "rules": rules,
            "hook": hook,
            "approvals": self.approvals,
            "salt": self.named,
        }
        # Only if there are any: policies of earlier releases keep their versions.
        if self.people_may_allow:
            body["people_may_allow"] = sorted(self.people_may_allow)
        return digest(encode(body))[:16]  # pyright: ignore[reportArgumentType]
