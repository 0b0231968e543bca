"""Accounts and API keys, and who may change them."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.credentials import Key
from assent.domain.events import Entry
from assent.domain.identifiers import want_findable
from assent.domain.parameters import optional, taken
from assent.domain.people import SYSTEM, SYSTEM_ROLE, Account, Person, PersonKind, Scope
from assent.engine.kernel import Kernel
from assent.engine.people.chat_accounts import ChatAccounts
from assent.engine.people.directory import Directory, manages, want_manager
from assent.engine.people.links import Links
from assent.engine.people.preferences import Preferences
from assent.engine.people.sessions import CredentialStatus, Sessions
from assent.engine.people.stop_links import StopLinks
from assent.engine.ttl_cache import TtlCache
from assent.errors import AccountExists, InvalidAccount, NotFound
from assent.ports import Tx

PREFIX_BYTES: Final = 6
SECRET_BYTES: Final = 20
# A revoked key must be refused within a second, in every process.
RECALL_SECONDS: Final = 0.5
# Often enough to find unused keys, rarely enough to cost nothing.
USED_SECONDS: Final = 60.0
_KEY: Final = re.compile(r"assent_([0-9a-f]{12})_[0-9a-f]{40}")
# Characters that fit in a log line, a header and a URL without quoting, and that identity providers
# use.
_ID: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:@|/+=~%-]{0,253}[A-Za-z0-9._=~-])?")
_ROLE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,62}")
_NAME_CHARACTERS: Final = 200
_CHANGES: Final = {
    "name": optional(parameters.text),
    "roles": optional(parameters.names),
    "disabled": optional(parameters.flag),
}
_KEY_TERMS: Final = {
    "scopes": parameters.members(Scope),
    "lifetime": optional(parameters.duration()),
}
Known = tuple[Person, Key]


class People:
    """The deployment's own accounts and their API keys. Every change is on record."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self.sessions = Sessions(kernel)
        self.links = Links(kernel)
        self.chats = ChatAccounts(kernel)
        self.stop_links = StopLinks(kernel)
        self.directory = Directory(kernel)
        self.preferences = Preferences(kernel)
        self.standing = CredentialStatus(kernel, self.sessions)
        self._recalled = TtlCache[Known](kernel.clock.monotonic, RECALL_SECONDS)
        self._accounts = TtlCache[tuple[Account | None]](kernel.clock.monotonic, RECALL_SECONDS)
        self._used = TtlCache[bool](kernel.clock.monotonic, USED_SECONDS)

    # Accounts

    async def add(self, person: Person, *, by: Person, name: str = "") -> Account:
        """Create an account.

        `behind` is the human whose service account or further identity it is.
        """
        want_manager(by, "add people")
        parameters.instance(Person).taken("To add people", "person", person)

        def add(tx: Tx) -> Account:
            if tx.people.get(person.id) is not None:
                raise AccountExists(person.id)
            account = Account(
                id=person.id,
                name=name or person.id,
                kind=person.kind,
                roles=person.roles,
                behind=_human(tx, person.id, person.behind),
                created_at=tx.now(),
            )
            tx.people.add(_checked(account))
            # A person known only by a token so far may own conversations already.
            tx.people.link(account.id, account.behind)
            self._note(tx, "add_person", by, _facts(account))
            return account

        return await self._kernel.store.run(add)

    async def change(
        self,
        id: str,
        *,
        by: Person,
        name: str | None = None,
        roles: str | Iterable[str] | None = None,
        disabled: bool | None = None,
    ) -> Account:
        """Change what is given; disabling ends the sessions, and the keys no longer work."""
        want_manager(by, "change people")
        changes = _given(name=name, roles=roles, disabled=disabled)
        return await self._changed(lambda tx: self._change(tx, id, changes, by))

    async def link(self, id: str, human: str | None, *, by: Person) -> Account:
        """Link this account to a human as another identity, or remove the link."""
        want_manager(by, "link people")
        return await self._changed(lambda tx: self._link(tx, id, human, by))

    async def revise(
        self, id: str, *, by: Person, name: str, roles: str | Iterable[str], behind: str | None
    ) -> Account:
        """Change name, roles and the human behind: all of it counts, or nothing."""
        want_manager(by, "change people")
        changes = _given(name=name, roles=roles)

        def revise(tx: Tx) -> Account:
            account = self._change(tx, id, changes, by)
            return account if behind == account.behind else self._link(tx, id, behind, by)

        return await self._changed(revise)

    async def _changed(self, work: Callable[[Tx], Account]) -> Account:
        account = await self._kernel.store.run(work)
        self._forget()
        return account

    def _change(self, tx: Tx, id: str, changes: Mapping[str, Any], by: Person) -> Account:
        account = _checked(replace(_account(tx, id), **changes))
        tx.people.change(account)
        self._note(tx, "change_person", by, _facts(account))
        if account.disabled:
            # Otherwise a browser that was shut out would be signed in again once the account is
            # enabled.
            self.sessions.end_all(tx, account.id, by=by)
        return account

    def _link(self, tx: Tx, id: str, human: str | None, by: Person) -> Account:
        account = replace(_account(tx, id), behind=_human(tx, id, human))
        tx.people.change(account)
        tx.people.link(id, account.behind)
        self._note(tx, "link_person", by, _facts(account))
        return account

    async def get(self, id: str) -> Account:
        """Return an account."""
        return await self._kernel.store.run(lambda tx: _account(tx, id))

    async def find(self, id: str) -> Account | None:
        """Return an account, or None."""
        return await self._kernel.store.run(lambda tx: tx.people.get(id))

    async def recognise(self, person: Person) -> Person | None:
        """Return a person vouched for by another authority, merged with their account here, if any.

        An account of the same id adds roles and the human behind; None if it is disabled.
        """
        if not _ID.fullmatch(person.id):
            return None
        found = self._accounts.get(person.id)
        if found is None:
            found = (await self.find(person.id),)
            self._accounts.put(person.id, found)
        account = found[0]
        return person if account is None else merged(person, account)

    async def welcome(self, person: Person, *, name: str = "") -> Account:
        """Return the account of a person who signs in by an identity provider; created if new."""
        found = await self.find(person.id)
        if found is not None:
            return found
        try:
            # The provider says the roles, at each sign-in.
            fresh = replace(person, roles=frozenset[str](), behind=None)
            return await self.add(fresh, by=SYSTEM, name=name if name.isprintable() else "")
        except AccountExists:
            return await self.get(person.id)

    async def all(self) -> list[Account]:
        """Return all accounts, oldest first."""
        return await self._kernel.store.run(lambda tx: tx.people.all())

    # API keys

    async def issue_key(
        self,
        person: str,
        *,
        by: Person,
        scopes: Scope | Iterable[Scope] = Scope,
        lifetime: timedelta | float | None = None,
        label: str = "",
    ) -> tuple[Key, str]:
        """Return a new key and its text, which is shown this once and stored nowhere."""
        want_manager(by, "issue API keys")
        given = taken("issue_key", {"scopes": scopes, "lifetime": lifetime}, _KEY_TERMS)

        def issue(tx: Tx) -> tuple[Key, str]:
            account, now = _account(tx, person), tx.now()
            prefix, text = _new_key()
            key = Key(
                id=self._kernel.ids("key"),
                person=account.id,
                prefix=prefix,
                label=_named(account.id, label),
                scopes=given["scopes"],
                created_at=now,
                expires_at=_end(now, given["lifetime"]),
            )
            tx.keys.add(key, _hash(text))
            self._note(tx, "issue_key", by, _key_facts(key))
            return key, text

        return await self._kernel.store.run(issue)

    async def keys(self, person: str | None = None, *, by: Person) -> list[Key]:
        """Return the keys of one person, or of all; an admin may read any, others their own."""
        if person != by.id:
            want_manager(by, "list API keys of others")
        return await self._kernel.store.run(lambda tx: tx.keys.all(person))

    async def find_key(self, id: str) -> Key | None:
        """Return a key, if there is one with this id."""
        return await self._kernel.store.run(lambda tx: tx.keys.get(id))

    async def revoke_key(self, id: str, *, by: Person) -> Key:
        """Revoke a key, in every process within a second; doing it again changes nothing."""

        def revoke(tx: Tx) -> Key:
            key = tx.keys.get(id)
            if key is None or not (manages(by) or _owns(by, key.person)):
                raise NotFound("API key", id)
            if tx.keys.revoke(id):
                self._note(tx, "revoke_key", by, _key_facts(key))
            return tx.keys.get(id) or key

        revoked = await self._kernel.store.run(revoke)
        self._forget()
        return revoked

    async def by_key(self, text: str) -> Known | None:
        """Return the owner of a key, or None.

        None if the key is unknown, expired or revoked, or if its owner is disabled.
        """
        shape = _KEY.fullmatch(text)
        if shape is None:
            return None
        hashed = _hash(text)
        known = self._recalled.get(hashed)
        if known is None:
            prefix = shape[1]
            known = await self._kernel.store.run(lambda tx: _known(tx, prefix, hashed))
            if known is None:
                return None
            self._recalled.put(hashed, known)
        self._touch(known[1])
        return known

    def _forget(self) -> None:
        self._recalled.clear()
        self._accounts.clear()
        self.sessions.forget()

    def _touch(self, key: Key) -> None:
        """Store that a key was used, beside the request and at most once a minute."""
        if self._used.get(key.id) is None and not self._kernel.tasks.closing:
            self._used.put(key.id, True)
            work = self._kernel.store.run(lambda tx: tx.keys.used(key.id))
            self._kernel.tasks.spawn("people", "used", work)

    def _note(self, tx: Tx, action: str, by: Person, data: dict[str, Json]) -> None:
        id = self._kernel.ids("aud")
        tx.journal.note(Entry(id=id, action=action, actor=by.id, data=data, at=tx.now()))


def _given(**fields: object) -> dict[str, Any]:
    given = taken("change", fields, _CHANGES)
    return {name: value for name, value in given.items() if value is not None}


def _owns(by: Person, person: str) -> bool:
    return by.id == person and by.kind is not PersonKind.AGENT


def _account(tx: Tx, id: str) -> Account:
    want_findable("account", id)
    found = tx.people.get(id)
    if found is None:
        raise NotFound("account", id)
    return found


def _checked(account: Account) -> Account:
    if not _ID.fullmatch(account.id):
        raise InvalidAccount(account.id, "an id is letters, digits and ._:@|/+=~%- (255 at most)")
    wrong = [role for role in sorted(account.roles) if not _ROLE.fullmatch(role)]
    if wrong:
        raise InvalidAccount(account.id, f"{wrong[0]!r} is no name of a role")
    if SYSTEM_ROLE in account.roles:
        raise InvalidAccount(account.id, f"the role {SYSTEM_ROLE!r} is the engine's own")
    _named(account.id, account.name)
    return account


def _human(tx: Tx, id: str, human: str | None) -> str | None:
    """Return the human behind an account.

    A further identity is replaced by its own human, so there are no chains.
    """
    if human is None:
        return None
    found = tx.people.get(human)
    if found is None or found.kind is not PersonKind.HUMAN or human == id:
        raise InvalidAccount(id, f"{human!r} is no other human's account")
    if tx.people.behind(id):
        raise InvalidAccount(id, "others stand for it already; link those instead")
    return found.behind or found.id


def _named(id: str, name: str) -> str:
    if len(name) > _NAME_CHARACTERS or not name.isprintable():
        raise InvalidAccount(id, f"a name is printable, {_NAME_CHARACTERS} characters at most")
    return name


def _end(now: datetime, lifetime: timedelta | None) -> datetime | None:
    return None if lifetime is None else now + lifetime


def _new_key() -> tuple[str, str]:
    prefix = secrets.token_hex(PREFIX_BYTES)
    return prefix, f"assent_{prefix}_{secrets.token_hex(SECRET_BYTES)}"


def _hash(text: str) -> str:
    # Plain SHA-256: 160 random bits need no slow hash, and a request waits for this.
    return hashlib.sha256(text.encode()).hexdigest()


def _known(tx: Tx, prefix: str, hashed: str) -> Known | None:
    found = tx.keys.by_prefix(prefix)
    if found is None:
        return None
    key, stored, account = found
    if not hmac.compare_digest(stored, hashed) or account.disabled or not key.holds(tx.now()):
        return None
    return account.person, key


def merged(person: Person, account: Account) -> Person | None:
    """Return a person as known by two authorities: theirs and this deployment."""
    if account.disabled:
        return None
    # An agent by either authority is an agent.
    is_agent = PersonKind.AGENT in (person.kind, account.kind)
    kind = PersonKind.AGENT if is_agent else account.kind
    roles = (person.roles | account.roles) - {SYSTEM_ROLE}
    return Person(person.id, roles=roles, kind=kind, behind=account.behind)


def _facts(account: Account) -> dict[str, Json]:
    roles: list[Json] = [*sorted(account.roles)]
    return {
        "person": account.id,
        "kind": account.kind,
        "roles": roles,
        "behind": account.behind,
        "disabled": account.disabled,
    }


def _key_facts(key: Key) -> dict[str, Json]:
    scopes: list[Json] = [*sorted(key.scopes)]
    expires = None if key.expires_at is None else key.expires_at.isoformat()
    return {
        "key": key.id,
        "person": key.person,
        "prefix": key.prefix,
        "scopes": scopes,
        "expires_at": expires,
    }
