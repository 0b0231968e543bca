"""The SQL of browser sessions, one-time links, and the people that credentials stand for now."""

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    and_,
    bindparam,
    delete,
    or_,
    select,
    text,
    update,
)

from assent.domain.credentials import Key, Link, Purpose, Session, SignIn
from assent.domain.people import Account, Person, PersonKind, Scope
from assent.store.people import account_of, key_of
from assent.store.rows import (
    Driver,
    Params,
    Row,
    dump,
    load,
    maybe_moment,
    micros,
    moment,
    reader,
    span,
)
from assent.store.statements import ClockNow, PerDatabase, fixed
from assent.store.tables import api_keys, links, people, sessions

_p, _k, _s, _l = people.c, api_keys.c, sessions.c, links.c
_session_width, _people_width = len(sessions.columns), len(people.columns)

FOUND = select(sessions, people, api_keys).select_from(
    sessions.join(people, people.c.id == _s.person).outerjoin(api_keys, api_keys.c.id == _s.api_key)
)
SESSION_BY_HASH = FOUND.where(_s.hash == bindparam("hash"))
SESSION_BY_ID = FOUND.where(_s.id == bindparam("id"))
SESSIONS_OF = (
    select(sessions)
    .where(_s.person == bindparam("person"), _s.ended_at.is_(None), _s.expires_at > ClockNow())
    .order_by(_s.created_at, _s.id)
)
SEEN = (
    update(sessions)
    .where(_s.id == bindparam("session"), _s.seen_at < bindparam("at"))
    .values(seen_at=bindparam("at"))
)
END = (
    update(sessions)
    .where(_s.id == bindparam("session"), _s.ended_at.is_(None))
    .values(ended_at=ClockNow())
    .returning(_s.id)
)
PURGE_SESSIONS = delete(sessions).where(_s.expires_at < bindparam("before"))

LINK = select(links).where(_l.id == bindparam("id"))
REDEEM = (
    update(links)
    .where(_l.id == bindparam("link"), _l.used_at.is_(None), _l.expires_at > ClockNow())
    .values(used_at=ClockNow())
    .returning(_l.id)
)
PURGE_LINKS = delete(links).where(_l.expires_at < bindparam("before"))


class StoredSessions:
    """`tx.sessions`: the sessions table; hashes of tokens, never tokens."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(self, session: Session, hashed: str) -> None:
        self._driver.insert(
            sessions,
            [
                {
                    "id": session.id,
                    "person": session.person,
                    "hash": hashed,
                    "how": session.how,
                    "roles": dump(sorted(session.roles)),
                    "scopes": dump(sorted(session.scopes)),
                    "api_key": session.api_key,
                    "created_at": micros(session.created_at),
                    "seen_at": micros(session.seen_at),
                    "expires_at": micros(session.expires_at),
                    "ended_at": micros(session.ended_at),
                    "request_id": session.request_id,
                }
            ],
        )

    def by_hash(self, hashed: str) -> tuple[Session, Account, Key | None] | None:
        """Return a session, its account, and the API key that it began with."""
        found = self._driver.rows(SESSION_BY_HASH, {"hash": hashed})
        return session_of(found[0]) if found else None

    def get(self, id: str) -> tuple[Session, Account, Key | None] | None:
        found = self._driver.rows(SESSION_BY_ID, {"id": id})
        return session_of(found[0]) if found else None

    def of_person(self, person: str) -> list[Session]:
        return [_session(row) for row in self._driver.rows(SESSIONS_OF, {"person": person})]

    def seen(self, id: str) -> None:
        self._driver.rows(SEEN, {"session": id, "at": self._driver.clock()})

    def end(self, id: str) -> bool:
        """End a session; False if it had ended before."""
        return bool(self._driver.rows(END, {"session": id}))

    def purge(self, before: datetime) -> None:
        self._driver.rows(PURGE_SESSIONS, {"before": micros(before)})


def session_of(found: Row) -> tuple[Session, Account, Key | None]:
    """Return a session, its account and the key that it began with, from a row of `FOUND`."""
    row = tuple(found)
    split = _session_width + _people_width
    key = None if row[split] is None else key_of(row[split:])
    return _session(row[:_session_width]), account_of(row[_session_width:split]), key


_read_session = reader(sessions)


def _session(row: Row) -> Session:
    got = _read_session(row)
    del got["hash"]
    roles: Any = load(got["roles"])
    scopes: Any = load(got["scopes"])
    got["how"] = SignIn(got["how"])
    got["roles"] = frozenset(roles)
    got["scopes"] = frozenset(Scope(scope) for scope in scopes)
    for name in ("created_at", "seen_at", "expires_at"):
        got[name] = moment(got[name])
    got["ended_at"] = maybe_moment(got["ended_at"])
    return Session(**got)


class StoredLinks:
    """`tx.links`: the links table; it has what authenticates a link, never the link's secret."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(self, link: Link, mac: str) -> None:
        self._driver.insert(
            links,
            [
                {
                    "id": link.id,
                    "person": link.person,
                    "purpose": link.purpose,
                    "request_id": link.request_id,
                    "kid": link.kid,
                    "mac": mac,
                    "created_at": micros(link.created_at),
                    "expires_at": micros(link.expires_at),
                    "used_at": micros(link.used_at),
                }
            ],
        )

    def get(self, id: str) -> tuple[Link, str] | None:
        found = self._driver.rows(LINK, {"id": id})
        return _link(found[0]) if found else None

    def redeem(self, id: str) -> bool:
        """Use up a link; True for one caller only, and only before it expires."""
        return bool(self._driver.rows(REDEEM, {"link": id}))

    def purge(self, before: datetime) -> None:
        self._driver.rows(PURGE_LINKS, {"before": micros(before)})


_read_link = reader(links)


def _link(row: Row) -> tuple[Link, str]:
    got = _read_link(row)
    mac = got.pop("mac")
    got["purpose"] = Purpose(got["purpose"])
    got["created_at"] = moment(got["created_at"])
    got["expires_at"] = moment(got["expires_at"])
    got["used_at"] = maybe_moment(got["used_at"])
    return Link(**got), mac


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
    """`tx.standing`: the people that credentials stand for now; invalid ones are left out.

    The same rules as `Key.holds` and a session's own, checked by the database: a process with
    thousands of streams rechecks all of their credentials all the time.
    """

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
