"""API keys, sessions and links. None of these values holds a secret; the store keeps its hash."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assent.domain.people import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """An API key; `prefix` is the part of its text that may be shown."""

    id: str
    person: str
    prefix: str
    label: str
    scopes: frozenset[Scope]
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None

    def holds(self, now: datetime) -> bool:
        """Return True if the key is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class SignIn(StrEnum):
    """The way in which a browser session began."""

    KEY = "key"
    LINK = "link"
    OIDC = "oidc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A browser's session; `roles` are those the identity provider gave at sign-in.

    A session that began with an API key ends with that key. One that began with a link to a request
    is for that request alone.
    """

    id: str
    person: str
    how: SignIn
    roles: frozenset[str]
    scopes: frozenset[Scope]
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    api_key: str | None = None
    ended_at: datetime | None = None
    request_id: str | None = None


class Purpose(StrEnum):
    """The one action that a link is for."""

    SIGN_IN = "sign_in"
    DECIDE = "decide"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A one-time link: for one recipient, one purpose and, to decide, one request."""

    id: str
    person: str
    purpose: Purpose
    request_id: str | None
    kid: str
    created_at: datetime
    expires_at: datetime
    used_at: datetime | None = None
