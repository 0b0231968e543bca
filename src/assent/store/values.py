"""The SQL of saved answers, sealed secrets and settings."""

import json
from collections.abc import Sequence

from sqlalchemy import bindparam, delete, insert, select

from assent.domain.forms import SavedValue, SealedSecret
from assent.store.rows import Driver, Params, dump, micros, moment
from assent.store.statements import ClockNow
from assent.store.tables import facts, overrides, saved_values, secrets

_v, _s = saved_values.c, secrets.c

FORGET_VALUE = delete(saved_values).where(
    _v.conversation_id == bindparam("conversation_id"),
    _v.scope == bindparam("scope"),
    _v.name == bindparam("name"),
)
SAVED_VALUES = select(saved_values).where(_v.conversation_id == bindparam("conversation_id"))
CLEAR_ALL = (
    delete(saved_values)
    .where(_v.conversation_id == bindparam("conversation_id"))
    .returning(_v.name, _v.value, _v.secret)
)
CLEAR_SCOPE = CLEAR_ALL.where(_v.scope == bindparam("scope"))
SEALED = select(secrets).where(_s.id == bindparam("id"))
PURGE_CALL = delete(secrets).where(_s.call_id == bindparam("call_id")).returning(_s.id)
PURGE = delete(secrets).where(_s.id == bindparam("id")).returning(_s.id)

OVERRIDES = select(overrides.c.tool, overrides.c.settings)
DROP_OVERRIDE = delete(overrides).where(overrides.c.tool == bindparam("tool"))
SET_OVERRIDE = insert(overrides).values(
    tool=bindparam("tool"), settings=bindparam("settings"), by=bindparam("by"), at=ClockNow()
)
FACT = select(facts.c.value).where(facts.c.name == bindparam("name"))
DROP_FACT = delete(facts).where(facts.c.name == bindparam("name"))


class StoredValues:
    """`tx.values`: saved answers of a conversation, and sealed secrets."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def save(self, values: Sequence[SavedValue]) -> None:
        for value in values:
            key: Params = {
                "conversation_id": value.conversation_id,
                "scope": value.scope,
                "name": value.name,
            }
            self._driver.rows(FORGET_VALUE, key)
            rest: Params = {
                "value": dump(value.value),
                "secret": value.secret,
                "at": micros(value.at),
            }
            self._driver.insert(saved_values, [key | rest])

    def saved(self, conversation_id: str) -> list[SavedValue]:
        rows = self._driver.rows(SAVED_VALUES, {"conversation_id": conversation_id})
        return [
            SavedValue(
                conversation_id=row[0],
                scope=row[1],
                name=row[2],
                value=json.loads(row[3]),
                secret=bool(row[4]),
                at=moment(row[5]),
            )
            for row in rows
        ]

    def clear(self, conversation_id: str, scope: str | None = None) -> int:
        params: Params = {"conversation_id": conversation_id}
        if scope is None:
            gone = self._driver.rows(CLEAR_ALL, params)
        else:
            gone = self._driver.rows(CLEAR_SCOPE, params | {"scope": scope})
        for _, value, secret in gone:
            if secret:
                self._driver.rows(PURGE, {"id": json.loads(value)["$secret"]})
        return len(gone)

    def seal(self, secrets: Sequence[SealedSecret]) -> None:
        rows: list[Params] = [
            {
                "id": secret.id,
                "conversation_id": secret.conversation_id,
                "call_id": secret.call_id,
                "field": secret.field,
                "sealed": secret.sealed,
                "at": micros(secret.at),
            }
            for secret in secrets
        ]
        self._driver.insert(_s.id.table, rows)

    def sealed(self, ids: Sequence[str]) -> list[SealedSecret]:
        found = [row for id in ids for row in self._driver.rows(SEALED, {"id": id})]
        return [
            SealedSecret(
                id=row[0],
                conversation_id=row[1],
                call_id=row[2],
                field=row[3],
                sealed=row[4],
                at=moment(row[5]),
            )
            for row in found
        ]

    def purge(self, call_id: str) -> int:
        return len(self._driver.rows(PURGE_CALL, {"call_id": call_id}))


class StoredSettings:
    """`tx.settings`: overrides of tools, and facts about the database."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def overrides(self) -> dict[str, str]:
        return {row[0]: row[1] for row in self._driver.rows(OVERRIDES, {})}

    def override(self, tool: str, settings: str | None, by: str) -> None:
        # Settings that an admin tightens must soon apply everywhere.
        self._driver.leaves_work = True
        self._driver.rows(DROP_OVERRIDE, {"tool": tool})
        if settings is not None:
            self._driver.rows(SET_OVERRIDE, {"tool": tool, "settings": settings, "by": by})

    def fact(self, name: str) -> str | None:
        found = self._driver.rows(FACT, {"name": name})
        return found[0][0] if found else None

    def add_fact(self, name: str, value: str) -> None:
        """Add a fact that was not found; if another adds it first, the transaction runs again."""
        self._driver.insert(facts, [{"name": name, "value": value}])

    def set_fact(self, name: str, value: str) -> None:
        self._driver.rows(DROP_FACT, {"name": name})
        self.add_fact(name, value)
