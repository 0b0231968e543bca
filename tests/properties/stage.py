"""A real engine on a SQLite file that rules can restart, kill, hold up and let run dry."""

import asyncio
import logging
import sqlite3
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from assent import Agent, AssentError, Limits, Override, Person, PersonKind, Rule, Tool
from assent.domain.messages import Answer, Delta, ModelSaid, Prompt
from assent.domain.policy import Policy
from assent.engine.agents import DECIDE_WITHIN
from assent.engine.assent import Assent
from assent.engine.engine import Wiring
from assent.engine.settings import Times
from assent.engine.vault import Keyring, Vault
from assent.models.scripted import ScriptStep
from assent.ports import Tx
from assent.store.sqlite import SqliteStore
from assent.testing import ScriptedModel, VirtualClock

T = TypeVar("T")

ADA = Person("ada")
BOB = Person("bob", roles=frozenset({"boss"}))
EVE = Person("eve")
ROOT = Person("root", roles=frozenset({"admin"}))
BOT = Person("bot", roles=frozenset({"boss"}), kind=PersonKind.AGENT)
CRON = Person("cron", kind=PersonKind.SERVICE)
SYSTEM = Person("system", roles=frozenset({"system"}), kind=PersonKind.SERVICE)
PEOPLE = {person.id: person for person in (ADA, BOB, EVE, ROOT, BOT, CRON, SYSTEM)}

REST_SECONDS = 20.0
# So often nothing moves before it counts as rest: a task takes a few steps between transactions.
_QUIET_ROUNDS = 10
# Hours by the virtual clock; by the real one, so long that no heartbeat or look disturbs a rule.
TIMES = Times(
    lease=timedelta(hours=1),
    look=timedelta(hours=1),
    flush=timedelta(0),
    grace=timedelta(0),
)
_WORK = ("assent-turn-", "assent-call-", "assent-claim-", "assent-late-", "assent-outbox-")
_SLOTTED = ("assent-call-", "assent-claim-")
_BODY = "assent-body-"
# An outcome that comes after its lease was lost is told at this level on purpose.
_EXPECTED = ("came after its time or its lease",)


class Line:
    """The store, deaf to other processes so that rules decide when it looks; `cut` is kill -9."""

    def __init__(self, path: Path, clock: VirtualClock, *, is_first: bool) -> None:
        self._store = SqliteStore(str(path), clock=clock)
        self._is_first = is_first
        self._is_cut = False
        # How many transactions are on their way.
        self.at_work = 0

    async def open(self, *, worker: bool) -> None:
        # A second worker is what PostgreSQL has and SQLite's lock refuses; the rows are the same.
        await self._store.open(worker=worker and self._is_first)

    async def close(self) -> None:
        await self._store.close()

    async def run(self, fn: Callable[[Tx], T]) -> T:
        await self._alive()
        self.at_work += 1
        try:
            result = await self._store.run(fn)
        finally:
            self.at_work -= 1
        await self._alive()
        return result

    def listen(self, heard: Callable[[frozenset[str]], None]) -> None:
        self._store.listen(lambda touched: heard(touched) if touched else None)

    def listen_for_work(self, found: Callable[[], None]) -> None:
        del found

    def cut(self) -> None:
        """From now on nothing is heard from or said to the database."""
        self._is_cut = True

    async def _alive(self) -> None:
        if self._is_cut:
            await asyncio.get_running_loop().create_future()


class Holds:
    """Work that stands still until a rule lets it go."""

    def __init__(self) -> None:
        self._gates: dict[asyncio.Task[Any], asyncio.Event] = {}

    @property
    def tasks(self) -> frozenset[asyncio.Task[Any]]:
        return frozenset(self._gates)

    async def hold(self) -> None:
        """Stand still, in the task that calls."""
        task = asyncio.current_task()
        assert task is not None
        gate = self._gates[task] = asyncio.Event()
        try:
            await gate.wait()
        finally:
            self._gates.pop(task, None)

    def release(self, index: int) -> bool:
        """Let one go; False if nothing is held."""
        if not self._gates:
            return False
        task = list(self._gates)[index % len(self._gates)]
        self._gates.pop(task).set()
        return True


class Mind:
    """The model: says what rules queued, checks that its prompts are valid, can be held up."""

    def __init__(self, holds: Holds, complain: Callable[[str], None]) -> None:
        self.queue: deque[ScriptStep] = deque()
        self.hold_next = False
        self._holds, self._complain = holds, complain
        self._scripted = ScriptedModel(self._answer)
        self.name = self._scripted.name

    async def request(self, prompt: Prompt) -> Answer:
        return await self._scripted.request(prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        hold, self.hold_next = self.hold_next, False
        async for item in self._scripted.stream(prompt):
            yield item
            if hold:
                hold = False
                await self._holds.hold()

    def _answer(self, prompt: Prompt) -> ScriptStep:
        for said in prompt.history:
            if isinstance(said, ModelSaid):
                asked = [proposal.provider_id for proposal in said.answer.proposals]
                told = [output.provider_id for output in said.outputs]
                if asked != told:
                    self._complain(f"a prompt has outputs {told} for calls {asked}")
        if not prompt.tools:
            return "Out of steps."
        return self.queue.popleft() if self.queue else "All done."


class Errors(logging.Handler):
    """Keeps what was logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        line = record.getMessage()
        if not any(expected in line for expected in _EXPECTED):
            cause = record.exc_info[1] if record.exc_info else None
            self.lines.append(f"{line} ({cause!r})" if cause else line)


class Stage:
    """One engine at a time on one file, its clock, its people's second process, and its end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.clock = VirtualClock()
        self.holds = Holds()
        self.complaints: list[str] = []
        self.mind = Mind(self.holds, self.complaints.append)
        self.errors = Errors()
        self.db = sqlite3.connect(path, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self._numbers = count(1)
        self._vault = Vault(Keyring.generate())
        self._runner = asyncio.Runner()
        logging.getLogger().addHandler(self.errors)

    def ids(self, prefix: str) -> str:
        """Ids that sort by age and are the same in every replay."""
        return f"{prefix}_{next(self._numbers):06}"

    def do(self, work: Callable[[], Any]) -> Any:
        """Run something on the stage's own loop and let everything come to rest."""

        async def rested() -> Any:
            try:
                return await work()
            finally:
                await self.rest()

        return self._runner.run(rested())

    def open(self, tools: Iterable[Tool], rules: Iterable[Rule], *, parallel: int) -> None:
        """Start the engine."""
        self.tools, self.rules, self.parallel = tuple(tools), tuple(rules), parallel
        self._lines: list[Line] = []
        self.versions: set[str] = set()
        self._replica: Assent | None = None
        self.assent = self._engine(worker=True)
        self.do(self.assent.__aenter__)
        self.versions.add(self.assent.kernel.policy_version)

    async def override(self, tool: str, override: Override | None) -> None:
        """Change a tool's settings; a claim that was made before is not judged once more."""
        # A replica hears of it a moment later; until then it would judge by what it knew.
        await self.dismiss()
        await self.assent.override(tool, override, by=ROOT)
        self.versions.add(self.assent.kernel.policy_version)

    def _engine(self, *, worker: bool) -> Assent:
        limits = Limits(steps=8, calls_per_answer=4, parallel=self.parallel)
        agent = Agent("agent", model=self.mind, tools=self.tools, limits=limits)
        is_first = worker and not self._lines
        line = Line(self.path, self.clock, is_first=is_first)
        wiring = Wiring(
            store=line,
            clock=self.clock,
            vault=self._vault,
            agents=[agent],
            models={"agent": self.mind},
            policy=Policy(rules=self.rules),
            alone=is_first,
            worker=worker,
            decide_within=DECIDE_WITHIN,
            ids=self.ids,
            times=TIMES,
        )
        if worker:
            self._lines.append(line)
        return Assent(wiring)

    @asynccontextmanager
    async def desk(self) -> AsyncIterator[Assent]:
        """A second process that reads and decides, and runs nothing."""
        async with self._engine(worker=False) as assent:
            yield assent

    async def replica(self) -> Assent:
        """A second worker, started when it is first wanted."""
        if self._replica is None:
            self._replica = await self._engine(worker=True).__aenter__()
        return self._replica

    async def dismiss(self) -> None:
        """Stop the second worker, if there is one."""
        if self._replica is not None:
            await self._replica.__aexit__(None, None, None)
            self._replica, self._lines = None, self._lines[:1]

    def close(self) -> None:
        """Stop the engine: what does not end at once is cancelled."""

        async def close() -> None:
            await self.dismiss()
            await self.assent.__aexit__(None, None, None)

        self._runner.run(close())

    async def crash(self) -> None:
        """Everything of the processes is gone; what was committed stays."""
        for line in self._lines:
            line.cut()
        current = asyncio.current_task()
        while others := asyncio.all_tasks() - {current}:
            for task in others:
                task.cancel()
            for _ in range(5):
                await asyncio.sleep(0)
        for line in self._lines:
            await line.close()

    def dispose(self) -> None:
        """Give everything back."""
        logging.getLogger().removeHandler(self.errors)
        self._runner.close()
        self.db.close()

    async def rest(self) -> None:
        """Until nothing moves but what is held."""
        loop = asyncio.get_running_loop()
        until, quiet = loop.time() + REST_SECONDS, 0
        while quiet < _QUIET_ROUNDS:
            busy = self._busy()
            # Who waits for a slot and who records what came of one look alike; the store does not.
            quiet = 0 if busy or any(line.at_work for line in self._lines) else quiet + 1
            if busy:
                await asyncio.wait(busy, timeout=0.003, return_when=asyncio.FIRST_COMPLETED)
            else:
                await asyncio.sleep(0 if quiet else 0.001)
            if loop.time() > until:
                raise AssertionError(f"no rest: {sorted(task.get_name() for task in busy)}")

    def _busy(self) -> set[asyncio.Task[Any]]:
        # Bodies too: one that has just ended late is on its way to the record.
        names = (*_WORK, _BODY)
        work = {task for task in asyncio.all_tasks() if task.get_name().startswith(names)}
        still = set(self.holds.tasks)
        for turn_id, bodies in self._held_bodies().items():
            slotted = [task for task in work if _is_slotted(task, turn_id)]
            # One waits for each body that is held, and all do for a slot once there are enough.
            still |= set(slotted if bodies >= self.parallel else slotted[:bodies])
        return work - still

    def _held_bodies(self) -> Counter[str]:
        """How many bodies of each turn stand still."""
        names = [task.get_name() for task in self.holds.tasks]
        ids = [name.removeprefix(_BODY) for name in names if name.startswith(_BODY)]
        turn_of = "SELECT turn_id FROM calls WHERE id = ?"
        return Counter(self.db.execute(turn_of, [id]).fetchone()[0] for id in ids)


def _is_slotted(task: asyncio.Task[Any], turn_id: str) -> bool:
    return task.get_name() in [f"{kind}{turn_id}" for kind in _SLOTTED]


async def refused(
    work: Callable[..., Awaitable[object]], *args: object, **named: Any
) -> AssentError | None:
    """What an attempt was refused with, if it was."""
    try:
        await work(*args, **named)
    except AssentError as error:
        return error
    return None
