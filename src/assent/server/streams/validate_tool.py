"""Two endpoints for AI SDK 4 frontends that decide by call id and return the result.

They hold no logic of their own: both end in `Assent.decide`.
"""

import json
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, TypeAdapter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assent.domain import requests
from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.decisions import Approve, Arguments, Reject, approve, reject
from assent.domain.lifecycle import RequestKind
from assent.domain.outputs import as_text
from assent.engine.gate.intake import edited
from assent.engine.queries.requests import AskedCall, current
from assent.errors import (
    ConfirmationRequired,
    EditRefused,
    InvalidArguments,
    InvalidJson,
    StaleDigest,
)
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.service import Service, service_of
from assent.server.streams.bodies import Body, CamelBody, Id, body_of, id_in_path

Feedback = Annotated[str, Field(max_length=10_000)]


class Validation(CamelBody):
    """A posted validation; inputs that are absent, null or "" leave the call unchanged."""

    # An edit under an unknown name must not approve the arguments that were there before.
    model_config = ConfigDict(extra="forbid")

    tool_call_id: Id
    is_validated: bool
    validated_inputs: dict[str, Any] | str | None = None
    feedback: Feedback | None = None
    typed: Feedback | None = None

    @property
    def verdict(self) -> Approve | Reject:
        """The same verdict as the engine takes it; the inputs of a rejection are ignored."""
        if self.is_validated:
            return approve(_unless_blank(self.validated_inputs), typed=self.typed)
        return reject(self.feedback or "")


class Execution(Body):
    """The body that the frontend of the Python backend posts."""

    model_config = ConfigDict(extra="forbid")

    validation: Literal["accepted", "rejected"]
    args: str | None = None
    feedback: Feedback | None = None
    typed: Feedback | None = None

    @property
    def verdict(self) -> Approve | Reject:
        """The same verdict as the engine takes it."""
        if self.validation == "accepted":
            return approve(_unless_blank(self.args), typed=self.typed)
        return reject(self.feedback or "")


def _unless_blank(arguments: Arguments | None) -> Arguments | None:
    # An empty text is how these frontends say "unchanged"; an empty object means empty arguments.
    return None if arguments == "" else arguments


_VALIDATION = TypeAdapter(Validation)
_EXECUTION = TypeAdapter(Execution)


async def validate_tool(request: Request) -> Response:
    """Handle `POST /api/qa/validate_tool`: decide, then wait a while for the outcome."""
    body = await body_of(request, _VALIDATION)
    call = await _decided(request, body.verdict, body.tool_call_id)
    if not call.is_settled:
        return JSONResponse({"success": True, "status": call.status}, 202)
    return JSONResponse({"success": True, "result": _content(call)})


async def execute(request: Request) -> Response:
    """Handle `PATCH /tools/{thread_id}/execute/{tool_call_id}`, in the Python backend's format."""
    body = await body_of(request, _EXECUTION)
    thread_id, call_id = id_in_path(request, "thread_id"), id_in_path(request, "tool_call_id")
    try:
        call = await _decided(request, body.verdict, call_id, thread_id)
    except (InvalidArguments, EditRefused, ConfirmationRequired) as error:
        # Nothing was decided: the frontend shows this text and lets the person try again.
        return JSONResponse({"status": "validation-error", "content": str(error)})
    if not call.is_settled:
        return JSONResponse({"status": call.status, "content": None}, 202)
    return JSONResponse({"status": "done", "content": _content(call)})


async def _decided(
    request: Request, verdict: Approve | Reject, call_id: str, thread_id: str | None = None
) -> Call:
    service, caller = service_of(request), caller_of(request)
    matter = await service.assent.queries.requests.asked_call(
        caller.person, call_id, conversation_id=thread_id
    )
    asked = _asked(service, matter, verdict)
    decided = await service.assent.decide(
        asked.id, verdict, by=caller.person, digest=asked.digest, channel=caller.channel
    )
    # A stopping process ends this wait early.
    return await service.assent.following.call(
        decided.call_id,
        decided.turn_id,
        patience=service.settings.patience,
        is_over=lambda: service.live.is_over,
    )


def _asked(service: Service, matter: AskedCall, verdict: Approve | Reject) -> requests.Request:
    """Return the approval that is meant; a call that was never gated has none and does not run."""
    approvals = matter.of_kind(RequestKind.APPROVAL)
    asked = current(approvals)
    # A call id does not say which revision was on the screen; arguments sent back with it do.
    is_ambiguous = asked.is_open and asked.revision != approvals[0].revision
    if isinstance(verdict, Approve) and is_ambiguous and not _shows(service, matter.call, verdict):
        raise StaleDigest(asked.id)
    return asked


def _shows(service: Service, call: Call, verdict: Approve) -> bool:
    """Return True if an approval carries the arguments that would run now."""
    tool = service.assent.catalogue.tool(call.agent, call.tool)
    sent = verdict.arguments
    if tool is None or sent is None:
        return False
    try:
        return edited(tool, sent, call.arguments) is None
    except (InvalidArguments, InvalidJson):
        return False


def _content(call: Call) -> str:
    output: Json = None if call.output is None else json.loads(call.output)
    match output:
        case {"error": str(text), **rest} if not rest:
            return text
        case _:
            return as_text(output)


routes = [
    GuardedRoute("/api/qa/validate_tool", validate_tool, methods=["POST"]),
    GuardedRoute("/tools/{thread_id}/execute/{tool_call_id}", execute, methods=["PATCH"]),
]
