"""The inbox of requests, and decisions about them."""

import asyncio
from collections.abc import Awaitable
from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Query
from pydantic import Field

from assent.domain.decisions import Cancel
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.paging import RequestFilter
from assent.domain.tools import Risk
from assent.engine.decisions import attempts
from assent.engine.queries.listing import Inbox
from assent.engine.queries.requests import ARGUMENTS_MAX
from assent.engine.queries.visibility import sees_everything
from assent.errors import NotEligible, NotFound
from assent.server.api import schemas
from assent.server.api.request_detail import RequestDetail
from assent.server.api.routing import After, Id, IdFilter, Key, Limit, NativeApi, Word, place
from assent.server.api.schemas import Shape, page
from assent.server.api.verdicts import (
    EXAMPLES,
    Batch,
    CancelBody,
    Decided,
    Outcome,
    Outcomes,
    Verdict,
    verdict_of,
)
from assent.server.caller import Caller
from assent.server.problems import facts_of
from assent.server.service import CallerDep, Service, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["requests"])

Status = Annotated[RequestStatus | Literal["any"], Query(description="`any` for all of them.")]
Mine = Annotated[bool, Query(description="Only what you may decide yourself.")]
Order = Annotated[
    Literal["newest", "danger"],
    Query(description="`danger`: of the open ones the most dangerous first."),
]
InShort = Annotated[bool, Query(description="With their arguments on one line, as `in_short`.")]
Role = Annotated[
    str | None, Query(pattern=r"^[A-Za-z0-9._:/-]{1,64}$", description="Put to this role.")
]


class ListedRequest(schemas.Request):
    """A request in a list; its arguments on one line are not enough to decide by."""

    in_short: str | None = Field(
        default=None, description="If asked for: safe text. Null: too long for a list."
    )


class RequestPage(Shape):
    """A page of requests, in the order that was asked for."""

    items: list[ListedRequest]
    next: str | None = Field(description="Send it as `after` for the next page; null: the end.")


@router.get("/api/requests", operation_id="list_requests")
async def inbox(
    service: ServiceDep,
    caller: CallerDep,
    *,
    status: Status = RequestStatus.OPEN,
    kind: RequestKind | None = None,
    tool: Word = None,
    risk: Risk | None = None,
    agent: Word = None,
    conversation: IdFilter = None,
    role: Role = None,
    mine: Mine = False,
    order: Order = "newest",
    in_short: InShort = False,
    limit: Limit = 50,
    after: After = None,
) -> RequestPage:
    """List the requests of your conversations and those that you may decide, newest first."""
    box = Inbox(
        person=caller.person,
        wanted=RequestFilter(
            status=None if status == "any" else status,
            kind=kind,
            tool=tool,
            risk=risk,
            agent=agent,
            conversation_id=conversation,
        ),
        everything=sees_everything(caller.person),
        mine=mine,
        role=role,
        by_danger=order == "danger",
    )
    if in_short:
        return await _in_short(service, box, after, limit)
    found = await service.assent.queries.requests.page(box, after=place(after), limit=limit)
    items = [ListedRequest(**schemas.facts(each, caller.person)) for each in found.items]
    return RequestPage(items=items, next=page(found))


async def _in_short(service: Service, box: Inbox, after: str | None, limit: int) -> RequestPage:
    assent = service.assent
    found = await assent.queries.requests.inbox(
        box, after=place(after), limit=limit, longest=ARGUMENTS_MAX
    )
    # In a thread: two hundred arguments of models take long to lay out and would block others.
    lines = await asyncio.to_thread(found.in_short, assent.catalogue)
    items = [
        ListedRequest(**schemas.facts(each, box.person), in_short=lines[each.id])
        for each in found.requests
    ]
    return RequestPage(items=items, next=None if found.next is None else str(found.next))


@router.get("/api/requests/{id}", operation_id="read_request")
async def show(id: Id, service: ServiceDep, caller: CallerDep) -> RequestDetail:
    """Return one request with its exact arguments, their history, and the digest for a decision."""
    rows = await service.assent.queries.requests.rows(caller.person, id)
    # In a thread, because arguments and their history may be large.
    return await asyncio.to_thread(RequestDetail.whole, rows, caller.person)


@router.post("/api/decisions", operation_id="decide_requests")
async def decide_all(
    body: Batch, service: ServiceDep, caller: CallerDep, idempotency_key: Key = None
) -> Outcomes:
    """Decide several requests; each has its own outcome, but a contradiction decides nothing."""
    said = [(one.request_id, verdict_of(one.decision)) for one in body.decisions]
    digests = {one.request_id: one.decision.digest for one in body.decisions if one.decision.digest}
    shown = {one.request_id: one.decision.shown for one in body.decisions if one.decision.shown}
    outcomes = await service.assent.decide_all(
        said,
        by=caller.person,
        channel=caller.channel,
        digests=digests,
        shown=shown,
        idempotency_key=idempotency_key,
    )
    return Outcomes(outcomes=[await _reported(service, caller, each) for each in outcomes])


@router.post("/api/requests/{id}/decide", operation_id="decide_request")
async def decide(
    id: Id,
    body: Annotated[Verdict, Body(openapi_examples=EXAMPLES)],
    service: ServiceDep,
    caller: CallerDep,
    idempotency_key: Key = None,
) -> Decided:
    """Decide a request. The decision is durable when this responds; the turn goes on by itself.

    An approval carries the `digest` of what was seen. A decision that is too late gets a 409 with
    the state that won.
    """
    made = service.assent.decide(
        id,
        verdict_of(body),
        by=caller.person,
        digest=body.digest,
        shown=body.shown,
        channel=caller.channel,
        idempotency_key=idempotency_key,
    )
    return _decided(await _seen(made, service, caller, id))


@router.post("/api/requests/{id}/cancel", operation_id="cancel_request")
async def cancel(
    id: Id,
    service: ServiceDep,
    caller: CallerDep,
    body: CancelBody | None = None,
    idempotency_key: Key = None,
) -> Decided:
    """Withdraw the call; open to people who may decide it and to the conversation's owner."""
    made = service.assent.decide(
        id,
        Cancel(reason=body.reason if body else ""),
        by=caller.person,
        channel=caller.channel,
        idempotency_key=idempotency_key,
    )
    return _decided(await _seen(made, service, caller, id))


async def _seen(
    made: Awaitable[attempts.Decided], service: Service, caller: Caller, id: str
) -> attempts.Decided:
    """Return the decision; raises `NotEligible` for callers who may only read the request.

    For callers who may not even read it, it stays `NotFound`.
    """
    try:
        return await made
    except NotFound:
        await service.assent.queries.requests.get(caller.person, id)
        raise NotEligible(id, caller.person.id) from None


async def _reported(service: Service, caller: Caller, outcome: attempts.DecisionOutcome) -> Outcome:
    error = outcome.error
    if error is None and outcome.decided is not None:
        return Outcome(request_id=outcome.request_id, decided=_decided(outcome.decided))
    if isinstance(error, NotFound):
        try:
            await service.assent.queries.requests.get(caller.person, outcome.request_id)
            error = NotEligible(outcome.request_id, caller.person.id)
        except NotFound as missing:
            error = missing
    if error is None:
        raise AssertionError("an outcome is decided or has an error")
    return Outcome(request_id=outcome.request_id, problem=schemas.Problem(**facts_of(error)[1]))


def _decided(decided: attempts.Decided) -> Decided:
    return Decided(**asdict(decided))
