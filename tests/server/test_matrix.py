"""Who may do what: every route of the app against every kind of credential, in one table."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from assent import Person
from assent.domain.people import PersonKind, Scope
from assent.server.access import ACCESS
from assent.server.app import ROUTES
from tests.server.api.desk import Desk, ask, conversation, pending, script
from tests.server.conftest import Serve, Served

# Full keys of each account, then keys of the same people that are good for one thing only.
WHOLE = ["anonymous", "user", "stranger", "approver", "auditor", "admin", "agent"]
NARROW = ["user:chat", "user:read", "user:decide", "auditor:audit", "admin:manage"]
COLUMNS = WHOLE + NARROW


@dataclass(frozen=True)
class Row:
    """What to send, and what each credential gets; the state is such that nothing is changed."""

    path: str
    statuses: str
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict[str, str])


PUBLIC = "200 200 200 200 200 200 200 200 200 200 200 200"
SIGNED_IN = "401 200 200 200 200 200 200 200 200 200 200 200"
READING = "401 200 200 200 200 200 200 403 200 403 403 403"
# What only the owner, auditors and admins see.
PRIVATE = "401 200 404 404 200 200 404 403 200 403 403 403"
MANAGING = "401 403 403 403 403 200 403 403 403 403 403 200"
# What one has and wants; agents have and want nothing.
OWN = "401 200 200 200 200 200 403 403 200 403 403 403"
LINKING = "401 {0} {0} {0} {0} {0} 403 403 403 403 403 403"
# Pages: who is not signed in is sent to do that, and agents have no business there.
READING_PAGE = "303 200 200 200 200 200 403 403 200 403 403 403"
MANAGING_PAGE = "303 403 403 403 403 200 403 403 403 403 403 200"
OWN_PAGE = "303 200 200 200 200 200 403 200 200 200 200 200"
# What a guard lets through to a handler that says no in its own way.
CHATTING = "401 {0} {0} {0} 403 {0} {0} {0} 403 403 403 403"
DECIDING = "401 {0} {0} {0} {0} {0} 403 403 403 {0} 403 403"

# A file for a request that wants none: who may see it learns that, and nobody else anything.
SENDING = "401 404 404 404 404 403 403 403 403 404 403 403"
NO_FILE = "303 404 404 404 404 404 403 403 404 403 403 403"

APPROVAL = {"verdict": "approve", "digest": "0" * 64}
SAID = {"id": "{waiting}", "messages": [{"role": "user", "content": "hi", "parts": []}]}
ROWS: dict[str, Row] = {
    "GET /openapi.json": Row("/openapi.json", PUBLIC),
    "GET /healthz": Row("/healthz", PUBLIC),
    "GET /readyz": Row("/readyz", PUBLIC),
    "GET /api/me": Row("/api/me", SIGNED_IN),
    "GET /api/session": Row("/api/session", SIGNED_IN),
    # Conversations: {idle} and {waiting} are the user's.
    "POST /api/conversations": Row("/api/conversations", CHATTING.format(404), {"agent": "nobody"}),
    "GET /api/conversations": Row("/api/conversations", READING),
    "GET /api/conversations/{id}": Row("/api/conversations/{idle}", PRIVATE),
    "POST /api/conversations/{id}/messages": Row(
        "/api/conversations/{waiting}/messages",
        "401 409 404 404 403 403 404 409 403 403 403 403",
        {"text": "hello"},
    ),
    "GET /api/conversations/{id}/files/{key}": Row(
        "/api/conversations/{idle}/files/" + "0" * 64,
        "401 404 404 404 404 404 404 403 404 403 403 403",
    ),
    # A file of nothing, which nobody keeps.
    "POST /api/files": Row("/api/files", CHATTING.format(422)),
    "PUT /api/files": Row("/api/files", CHATTING.format(422)),
    "POST /api/conversations/{id}/stop": Row(
        "/api/conversations/{idle}/stop", "401 409 404 404 403 409 404 409 403 403 403 403"
    ),
    "POST /api/conversations/{id}/export": Row(
        "/api/conversations/{idle}/export", "401 200 404 404 403 200 404 403 200 403 403 403"
    ),
    "GET /api/conversations/{id}/audit": Row("/api/conversations/{idle}/audit", PRIVATE),
    "GET /api/conversations/{id}/values": Row("/api/conversations/{idle}/values", PRIVATE),
    "DELETE /api/conversations/{id}/values": Row(
        "/api/conversations/{idle}/values", "401 200 404 404 403 403 404 200 403 403 403 403"
    ),
    # Calls of agents outside; {call} is one of our own loop, which nobody has made outside.
    "POST /api/calls": Row("/api/calls", CHATTING.format(422), {}),
    "GET /api/calls/{id}": Row("/api/calls/{call}", CHATTING.format(404)),
    "POST /api/calls/{id}/claim": Row(
        "/api/calls/{call}/claim", CHATTING.format(404), {"token": "t" * 16}
    ),
    "POST /api/calls/{id}/renew": Row(
        "/api/calls/{call}/renew", CHATTING.format(404), {"token": "t" * 16, "fence": 1}
    ),
    "POST /api/calls/{id}/outcome": Row(
        "/api/calls/{call}/outcome",
        CHATTING.format(404),
        {"token": "t" * 16, "fence": 1, "output": None},
    ),
    "POST /api/calls/{id}/release": Row("/api/calls/{call}/release", CHATTING.format(404)),
    "POST /api/calls/{id}/withdraw": Row("/api/calls/{call}/withdraw", CHATTING.format(404)),
    "GET /api/turns/{id}": Row("/api/turns/{turn}", PRIVATE),
    "POST /api/turns/{id}/resume": Row(
        "/api/turns/{turn}/resume", "401 409 404 404 403 409 404 409 403 403 403 403"
    ),
    # Requests: {request} is put to the user alone, {routed} to approvers but not to the user.
    "GET /api/requests": Row("/api/requests", READING),
    "GET /api/requests/{id}": Row("/api/requests/{request}", PRIVATE),
    "GET /api/requests/{id}/card": Row("/api/requests/{request}/card", PRIVATE),
    "GET /api/requests/{id}/fields/{name}/options": Row(
        "/api/requests/{request}/fields/x/options",
        "401 404 404 404 403 403 403 403 403 404 403 403",
    ),
    "GET /api/requests/{id}/files": Row("/api/requests/{request}/files", PRIVATE),
    "POST /api/requests/{id}/files": Row("/api/requests/{request}/files", DECIDING.format(422)),
    "PUT /api/requests/{id}/files/{field}": Row("/api/requests/{request}/files/x", SENDING),
    "GET /api/requests/{id}/files/{key}": Row(
        f"/api/requests/{{request}}/files/{'0' * 64}", PRIVATE.replace("200", "404")
    ),
    "DELETE /api/requests/{id}/files/{field}/{key}": Row(
        f"/api/requests/{{request}}/files/x/{'0' * 64}", SENDING
    ),
    "PUT /requests/{id}/files/{field}": Row("/requests/{request}/files/x", SENDING),
    "GET /requests/{id}/files/{key}": Row(f"/requests/{{request}}/files/{'0' * 64}", NO_FILE),
    "GET /requests/{id}/files/{key}/picture": Row(
        f"/requests/{{request}}/files/{'0' * 64}/picture", NO_FILE
    ),
    "POST /api/requests/{id}/preview": Row(
        "/api/requests/{request}/preview",
        "401 409 404 404 403 403 403 403 403 409 403 403",
        {"verdict": "edit", "digest": "0" * 64, "edit": {}},
    ),
    "POST /api/decisions": Row("/api/decisions", DECIDING.format(422), {"decisions": []}),
    "POST /api/requests/{id}/decide": Row(
        "/api/requests/{request}/decide",
        "401 409 404 404 403 403 403 403 403 409 403 403",
        APPROVAL,
    ),
    "POST /api/requests/{id}/decide routed": Row(
        "/api/requests/{routed}/decide",
        "401 403 404 409 403 403 403 403 403 403 403 403",
        APPROVAL,
    ),
    "GET /api/requests/{id} routed": Row(
        "/api/requests/{routed}", "401 200 404 200 200 200 404 403 200 403 403 403"
    ),
    "POST /api/requests/{id}/cancel": Row(
        "/api/requests/{cancelled}/cancel", "401 409 404 404 403 403 403 403 403 409 403 403"
    ),
    # The catalogue, the policy, the record.
    "GET /api/agents": Row("/api/agents", READING),
    "GET /api/tools": Row("/api/tools", READING),
    "GET /api/tools/{name}": Row("/api/tools/look_up", READING),
    "PUT /api/tools/{name}/override": Row("/api/tools/look_up/override", MANAGING, {}),
    "DELETE /api/tools/{name}/override": Row("/api/tools/look_up/override", MANAGING),
    # Its tool is ours, and never changes by itself.
    "POST /api/tools/{name}/accept": Row(
        "/api/tools/look_up/accept", MANAGING.replace("200", "404"), {"definition": "0" * 64}
    ),
    "GET /api/policy": Row("/api/policy", "401 403 403 200 200 200 403 403 403 403 403 403"),
    "GET /api/audit": Row("/api/audit", "401 403 403 403 200 200 403 403 403 403 200 403"),
    "GET /api/events": Row("/api/events", READING),
    # People and keys.
    "GET /api/people": Row("/api/people", MANAGING),
    "POST /api/people": Row("/api/people", MANAGING.replace("200", "409"), {"id": "user"}),
    "GET /api/people/{id:path}": Row("/api/people/user", MANAGING),
    "PATCH /api/people/{id:path}": Row("/api/people/user", MANAGING, {}),
    "GET /api/keys": Row("/api/keys", MANAGING),
    "POST /api/keys": Row(
        "/api/keys", MANAGING.replace("200", "404"), {"person": "nobody", "scopes": ["read"]}
    ),
    "DELETE /api/keys/{id}": Row("/api/keys/nothing", MANAGING.replace("200", "404")),
    # Channels: what is one's own takes a credential that may do all that a chat may.
    "GET /api/me/chat-accounts": Row("/api/me/chat-accounts", OWN),
    "POST /api/me/chat-accounts": Row(
        "/api/me/chat-accounts", LINKING.format(422), {"code": "AAAAA-AAAAA"}
    ),
    "POST /api/me/chat-accounts/codes": Row(
        "/api/me/chat-accounts/codes", LINKING.format(404), {"channel": "nothing"}
    ),
    "POST /api/me/chat-accounts/invitations": Row(
        "/api/me/chat-accounts/invitations",
        LINKING.format(404),
        {"channel": "nothing", "address": "a@example.org"},
    ),
    "DELETE /api/me/chat-accounts/{channel}/{chat_id:path}": Row(
        "/api/me/chat-accounts/slack/U0", LINKING.format(404)
    ),
    "GET /api/me/notifications": Row("/api/me/notifications", OWN),
    "PUT /api/me/notifications": Row("/api/me/notifications", LINKING.format(200), {}),
    "GET /api/me/preferences": Row("/api/me/preferences", OWN),
    "PUT /api/me/preferences": Row(
        "/api/me/preferences",
        DECIDING.format(404),
        {"scope": "tool:nothing", "name": "nothing", "value": "x"},
    ),
    "DELETE /api/me/preferences/{id}": Row("/api/me/preferences/nothing", DECIDING.format(404)),
    "GET /api/me/stopped-suggestions": Row("/api/me/stopped-suggestions", OWN),
    "POST /api/me/stopped-suggestions": Row(
        "/api/me/stopped-suggestions",
        DECIDING.format(404),
        {"request_id": "nothing", "name": "nothing"},
    ),
    "DELETE /api/me/stopped-suggestions/{id}": Row(
        "/api/me/stopped-suggestions/nothing", DECIDING.format(404)
    ),
    "GET /api/me/rules": Row("/api/me/rules", OWN),
    "POST /api/me/rules": Row(
        "/api/me/rules", DECIDING.format(404), {"effect": "ask", "tool": "nothing"}
    ),
    "DELETE /api/me/rules/{id}": Row("/api/me/rules/nothing", DECIDING.format(404)),
    "GET /api/channels": Row("/api/channels", MANAGING),
    "DELETE /api/channels/{name}": Row("/api/channels/nothing", MANAGING.replace("200", "404")),
    "GET /api/deliveries": Row("/api/deliveries?request={request}", MANAGING),
    "GET /api/deliveries/dead": Row("/api/deliveries/dead", MANAGING),
    "POST /api/deliveries/dead/send-again": Row(
        "/api/deliveries/dead/send-again", MANAGING, {"channel": "nothing"}
    ),
    # Signed by the platform of a channel; there is none here.
    "POST /channels/{name}": Row("/channels/nothing", PUBLIC.replace("200", "404")),
    # Pages: who is not signed in is sent to do that.
    "GET /sw.js": Row("/sw.js", PUBLIC),
    "GET /static/{name}": Row("/static/app.css", PUBLIC),
    "GET /static/{version}/{name}": Row("/static/1/app.css", PUBLIC),
    "GET /": Row("/", READING.replace("401", "303").replace("200 403 200", "403 403 200")),
    "GET /waiting": Row(
        "/waiting", READING.replace("401", "303").replace("200 403 200", "403 403 200")
    ),
    "GET /batch": Row("/batch", "303 422 422 422 422 422 403 403 422 403 403 403"),
    "POST /batch": Row("/batch", "303 422 422 422 422 422 403 403 403 422 403 403"),
    "GET /batch/done": Row(
        "/batch/done?decided={request}", "303 200 404 404 200 200 403 403 200 403 403 403"
    ),
    "POST /settings/appearance": Row(
        "/settings/appearance", "303 303 303 303 303 303 403 303 303 303 303 303"
    ),
    "GET /requests/{id}": Row(
        "/requests/{request}", "303 200 404 404 200 200 403 403 200 403 403 403"
    ),
    "POST /requests/{id}": Row(
        "/requests/{request}", "303 422 404 404 422 422 403 403 403 422 403 403"
    ),
    "GET /chat": Row("/chat", READING.replace("401", "303").replace("200 403 200", "403 403 200")),
    "POST /chat": Row("/chat", "303 303 303 303 403 303 403 303 403 403 403 403"),
    "GET /chat/{id}": Row(
        "/chat/{idle}", PRIVATE.replace("401", "303").replace("404 403", "403 403")
    ),
    "POST /chat/{id}": Row("/chat/{idle}", "303 303 404 404 403 303 403 303 403 403 403 403"),
    # Put to the user alone, and no form: whoever sees it learns that.
    "POST /chat/{id}/requests/{request_id}": Row(
        "/chat/{waiting}/requests/{request}", "303 422 404 404 422 422 403 403 403 422 403 403"
    ),
    "POST /chat/{id}/stop": Row(
        "/chat/{idle}/stop", "303 409 404 404 403 409 403 409 403 403 403 403"
    ),
    "GET /insights": Row("/insights", "303 403 403 200 200 200 403 403 403 403 403 403"),
    "GET /insights/numbers.csv": Row(
        "/insights/numbers.csv", "303 403 403 200 200 200 403 403 403 403 403 403"
    ),
    "POST /chat/{id}/retry": Row(
        "/chat/{idle}/retry", "303 409 404 404 403 409 403 409 403 403 403 403"
    ),
    "GET /chat/{id}/events": Row(
        "/chat/{idle}/events?turn={turn}",
        PRIVATE.replace("401", "303").replace("404 403", "403 403"),
    ),
    "GET /history": Row(
        "/history", READING.replace("401", "303").replace("200 403 200", "403 403 200")
    ),
    "GET /history/export": Row(
        "/history/export", READING.replace("401", "303").replace("200 403 200", "403 403 200")
    ),
    "GET /history/{id}": Row(
        "/history/{call}", PRIVATE.replace("401", "303").replace("404 403", "403 403")
    ),
    "GET /audit": Row("/audit", "303 403 403 403 200 200 403 403 403 403 200 403"),
    "GET /audit/export": Row("/audit/export", "303 403 403 403 200 200 403 403 403 403 200 403"),
    # Tools, people, keys and oneself.
    "GET /tools": Row("/tools", READING_PAGE),
    "GET /tools/{name}": Row("/tools/look_up", READING_PAGE),
    "POST /tools/{name}": Row("/tools/look_up", MANAGING_PAGE.replace("200", "422")),
    "GET /people": Row("/people", MANAGING_PAGE),
    "POST /people": Row("/people", MANAGING_PAGE.replace("200", "422")),
    "GET /people/{id:path}": Row("/people/user", MANAGING_PAGE),
    "POST /people/{id:path}": Row("/people/user", MANAGING_PAGE.replace("200", "422")),
    "GET /keys": Row("/keys", MANAGING_PAGE),
    "POST /keys": Row("/keys", MANAGING_PAGE.replace("200", "422")),
    "GET /keys/{id}": Row("/keys/key_none", OWN_PAGE.replace("200", "404")),
    "POST /keys/{id}": Row("/keys/key_none", OWN_PAGE.replace("200", "404")),
    "GET /settings": Row("/settings", OWN_PAGE),
    "POST /settings/sessions": Row("/settings/sessions", OWN_PAGE.replace("200", "422")),
    "GET /settings/notifications": Row("/settings/notifications", OWN_PAGE),
    "POST /settings/notifications": Row(
        "/settings/notifications", LINKING.replace("401", "303").format(303)
    ),
    "POST /settings/chat-accounts": Row(
        "/settings/chat-accounts", LINKING.replace("401", "303").format(422)
    ),
    "GET /settings/preferences": Row("/settings/preferences", OWN_PAGE),
    "POST /settings/preferences": Row(
        "/settings/preferences", DECIDING.replace("401", "303").format(422)
    ),
    "GET /settings/rules": Row("/settings/rules", OWN_PAGE),
    "POST /settings/rules": Row("/settings/rules", DECIDING.replace("401", "303").format(422)),
    "GET /channels": Row("/channels", MANAGING_PAGE),
    "GET /chat/{id}/files/{key}": Row("/chat/{idle}/files/" + "0" * 64, NO_FILE),
    "GET /chat/{id}/files/{key}/picture": Row(
        "/chat/{idle}/files/" + "0" * 64 + "/picture", NO_FILE
    ),
    # Told to the page's script as JSON: an empty file is not kept.
    "PUT /chat/files": Row("/chat/files", "401 200 200 200 403 200 403 200 403 403 403 403"),
    "POST /channels": Row("/channels", MANAGING_PAGE.replace("200", "422")),
    # Chats of other frontends.
    "POST /api/chat": Row("/api/chat", "401 409 404 404 403 404 404 409 403 403 403 403", SAID),
    "GET /api/chat/{id}/stream": Row(
        "/api/chat/{idle}/stream", "401 204 204 204 403 204 204 204 403 403 403 403"
    ),
    "POST /api/qa/chat_streamed": Row(
        "/api/qa/chat_streamed", "401 409 404 404 403 404 404 409 403 403 403 403", SAID
    ),
    "POST /api/qa/chat_streamed/{thread_id}": Row(
        "/api/qa/chat_streamed/{waiting}",
        "401 409 404 404 403 404 404 409 403 403 403 403",
        SAID,
    ),
    "GET /api/qa/chat_streamed": Row(
        "/api/qa/chat_streamed?chatId={idle}", "401 200 200 200 403 200 200 200 403 403 403 403"
    ),
    "GET /api/qa/chat_streamed/{thread_id}": Row(
        "/api/qa/chat_streamed/{idle}", "401 200 200 200 403 200 200 200 403 403 403 403"
    ),
    "POST /api/qa/validate_tool": Row(
        "/api/qa/validate_tool",
        DECIDING.format(404),
        {"toolCallId": "call_none", "isValidated": True, "validatedInputs": {}},
    ),
    "PATCH /tools/{thread_id}/execute/{tool_call_id}": Row(
        "/tools/{waiting}/execute/call_none",
        DECIDING.format(404),
        {"validation": "accepted", "args": None, "feedback": None},
    ),
    "POST /api/tool-user-input": Row(
        "/api/tool-user-input",
        "401 200 404 404 404 404 403 403 403 200 403 403",
        {"action": "get_pending", "conversation_id": "{idle}"},
    ),
    "POST /agui": Row("/agui", CHATTING.format(422), {}),
    "POST /agui/{agent}": Row("/agui/agent", CHATTING.format(422), {}),
    # Signing in: for everybody, and it does nothing for a wrong credential.
    "GET /sign-in": Row("/sign-in", PUBLIC),
    "POST /sign-in": Row("/sign-in", PUBLIC.replace("200", "4xx")),
    "GET /sign-in/link/{token}": Row("/sign-in/link/nonsense", PUBLIC.replace("200", "any")),
    "POST /sign-in/link": Row("/sign-in/link", PUBLIC.replace("200", "4xx")),
    "GET /r/{token}": Row("/r/nonsense", PUBLIC.replace("200", "any")),
    "POST /r": Row("/r", PUBLIC.replace("200", "4xx")),
    "GET /stop/{token}": Row("/stop/nonsense", PUBLIC.replace("200", "4xx")),
    "POST /stop/{token}": Row("/stop/nonsense", PUBLIC.replace("200", "4xx")),
    "GET /sign-in/openid/{name}": Row("/sign-in/openid/none", PUBLIC.replace("200", "404")),
    "GET /sign-in/openid/{name}/callback": Row(
        "/sign-in/openid/none/callback", PUBLIC.replace("200", "4xx")
    ),
    "POST /sign-out": Row("/sign-out", SIGNED_IN.replace("200", "any")),
}


async def narrow(served: Served) -> dict[str, str]:
    """Keys of the same people that are good for one thing only."""
    root = Person("root", roles=frozenset({"admin"}))
    keys: dict[str, str] = {}
    for name in NARROW:
        person, _, scope = name.partition(":")
        _, keys[name] = await served.assent.people.issue_key(
            person, label="narrow", scopes=[Scope(scope)], by=root
        )
    return keys


async def scene(served: Served) -> dict[str, str]:
    """Things of the user's that every other credential is tried on."""
    user = served.client("user")
    idle = await ask(user, "hello")
    waiting = await pending(user, "delete_file a")
    routed = await pending(user, "run_command ls")
    cancelled = await pending(user, "delete_file b")
    await user.post(f"/api/requests/{cancelled['id']}/decide", json={"verdict": "reject"})
    return {
        "idle": idle["conversation_id"],
        "turn": idle["id"],
        "waiting": waiting["conversation_id"],
        "request": waiting["id"],
        "call": waiting["call_id"],
        "routed": routed["id"],
        "cancelled": cancelled["id"],
    }


def filled(value: Any, things: dict[str, str]) -> Any:
    """A body or a path with the ids of real things in it."""
    if isinstance(value, str):
        for name, id in things.items():
            value = value.replace("{" + name + "}", id)
        return value
    if isinstance(value, dict):
        return {name: filled(item, things) for name, item in value.items()}
    return [filled(item, things) for item in value] if isinstance(value, list) else value


async def status_of(
    client: httpx.AsyncClient, method: str, row: Row, things: dict[str, str]
) -> int:
    """Only the status: some of the answers are streams that never end."""
    body = None if row.body is None else filled(row.body, things)
    request = client.build_request(method, filled(row.path, things), json=body)
    response = await client.send(request, stream=True)
    await response.aclose()
    return response.status_code


def fits(expected: str, status: int) -> bool:
    """Whether a cell is as listed; "any" where only that it is no error of ours matters."""
    if expected == "any":
        return status < 500
    return str(status).startswith("4") if expected == "4xx" else expected == str(status)


def listed() -> set[str]:
    """Every method and path that the app serves."""
    found = {"GET /openapi.json"}
    for route in ROUTES:
        methods: set[str] = getattr(route, "methods", None) or set()
        path: str = getattr(route, "path", "")
        found |= {f"{method} {path}" for method in methods - {"HEAD"}}
    return found


# requirement: T15
def test_every_route_has_a_row_in_the_matrix() -> None:
    rows = {" ".join(name.split()[:2]) for name in ROWS}
    assert listed() <= rows, f"nobody listed {sorted(listed() - rows)}"


# requirement: T15
def test_agents_have_no_path_to_decisions_policy_people_or_keys() -> None:
    closed = ("/decide", "/cancel", "/override", "/policy", "/people", "/keys", "/audit")
    closed += ("/api/channels", "/api/deliveries", "/chat-accounts", "/notifications")
    closed += ("validate_tool", "/execute/", "tool-user-input")
    for name, need in ACCESS.items():
        reads_own = name == "GET /api/conversations/{id}/audit"
        if any(part in name for part in closed) and not reads_own:
            assert PersonKind.AGENT not in need.kinds, name
        if need.scope in (Scope.DECIDE, Scope.MANAGE, Scope.AUDIT):
            assert PersonKind.AGENT not in need.kinds, name


# requirement: T15
async def test_the_matrix_holds(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        things = await scene(served)
        served.keys |= await narrow(served)
        wrong: list[str] = []
        for column in COLUMNS:
            client = served.client(None if column == "anonymous" else column)
            for name, row in ROWS.items():
                if " ".join(name.split()[:2]) not in listed():
                    continue
                expected = row.statuses.split()[COLUMNS.index(column)]
                status = await status_of(client, name.split()[0], row, things)
                if not fits(expected, status):
                    wrong.append(f"{name} as {column}: {status}, not {expected}")
        assert not wrong, "\n".join(wrong)


# requirement: W18
# conformance: 133
async def test_a_stranger_cannot_tell_what_is_somebody_elses_from_what_is_not_there(
    serve: Serve,
) -> None:
    def seen(response: httpx.Response) -> tuple[int, bytes, dict[str, str]]:
        unlike = {"date", "x-request-id"}
        headers = {name: value for name, value in response.headers.items() if name not in unlike}
        return response.status_code, response.content, headers

    async with serve(script, *Desk().tools) as served:
        things = await scene(served)
        stranger = served.client("stranger")
        compared = 0
        for number, (name, row) in enumerate(ROWS.items()):
            # Others each time: a chat creates the conversation whose id is not there yet.
            missing = dict.fromkeys(things, f"none_{number}")
            about = any("{" + thing + "}" in f"{row.path}{row.body}" for thing in things)
            if " ".join(name.split()[:2]) not in listed() or not about:
                continue
            method = name.split()[0]
            answers = [
                await stranger.request(
                    method,
                    filled(row.path, names),
                    json=None if row.body is None else filled(row.body, names),
                )
                for names in (things, missing)
            ]
            if answers[1].status_code == 200 and method == "POST":
                continue
            assert seen(answers[0]) == seen(answers[1]), name
            compared += 1
        assert compared >= 12


# conformance: 133
async def test_who_one_is_comes_from_the_credential_never_from_the_body(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        stranger = served.client("stranger", **{"X-User": "user", "X-Forwarded-User": "user"})
        assert (await stranger.get("/api/me")).json()["id"] == "stranger"
        body = {"agent": "agent", "owner": "user", "user_id": "user"}
        assert (await stranger.post("/api/conversations", json=body)).status_code == 422
        id = await conversation(stranger)
        assert (await served.client().get(f"/api/conversations/{id}")).status_code == 404


async def test_a_credential_that_does_not_hold_is_nobody(serve: Serve) -> None:
    async with serve(script) as served:
        for header in ("", "Bearer", "Bearer x", "Basic dXNlcjpwYXNz", "Bearer assent_0_0"):
            client = served.client(None, Authorization=header)
            answer = await client.get("/api/conversations")
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"].startswith("Bearer")
            assert answer.json()["code"] == "not_authenticated"
