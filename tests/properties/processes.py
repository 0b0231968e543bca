"""Rules: time, work in flight, and processes that stop, change and die."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any

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
# What is different about an engine that starts again: nothing, the tools, the policy, the limits.
changes = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"version": st.sampled_from("12")}),
    st.fixed_dictionaries({"policy": st.sampled_from(sorted(POLICIES))}),
    st.fixed_dictionaries({"gone": st.sampled_from(GONE)}),
    st.fixed_dictionaries({"parallel": st.sampled_from([1, 2, 4])}),
)


class Processes(Play):
    """The world around the rows."""

    @rule(by=spans)
    def time_passes(self, by: timedelta) -> None:
        Play.acted += 1
        self.stage.clock.advance(by)

    async def _replica_looks(self) -> None:
        replica = await self.stage.replica()
        await replica.sweeper.sweep()
        await replica.reconciler.reconcile()

    @rule()
    def replica_looks_for_work(self) -> None:
        self.act(self._replica_looks)

    @rule()
    def leases_run_out(self) -> None:
        """A worker that stood still finds that another one took over."""
        self.stage.clock.advance(timedelta(hours=2))
        self.act(self._replica_looks)

    @rule()
    def replica_stops(self) -> None:
        self.act(self.stage.dismiss)

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
        self.act(self.stage.override, "free", override)

    @rule(change=changes)
    def engine_restarts(self, change: dict[str, Any]) -> None:
        Play.acted += 1
        vars(self).update(change)
        self.stage.close()
        self.reopen()

    @rule(
        wanted=names,
        at=index,
        over=st.sampled_from(["nothing", "message", "decision"]),
        after=rounds,
    )
    def engine_dies(self, wanted: list[str], at: int, over: str, after: int) -> None:
        work = {"message": self._message, "decision": self._decision}.get(over)
        doing = work(wanted, at) if work is not None else None

        async def die() -> None:
            task = None if doing is None else asyncio.create_task(refused(doing))
            for _ in range(after):
                await asyncio.sleep(0.0002)
            await self.stage.crash()
            if task is not None:
                await asyncio.gather(task, return_exceptions=True)

        self.act(die)
        self.reopen()

    def _message(self, wanted: list[str], at: int) -> Callable[[], Awaitable[object]]:
        self.stage.mind.queue.appendleft(self.plan(wanted))
        return partial(self.assent.start, "agent", "in a hurry", by=ADA)

    def _decision(self, wanted: list[str], at: int) -> Callable[[], Awaitable[object]] | None:
        if (request := self.request(at, RequestKind.APPROVAL)) is None:
            return None
        return partial(self.assent.decide, request["id"], approve(), by=self.somebody(request))
