"""Calls of agents outside: proposed, waited for, claimed, renewed and settled over HTTP."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field, model_validator

from assent import guard
from assent.domain.definitions import external
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.outputs import json_text
from assent.domain.people import Audience, Person
from assent.domain.tools import Tool
from assent.guard import BodyOutcome, CallClaim, Guard, Raised, Returned, Unclear
from assent.server.api.routing import Id, NativeApi, ReportApi, at
from assent.server.api.schemas import Given, Shape, masked
from assent.server.service import CallerDep, Service, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["calls"])
reports = APIRouter(route_class=ReportApi, tags=["calls"])
# A request that waits longer may be cut by what is in between; clients ask again.
MOST_SECONDS = 30
Wait = Annotated[
    float,
    Query(
        ge=0, le=MOST_SECONDS, description="How many seconds to wait for people before it answers."
    ),
]
_WORD = Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")
_TOKEN = Field(
    min_length=16,
    max_length=200,
    pattern=r"^[!-~]+$",
    description="Chosen at random by you for this claim; say it again and it is the same claim.",
)


class Approvers(Given):
    """The people who may decide calls of a tool."""

    owner: bool = True
    roles: list[str] = Field(default_factory=list[str], max_length=50)
    people: list[str] = Field(default_factory=list[str], max_length=50)
    exclude_requester: bool = False
    also: list["Approvers"] = Field(default_factory=list["Approvers"], max_length=10)

    def audience(self) -> Audience:
        """Return the audience as the engine takes it."""
        return Audience(
            owner=self.owner,
            roles=self.roles,
            people=self.people,
            exclude_requester=self.exclude_requester,
            also=[each.audience() for each in self.also],
        )


class Definition(Given):
    """A tool that you run yourself; undeclared, it is of moderate risk and asks."""

    name: str = Field(max_length=64, examples=["send_mail"])
    description: str = Field("", max_length=100_000)
    parameters: dict[str, Any] = Field({"type": "object"}, description="Its JSON schema.")
    output: dict[str, Any] | None = Field(None, description="The JSON schema of what it returns.")
    source: str = Field("caller", max_length=200, examples=["mcp:mail"])
    risk: str | None = Field(None, examples=["dangerous"])
    requires_approval: bool | None = None
    confirmation: str | None = Field(None, examples=["typed"])
    idempotent: bool | None = None
    impact: str = ""
    category: str = ""
    version: str = ""
    question: str = ""
    decide_within: float | None = Field(None, description="Seconds; without it, as deployed.")
    approvers: Approvers | None = Field(None, description="Who decides; without it, you do.")
    user_input: dict[str, Any] | None = Field(None, description="A form that people fill in.")

    def tool(self) -> Tool:
        """Return the tool; raises `InvalidTool` or `InvalidParameter` for one that is not valid."""
        said = self.model_dump(exclude_unset=True)
        if self.approvers is not None:
            said["approvers"] = self.approvers.audience()
        return external(**said)


class NewCall(Given):
    """A call to record and rule on: a `tool` of this deployment, or a `definition` of your own."""

    agent: Annotated[str, _WORD] = Field(description="Your agent's name, as people read it.")
    tool: str | None = Field(None, max_length=200, description="A tool that runs here.")
    definition: Definition | None = Field(None, description="A tool that you run yourself.")
    arguments: dict[str, Any]
    key: Annotated[str, _WORD] | None = Field(
        None, description="The same key finds the same call again; another call is refused."
    )
    conversation_id: Annotated[str, _WORD] | None = Field(
        None, description="Your own name for a conversation; its calls belong together."
    )
    token: Annotated[str, _TOKEN] | None = Field(
        None, description="Claims the call at once if nobody has to be asked about it."
    )

    @model_validator(mode="after")
    def _one_tool(self) -> Self:
        if (self.tool is None) is (self.definition is None):
            raise ValueError("give either a tool of this deployment or a definition of your own")
        return self


class NewClaim(Given):
    """A claim of a call that may run; `definition` is your tool as it is now."""

    token: Annotated[str, _TOKEN]
    definition: Definition | None = None


class HeldClaim(Given):
    """A claim that you hold."""

    token: Annotated[str, _TOKEN]
    fence: int = Field(ge=1)

    def claim(self, call_id: str) -> CallClaim:
        """Return the claim as the engine knows it."""
        return CallClaim(
            call_id=call_id,
            tool="",
            fence=self.fence,
            token=self.token,
            arguments={},
            lease_seconds=0,
            expires=0,
        )


class NewOutcome(HeldClaim):
    """The outcome of a claimed call: exactly one of `output`, `error` and `unknown`."""

    output: Any = Field(None, description="What it returned; null is an output, too.")
    error: str | None = Field(None, description="Why it failed.")
    unknown: str | None = Field(None, description="Why nobody can tell whether it had its effect.")

    @model_validator(mode="after")
    def _one_outcome(self) -> Self:
        said = {"output", "error", "unknown"} & self.model_fields_set
        if len(said) != 1 or any(getattr(self, name) is None for name in said - {"output"}):
            raise ValueError("give exactly one of output, error and unknown")
        return self

    def outcome(self) -> BodyOutcome:
        """Return what became of the call."""
        if self.error is not None:
            return Raised(self.error)
        return Returned(self.output) if self.unknown is None else Unclear(self.unknown)


class Claim(Shape):
    """The right to run a call once, until its lease runs out."""

    call_id: str
    fence: int
    token: str
    arguments: dict[str, Any] = Field(description="What to run, with secrets that people entered.")
    lease_seconds: float
    approved: bool

    @classmethod
    def of(cls, claim: CallClaim) -> "Claim":
        """Return a claim as the API shows it."""
        return cls(
            call_id=claim.call_id,
            fence=claim.fence,
            token=claim.token,
            arguments=dict(claim.arguments),
            lease_seconds=claim.lease_seconds,
            approved=claim.approved,
        )


class Lease(Shape):
    """The time for which a renewed claim holds from now on."""

    lease_seconds: float


class GuardedCall(Shape):
    """A call in its present state, as its caller sees it."""

    id: str
    tool: str
    status: CallStatus
    arguments: dict[str, Any] = Field(description="What runs, after every edit.")
    revision: int
    definition_hash: str
    by_caller: bool = Field(description="True if you run it, under a claim.")
    request_id: str | None
    waits_for: RequestKind | None
    review_url: str | None = Field(description="Where people decide it.")
    decide_by: datetime | None
    output: Any = Field(description="As a model should read it: the output, or an error.")
    note: str | None = Field(description="Tells a model of arguments that a person changed.")
    decided_by: str | None
    claim: Claim | None

    @classmethod
    def of(cls, call: guard.GuardedCall, arguments: Mapping[str, Any]) -> "GuardedCall":
        """Return a call as the API shows it."""
        names = set(cls.model_fields) - {"arguments", "claim"}
        return cls(
            **{name: getattr(call, name) for name in names},
            arguments=dict(arguments),
            claim=None if call.claim is None else Claim.of(call.claim),
        )


@router.post("/api/calls", operation_id="propose_call", status_code=201)
async def propose(
    body: NewCall,
    service: ServiceDep,
    caller: CallerDep,
    *,
    request: Request,
    response: Response,
    wait: Wait = 0,
) -> GuardedCall:
    """Record a call, let policy rule on it, and wait a while for people."""
    tool = str(body.tool) if body.definition is None else await _tool(service, body.definition)
    call = await _guard(service, body.agent, caller.person).propose(
        tool,
        body.arguments,
        key=body.key,
        conversation_id=body.conversation_id,
        wait=wait,
        token=body.token,
    )
    response.headers.update(at(request, f"/api/calls/{call.id}"))
    return _shown(service, call)


@router.get("/api/calls/{id}", operation_id="read_call")
async def show(id: Id, service: ServiceDep, caller: CallerDep, wait: Wait = 0) -> GuardedCall:
    """Return a call that your agent made; waits a while for people."""
    return _shown(service, await _guard(service, "", caller.person).look(id, wait=wait))


@router.post("/api/calls/{id}/claim", operation_id="claim_call")
async def claim(id: Id, body: NewClaim, service: ServiceDep, caller: CallerDep) -> Claim:
    """Take the right to run a call that may run: one caller gets it, once."""
    tool = None if body.definition is None else await _tool(service, body.definition)
    held = await _guard(service, "", caller.person).claim(id, tool=tool, token=body.token)
    return Claim.of(held)


@router.post("/api/calls/{id}/renew", operation_id="renew_claim")
async def renew(id: Id, body: HeldClaim, service: ServiceDep, caller: CallerDep) -> Lease:
    """Keep a claim for another lease."""
    held = await _guard(service, "", caller.person).renew(body.claim(id))
    return Lease(lease_seconds=held.lease_seconds)


@reports.post("/api/calls/{id}/outcome", operation_id="settle_call")
async def settle(id: Id, body: NewOutcome, service: ServiceDep, caller: CallerDep) -> GuardedCall:
    """Record how a claimed call ended; said again, it changes nothing."""
    own = _guard(service, "", caller.person)
    return _shown(service, await own.settle(body.claim(id), body.outcome()))


@router.post("/api/calls/{id}/withdraw", operation_id="withdraw_call")
async def withdraw(id: Id, service: ServiceDep, caller: CallerDep) -> GuardedCall:
    """Give up a call that has not begun; one that runs or has ended stays as it is."""
    return _shown(service, await _guard(service, "", caller.person).withdraw(id))


@router.post("/api/calls/{id}/release", operation_id="release_key")
async def release(id: Id, service: ServiceDep, caller: CallerDep) -> GuardedCall:
    """Let go of the key of a call that has ended: the next call under it is a new one."""
    own = _guard(service, "", caller.person)
    await own.release(id)
    return _shown(service, await own.look(id))


async def _tool(service: Service, definition: Definition) -> Tool:
    text = json_text(definition.model_dump(mode="json", exclude_unset=True))
    return await service.tools.made(text, definition.tool)


def _guard(service: Service, agent: str, person: Person) -> Guard:
    return service.assent.guard_for(agent=agent or "caller", by=person)


def _shown(service: Service, call: guard.GuardedCall) -> GuardedCall:
    # A tool that runs here may declare arguments secret; what a caller runs is its own.
    if call.by_caller:
        return GuardedCall.of(call, call.arguments)
    tools = service.assent.catalogue.every_tool()
    tool = next((each for each in tools if each.tool.name == call.tool), None)
    return GuardedCall.of(call, masked(dict(call.arguments), tool))
