"""The rules that people make for their own conversations: listed, added and deleted by them."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import Final

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.definitions import defined
from assent.domain.events import Entry
from assent.domain.own_rules import ListedRule, OwnRule, OwnRules, may_allow
from assent.domain.people import Person, PersonKind, want_recordable
from assent.domain.policy import Effect
from assent.domain.tools import EffectiveTool
from assent.engine.kernel import Kernel
from assent.engine.transitions import Raced
from assent.errors import InvalidParameter, NotAllowed, NotFound, TooManyOwnRules
from assent.ports import Tx

MOST_RULES: Final = 100
_MOST_TOOLS: Final = 1_000
_RULE: Final = parameters.instance(OwnRule, "an OwnRule")
_ID: Final = parameters.text
_UNKNOWN: Final = "no tool here has it, so a rule about it would match nothing"
# Looks up who is meant by a person or an id.
Lookup = Callable[[str, object], Awaitable[Person]]


class PersonalRules:
    """`assent.own_rules`: people ask to be asked more often, or less where that is permitted.

    A rule counts from the moment it is stored, in every process. Only its owner sees and changes
    it; each change is on record.
    """

    def __init__(self, kernel: Kernel, who: Lookup) -> None:
        self._kernel, self._who = kernel, who

    async def of(self, by: Person | str) -> list[ListedRule]:
        """Return a person's own rules, oldest first; `in_force` is False if one has no effect."""
        person = await self._person("Assent.own_rules.of()", by)

        def read(tx: Tx) -> tuple[OwnRules, list[EffectiveTool]]:
            found = tx.own_rules.of(person.id)
            has_allows = any(each.rule.effect is Effect.ALLOW for each in found.rules)
            return found, self._tools(tx) if has_allows else []

        own, tools = await self._kernel.store.run(read)
        return [
            replace(each, in_force=self._permits(each.rule, person, tools)) for each in own.rules
        ]

    async def add(self, rule: OwnRule, *, by: Person | str) -> ListedRule:
        """Add a rule to one's own; one that is there already stays as it is."""
        where = "Assent.own_rules.add()"
        _RULE.taken(where, "rule", rule)
        person = await self._person(where, by)

        def add(tx: Tx) -> ListedRule:
            own = tx.own_rules.of(person.id)
            if known := [each for each in own.rules if each.rule == rule]:
                return known[0]
            self._want_useful(tx, rule, person)
            if len(own.rules) >= MOST_RULES:
                raise TooManyOwnRules(MOST_RULES)
            made = ListedRule(id=self._kernel.ids("own"), rule=rule, at=tx.now())
            self._replace(tx, person, own, (*own.rules, made))
            self._note(tx, "add_own_rule", person, made)
            return made

        return await self._changed(add)

    async def delete(self, rule_id: str, *, by: Person | str) -> ListedRule:
        """Delete one of one's own rules, and return it."""
        where = "Assent.own_rules.delete()"
        _ID.taken(where, "rule_id", rule_id)
        person = await self._person(where, by)

        def delete(tx: Tx) -> ListedRule:
            own = tx.own_rules.of(person.id)
            gone = next((each for each in own.rules if each.id == rule_id), None)
            if gone is None:
                raise NotFound("rule", rule_id)
            rest = tuple(each for each in own.rules if each is not gone)
            self._replace(tx, person, own, rest)
            self._note(tx, "delete_own_rule", person, gone)
            return gone

        return await self._changed(delete)

    async def _person(self, where: str, by: Person | str) -> Person:
        person = await self._who(where, by)
        want_recordable(person)
        if person.kind is not PersonKind.HUMAN:
            raise NotAllowed(person.id, "have rules of its own: only people have")
        return person

    async def _changed(self, change: Callable[[Tx], ListedRule]) -> ListedRule:
        while True:
            try:
                return await self._kernel.store.run(change)
            except Raced:
                # The person changed another rule at the same moment: theirs is visible now.
                continue

    def _replace(
        self, tx: Tx, person: Person, seen: OwnRules, rules: tuple[ListedRule, ...]
    ) -> None:
        if not tx.own_rules.replace(person.id, rules, seen=seen):
            raise Raced(person.id)

    def _note(self, tx: Tx, action: str, person: Person, about: ListedRule) -> None:
        data: dict[str, Json] = {"rule_id": about.id, "rule": about.rule.to_json()}
        id, now = self._kernel.ids("aud"), tx.now()
        tx.journal.note(Entry(id=id, action=action, actor=person.id, data=data, at=now))

    def _tools(self, tx: Tx) -> list[EffectiveTool]:
        """Return the tools of agents here, and of callers outside."""
        catalogue = self._kernel.catalogue
        outside = tx.definitions.every_newest(_MOST_TOOLS)
        return [
            *catalogue.every_tool(),
            *(catalogue.learn(agent, defined(each)) for agent, each in outside),
        ]

    def _permits(self, rule: OwnRule, person: Person, tools: Iterable[EffectiveTool]) -> bool:
        permitted = self._kernel.policy.people_may_allow
        if rule.effect is Effect.ASK:
            return True
        return any(rule.covers(tool) and may_allow(tool, person, permitted) for tool in tools)

    def _want_useful(self, tx: Tx, rule: OwnRule, person: Person) -> None:
        """Refuse a rule that could never match, or that this deployment does not permit."""
        tools = self._tools(tx)
        covered = [tool for tool in tools if rule.covers(tool)]
        if not covered and rule.risk is None:
            noun, name = ("tool", rule.tool) if rule.tool else ("category", rule.category)
            raise NotFound(noun, name, _UNKNOWN)
        if not self._permits(rule, person, tools):
            action = f"have {rule.about} run unasked: this deployment does not permit it"
            raise NotAllowed(person.id, action)
        if rule.tool and rule.argument:
            _want_argument(rule, covered)


def _want_argument(rule: OwnRule, tools: Iterable[EffectiveTool]) -> None:
    names = set[str]()
    for tool in tools:
        schema = tool.tool.arguments.full
        properties, is_open = schema.get("properties"), schema.get("additionalProperties", True)
        # A schema that names no arguments, or lets in others, says nothing about them.
        if not isinstance(properties, dict) or is_open is not False:
            return
        names |= properties.keys()
    if rule.argument not in names:
        allowed = f"an argument of {rule.tool}: {', '.join(sorted(names)) or 'it has none'}"
        shown = parameters.shown(rule.argument)
        raise InvalidParameter("OwnRule", "argument", allowed, shown)
