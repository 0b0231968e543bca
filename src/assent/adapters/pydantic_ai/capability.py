"""The capability that guards all tools of an agent."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.tools import AgentDepsT
from pydantic_ai.toolsets import AbstractToolset

from assent.adapters.declared_tools import DeclaredTools
from assent.adapters.options import checked
from assent.adapters.pydantic_ai.toolset import GuardedToolset
from assent.guard import Guard


@dataclass(kw_only=True)
class Guarded(AbstractCapability[AgentDepsT]):
    """Guards every tool of an agent: `Agent(…, capabilities=[Guarded(guard=guard)])`.

    The parameters are those of `GuardedToolset`.
    """

    guard: Guard
    tools: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])
    wait: float | None = 0
    _declared: DeclaredTools = field(init=False, repr=False)
    # Not parameters here: a guard that is loaded when the model asks for it would guard nothing.
    id: str | None = field(default=None, init=False)
    description: Any = field(default=None, init=False)
    defer_loading: Any = field(default=False, init=False)

    def __post_init__(self) -> None:
        checked("Guarded", guard=self.guard, wait=self.wait)
        self._declared = DeclaredTools(self.tools, where="Guarded")

    def get_wrapper_toolset(
        self, toolset: AbstractToolset[AgentDepsT]
    ) -> AbstractToolset[AgentDepsT]:
        return GuardedToolset(
            toolset, guard=self.guard, tools=self.tools, wait=self.wait, declared=self._declared
        )
