"""Options of a field that its tool searches for."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from assent.engine.queries.options import CURSOR_CHARS, QUERY_CHARS
from assent.server.api.routing import Id, NativeApi
from assent.server.api.schemas import Shape
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["requests"])
Name = Annotated[str, Path(max_length=64, description="The name of the field.")]
Words = Annotated[str, Query(max_length=QUERY_CHARS, description="What to search for.")]
Cursor = Annotated[
    str | None, Query(max_length=CURSOR_CHARS, description="`cursor` of the page before.")
]


class FoundOption(Shape):
    """An option that was found."""

    value: str = Field(examples=["c-17"])
    label: str = Field(examples=["Acme Corp."])
    proof: str = Field(description="The answer of the field, if this option is chosen.")


class FoundOptions(Shape):
    """A page of options."""

    options: list[FoundOption]
    cursor: str | None = Field(description="For the next page; null if this is the last.")


@router.get("/api/requests/{id}/fields/{name}/options", operation_id="find_options")
async def find(  # noqa: PLR0917 - FastAPI passes them by name
    id: Id,
    name: Name,
    service: ServiceDep,
    caller: CallerDep,
    query: Words = "",
    cursor: Cursor = None,
) -> FoundOptions:
    """Search for options of a field of type `search`; only who may answer the request can."""
    page = await service.assent.queries.options.find(caller.person, id, name, query, cursor)
    options = [
        FoundOption(value=each.value, label=each.label, proof=each.proof) for each in page.options
    ]
    return FoundOptions(options=options, cursor=page.cursor)
