"""The themes of pages: light, dark, or as the system has it; kept in a cookie."""

from enum import StrEnum
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import Response

COOKIE: Final = "assent-appearance"
_YEAR_SECONDS: Final = 31_536_000


class Theme(StrEnum):
    """The look of pages."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def theme_of(connection: HTTPConnection) -> Theme:
    """Return the theme from the browser's cookie; the system's if there is no known one."""
    return named(connection.cookies.get(COOKIE, ""))


def named(given: str) -> Theme:
    """Return the theme of this name, or the system's if there is none."""
    return next((theme for theme in Theme if theme == given), Theme.SYSTEM)


def keep_theme(response: Response, theme: Theme, *, secure: bool) -> None:
    """Set the cookie that remembers the theme; it says nothing about the person."""
    response.set_cookie(
        COOKIE,
        theme,
        max_age=_YEAR_SECONDS,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )
