"""How calls of a tool are treated, in words, and which protection a change would take away."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from itertools import combinations
from typing import Final

from assent.domain.ask_terms import AskTerms
from assent.domain.bodies import External, Generator, Regular
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.origins import Origin
from assent.domain.people import Audience
from assent.domain.policy import Effect, Policy, Rule
from assent.domain.tools import EffectiveTool, Hitl, Manual, Risk, is_predicate


class Forecast(StrEnum):
    """The expected course of a call, as far as known without arguments; the strictest last."""

    RUNS = "runs"
    DEPENDS = "depends"
    ASKS = "asks"
    DENIED = "denied"


FORECASTS: Final[Mapping[Forecast, str]] = {
    Forecast.RUNS: "Runs without asking",
    Forecast.DEPENDS: "Depends on the call",
    Forecast.ASKS: "Asks a person",
    Forecast.DENIED: "Never runs",
}
CONFIRMATIONS: Final[Mapping[Confirmation, str]] = {
    Confirmation.CLICK: "a click",
    Confirmation.STEP: "a click and a second step",
    Confirmation.TYPED: "typing a value of the call",
}
_EFFECTS: Final[Mapping[Effect, tuple[str, str]]] = {
    Effect.ALLOW: ("allows it", "allows some calls"),
    Effect.ASK: ("asks a person", "asks for some calls"),
    Effect.DENY: ("denies it", "denies some calls"),
}
_STRICT: Final = tuple(Forecast)
_FIRM: Final = tuple(Confirmation)
_HARM: Final = tuple(Risk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Treatment:
    """The outcome of a tool's calls and the reasons for it.

    `rules` are shown only to people who may read the policy.
    """

    course: Forecast
    # What a call needs from people besides a decision.
    needs: str
    reasons: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def words(self) -> str:
        """The forecast in a few words; calls that still need people do not "run without asking"."""
        if self.needs and self.course is Forecast.RUNS:
            return "No approval"
        return FORECASTS[self.course]


def treatment(tool: EffectiveTool, policy: Policy) -> Treatment:
    """Judge the tool as the gate would, as far as that is possible without a call."""
    found, rules = outcomes(tool, policy), [rule for rule in policy.rules if rule.covers(tool)]
    reasons = [_wish_words(tool), *_also(tool)]
    if policy.hook is not None and found - {Forecast.DENIED}:
        reasons.append("A policy hook of this deployment also checks each call.")
    if not policy.approvals:
        reasons.append("Approvals are switched off in this deployment: calls run without asking.")
    return Treatment(
        course=_course(found),
        needs=_needs(tool),
        reasons=tuple(reasons),
        rules=tuple(map(_rule_words, rules)),
    )


def outcomes(tool: EffectiveTool, policy: Policy) -> frozenset[Forecast]:
    """Return all outcomes that calls may have, by the tool's own setting and the rules."""
    rules = [rule for rule in policy.rules if rule.covers(tool)]
    always = {rule.effect for rule in rules if rule.when is None}
    sometimes = {rule.effect for rule in rules if rule.when is not None}
    found = {
        _ruled(wish, always.union(some))
        for wish in _wishes(tool)
        for number in range(len(sometimes) + 1)
        for some in combinations(sometimes, number)
    }
    if not policy.approvals and Forecast.ASKS in found:
        found = found - {Forecast.ASKS} | {Forecast.RUNS}
    return frozenset(found)


def _wishes(tool: EffectiveTool) -> tuple[Forecast, ...]:
    if is_predicate(tool.requires_approval):
        return Forecast.ASKS, Forecast.RUNS
    return (Forecast.ASKS,) if tool.requires_approval else (Forecast.RUNS,)


def _ruled(wish: Forecast, matching: Set[Effect]) -> Forecast:
    said = {
        Effect.DENY: Forecast.DENIED,
        Effect.ASK: Forecast.ASKS,
        Effect.ALLOW: Forecast.RUNS,
    }
    return next((course for effect, course in said.items() if effect in matching), wish)


def _course(found: Set[Forecast]) -> Forecast:
    if found == {Forecast.ASKS, Forecast.DENIED}:
        return Forecast.ASKS
    return next(iter(found)) if len(found) == 1 else Forecast.DEPENDS


def _needs(tool: EffectiveTool) -> str:
    if tool.tool.user_input is not None:
        return "needs answers"
    return "result from people" if isinstance(tool.tool.kind, Manual | Hitl) else ""


_SAYERS: Final = {
    Origin.NAME: "The tool's name",
    Origin.RISK: "The tool's risk",
    Origin.SOURCE: "The server that the tool comes from",
}


def _wish_words(tool: EffectiveTool) -> str:
    is_own = tool.requires_approval is tool.tool.requires_approval
    origin = tool.describe()["requires_approval"].origin
    by = _SAYERS.get(origin, "The tool itself") if is_own else "An admin's setting"
    match _wishes(tool):
        case (Forecast.ASKS,):
            return f"{by} requires approval."
        case (Forecast.RUNS,):
            return f"{by} does not require approval."
        case _:
            return f"{by} decides by the arguments whether approval is required."


def _also(tool: EffectiveTool) -> Iterable[str]:
    if tool.tool.user_input is not None:
        labels = ", ".join(each.label or each.name for each in tool.tool.user_input.fields)
        yield f"Before it runs a person is asked for: {labels}."
    match tool.tool.kind:
        case Manual():
            yield "Nothing runs here: a person or another program supplies the result."
        case Hitl():
            yield "A person may have to supply the result."
        case _:
            pass


def _rule_words(rule: Rule) -> str:
    always, sometimes = _EFFECTS[rule.effect]
    said = always if rule.when is None else sometimes
    return f"Rule {rule.name} {said}{f': {rule.reason}' if rule.reason else ''}"


def covered(rule: Rule) -> str:
    """Describe the calls that a rule applies to."""
    parts = [
        f"{label} {', '.join(sorted(values))}"
        for label, values in (
            ("tools", rule.tools),
            ("category", rule.categories),
            ("risk", rule.risks),
            ("source", rule.sources),
        )
        if values
    ]
    said = "; ".join(parts) or "every tool"
    return said if rule.when is None else f"{said}; some calls, by their arguments"


def deciders(audience: Audience) -> str:
    """Name the people who may decide."""
    said = ", who also has to be ".join(_named(part) for part in audience.parts)
    return f"{said}, but never the person who asked" if audience.exclude_requester else said


def _named(audience: Audience) -> str:
    parts = ["the owner of the conversation"] if audience.owner else []
    if audience.roles:
        parts.append(f"anyone with the role {' or '.join(sorted(audience.roles))}")
    parts += sorted(audience.people)
    return " or ".join(parts) or "nobody"


def length(within: timedelta | None) -> str:
    """Return a length of time in all its units: `1 day 2 hours`."""
    if within is None:
        return "no limit"
    seconds, parts = int(within.total_seconds()), list[str]()
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")):
        number, seconds = divmod(seconds, size)
        if number:
            parts.append(f"{number} {unit}{'s' if number > 1 else ''}")
    return " ".join(parts) or "no time"


def kind(tool: EffectiveTool) -> str:
    """Describe the kind of the tool for people."""
    match tool.tool.kind:
        case Regular():
            return "runs here"
        case Generator():
            return "runs here and reports progress"
        case Hitl():
            return "a person may supply the result"
        case Manual():
            return "a person or another program supplies the result"
        case External():
            return "whoever calls it runs it"


def facts(tool: EffectiveTool, policy: Policy) -> dict[str, str]:
    """Return the settings of a tool that can be changed, in words."""
    return {
        "Its calls": treatment(tool, policy).words,
        "Risk": tool.risk.capitalize(),
        "Approving takes": CONFIRMATIONS[_takes(tool, policy)],
        "Who decides": deciders(_asked(tool, policy)),
        "Time to decide": length(_within(tool, policy)),
        "Impact": tool.impact or "not stated",
        "Category": tool.category or "none",
    }


def sources(tool: EffectiveTool, policy: Policy) -> dict[str, str]:
    """Return where each setting comes from: the declaration, a default, an admin, or a rule."""
    said = {name: each.origin.words for name, each in tool.describe().items()}
    asked, within = _asked(tool, policy), _within(tool, policy)
    ruled = {
        "confirmation": _takes(tool, policy) != tool.confirmation,
        "audience": asked != tool.audience,
        "decide_within": within != tool.decide_within,
    }
    said |= {name: "a rule" for name, is_ruled in ruled.items() if is_ruled}
    return {label: said[name] for label, name in _NAMES.items()}


_NAMES: Final = {
    "Risk": "risk",
    "Approving takes": "confirmation",
    "Who decides": "audience",
    "Time to decide": "decide_within",
    "Impact": "impact",
    "Category": "category",
    "Who may use it": "caller_roles",
    "Retries": "idempotent",
}


def meaning(tool: EffectiveTool, policy: Policy) -> tuple[str, ...]:
    """Explain in sentences how calls will be treated."""
    found, who = outcomes(tool, policy), deciders(_asked(tool, policy))
    first = _fate(tool, found, who)
    if Forecast.ASKS not in found:
        return (first,)
    within, end = _within(tool, policy), "They wait until a person decides."
    if within is not None:
        end = f"A call that is not decided within {length(within)} expires and does not run."
    takes = f"Approving one takes {CONFIRMATIONS[_takes(tool, policy)]}"
    people = _terms(tool, policy).quorum
    several = f" from each of {people} people" if people > 1 else ""
    return (first, f"{takes}{several}.", end)


def _fate(tool: EffectiveTool, found: Set[Forecast], who: str) -> str:
    name = tool.tool.name
    match sorted(found, key=_STRICT.index):
        case [Forecast.RUNS]:
            return _unasked(tool, who)
        case [Forecast.ASKS]:
            return f"Calls of {name} wait for {who}."
        case [Forecast.DENIED]:
            return f"Calls of {name} never run: a rule of this deployment denies them."
        case several:
            said = {Forecast.RUNS: "run at once", Forecast.ASKS: f"wait for {who}"}
            parts = [f"some {said.get(each, 'are denied')}" for each in several]
            return f"Calls of {name} differ: {'; '.join(parts)}."


def _unasked(tool: EffectiveTool, who: str) -> str:
    """Describe calls that need no approval; they may still need people."""
    name = tool.tool.name
    if tool.tool.user_input is not None:
        return f"Calls of {name} run once {who} has filled in a form. No approval is needed."
    if isinstance(tool.tool.kind, Manual):
        return f"Calls of {name} wait for {who} to supply a result. No approval is needed."
    return f"Calls of {name} run at once, without asking."


def _terms(tool: EffectiveTool, policy: Policy) -> AskTerms:
    always = (rule for rule in policy.rules if rule.when is None and rule.covers(tool))
    return AskTerms.strictest(rule for rule in always if rule.effect is Effect.ASK)


def _asked(tool: EffectiveTool, policy: Policy) -> Audience:
    """Return the audience of a call: rules that ask take precedence over the tool."""
    return _terms(tool, policy).audience or tool.audience


def _takes(tool: EffectiveTool, policy: Policy) -> Confirmation:
    return firmest(tool.confirmation, _terms(tool, policy).confirmation)


def _within(tool: EffectiveTool, policy: Policy) -> timedelta | None:
    return _terms(tool, policy).time_to_decide(tool.decide_within)


def lowered(before: EffectiveTool, after: EffectiveTool, policy: Policy) -> tuple[str, ...]:
    """Return the protection that a change takes away, in sentences; empty for most changes."""
    found: list[str] = []
    if _HARM.index(after.risk) < _HARM.index(before.risk):
        found.append(f"It counts as {after.risk} instead of {before.risk}.")
    pairs = [(set(_wishes(before)), set(_wishes(after)))]
    pairs.append((set(outcomes(before, policy)), set(outcomes(after, policy))))
    if any(Forecast.RUNS in new and (Forecast.RUNS not in old or old - new) for old, new in pairs):
        found.append("Calls that needed approval may run without it.")
    elif any(Forecast.DENIED in old and Forecast.DENIED not in new for old, new in pairs):
        found.append("Calls that were denied may be approved.")
    if _FIRM.index(after.confirmation) < _FIRM.index(before.confirmation):
        old, new = CONFIRMATIONS[before.confirmation], CONFIRMATIONS[after.confirmation]
        found.append(f"Approving takes {new} instead of {old}.")
    # If no call needed approval before, a wider audience lowers nothing.
    was_asked = policy.hook is not None or any(old != {Forecast.RUNS} for old, _ in pairs)
    return (*found, *(_wider(before.audience, after.audience) if was_asked else ()))


def _wider(before: Audience, after: Audience) -> Iterable[str]:
    more = Audience(
        owner=after.owner and not before.owner,
        roles=after.roles - before.roles,
        people=after.people - before.people,
    )
    if more.owner or more.roles or more.people:
        yield f"More people may approve it: {deciders(more)}."
    if before.exclude_requester and not after.exclude_requester:
        yield "People may approve calls that they asked for themselves."
