"""A PydanticAI agent that pays, for tests and as a program of its own.

As a program: `DATABASE LEDGER harmless|deadly FILE`, where FILE holds the paused run, if any.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

from pydantic_ai import Agent, AgentRunResult, DeferredToolRequests, FunctionToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from assent.adapters.pydantic_ai import GuardedToolset, resume, saved
from assent.guard import Guard
from tests.adapters.ledger import Ledger, engine

TOOL_CALL = "call_1"


def told(messages: list[ModelMessage]) -> list[ToolReturnPart]:
    """What the tools have told the model in this history."""
    parts = [part for message in messages for part in message.parts]
    return [part for part in parts if isinstance(part, ToolReturnPart)]


def paying(*payments: tuple[str, int]) -> FunctionModel:
    """A model that makes these payments at once, and then repeats what it was told."""

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if returned := told(messages):
            return ModelResponse(parts=[TextPart("; ".join(str(p.content) for p in returned))])
        return ModelResponse(
            parts=[
                ToolCallPart("pay", {"to": to, "cents": cents}, tool_call_id=f"call_{number}")
                for number, (to, cents) in enumerate(payments, start=1)
            ]
        )

    return FunctionModel(answer)


def shop(
    ledger: Ledger, guard: Guard, *payments: tuple[str, int], **options: Any
) -> Agent[object, Any]:
    """An agent whose only tool pays, guarded."""
    plain = FunctionToolset[object]([ledger.pay])
    return Agent(
        paying(*payments or [("bob", 500)]),
        output_type=[str, DeferredToolRequests],
        toolsets=[GuardedToolset(plain, guard=guard, **options)],
    )


async def main(url: str, ledger: Path, what: str, paused: bytes) -> AgentRunResult[Any]:
    async with engine(url) as assent:
        guard = assent.guard_for(agent="shop", by="ana")
        agent = shop(Ledger(ledger, deadly=what == "deadly"), guard)
        return await (resume(agent, guard, paused) if paused else agent.run("Pay Bob."))


if __name__ == "__main__":
    url, ledger, what, file = sys.argv[1:]
    place = Path(file)
    result = asyncio.run(
        main(url, Path(ledger), what, place.read_bytes() if place.exists() else b"")
    )
    if isinstance(result.output, DeferredToolRequests):
        place.write_bytes(saved(result))
    else:
        print(result.output)  # noqa: T201
