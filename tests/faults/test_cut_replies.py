"""PostgreSQL is lost in the middle of a write: nobody is told what is not so."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

import pytest

from assent import Assent, Person, Tool, approve, tool
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.engine.queries.snapshots import Turn
from assent.errors import StoreUnavailable, WriteUncertain
from assent.server.problems import problem_of
from assent.testing import calls, says
from tests.conftest import World
from tests.faults.wire import Cut, Wire, wired
from tests.store.rawsql import RawSql

pytestmark = pytest.mark.postgres
T = TypeVar("T")
ADA = Person("ada")


@pytest.fixture
async def wire_and_url(postgres_url: str) -> AsyncIterator[tuple[Wire, str]]:
    async with wired(postgres_url) as made:
        yield made


def one_call(prompt: Prompt) -> Answer | str:
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("I will.", calls("pay", amount=7))


def payment(paid: list[int]) -> Tool:
    @tool(requires_approval=True)
    async def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return "paid"

    return pay


class Clerk:
    """Repeats what it was told is unknown or did not happen, and checks what it was told."""

    def __init__(self, raw: RawSql) -> None:
        self._raw = raw
        self.told: list[StoreUnavailable] = []

    async def insist(self, work: Callable[[], Awaitable[T]], happened: str) -> T:
        """What comes of it in the end; `happened` counts what a success leaves behind."""
        while True:
            try:
                return await work()
            except StoreUnavailable as error:
                self.told.append(error)
            await self._check(self.told[-1], happened)

    async def _check(self, error: StoreUnavailable, happened: str) -> None:
        if isinstance(error, WriteUncertain):
            assert "unknown" in str(error)
            assert "idempotency key" in str(error)
        else:
            assert "Nothing was changed" in str(error)
            assert await self._raw.one(happened) == 0


async def whole_cycle(assent: Assent, clerk: Clerk) -> Turn:
    """Send, pause, decide, claim, outcome, answer; each repeated until it is known to be done."""
    turn_id = await clerk.insist(
        lambda: assent.start("agent", "go", by=ADA, idempotency_key="send"),
        "SELECT count(*) FROM turns",
    )
    turn = await rested(assent, turn_id)
    [request] = turn.pending
    await clerk.insist(
        lambda: assent.decide(request.id, approve(), by=ADA, idempotency_key="decide"),
        "SELECT count(*) FROM decisions",
    )
    return await rested(assent, turn_id)


async def rested(assent: Assent, turn_id: str) -> Turn:
    while True:
        try:
            return await assent.wait(turn_id)
        except StoreUnavailable:
            continue


@pytest.mark.parametrize("cut", Cut, ids=["the request", "the reply"])
@pytest.mark.parametrize("nth", range(1, 6))
async def test_a_cut_at_any_write_of_a_cycle_ends_in_the_truth(
    wire_and_url: tuple[Wire, str], postgres_url: str, cut: Cut, nth: int
) -> None:
    wire, url = wire_and_url
    raw, paid = RawSql(postgres_url), list[int]()
    clerk = Clerk(raw)
    async with World(url)(one_call, payment(paid)) as assent, asyncio.timeout(60):
        wire.arm(nth, cut)
        turn = await whole_cycle(assent, clerk)
    assert wire.was_cut.is_set()
    assert paid == [7]
    assert turn.status is TurnStatus.DONE
    assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED]
    doubts = "SELECT count(*) FROM audit WHERE action IN ('doubt', 'late_outcome')"
    assert await raw.one(doubts) == 0
    if cut is Cut.REPLY:
        # It was written, and whoever looks finds it: nobody had to be told anything.
        assert clerk.told == []


async def test_a_decision_in_doubt_is_said_to_be_and_its_repetition_finds_the_truth(
    wire_and_url: tuple[Wire, str], postgres_url: str
) -> None:
    wire, url = wire_and_url
    raw, paid = RawSql(postgres_url), list[int]()

    async with World(url)(one_call, payment(paid)) as assent, asyncio.timeout(60):
        turn = await assent.send("agent", "go", by=ADA)
        [request] = turn.pending
        wire.on_cut = wire.go_down
        wire.arm(1, Cut.REPLY)
        with pytest.raises(WriteUncertain, match="unknown"):
            await assent.decide(request.id, approve(), by=ADA, idempotency_key="decide")
        assert await raw.one("SELECT count(*) FROM decisions") == 1
        wire.is_down = False
        await assent.decide(request.id, approve(), by=ADA, idempotency_key="decide")
        assert await raw.one("SELECT count(*) FROM decisions") == 1
        # Claimed by us without our hearing of it: it did not begin, so there is nothing to doubt.
        turn = await rested(assent, turn.id)
    assert paid == [7]
    assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED]
    assert await raw.one("SELECT count(*) FROM audit WHERE action = 'doubt'") == 0


async def test_what_was_cut_off_before_it_was_written_is_never_written_late(
    wire_and_url: tuple[Wire, str], postgres_url: str
) -> None:
    wire, url = wire_and_url
    raw, paid = RawSql(postgres_url), list[int]()
    async with World(url)(one_call, payment(paid)) as assent, asyncio.timeout(60):
        turn = await assent.send("agent", "go", by=ADA)
        [request] = turn.pending
        wire.arm(1, Cut.REQUEST)
        with pytest.raises(StoreUnavailable, match="Nothing was changed"):
            await assent.decide(request.id, approve(), by=ADA)
        assert await raw.one("SELECT count(*) FROM audit WHERE action = 'cut_off'") == 1
        assert await raw.one("SELECT count(*) FROM decisions") == 0
        assert (await assent.turn(turn.id)).pending == (request,)


def test_over_http_an_uncertain_write_is_a_503_that_says_so() -> None:
    response = problem_of(WriteUncertain("connection was closed"))
    assert response.status_code == 503
    assert response.headers["Retry-After"] == "1"
    assert b"unknown" in response.body
    assert b"Nothing was changed" not in response.body
