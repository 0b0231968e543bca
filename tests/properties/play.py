"""What every rule of the engine's state machine builds on, and what is checked after each."""

import shutil
import tempfile
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant

from assent import AssentError, DidNotRun, Person, cancel
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import RequestKind
from assent.domain.messages import Proposal
from assent.engine.assent import Assent
from assent.models.scripted import ScriptStep
from assent.testing import says
from tests.properties.laws import Laws, Ledger, Row, unfinished
from tests.properties.props import BOSS_N, DENIED_N, GONE, POLICIES, Diary, props
from tests.properties.stage import PEOPLE, Stage, refused

index = st.integers(0, 7)
# What leads to a question of each kind, for rules that find none to decide; also behind others that
# stand still, where a call is cleared or even claimed and does not start yet.
_CAUSES = {
    RequestKind.APPROVAL: [
        "gated",
        "hold gated free",
        "safe_hold gated_hold",
        "client person free",
    ],
    RequestKind.INPUT: ["gated_form", "form", "hold form"],
    RequestKind.RESULT: ["person_reworks", "gated_person", "hold person_lingers"],
    RequestKind.OUTCOME: ["doubts", "slow", "hold doubts"],
}
_ROUNDS = 12
_FAULTS = {"raced", "store_unavailable", "error"}


class Play(RuleBasedStateMachine):
    """One engine on one file, and the record of what became of it.

    No rule has a precondition on what the engine did: replays must draw the same, and real threads
    do not promise the same.
    """

    steps: ClassVar[int] = 0
    acted: ClassVar[int] = 0
    diary: ClassVar[Diary] = Diary()

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="assent-machine-"))
        self.stage = Stage(self.folder / "assent.db")
        self.laws = Laws()
        self.diary.begin(self.stage, lambda run: self.laws.witness(self.stage, run))
        self.made: list[tuple[str, Verdict, Person]] = []
        self.count = 0
        self.version, self.policy, self.gone, self.parallel = "1", "base", GONE[0], 1
        # The laws are looked at before the first step, too.
        Play.steps -= 1
        self.reopen()

    def reopen(self) -> None:
        tools = [item for item in props(self.diary, self.version) if item.name not in self.gone]
        self.stage.open(tools, POLICIES[self.policy], parallel=self.parallel)

    @property
    def assent(self) -> Assent:
        return self.stage.assent

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.stage.db)

    def act(self, work: Callable[..., Awaitable[Any]], *args: object, **named: Any) -> Any:
        """Do something and let it come to rest."""
        Play.acted += 1
        return self.stage.do(lambda: work(*args, **named))

    def attempt(
        self, work: Callable[..., Awaitable[Any]], *args: object, **named: Any
    ) -> AssentError | None:
        """Do something that may be refused, but neither by a race nor by the database."""
        error = self.act(refused, work, *args, **named)
        assert error is None or error.code not in _FAULTS, error
        return error

    def plan(self, wanted: list[str], kind: str = "plain") -> ScriptStep:
        """An answer of the model that calls these tools."""
        self.count += 1
        return says(f"{self.count}: let me see.", *(self._proposal(name, kind) for name in wanted))

    def _proposal(self, name: str, kind: str) -> Proposal:
        self.count += 1
        n = {"boss": BOSS_N + self.count, "denied": DENIED_N}.get(kind, 100 + self.count)
        text = f'{{"n": {n}, "extra": 1}}' if kind == "invalid" else f'{{"n": {n}}}'
        # Providers repeat their ids.
        return Proposal(provider_id=f"p{self.count % 5}", tool=name, arguments=text)

    def send(self, by: Person, **options: Any) -> AssentError | None:
        """Send a message, to which the model says what was planned."""
        self.count += 1
        text = options.pop("text", f"message {self.count}")
        return self.attempt(self.assent.start, "agent", text, by=by, **options)

    def request(self, at: int, *kinds: RequestKind) -> Row | None:
        """An open request; where there is none of the kind, one is brought about for later."""
        found = [r for r in self.ledger.open_requests() if not kinds or r["kind"] in kinds]
        if found:
            return found[-1 - at % len(found)]
        causes = _CAUSES[kinds[0] if kinds else RequestKind.APPROVAL]
        wanted, kind = causes[at % len(causes)].split(), "boss" if at % 4 == 3 else "plain"
        self.stage.mind.queue.appendleft(self.plan(wanted, kind))
        assert self.send(PEOPLE["ada"]) is None
        return None

    def somebody(self, request: Row) -> Person:
        """Somebody who may decide."""
        deciders = (("system", "system"), ("admin", "root"), ("boss", "bob"))
        for role, person in deciders:
            if f'"{role}"' in request["audience"]:
                return PEOPLE[person]
        return PEOPLE[request["owner"]]

    @invariant()
    def laws_hold(self) -> None:
        Play.steps += 1
        self._judge()

    def _judge(self) -> None:
        broken = self.laws.check(self.ledger, self.diary)
        assert not broken, broken
        assert not self.stage.complaints, self.stage.complaints
        assert not self.stage.errors.lines, self.stage.errors.lines

    def teardown(self) -> None:
        """Whatever happened, everything can be brought to an end."""
        try:
            self._bring_to_an_end()
            self._judge()
            assert not unfinished(self.ledger), unfinished(self.ledger)
        finally:
            self.stage.do(self.stage.crash)
            self.stage.dispose()
            shutil.rmtree(self.folder)

    def _bring_to_an_end(self) -> None:
        self.stage.mind.queue.clear()
        self.stage.mind.hold_next = False
        for _ in range(_ROUNDS):
            self._let_everything_go()
            self.stage.clock.advance(timedelta(hours=25))
            self.act(self.assent.reconciler.reconcile)
            self.act(self.assent.sweeper.sweep)
            for request in self.ledger.open_requests():
                is_doubt = request["kind"] == RequestKind.OUTCOME
                verdict = DidNotRun() if is_doubt else cancel()
                by = self.somebody(request)
                self.attempt(self.assent.decide, request["id"], verdict, by=by)
            if not unfinished(self.ledger):
                return

    def _let_everything_go(self) -> None:
        async def release() -> bool:
            return self.stage.holds.release(0)

        while self.act(release):
            pass
