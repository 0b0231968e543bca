"""Who may call what: every route has a row here, or the app does not start."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assent.domain.people import ADMIN, AUDITOR, REQUESTER, PersonKind, Scope

_EVERYBODY = frozenset(PersonKind)
# An agent's credential reaches nothing that decides, configures or manages.
_NO_AGENTS = frozenset({PersonKind.HUMAN, PersonKind.SERVICE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a route wants of its caller; `roles` of which one is enough, none for anybody."""

    scope: Scope | None = None
    roles: frozenset[str] = frozenset()
    kinds: frozenset[PersonKind] = field(default=_NO_AGENTS)
    public: bool = False


PUBLIC = Need(public=True)
SIGNED_IN = Need(kinds=_EVERYBODY)
READ = Need(scope=Scope.READ, kinds=_EVERYBODY)
CHAT = Need(scope=Scope.CHAT, roles=frozenset({REQUESTER, ADMIN}), kinds=_EVERYBODY)
DECIDE = Need(scope=Scope.DECIDE)
AUDIT = Need(scope=Scope.AUDIT, roles=frozenset({AUDITOR, ADMIN}))
MANAGE = Need(scope=Scope.MANAGE, roles=frozenset({ADMIN}))

ACCESS: Mapping[str, Need] = {
    "GET /healthz": PUBLIC,
    "GET /readyz": PUBLIC,
    "GET /openapi.json": PUBLIC,
}


def need_of(method: str, path: str) -> Need:
    """The row of a route; `KeyError` where nobody wrote one."""
    return ACCESS[f"{'GET' if method == 'HEAD' else method} {path}"]
