"""The audit record, for auditors."""

from fastapi import APIRouter

from assent.domain.paging import EntryFilter
from assent.server.api import schemas
from assent.server.api.routing import After, IdFilter, Limit, NativeApi, Word, place
from assent.server.api.schemas import page
from assent.server.redaction import secrets_of
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
) -> schemas.EntryPage:
    """List the audit entries, refused attempts included, newest first."""
    begin = place(after)
    wanted = EntryFilter(
        conversation_id=conversation, call_id=call, request_id=request, actor=actor, action=action
    )
    found = await service.assent.queries.record.entries(wanted, after=begin, limit=limit)
    secrets = secrets_of(service.assent.catalogue)
    items = [schemas.Entry.of(entry, secrets) for entry in found.items]
    return schemas.EntryPage(items=items, next=page(found))
