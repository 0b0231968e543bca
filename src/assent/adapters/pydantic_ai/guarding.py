"""Agents that are guarded: an approval given to any other one would run what nobody approved."""

from collections.abc import Mapping
from typing import Any

from pydantic_ai import CombinedToolset, WrapperToolset
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.toolsets import AbstractToolset, DynamicToolset

from assent.adapters.pydantic_ai.capability import Guarded
from assent.adapters.pydantic_ai.toolset import GuardedToolset
from assent.errors import InvalidParameter


def want_guarded(where: str, agent: AbstractAgent[Any, Any], options: Mapping[str, Any]) -> None:
    """Raise `InvalidParameter` for an agent without a guard, of its own or of this run."""
    capabilities: list[AbstractCapability[Any]] = list(options.get("capabilities") or ())
    agent.root_capability.apply(capabilities.append)
    toolsets = (*agent.toolsets, *(options.get("toolsets") or ()))
    is_guarded = any(isinstance(each, Guarded) for each in capabilities)
    if not (is_guarded or any(map(_may_guard, toolsets))):
        allowed = "one that is guarded, by Guarded(…) or a GuardedToolset"
        raise InvalidParameter(where, "agent", allowed, f"{agent.name!r}, whose tools would run")


def _may_guard(toolset: AbstractToolset[Any]) -> bool:
    match toolset:
        case GuardedToolset() | DynamicToolset():
            # What a function makes is seen only in the run.
            return True
        case WrapperToolset(wrapped=wrapped):
            return _may_guard(wrapped)
        case CombinedToolset(toolsets=parts):
            return any(map(_may_guard, parts))
        case _:
            return False
