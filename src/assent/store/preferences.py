"""The SQL of preferences: answers that people keep for all their conversations."""

import json
from typing import Any

from sqlalchemy import bindparam, delete, select

from assent.domain.preferences import Preference
from assent.store.preference_tables import preferences
from assent.store.rows import Driver, Params, Row, dump, micros, moment
from assent.store.values import PURGE

_p = preferences.c
_OWN = _p.person == bindparam("person")
_GONE = (_p.id, _p.value, _p.secret)

PREFERENCES = select(preferences).where(_OWN).order_by(_p.scope, _p.name)
PREFERENCES_OF = select(preferences).where(_OWN, _p.scope == bindparam("scope"))
REPLACE = (
    delete(preferences)
    .where(_OWN, _p.scope == bindparam("scope"), _p.name == bindparam("name"))
    .returning(*_GONE)
)
# With the person: nobody deletes another's by its id.
DELETE = delete(preferences).where(_OWN, _p.id == bindparam("id")).returning(*_GONE)


class StoredPreferences:
    """`tx.preferences`: the preferences table; a secret's sealed row goes with its own."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def of_person(self, person: str) -> list[Preference]:
        return [_preference(row) for row in self._driver.rows(PREFERENCES, {"person": person})]

    def of_scope(self, person: str, scope: str) -> list[Preference]:
        rows = self._driver.rows(PREFERENCES_OF, {"person": person, "scope": scope})
        return [_preference(row) for row in rows]

    def put(self, preference: Preference) -> None:
        """Keep it in place of an earlier one; if another adds one first, it all runs again."""
        key: Params = {
            "person": preference.person,
            "scope": preference.scope,
            "name": preference.name,
        }
        self._purge(self._driver.rows(REPLACE, key))
        rest: Params = {
            "id": preference.id,
            "value": dump(preference.value),
            "secret": preference.secret,
            "at": micros(preference.at),
        }
        self._driver.insert(preferences, [key | rest])

    def delete(self, person: str, id: str) -> bool:
        """Delete a person's own preference; returns False if there is none of this id."""
        gone = self._driver.rows(DELETE, {"person": person, "id": id})
        self._purge(gone)
        return bool(gone)

    def _purge(self, gone: Any) -> None:
        for _, value, secret in gone:
            if secret:
                self._driver.rows(PURGE, {"id": json.loads(value)["$secret"]})


def _preference(row: Row) -> Preference:
    return Preference(
        id=row[0],
        person=row[1],
        scope=row[2],
        name=row[3],
        value=json.loads(row[4]),
        secret=bool(row[5]),
        at=moment(row[6]),
    )
