"""Protection against requests that another site makes a browser send (CSRF)."""

import hmac
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection

from assent.engine.vault import Vault
from assent.errors import CrossSite
from assent.server.caller import Caller, Method

SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# Credentials that a browser sends by itself; an API key has to be added by its holder.
AMBIENT: Final = frozenset({Method.SESSION, Method.PROXY, Method.LOCAL})
HEADER: Final = "x-csrf-token"
FIELD: Final = "csrf_token"


def csrf_token(vault: Vault, caller: Caller) -> str:
    """Return the token that our pages send back; bound to the session and this deployment's key."""
    token = vault.mac(["csrf", caller.method, caller.credential], kid=vault.kid)
    if not token:
        # An empty token would be the one that a foreign site sends, too.
        raise RuntimeError(f"the vault has no key {vault.kid!r} to make CSRF tokens with")
    return token


def check_token(vault: Vault, caller: Caller, given: str) -> None:
    """Raise unless this is the caller's token."""
    if not hmac.compare_digest(csrf_token(vault, caller).encode(), given.encode()):
        raise CrossSite("its CSRF token is missing or belongs to another session")


def check_origin(connection: HTTPConnection, origin: str) -> None:
    """Raise if the browser says that another site caused the request."""
    site = connection.headers.get("sec-fetch-site")
    if site is not None and site != "same-origin":
        raise CrossSite(f"the browser calls it {site!r}")
    given = connection.headers.get("origin")
    # Our pages send no referrer, and then browsers send "null" as the origin of a form.
    if given is None or (given == "null" and site == "same-origin"):
        return
    if given != origin and not _is_own(connection, given):
        raise CrossSite("its Origin header names another site")


def _is_own(connection: HTTPConnection, given: str) -> bool:
    """Return True if the origin is the requested host; over plain http it need not be https."""
    try:
        parts = urlsplit(given)
    except ValueError:
        return False
    secure = parts.scheme == "https" or connection.url.scheme == "http"
    return secure and parts.netloc != "" and parts.netloc == connection.headers.get("host")
