"""Rules: time, work in flight, and processes that stop, change and die."""

import asyncio
from datetime import timedelta

from hypothesis import strategies as st
from hypothesis.stateful import rule

from assent import Override, approve, reject
from assent.domain.lifecycle import RequestKind
from tests.properties.messages import names
from tests.properties.play import Play, index
from tests.properties.props import GONE, POLICIES
from tests.properties.stage import ADA, PEOPLE, ROOT, refused

# Shorter than anything, past `run_by`, past a lease, past the deadline of a question.
spans = st.sampled_from(
    [timedelta(minutes=1), timedelta(minutes=16), timedelta(hours=2), timedelta(hours=25)]
)
rounds = st.integers(0, 12)


class Processes(Play):
    """The world around the rows."""

    @rule(by=spans)
    def time_passes(self, by: timedelta) -> None:
        Play.acted += 1
        self.stage.clock.advance(by)

    @rule()
    def leases_run_out(self) -> None:
        self.stage.clock.advance(timedelta(hours=2))
        self.act(self.assent.reconciler.reconcile)

    @rule()
    def sweep(self) -> None:
        self.act(self.assent.sweeper.sweep)

    @rule()
    def reconcile(self) -> None:
        self.act(self.assent.reconciler.reconcile)

    @rule(at=index)
    def held_work_goes_on(self, at: int) -> None:
        async def release() -> bool:
            return self.stage.holds.release(at)

        self.act(release)

    @rule(at=index, by_admin=st.booleans())
    def turn_is_stopped(self, at: int, by_admin: bool) -> None:
        active = [t for t in self.ledger.turns.values() if t["status"] in ("waiting", "running")]
        if active:
            turn = active[-1 - at % len(active)]
            by = ROOT if by_admin else PEOPLE[turn["owner"]]
            self.attempt(self.assent.stop, turn["id"], by=by)

    @rule(at=index)
    def turn_is_stopped_right_after_a_decision(self, at: int) -> None:
        if (request := self.request(at, RequestKind.APPROVAL)) is None:
            return

        async def decide_and_stop() -> None:
            by = self.somebody(request)
            await refused(self.assent.decide, request["id"], reject(), by=by)
            await refused(self.assent.stop, request["turn_id"], by=ROOT)

        self.act(decide_and_stop)

    @rule(at=index)
    def turn_is_resumed(self, at: int) -> None:
        over = [t for t in self.ledger.turns.values() if t["status"] in ("failed", "stopped")]
        if over:
            turn = over[-1 - at % len(over)]
            # Not the facade's, which waits: a model that is held would never come to rest.
            self.attempt(self.assent._sending.resume, turn["id"], PEOPLE[turn["owner"]])

    @rule(override=st.sampled_from([Override(requires_approval=True), None]))
    def admin_overrides_a_tool(self, override: Override | None) -> None:
        self.act(self.assent.override, "free", override, by=ROOT)

    @rule()
    def engine_restarts(self) -> None:
        Play.acted += 1
        self.stage.close()
        self.reopen()

    @rule(version=st.sampled_from("12"), parallel=st.sampled_from([1, 2, 4]))
    def another_release_starts(self, version: str, parallel: int) -> None:
        self.version, self.parallel = version, parallel
        self.engine_restarts()

    @rule(policy=st.sampled_from(sorted(POLICIES)))
    def another_policy_starts(self, policy: str) -> None:
        self.policy = policy
        self.engine_restarts()

    @rule(gone=st.sampled_from(GONE))
    def another_set_of_tools_starts(self, gone: frozenset[str]) -> None:
        self.gone = gone
        self.engine_restarts()

    @rule()
    def engine_dies(self) -> None:
        self.act(self.stage.crash)
        self.reopen()

    @rule(wanted=names, after=rounds)
    def engine_dies_over_a_message(self, wanted: list[str], after: int) -> None:
        self.stage.mind.queue.appendleft(self.plan(wanted))

        async def die() -> None:
            await self.assent.start("agent", "in a hurry", by=ADA)
            await self._die_after(after)

        self.act(die)
        self.reopen()

    @rule(at=index, after=rounds)
    def engine_dies_over_a_decision(self, at: int, after: int) -> None:
        if (request := self.request(at, RequestKind.APPROVAL)) is None:
            return
        by = self.somebody(request)

        async def die() -> None:
            work = refused(self.assent.decide, request["id"], approve(), by=by)
            decision = asyncio.create_task(work)
            await self._die_after(after)
            await asyncio.gather(decision, return_exceptions=True)

        self.act(die)
        self.reopen()

    async def _die_after(self, rounds: int) -> None:
        for _ in range(rounds):
            await asyncio.sleep(0.0002)
        await self.stage.crash()
