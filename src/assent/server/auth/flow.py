"""Sign-in at an OpenID issuer: authorisation code with PKCE, state and nonce."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from assent.domain.canonical import encode, parse
from assent.domain.people import Person
from assent.engine.vault import Vault
from assent.errors import InvalidJson, SecretUnreadable, SignInFailed
from assent.server.auth.cookies import FLOW_SECONDS
from assent.server.auth.jwks import discovered, fetched
from assent.server.auth.modes import OpenId
from assent.server.auth.tokens import Tokens, person_of

# The page after a sign-in that has no other target.
START: Final = "/"
_ROW: Final = "sign-in"
_FIELD: Final = "openid"
_BYTES: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The start of a sign-in, which the browser keeps sealed while the person is at the issuer."""

    issuer: str
    state: str
    nonce: str
    verifier: str
    target: str
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A person who has signed in, and the page that they wanted to go to."""

    person: Person
    name: str
    target: str


class Flow:
    """The sign-in at one issuer; the browser carries its state, the server stores nothing."""

    def __init__(self, tokens: Tokens, vault: Vault, origin: str) -> None:
        self._tokens, self._vault = tokens, vault
        self._openid: OpenId = tokens.openid
        self._back = f"{origin.rstrip('/')}/sign-in/openid/{self._openid.name}/callback"

    async def begin(self, target: str) -> tuple[str, str]:
        """Return the address to send the browser to, and the sealed text it must come back with."""
        described = await discovered(self._openid)
        started = Started(
            issuer=self._openid.issuer,
            state=secrets.token_urlsafe(_BYTES),
            nonce=secrets.token_urlsafe(_BYTES),
            verifier=secrets.token_urlsafe(_BYTES),
            target=local_path(target),
            until=datetime.now(UTC).timestamp() + FLOW_SECONDS,
        )
        asked = {
            "response_type": "code",
            "client_id": str(self._openid.client_id),
            "redirect_uri": self._back,
            "scope": self._openid.client_scope,
            "state": started.state,
            "nonce": started.nonce,
            "code_challenge": _challenge(started.verifier),
            "code_challenge_method": "S256",
        }
        endpoint = str(described.get("authorization_endpoint", ""))
        if urlsplit(endpoint).scheme not in ("https", "http"):
            raise SignInFailed("the issuer names no page to sign in at")
        joined = "&" if urlsplit(endpoint).query else "?"
        return f"{endpoint}{joined}{urlencode(asked)}", self._sealed(started)

    async def finish(self, sealed: str | None, given: Mapping[str, str]) -> SignedIn:
        """Return the person who came back; raises `SignInFailed` unless all matches the start."""
        started = self._opened(sealed)
        if not hmac.compare_digest(started.state.encode(), given.get("state", "").encode()):
            raise SignInFailed("it was not started in this browser")
        # RFC 9207: a response of another issuer must not be mixed up with this one's.
        if given.get("iss", self._openid.issuer) != self._openid.issuer:
            raise SignInFailed("another issuer answered")
        if not given.get("code"):
            raise SignInFailed("the issuer refused it")
        claims = await self._redeemed(given["code"], started)
        name = claims.get("name") or claims.get("preferred_username") or ""
        return SignedIn(
            person=person_of(self._openid, claims), name=str(name)[:200], target=started.target
        )

    async def _redeemed(self, code: str, started: Started) -> Mapping[str, Any]:
        described = await discovered(self._openid)
        client = str(self._openid.client_id)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._back,
            "client_id": client,
            "code_verifier": started.verifier,
        }
        answer = await fetched(self._openid, str(described.get("token_endpoint", "")), form)
        claims = await self._tokens.claims(str(answer.get("id_token", "")), client)
        nonce = None if claims is None else claims.get("nonce")
        if claims is None or not isinstance(nonce, str):
            raise SignInFailed("the issuer's token is not valid")
        if not hmac.compare_digest(nonce.encode(), started.nonce.encode()):
            raise SignInFailed("the issuer's token belongs to another sign-in")
        if claims.get("azp", client) != client:
            raise SignInFailed("the issuer's token is for another application")
        return claims

    def _sealed(self, started: Started) -> str:
        text = encode(
            [
                started.issuer,
                started.state,
                started.nonce,
                started.verifier,
                started.target,
                started.until,
            ]
        )
        return self._vault.seal(text, row=_ROW, field=_FIELD)

    def _opened(self, sealed: str | None) -> Started:
        try:
            match parse(self._vault.open(sealed or "", row=_ROW, field=_FIELD)):
                case [str(issuer), str(state), str(nonce), str(verifier), str(target), until]:
                    started = Started(
                        issuer=issuer,
                        state=state,
                        nonce=nonce,
                        verifier=verifier,
                        target=target,
                        until=float(str(until)),
                    )
                case _:
                    raise SignInFailed("it was not started in this browser")
        except (SecretUnreadable, InvalidJson):
            raise SignInFailed("it was not started in this browser") from None
        if started.issuer != self._openid.issuer or started.until < datetime.now(UTC).timestamp():
            raise SignInFailed("it took too long; start again")
        return started


def local_path(target: str) -> str:
    """Return a path of this service; a target that leads elsewhere becomes the start page."""
    # Browsers read a backslash as a slash, and skip control characters.
    is_path = target.startswith("/") and not target.startswith("//") and target.isprintable()
    return target if is_path and "\\" not in target and len(target) <= 2_000 else START


def _challenge(verifier: str) -> str:
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
