"""Light, dark, or as the system has it: remembered by the browser, known to the server."""

from enum import StrEnum
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

COOKIE: Final = "assent-appearance"
_YEAR_SECONDS: Final = 31_536_000


class Theme(StrEnum):
    """How pages look."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def theme_of(connection: HTTPConnection) -> Theme:
    """What this browser was told; the system's where it was told nothing that we know."""
    return named(connection.cookies.get(COOKIE, ""))


def named(given: str) -> Theme:
    """The theme of this name, else the system's."""
    return next((theme for theme in Theme if theme == given), Theme.SYSTEM)


def keep_theme(response: Response, theme: Theme, *, secure: bool) -> None:
    """Have the browser remember it; it says nothing about anybody."""
    response.set_cookie(
        COOKIE,
        theme,
        max_age=_YEAR_SECONDS,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )
