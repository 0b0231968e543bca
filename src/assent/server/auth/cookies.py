"""Cookies: the session, a sign-in under way, and a value that is shown once."""

from typing import Final
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import Response

from assent.server.auth.peers import is_loopback

NAME: Final = "assent"
FLOW_NAME: Final = "assent-sign-in"
FLOW_SECONDS: Final = 600
ONCE_NAME: Final = "assent-once"
ONCE_SECONDS: Final = 60


class Cookies:
    """The cookies of one deployment: `__Host-` and Secure, except for plain http on loopback.

    There browsers refuse a Secure cookie, and there is no network on which it could be read.
    """

    def __init__(self, origin: str) -> None:
        parts = urlsplit(origin)
        self._plain = parts.scheme == "http" and is_loopback(parts.hostname or "")

    def session(self, connection: HTTPConnection) -> str | None:
        """Return the session token that the browser sent; None if it sent none."""
        return connection.cookies.get(self._name(NAME)) or None

    def keep_session(self, response: Response, token: str) -> None:
        """Set the cookie of a session; it ends when the browser is closed."""
        self._set(response, NAME, token)

    def drop_session(self, response: Response) -> None:
        """Delete the cookie of the session."""
        self._set(response, NAME, "", max_age=0)

    def flow(self, connection: HTTPConnection) -> str | None:
        """Return the sealed start of a sign-in at an identity provider; None if there is none."""
        return connection.cookies.get(self._name(FLOW_NAME)) or None

    def keep_flow(self, response: Response, sealed: str) -> None:
        """Set the cookie with the sealed start of a sign-in, for the person's return."""
        self._set(response, FLOW_NAME, sealed, max_age=FLOW_SECONDS)

    def drop_flow(self, response: Response) -> None:
        """Delete the cookie of a sign-in that is finished or failed."""
        self._set(response, FLOW_NAME, "", max_age=0)

    def once(self, connection: HTTPConnection) -> str | None:
        """Return the sealed value that the next page shows once; None if there is none."""
        return connection.cookies.get(self._name(ONCE_NAME)) or None

    def keep_once(self, response: Response, sealed: str) -> None:
        """Set the cookie with a sealed value for the next page to show."""
        self._set(response, ONCE_NAME, sealed, max_age=ONCE_SECONDS)

    def drop_once(self, response: Response) -> None:
        """Delete the cookie with the value that was shown."""
        self._set(response, ONCE_NAME, "", max_age=0)

    def _name(self, name: str) -> str:
        return name if self._plain else f"__Host-{name}"

    def _set(self, response: Response, name: str, value: str, max_age: int | None = None) -> None:
        response.set_cookie(
            self._name(name),
            value,
            max_age=max_age,
            path="/",
            secure=not self._plain,
            httponly=True,
            # Lax: a link in a mail leads to its page and not to the sign-in again.
            samesite="lax",
        )
