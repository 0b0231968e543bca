"""An agent of the OpenAI Agents SDK that pays, for tests and as a program of its own.

As a program: `DATABASE LEDGER harmless|deadly FILE`, where FILE holds the paused run, if any.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from agents import Agent, FunctionTool, Model, function_tool, set_tracing_disabled
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

from assent.adapters.openai_agents import GuardedAgent, GuardedRun, guarded, resume, run
from assent.guard import Guard
from tests.adapters.ledger import Ledger, engine

TOOL_CALL = "call_1"
# Traces go to OpenAI.
set_tracing_disabled(True)


def outputs(call: Any) -> list[str]:
    """What the tools have told the model when it was called."""
    items = [] if isinstance(call.input, str) else call.input
    return [item["output"] for item in items if item.get("type") == "function_call_output"]


def asking(*calls: Any) -> ScriptedModel:
    """A model that makes these calls at once, and repeats what it is told of them."""

    def answer(call: Any) -> Any:
        said = outputs(call)
        return [assistant_message("; ".join(said))] if said else list(calls)

    return ScriptedModel([ModelStep.respond(answer) for _ in range(30)])


def pay(to: str = "bob", cents: int = 500, id: str = TOOL_CALL) -> Any:
    return function_call("pay", {"to": to, "cents": cents}, call_id=id)


def pay_tool(ledger: Ledger) -> FunctionTool:
    return function_tool(ledger.pay, name_override="pay", description_override="Pay someone.")


def shop(ledger: Ledger, guard: Guard, model: Model, **options: Any) -> GuardedAgent:
    """An agent whose only tool pays, guarded."""
    return guarded(Agent("shop", model=model, tools=[pay_tool(ledger)]), guard=guard, **options)


async def main(url: str, ledger: Path, what: str, paused: str) -> GuardedRun:
    async with engine(url) as assent:
        guard = assent.guard_for(agent="shop", by="ana")
        agent = shop(Ledger(ledger, deadly=what == "deadly"), guard, asking(pay()))
        return await (resume(agent, paused) if paused else run(agent, "Pay Bob."))


if __name__ == "__main__":
    url, ledger, what, file = sys.argv[1:]
    place = Path(file)
    text = place.read_text() if place.exists() else ""
    result = asyncio.run(main(url, Path(ledger), what, text))
    if result.is_paused:
        place.write_text(result.saved())
    else:
        print(result.final_output)  # noqa: T201
