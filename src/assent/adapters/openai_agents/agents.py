"""Agents of the SDK with a guard before every tool, through handoffs and nested agents."""

import logging
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, cast

from agents import Agent, FunctionTool, Handoff, RunContextWrapper, Tool

from assent.adapters.declared_tools import DeclaredTools
from assent.adapters.keys import named
from assent.adapters.openai_agents.gate import Gate
from assent.adapters.options import checked
from assent.domain import parameters
from assent.domain.mcp_servers import REMOTE
from assent.domain.people import NamesGiven
from assent.errors import InvalidParameter, InvalidTool
from assent.guard import Guard

log = logging.getLogger(__name__)
# Tools of MCP servers are made anew for every turn.
_MOST_KNOWN: Final = 1_000
# A source may have 200 characters in all.
_LONGEST: Final = 190
_WHERE: Final = "guarded()"
_AGENT: Final = parameters.instance(Agent, "an Agent")


def guarded(
    agent: Agent[Any],
    *,
    guard: Guard,
    tools: Mapping[str, Mapping[str, Any]] | None = None,
    unguarded: NamesGiven = frozenset(),
    wait: float | None = 0,
) -> "GuardedAgent":
    """Return a copy of an agent, and of those it hands off to, whose tools pass the guard.

    `tools` declares metadata by tool name; undeclared tools ask. A call that waits for people
    interrupts the run after `wait` seconds. `unguarded` names the hosted tools that may stay.
    """
    options = checked(_WHERE, guard=guard, unguarded=unguarded, wait=wait)
    declared = DeclaredTools({} if tools is None else tools, where=_WHERE)
    return _Family(declared=declared, **options).member(_AGENT.taken(_WHERE, "agent", agent))


@dataclass(kw_only=True)
class _Family:
    """Agents under one guard; each is copied once, so that they may hand off in circles."""

    guard: Guard
    declared: DeclaredTools
    unguarded: frozenset[str]
    wait: float | None
    members: dict[int, tuple[Agent[Any], "GuardedAgent"]] = field(
        default_factory=dict[int, tuple[Agent[Any], "GuardedAgent"]]
    )

    def member(self, agent: Agent[Any]) -> "GuardedAgent":
        """Return the guarded copy of an agent."""
        if isinstance(agent, GuardedAgent):
            return agent
        if id(agent) in self.members:
            return self.members[id(agent)][1]
        if type(agent) is not Agent:
            allowed = "an Agent (of its subclasses, it is not known what they run)"
            raise InvalidParameter(_WHERE, "agent", allowed, f"a {type(agent).__name__}")
        said: dict[str, Any] = {
            each.name: getattr(agent, each.name) for each in fields(agent) if each.init
        }
        said |= {"handoffs": [], "tools": list(agent.tools)}
        made = GuardedAgent(**said, family=self)
        self.members[id(agent)] = (agent, made)
        made.handoffs = [self._handoff(each) for each in agent.handoffs]
        for tool in made.tools:
            made.guarded_tool(tool)
        return made

    def _handoff(self, given: Any) -> Any:
        if not isinstance(given, Handoff):
            return self.member(given)
        handoff = cast("Handoff[Any, Any]", given)

        async def invoke(ctx: RunContextWrapper[Any], text: str) -> Any:
            return self.member(await handoff.on_invoke_handoff(ctx, text))

        made = replace(handoff, on_invoke_handoff=invoke)
        target = None if handoff._agent_ref is None else handoff._agent_ref()  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
        if isinstance(target, Agent):
            # The SDK finds the agents of a stored run by this reference.
            made._agent_ref = weakref.ref(self.member(cast("Agent[Any]", target)))  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001
        return made


@dataclass
class GuardedAgent(Agent[Any]):
    """An agent whose tools run under claims only; made by `guarded`."""

    family: _Family = field(kw_only=True, repr=False)
    _gates: dict[int, tuple[Tool, Tool]] = field(
        default_factory=dict[int, tuple[Tool, Tool]], init=False, repr=False, compare=False
    )

    async def get_all_tools(self, run_context: RunContextWrapper[Any]) -> list[Tool]:
        found = await super().get_all_tools(run_context)
        self.family.declared.compare(tool.name for tool in found)
        tools = (self._offered(tool) for tool in found)
        return [tool for tool in tools if tool is not None]

    def _offered(self, tool: Tool) -> Tool | None:
        try:
            return self.guarded_tool(tool)
        except InvalidTool:
            # The author's own tools are checked when the agent is made; a server's costs itself.
            if any(tool is own for own in self.tools):
                raise
            log.exception("tool %r cannot be guarded, and is left out", tool.name)
            return None

    def guarded_tool(self, tool: Tool) -> Tool:
        """Return a tool behind its gate; raises `InvalidTool` if there cannot be one."""
        known = self._gates.get(id(tool))
        if known is None or known[0] is not tool:
            if len(self._gates) >= _MOST_KNOWN:
                self._gates.clear()
            known = self._gates[id(tool)] = (tool, self._behind_gate(tool))
        return known[1]

    def _behind_gate(self, tool: Tool) -> Tool:
        if not isinstance(tool, FunctionTool):
            if tool.name in self.family.unguarded:
                return tool
            raise InvalidTool(
                tool.name,
                "it does not run as a function, so that nothing can be asked before it runs; "
                "name it in unguarded=… to let it run unasked",
            )
        if is_agent_tool(tool):
            return tool
        family = self.family
        definition = family.declared.of(
            tool.name,
            description=tool.description,
            parameters=tool.params_json_schema,
            **_origin(tool),
        )
        gate = Gate(
            source=tool,
            definition=definition,
            guard=family.guard,
            agent=self.name,
            wait=family.wait,
        )
        return gate.tool()


def _origin(tool: FunctionTool) -> dict[str, str]:
    """Return which MCP server a tool comes from: what it was when first seen is pinned."""
    binding = getattr(tool, "_mcp_tool_binding", None)
    return {} if binding is None else {"source": f"{REMOTE}{named(binding[0])[-_LONGEST:]}"}


def is_agent_tool(tool: FunctionTool) -> bool:
    """Return True for a guarded agent as a tool, whose own tools ask; raises for an unguarded one.

    Its body is another run, which is interrupted and resumed: no claim can be held around it.
    """
    if not getattr(tool, "_is_agent_tool", False):
        return False
    if isinstance(getattr(tool, "_agent_instance", None), GuardedAgent):
        return True
    raise InvalidTool(
        tool.name,
        "it is an agent whose tools would run unasked; make it of a guarded one: "
        "guarded(agent, guard=guard).as_tool(…)",
    )
