"""Conversations: their messages, their turns, and the answers that they remember."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import AliasChoices, ConfigDict, Field

from assent.domain.attachments import MOST_MESSAGE_FILES, attachment
from assent.domain.calls import Call
from assent.domain.forms import SavedValue
from assent.domain.lifecycle import ConversationStatus
from assent.engine.queries import listing
from assent.engine.queries.snapshots import Turn
from assent.engine.queries.visibility import sees_everything
from assent.engine.threads import offload
from assent.errors import NothingAwaited
from assent.server.api import schemas
from assent.server.api.routing import After, Id, IdFilter, Key, Limit, NativeApi, Word, at, place
from assent.server.api.schemas import Given, Shape, page, thread_shape, turn_shape
from assent.server.redaction import secrets_of
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["conversations"])
values_router = APIRouter(route_class=NativeApi, tags=["values"])
ValueScope = Annotated[
    str | None,
    Query(pattern=r"^[A-Za-z0-9_.:-]{1,100}$", description="Of one tool or family; else of all."),
]


class NewConversation(Given):
    """A conversation to create; `agent` names the agent to talk to."""

    agent: str = Field(min_length=1, max_length=200, examples=["files"])


class SentFile(Given):
    """A file of a message, as its upload was answered; only its content counts."""

    model_config = ConfigDict(extra="ignore")

    name: str = Field(max_length=1_000)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class NewMessage(Given):
    """A message to send; `supersede` withdraws the calls that still wait."""

    text: str = Field("", max_length=100_000, examples=["delete test.txt"])
    files: list[SentFile] = Field([], max_length=MOST_MESSAGE_FILES, description="Uploaded before.")
    on_pending: Literal["refuse", "supersede"] = Field(
        "refuse", validation_alias=AliasChoices("on_pending", "onPending")
    )


@router.post("/api/conversations", operation_id="create_conversation", status_code=201)
async def create(
    body: NewConversation,
    service: ServiceDep,
    caller: CallerDep,
    *,
    request: Request,
    response: Response,
) -> schemas.Conversation:
    """Create a conversation; you are its owner, and the agent acts on your behalf."""
    made = await service.assent.open(body.agent, by=caller.person)
    response.headers.update(at(request, f"/api/conversations/{made.id}"))
    listed = listing.ListedConversation(conversation=made, status=ConversationStatus.IDLE)
    return schemas.Conversation.of(listed)


@router.get("/api/conversations", operation_id="list_conversations")
async def index(
    service: ServiceDep,
    caller: CallerDep,
    *,
    owner: IdFilter = None,
    agent: Word = None,
    limit: Limit = 50,
    after: After = None,
) -> schemas.ConversationPage:
    """List your conversations, newest first; auditors and admins get all, or an `owner`'s."""
    whose = owner if sees_everything(caller.person) else caller.person.id
    if owner not in (None, whose):
        # The list of another person looks like an empty one.
        return schemas.ConversationPage(items=[], next=None)
    found = await service.assent.queries.conversations.page(
        owner=whose, agent=agent, after=place(after), limit=limit
    )
    items = [schemas.Conversation.of(listed) for listed in found.items]
    return schemas.ConversationPage(items=items, next=page(found))


@router.get("/api/conversations/{id}", operation_id="read_conversation")
async def show(id: Id, service: ServiceDep, caller: CallerDep) -> schemas.ConversationDetail:
    """Return a conversation with its messages, calls and status; no model is asked."""
    thread = await service.assent.queries.conversations.thread(caller.person, id)
    size = _size(thread.calls)
    return await offload(size, thread_shape, thread, caller.person, service.assent.catalogue)


@router.post("/api/conversations/{id}/messages", operation_id="send_message", status_code=202)
async def send(
    id: Id,
    body: NewMessage,
    service: ServiceDep,
    caller: CallerDep,
    *,
    request: Request,
    response: Response,
    idempotency_key: Key = None,
) -> schemas.Turn:
    """Send a message. The turn goes on by itself: follow its events, or read it again."""
    found = await service.assent.queries.conversations.usable(
        caller.person, id, "write in others' conversations"
    )
    turn_id = await service.assent.start(
        found.agent,
        body.text,
        by=caller.person,
        conversation_id=id,
        on_pending=body.on_pending,
        idempotency_key=idempotency_key,
        files=[attachment(each.name, each.sha256) for each in body.files],
    )
    response.headers.update(at(request, f"/api/turns/{turn_id}"))
    turn = await service.assent.turn(turn_id)
    return await _shown(turn, service, caller)


@router.post("/api/conversations/{id}/stop", operation_id="stop_conversation")
async def stop(id: Id, service: ServiceDep, caller: CallerDep) -> schemas.Turn:
    """Stop the turn: waiting calls are cancelled, and the answer so far is kept as incomplete."""
    newest = await service.assent.queries.conversations.newest_turn(caller.person, id)
    if newest is None:
        raise NothingAwaited("Conversation", id, ConversationStatus.IDLE)
    turn = await service.assent.stop(newest.id, by=caller.person)
    return await _shown(turn, service, caller)


@router.post(
    "/api/conversations/{id}/export",
    operation_id="export_conversation",
    response_class=Response,
    responses={200: {"content": {"application/json": {"schema": {"type": "object"}}}}},
)
async def export(id: Id, service: ServiceDep, caller: CallerDep) -> Response:
    """Export a conversation as versioned JSON, without secrets, for import elsewhere.

    It is a POST because the export is entered in the audit record.
    """
    await service.assent.queries.conversations.usable(
        caller.person, id, "export conversations", admins=True
    )
    text = await service.assent.export(id, by=caller.person)
    headers = {"Content-Disposition": 'attachment; filename="conversation.json"'}
    return Response(text, media_type="application/json", headers=headers)


@router.get("/api/conversations/{id}/audit", operation_id="read_conversation_audit")
async def audit(
    id: Id,
    service: ServiceDep,
    caller: CallerDep,
    limit: Limit = 50,
    after: After = None,
) -> schemas.EntryPage:
    """List the audit entries of one conversation, newest first."""
    found = await service.assent.queries.record.of_conversation(
        caller.person, id, after=place(after), limit=limit
    )
    secrets = secrets_of(service.assent.catalogue)
    items = [schemas.Entry.of(entry, secrets) for entry in found.items]
    return schemas.EntryPage(items=items, next=page(found))


@router.get("/api/turns/{id}", operation_id="read_turn", tags=["turns"])
async def show_turn(id: Id, service: ServiceDep, caller: CallerDep) -> schemas.Turn:
    """Return a turn in its current state: the answer so far, its calls, and open requests."""
    await service.assent.queries.conversations.of_turn(caller.person, id)
    turn = await service.assent.turn(id)
    return await _shown(turn, service, caller)


@router.post("/api/turns/{id}/resume", operation_id="resume_turn", status_code=202, tags=["turns"])
async def resume(id: Id, service: ServiceDep, caller: CallerDep) -> schemas.Turn:
    """Resume a turn that failed; nothing that is settled is asked or run again."""
    await service.assent.queries.conversations.of_turn(caller.person, id)
    turn = await service.assent.restart(id, by=caller.person)
    return await _shown(turn, service, caller)


async def _shown(turn: Turn, service: ServiceDep, caller: CallerDep) -> schemas.Turn:
    catalogue = service.assent.catalogue
    return await offload(_size(turn.calls), turn_shape, turn, caller.person, catalogue)


def _size(calls: Iterable[Call]) -> int:
    return sum(len(call.arguments.text) + len(call.output or "") for call in calls)


class Value(Shape):
    """A saved answer; the value of a secret is not shown."""

    scope: str = Field(examples=["family:quickbooks"])
    name: str
    value: Any = None
    secret: bool
    saved_at: datetime


class Values(Shape):
    """The saved answers of a conversation."""

    items: list[Value]


class Cleared(Shape):
    """The number of answers that were forgotten."""

    cleared: int


@values_router.get("/api/conversations/{id}/values", operation_id="read_values")
async def values(id: Id, service: ServiceDep, caller: CallerDep) -> Values:
    """List the saved answers of a conversation, without secrets."""
    found = await service.assent.queries.conversations.saved_values(caller.person, id)
    items = [_value(value) for value in sorted(found, key=lambda each: (each.scope, each.name))]
    return Values(items=items)


@values_router.delete("/api/conversations/{id}/values", operation_id="clear_values")
async def clear_values(
    id: Id, service: ServiceDep, caller: CallerDep, scope: ValueScope = None
) -> Cleared:
    """Forget saved answers; only the owner can. They are asked for again when needed."""
    await service.assent.queries.conversations.usable(
        caller.person, id, "forget the answers of others"
    )
    return Cleared(cleared=await service.assent.clear_values(id, by=caller.person, scope=scope))


def _value(saved: SavedValue) -> Value:
    return Value(
        scope=saved.scope,
        name=saved.name,
        # Not even the reference is shown: only the runner can use it.
        value=None if saved.secret else saved.value,
        secret=saved.secret,
        saved_at=saved.at,
    )
