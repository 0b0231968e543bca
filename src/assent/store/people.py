"""The SQL of accounts and API keys."""

from typing import Any

from sqlalchemy import bindparam, or_, select, update

from assent.domain.credentials import Key
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import Account, PersonKind, Scope
from assent.store.rows import Driver, Params, Row, dump, load, maybe_moment, micros, moment, reader
from assent.store.statements import ClockNow, fixed
from assent.store.tables import api_keys, conversations, people, requests

_p, _k = people.c, api_keys.c

ACCOUNT = select(people).where(_p.id == bindparam("id"))
ACCOUNTS = select(people).order_by(_p.created_at, _p.id)
BEHIND = select(_p.id).where(_p.behind == bindparam("human")).order_by(_p.id)
CHANGE = (
    update(people)
    .where(_p.id == bindparam("account"))
    .values(
        name=bindparam("to_name"),
        roles=bindparam("to_roles"),
        behind=bindparam("to_behind"),
        disabled=bindparam("to_disabled"),
    )
)
# Requests made before an account was linked to a human must not be decided by that human either.
LINK_CONVERSATIONS = (
    update(conversations)
    .where(conversations.c.owner == bindparam("account"))
    .values(owner_behind=bindparam("to_behind"))
)
LINK_REQUESTS = (
    update(requests)
    .where(
        requests.c.owner == bindparam("account"),
        requests.c.status == fixed(RequestStatus.OPEN),
    )
    .values(owner_behind=bindparam("to_behind"))
)

KEY = select(api_keys).where(_k.id == bindparam("id"))
KEYS = select(api_keys).order_by(_k.created_at, _k.id)
KEYS_OF = KEYS.where(_k.person == bindparam("person"))
KEY_BY_PREFIX = (
    select(api_keys, people)
    .select_from(api_keys.join(people, _p.id == _k.person))
    .where(_k.prefix == bindparam("prefix"))
)
REVOKE = (
    update(api_keys)
    .where(_k.id == bindparam("key"), _k.revoked_at.is_(None))
    .values(revoked_at=ClockNow())
    .returning(_k.id)
)
USED = (
    update(api_keys)
    .where(
        _k.id == bindparam("key"),
        or_(_k.last_used_at.is_(None), _k.last_used_at < bindparam("at")),
    )
    .values(last_used_at=bindparam("at"))
)
_key_width = len(api_keys.columns)


class StoredPeople:
    """`tx.people`: the people table."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(self, account: Account) -> None:
        self._driver.insert(
            people,
            [
                {
                    "id": account.id,
                    "name": account.name,
                    "kind": account.kind,
                    "roles": dump(sorted(account.roles)),
                    "created_at": micros(account.created_at),
                    "behind": account.behind,
                    "disabled": account.disabled,
                }
            ],
        )

    def get(self, id: str) -> Account | None:
        found = self._driver.rows(ACCOUNT, {"id": id})
        return account_of(found[0]) if found else None

    def all(self) -> list[Account]:
        return [account_of(row) for row in self._driver.rows(ACCOUNTS, {})]

    def behind(self, human: str) -> list[str]:
        """Return the accounts that stand for this human."""
        return [row[0] for row in self._driver.rows(BEHIND, {"human": human})]

    def change(self, account: Account) -> None:
        params: Params = {
            "account": account.id,
            "to_name": account.name,
            "to_roles": dump(sorted(account.roles)),
            "to_behind": account.behind,
            "to_disabled": account.disabled,
        }
        self._driver.rows(CHANGE, params)

    def link(self, id: str, human: str | None) -> None:
        """Store in conversations and open requests which human is behind their owner."""
        for statement in (LINK_CONVERSATIONS, LINK_REQUESTS):
            self._driver.rows(statement, {"account": id, "to_behind": human})


_read_account = reader(people)


def account_of(row: Row) -> Account:
    """Return an account from a row of all its table's columns."""
    got = _read_account(row)
    roles: Any = load(got["roles"])
    got["kind"] = PersonKind(got["kind"])
    got["roles"] = frozenset(roles)
    got["created_at"] = moment(got["created_at"])
    got["disabled"] = bool(got["disabled"])
    return Account(**got)


class StoredKeys:
    """`tx.keys`: the API keys table; hashes of keys, never keys."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def add(self, key: Key, hashed: str) -> None:
        self._driver.insert(
            api_keys,
            [
                {
                    "id": key.id,
                    "person": key.person,
                    "prefix": key.prefix,
                    "hash": hashed,
                    "label": key.label,
                    "scopes": dump(sorted(key.scopes)),
                    "created_at": micros(key.created_at),
                    "expires_at": micros(key.expires_at),
                    "revoked_at": micros(key.revoked_at),
                    "last_used_at": micros(key.last_used_at),
                }
            ],
        )

    def get(self, id: str) -> Key | None:
        found = self._driver.rows(KEY, {"id": id})
        return key_of(found[0]) if found else None

    def all(self, person: str | None) -> list[Key]:
        if person is None:
            rows = self._driver.rows(KEYS, {})
        else:
            rows = self._driver.rows(KEYS_OF, {"person": person})
        return [key_of(row) for row in rows]

    def by_prefix(self, prefix: str) -> tuple[Key, str, Account] | None:
        """Return a key with its hash and its account."""
        found = self._driver.rows(KEY_BY_PREFIX, {"prefix": prefix})
        if not found:
            return None
        row = tuple(found[0])
        hashed = _read_key(row[:_key_width])["hash"]
        return key_of(row[:_key_width]), hashed, account_of(row[_key_width:])

    def revoke(self, id: str) -> bool:
        """Revoke a key; False if it was revoked before."""
        return bool(self._driver.rows(REVOKE, {"key": id}))

    def used(self, id: str) -> None:
        self._driver.rows(USED, {"key": id, "at": self._driver.clock()})


_read_key = reader(api_keys)


def key_of(row: Row) -> Key:
    """Return an API key from a row of all its table's columns."""
    got = _read_key(row)
    del got["hash"]
    scopes: Any = load(got["scopes"])
    got["scopes"] = frozenset(Scope(scope) for scope in scopes)
    got["created_at"] = moment(got["created_at"])
    for name in ("expires_at", "revoked_at", "last_used_at"):
        got[name] = maybe_moment(got[name])
    return Key(**got)
