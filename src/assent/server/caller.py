"""The person who makes an HTTP request, and the credential they use."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from starlette.requests import HTTPConnection

from assent.domain.people import Person, Scope


class Method(StrEnum):
    """The kind of credential that a caller has."""

    KEY = "key"
    SESSION = "session"
    JWT = "jwt"
    PROXY = "proxy"
    LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A person with the rights of their credential; `credential` is its id, never its secret."""

    person: Person
    method: Method
    credential: str
    scopes: frozenset[Scope] = frozenset(Scope)
    # The time at which the credential ends by itself.
    until: datetime | None = None
    # The only request that the credential is for; None if it is not limited to one.
    request_id: str | None = None
    # The person as the identity provider or proxy describes them, before their account here was
    # added.
    vouched: Person | None = None

    @property
    def channel(self) -> str:
        """The channel that the record of a decision names."""
        return "web" if self.method is Method.SESSION else "api"


def caller_of(connection: HTTPConnection) -> Caller:
    """Return the caller that the guard let in."""
    return connection.state.caller
