"""Input requests for frontends: in the form of `/api/tool-user-input`, and as a JSON schema."""

from collections.abc import Mapping

from assent.domain.canonical import Json
from assent.domain.fields import Field
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.suggestions import Suggestion

_STATUS = {RequestStatus.OPEN: "pending", RequestStatus.ANSWERED: "completed"}


def input_request(request: Request, viewer: Person) -> dict[str, Json]:
    """Return the request as `/api/tool-user-input` lists it, without what people answered."""
    closed = request.closed_at
    return {
        "id": request.id,
        "conversation_id": request.conversation_id,
        **user_input_request(request, viewer),
        "status": _STATUS.get(request.status, "cancelled"),
        "created_at": request.created_at.isoformat(),
        "completed_at": None if closed is None else closed.isoformat(),
        "expires_at": None if request.decide_by is None else request.decide_by.isoformat(),
    }


def user_input_request(request: Request, viewer: Person | None = None) -> dict[str, Json]:
    """Return the `user_input_request` of a message that waits for input.

    Suggestions are there if the viewer is the person whose earlier calls they come from.
    """
    form = form_of(request)
    found = {} if viewer is None else request.suggestions_for(viewer.id)
    fields: list[Json] = [_field(item, request, found.get(item.name)) for item in form.fields]
    told: dict[str, Json] = {
        "tool_name": request.tool,
        "tool_call_id": request.call_id,
        "reason": form.reason,
        "required_fields": fields,
        "save_for_session": form.save,
        **({"save_for_person": True} if form.for_person else {}),
    }
    return {**told, "steps": steps_of(form)} if form.steps else told


def steps_of(form: UserInput) -> list[Json]:
    """Return the steps beside the fields: each with its title, and the names of its fields."""
    return [
        {
            "title": step.title,
            "fields": [item.name for item in step.fields],
            **({"description": step.help} if step.help else {}),
        }
        for step in form.steps
    ]


def form_of(request: Request) -> UserInput:
    """Return the form of an input request."""
    return UserInput.from_json(request.question.form or {})


def upload_path(request: Request, item: Field) -> str:
    """Return where a frontend sends a file for a field; the response is the answer to it."""
    return f"/api/requests/{request.id}/files/{item.name}"


def _field(item: Field, request: Request, suggestion: Suggestion | None) -> dict[str, Json]:
    """Return the field, renamed where `/api/tool-user-input` has other names than ours."""
    told, known = item.to_json(), request.question.prefilled
    if item.kind.takes_files:
        told["upload"] = upload_path(request, item)
    told["required"] = item.required
    for ours, theirs in (("help", "description"), ("pattern", "validation")):
        if ours in told:
            told[theirs] = told.pop(ours)
    if item.choices:
        told["options"] = [option.value for option in item.choices]
        told["option_labels"] = {o.value: o.label for o in item.choices if o.label}
    if item.name in known and not item.kind.is_secret:
        told["value"] = known[item.name]
    if item.name in request.question.origins:
        told["origin"] = request.question.origins[item.name]
    if suggestion is not None:
        told["suggestion"] = suggestion.to_json()
    return told


def schema_of(request: Request) -> dict[str, Json]:
    """Return a JSON schema of the answers, as far as a schema can describe them."""
    form = form_of(request)
    known = request.question.prefilled
    required: list[Json] = [item.name for item in form.fields if _is_wanted(item, known)]
    properties: dict[str, Json] = {item.name: _property(item, request) for item in form.fields}
    told: dict[str, Json] = {
        "type": "object",
        "description": form.reason,
        "properties": properties,
        "required": required,
    }
    # A keyword of ours: validators and renderers that do not know it take the form as one page.
    return {**told, "x-steps": steps_of(form)} if form.steps else told


def _is_wanted(item: Field, known: Mapping[str, Json]) -> bool:
    # A conditional field is required only while it is visible; the server reports it if it is
    # missing.
    is_always_shown = item.show_if is None
    return item.required and is_always_shown and item.default is None and item.name not in known


def _property(item: Field, request: Request) -> dict[str, Json]:
    known = request.question.prefilled
    told: dict[str, Json] = {"title": item.label, **item.kind.schema(item)}
    if item.kind.takes_files:
        told["x-assent-upload"] = upload_path(request, item)
    if item.help:
        told["description"] = item.help
    default = item.default if item.kind.is_secret else known.get(item.name, item.default)
    if default is not None:
        told["default"] = default
    if item.placeholder:
        told["examples"] = [item.placeholder]
    return told
