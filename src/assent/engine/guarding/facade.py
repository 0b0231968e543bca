"""The part of the facade for code and agents outside: their calls pass the same gate."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from assent.domain import parameters
from assent.domain.bodies import Body, Context, Generator, Progress, Regular
from assent.domain.declarations import BaseTool, ToolLike, declared, tool
from assent.domain.definitions import defined
from assent.domain.outputs import json_text
from assent.domain.parameters import optional
from assent.domain.people import Person
from assent.domain.tools import EffectiveTool, Tool
from assent.engine import facade_parameters
from assent.engine.agents import Agent
from assent.engine.engine import Engine
from assent.engine.facade_parameters import Acting, Who
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.errors import InvalidOutput, InvalidParameter, NotFound

if TYPE_CHECKING:
    from assent.engine.guarding.local import LocalGuard
    from assent.guard import Guard, GuardedCall

# The agent of calls that plain code makes, if it names none.
CODE: Final = "code"
_MOST_TOOLS: Final = 2_000
_WAIT: Final = optional(parameters.number(0))
_KEY: Final = optional(parameters.name)


class Guarding(Engine):
    """Guards the calls of any Python code, and hands out guards to adapters."""

    def guard_for(self, *, agent: str | Agent, by: Who) -> "Guard":
        """Return the guard of an agent outside that acts for a person.

        Give it to an adapter, or use it yourself: propose, wait, claim, run, settle.
        """
        return self._guard_for("Assent.guard_for()", agent, by)

    def _guard_for(self, where: str, agent: str | Agent, by: Who) -> "LocalGuard":
        # Loaded if used: most programs have agents of their own.
        from assent.engine.guarding.local import LocalGuard

        given: object = agent.name if isinstance(agent, Agent) else agent
        name: str = parameters.name.taken(where, "agent", given)
        who: Who = facade_parameters.WHO.taken(where, "by", by)
        # Looked up each time: an account may be disabled while its agent runs.
        acting = Acting(kernel=self.kernel, where=where, given=who)
        return LocalGuard(self._outside, agent=name, by=acting)

    async def outside_tools(self) -> list[tuple[str, EffectiveTool]]:
        """Return the tools that callers run, as last defined, each with its agent."""
        stored = await self.kernel.store.run(lambda tx: tx.definitions.every_newest(_MOST_TOOLS))
        return [(agent, self.catalogue.learn(agent, defined(each))) for agent, each in stored]

    async def guard(
        self,
        tool: ToolLike | str,
        arguments: Mapping[str, Any],
        *,
        by: Who,
        agent: str | Agent | None = None,
        key: str | None = None,
        conversation_id: str | None = None,
        wait: float | None = None,
    ) -> "GuardedCall":
        """Let policy and people rule on one call, run it once, and return it settled.

        A tool runs here as it is declared, and a plain function asks; a name means a tool of an
        agent of this deployment. With the same `key` the same call is found again, after a restart
        too. Raises `CallWaits` if nobody has decided within `wait` seconds.
        """
        from assent.guard import new_token, settled

        where = "Assent.guard()"
        _KEY.taken(where, "key", key)
        _WAIT.taken(where, "wait", wait)
        parameters.mapping.taken(where, "arguments", arguments)
        given = tool if isinstance(tool, str) else _guarded(tool)
        run = None if isinstance(given, str) else _body_of(given)
        if agent is None:
            agent = self._owner_of(given) if isinstance(given, str) else CODE
        guard = self._guard_for(where, agent, by)
        call = await guard.propose(
            given,
            arguments,
            key=key,
            conversation_id=conversation_id,
            wait=wait,
            token=None if run is None else new_token(),
        )
        if run is None or isinstance(given, str):
            return settled(call)
        call = await guard.claimed(call, tool=given)
        owner = await self._who(where, by)
        context = _context(call, guard.agent, owner, conversation_id or "")
        return await guard.finish(call, lambda cleared: run(context, cleared))

    def _owner_of(self, tool: str) -> str:
        """Return the agent that has a tool; if several have it, the caller has to choose."""
        names = [n for n in self.catalogue.names() if self.catalogue.toolbox(n).get(tool)]
        if not names:
            raise NotFound("tool", tool, "no agent here has it; pass the function itself")
        if len(names) > 1:
            allowed = f"one of {', '.join(map(repr, names))}, which all have {tool!r}"
            raise InvalidParameter("Assent.guard()", "agent", allowed, "None")
        return names[0]


def _guarded(item: ToolLike) -> Tool:
    # Who guards a function that declares nothing wants to be asked: unlike an agent's tools, which
    # people list knowing the defaults, it would otherwise run unseen.
    if isinstance(item, Tool | BaseTool | type):
        return declared(item)
    return tool(requires_approval=True)(item)


def _context(call: "GuardedCall", agent: str, owner: Person, conversation_id: str) -> Context:
    return Context(
        call_id=call.id,
        conversation_id=conversation_id,
        agent=agent,
        tool=call.tool,
        owner=owner,
        approved=call.claim is not None and call.claim.approved,
        arguments=json_text(call.arguments),
    )


def _body_of(tool: Tool) -> Body:
    """Return the body of a tool, held to its time limit."""
    kind = tool.kind
    if not isinstance(kind, Regular | Generator):
        allowed = "a tool with a body, or the name of one"
        raise InvalidParameter("Assent.guard()", "tool", allowed, f"{tool.name!r}, which has none")

    async def body(context: Context, bound: Any) -> object:
        if isinstance(kind, Regular):
            return await kind.body(context, bound)
        steps = [item async for item in kind.steps(context, bound)]
        results = [item for item in steps if not isinstance(item, Progress)]
        if len(results) != 1:
            raise InvalidOutput(tool.name, f"it yielded {len(results)} results, not one")
        return results[0]

    async def limited(context: Context, arguments: Mapping[str, Any]) -> object:
        limit = asyncio.timeout(None if tool.timeout is None else tool.timeout.total_seconds())
        try:
            async with limit:
                return await body(context, tool.arguments.bind(arguments))
        except TimeoutError:
            if not limit.expired():
                raise
            raise OutcomeUnknown(f"it did not end within {tool.timeout}") from None

    return limited
