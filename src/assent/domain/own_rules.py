"""Rules that people make for their own conversations: to be asked more often, or less."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Literal

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.parameters import Check, optional, settle
from assent.domain.people import Audience, Person
from assent.domain.policy import Ask, Effect
from assent.domain.tools import Arguments, EffectiveTool, Risk, RiskGiven
from assent.errors import InvalidParameter

# How `by` of a ruling begins if a person's own rule spoke; the rule's id follows.
OWN: Final = "own:"
MOST_CHARS: Final = 200
# On each side of the decimal point.
MOST_DIGITS: Final = 30
EffectOwn = Effect | Literal["ask", "allow"]
AmountGiven = int | float | Decimal | str
_UNFIT: Final = parameters.unfit()
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,60}(\.[0-9]{1,60})?([eE][+-]?[0-9]{1,3})?")


def _short(given: object) -> object:
    if not isinstance(given, str) or len(given) > MOST_CHARS:
        return _UNFIT
    # Control characters, half pairs and direction marks are in no name, only in imitations of one.
    return given if given == given.strip() and (not given or given.isprintable()) else _UNFIT


def may_name(category: str) -> bool:
    """Return True if a rule can be about this category: there is one, and people can read it."""
    return bool(category) and _short(category) is not _UNFIT


def _amount(given: object) -> object:
    if isinstance(given, bool) or not isinstance(given, int | float | Decimal | str):
        return _UNFIT
    # Decimal would take digits of every script, and underscores.
    if isinstance(given, str) and not _NUMBER.fullmatch(given):
        return _UNFIT
    try:
        # The digits that people wrote, not the nearest binary number.
        amount = Decimal(repr(given) if isinstance(given, float) else given)
    except (InvalidOperation, ValueError):
        return _UNFIT
    return amount if _is_short(amount) else _UNFIT


def _is_short(amount: Decimal) -> bool:
    if not amount.is_finite():
        return False
    exponent = amount.as_tuple().exponent
    return (
        isinstance(exponent, int) and exponent >= -MOST_DIGITS and (amount.adjusted() < MOST_DIGITS)
    )


_NAME: Final = Check(
    f"a name of at most {MOST_CHARS} characters, none of them hidden or a blank at its ends", _short
)
_EFFECTS: Final = parameters.one_of(Effect)


def _effect(given: object) -> object:
    effect = _EFFECTS.read(given)
    return _UNFIT if effect is Effect.DENY else effect


@dataclass(frozen=True, slots=True, init=False)
class OwnRule:
    """A rule that a person makes for their own conversations: ask me, or let it run unasked.

    It is about one tool, one category or one risk. One that asks may name an `argument` whose
    number must be `at_least` so much, or its amount of money in any currency; an argument that is
    missing or is neither asks, too.
    """

    effect: Effect
    tool: str
    category: str
    risk: Risk | None
    argument: str
    at_least: Decimal | None

    def __init__(
        self,
        effect: EffectOwn,
        *,
        tool: str = "",
        category: str = "",
        risk: RiskGiven | None = None,
        argument: str = "",
        at_least: AmountGiven | None = None,
    ) -> None:
        settle(
            self,
            _OWN_RULE,
            effect=effect,
            tool=tool,
            category=category,
            risk=risk,
            argument=argument,
            at_least=at_least,
        )
        self._want_whole()

    def _want_whole(self) -> None:
        about = [each for each in (self.tool, self.category, self.risk) if each]
        if len(about) != 1:
            what = "none of them" if not about else f"{len(about)} of them"
            raise InvalidParameter("OwnRule", "tool, category and risk", "one of the three", what)
        if bool(self.argument) != (self.at_least is not None):
            what = "only one of them"
            raise InvalidParameter("OwnRule", "argument and at_least", "both, or neither", what)
        if self.argument and self.effect is Effect.ALLOW:
            allowed = "left out of a rule that allows (a second rule can ask from there on)"
            raise InvalidParameter("OwnRule", "at_least", allowed, f"{self.at_least}")

    def covers(self, tool: EffectiveTool) -> bool:
        """Return True if the rule is about this tool, whatever the call's arguments are."""
        if self.risk is not None:
            return tool.risk is self.risk
        return tool.tool.name == self.tool if self.tool else tool.category == self.category

    def matches(self, tool: EffectiveTool, arguments: Arguments) -> bool:
        """Return True if the rule is about this call."""
        if not self.covers(tool):
            return False
        return self.at_least is None or _reaches(arguments.get(self.argument), self.at_least)

    @property
    def about(self) -> str:
        """The subject of the rule, in words: `calls of pay with amount of 100 or more`."""
        if self.risk is not None:
            subject = f"{self.risk} calls"
        else:
            subject = f"calls of {self.tool}" if self.tool else f"calls in {self.category}"
        if self.at_least is None:
            return subject
        return f"{subject} with {self.argument} of {self.at_least:,f} or more"

    @property
    def words(self) -> str:
        """The rule as a person would say it."""
        if self.effect is Effect.ASK:
            return f"Always ask me about {self.about}"
        return f"Run {self.about} without asking me"

    def to_json(self) -> dict[str, Json]:
        """Return plain JSON; the number is text, so that no reader rounds it."""
        return {
            "effect": str(self.effect),
            "tool": self.tool,
            "category": self.category,
            "risk": None if self.risk is None else str(self.risk),
            "argument": self.argument,
            "at_least": None if self.at_least is None else str(self.at_least),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "OwnRule":
        """Read what `to_json` wrote."""
        return cls(**stored)


_OWN_RULE: Final = {
    "effect": Check("'ask' or 'allow'", _effect),
    "tool": _NAME,
    "category": _NAME,
    "risk": optional(parameters.one_of(Risk)),
    "argument": _NAME,
    "at_least": optional(
        Check(f"a number of at most {MOST_DIGITS} digits before and after its point", _amount)
    ),
}


def _reaches(value: object, least: Decimal) -> bool:
    """Return True if a number or money is at least so much, and for everything that is neither."""
    match value:
        case bool():
            return True
        case int():
            return value >= least
        case float():
            # As it is written and shown: 99.99 is not a little less than 99.99.
            return Decimal(repr(value)) >= least
        case {"amount": str(amount), "currency": str(), **rest} if not rest:  # pyright: ignore[reportUnknownVariableType]
            # Money: so much in whatever currency.
            exact = _amount(amount)
            return not isinstance(exact, Decimal) or exact >= least
        case _:
            return True


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRule:
    """One of a person's own rules, with its id and when it was made.

    One that allows is not `in_force` where the deployment does not permit that, or no longer does.
    """

    id: str
    rule: OwnRule
    at: datetime
    in_force: bool = True

    @property
    def by(self) -> str:
        """The name of this rule in rulings."""
        return f"{OWN}{self.id}"

    def ask(self) -> Ask:
        """Return the question that this rule wants: to the owner, whoever decides other calls."""
        reason = f"You asked to be asked about {self.rule.about}."
        return Ask(by=self.by, reason=reason, audience=Audience())


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRules:
    """All rules of one person; the version counts their changes."""

    version: int = 0
    rules: tuple[ListedRule, ...] = ()

    def asking(self, tool: EffectiveTool, arguments: Arguments) -> ListedRule | None:
        """Return the first rule that wants this call asked about."""
        return self._first(Effect.ASK, tool, arguments)

    def allowing(
        self, tool: EffectiveTool, arguments: Arguments, owner: Person, permitted: Set[Risk]
    ) -> ListedRule | None:
        """Return the rule that lets this call run, if its owner may say that."""
        found = self.instead(tool, arguments, owner, permitted)
        return None if found is None or found.rule.effect is Effect.ASK else found

    def instead(
        self, tool: EffectiveTool, arguments: Arguments, owner: Person, permitted: Set[Risk]
    ) -> ListedRule | None:
        """Return the rule that speaks in place of the tool's wish to ask, if its owner may say so.

        It is one that allows, or the exception to that: a rule that asks is stronger.
        """
        if not may_allow(tool, owner, permitted):
            return None
        allows = self._first(Effect.ALLOW, tool, arguments)
        return None if allows is None else self.asking(tool, arguments) or allows

    def _first(
        self, effect: Effect, tool: EffectiveTool, arguments: Arguments
    ) -> ListedRule | None:
        return next(
            (
                each
                for each in self.rules
                if each.rule.effect is effect and each.rule.matches(tool, arguments)
            ),
            None,
        )


def may_allow(tool: EffectiveTool, owner: Person, permitted: Set[Risk]) -> bool:
    """Return True if an owner may let a tool run unasked: its risk is permitted.

    And they could answer the question themselves: what others have to decide, they cannot waive.
    """
    return tool.risk in permitted and tool.audience.admits(owner, owner.id, owner.behind)


NO_RULES: Final = OwnRules()
