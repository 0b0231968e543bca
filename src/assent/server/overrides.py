"""The posted form of a tool override, for the API and for the page of a tool."""

from datetime import timedelta
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StrictBool, model_validator

from assent.domain import people, tools
from assent.domain.confirmations import Confirmation
from assent.domain.tools import Risk

RoleName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,62}$")]
PersonId = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]{1,255}$")]
Line = Annotated[str, Field(max_length=1_000, pattern=r"^[^\x00]*$")]
_YEAR_SECONDS = 366 * 24 * 3600


class Override(BaseModel):
    """Metadata in place of the tool's own; a field that is left out stays as declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    risk: Risk | None = None
    requires_approval: StrictBool | None = None
    decide_within_seconds: float | None = Field(default=None, ge=1, le=_YEAR_SECONDS)
    impact: Line | None = None
    category: Line | None = None
    audience: "NewAudience | None" = None
    confirmation: Confirmation | None = None


class NewAudience(BaseModel):
    """The people who may decide: the owner, or roles and people instead or in addition."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    owner: StrictBool = True
    roles: list[RoleName] = Field(default_factory=list[str], max_length=50)
    people: list[PersonId] = Field(default_factory=list[str], max_length=50)
    exclude_requester: StrictBool = False

    @model_validator(mode="after")
    def _has_deciders(self) -> "NewAudience":
        if not (self.owner or self.roles or self.people):
            raise ValueError("name a role or a person who may decide, or the owner")
        return self


def override_of(body: Override) -> tools.Override:
    """Return the override as the engine takes it."""
    within, audience = body.decide_within_seconds, body.audience
    return tools.Override(
        risk=body.risk,
        requires_approval=body.requires_approval,
        decide_within=None if within is None else timedelta(seconds=within),
        impact=body.impact,
        category=body.category,
        audience=None
        if audience is None
        else people.Audience(
            owner=audience.owner,
            roles=frozenset(audience.roles),
            people=frozenset(audience.people),
            exclude_requester=audience.exclude_requester,
        ),
        confirmation=body.confirmation,
    )
