"""The kernel: the parts that all of the engine shares."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeVar

from assent.domain.canonical import digest
from assent.domain.conversations import TurnRow
from assent.domain.own_rules import NO_RULES, OwnRules
from assent.domain.policy import Policy
from assent.domain.requests import Request
from assent.domain.tools import Predicate
from assent.engine.agents import Catalogue
from assent.engine.feed import Bus
from assent.engine.gate.gate import Gate
from assent.engine.gate.own_rules import KnownRules
from assent.engine.gate.quotas import Quotas
from assent.engine.ids import Ids
from assent.engine.runs.outcomes import Bodies
from assent.engine.runs.scrubber import LogScrubber
from assent.engine.settings import Texts, Times
from assent.engine.vault import Vault
from assent.ports import Clock, Store

log = logging.getLogger(__name__)
T = TypeVar("T")


class Tasks:
    """Owns every background task, by name and by the turn it works for."""

    def __init__(self) -> None:
        self._of_turn: dict[str, set[asyncio.Task[Any]]] = {}
        self._all: set[asyncio.Task[Any]] = set()
        self.closing = False

    def spawn(self, turn_id: str, name: str, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start work for a turn; a failure is logged, never lost."""
        task = asyncio.create_task(work, name=f"assent-{name}-{turn_id}")
        self._all.add(task)
        self._of_turn.setdefault(turn_id, set()).add(task)
        task.add_done_callback(lambda done: self._done(turn_id, done))
        return task

    async def through(self, work: Coroutine[Any, Any, T]) -> T:
        """Await work that runs to its end even if the caller is cancelled meanwhile.

        It may commit a claim, and then this process has to run the call.
        """
        task = asyncio.create_task(work)
        self._all.add(task)
        task.add_done_callback(self._all.discard)
        return await asyncio.shield(task)

    def _done(self, turn_id: str, task: asyncio.Task[Any]) -> None:
        self._all.discard(task)
        mine = self._of_turn[turn_id]
        mine.discard(task)
        if not mine:
            del self._of_turn[turn_id]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("%s failed", task.get_name(), exc_info=error)

    def of_turn(self, turn_id: str) -> set[asyncio.Task[Any]]:
        """Return the tasks of this process that work for a turn."""
        return set(self._of_turn.get(turn_id, ()))

    def turns(self, name: str) -> frozenset[str]:
        """Return the turns that have a task of this name."""
        prefix = f"assent-{name}-"
        return frozenset(
            turn_id
            for turn_id, tasks in self._of_turn.items()
            if any(task.get_name().startswith(prefix) for task in tasks)
        )

    async def quiet(self, turn_id: str) -> object:
        """Wait until no task of this process works for the turn; return the result of the last one.

        None if several ended together: it is unknown which of them was last.
        """
        current = asyncio.current_task()
        ended: set[asyncio.Task[Any]] = set()
        while busy := self.of_turn(turn_id) - {current}:
            ended, _ = await asyncio.wait(busy)
        last = ended.pop() if len(ended) == 1 else None
        is_good = last is not None and not last.cancelled() and last.exception() is None
        return last.result() if last is not None and is_good else None

    async def drain(self, grace: timedelta) -> None:
        """Let all tasks finish.

        Those that do not are cancelled, and can be resumed or are in doubt.
        """
        self.closing = True
        loop = asyncio.get_running_loop()
        until = loop.time() + grace.total_seconds()
        while self._all and (left := until - loop.time()) > 0:
            await asyncio.wait(set(self._all), timeout=left)
        for task in set(self._all):
            task.cancel()
        while self._all:
            await asyncio.wait(set(self._all))


class Predicates:
    """The per-run predicates of turns that may still go on: at most one per conversation."""

    def __init__(self) -> None:
        self._of_turn: dict[str, Predicate] = {}
        self._turns: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._of_turn)

    def begin(self, turn: TurnRow, predicate: Predicate | None) -> None:
        """Keep the predicate of a new turn; the conversation's turn before it is over."""
        earlier = self._turns.pop(turn.conversation_id, None)
        if earlier is not None:
            del self._of_turn[earlier]
        if predicate is not None:
            self._turns[turn.conversation_id] = turn.id
            self._of_turn[turn.id] = predicate

    def end(self, turn: TurnRow) -> None:
        """Forget the predicate of a turn that cannot be resumed."""
        if self._of_turn.pop(turn.id, None) is not None:
            del self._turns[turn.conversation_id]

    def of(self, turn_id: str) -> Predicate:
        """Return the predicate of a turn; one that is no longer here always asks."""
        return self._of_turn.get(turn_id, _ask_always)


@dataclass(kw_only=True)
class Kernel:
    """The shared parts, wired once by the facade."""

    store: Store
    clock: Clock
    ids: Ids
    catalogue: Catalogue
    policy: Policy
    vault: Vault
    bus: Bus
    is_worker: bool
    worker: str
    texts: Texts = field(default_factory=Texts)
    times: Times = field(default_factory=Times)
    quotas: Quotas = field(default_factory=Quotas)
    tasks: Tasks = field(default_factory=Tasks)
    bodies: Bodies = field(default_factory=Bodies)
    predicates: Predicates = field(default_factory=Predicates)
    known_rules: KnownRules = field(default_factory=KnownRules)
    logs: LogScrubber = field(default_factory=LogScrubber)
    # The loop that it was opened in: everything it owns lives there.
    loop: asyncio.AbstractEventLoop | None = None
    # Called with every request once it is durable, whichever part opened it.
    announce: Callable[[Sequence[Request]], None] = lambda _: None

    @property
    def policy_version(self) -> str:
        """The version of the rules and the overrides together."""
        salted = self.catalogue.version
        return digest(self.policy.version + salted)[:16] if salted else self.policy.version

    def gate(self, turn_id: str, *, guarded: bool, own: OwnRules = NO_RULES) -> Gate:
        """Return the gate for one turn, with the rules of the conversation's owner."""
        per_run = self.predicates.of(turn_id) if guarded else None
        return Gate(policy=self.policy, per_run=per_run, own=own)


def _ask_always(*_: object) -> bool:
    return True
