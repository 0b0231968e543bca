"""The gate alone: from a proposal to the decision that an ungated call may run, without I/O."""

import asyncio
from time import perf_counter

from assent import Context, Person, tool
from assent.domain.calls import Frozen
from assent.domain.policy import Effect, Policy, Rule
from assent.engine.agents import Toolbox
from assent.engine.gate.gate import Gate
from assent.engine.gate.intake import proposed_arguments

ROUNDS = 20_000
ARGUMENTS = '{"customer": "ada"}'


@tool
async def look_up(customer: str, limit: int = 10) -> str:
    """Look a customer up."""
    return f"{customer}: {limit}"


def microseconds() -> dict[str, float]:
    """Mean cost of a decision: the gate itself, and with parsing, normalising and freezing."""
    wanted = Toolbox([look_up], {}).tools["look_up"]
    rules = (
        Rule.of(Effect.DENY, "delete_*"),
        Rule.of(Effect.ASK, "pay", "refund"),
        Rule(effect=Effect.ASK, name="dangerous", risks=frozenset()),
    )[:2]
    gate = Gate(policy=Policy(rules=rules))
    context = Context(
        call_id="call", conversation_id="conv", agent="a", tool="look_up", owner=Person("ada")
    )

    async def gate_only() -> None:
        arguments, _ = proposed_arguments(wanted, ARGUMENTS)
        for _ in range(ROUNDS):
            await gate.rule_on(wanted, arguments, context)

    async def with_intake() -> None:
        for _ in range(ROUNDS):
            arguments, _ = proposed_arguments(wanted, ARGUMENTS)
            Frozen.of(arguments)
            await gate.rule_on(wanted, arguments, context)

    return {"gate": _timed(gate_only()), "intake and gate": _timed(with_intake())}


def _timed(work: object) -> float:
    started = perf_counter()
    asyncio.run(work)  # type: ignore[arg-type]
    return (perf_counter() - started) / ROUNDS * 1e6
