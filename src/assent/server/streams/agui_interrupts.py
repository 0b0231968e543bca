"""Requests as AG-UI interrupts, with the schema of their answers."""

from ag_ui.core import Interrupt

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.lifecycle import RequestKind
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.domain.verdicts import offers
from assent.server.input_forms import schema_of, user_input_request
from assent.server.streams.protocol import question

_REASONS = {
    RequestKind.APPROVAL: "tool_call",
    RequestKind.INPUT: "input_required",
    RequestKind.RESULT: "input_required",
    RequestKind.OUTCOME: "confirmation",
}
_MESSAGES = {
    RequestKind.APPROVAL: "Shall {tool} run?",
    RequestKind.INPUT: "{tool} needs your input",
    RequestKind.RESULT: "What is the result of {tool}?",
    RequestKind.OUTCOME: "Did {tool} run? That is not known",
}
# With one more keyword in it, assistant-ui would show no buttons.
APPROVAL_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "editedArgs": {"type": "object", "description": "Replaces all arguments; not merged"},
        "reason": {"type": "string"},
    },
    "required": ["approved"],
}
OUTCOME_SCHEMA: dict[str, Json] = {
    "type": "object",
    "properties": {
        "outcome": {"enum": [row.verb for row in offers(RequestKind.OUTCOME)]},
        "result": {"description": "What it answered, if it ran"},
        "reason": {"type": "string"},
    },
    "required": ["outcome"],
}


def interrupt_of(
    request: Request,
    call: Call | None,
    tool: EffectiveTool | None,
    *,
    viewer: Person,
    base: str = "",
    mine: bool | None = None,
) -> Interrupt:
    """Return an open request as an interrupt for the reader; `mine` is passed on to `question`."""
    deadline = request.decide_by
    return Interrupt(
        id=request.id,
        reason=_REASONS[request.kind],
        message=_message(request),
        tool_call_id=request.call_id,
        response_schema=_schema(request, tool),
        expires_at=None if deadline is None else deadline.isoformat(),
        metadata=_metadata(request, call, question(request, viewer, base=base, mine=mine), viewer),
    )


def _message(request: Request) -> str:
    asked = request.question
    text = asked.text or _MESSAGES[request.kind].format(tool=request.tool)
    return f"{text} ({asked.reason})" if asked.reason else text


def _schema(request: Request, tool: EffectiveTool | None) -> dict[str, Json]:
    match request.kind:
        case RequestKind.APPROVAL:
            return _with_typing(APPROVAL_SCHEMA, request)
        case RequestKind.INPUT:
            return schema_of(request)
        case RequestKind.OUTCOME:
            return _with_typing(OUTCOME_SCHEMA, request)
        case RequestKind.RESULT:
            output = None if tool is None else tool.tool.output
            return {} if output is None else dict(output.schema)


def _with_typing(schema: dict[str, Json], request: Request) -> dict[str, Json]:
    """Return the schema of an answer that has to be confirmed by typing a value."""
    properties = schema["properties"]
    if request.confirmation is not Confirmation.TYPED or not isinstance(properties, dict):
        return schema
    typed: Json = {"type": "string", "description": "What a person typed to confirm it"}
    return {**schema, "properties": {**properties, "typed": typed}}


def _metadata(request: Request, call: Call | None, told: Json, viewer: Person) -> dict[str, Json]:
    """Return further facts; the arguments are those that would run, with edits and answers."""
    known: dict[str, Json] = {}
    if isinstance(told, dict):
        known |= {name: value for name, value in told.items() if value is not None}
    if request.kind is RequestKind.INPUT:
        form = user_input_request(request, viewer)
        known |= {"requires_user_input": True, "user_input_request": form}
    if call is not None and call.revision == request.revision:
        known["arguments"] = call.arguments.thaw()
    return known
