"""Tools whose code is elsewhere: found by the definition that was stored with a call."""

from assent.domain.calls import Call
from assent.domain.definitions import defined
from assent.domain.tools import EffectiveTool
from assent.engine.agents import Catalogue
from assent.ports import Tx


def tool_of(tx: Tx, catalogue: Catalogue, call: Call) -> EffectiveTool | None:
    """Return the tool of a call; one that its caller runs is read from its row if need be."""
    found = catalogue.tool_of(call)
    if found is not None or not call.by_caller:
        return found
    stored = tx.definitions.get(call.agent, call.definition_hash)
    return None if stored is None else catalogue.learn(call.agent, defined(stored))


def learn_newest(tx: Tx, catalogue: Catalogue, agent: str, name: str) -> EffectiveTool | None:
    """Return the newest tool of this name that an agent has, here or elsewhere."""
    found = catalogue.tool(agent, name)
    if found is not None:
        return found
    stored = tx.definitions.newest(agent, name)
    return None if stored is None else catalogue.learn(agent, defined(stored))
