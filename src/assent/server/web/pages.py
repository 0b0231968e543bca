"""Pages from templates, all in one frame: navigation, number of waiting requests, theme."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, Response

from assent.domain.people import ADMIN, APPROVER, AUDITOR, Person
from assent.engine.assent import Assent
from assent.engine.vault import Vault
from assent.errors import NotFound
from assent.server.auth.csrf import csrf_token
from assent.server.caller import Caller
from assent.server.web.template_filters import FILTERS, prefilled

_TYPES: Final = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One static file."""

    name: str
    content: bytes
    media_type: str
    hash: str


class Assets:
    """All files of the `static` folder, by name; `version` is one hash over all of them."""

    def __init__(self) -> None:
        self._found: dict[str, Asset] = {}
        for file in files("assent.server.web").joinpath("static").iterdir():
            kind = file.name.rpartition(".")[2]
            if kind in _TYPES:
                content = file.read_bytes()
                digest = hashlib.sha256(content).hexdigest()[:12]
                self._found[file.name] = Asset(
                    name=file.name, content=content, media_type=_TYPES[kind], hash=digest
                )
        hashes = sorted(f"{name} {asset.hash}" for name, asset in self._found.items())
        self.version = hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:12]

    def address(self, name: str) -> str:
        """Return the address of a file.

        The version is a folder, so that modules find each other by plain names in the same one.
        """
        return f"/static/{self.version}/{self._found[name].name}"

    def get(self, name: str) -> Asset:
        """Return one file; raises `NotFound` if there is none of that name."""
        try:
            return self._found[name]
        except KeyError:
            raise NotFound("file", name) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One entry of the navigation; people with one of `roles` see it, all people if empty."""

    name: str
    path: str
    icon: str
    roles: frozenset[str] = frozenset()
    # Prefixes of other paths that belong to this section.
    also: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Return True if the page at this path belongs to this section."""
        below = path.startswith(f"{self.path}/") if self.path != "/" else False
        return path == self.path or below or path.startswith(self.also)

    def is_for(self, person: Person) -> bool:
        """Return True if this person sees the section."""
        return not self.roles or not self.roles.isdisjoint(person.roles)


# The order of the navigation; a phone's bottom bar has the first four.
SECTIONS: Final = (
    Section(name="Inbox", path="/", icon="inbox", also=("/requests/", "/batch")),
    Section(name="Chat", path="/chat", icon="chat"),
    Section(name="History", path="/history", icon="history", also=("/audit",)),
    Section(
        name="Insights",
        path="/insights",
        icon="insights",
        roles=frozenset({APPROVER, AUDITOR, ADMIN}),
    ),
    Section(name="Tools", path="/tools", icon="tools"),
    Section(
        name="People", path="/people", icon="people", roles=frozenset({ADMIN}), also=("/keys",)
    ),
    Section(name="Channels", path="/channels", icon="channels", roles=frozenset({ADMIN})),
    Section(name="Settings", path="/settings", icon="settings"),
)
# Sections after these are under "More" on a phone.
_AT_THUMB: Final = 4


_COUNTED_MAX: Final = 99


@dataclass(frozen=True, slots=True)
class WaitingCount:
    """The number beside the inbox: requests that wait for a person, or "99+" for more than 99."""

    number: int

    def __str__(self) -> str:
        return str(self.number) if self.number <= _COUNTED_MAX else f"{_COUNTED_MAX}+"

    def __bool__(self) -> bool:
        return self.number > 0

    @property
    def words(self) -> str:
        """The count as a sentence, also for screen readers."""
        return "1 request waits for you" if self.number == 1 else f"{self} requests wait for you"


async def waiting_for(assent: Assent, person: Person) -> WaitingCount:
    """Count the requests that this person may decide now."""
    return WaitingCount(await assent.queries.requests.waiting_for(person, limit=_COUNTED_MAX + 1))


_COOKIE: Final = "assent-appearance"
_YEAR_SECONDS: Final = 31_536_000


class Theme(StrEnum):
    """The colours of pages; `system` follows the settings of the device."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def theme_of(connection: HTTPConnection) -> Theme:
    """Return the theme from the browser's cookie; `SYSTEM` if it has none that is known."""
    return theme_named(connection.cookies.get(_COOKIE, ""))


def theme_named(given: str) -> Theme:
    """Return the theme of this name; `SYSTEM` if there is none."""
    return next((theme for theme in Theme if theme == given), Theme.SYSTEM)


def keep_theme(response: Response, theme: Theme, *, secure: bool) -> None:
    """Set the cookie that remembers the theme; it says nothing about the person."""
    response.set_cookie(
        _COOKIE,
        theme,
        max_age=_YEAR_SECONDS,
        path="/",
        secure=secure,
        httponly=True,
        samesite="lax",
    )


# Templates and static files are part of the program, like its modules: a process reads and compiles
# them once for all its services. Compiling takes longer than rendering a hundred pages.
@cache
def _assets() -> Assets:
    return Assets()


@cache
def _environment() -> Environment:
    environment: Any = Environment(
        loader=PackageLoader("assent.server.web"),
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["asset"] = _assets().address
    environment.globals["prefilled"] = prefilled
    environment.filters.update(FILTERS)
    return environment


class Pages:
    """Renders pages, all with the same frame."""

    def __init__(self, vault: Vault) -> None:
        self.assets, self._vault = _assets(), vault
        self._environment = _environment()

    def render(
        self, request: Request, template: str, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """Render a page; for a signed-in person it has the navigation and their CSRF token."""
        caller: Caller | None = getattr(request.state, "caller", None)
        frame: dict[str, object] = {
            "page": template,
            "me": None,
            "sections": (),
            "csrf": "",
            "here": request.url.path,
            "theme": theme_of(request),
            "waiting": getattr(request.state, "waiting", None),
        }
        if caller is not None:
            # A session of a link to one request shows nothing else.
            sections = [] if caller.request_id else [s for s in SECTIONS if s.is_for(caller.person)]
            frame["me"] = caller.person
            frame["sections"] = sections
            frame["at_thumb"] = _AT_THUMB
            frame["csrf"] = csrf_token(self._vault, caller)
        text = self._environment.get_template(f"{template}.html").render(frame | values)
        return HTMLResponse(text, status)
