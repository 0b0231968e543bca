"""Agents, their toolboxes, and the catalogue of both."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

from assent.domain import parameters
from assent.domain.bodies import Preview
from assent.domain.calls import Call
from assent.domain.canonical import digest, encode
from assent.domain.declarations import ToolLike, declared
from assent.domain.forms import UserInput
from assent.domain.mcp_servers import McpServer
from assent.domain.messages import ToolSpec
from assent.domain.origins import Origin
from assent.domain.parameters import Check, either, hidden, optional, settle
from assent.domain.tools import EffectiveTool, Override, Tool, effective, is_manual_tool
from assent.errors import InvalidParameter, InvalidTool, NotFound
from assent.ports import ChatModel

# How long a question stays open if neither its tool, nor a rule, nor the deployment sets a limit.
DECIDE_WITHIN: Final = timedelta(hours=24)
# A caller may change its tools as often as it likes; older ones are read again when needed.
MOST_LEARNT: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one turn."""

    steps: int = 16
    calls_per_answer: int = 16
    parallel: int = 4
    invalid_arguments: int = 3
    repeats: int = 3
    model_retries: int = 2
    # Text, reasoning and arguments counted together: a model's stream need not end by itself.
    answer_chars: int = 1_000_000

    def __post_init__(self) -> None:
        settle(self, _LIMITS)


_LIMITS: Final = {
    "steps": parameters.whole(1),
    "calls_per_answer": parameters.whole(1),
    "parallel": parameters.whole(1),
    "invalid_arguments": parameters.whole(0),
    "repeats": parameters.whole(1),
    "model_retries": parameters.whole(0),
    "answer_chars": parameters.whole(1),
}


def _chat_model(given: object) -> object:
    fits = all(callable(getattr(given, name, None)) for name in ("request", "stream"))
    return given if fits and not isinstance(given, type) else parameters.unfit()


def _tools(given: object) -> object:
    several = parameters.items(given)
    return tuple(declared(item) for item in ([given] if several is None else several))  # pyright: ignore[reportArgumentType]


McpGiven = McpServer | Mapping[str, Any] | str | Path


def _is_mcp(given: object) -> bool:
    if isinstance(given, str):
        return given.strip() != ""
    return isinstance(given, McpServer | Mapping | Path)


def _mcp(given: object) -> object:
    listed = [given] if _is_mcp(given) else parameters.items(given)
    fits = listed is not None and all(map(_is_mcp, listed))
    return tuple(listed) if fits and listed is not None else parameters.unfit()


@dataclass(frozen=True, slots=True)
class Agent:
    """A model with instructions and tools; conversations refer to the agent by its name."""

    name: str
    model: str | ChatModel = field(kw_only=True)
    tools: ToolLike | Iterable[ToolLike] = field(default=(), kw_only=True)
    instructions: str = field(default="", kw_only=True)
    limits: Limits = field(default_factory=Limits, kw_only=True)
    stream: bool = field(default=True, kw_only=True)
    base_url: str | None = field(default=None, kw_only=True)
    api_key: str | None = field(default=None, kw_only=True, repr=False)
    # MCP servers whose tools it has, too: McpServers, files that name some, or such content.
    mcp: "McpGiven | Iterable[McpGiven]" = field(default=(), kw_only=True)
    # Messages that a chat offers to people who do not know how to begin.
    suggestions: Sequence[str] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        settle(self, _AGENT, called="name")
        if repeated := repeated_names(tool.name for tool in self.declared):
            raise InvalidTool(repeated[0], f"agent {self.name!r} has two tools of that name")

    @property
    def declared(self) -> tuple[Tool, ...]:
        """The agent's tools, all as `Tool`, in whichever form they were given."""
        return cast("tuple[Tool, ...]", self.tools)


_AGENT: Final = {
    "name": parameters.name,
    "model": either(parameters.name, Check("a chat model", _chat_model)),
    "tools": Check("a tool or several tools", _tools),
    "instructions": parameters.text,
    "limits": parameters.instance(Limits),
    "stream": parameters.flag,
    "base_url": optional(parameters.name),
    "api_key": hidden(optional(parameters.text)),
    "mcp": Check("McpServers, files that name them, or mappings with 'mcpServers'", _mcp),
    "suggestions": parameters.ordered_names,
}


_AGENTS: Final = parameters.several(parameters.instance(Agent), tuple, "an Agent or several Agents")


def agents_of(given: Agent | Iterable[Agent]) -> tuple[Agent, ...]:
    """Return the agents of an engine, each under a name of its own."""
    agents: tuple[Agent, ...] = _AGENTS.taken("Assent", "agents", given)
    if repeated := repeated_names(agent.name for agent in agents):
        raise InvalidParameter("Assent", "agents", "of different names", f"two {repeated[0]!r}")
    return agents


def repeated_names(names: Iterable[str]) -> list[str]:
    """Return the names that are given more than once, sorted."""
    return sorted(name for name, times in Counter(names).items() if times > 1)


def _deployed(
    tool: Tool, override: Override | None, decide_within: timedelta | None
) -> EffectiveTool:
    """Return a tool with its override, and with the deployment's deadline if it has none itself."""
    found = effective(tool, override)
    if found.origins.get("decide_within") is not Origin.DEFAULT:
        return found
    return replace(found, decide_within=decide_within)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A tool of a server outside, and the change of its definition that nobody has accepted."""

    tool: Tool
    change: Preview | None = None


class Toolbox:
    """The tools of one agent, with this deployment's overrides."""

    def __init__(
        self,
        tools: Iterable[Tool],
        overrides: Mapping[str, Override],
        decide_within: timedelta | None = DECIDE_WITHIN,
        changes: Mapping[str, Preview] = MappingProxyType({}),
    ) -> None:
        deployed = (_deployed(tool, overrides.get(tool.name), decide_within) for tool in tools)
        self.tools = MappingProxyType(
            {item.tool.name: replace(item, change=changes.get(item.tool.name)) for item in deployed}
        )
        self.specs = tuple(
            ToolSpec(
                name=item.tool.name,
                description=item.tool.description,
                parameters=item.tool.arguments.visible,
            )
            for item in self.tools.values()
        )
        # False if no tool has a form: then the saved answers of a conversation are not read.
        self.asks = any(item.tool.user_input for item in self.tools.values())

    @classmethod
    def of(cls, tool: EffectiveTool | None) -> "Toolbox":
        """Return a toolbox with one tool, which its deployment's overrides already apply to."""
        box = cls((), {})
        box.tools = MappingProxyType({} if tool is None else {tool.tool.name: tool})
        return box

    def get(self, name: str) -> EffectiveTool | None:
        """Return the tool with exactly this name."""
        return self.tools.get(name)

    def forms(self, names: Iterable[str]) -> list[tuple[EffectiveTool, UserInput]]:
        """Return those of the named tools that have a form, with it."""
        found = (self.tools[name] for name in names if name in self.tools)
        return [(each, each.tool.user_input) for each in found if each.tool.user_input is not None]


def _by_name(agents: Iterable[Agent]) -> dict[str, Agent]:
    found: dict[str, Agent] = {}
    for agent in agents:
        if found.setdefault(agent.name, agent) is not agent:
            different = "Agents of different names"
            raise InvalidParameter("Assent", "agents", different, f"two named {agent.name!r}")
    return found


class Catalogue:
    """All agents with their models and toolboxes; rebuilt when an override changes."""

    def __init__(
        self,
        agents: Iterable[Agent],
        models: Mapping[str, ChatModel],
        *,
        decide_within: timedelta | None = DECIDE_WITHIN,
    ) -> None:
        self._agents = _by_name(agents)
        self._models, self._decide_within = models, decide_within
        # Tools that their callers run, by agent and definition; and the newest of each name.
        self._outside = dict[tuple[str, str], EffectiveTool]()
        self._newest = dict[tuple[str, str], EffectiveTool]()
        self._remote: Mapping[str, Sequence[Remote]] = {}
        self.override({})

    def override(self, overrides: Mapping[str, Override]) -> None:
        """Apply a deployment's overrides to every toolbox."""
        self.overrides = dict(overrides)
        self._build()
        # Read again from their rows, under the new overrides.
        self._outside.clear()
        self._newest.clear()
        shown = {name: _shown(override) for name, override in sorted(overrides.items())}
        self.version = digest(encode(shown)) if shown else ""  # pyright: ignore[reportArgumentType]

    def extend(self, remote: Mapping[str, Sequence[Remote]]) -> None:
        """Give each agent the tools of servers outside, in place of those it had from there."""
        self._remote = {name: tuple(several) for name, several in remote.items()}
        self._build()

    def _build(self) -> None:
        self.refused = list[str]()
        self._boxes = {name: self._box(agent) for name, agent in self._agents.items()}

    def _box(self, agent: Agent) -> Toolbox:
        # A stranger's tool never takes the place of another, whichever was there first.
        remote = self._remote.get(agent.name, ())
        names = [*(tool.name for tool in agent.declared), *(each.tool.name for each in remote)]
        taken = frozenset(repeated_names(names))
        kept = [each for each in remote if each.tool.name not in taken]
        self.refused += [
            f"{each.tool.name!r} of {each.tool.source}: agent {agent.name!r} has two of that name"
            for each in remote
            if each.tool.name in taken
        ]
        tools = (*agent.declared, *(each.tool for each in kept))
        changes = {each.tool.name: each.change for each in kept if each.change is not None}
        return Toolbox(tools, self.overrides, self._decide_within, changes)

    def agent(self, name: str) -> Agent:
        """Return the agent with this name."""
        found = self._agents.get(name)
        if found is None:
            raise NotFound(
                "agent", name, f"there is {', '.join(map(repr, self._agents)) or 'none'}"
            )
        return found

    def parallel(self, agent: str) -> int:
        """Return how many calls of a turn run together; one if the agent no longer exists."""
        found = self._agents.get(agent)
        return 1 if found is None else found.limits.parallel

    def names(self) -> list[str]:
        """Return the names of all agents, in the order in which they were given."""
        return list(self._agents)

    def model(self, agent: str) -> ChatModel:
        """Return the model that an agent talks to."""
        return self._models[agent]

    async def close(self) -> None:
        """Close the connections of those models that hold any."""
        for model in self._models.values():
            aclose = getattr(model, "aclose", None)
            if aclose is not None:
                await aclose()

    def toolbox(self, agent: str) -> Toolbox:
        """Return the tools of an agent; an empty toolbox for an agent that no longer exists."""
        return self._boxes.get(agent) or Toolbox((), {})

    def tool(self, agent: str, name: str) -> EffectiveTool | None:
        """Return one tool of an agent, or None if either no longer exists."""
        return self.toolbox(agent).get(name) or self._newest.get((agent, name))

    def learn(self, agent: str, tool: Tool) -> EffectiveTool:
        """Keep a tool that its caller runs, with this deployment's override."""
        for kept in (self._outside, self._newest):
            while len(kept) >= MOST_LEARNT:
                del kept[next(iter(kept))]
        found = _deployed(tool, self.overrides.get(tool.name), self._decide_within)
        self._newest[agent, tool.name] = self._outside[agent, tool.definition_hash] = found
        return found

    def learnt(self, agent: str, definition_hash: str) -> EffectiveTool | None:
        """Return a tool that its caller runs, as it was defined then; None if it is not known."""
        return self._outside.get((agent, definition_hash))

    def tool_of(self, call: Call) -> EffectiveTool | None:
        """Return the tool of a call, if it is known here; one that its caller runs, as defined."""
        if call.by_caller:
            return self.learnt(call.agent, call.definition_hash)
        return self.tool(call.agent, call.tool)

    def every_tool(self) -> list[EffectiveTool]:
        """Return the tools of all agents."""
        return [tool for box in self._boxes.values() for tool in box.tools.values()]

    def manual_tools(self, agent: str) -> frozenset[str]:
        """Return the names of an agent's manual tools."""
        tools = self.toolbox(agent).tools.items()
        return frozenset(name for name, item in tools if is_manual_tool(item.tool))


def _shown(override: Override) -> dict[str, str]:
    return {name: str(getattr(override, name)) for name in Override.__dataclass_fields__}
