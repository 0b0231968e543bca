"""An issuer's signing keys: fetched, cached, and used for a while if the issuer does not answer."""

import asyncio
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, cast
from urllib.parse import urlsplit

import httpx

from assent.errors import IdentityUnavailable, SignInFailed
from assent.server.auth.modes import OpenId
from assent.server.auth.peers import is_loopback

log = logging.getLogger(__name__)
FETCH_SECONDS: Final = 5.0
MAX_BYTES: Final = 512_000
MAX_KEYS: Final = 100
# Neither an unknown key id nor an outage may make us ask the issuer more often than this.
ASK_AGAIN_SECONDS: Final = 10.0
Jwk = Mapping[str, Any]


class KeySet:
    """The keys of one issuer, by key id."""

    def __init__(self, openid: OpenId, monotonic: Callable[[], float]) -> None:
        self._openid, self._monotonic = openid, monotonic
        self._keys: dict[str, Jwk] = {}
        self._fetched: float | None = None
        self._asked: float | None = None
        self._asking = asyncio.Lock()

    async def key(self, kid: str) -> Jwk | None:
        """Return the key with this id; raises `IdentityUnavailable` if the cache is too old."""
        if not self._is_within(self._openid.fresh.total_seconds()) or kid not in self._keys:
            await self._refresh(kid)
        if not self._is_within(self._openid.stale.total_seconds()):
            raise IdentityUnavailable(self._openid.issuer, "its keys cannot be fetched")
        return self._keys.get(kid)

    def _is_within(self, seconds: float) -> bool:
        return self._fetched is not None and self._monotonic() < self._fetched + seconds

    async def _refresh(self, kid: str) -> None:
        async with self._asking:
            # Another task may have refreshed the keys while this one waited.
            fresh = self._is_within(self._openid.fresh.total_seconds())
            if (fresh and kid in self._keys) or not self._may_ask():
                return
            self._asked = self._monotonic()
            try:
                self._keys = _signing_keys(await self._fetch())
                self._fetched = self._monotonic()
            except IdentityUnavailable as error:
                log.warning("the keys of %s cannot be fetched: %s", error.issuer, error.reason)

    def _may_ask(self) -> bool:
        return self._asked is None or self._monotonic() >= self._asked + ASK_AGAIN_SECONDS

    async def _fetch(self) -> Mapping[str, Any]:
        url = self._openid.jwks_url
        if url is None:
            url = str((await discovered(self._openid)).get("jwks_uri", ""))
        return await fetched(self._openid, url)


async def discovered(openid: OpenId) -> Mapping[str, Any]:
    """Return the issuer's configuration; one that names another issuer is refused."""
    url = f"{openid.issuer.rstrip('/')}/.well-known/openid-configuration"
    found = await fetched(openid, url)
    if found.get("issuer") != openid.issuer:
        raise IdentityUnavailable(openid.issuer, "its configuration names another issuer")
    return found


async def fetched(openid: OpenId, url: str, form: Mapping[str, str] | None = None) -> Jwk:
    """Fetch a JSON object from the issuer, with GET, or with POST if there is a form."""
    _refuse_plain(openid, url)
    basic = None
    if form is not None and openid.client_id and openid.client_secret:
        basic = httpx.BasicAuth(openid.client_id, openid.client_secret)
    local = is_loopback(urlsplit(url).hostname or "")
    try:
        async with (
            asyncio.timeout(FETCH_SECONDS),
            httpx.AsyncClient(trust_env=not local, follow_redirects=False) as client,
            client.stream(
                "GET" if form is None else "POST",
                url,
                data=None if form is None else dict(form),
                auth=basic,
                headers={"Accept": "application/json"},
            ) as answer,
        ):
            body = await _bounded(openid, answer)
    except (httpx.HTTPError, TimeoutError) as error:
        raise IdentityUnavailable(openid.issuer, type(error).__name__) from error
    return _object(openid, body)


async def _bounded(openid: OpenId, answer: httpx.Response) -> bytes:
    if answer.is_client_error and answer.request.method == "POST":
        raise SignInFailed("the issuer refused it")
    if answer.status_code != 200:
        raise IdentityUnavailable(openid.issuer, f"it answered {answer.status_code}")
    body = b""
    async for chunk in answer.aiter_bytes():
        body += chunk
        if len(body) > MAX_BYTES:
            raise IdentityUnavailable(openid.issuer, "its answer is too large")
    return body


def _object(openid: OpenId, body: bytes) -> Jwk:
    try:
        found: object = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise IdentityUnavailable(openid.issuer, "its answer is not a JSON object")
    return cast("Jwk", found)


def _refuse_plain(openid: OpenId, url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme != "https" and not (
        parts.scheme == "http" and is_loopback(parts.hostname or "")
    ):
        raise IdentityUnavailable(openid.issuer, "it names an address that is not https")


def _signing_keys(found: Mapping[str, Any]) -> dict[str, Jwk]:
    """Return the public signing keys; a symmetric key in a public document would be no secret."""
    listed: object = found.get("keys")
    keys = cast("list[object]", listed)[:MAX_KEYS] if isinstance(listed, list) else []
    usable: dict[str, Jwk] = {}
    for item in keys:
        if not isinstance(item, dict):
            continue
        key = cast("Jwk", item)
        if key.get("kty") in ("RSA", "EC", "OKP") and key.get("use", "sig") == "sig":
            usable[str(key.get("kid", ""))] = key
    return usable
