"""Browser sessions, which a sign-in opens, and the recheck of credentials that are in use."""

import hashlib
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from assent.domain.credentials import Key, Session, SignIn
from assent.domain.events import Entry
from assent.domain.people import SYSTEM_ROLE, Account, Person, PersonKind, Scope
from assent.engine.kernel import Kernel
from assent.engine.people.directory import manages
from assent.engine.ttl_cache import TtlCache
from assent.errors import NotAllowed, NotFound
from assent.ports import Tx

TOKEN_BYTES: Final = 32
RECALL_SECONDS: Final = 0.5
SEEN_SECONDS: Final = 60.0
IDLE: Final = timedelta(hours=12)
LIFETIME: Final = timedelta(days=7)
_KEPT: Final = timedelta(days=30)
Visitor = tuple[Person, Session]


class Sessions:
    """The sessions of browsers that are signed in.

    A session's token is in the browser and stored nowhere else.
    """

    def __init__(
        self, kernel: Kernel, *, idle: timedelta = IDLE, lifetime: timedelta = LIFETIME
    ) -> None:
        self._kernel, self._idle, self._lifetime = kernel, idle, lifetime
        self._recalled = TtlCache[Visitor](kernel.clock.monotonic, RECALL_SECONDS)
        self._seen = TtlCache[bool](kernel.clock.monotonic, SEEN_SECONDS)

    async def open(
        self,
        person: str,
        how: SignIn,
        *,
        roles: frozenset[str] = frozenset(),
        scopes: frozenset[Scope] = frozenset(Scope),
        key: Key | None = None,
        replacing: str | None = None,
        request_id: str | None = None,
        until: datetime | None = None,
    ) -> tuple[Session, str]:
        """Return a new session and its token; ends the session whose token is `replacing`.

        With `request_id` it is for that request alone; `until` ends it before its usual time.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)

        def open_(tx: Tx) -> Session:
            now = tx.now()
            session = Session(
                id=self._kernel.ids("ses"),
                person=_welcome(tx, person).id,
                how=how,
                roles=roles - {SYSTEM_ROLE},
                scopes=scopes if key is None else scopes & key.scopes,
                created_at=now,
                seen_at=now,
                expires_at=min(filter(None, (now + self._lifetime, until))),
                api_key=None if key is None else key.id,
                request_id=request_id,
            )
            self._replace(tx, replacing)
            tx.sessions.purge(now - _KEPT)
            tx.sessions.add(session, _hash(token))
            self._note(tx, "sign_in", person, session)
            return session

        return await self._kernel.store.run(open_), token

    async def find(self, token: str) -> Visitor | None:
        """Return the person and session of a browser's token, or None.

        None once the session is over, its account disabled or the API key it began with invalid.
        """
        hashed = _hash(token)
        known = self._recalled.get(hashed)
        if known is None:
            known = await self._kernel.store.run(lambda tx: self._known(tx, hashed))
            if known is None:
                return None
            self._recalled.put(hashed, known)
        self._touch(known[1])
        return known

    async def of_person(self, person: str, *, by: Person) -> list[Session]:
        """Return a person's sessions; an admin may read any, others their own."""
        if person != by.id and not manages(by):
            raise NotAllowed(by.id, "list sessions of others")
        return await self._kernel.store.run(lambda tx: tx.sessions.of_person(person))

    async def end(self, id: str, *, by: Person) -> None:
        """Sign out, in every process within a second; doing it again changes nothing."""

        def end(tx: Tx) -> None:
            found = tx.sessions.get(id)
            if found is None or not (manages(by) or found[0].person == by.id):
                raise NotFound("session", id)
            if tx.sessions.end(id):
                self._note(tx, "sign_out", by.id, found[0])

        await self._kernel.store.run(end)
        self._recalled.clear()

    def end_all(self, tx: Tx, person: str, *, by: Person) -> None:
        """Sign a person out everywhere, as part of the caller's transaction."""
        for session in tx.sessions.of_person(person):
            if tx.sessions.end(session.id):
                self._note(tx, "sign_out", by.id, session)

    def forget(self) -> None:
        """Read everything from the database again from now on."""
        self._recalled.clear()

    def visitors(self, tx: Tx, ids: Iterable[str]) -> dict[str, Person]:
        """Return the people of valid sessions, by session id; others are left out."""
        return tx.standing.sessions(ids, self._idle)

    def _known(self, tx: Tx, hashed: str) -> Visitor | None:
        found = tx.sessions.by_hash(hashed)
        return None if found is None else self._standing(*found, tx.now())

    def _standing(
        self, session: Session, account: Account, key: Key | None, now: datetime
    ) -> Visitor | None:
        is_over = (
            session.ended_at is not None
            or now >= session.expires_at
            or now >= session.seen_at + self._idle
            or account.disabled
            or account.kind is PersonKind.AGENT
            or (session.api_key is not None and (key is None or not key.holds(now)))
        )
        if is_over:
            return None
        roles = account.roles | session.roles
        person = Person(account.id, roles=roles, kind=account.kind, behind=account.behind)
        return person, session

    def _replace(self, tx: Tx, token: str | None) -> None:
        before = None if token is None else tx.sessions.by_hash(_hash(token))
        if before is not None and tx.sessions.end(before[0].id):
            self._recalled.clear()

    def _touch(self, session: Session) -> None:
        """Keep a session from going idle, beside the request and at most once a minute."""
        if self._seen.get(session.id) is None and not self._kernel.tasks.closing:
            self._seen.put(session.id, True)
            work = self._kernel.store.run(lambda tx: tx.sessions.seen(session.id))
            self._kernel.tasks.spawn("people", "seen", work)

    def _note(self, tx: Tx, action: str, by: str, session: Session) -> None:
        tx.journal.note(
            Entry(
                id=self._kernel.ids("aud"),
                action=action,
                actor=by,
                data={"session": session.id, "person": session.person, "how": session.how},
                at=tx.now(),
            )
        )


def _welcome(tx: Tx, person: str) -> Account:
    """Return the account that signs in; refuses agents, since a session can decide."""
    account = tx.people.get(person)
    if account is None or account.disabled or account.kind is PersonKind.AGENT:
        raise NotAllowed(person, "sign in")
    return account


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialIds:
    """The ids to check; `accounts` are people who signed in with neither a key nor a session."""

    keys: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    accounts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The people that valid credentials stand for, and the accounts, by id, at one moment."""

    at: datetime
    keys: Mapping[str, Person]
    sessions: Mapping[str, Person]
    accounts: Mapping[str, Account]


class CredentialStatus:
    """Rechecks credentials that are in use; a check does not keep a session from going idle."""

    def __init__(self, kernel: Kernel, sessions: Sessions) -> None:
        self._kernel, self._sessions = kernel, sessions

    async def of(self, held: CredentialIds) -> Findings:
        """Return which of these credentials are valid at this moment."""

        def look(tx: Tx) -> Findings:
            accounts = tx.standing.accounts(held.accounts) if held.accounts else []
            return Findings(
                at=tx.now(),
                keys=tx.standing.keys(held.keys) if held.keys else {},
                sessions=self._sessions.visitors(tx, held.sessions) if held.sessions else {},
                accounts={account.id: account for account in accounts},
            )

        return await self._kernel.store.run(look)
