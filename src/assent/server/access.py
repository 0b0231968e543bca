"""The access table: every route has a row that says who may call it, or the app does not start."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from assent.domain.people import ADMIN, APPROVER, AUDITOR, REQUESTER, PersonKind, Scope

_EVERYBODY = frozenset(PersonKind)
# An agent's credential reaches nothing that decides, configures or manages.
_NO_AGENTS = frozenset({PersonKind.HUMAN, PersonKind.SERVICE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """The conditions for callers of a route; one of `roles` is enough, an empty set admits all."""

    scope: Scope | None = None
    roles: frozenset[str] = frozenset()
    kinds: frozenset[PersonKind] = field(default=_NO_AGENTS)
    public: bool = False
    # True if the body may be long: chat clients post the whole conversation with every message, and
    # what a tool returned may be as long.
    history: bool = False
    # True for pages: a person who is not signed in is sent to the sign-in, and refusals are pages.
    page: bool = False
    # True if the body may be a file, or a form with files: it is streamed, not read whole.
    files: bool = False
    # True if a person who came by the link to one request may call it, about that request only.
    by_link: bool = False


PUBLIC = Need(public=True)
SIGNED_IN = Need(kinds=_EVERYBODY, by_link=True)
READ = Need(scope=Scope.READ, kinds=_EVERYBODY)
OWN = Need(scope=Scope.READ)
CHAT = Need(scope=Scope.CHAT, roles=frozenset({REQUESTER, ADMIN}), kinds=_EVERYBODY)
HISTORY = replace(CHAT, history=True)
DECIDE = Need(scope=Scope.DECIDE)
READ_PAGE = Need(scope=Scope.READ, page=True)
FOLLOW = replace(READ, by_link=True)
REQUEST_PAGE = replace(READ_PAGE, by_link=True)
OWN_PAGE = Need(page=True)
DECIDE_PAGE = replace(DECIDE, page=True)
VERDICT_PAGE = replace(DECIDE_PAGE, by_link=True, files=True)
UPLOAD = replace(DECIDE, files=True)
# Files of a message, by those who may send it.
ATTACH = replace(CHAT, files=True)
# Sent by a script of the page: a refusal is told as JSON.
PAGE_UPLOAD = replace(UPLOAD, by_link=True)
CHAT_PAGE = replace(CHAT, kinds=_NO_AGENTS, page=True)
# A message may be sent with files, also without a script; with one they are sent before it.
SAY_PAGE = replace(CHAT_PAGE, files=True)
ATTACH_PAGE = replace(SAY_PAGE, page=False)
POLICY = Need(scope=Scope.READ, roles=frozenset({APPROVER, AUDITOR, ADMIN}))
INSIGHTS_PAGE = replace(POLICY, page=True)
AUDIT = Need(scope=Scope.AUDIT, roles=frozenset({AUDITOR, ADMIN}))
AUDIT_PAGE = replace(AUDIT, page=True)
MANAGE = Need(scope=Scope.MANAGE, roles=frozenset({ADMIN}))
MANAGE_PAGE = replace(MANAGE, page=True)
# The needs of every stream protocol, also of one that a deployment adds: no author can change them.
STREAM: Mapping[str, Need] = {"POST": HISTORY, "GET": CHAT, "HEAD": CHAT}

ACCESS: Mapping[str, Need] = {
    "GET /healthz": PUBLIC,
    "GET /readyz": PUBLIC,
    "GET /openapi.json": PUBLIC,
    "GET /sign-in": PUBLIC,
    "POST /sign-in": PUBLIC,
    "GET /sign-in/link/{token}": PUBLIC,
    "POST /sign-in/link": PUBLIC,
    "GET /sign-in/openid/{name}": PUBLIC,
    "GET /sign-in/openid/{name}/callback": PUBLIC,
    "POST /sign-out": SIGNED_IN,
    "GET /api/session": SIGNED_IN,
    "GET /api/me": SIGNED_IN,
    "GET /api/me/chat-accounts": OWN,
    "POST /api/me/chat-accounts": DECIDE,
    "POST /api/me/chat-accounts/codes": DECIDE,
    "POST /api/me/chat-accounts/invitations": DECIDE,
    "DELETE /api/me/chat-accounts/{channel}/{chat_id:path}": DECIDE,
    "GET /api/me/notifications": OWN,
    "PUT /api/me/notifications": DECIDE,
    "GET /api/me/rules": OWN,
    "POST /api/me/rules": DECIDE,
    "DELETE /api/me/rules/{id}": DECIDE,
    "GET /api/me/preferences": OWN,
    "PUT /api/me/preferences": DECIDE,
    "DELETE /api/me/preferences/{id}": DECIDE,
    "GET /api/me/stopped-suggestions": OWN,
    "POST /api/me/stopped-suggestions": DECIDE,
    "DELETE /api/me/stopped-suggestions/{id}": DECIDE,
    "POST /api/conversations": CHAT,
    "GET /api/conversations": READ,
    "GET /api/conversations/{id}": READ,
    "POST /api/conversations/{id}/messages": CHAT,
    "GET /api/conversations/{id}/files/{key}": READ,
    "POST /api/conversations/{id}/stop": CHAT,
    "POST /api/conversations/{id}/export": READ,
    "GET /api/conversations/{id}/audit": READ,
    "GET /api/conversations/{id}/values": READ,
    "DELETE /api/conversations/{id}/values": CHAT,
    "POST /api/calls": CHAT,
    "GET /api/calls/{id}": CHAT,
    "POST /api/calls/{id}/claim": CHAT,
    "POST /api/calls/{id}/renew": CHAT,
    "POST /api/calls/{id}/outcome": HISTORY,
    "POST /api/calls/{id}/withdraw": CHAT,
    "POST /api/calls/{id}/release": CHAT,
    "GET /api/turns/{id}": READ,
    "POST /api/turns/{id}/resume": CHAT,
    "GET /api/requests": READ,
    "GET /api/requests/{id}": READ,
    "GET /api/requests/{id}/card": READ,
    "GET /api/requests/{id}/fields/{name}/options": DECIDE,
    "POST /api/requests/{id}/preview": DECIDE,
    "POST /api/files": ATTACH,
    "PUT /api/files": ATTACH,
    "GET /api/requests/{id}/files": READ,
    "POST /api/requests/{id}/files": UPLOAD,
    "PUT /api/requests/{id}/files/{field}": UPLOAD,
    "GET /api/requests/{id}/files/{key}": READ,
    "DELETE /api/requests/{id}/files/{field}/{key}": DECIDE,
    "POST /api/decisions": DECIDE,
    "POST /api/requests/{id}/decide": DECIDE,
    "POST /api/requests/{id}/cancel": DECIDE,
    "GET /api/agents": READ,
    "GET /api/tools": READ,
    "GET /api/tools/{name}": READ,
    "PUT /api/tools/{name}/override": MANAGE,
    "POST /api/tools/{name}/accept": MANAGE,
    "DELETE /api/tools/{name}/override": MANAGE,
    "GET /api/policy": POLICY,
    "GET /api/audit": AUDIT,
    "GET /api/events": FOLLOW,
    "GET /api/people": MANAGE,
    "POST /api/people": MANAGE,
    "GET /api/people/{id:path}": MANAGE,
    "PATCH /api/people/{id:path}": MANAGE,
    "GET /api/keys": MANAGE,
    "POST /api/keys": MANAGE,
    "DELETE /api/keys/{id}": MANAGE,
    "GET /api/channels": MANAGE,
    "DELETE /api/channels/{name}": MANAGE,
    "GET /api/deliveries": MANAGE,
    "GET /api/deliveries/dead": MANAGE,
    "POST /api/deliveries/dead/send-again": MANAGE,
    "POST /api/qa/validate_tool": DECIDE,
    "PATCH /tools/{thread_id}/execute/{tool_call_id}": DECIDE,
    "POST /api/tool-user-input": DECIDE,
    "POST /api/chat": HISTORY,
    "GET /api/chat/{id}/stream": CHAT,
    "POST /api/qa/chat_streamed": HISTORY,
    "POST /api/qa/chat_streamed/{thread_id}": HISTORY,
    "GET /api/qa/chat_streamed": CHAT,
    "GET /api/qa/chat_streamed/{thread_id}": CHAT,
    "GET /sw.js": PUBLIC,
    "GET /static/{name}": PUBLIC,
    "GET /static/{version}/{name}": PUBLIC,
    "GET /": READ_PAGE,
    "GET /waiting": READ_PAGE,
    "GET /batch": READ_PAGE,
    "POST /batch": DECIDE_PAGE,
    "GET /batch/done": READ_PAGE,
    "POST /settings/appearance": OWN_PAGE,
    "GET /requests/{id}": REQUEST_PAGE,
    "POST /requests/{id}": VERDICT_PAGE,
    "PUT /requests/{id}/files/{field}": PAGE_UPLOAD,
    "GET /requests/{id}/files/{key}": REQUEST_PAGE,
    "GET /requests/{id}/files/{key}/picture": REQUEST_PAGE,
    "GET /r/{token}": PUBLIC,
    "POST /r": PUBLIC,
    # Without signing in, and from mail programs: the token is signed, and can only silence.
    "GET /stop/{token}": PUBLIC,
    "POST /stop/{token}": PUBLIC,
    "GET /chat": READ_PAGE,
    "POST /chat": SAY_PAGE,
    "PUT /chat/files": ATTACH_PAGE,
    "GET /chat/{id}": READ_PAGE,
    "POST /chat/{id}": SAY_PAGE,
    "GET /chat/{id}/files/{key}": READ_PAGE,
    "GET /chat/{id}/files/{key}/picture": READ_PAGE,
    "POST /chat/{id}/requests/{request_id}": replace(DECIDE_PAGE, files=True),
    "POST /chat/{id}/stop": CHAT_PAGE,
    "POST /chat/{id}/retry": CHAT_PAGE,
    "GET /chat/{id}/events": READ_PAGE,
    "GET /insights": INSIGHTS_PAGE,
    "GET /insights/numbers.csv": INSIGHTS_PAGE,
    "GET /history": READ_PAGE,
    "GET /history/export": READ_PAGE,
    "GET /history/{id}": READ_PAGE,
    "GET /audit": AUDIT_PAGE,
    "GET /audit/export": AUDIT_PAGE,
    "GET /tools": READ_PAGE,
    "GET /tools/{name}": READ_PAGE,
    "POST /tools/{name}": MANAGE_PAGE,
    "GET /people": MANAGE_PAGE,
    "POST /people": MANAGE_PAGE,
    "GET /people/{id:path}": MANAGE_PAGE,
    "POST /people/{id:path}": MANAGE_PAGE,
    "GET /keys": MANAGE_PAGE,
    "POST /keys": MANAGE_PAGE,
    "GET /keys/{id}": OWN_PAGE,
    "POST /keys/{id}": OWN_PAGE,
    "GET /settings": OWN_PAGE,
    "POST /settings/sessions": OWN_PAGE,
    "GET /settings/preferences": OWN_PAGE,
    "POST /settings/preferences": DECIDE_PAGE,
    "GET /settings/notifications": OWN_PAGE,
    "POST /settings/notifications": DECIDE_PAGE,
    "POST /settings/chat-accounts": DECIDE_PAGE,
    "GET /settings/rules": OWN_PAGE,
    "POST /settings/rules": DECIDE_PAGE,
    "GET /channels": MANAGE_PAGE,
    "POST /channels": MANAGE_PAGE,
    # Signed by the platform, which the channel verifies.
    "POST /channels/{name}": PUBLIC,
    "POST /agui": HISTORY,
    "POST /agui/{agent}": HISTORY,
}


def need_of(method: str, path: str) -> Need:
    """Return the row of a route; raises `KeyError` if the table has none."""
    return ACCESS[f"{'GET' if method == 'HEAD' else method} {path}"]
