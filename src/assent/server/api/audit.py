"""The record, for auditors."""

from fastapi import APIRouter

from assent.domain.paging import EntryFilter
from assent.engine.queries import listing
from assent.server.api import shapes
from assent.server.api.parameters import After, IdFilter, Limit, Word, place
from assent.server.api.shapes import page
from assent.server.api.strict import NativeApi
from assent.server.masks import secrets_of
from assent.server.service import ServiceDep

router = APIRouter(route_class=NativeApi, tags=["audit"])


@router.get("/api/audit", operation_id="read_audit")
async def index(
    service: ServiceDep,
    *,
    conversation: IdFilter = None,
    call: IdFilter = None,
    request: IdFilter = None,
    actor: Word = None,
    action: Word = None,
    limit: Limit = 50,
    after: After = None,
) -> shapes.EntryPage:
    """Who did what, refused attempts included, newest first."""
    begin = place(after)
    wanted = EntryFilter(
        conversation_id=conversation, call_id=call, request_id=request, actor=actor, action=action
    )
    found = await service.assent.kernel.store.run(
        lambda tx: listing.entries(tx, wanted, after=begin, limit=limit)
    )
    secrets = secrets_of(service.assent.kernel.catalogue)
    items = [shapes.Entry.of(entry, secrets) for entry in found.items]
    return shapes.EntryPage(items=items, next=page(found))
