"""The session's cookie."""

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
    """Cookies of one deployment: `__Host-` and Secure, but for plain http on loopback.

    There browsers refuse a Secure cookie, and nobody is between the browser and us.
    """

    def __init__(self, origin: str) -> None:
        parts = urlsplit(origin)
        self._plain = parts.scheme == "http" and is_loopback(parts.hostname or "")

    def session(self, connection: HTTPConnection) -> str | None:
        """The session token that a browser sent."""
        return connection.cookies.get(self._name(NAME)) or None

    def keep_session(self, response: Response, token: str) -> None:
        """Hand a session's token to the browser, until it is closed."""
        self._set(response, NAME, token)

    def drop_session(self, response: Response) -> None:
        """Take it back."""
        self._set(response, NAME, "", max_age=0)

    def flow(self, connection: HTTPConnection) -> str | None:
        """What a sign-in at an identity provider began with."""
        return connection.cookies.get(self._name(FLOW_NAME)) or None

    def keep_flow(self, response: Response, sealed: str) -> None:
        """Remember what a sign-in begins with while the person is away."""
        self._set(response, FLOW_NAME, sealed, max_age=FLOW_SECONDS)

    def drop_flow(self, response: Response) -> None:
        """It is done, or was in vain."""
        self._set(response, FLOW_NAME, "", max_age=0)

    def once(self, connection: HTTPConnection) -> str | None:
        """What the next page shows once, sealed."""
        return connection.cookies.get(self._name(ONCE_NAME)) or None

    def keep_once(self, response: Response, sealed: str) -> None:
        """Let the next page show something."""
        self._set(response, ONCE_NAME, sealed, max_age=ONCE_SECONDS)

    def drop_once(self, response: Response) -> None:
        """It was shown."""
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
            # Lax: a link in a mail leads to a page and not to the sign-in again.
            samesite="lax",
        )
