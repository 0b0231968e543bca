"""Many credentials at once, with whose they are: their SQL."""

from collections.abc import Iterable

from sqlalchemy import ColumnElement, Select, select, text

from assent.domain.credentials import Key, Session
from assent.domain.people import Account
from assent.store.credentials import FOUND, session_of
from assent.store.people import account_of, key_of
from assent.store.rows import Driver, dump
from assent.store.statements import PerDatabase
from assent.store.tables import api_keys, people, sessions

# One parameter, whatever their number: a statement is compiled once.
_LISTED = {
    "sqlite": "SELECT value FROM json_each(:ids)",
    "postgres": "SELECT json_array_elements_text(CAST(:ids AS json))",
}


def _among(statement: Select[*tuple[object, ...]], id: ColumnElement[str]) -> PerDatabase:
    listed = {name: statement.where(id.in_(text(each))) for name, each in _LISTED.items()}
    return PerDatabase(**listed)


KEYS = _among(
    select(api_keys, people).join(people, people.c.id == api_keys.c.person), api_keys.c.id
)
SESSIONS = _among(FOUND, sessions.c.id)
ACCOUNTS = _among(select(people), people.c.id)
_key_width = len(api_keys.columns)


class StoredStanding:
    """`tx.standing`"""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def keys(self, ids: Iterable[str]) -> list[tuple[Key, Account]]:
        rows = map(tuple, self._driver.rows(KEYS, {"ids": dump(list(ids))}))
        return [(key_of(row[:_key_width]), account_of(row[_key_width:])) for row in rows]

    def sessions(self, ids: Iterable[str]) -> list[tuple[Session, Account, Key | None]]:
        return [session_of(row) for row in self._driver.rows(SESSIONS, {"ids": dump(list(ids))})]

    def accounts(self, ids: Iterable[str]) -> list[Account]:
        return [account_of(row) for row in self._driver.rows(ACCOUNTS, {"ids": dump(list(ids))})]
