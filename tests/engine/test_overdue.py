"""Bodies that run on after their time: never a second one beside them, and their end on record."""

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from assent import (
    ApprovalRequired,
    Assent,
    Deferred,
    DidNotRun,
    Person,
    Ran,
    RunAgain,
    Tool,
    hitl,
    supply,
    tool,
)
from assent.domain.events import Entry
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.requests import Request
from assent.engine.queries.snapshots import Turn
from assent.errors import StillRunning, Superseded
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World
from tests.faults.nursery import until

# Time enough for a thread to begin on a busy machine: what never began has nothing to end.
SOON = timedelta(milliseconds=500)
SECONDS = 20


@dataclass
class Work:
    """What the bodies of a test do: each counts itself and runs until it is let go."""

    ends_with: Callable[[], Any] = lambda: "paid"
    begun: int = 0
    most: int = 0
    running: int = 0
    go_on: threading.Event = field(default_factory=threading.Event)

    def __call__(self) -> Any:
        self.begun += 1
        self.running += 1
        self.most = max(self.most, self.running)
        assert self.go_on.wait(SECONDS)
        self.running -= 1
        return self.ends_with()


def plain(work: Work) -> Tool:
    def pay() -> Any:
        """Pay."""
        return work()

    return tool(requires_approval=False, timeout=SOON)(pay)


def stubborn(work: Work) -> Tool:
    async def pay() -> Any:
        """Pay, whoever cancels it."""
        thread = asyncio.get_running_loop().run_in_executor(None, work)
        while not thread.done():
            try:
                await asyncio.shield(thread)
            except asyncio.CancelledError:
                continue
        return thread.result()

    return tool(requires_approval=False, timeout=SOON)(pay)


def stepwise(work: Work) -> Tool:
    body: Any = stubborn(work).kind

    async def pay() -> AsyncGenerator[Any]:
        """Pay, step by step."""
        yield await body.body(None, {})

    return tool(requires_approval=False, timeout=SOON)(pay)


def hooked(work: Work) -> Tool:
    def pay() -> Any:
        """Pay, or let somebody do it."""
        return work()

    return hitl("pay", output=str, on_tool_called=pay, requires_approval=False, timeout=SOON)


FORMS = [plain, stubborn, stepwise, hooked]
each_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)


def pays() -> ScriptedModel:
    return ScriptedModel([says("", calls("pay")), "Done."])


@asynccontextmanager
async def in_doubt(
    world: World, owner: Person, work: Work, form: Callable[[Work], Tool] = plain
) -> AsyncIterator[tuple[Assent, Turn]]:
    """A call that is past its time while its body still runs."""
    async with world(pays(), form(work)) as assent:
        try:
            async with asyncio.timeout(SECONDS):
                turn = await assent.send("agent", "pay", by=owner)
            assert turn.calls[0].status is CallStatus.IN_DOUBT
            yield assent, turn
        finally:
            work.go_on.set()


async def late(assent: Assent, turn: Turn) -> list[Entry]:
    entries = await assent.audit(call_id=turn.calls[0].id)
    return [entry for entry in entries if entry.action == "late_outcome"]


async def ended(assent: Assent, turn: Turn) -> Entry:
    async def recorded() -> bool:
        return bool(await late(assent, turn))

    await until(recorded)
    [entry] = await late(assent, turn)
    return entry


async def question(assent: Assent, turn: Turn) -> Request:
    [request] = (await assent.turn(turn.id)).pending
    assert request.kind is RequestKind.OUTCOME
    return request


@each_form
async def test_what_still_runs_is_not_run_again_beside_itself(
    world: World, owner: Person, form: Callable[[Work], Tool]
) -> None:
    work = Work()
    async with in_doubt(world, owner, work, form) as (assent, turn):
        request = await question(assent, turn)
        with pytest.raises(StillRunning, match="is still running") as refused:
            await assent.decide(request.id, RunAgain(), by=owner)

        assert (await assent.turn(turn.id)).calls[0].status is CallStatus.IN_DOUBT
        assert (await question(assent, turn)).id == request.id
        assert refused.value.call_id == turn.calls[0].id
    assert (work.begun, work.most) == (1, 1)


async def test_another_process_does_not_run_it_beside_itself_either(
    world: World, owner: Person
) -> None:
    work = Work()
    async with in_doubt(world, owner, work) as (assent, turn):
        request = await question(assent, turn)
        async with world(pays(), plain(work), worker=False) as elsewhere:
            with pytest.raises(StillRunning):
                await elsewhere.decide(request.id, RunAgain(), by=owner)
    assert work.begun == 1


async def test_it_counts_as_running_for_as_long_as_it_does(world: World, owner: Person) -> None:
    work = Work()
    async with in_doubt(world, owner, work) as (assent, turn):
        # Two leases later the process has said often that it has not ended.
        [before] = (await assent.turn(turn.id)).calls

        async def is_renewed() -> bool:
            [now] = (await assent.turn(turn.id)).calls
            assert before.lease_until is not None
            assert now.lease_until is not None
            return now.lease_until > before.lease_until + timedelta(seconds=2)

        await until(is_renewed)
        request = await question(assent, turn)
        with pytest.raises(StillRunning):
            await assent.decide(request.id, RunAgain(), by=owner)


@each_form
async def test_what_it_ends_with_is_put_to_whoever_resolves_it(
    world: World, owner: Person, form: Callable[[Work], Tool]
) -> None:
    work = Work()
    async with in_doubt(world, owner, work, form) as (assent, turn):
        asked = await question(assent, turn)
        work.go_on.set()
        entry = await ended(assent, turn)

        assert entry.data["outcome"] == "succeeded"
        assert entry.data["detail"] == "paid"
        assert (await assent.turn(turn.id)).calls[0].status is CallStatus.IN_DOUBT
        again = await question(assent, turn)
        assert "ended meanwhile" in again.question.reason
        assert "paid" in again.question.reason
        # Whoever saw only the doubt has to look again.
        with pytest.raises(Superseded):
            await assent.decide(asked.id, RunAgain(), by=owner)

        await assent.decide(again.id, Ran(output="paid"), by=owner)
        assert (await assent.wait(turn.id)).result(turn.calls[0].id) == "paid"
    assert work.begun == 1


def declined() -> Any:
    raise ValueError("declined")


def unsure() -> Any:
    raise ApprovalRequired({"reason": "much"})


def unkeepable() -> Any:
    return object()


ENDS = {
    declined: ("failed", "declined"),
    unsure: ("asks", "nothing was done"),
    unkeepable: ("failed", "It ran"),
    lambda: Deferred("task-1"): ("waits", "task-1"),
    lambda: "": ("succeeded", '""'),
    lambda: None: ("succeeded", "null"),
}


@pytest.mark.parametrize("end", ENDS)
async def test_however_it_ends_people_are_told(
    world: World, owner: Person, end: Callable[[], Any]
) -> None:
    outcome, words = ENDS[end]
    work = Work(ends_with=end)
    async with in_doubt(world, owner, work) as (assent, turn):
        work.go_on.set()
        entry = await ended(assent, turn)

        assert entry.data["outcome"] == outcome
        assert words in (await question(assent, turn)).question.reason


async def test_what_ends_after_people_have_spoken_is_recorded_beside_their_word(
    world: World, owner: Person
) -> None:
    work = Work()
    async with in_doubt(world, owner, work) as (assent, turn):
        request = await question(assent, turn)
        await assent.decide(request.id, DidNotRun(), by=owner)
        settled = await assent.wait(turn.id)
        assert settled.calls[0].status is CallStatus.FAILED

        work.go_on.set()
        entry = await ended(assent, turn)
        assert entry.data["detail"] == "paid"
        after = await assent.turn(turn.id)
        assert after.calls[0].status is CallStatus.FAILED
        assert after.pending == ()


async def test_once_it_has_ended_it_may_be_run_again(world: World, owner: Person) -> None:
    work = Work(ends_with=declined)
    async with in_doubt(world, owner, work) as (assent, turn):
        work.go_on.set()
        await ended(assent, turn)
        work.ends_with = lambda: "paid"
        await assent.decide((await question(assent, turn)).id, RunAgain(), by=owner)
        settled = await assent.wait(turn.id)

        assert settled.result(turn.calls[0].id) == "paid"
    assert (work.begun, work.most) == (2, 1)


async def test_a_response_hook_that_ends_late_is_on_record(world: World, owner: Person) -> None:
    work = Work()

    def ask() -> None:
        """Ask somebody."""

    def hook(value: str) -> str:
        return f"{value}, {work()}"

    review = hitl("pay", output=str, on_tool_called=ask, on_response_received=hook, timeout=SOON)
    async with world(pays(), review) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, supply("fine"), by=owner)
        turn = await assent.wait(turn.id)
        assert turn.calls[0].status is CallStatus.FAILED

        work.go_on.set()
        entry = await ended(assent, turn)
        assert entry.data["detail"] == "fine, paid"


async def test_a_body_that_runs_on_does_not_keep_the_engine_open(
    world: World, owner: Person
) -> None:
    work = Work()
    async with asyncio.timeout(SECONDS), world(pays(), plain(work)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
    async with world(pays(), plain(work), worker=False) as assent:
        assert (await assent.turn(turn.id)).calls[0].status is CallStatus.IN_DOUBT
    work.go_on.set()
