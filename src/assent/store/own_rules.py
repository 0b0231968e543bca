"""The SQL of the rules that people make for their own conversations."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, bindparam, exists, select, update

from assent.domain.own_rules import NO_RULES, ListedRule, OwnRule, OwnRules
from assent.store.rows import Driver, Params, dump, micros, moment
from assent.store.statements import ClockNow
from assent.store.tables import own_rules

_o = own_rules.c
RULES = select(_o.version, _o.rules).where(_o.person == bindparam("person"))
REPLACE = (
    update(own_rules)
    .where(_o.person == bindparam("person"), _o.version == bindparam("seen"))
    .values(version=_o.version + 1, rules=bindparam("to_rules"), at=ClockNow())
    .returning(_o.version)
)
# For a statement that reads something else as well.
VERSION = select(_o.version).where(_o.person == bindparam("owner")).scalar_subquery()


def rules_are_as_seen() -> ColumnElement[bool]:
    """Return a guard: the rules of `owner` are of the version `seen_rules`, or there are none."""
    outdated = _o.version != bindparam("seen_rules", type_=_o.version.type)
    return ~exists().where(_o.person == bindparam("owner", type_=_o.person.type), outdated)


class StoredOwnRules:
    """`tx.own_rules`: the rules of people, one row per person."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def of(self, person: str) -> OwnRules:
        found = self._driver.rows(RULES, {"person": person})
        return _rules_of(found[0]) if found else NO_RULES

    def replace(self, person: str, rules: Sequence[ListedRule], *, seen: OwnRules) -> bool:
        """Store the rules of a person in place of those seen; False if they changed since.

        If another adds the first rules of a person meanwhile, the transaction runs again.
        """
        text = dump([_written(each) for each in rules])
        if seen.version == 0:
            row: Params = {"person": person, "version": 1, "rules": text}
            self._driver.insert(own_rules, [row | {"at": self._driver.clock()}])
            return True
        params: Params = {"person": person, "seen": seen.version, "to_rules": text}
        return bool(self._driver.rows(REPLACE, params))


def _written(listed: ListedRule) -> dict[str, Any]:
    return {"id": listed.id, "at": micros(listed.at), "rule": listed.rule.to_json()}


def _rules_of(row: Sequence[Any]) -> OwnRules:
    stored: list[dict[str, Any]] = json.loads(row[1])
    rules = [
        ListedRule(id=each["id"], rule=OwnRule.from_json(each["rule"]), at=moment(each["at"]))
        for each in stored
    ]
    return OwnRules(version=row[0], rules=tuple(rules))
