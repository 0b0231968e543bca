"""How a page is made: templates that escape everything, in one frame."""

from dataclasses import dataclass
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from assent.domain.people import Person
from assent.engine.vault import Vault
from assent.server.auth.csrf import csrf_token
from assent.server.caller import Caller
from assent.server.web import moments
from assent.server.web.assets import Assets
from assent.server.web.words import FILTERS, prefilled


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One entry of the navigation; `roles` see it, none for everybody."""

    name: str
    path: str
    icon: str
    roles: frozenset[str] = frozenset()

    def is_for(self, person: Person) -> bool:
        """Whether this person has any business there."""
        return not self.roles or not self.roles.isdisjoint(person.roles)


SECTIONS: Final = (
    Section(name="Inbox", path="/", icon="inbox"),
    Section(name="Chat", path="/chat", icon="chat"),
)


class Pages:
    """Renders pages, all with the same frame."""

    def __init__(self, vault: Vault) -> None:
        self.assets, self._vault = Assets(), vault
        self._environment: Any = Environment(
            loader=PackageLoader("assent.server.web"),
            autoescape=True,
            auto_reload=False,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals["asset"] = self.assets.address
        self._environment.globals["prefilled"] = prefilled
        self._environment.filters.update({**moments.FILTERS, **FILTERS})

    def render(
        self, request: Request, template: str, *, status: int = 200, **values: object
    ) -> HTMLResponse:
        """A page; for somebody signed in it has the navigation and their CSRF token."""
        caller: Caller | None = getattr(request.state, "caller", None)
        frame: dict[str, object] = {"me": None, "sections": (), "csrf": "", "here": ""}
        if caller is not None:
            frame = {
                "me": caller.person,
                "sections": [each for each in SECTIONS if each.is_for(caller.person)],
                "csrf": csrf_token(self._vault, caller),
                "here": request.url.path,
            }
        text = self._environment.get_template(f"{template}.html").render(frame | values)
        return HTMLResponse(text, status)
