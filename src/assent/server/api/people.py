"""The caller's own identity; for admins, accounts and their API keys."""

from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field, StrictBool

from assent.domain import credentials, people
from assent.domain.people import Account, PersonKind, Scope
from assent.server.api.routing import Id, NativeApi, at
from assent.server.api.schemas import Given, Shape
from assent.server.caller import Method
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["people"])

# The pattern of the engine; the subject of an identity provider may contain a slash.
_PERSON = r"^[A-Za-z0-9](?:[A-Za-z0-9._:@|/+=~%-]{0,253}[A-Za-z0-9._=~-])?$"
PersonId = Annotated[str, Path(pattern=_PERSON, description="A person's id.")]
PersonField = Annotated[str, Field(pattern=_PERSON)]
RoleName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,62}$")]
Roles = Annotated[list[RoleName], Field(max_length=50)]
Label = Annotated[str, Field(max_length=200, pattern=r"^[ -~]*$")]
_DAYS = 3_650


class Me(Shape):
    """Your identity by this credential, and the scopes that the credential has."""

    id: str
    kind: PersonKind
    roles: list[str]
    method: Method
    scopes: list[Scope]


class Person(Shape):
    """An account of this deployment."""

    id: str
    name: str
    kind: PersonKind
    roles: list[str]
    behind: str | None = Field(description="The human whose further identity this is.")
    disabled: bool
    created_at: datetime

    @classmethod
    def of(cls, account: Account) -> "Person":
        """Return an account as the API shows it."""
        return cls(
            id=account.id,
            name=account.name,
            kind=account.kind,
            roles=sorted(account.roles),
            behind=account.behind,
            disabled=account.disabled,
            created_at=account.created_at,
        )


class People(Shape):
    """All accounts, oldest first."""

    items: list[Person]


class NewPerson(Given):
    """An account to create."""

    id: PersonField
    name: Label = ""
    kind: PersonKind = PersonKind.HUMAN
    roles: Roles = Field(default_factory=list[str])
    behind: PersonField | None = None


class PersonChange(Given):
    """Changes to an account; `roles` replaces its roles, `disabled` ends its credentials now."""

    name: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[ -~]+$")] | None = None
    roles: Roles | None = None
    disabled: StrictBool | None = None


class ApiKey(Shape):
    """An API key without its text; only the prefix is shown."""

    id: str
    person: str
    prefix: str
    label: str
    scopes: list[Scope]
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None

    @classmethod
    def of(cls, key: credentials.Key) -> "ApiKey":
        """Return a key as the API shows it."""
        return cls(**_facts(key))


class IssuedKey(ApiKey):
    """A new key; its text is shown this once and stored nowhere."""

    key: str


class Keys(Shape):
    """API keys."""

    items: list[ApiKey]


class NewKey(Given):
    """A key to issue: its person, its scopes, and its lifetime."""

    person: PersonField
    scopes: list[Scope] = Field(min_length=1, max_length=len(Scope))
    label: Label = ""
    days: int | None = Field(default=None, ge=1, le=_DAYS, description="null: until revoked.")


@router.get("/api/me", operation_id="read_me")
async def me(caller: CallerDep) -> Me:
    """Return your identity and the scopes of your credential."""
    person = caller.person
    return Me(
        id=person.id,
        kind=person.kind,
        roles=sorted(person.roles),
        method=caller.method,
        scopes=sorted(caller.scopes),
    )


@router.get("/api/people", operation_id="list_people")
async def index(service: ServiceDep) -> People:
    """List all accounts of this deployment."""
    found = await service.assent.people.all()
    return People(items=[Person.of(account) for account in found])


@router.post("/api/people", operation_id="add_person", status_code=201)
async def add(
    body: NewPerson,
    service: ServiceDep,
    caller: CallerDep,
    *,
    request: Request,
    response: Response,
) -> Person:
    """Create an account."""
    person = people.Person(body.id, roles=frozenset(body.roles), kind=body.kind, behind=body.behind)
    account = await service.assent.people.add(person, name=body.name, by=caller.person)
    response.headers.update(at(request, f"/api/people/{account.id}"))
    return Person.of(account)


@router.get("/api/people/{id:path}", operation_id="read_person")
async def show(id: PersonId, service: ServiceDep) -> Person:
    """Return one account."""
    return Person.of(await service.assent.people.get(id))


@router.patch("/api/people/{id:path}", operation_id="change_person")
async def change(
    id: PersonId, body: PersonChange, service: ServiceDep, caller: CallerDep
) -> Person:
    """Change an account."""
    account = await service.assent.people.change(
        id, name=body.name, roles=body.roles, disabled=body.disabled, by=caller.person
    )
    return Person.of(account)


@router.get("/api/keys", operation_id="list_keys", tags=["keys"])
async def keys(
    service: ServiceDep,
    caller: CallerDep,
    person: Annotated[str | None, Query(pattern=_PERSON)] = None,
) -> Keys:
    """List the API keys of one person or of all people, without their texts."""
    found = await service.assent.people.keys(person, by=caller.person)
    return Keys(items=[ApiKey.of(key) for key in found])


@router.post("/api/keys", operation_id="issue_key", status_code=201, tags=["keys"])
async def issue(body: NewKey, service: ServiceDep, caller: CallerDep) -> IssuedKey:
    """Issue a key; its text is in this response and nowhere else."""
    key, text = await service.assent.people.issue_key(
        body.person,
        scopes=body.scopes,
        label=body.label,
        lifetime=None if body.days is None else timedelta(days=body.days),
        by=caller.person,
    )
    return IssuedKey(**_facts(key), key=text)


@router.delete("/api/keys/{id}", operation_id="revoke_key", tags=["keys"])
async def revoke(id: Id, service: ServiceDep, caller: CallerDep) -> ApiKey:
    """Revoke a key; within a second no process accepts it any more."""
    return ApiKey.of(await service.assent.people.revoke_key(id, by=caller.person))


def _facts(key: credentials.Key) -> dict[str, Any]:
    same = ("id", "person", "prefix", "label", "created_at", "expires_at", "revoked_at")
    found: dict[str, Any] = {name: getattr(key, name) for name in (*same, "last_used_at")}
    return found | {"scopes": sorted(key.scopes)}
