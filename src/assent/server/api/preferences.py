"""The caller's own preferences, and the fields they want no suggestions for."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from assent.domain.suggestions import Unsuggested
from assent.engine.people.preferences import KeptPreference
from assent.errors import NotFound
from assent.server.api.routing import ID, Id, NativeApi
from assent.server.api.schemas import Given, Shape
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["preferences"])

Scope = Annotated[
    str,
    Field(
        pattern=r"^(tool|family):[^\x00-\x1f\x7f]{1,200}$",
        description="The tool or the family of tools that it is for.",
        examples=["tool:file_return"],
    ),
]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$", examples=["company_id"])]


class Preference(Shape):
    """An answer that you keep for all your conversations; the value of a secret is not shown."""

    id: str
    scope: str
    name: str
    label: str
    value: Any = Field(description="Null for a secret.")
    secret: bool
    since: datetime
    fits: bool = Field(description="False if it is asked for again: no form accepts it any more.")

    @classmethod
    def of(cls, kept: KeptPreference) -> "Preference":
        """Return a preference as the API shows it."""
        row = kept.row
        return cls(
            id=row.id,
            scope=row.scope,
            name=row.name,
            label=row.name if kept.field is None else kept.field.label,
            value=None if row.secret else row.value,
            secret=row.secret,
            since=row.at,
            fits=kept.fits,
        )


class Offer(Shape):
    """A field that you can keep an answer for."""

    scope: str
    name: str
    label: str
    secret: bool


class Preferences(Shape):
    """Your preferences, and all that can be kept here."""

    items: list[Preference]
    offers: list[Offer]


class NewPreference(Given):
    """A value to keep for all your conversations, in place of an earlier one."""

    scope: Scope
    name: Name
    value: Any = Field(examples=["4620816365"])


class StoppedSuggestion(Shape):
    """A field that nothing is suggested for, because you said so."""

    id: str
    scope: str
    name: str
    since: datetime

    @classmethod
    def of(cls, row: Unsuggested) -> "StoppedSuggestion":
        """Return a refusal as the API shows it."""
        return cls(id=row.id, scope=row.scope, name=row.name, since=row.at)


class StoppedSuggestions(Shape):
    """The fields that nothing is suggested for."""

    items: list[StoppedSuggestion]


class NewStop(Given):
    """A suggestion that you do not want to see again: for this field, wherever it is asked."""

    request_id: str = Field(pattern=ID)
    name: Name


@router.get("/api/me/preferences", operation_id="list_preferences")
async def preferences(service: ServiceDep, caller: CallerDep) -> Preferences:
    """List what you keep for all your conversations, without secrets."""
    mine = service.assent.people.preferences
    return Preferences(
        items=[Preference.of(each) for each in await mine.of(caller.person)],
        offers=[
            Offer(scope=scope, name=item.name, label=item.label, secret=item.kind.is_secret)
            for scope, item in mine.offered()
        ],
    )


@router.put("/api/me/preferences", operation_id="set_preference")
async def put(body: NewPreference, service: ServiceDep, caller: CallerDep) -> Preference:
    """Keep a value for all your conversations; it counts from the next call on."""
    mine, me = service.assent.people.preferences, caller.person
    made = await mine.set(body.scope, body.name, body.value, by=me)
    return Preference.of(await mine.one(made.id, by=me))


@router.delete("/api/me/preferences/{id}", operation_id="delete_preference")
async def delete(id: Id, service: ServiceDep, caller: CallerDep) -> Preference:
    """Delete a preference, with its secret; it is asked for again when needed."""
    mine, me = service.assent.people.preferences, caller.person
    gone = await mine.one(id, by=me)
    await mine.delete(id, by=me)
    return Preference.of(gone)


@router.get("/api/me/stopped-suggestions", operation_id="list_stopped_suggestions")
async def stopped(service: ServiceDep, caller: CallerDep) -> StoppedSuggestions:
    """List the fields that nothing is suggested for."""
    found = await service.assent.people.preferences.stopped(caller.person)
    return StoppedSuggestions(items=[StoppedSuggestion.of(each) for each in found])


@router.post("/api/me/stopped-suggestions", operation_id="stop_suggesting", status_code=201)
async def stop(body: NewStop, service: ServiceDep, caller: CallerDep) -> StoppedSuggestions:
    """Take a suggestion out of your request, and suggest nothing more for its field."""
    mine, me = service.assent.people.preferences, caller.person
    await mine.stop_suggesting(body.request_id, body.name, by=me)
    return StoppedSuggestions(items=[StoppedSuggestion.of(each) for each in await mine.stopped(me)])


@router.delete("/api/me/stopped-suggestions/{id}", operation_id="suggest_again")
async def again(id: Id, service: ServiceDep, caller: CallerDep) -> StoppedSuggestion:
    """Suggest something for this field again."""
    mine, me = service.assent.people.preferences, caller.person
    for each in await mine.stopped(me):
        if each.id == id:
            await mine.suggest_again(id, by=me)
            return StoppedSuggestion.of(each)
    raise NotFound("field without suggestions", id)
