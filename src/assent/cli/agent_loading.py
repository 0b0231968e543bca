"""Loading of the user's own agents by `module:name`."""

import importlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import cast

from assent.engine.agents import Agent
from assent.errors import InvalidCommand


def agents_at(spec: str) -> tuple[Agent, ...]:
    """Return the agents at `module:name`: one agent, several, or a function that returns them."""
    module, _, name = spec.partition(":")
    if not module or not name:
        raise InvalidCommand(f"{spec!r} names no agents: write module:name")
    found = _found(module, name)
    made = found() if callable(found) else found
    several = cast("Iterable[object]", made) if isinstance(made, Iterable) else (made,)
    agents = tuple(agent for agent in several if isinstance(agent, Agent))
    if not agents:
        raise InvalidCommand(f"{spec!r} is neither an Agent nor several of them")
    return agents


def _found(module: str, name: str) -> object:
    # As with `python -m`, modules in the current folder can be named.
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise InvalidCommand(f"there is no module {error.name!r} to import from here") from error
    except AttributeError:
        raise InvalidCommand(f"module {module!r} has no {name!r}") from None
