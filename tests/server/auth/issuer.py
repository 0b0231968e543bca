"""An OpenID issuer on loopback that speaks the real protocol: discovery, keys, code with PKCE."""

import base64
import hashlib
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from assent.server.auth.modes import OpenId
from tests.server.conftest import listening

CLIENT, SECRET, AUDIENCE = "assent-web", "s3cret", "https://assent.example"


@cache
def _rsa_keys() -> tuple[Any, Any]:
    # They take long to make, and nothing here changes them.
    return rsa.generate_private_key(65537, 2048), rsa.generate_private_key(65537, 2048)


def another_key() -> Any:
    """A key that no issuer here begins with."""
    return _rsa_keys()[1]


@dataclass
class Issuer:
    """Its keys, and whom it signs in."""

    url: str = ""
    subject: str = "1815"
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    rsa_key: Any = field(default_factory=lambda: _rsa_keys()[0])
    ec_key: Any = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    is_away: bool = False
    fetches: int = 0
    # What the token endpoint says otherwise than it should, for tests.
    forged: dict[str, Any] = field(default_factory=dict[str, Any])
    codes: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])

    def openid(self, **options: Any) -> OpenId:
        """How a deployment that believes this issuer is configured."""
        options.setdefault("roles", {"staff": "requester", "lead": "approver"})
        return OpenId(
            issuer=self.url,
            audience=AUDIENCE,
            name="corp",
            client_id=CLIENT,
            client_secret=SECRET,
            **options,
        )

    @property
    def rsa_public_pem(self) -> bytes:
        """The public key as text: what an attacker has."""
        return self.rsa_key.public_key().public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo
        )

    def jwks(self) -> dict[str, Any]:
        """The published keys; one that is no signing key, and one that is no secret, among them."""
        rsa_jwk = json.loads(RSAAlgorithm.to_jwk(self.rsa_key.public_key()))
        ec_jwk = json.loads(ECAlgorithm.to_jwk(self.ec_key.public_key()))
        return {
            "keys": [
                {**rsa_jwk, "kid": "r1", "use": "sig", "alg": "RS256"},
                {**ec_jwk, "kid": "e1", "use": "sig"},
                {**rsa_jwk, "kid": "enc", "use": "enc"},
                {"kty": "oct", "kid": "o1", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"},
            ]
        }

    def about(self, **changes: Any) -> dict[str, Any]:
        """Claims of a good token; None takes one away."""
        now = int(time.time())
        claims = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": self.subject,
            "exp": now + 300,
            "nbf": now - 10,
            "iat": now - 10,
            "roles": ["staff"],
            **self.claims,
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(
        self, *, alg: str = "RS256", headers: dict[str, Any] | None = None, **changes: Any
    ) -> str:
        """A token, good unless something is changed."""
        key = self.ec_key if alg == "ES256" else self.rsa_key
        named = {"kid": "e1" if alg == "ES256" else "r1", **(headers or {})}
        return jwt.encode(self.about(**changes), key, algorithm=alg, headers=named)

    def app(self) -> Starlette:
        """Its endpoints."""
        return Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._describe),
                Route("/jwks", self._keys),
                Route("/authorize", self._authorize),
                Route("/token", self._token, methods=["POST"]),
            ]
        )

    async def _describe(self, _: Request) -> Response:
        if self.is_away:
            return Response(status_code=503)
        return JSONResponse(
            {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/jwks",
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
            }
        )

    async def _keys(self, _: Request) -> Response:
        self.fetches += 1
        return Response(status_code=503) if self.is_away else JSONResponse(self.jwks())

    async def _authorize(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert asked["response_type"] == "code"
        assert asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256"
        assert "openid" in asked["scope"].split()
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        back = {"code": code, "state": asked["state"], "iss": self.url}
        return RedirectResponse(f"{asked['redirect_uri']}?{urlencode(back)}", 303)

    async def _token(self, request: Request) -> Response:
        form = dict(parse_qsl((await request.body()).decode()))
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        asked = self.codes.pop(form.get("code", ""), None)
        hashed = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(hashed).decode().rstrip("=")
        if (
            asked is None
            or request.headers.get("authorization") != f"Basic {basic}"
            or form.get("grant_type") != "authorization_code"
            or form.get("redirect_uri") != asked["redirect_uri"]
            or challenge != asked["code_challenge"]
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        about = {"aud": CLIENT, "nonce": asked["nonce"], "name": "Ada Lovelace", **self.forged}
        return JSONResponse({"token_type": "Bearer", "id_token": self.token(**about)})


@asynccontextmanager
async def issuing(**options: Any) -> AsyncGenerator[Issuer]:
    """A running issuer."""
    issuer = Issuer(**options)
    async with listening(issuer.app()) as base:
        issuer.url = base
        yield issuer
