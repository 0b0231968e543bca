"""More stories for processes that die: forms, bodies that ask, tasks, supplied results, batches.

Run as a program it is a nursery like `worker_program`, for these stories.
"""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from assent import (
    Agent,
    ApprovalRequired,
    Assent,
    Context,
    Deferred,
    Field,
    FieldType,
    Ran,
    Risk,
    RunAgain,
    Tool,
    UserInput,
    answer,
    approve,
    manual,
    supply,
    tool,
)
from assent.domain.calls import Call
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import RequestKind, TurnStatus
from assent.domain.messages import Prompt, UserSaid
from assent.domain.requests import Request
from assent.engine.queries.snapshots import Turn
from assent.models.scripted import ScriptStep
from assent.testing import ScriptedModel, calls, says
from tests.faults import worker_program
from tests.faults.worker_program import ADA, KEY, TIMES, Counter, Order

TASK, PIN = "task-1", "the-pin-of-bob"


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Which calls the model makes, and what the world shows afterwards, by the call's amount."""

    tool: str
    effects: Mapping[int, str]
    # Decided together, by one call of `decide_all`.
    batch: bool = False


STORIES: Mapping[str, Story] = {
    "form": Story(tool="pay_by_form", effects={5: f"paid 5 to bob with {PIN}"}),
    "gated_form": Story(tool="pay_by_gated_form", effects={5: f"paid 5 to bob with {PIN}"}),
    "asks": Story(tool="pay_and_ask", effects={5: "paid 5"}),
    "deferred": Story(tool="order_payment", effects={5: "ordered 5"}),
    "manual": Story(tool="sign", effects={}),
    "batch": Story(tool="pay", effects={5: "paid 5", 7: "paid 7"}, batch=True),
}
SUPPLIED = {"order_payment": "paid 5", "sign": "signed"}


def _forms(counter: Counter) -> list[Tool]:
    async def pay(amount: int, to: str, pin: str) -> str:
        """Pay somebody."""
        counter.mark(f"paid {amount} to {to} with {pin}")
        return f"paid {amount} to {to}"

    form = UserInput("Who gets it?", [Field("to"), Field("pin", type=FieldType.SECRET)])
    return [
        tool(name=name, risk=Risk.MODERATE, requires_approval=gated, user_input=form)(pay)
        for name, gated in (("pay_by_form", False), ("pay_by_gated_form", True))
    ]


def tools(counter: Counter) -> list[Tool]:
    async def pay(amount: int) -> str:
        """Pay somebody."""
        return counter.mark(f"paid {amount}")

    async def pay_and_ask(amount: int, ctx: Context) -> str:
        """Pay somebody, but ask before."""
        if not ctx.approved:
            raise ApprovalRequired({"reason": "it is much"})
        return counter.mark(f"paid {amount}")

    async def order_payment(amount: int) -> Deferred:
        """Have somebody paid by another process."""
        counter.mark(f"ordered {amount}")
        return Deferred(TASK)

    def amounts(amount: int) -> None: ...

    ungated = {"risk": Risk.MODERATE, "requires_approval": False}
    return [
        tool(risk=Risk.DANGEROUS, requires_approval=True)(pay),
        tool(**ungated)(pay_and_ask),
        tool(**ungated)(order_payment),
        manual("sign", description="Sign it.", parameters=amounts),
        *_forms(counter),
    ]


def script(prompt: Prompt) -> ScriptStep:
    """Stateless, so that it goes on wherever a dead worker stopped."""
    last = prompt.history[-1]
    if not isinstance(last, UserSaid):
        return "Done."
    story = STORIES[last.text]
    return says("", *(calls(story.tool, amount=amount) for amount in story.effects or (5,)))


def engine(url: str, counter: Counter) -> Assent:
    agent = Agent("agent", model=ScriptedModel(script), tools=tools(counter))
    return Assent(url, agents=[agent], times=TIMES)


def verdict(story: Story, request: Request, call: Call, counter: Counter) -> Verdict:
    """What the person says who looks at the request, and at the world."""
    match request.kind:
        case RequestKind.APPROVAL:
            return approve()
        case RequestKind.INPUT:
            return answer(to="bob", pin=PIN)
        case RequestKind.RESULT:
            return supply(SUPPLIED[call.tool])
        case RequestKind.OUTCOME:
            amount = call.arguments.thaw()["amount"]
            happened = story.effects[int(str(amount))] in counter.lines()
            return Ran(output="it did") if happened else RunAgain()


async def answered(assent: Assent, story: Story, turn: Turn, counter: Counter) -> None:
    """Everything that a turn waits for is answered once."""
    by_id = {call.id: call for call in turn.calls}
    said: list[tuple[str, Verdict]] = []
    for request in turn.pending:
        call = by_id[request.call_id]
        if call.task_id is not None and request.kind is RequestKind.RESULT:
            await assent.resolve(TASK, SUPPLIED[call.tool])
        else:
            said.append((request.id, verdict(story, request, call, counter)))
    if story.batch:
        for outcome in await assent.decide_all(said, by=ADA):
            if outcome.error is not None:
                raise outcome.error
        return
    for request_id, given in said:
        await assent.decide(request_id, given, by=ADA)


async def play(url: str, name: str, counter: Counter) -> Turn:
    """Send the message (again), answer what is asked, until the turn has its answer."""
    async with AsyncExitStack() as stack:
        worker = await stack.enter_async_context(engine(url, counter))
        turn_id = await worker.start("agent", name, by=ADA, idempotency_key=KEY)
        turn = await worker.wait(turn_id)
        while turn.status is not TurnStatus.DONE:
            await answered(worker, STORIES[name], turn, counter)
            turn = await worker.wait(turn_id)
        return turn


def _play(order: Order) -> None:
    asyncio.run(play(order.url, order.kind, Counter(order.counter, order.dies)))


if __name__ == "__main__":
    worker_program.PROGRAMS = {"play": _play}
    worker_program._serve()
