"""The SQL of accounts and keys by pages, when they were last used, and changes of settings."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from sqlalchemy import Text, bindparam, func, select, text, union_all
from sqlalchemy.sql import ClauseElement

from assent.domain.credentials import Key
from assent.domain.events import Entry
from assent.domain.people import Account
from assent.store.journal import entry_of
from assent.store.people import account_of, key_of
from assent.store.rows import Driver, Params, dump, moment
from assent.store.statements import Holds, PerDatabase, named
from assent.store.tables import api_keys, audit, people, sessions

_p, _k, _s, _a = people.c, api_keys.c, sessions.c, audit.c
# After every id of a key, `key_…`, however a database sorts letters: in many locales `~` and other
# signs come before them. A list that goes back in time begins here.
AFTER_KEYS: Final = "l"

PEOPLE = (
    select(people)
    .where(_p.id > bindparam("after", type_=Text), named("piece", _p.id, _p.name))
    .order_by(_p.id)
    .limit(bindparam("limit"))
)
# Ids of keys begin with the time at which they were made.
KEYS = (
    select(api_keys)
    .where(_k.id < bindparam("after", type_=Text))
    .order_by(_k.id.desc())
    .limit(bindparam("limit"))
)
KEYS_OF = KEYS.where(_k.person == bindparam("person"))
# One parameter for any number of ids: a statement is compiled once.
_LISTED: Final = {
    "sqlite": "SELECT value FROM json_each(:{0})",
    "postgres": "SELECT json_array_elements_text(CAST(:{0} AS json))",
}


def _last_seen(listed: str) -> ClauseElement:
    among = text(listed.format("ids"))
    found = union_all(
        select(_s.person, _s.seen_at.label("at")).where(_s.person.in_(among)),
        select(_k.person, _k.last_used_at).where(_k.person.in_(among)),
    ).subquery("found")
    return select(found.c.person, func.max(found.c.at)).group_by(found.c.person)


def _changes(listed: str) -> ClauseElement:
    """Select audit entries that belong to no conversation: sign-ins, people, keys, settings.

    Filtered before they are ordered: otherwise PostgreSQL would read all entries of agents, too.
    """
    found = (
        select(audit)
        .where(
            _a.conversation_id.is_(None),
            Holds(_a.data, bindparam("about", type_=Text)),
            _a.action.in_(text(listed.format("actions"))),
        )
        .cte("found")
        .prefix_with("MATERIALIZED", dialect="postgresql")
    )
    newest = (found.c.at.desc(), found.c.id.desc())
    return select(found).order_by(*newest).limit(bindparam("limit"))


LAST_SEEN = PerDatabase(**{name: _last_seen(listed) for name, listed in _LISTED.items()})
CHANGES = PerDatabase(**{name: _changes(listed) for name, listed in _LISTED.items()})


class StoredDirectory:
    """`tx.directory`: accounts and keys by pages, each after the last id of the page before."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def people(self, piece: str, *, after: str, limit: int) -> list[Account]:
        params: Params = {"piece": piece or None, "after": after, "limit": limit}
        return [account_of(row) for row in self._driver.rows(PEOPLE, params)]

    def keys(self, person: str | None, *, after: str, limit: int) -> list[Key]:
        """Return keys, newest first, including revoked ones."""
        params: Params = {"after": after or AFTER_KEYS, "limit": limit}
        if person is None:
            return [key_of(row) for row in self._driver.rows(KEYS, params)]
        return [key_of(row) for row in self._driver.rows(KEYS_OF, params | {"person": person})]

    def last_seen(self, ids: Iterable[str]) -> dict[str, datetime]:
        """Return when each person last used a session or a key, if that is known."""
        rows = self._driver.rows(LAST_SEEN, {"ids": dump(list(ids))})
        return {person: moment(at) for person, at in map(tuple, rows) if at is not None}

    def changes(self, actions: Iterable[str], about: tuple[str, str], *, limit: int) -> list[Entry]:
        """Return audit entries outside conversations, newest first, with `about` in their data."""
        name, value = map(dump, about)
        params: Params = {"about": f"{name}:{value}"}
        params |= {"actions": dump(list(actions)), "limit": limit}
        return [entry_of(row) for row in self._driver.rows(CHANGES, params)]
