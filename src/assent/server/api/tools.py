"""Tools as this deployment treats them, their overrides, and the policy."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from pydantic import Field

from assent.domain import policy, tools
from assent.domain.ask_terms import Deadline
from assent.domain.bodies import Regular
from assent.domain.confirmations import Confirmation
from assent.domain.origins import Origin
from assent.domain.tools import EffectiveTool, Hitl, Manual, Risk, is_predicate
from assent.engine.assent import Assent
from assent.errors import NotFound
from assent.server.api.routing import NativeApi
from assent.server.api.schemas import Audience, Shape
from assent.server.overrides import NewAudience, Override, override_of
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["tools"])

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="A tool's name.")]


class Agent(Shape):
    """An agent to talk to."""

    name: str
    model: str


class Agents(Shape):
    """The agents of this deployment."""

    items: list[Agent]


class Change(Shape):
    """A change of a tool's definition that no admin has accepted: until then every call asks."""

    before: str = Field(description="The accepted definition, as JSON text.")
    after: str = Field(description="The definition as it is now, as JSON text.")
    definition: str = Field(description="The hash of what it is now, to accept it by.")


class Tool(Shape):
    """A tool of one agent: its definition for the model, and how its calls are treated here."""

    agent: str
    name: str
    description: str
    kind: str = Field(
        description="regular, generator, hitl, manual or external", examples=["regular"]
    )
    source: str
    risk: Risk
    requires_approval: bool | None = Field(description="null: it depends on the arguments")
    confirmation: Confirmation = Field(description="What approving a call of it takes at least.")
    impact: str
    category: str
    question: str
    idempotent: bool
    timeout_seconds: float | None
    decide_within_seconds: float | None
    caller_roles: list[str]
    audience: Audience
    parameters: dict[str, Any] = Field(description="The JSON schema that the model sees.")
    output: dict[str, Any] | None
    form: dict[str, Any] | None = Field(description="What people are asked before it runs.")
    definition: str = Field(description="A hash of what a person relies on when approving.")
    overridden: bool
    change: Change | None = Field(description="What its server changed, if that is not accepted.")
    origins: dict[str, Origin] = Field(
        description="Where each value comes from: declared, by the tool's name or its risk, a "
        "default, or an override."
    )


class Acceptance(Shape):
    """The definition that an admin has looked at and accepts."""

    definition: str = Field(pattern=r"^[0-9a-f]{64}$", description="The hash in `change`.")


class Tools(Shape):
    """All tools of all agents."""

    items: list[Tool]


class ToolDetail(Shape):
    """A tool by its name, in every agent that has it, with the override of this deployment."""

    name: str
    override: Override | None
    items: list[Tool]


class Rule(Shape):
    """One rule; empty lists match everything."""

    name: str
    effect: str
    tools: list[str]
    categories: list[str]
    risks: list[str]
    sources: list[str]
    when: str | None = Field(description="The name of the predicate that must hold as well.")
    reason: str
    audience: Audience | None
    confirmation: Confirmation | None = None
    quorum: int = Field(default=1, description="How many people have to approve.")
    decide_within: float | Deadline | None = Field(
        default=None, description="In seconds, or that there is no deadline; null: not said."
    )


class Policy(Shape):
    """The rules that judge calls, in order (deny over ask over allow), and their version."""

    version: str
    approvals: bool = Field(description="false: nothing is asked, only rules deny.")
    hook: str | None
    rules: list[Rule]
    people_may_allow: list[Risk] = Field(
        description="The risks for which people may let calls of their own run unasked."
    )


@router.get("/api/agents", operation_id="list_agents")
async def agents(service: ServiceDep) -> Agents:
    """List the agents of this deployment."""
    catalogue = service.assent.catalogue
    items = [Agent(name=name, model=catalogue.model(name).name) for name in catalogue.names()]
    return Agents(items=items)


@router.get("/api/tools", operation_id="list_tools")
async def index(service: ServiceDep) -> Tools:
    """List all tools of all agents, as this deployment treats them."""
    return Tools(items=await _tools(service.assent))


@router.get("/api/tools/{name}", operation_id="read_tool")
async def show(name: Name, service: ServiceDep) -> ToolDetail:
    """Return one tool by its name."""
    return await _detail(service.assent, name)


@router.put("/api/tools/{name}/override", operation_id="override_tool")
async def put(name: Name, body: Override, service: ServiceDep, caller: CallerDep) -> ToolDetail:
    """Override a tool's metadata in this deployment; the audit record tells if that loosens it."""
    await _detail(service.assent, name)
    await service.assent.override(name, override_of(body), by=caller.person)
    return await _detail(service.assent, name)


@router.delete("/api/tools/{name}/override", operation_id="restore_tool")
async def delete(name: Name, service: ServiceDep, caller: CallerDep) -> ToolDetail:
    """Remove the override of a tool, so that its own declaration counts again."""
    await _detail(service.assent, name)
    await service.assent.override(name, None, by=caller.person)
    return await _detail(service.assent, name)


@router.post("/api/tools/{name}/accept", operation_id="accept_tool")
async def accept(
    name: Name, body: Acceptance, service: ServiceDep, caller: CallerDep
) -> ToolDetail:
    """Accept the changed definition of a tool of a server outside, as it was looked at."""
    await _detail(service.assent, name)
    await service.assent.accept(name, by=caller.person, definition=body.definition)
    return await _detail(service.assent, name)


@router.get("/api/policy", operation_id="read_policy", tags=["policy"])
async def rules(service: ServiceDep) -> Policy:
    """Return the rules of this deployment; they are part of its code and can only be read here."""
    policy = service.assent.policy
    hook = policy.hook
    return Policy(
        version=service.assent.policy_version,
        approvals=policy.approvals,
        hook=None if hook is None else getattr(hook, "__qualname__", "?"),
        rules=[_rule(rule) for rule in policy.rules],
        people_may_allow=sorted(policy.people_may_allow),
    )


async def _tools(assent: Assent) -> list[Tool]:
    catalogue = assent.catalogue
    here = [
        _tool(agent, tool)
        for agent in catalogue.names()
        for tool in catalogue.toolbox(agent).tools.values()
    ]
    return [*here, *(_tool(agent, tool) for agent, tool in await assent.outside_tools())]


async def _detail(assent: Assent, name: str) -> ToolDetail:
    items = [tool for tool in await _tools(assent) if tool.name == name]
    if not items:
        raise NotFound("tool", name)
    override = assent.catalogue.overrides.get(name)
    shown = None if override is None else _shown(override)
    return ToolDetail(name=name, override=shown, items=items)


def _tool(agent: str, effective: EffectiveTool) -> Tool:
    tool, within = effective.tool, effective.decide_within
    asks = effective.requires_approval
    return Tool(
        agent=agent,
        name=tool.name,
        description=tool.description,
        kind=_kind(effective),
        source=tool.source,
        risk=effective.risk,
        requires_approval=None if is_predicate(asks) else bool(asks),
        confirmation=effective.confirmation,
        impact=effective.impact,
        category=effective.category,
        question=tool.question,
        idempotent=tool.idempotent,
        timeout_seconds=None if tool.timeout is None else tool.timeout.total_seconds(),
        decide_within_seconds=None if within is None else within.total_seconds(),
        caller_roles=sorted(tool.caller_roles),
        audience=Audience.of(effective.audience),
        parameters=tool.arguments.visible,
        output=None if tool.output is None else tool.output.schema,
        form=None if tool.user_input is None else tool.user_input.to_json(),
        definition=tool.definition_hash,
        overridden=effective.overridden,
        change=_change(effective),
        origins={name: each.origin for name, each in effective.describe().items()},
    )


def _change(effective: EffectiveTool) -> Change | None:
    seen = effective.change
    if seen is None:
        return None
    return Change(
        before=seen.before or "", after=seen.after or "", definition=effective.tool.version
    )


def _kind(effective: EffectiveTool) -> str:
    match effective.tool.kind:
        case Regular():
            return "regular"
        case Hitl():
            return "hitl"
        case Manual():
            return "manual"
        case _:
            return "generator"


def _shown(override: tools.Override) -> Override:
    within, audience = override.decide_within, override.audience
    # Not validated: a library may have set values that could not be posted.
    return Override.model_construct(
        risk=override.risk,
        requires_approval=override.requires_approval,
        decide_within_seconds=None if within is None else within.total_seconds(),
        impact=override.impact,
        category=override.category,
        audience=None
        if audience is None
        else NewAudience.model_construct(**Audience.of(audience).model_dump()),
        confirmation=override.confirmation,
    )


def _rule(rule: policy.Rule) -> Rule:
    told: dict[str, Any] = rule.to_json()
    told["audience"] = None if rule.audience is None else Audience.of(rule.audience)
    return Rule(**told)
