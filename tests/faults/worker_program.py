"""A worker that can be killed anywhere, and the stories it plays; tests play their rest.

Run as a program it is a nursery: it reads orders from stdin and forks a process for each, so that
a crash costs milliseconds and not the start of an interpreter.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

import assent.store.postgres
import assent.store.sqlite  # noqa: F401 - loaded before the first fork, like the other store
from assent import (
    Agent,
    Assent,
    Person,
    Ran,
    Risk,
    RunAgain,
    Tool,
    approve,
    hitl,
    supply,
    tool,
)
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import RequestKind, TurnStatus
from assent.domain.messages import Prompt, UserSaid
from assent.domain.requests import Request
from assent.engine import failpoints
from assent.engine.queries.snapshots import Turn
from assent.engine.settings import Times
from assent.models.scripted import ScriptStep
from assent.testing import ScriptedModel, calls, says

ADA = Person("ada")
LIFETIME_SECONDS = 40
KEY = "the-message"
TIMES = Times(
    lease=timedelta(milliseconds=700),
    look=timedelta(milliseconds=100),
    flush=timedelta(milliseconds=20),
    grace=timedelta(seconds=5),
)
BEFORE_EFFECT, AFTER_EFFECT = "before_effect", "after_effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a child does, on which database, and where it dies."""

    url: str
    counter: str
    program: str = "play"
    kind: str = "gated"
    dies: str = ""
    by: str = "SIGKILL"
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A story: which tool is called, and how people answer."""

    tool: str
    approval: Verdict = field(default_factory=approve)
    # Decided by a process that runs nothing: the claim is a commit of its own.
    elsewhere: bool = False
    effect: str = "paid 5"


KINDS: Mapping[str, Kind] = {
    "gated": Kind(tool="pay"),
    "edited": Kind(tool="pay", approval=approve({"amount": 7}), effect="paid 7"),
    "ungated": Kind(tool="pay_freely"),
    "idempotent": Kind(tool="pay_repeatably"),
    "elsewhere": Kind(tool="pay", elsewhere=True),
    "hitl": Kind(tool="ask_payer"),
    "slow": Kind(tool="pay_slowly"),
}


class Counter:
    """The world outside: one line per effect, durable before anybody hears of it."""

    def __init__(self, path: str, dies: str = "") -> None:
        self.path, self._dies = path, dies

    def mark(self, line: str) -> str:
        self._die_if(BEFORE_EFFECT)
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, f"{line}\n".encode())
        os.fsync(file)
        os.close(file)
        self._die_if(AFTER_EFFECT)
        return line

    def lines(self) -> list[str]:
        file = Path(self.path)
        return file.read_text().splitlines() if file.exists() else []

    def raise_flag(self, name: str) -> None:
        """Tell other processes something, beside the counter."""
        Path(f"{self.path}.{name}").touch()

    def has_flag(self, name: str) -> bool:
        return Path(f"{self.path}.{name}").exists()

    def _die_if(self, place: str) -> None:
        if self._dies == place:
            os.kill(os.getpid(), signal.SIGKILL)


def tools(counter: Counter) -> list[Tool]:
    async def pay(amount: int) -> str:
        """Pay somebody."""
        return counter.mark(f"paid {amount}")

    async def pay_slowly(amount: int) -> str:
        """Pay somebody, but not before the flag `go`."""
        counter.mark("began")
        while not counter.has_flag("go"):  # noqa: ASYNC110 - another process raises it
            await asyncio.sleep(0.01)
        return counter.mark(f"paid {amount}")

    async def called(amount: int) -> None:
        """Ask whoever pays."""

    async def received(value: str) -> str:
        return counter.mark(value)

    gated = partial(tool, risk=Risk.DANGEROUS, requires_approval=True)
    return [
        gated()(pay),
        gated(name="pay_repeatably", idempotent=True)(pay),
        tool(name="pay_freely", risk=Risk.MODERATE, requires_approval=False)(pay),
        gated()(pay_slowly),
        hitl("ask_payer", output=str, on_tool_called=called, on_response_received=received),
    ]


def script(prompt: Prompt) -> ScriptStep:
    """Stateless, so that it goes on wherever a dead worker stopped."""
    last = prompt.history[-1]
    if not isinstance(last, UserSaid):
        return "Done."
    kind, _, amount = last.text.partition(" ")
    return says("", calls(KINDS[kind].tool, amount=int(amount or 5)))


def engine(
    url: str, counter: Counter, *, worker: bool = True, times: Times = TIMES, lacks: str = ""
) -> Assent:
    having = [item for item in tools(counter) if item.name != lacks]
    agent = Agent("agent", model=ScriptedModel(script), tools=having)
    return Assent(url, agents=[agent], worker=worker, times=times)


def verdict(kind: Kind, request: Request, counter: Counter) -> Verdict:
    """What the person says who looks at the request, and at the world."""
    match request.kind:
        case RequestKind.APPROVAL:
            return kind.approval
        case RequestKind.RESULT:
            return supply(kind.effect)
        case RequestKind.OUTCOME:
            return Ran(output=kind.effect) if counter.lines() else RunAgain()
        case RequestKind.INPUT:
            raise AssertionError("no story asks for input")


async def play(url: str, name: str, counter: Counter) -> Turn:
    """Send the message (again), answer what is asked, until the turn has its answer."""
    kind = KINDS[name]
    async with AsyncExitStack() as stack:
        worker = await stack.enter_async_context(engine(url, counter))
        clerk = worker
        if kind.elsewhere:
            clerk = await stack.enter_async_context(engine(url, counter, worker=False))
        turn_id = await worker.start("agent", name, by=ADA, idempotency_key=KEY)
        turn = await worker.wait(turn_id)
        while turn.status is not TurnStatus.DONE:
            [request] = turn.pending
            await clerk.decide(request.id, verdict(kind, request, counter), by=ADA)
            turn = await worker.wait(turn_id)
        return turn


async def _play(order: Order) -> None:
    await play(order.url, order.kind, Counter(order.counter, order.dies))


async def _work(order: Order) -> None:
    """Only be a worker, until killed."""
    counter = Counter(order.counter, order.dies)
    async with engine(order.url, counter):
        counter.raise_flag("up")
        await asyncio.Event().wait()


async def _decide(order: Order) -> None:
    """Approve everything there is, and acknowledge each only once it is decided."""
    acknowledged = Counter(f"{order.counter}.acknowledged")
    async with engine(order.url, Counter(order.counter)) as worker:
        for request in await worker.pending(person=ADA, limit=1000):
            if request.kind is not RequestKind.APPROVAL:
                continue  # a call that died in an earlier round
            await worker.decide(request.id, approve(), by=ADA)
            acknowledged.mark(request.id)


PROGRAMS: Mapping[str, Callable[[Order], object]] = {
    "play": lambda order: asyncio.run(_play(order)),
    "work": lambda order: asyncio.run(_work(order)),
    "decide": lambda order: asyncio.run(_decide(order)),
}


def _live(order: Order) -> None:
    signal.alarm(LIFETIME_SECONDS)  # whatever goes wrong, no child outlives its test
    os.environ["ASSENT_KEY"] = order.key
    if order.dies not in (BEFORE_EFFECT, AFTER_EFFECT):
        failpoints.arm(order.dies, signal.Signals[order.by])
    PROGRAMS[order.program](order)


def _bear(order: Order) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        _live(order)
        code = 0
    finally:
        sys.stderr.flush()
        os._exit(code)


def _serve() -> None:
    for line in sys.stdin:
        order = json.loads(line)
        if isinstance(order, int):
            answer = os.waitstatus_to_exitcode(os.waitpid(order, 0)[1])
        else:
            answer = _bear(Order(**order))
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


def encoded(order: Order) -> str:
    return json.dumps(asdict(order))


if __name__ == "__main__":
    _serve()
