"""The public names, and those of them that people do not make with parameters of their own.

A module is public if a page or an example imports from it, or if it has `__all__` and is in no
package of `INSIDE`: what people need of those is exported by the others.
"""

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from assent import ApprovalRequired
from assent.errors import AssentError

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
INSIDE = ("cli", "config", "demo", "domain", "engine", "ports", "presentation", "store")
IMPORT = re.compile(r"^from (assent[\w.]*) import (\([^)]*\)|.*)$", re.MULTILINE)
# Reason → names below `assent`. Protocols, abstract classes, enums and errors need none.
EXEMPT: dict[str, set[str]] = {
    "asks something about a tool, and makes nothing": {
        "is_auto_resolvable_tool",
        "is_hitl_tool",
        "is_manual_tool",
        "requires_approval",
    },
    "takes nothing": {"channels.webhook.new_secret"},
    "a guard makes them, and checks them when they are given back to it": {
        "guard.CallClaim",
        "guard.GuardedCall",
        "guard.RenewedClaim",
    },
    "made of what a coding agent sent, which is refused as a whole if it is no event": {
        "adapters.hooks.After",
        "adapters.hooks.Before",
        "adapters.hooks.Ended",
        "adapters.hooks.event_of",
    },
    "a gate returns them": {
        "adapters.hooks.Allowed",
        "adapters.hooks.Denied",
        "adapters.hooks.Undecided",
    },
    "returned by `guarded` and `run`": {
        "adapters.openai_agents.GuardedAgent",
        "adapters.openai_agents.GuardedRun",
    },
    "goes on with a run that paused: tested where there is one": {
        "adapters.langgraph.look_again",
        "adapters.openai_agents.resume",
        "adapters.openai_agents.run",
        "adapters.pydantic_ai.resume",
        "adapters.pydantic_ai.saved",
    },
    "reads a file of servers, and says where it is wrong": {"adapters.mcp.config.servers_of"},
    "the engine makes them, for channels that draw them": {
        "channels.Ask",
        "channels.Assent",
        "channels.Button",
        "channels.ChatAccount",
        "channels.ChatThread",
        "channels.Fill",
        "channels.Post",
        "channels.PostItem",
        "channels.Reference",
        "channels.Tell",
        "domain.cards.Card",
        "domain.cards.Choice",
    },
    "draws what the engine made": {
        "presentation.settled.settled_words",
        "presentation.values.entries_of",
    },
    "what a model hears and says: foreign, so that the engine bounds and checks it as it comes": {
        "models.Answer",
        "models.ArgumentsDelta",
        "models.MediaBlock",
        "models.ModelSaid",
        "models.Prompt",
        "models.Proposal",
        "models.ReasoningDelta",
        "models.TextBlock",
        "models.TextDelta",
        "models.ToolOutput",
        "models.ToolSpec",
        "models.Usage",
        "models.UserSaid",
    },
    "the server makes them, for protocols that write them": {
        "server.streams.CallProposed",
        "server.streams.CallRevised",
        "server.streams.CallSettled",
        "server.streams.Opened",
        "server.streams.Progressed",
        "server.streams.ReasoningSaid",
        "server.streams.RequestClosed",
        "server.streams.Requested",
        "server.streams.StepFinished",
        "server.streams.StepPaused",
        "server.streams.StepReset",
        "server.streams.StepStarted",
        "server.streams.StreamReader",
        "server.streams.StreamRequest",
        "server.streams.StreamStart",
        "server.streams.TextSaid",
        "server.streams.TurnErrored",
        "server.streams.TurnFinished",
        "server.streams.TurnStopped",
        "server.streams.TurnWaiting",
    },
    "a suite that pytest makes, and what its tests look at: a wrong value fails them at once": {
        "testing.channels.ChannelSuite",
        "testing.channels.ChatSuite",
        "testing.channels.Heard",
        "testing.channels.PeopleSuite",
        "testing.channels.Play",
        "testing.channels.Shown",
        "testing.channels.playing",
        "testing.channels.until",
    },
}
NOT_MADE = {name for names in EXEMPT.values() for name in names}


def public() -> dict[str, Any]:
    """What people may make, by name below `assent`; each thing once, by the first name it has."""
    made: dict[str, Any] = {}
    for name, thing in (*exported(), *documented()):
        if is_made(thing) and not any(thing is known for known in made.values()):
            made[name] = thing
    return made


def is_made(thing: object) -> bool:
    """Whether people make something with it; enums check themselves, most errors we raise."""
    if isinstance(thing, type) and thing is not ApprovalRequired:
        is_shape = getattr(thing, "_is_protocol", False) or inspect.isabstract(thing)
        return not (is_shape or issubclass(thing, Enum | AssentError))
    return isinstance(thing, type | FunctionType)


def exported() -> Iterator[tuple[str, object]]:
    """Everything in `__all__` of the public modules."""
    for path in sorted(SRC.glob("assent/**/*.py")):
        parts = path.relative_to(SRC).with_suffix("").parts
        if parts[1] in INSIDE or "__all__" not in path.read_text():
            continue
        module = import_module(".".join(parts).removesuffix(".__init__"))
        for name in module.__all__:
            yield below(f"{module.__name__}.{name}"), getattr(module, name)


def documented() -> Iterator[tuple[str, object]]:
    """Everything of ours that the documentation and the examples import."""
    pages = [*ROOT.glob("docs/*.md"), ROOT / "README.md", *ROOT.glob("examples/**/*.py")]
    for module, names in IMPORT.findall("\n".join(page.read_text() for page in pages)):
        for name in re.findall(r"\w+", names.partition("#")[0]):
            thing = getattr(import_module(module), name, None)
            yield below(f"{module}.{name}"), thing or import_module(f"{module}.{name}")


def below(name: str) -> str:
    return name.removeprefix("assent.")
