"""Signed tokens of an OpenID issuer: they are verified, then read as a person."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, cast
from urllib.parse import quote

import jwt

from assent.domain.people import SYSTEM_ROLE, Person, PersonKind, Scope
from assent.server.auth.jwks import Jwk, KeySet
from assent.server.auth.modes import OpenId

MAX_CHARACTERS: Final = 16_384
_SHAPE: Final = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")
# A token that brings or names its own key, or needs an extension unknown to us, is refused.
_REFUSED_HEADERS: Final = frozenset({"jku", "jwk", "x5u", "x5c", "crit", "b64", "zip"})
_SCOPE_PREFIX: Final = "assent:"
_SUBJECT_SAFE: Final = "._:@|+=~-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearer:
    """The person that a token is about, its scopes, and its end."""

    person: Person
    credential: str
    scopes: frozenset[Scope]
    until: datetime


def looks_signed(text: str) -> bool:
    """Return True if a text has the form of a signed token."""
    return len(text) <= MAX_CHARACTERS and _SHAPE.fullmatch(text) is not None


class Tokens:
    """Verifies the tokens of one issuer."""

    def __init__(self, openid: OpenId, monotonic: Callable[[], float]) -> None:
        self.openid = openid
        self._keys = KeySet(openid, monotonic)

    def is_issuer_of(self, token: str) -> bool:
        """Return True if a token names this issuer; that proves nothing yet."""
        try:
            claims = jwt.decode(token, options={"verify_signature": False})
        except (jwt.PyJWTError, RecursionError):
            return False
        return claims.get("iss") == self.openid.issuer

    async def bearer(self, token: str) -> Bearer | None:
        """Return the person and scopes of a bearer token; None if any check fails."""
        claims = await self.claims(token, self.openid.audience)
        if claims is None:
            return None
        return Bearer(
            person=person_of(self.openid, claims),
            credential=hashlib.sha256(token.encode()).hexdigest()[:32],
            scopes=_scopes(claims),
            until=datetime.fromtimestamp(int(claims["exp"]), UTC),
        )

    async def claims(self, token: str, audience: str) -> Mapping[str, Any] | None:
        """Return the claims if signature, algorithm, issuer, audience and times are right."""
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, RecursionError):
            return None
        algorithm, kid = header.get("alg"), header.get("kid", "")
        if (
            not isinstance(kid, str)
            or algorithm not in self.openid.algorithms
            or not _REFUSED_HEADERS.isdisjoint(header)
        ):
            return None
        key = await self._keys.key(kid)
        return None if key is None else self._checked(token, key, str(algorithm), audience)

    def _checked(
        self, token: str, key: Jwk, algorithm: str, audience: str
    ) -> Mapping[str, Any] | None:
        if key.get("alg", algorithm) != algorithm:
            return None
        try:
            claims = jwt.decode(
                token,
                jwt.PyJWK(dict(key), algorithm),
                algorithms=[algorithm],
                audience=audience,
                issuer=self.openid.issuer,
                leeway=self.openid.leeway,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
            return None
        subject = claims.get("sub")
        return claims if isinstance(subject, str) and subject else None


def person_of(openid: OpenId, claims: Mapping[str, Any]) -> Person:
    """Return the person that an issuer's claims describe; only mapped values become roles."""
    given = _values(openid.roles_claim, claims)
    roles = {openid.roles[value] for value in given if value in openid.roles} | openid.everybody
    return Person(
        f"{openid.issuer}|{quote(str(claims['sub']), safe=_SUBJECT_SAFE)}",
        roles=frozenset(roles) - {SYSTEM_ROLE},
        kind=_kind(openid, claims),
    )


def _kind(openid: OpenId, claims: Mapping[str, Any]) -> PersonKind:
    client = claims.get("azp", claims.get("client_id"))
    # RFC 8693: another party acts for the subject, so this is not the subject's own action.
    if "act" in claims or client in openid.agents:
        return PersonKind.AGENT
    own = client is not None and client == claims["sub"]
    return PersonKind.SERVICE if own or client in openid.services else PersonKind.HUMAN


def _values(name: str, claims: Mapping[str, Any]) -> list[str]:
    """Return the values of a claim; `a.b` also reaches into objects, as some issuers nest them."""
    found: object = claims.get(name)
    if found is None:
        found = claims
        for part in name.split("."):
            found = cast("Mapping[str, object]", found).get(part) if _is_object(found) else None
    if isinstance(found, str):
        return found.split()
    return (
        [item for item in cast("list[object]", found) if isinstance(item, str)]
        if isinstance(found, list)
        else []
    )


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _scopes(claims: Mapping[str, Any]) -> frozenset[Scope]:
    """Return the scopes that `assent:…` in the scope claim allows; all scopes if it has none."""
    named = [item for item in _values("scope", claims) if item.startswith(_SCOPE_PREFIX)]
    if not named:
        return frozenset(Scope)
    known = {scope.value for scope in Scope}
    given = (item.removeprefix(_SCOPE_PREFIX) for item in named)
    return frozenset(Scope(item) for item in given if item in known)
