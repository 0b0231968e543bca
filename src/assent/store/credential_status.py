"""The SQL to recheck many credentials at once.

The same rules as `Key.holds` and a session's own. The database checks them, because a process with
thousands of streams rechecks all of their credentials all the time.
"""

import json
from collections.abc import Iterable
from datetime import timedelta
from functools import lru_cache

from sqlalchemy import BigInteger, ColumnElement, Select, and_, bindparam, or_, select, text

from assent.domain.people import Account, Person, PersonKind
from assent.store.people import account_of
from assent.store.rows import Driver, Params, dump, span
from assent.store.statements import ClockNow, PerDatabase, fixed
from assent.store.tables import api_keys, people, sessions

_p, _k, _s = people.c, api_keys.c, sessions.c
# One parameter for any number of ids: a statement is compiled once.
_LISTED = {
    "sqlite": "SELECT value FROM json_each(:ids)",
    "postgres": "SELECT json_array_elements_text(CAST(:ids AS json))",
}


def _among(statement: Select[*tuple[object, ...]], id: ColumnElement[str]) -> PerDatabase:
    listed = {name: statement.where(id.in_(text(each))) for name, each in _LISTED.items()}
    return PerDatabase(**listed)


_person = (_p.id, _p.kind, _p.roles, _p.behind)
_key_holds = and_(_k.revoked_at.is_(None), or_(_k.expires_at.is_(None), _k.expires_at > ClockNow()))
KEYS = _among(
    select(_k.id, *_person).join(people, _p.id == _k.person).where(_key_holds, ~_p.disabled), _k.id
)
SESSIONS = _among(
    select(_s.id, *_person, _s.roles)
    .join(people, _p.id == _s.person)
    .outerjoin(api_keys, _k.id == _s.api_key)
    .where(
        _s.ended_at.is_(None),
        _s.expires_at > ClockNow(),
        _s.seen_at + bindparam("idle", type_=BigInteger()) > ClockNow(),
        ~_p.disabled,
        _p.kind != fixed(PersonKind.AGENT),
        or_(_s.api_key.is_(None), and_(_k.id.is_not(None), _key_holds)),
    ),
    _s.id,
)
ACCOUNTS = _among(select(people), _p.id)


class StoredStanding:
    """`tx.standing`: the people that credentials stand for now; invalid ones are left out."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def keys(self, ids: Iterable[str]) -> dict[str, Person]:
        rows = self._driver.rows(KEYS, {"ids": dump(list(ids))})
        return {row[0]: _person_of(*row[1:5]) for row in map(tuple, rows)}

    def sessions(self, ids: Iterable[str], idle: timedelta) -> dict[str, Person]:
        params: Params = {"ids": dump(list(ids)), "idle": span(idle)}
        rows = self._driver.rows(SESSIONS, params)
        return {row[0]: _person_of(*row[1:6]) for row in map(tuple, rows)}

    def accounts(self, ids: Iterable[str]) -> list[Account]:
        return [account_of(row) for row in self._driver.rows(ACCOUNTS, {"ids": dump(list(ids))})]


def _person_of(id: str, kind: str, roles: str, behind: str | None, more: str = "[]") -> Person:
    return Person(id, roles=_roles(roles) | _roles(more), kind=PersonKind(kind), behind=behind)


@lru_cache(1_024)
def _roles(stored: str) -> frozenset[str]:
    return frozenset(json.loads(stored))
