"""Saved answers of a conversation."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from assent.domain.saved_values import SavedValue
from assent.server.api.parameters import Id
from assent.server.api.routing import NativeApi
from assent.server.api.schemas import Shape
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["values"])
Scope = Annotated[
    str | None,
    Query(pattern=r"^[A-Za-z0-9_.:-]{1,100}$", description="Of one tool or family; else of all."),
]


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


@router.get("/api/conversations/{id}/values", operation_id="read_values")
async def index(id: Id, service: ServiceDep, caller: CallerDep) -> Values:
    """List the saved answers of a conversation, without secrets."""
    found = await service.assent.queries.conversations.saved_values(caller.person, id)
    items = [_value(value) for value in sorted(found, key=lambda each: (each.scope, each.name))]
    return Values(items=items)


@router.delete("/api/conversations/{id}/values", operation_id="clear_values")
async def clear(id: Id, service: ServiceDep, caller: CallerDep, scope: Scope = None) -> Cleared:
    """Forget saved answers; only the owner can. They are asked for again when needed."""
    await service.assent.queries.conversations.usable(
        caller.person, id, "forget somebody else's answers"
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
