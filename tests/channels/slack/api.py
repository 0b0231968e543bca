"""The ground on which methods of the Web API stand: arguments, refusals, scopes, tokens."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.channels.slack.tickets import Tickets
from tests.channels.slack.workspace import Workspace

Answer = dict[str, Any]
Announce = Callable[[dict[str, Any]], None]

SCOPES = frozenset(
    {
        *("app_mentions:read", "chat:write", "commands", "users:read"),
        *("channels:history", "groups:history", "im:history", "im:write"),
        *("channels:read", "groups:read", "im:read"),
    }
)


class ApiRefusal(Exception):
    """`ok: false` with Slack's code and, for content, what is wrong where."""

    def __init__(self, error: str, complaints: list[str] | None = None, **extra: str) -> None:
        super().__init__(error)
        self.error, self.complaints, self.extra = error, complaints or [], extra

    def body(self) -> Answer:
        body: Answer = {"ok": False, "error": self.error, **self.extra}
        if self.complaints:
            body["errors"] = self.complaints
            body["response_metadata"] = {
                "messages": [f"[ERROR] {each}" for each in self.complaints]
            }
        return body


class Arguments:
    """What a method was called with, from wherever in the request it came."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def has(self, name: str) -> bool:
        return self.values.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """A string; without a default it is required."""
        value = self.values.get(name, default)
        if value is None:
            raise ApiRefusal("invalid_arguments", [f"missing required field: {name}"])
        return str(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        value = self.values.get(name, default)
        return value in (True, "1", "true", "True")

    def json(self, name: str, wrong: str = "invalid_arguments") -> Any:
        """A structure, which forms carry as text."""
        value = self.values.get(name)
        if not isinstance(value, str):
            return value
        try:
            return json.loads(value)
        except ValueError:
            raise ApiRefusal(wrong) from None


@dataclass(slots=True, kw_only=True)
class Api:
    """One app in one workspace, and what it may do there."""

    workspace: Workspace
    tickets: Tickets
    bot_token: str
    app_token: str
    # Called with each message that the app posted or changed; subscriptions decide what follows.
    announce: Announce
    socket_url: Callable[[], str]
    scopes: set[str] = field(default_factory=lambda: set(SCOPES))
    # The code with which tokens are refused from now on: token_revoked, account_inactive.
    revoked: str | None = None

    def authenticate(self, token: str | None, *, app_level: bool) -> None:
        """Refuse a token that is missing, wrong, revoked or of the other kind."""
        if not token:
            raise ApiRefusal("not_authed")
        if token not in (self.bot_token, self.app_token):
            raise ApiRefusal("invalid_auth")
        if self.revoked:
            raise ApiRefusal(self.revoked)
        if (token == self.app_token) is not app_level:
            raise ApiRefusal("not_allowed_token_type")

    def need(self, scope: str) -> None:
        """Refuse what the app was not installed for."""
        if scope not in self.scopes:
            provided = ",".join(sorted(self.scopes))
            raise ApiRefusal("missing_scope", needed=scope, provided=provided)
