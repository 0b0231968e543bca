"""The OpenAPI document: FastAPI's description of the routes, plus permissions and refusals."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.routing import BaseRoute

from assent.server.access import Need
from assent.server.api.schemas import Problem
from assent.server.guard import GuardedApi

Operation = dict[str, Any]
_ABOUT = """\
Assent puts people in charge of what AI agents do. Lists are newest first and come in pages: send
the `next` of one as `after` for the following one. Every refusal is `application/problem+json` with
a stable `code`. Repeat messages and decisions safely with an
`Idempotency-Key`.
"""
_TAGS = {
    "conversations": "A thread of messages with one owner, and what its agent did in it.",
    "turns": "One run of an agent's loop, from a message to the next pause or answer.",
    "requests": "What people are asked about calls, and their decisions.",
    "values": "What a conversation remembers of people's answers.",
    "tools": "What agents can call, and how calls are treated here.",
    "policy": "The rules that turn a call into allow, ask or deny.",
    "audit": "Who did what.",
    "people": "Who somebody is, and what they may do.",
    "keys": "API keys.",
    "notifications": "Where you are reached, and what you want to hear of.",
    "own rules": "What you want to be asked about in your own conversations.",
    "preferences": "What you keep for all your conversations.",
    "channels": "Ways to reach people, and what could not be delivered.",
    "files": "What people upload for requests and messages.",
    "health": "For load balancers and operators.",
}
_SCHEMES: dict[str, Any] = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key, or a token of the deployment's identity provider.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "__Host-assent",
        "description": "A browser's session; POSTs with it carry a CSRF token too.",
    },
}
_REFUSALS = {
    400: "The request cannot be read.",
    401: "No credential, or one that does not hold.",
    403: "This credential or person may not do that.",
    404: "There is nothing here, or it is not yours to see: the two look the same.",
    409: "It does not fit the state that the record is in; `state` is the one that won.",
    413: "The body is too large.",
    422: "What was sent does not have its shape, or breaks a rule; nothing changed.",
    429: "Too much, or too fast; nothing was started.",
    503: "The database or the worker does not answer; nothing changed, unless `code` is "
    "`write_uncertain`: repeat it with the same idempotency key to find out.",
}
_PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
# Operations whose body names something that may not exist.
_NAMING = frozenset(
    {
        "set_preference",
        "add_own_rule",
        "stop_suggesting",
        "create_conversation",
        "add_person",
        "issue_key",
        "make_chat_account_code",
        "invite_chat_account",
        "send_dead_letters_again",
    }
)


def install(app: FastAPI) -> None:
    """Make the app serve our OpenAPI document."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = openapi


def _document(app: FastAPI) -> dict[str, Any]:
    tags = [{"name": name, "description": about} for name, about in _TAGS.items()]
    document = get_openapi(
        title=app.title, version=app.version, description=_ABOUT, routes=app.routes, tags=tags
    )
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SCHEMES
    schemas = components.setdefault("schemas", {})
    schemas.setdefault("Problem", Problem.model_json_schema())
    # FastAPI's own schemas of a validation error: here it is a problem like every other.
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for need, operation in _operations(document, app.routes):
        _describe(operation, need)
    return document


def _operations(
    document: dict[str, Any], routes: list[BaseRoute]
) -> Iterator[tuple[Need, Operation]]:
    for route in routes:
        if isinstance(route, GuardedApi) and route.include_in_schema:
            for method, need in route.needs.items():
                yield need, document["paths"][route.path_format][method.lower()]


def _describe(operation: Operation, need: Need) -> None:
    operation["security"] = [] if need.public else [{name: []} for name in _SCHEMES]
    if need.scope is not None:
        operation["x-assent-scope"] = need.scope
    if need.roles:
        operation["x-assent-roles"] = sorted(need.roles)
    # The first line of the docstring says more than the name of the function.
    operation["summary"] = operation["description"].split("\n")[0].split(". ")[0].rstrip(".")
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _given(parameter["schema"])
    responses = operation["responses"]
    for status in sorted(_statuses(operation, need)):
        responses[str(status)] = {"description": _REFUSALS[status], "content": _PROBLEM}


def _given(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter without null, which a URL or a header cannot express."""
    alternatives: list[dict[str, Any]] = schema.get("anyOf", [])
    if {"type": "null"} not in alternatives:
        return schema
    [given] = [each for each in alternatives if each != {"type": "null"}]
    return {name: value for name, value in schema.items() if name != "anyOf"} | given


def _statuses(operation: Operation, need: Need) -> set[int]:
    parameters: list[dict[str, Any]] = operation.get("parameters", [])
    found = set[int]() if operation["operationId"] == "alive" else {503}
    if not need.public:
        found |= {401, 403, 429}
    if parameters or "requestBody" in operation:
        found.add(422)
    if any(each["in"] == "path" for each in parameters) or operation["operationId"] in _NAMING:
        found.add(404)
    if "requestBody" in operation:
        found |= {400, 413}
    if "requestBody" in operation or operation["operationId"] in _CHANGING:
        found.add(409)
    return found


_CHANGING = frozenset(
    {
        "stop_conversation",
        "resume_turn",
        "clear_values",
        "restore_tool",
        "remove_channel",
        "find_options",
        "remove_file",
    }
)
