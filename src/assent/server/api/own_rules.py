"""The caller's own rules: what they want to be asked about in their own conversations."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field, StrictInt, StrictStr

from assent.domain import own_rules
from assent.domain.tools import Risk
from assent.server.api.routing import NativeApi
from assent.server.api.schemas import Given, Shape
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["own rules"])

RuleId = Annotated[str, Path(pattern=r"^[!-~]{1,100}$", description="The rule's id.")]
Name = Annotated[str, Field(max_length=own_rules.MOST_CHARS)]
Number = Annotated[StrictStr, Field(max_length=100, examples=["99.99"])]
Amount = StrictInt | Annotated[float, Field(strict=True, allow_inf_nan=False)] | Number


class NewOwnRule(Given):
    """A rule about one tool, one category or one risk, for your own conversations."""

    effect: Literal["ask", "allow"] = Field(
        description="ask: always ask me. allow: run it unasked, where the deployment permits that."
    )
    tool: Name = Field(default="", examples=["pay"])
    category: Name = ""
    risk: Risk | None = None
    argument: Name = Field(
        default="", description="Ask only if this argument is at least so much, or is no number."
    )
    at_least: Amount | None = None

    def rule(self) -> own_rules.OwnRule:
        """Return the rule as the engine takes it; raises if it makes no sense."""
        return own_rules.OwnRule(**dict(self))


class OwnRule(Shape):
    """One of your own rules."""

    id: str
    effect: Literal["ask", "allow"]
    tool: str
    category: str
    risk: Risk | None
    argument: str
    at_least: str | None = Field(description="A decimal number, as text so that it stays exact.")
    words: str = Field(examples=["Always ask me about calls of pay with amount of 100 or more"])
    in_force: bool = Field(description="false: the deployment does not permit it, or no longer.")
    at: datetime

    @classmethod
    def of(cls, listed: own_rules.ListedRule) -> "OwnRule":
        """Return a rule as the API shows it."""
        rule = listed.rule
        return cls(
            id=listed.id,
            effect="ask" if rule.effect == "ask" else "allow",
            tool=rule.tool,
            category=rule.category,
            risk=rule.risk,
            argument=rule.argument,
            at_least=None if rule.at_least is None else _digits(rule.at_least),
            words=rule.words,
            in_force=listed.in_force,
            at=listed.at,
        )


class OwnRules(Shape):
    """Your own rules, oldest first, and the risks for which you may allow calls."""

    items: list[OwnRule]
    may_allow: list[Risk]


@router.get("/api/me/rules", operation_id="list_own_rules")
async def index(service: ServiceDep, caller: CallerDep) -> OwnRules:
    """List your own rules."""
    found = await service.assent.own_rules.of(caller.person)
    permitted = service.assent.policy.people_may_allow
    return OwnRules(items=[OwnRule.of(each) for each in found], may_allow=sorted(permitted))


@router.post("/api/me/rules", operation_id="add_own_rule", status_code=201)
async def add(body: NewOwnRule, service: ServiceDep, caller: CallerDep) -> OwnRule:
    """Add a rule; it counts at once, for calls in conversations that you own."""
    return OwnRule.of(await service.assent.own_rules.add(body.rule(), by=caller.person))


@router.delete("/api/me/rules/{id}", operation_id="delete_own_rule")
async def delete(id: RuleId, service: ServiceDep, caller: CallerDep) -> OwnRule:
    """Delete one of your own rules."""
    return OwnRule.of(await service.assent.own_rules.delete(id, by=caller.person))


def _digits(amount: Decimal) -> str:
    return f"{amount:f}"
