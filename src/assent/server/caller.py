"""Who makes an HTTP request, and by which credential."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from starlette.requests import HTTPConnection

from assent.domain.people import Person, Scope


class Method(StrEnum):
    """How somebody proved who they are."""

    KEY = "key"
    SESSION = "session"
    JWT = "jwt"
    PROXY = "proxy"
    LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A person as their credential vouches for them; `credential` is its id, never its secret."""

    person: Person
    method: Method
    credential: str
    scopes: frozenset[Scope] = frozenset(Scope)
    # When the credential ends by itself.
    until: datetime | None = None
    # The one request that the credential is for, if it is for one alone.
    request_id: str | None = None
    # The person as another authority says, before what is known of them here was added.
    vouched: Person | None = None

    @property
    def channel(self) -> str:
        """What a decision records about where it came from."""
        return "web" if self.method is Method.SESSION else "api"


def caller_of(connection: HTTPConnection) -> Caller:
    """The caller that the guard let in."""
    return connection.state.caller
