"""The authenticator: it finds the caller of a connection by the credential that it carries."""

import hashlib
from collections.abc import Iterable

from starlette.requests import HTTPConnection

from assent.domain.credentials import Key
from assent.domain.people import Person
from assent.engine.assent import Assent
from assent.engine.people.accounts import merged
from assent.engine.people.sessions import CredentialIds, Findings
from assent.server.auth.cookies import Cookies
from assent.server.auth.peers import address_of, vouched
from assent.server.auth.ratelimit import CredentialAttempt, Throttle, network_of
from assent.server.auth.tokens import Tokens, looks_signed
from assent.server.caller import Caller, Method
from assent.server.settings import Settings


def held_by(callers: Iterable[Caller]) -> CredentialIds:
    """Return the keys, sessions and accounts to look up for these callers."""
    keys: set[str] = set()
    sessions: set[str] = set()
    accounts: set[str] = set()
    for caller in callers:
        match caller.method:
            case Method.KEY:
                keys.add(caller.credential)
            case Method.SESSION:
                sessions.add(caller.credential)
            case Method.JWT | Method.PROXY | Method.LOCAL:
                accounts.add(caller.person.id)
    return CredentialIds(
        keys=frozenset(keys), sessions=frozenset(sessions), accounts=frozenset(accounts)
    )


def is_still_valid(caller: Caller, found: Findings) -> bool:
    """Return True if the credential is valid and the person and their roles are unchanged."""
    if caller.until is not None and found.at >= caller.until:
        return False
    match caller.method:
        case Method.KEY:
            return found.keys.get(caller.credential) == caller.person
        case Method.SESSION:
            return found.sessions.get(caller.credential) == caller.person
        case Method.JWT | Method.PROXY | Method.LOCAL:
            vouched = caller.vouched or caller.person
            account = found.accounts.get(caller.person.id)
            return (vouched if account is None else merged(vouched, account)) == caller.person


# The public part of an API key, `assent_<prefix>_…`: guesses of one key are counted by it.
_PREFIX = slice(7, 19)


class Authenticator:
    """Identifies callers by any of the accepted credentials.

    A connection with an Authorization header is judged by that alone: a valid cookie never makes up
    for a wrong key.
    """

    def __init__(self, assent: Assent, settings: Settings) -> None:
        monotonic = assent.clock.monotonic
        self._assent, self._settings = assent, settings
        self.cookies = Cookies(settings.origin)
        self.throttle = Throttle(settings.rates, monotonic)
        self.issuers = {each.name: Tokens(each, monotonic) for each in settings.openid}

    async def identify(self, connection: HTTPConnection) -> Caller | None:
        """Return the caller; None if no credential is valid.

        Raises `TooManyRequests` after many wrong attempts.
        """
        given = connection.headers.getlist("authorization")
        if given:
            scheme, _, token = given[0].partition(" ")
            is_one = len(given) == 1 and scheme.lower() == "bearer"
            return await self._by_bearer(connection, token.strip()) if is_one else None
        if self._settings.proxy is not None:
            said = vouched(connection, self._settings.proxy)
            if said is not None:
                return await self._by_proxy(*said)
        token = self.cookies.session(connection)
        return None if token is None else await self._by_session(connection, token)

    async def key_of(self, connection: HTTPConnection, text: str) -> tuple[Person, Key] | None:
        """Return the person and the API key for a key's text; failures count as guesses."""
        attempt = self._attempt(connection, "key", text, claims=text[_PREFIX])
        self.throttle.begin(attempt)
        found = await self._assent.people.by_key(text)
        self._judged(attempt, holds=found is not None)
        return found

    def link_attempt(self, connection: HTTPConnection) -> CredentialAttempt:
        """Return an attempt to use a link, for the throttle."""
        return self._attempt(connection, "link", "")

    async def revoked(self, callers: Iterable[Caller]) -> frozenset[Caller]:
        """Return the callers whose credential is no longer valid, or whose person or roles changed.

        For streams: one transaction for all callers, whatever their number.
        """
        known = frozenset(callers)
        if not known:
            return known
        found = await self._assent.people.standing.of(held_by(known))
        return frozenset(each for each in known if not is_still_valid(each, found))

    async def _by_bearer(self, connection: HTTPConnection, token: str) -> Caller | None:
        if looks_signed(token):
            return await self._by_token(connection, token)
        found = await self.key_of(connection, token)
        if found is None:
            return None
        person, key = found
        return Caller(
            person=person,
            method=Method.KEY,
            credential=key.id,
            scopes=key.scopes,
            until=key.expires_at,
        )

    async def _by_token(self, connection: HTTPConnection, token: str) -> Caller | None:
        attempt = self._attempt(connection, "token", token)
        self.throttle.begin(attempt)
        issuer = next((each for each in self.issuers.values() if each.is_issuer_of(token)), None)
        bearer = None if issuer is None else await issuer.bearer(token)
        person = None if bearer is None else await self._assent.people.recognise(bearer.person)
        self._judged(attempt, holds=person is not None)
        if bearer is None or person is None:
            return None
        return Caller(
            person=person,
            method=Method.JWT,
            credential=bearer.credential,
            vouched=bearer.person,
            scopes=bearer.scopes,
            until=bearer.until,
        )

    async def _by_proxy(self, user: str, roles: frozenset[str]) -> Caller | None:
        vouched = Person(user, roles=roles)
        person = await self._assent.people.recognise(vouched)
        if person is None:
            return None
        return Caller(person=person, method=Method.PROXY, credential=person.id, vouched=vouched)

    async def _by_session(self, connection: HTTPConnection, token: str) -> Caller | None:
        attempt = self._attempt(connection, "session", token)
        self.throttle.begin(attempt)
        found = await self._assent.people.sessions.find(token)
        self._judged(attempt, holds=found is not None)
        if found is None:
            return None
        person, session = found
        return Caller(
            person=person,
            method=Method.SESSION,
            credential=session.id,
            scopes=session.scopes,
            until=session.expires_at,
            request_id=session.request_id,
        )

    def _attempt(
        self, connection: HTTPConnection, kind: str, proof: str, *, claims: str = ""
    ) -> CredentialAttempt:
        address = network_of(address_of(connection, self._settings.proxy))
        hashed = hashlib.sha256(proof.encode("utf-8", "surrogatepass")).hexdigest() if proof else ""
        return CredentialAttempt(kind=kind, address=address, claims=claims, proof=hashed)

    def _judged(self, attempt: CredentialAttempt, *, holds: bool) -> None:
        if holds:
            self.throttle.succeeded(attempt)
        else:
            self.throttle.failed(attempt)
