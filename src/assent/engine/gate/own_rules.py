"""People's own rules as this process last read them: a guess that every transaction checks."""

from typing import Final

from assent.domain.calls import Call
from assent.domain.conversations import Conversation
from assent.domain.own_rules import NO_RULES, OWN, OwnRules
from assent.domain.people import Person, PersonKind
from assent.domain.policy import Ask, Policy
from assent.domain.tools import EffectiveTool
from assent.ports import Tx

_MOST_KNOWN: Final = 10_000
_WITHDRAWN: Final = "You no longer let it run without asking."


class OwnRulesChanged(Exception):
    """The owner's rules are not those that the gate ruled by; nothing was stored."""

    def __init__(self, rules: OwnRules) -> None:
        self.rules = rules
        super().__init__()


def own_rules_of(tx: Tx, owner: Person) -> OwnRules:
    """Read the rules of an owner; a program has none."""
    return tx.own_rules.of(owner.id) if owner.kind is PersonKind.HUMAN else NO_RULES


def asks_now(
    tx: Tx, policy: Policy, call: Call, tool: EffectiveTool, conversation: Conversation
) -> Ask | None:
    """Return the question of an owner's rule about a call that was cleared without a person."""
    own = own_rules_of(tx, conversation.owner)
    by_own = (call.cleared_by or "").startswith(OWN)
    if not policy.approvals or not (own.rules or by_own):
        return None
    arguments = call.arguments.thaw()
    mine = own.asking(tool, arguments)
    if mine is not None:
        return mine.ask()
    owner, permitted = conversation.owner, policy.people_may_allow
    is_allowed = own.allowing(tool, arguments, owner, permitted) is not None
    return Ask(by="tool", reason=_WITHDRAWN) if by_own and not is_allowed else None


class KnownRules:
    """Remembers the rules of people who have any, so that most people cost no statement.

    The gate rules by what is remembered. The transaction that stores its rulings fails if that is
    outdated, and then the gate rules again: a rule counts from the moment it is stored.
    """

    def __init__(self) -> None:
        self._of: dict[str, OwnRules] = {}

    def of(self, owner: Person) -> OwnRules:
        """Return what is remembered of an owner's rules."""
        return self._of.get(owner.id, NO_RULES) if owner.kind is PersonKind.HUMAN else NO_RULES

    def learn(self, owner: Person, rules: OwnRules) -> OwnRules:
        """Remember the rules of an owner, and return them."""
        self._of.pop(owner.id, None)
        if len(self._of) >= _MOST_KNOWN:
            del self._of[next(iter(self._of))]
        self._of[owner.id] = rules
        return rules
