"""Requests as frontends need them: the data to show, fill in and decide one."""

from assent.domain.canonical import Json
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import Preview


def question(
    request: Request,
    viewer: Person,
    status: RequestStatus | None = None,
    *,
    base: str = "",
    mine: bool | None = None,
) -> Json:
    """Return a request for a data part or a descriptor; it is decided at `decideAt`.

    `mine` tells if the reader may decide it; None takes the answer from the request's audience.
    """
    asked = request.question
    return {
        "requestId": request.id,
        "toolCallId": request.call_id,
        "toolName": request.tool,
        "kind": request.kind,
        "status": status or request.status,
        "mine": request.admits(viewer) if mine is None else mine,
        "quorum": request.quorum,
        "votes": request.votes,
        "risk": request.risk,
        "confirmation": request.confirmation,
        "reason": asked.reason,
        "question": asked.text,
        "preview": _preview(asked.preview),
        "metadata": dict(asked.metadata),
        "fields": fields_of(request),
        "prefilled": prefilled_of(request),
        "digest": request.digest,
        "revision": request.revision,
        "decideBy": None if request.decide_by is None else request.decide_by.isoformat(),
        "decideAt": f"{base}/api/requests/{request.id}/decide",
    }


def fields_of(request: Request) -> Json:
    """Return the fields to fill in; an empty list if the request has no form."""
    form = request.question.form
    return [] if form is None else form["fields"]


def prefilled_of(request: Request) -> dict[str, Json]:
    """Return the values that are filled in already; of a secret not even its reference."""
    form = request.question.form
    secrets = UserInput.from_json(form).secrets if form else frozenset[str]()
    return {n: value for n, value in request.question.prefilled.items() if n not in secrets}


def _preview(preview: Preview | None) -> Json:
    if preview is None:
        return None
    return {
        "text": preview.text,
        "before": preview.before,
        "after": preview.after,
        "failed": preview.failed,
    }
