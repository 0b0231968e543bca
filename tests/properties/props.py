"""The tools of the machine: one for every way a call can go, each telling what it was run with."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from assent import (
    ApprovalRequired,
    Audience,
    Context,
    Deferred,
    Effect,
    Field,
    FieldType,
    OutcomeUnknown,
    Progress,
    Rule,
    Tool,
    UserInput,
    hitl,
    manual,
    tool,
)
from assent.domain.canonical import Json
from assent.domain.tools import Arguments
from tests.properties.stage import Stage

DENIED_N = 13
BOSS_N = 1_000
SOON = timedelta(milliseconds=2)

# Tools that never run on the gate's word alone, unless a policy says so by an allow rule.
GATED = frozenset({"gated", "gated_hold", "gated_form", "routed", "gated_person", "gated_client"})
IDEMPOTENT = frozenset({"safe_slow", "safe_hold"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One start of a body or of a hook, seen from inside."""

    call_id: str
    attempt: int
    tool: str
    arguments: dict[str, Json]
    approved: bool
    at: datetime
    is_hook: bool = False


class Diary:
    """What the outside world would know: every start, and which ones only asked."""

    stage: Stage

    def begin(self, stage: Stage, look: Callable[[Run], None]) -> None:
        """A new page: tools are made once, and the stages they work for change."""
        self.stage, self._look = stage, look
        self.runs: list[Run] = []
        self.asked = Counter[str]()

    def enter(self, ctx: Context, arguments: dict[str, Json], *, is_hook: bool = False) -> None:
        """A body starts."""
        run = Run(
            call_id=ctx.call_id,
            attempt=ctx.attempt,
            tool=ctx.tool,
            arguments=arguments,
            approved=ctx.approved,
            at=self.stage.clock.now(),
            is_hook=is_hook,
        )
        self.runs.append(run)
        self._look(run)

    def ask(self, ctx: Context) -> ApprovalRequired:
        """A body ends by asking."""
        self.asked[ctx.call_id] += 1
        return ApprovalRequired({"reason": "it looks risky"})


Act = Callable[[Context, int], Awaitable[object]]


@cache
def props(diary: Diary, version: str) -> tuple[Tool, ...]:
    """Every tool in one version; made once, since that takes longer than a whole step."""
    return (*_plain(diary, version), *_waiting(diary, version), *_forms(diary))


def _regular(diary: Diary, name: str, act: Act, **said: Any) -> Tool:
    async def body(n: int, ctx: Context) -> object:
        diary.enter(ctx, {"n": n})
        return await act(ctx, n)

    return tool(name=name, description=f"Does {name}.", **said)(body)


def _plain(diary: Diary, version: str) -> list[Tool]:
    async def works(ctx: Context, n: int) -> object:
        return f"{ctx.tool} {n}"

    async def asks(ctx: Context, n: int) -> object:
        if not ctx.approved:
            raise diary.ask(ctx)
        return f"allowed {n}"

    async def insists(ctx: Context, n: int) -> object:
        raise diary.ask(ctx)

    async def breaks(ctx: Context, n: int) -> object:
        raise RuntimeError(f"broken {n}")

    async def doubts(ctx: Context, n: int) -> object:
        raise OutcomeUnknown(f"sent {n}, no answer")

    async def hangs(ctx: Context, n: int) -> object:
        await asyncio.Event().wait()
        return None

    async def stands(ctx: Context, n: int) -> object:
        await diary.stage.holds.hold()
        return f"at last {ctx.attempt}"

    async def steps(n: int, ctx: Context) -> Any:
        diary.enter(ctx, {"n": n})
        yield Progress("half", fraction=0.5)
        yield n

    gated: dict[str, Any] = {"requires_approval": True, "version": version}
    return [
        _regular(diary, "free", works, version=version),
        _regular(diary, "gated", works, **gated),
        _regular(diary, "routed", works, approvers=("boss",), **gated),
        _regular(diary, "asks", asks, requires_approval=False),
        _regular(diary, "insists", insists, requires_approval=False),
        _regular(diary, "breaks", breaks),
        _regular(diary, "doubts", doubts),
        _regular(diary, "slow", hangs, timeout=SOON),
        _regular(diary, "safe_slow", hangs, timeout=SOON, idempotent=True),
        _regular(diary, "hold", stands, timeout=None),
        _regular(diary, "gated_hold", stands, timeout=None, **gated),
        _regular(diary, "safe_hold", stands, timeout=None, idempotent=True),
        tool(name="steps", description="Counts.", requires_approval=False)(steps),
    ]


def _waiting(diary: Diary, version: str) -> list[Tool]:
    async def leave(n: int, ctx: Context) -> None:
        diary.enter(ctx, {"n": n})

    async def settle(n: int, ctx: Context) -> str:
        diary.enter(ctx, {"n": n})
        return f"known {n}"

    async def rework(value: Json, ctx: Context) -> str:
        diary.enter(ctx, {}, is_hook=True)
        if value == "break":
            raise RuntimeError("no use")
        return f"reworked {value}"

    async def linger(value: Json, ctx: Context) -> str:
        diary.enter(ctx, {}, is_hook=True)
        await diary.stage.holds.hold()
        return f"lingered {value}"

    async def later(ctx: Context, n: int) -> object:
        return Deferred(f"task-{ctx.call_id}")

    async def shared(ctx: Context, n: int) -> object:
        return Deferred("task-of-everybody")

    async def parameters(n: int) -> None: ...

    client: dict[str, Any] = {"description": "Asks the client.", "parameters": parameters}
    gated: dict[str, Any] = {"requires_approval": True, "version": version}
    said: dict[str, Any] = {"output": str, "description": "Asks a person."}
    hook: dict[str, Any] = {"on_response_received": rework}
    return [
        hitl("person", on_tool_called=leave, **said),
        hitl("person_settles", on_tool_called=settle, **said),
        hitl("gated_person", on_tool_called=leave, **hook, **said, **gated),
        hitl("person_reworks", on_tool_called=leave, **hook, **said),
        hitl("person_lingers", on_tool_called=leave, on_response_received=linger, **said),
        manual("client", **client),
        manual("gated_client", approvers=("boss",), **client, **gated),
        _regular(diary, "later", later, requires_approval=False),
        _regular(diary, "shared", shared, requires_approval=False),
    ]


def _forms(diary: Diary) -> list[Tool]:
    fields = [
        Field("city"),
        Field("pin", type=FieldType.SECRET),
    ]

    async def fill(n: int, city: str, pin: str, ctx: Context) -> str:
        diary.enter(ctx, {"n": n, "city": city})
        return f"{city} {n}"

    def form(name: str, *, save: bool, **said: Any) -> Tool:
        asked = UserInput("Where to?", fields, save=save)
        return tool(name=name, description="Fills in.", user_input=asked, **said)(fill)

    return [
        form("form", save=False, requires_approval=False),
        form("gated_form", save=False, requires_approval=True),
        form("saved_form", save=True, requires_approval=False),
    ]


def _n(arguments: Arguments) -> int:
    n = arguments.get("n", 0)
    return n if isinstance(n, int) else 0


def _is_denied(arguments: Arguments, context: Context) -> bool:
    return _n(arguments) == DENIED_N


def _is_big(arguments: Arguments, context: Context) -> bool:
    return _n(arguments) >= BOSS_N


BASE = (
    Rule(name="unlucky", effect=Effect.DENY, when=_is_denied),
    Rule(name="big", effect=Effect.ASK, when=_is_big, audience=Audience.of("boss")),
)
POLICIES: dict[str, tuple[Rule, ...]] = {
    "base": BASE,
    "ask free": (*BASE, Rule.of(Effect.ASK, "free", "client", "form")),
    "ask boss": (*BASE, Rule.of(Effect.ASK, "gated*", "client", audience=Audience.of("boss"))),
    "deny": (*BASE, Rule.of(Effect.DENY, "routed", "hold", "form")),
    "loose": (*BASE, Rule.of(Effect.ALLOW, "gated", "gated_client")),
}
GONE = (frozenset[str](), frozenset({"hold", "doubts", "form"}), frozenset({"gated", "person"}))
