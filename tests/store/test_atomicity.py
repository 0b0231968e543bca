"""Every change of a call and its audit entry are one commit: neither is ever there alone."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest

from assent import (
    ApprovalRequired,
    Assent,
    AssentError,
    Context,
    Deferred,
    DidNotRun,
    Effect,
    Field,
    OutcomeUnknown,
    Person,
    Rule,
    RunAgain,
    UserInput,
    answer,
    approve,
    cancel,
    draft,
    hitl,
    manual,
    reject,
    supply,
    tool,
)
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import Answer, Prompt, UserSaid
from assent.engine.queries.snapshots import Turn
from assent.engine.settings import Times
from assent.store.tables import metadata
from assent.testing import VirtualClock, calls, says
from tests.conftest import World
from tests.store.rawsql import RawSql

ADA = Person("ada")
PATIENT = Times(lease=timedelta(days=9), look=timedelta(milliseconds=100))


def script(prompt: Prompt) -> Answer | str:
    """The user's text is the list of calls to make."""
    last = prompt.history[-1]
    if not isinstance(last, UserSaid):
        return "Done."
    return says("", *(calls(name, arguments) for name, arguments in json.loads(last.text)))


@dataclass
class Tools:
    """Tools whose calls go through every status there is."""

    doubtful: bool = True

    def all(self) -> list[Any]:
        return [
            tool(name="look", description="d", requires_approval=False)(self._plain),
            tool(name="erase", description="d", requires_approval=True)(self._plain),
            tool(name="think", description="d", requires_approval=False)(self._second_thoughts),
            tool(name="gamble", description="d", requires_approval=False)(self._gamble),
            tool(name="later", description="d", requires_approval=False)(self._later),
            tool(name="fall", description="d", requires_approval=False)(self._fall),
            tool(name="forbidden", description="d", requires_approval=False)(self._plain),
            tool(name="login", description="d", user_input=FORM)(self._login),
            manual("pick", description="d", parameters={"type": "object"}),
            hitl(
                "review",
                output=str,
                on_tool_called=self._nothing,
                on_response_received=self._shout,
                description="d",
            ),
        ]

    async def _plain(self, n: int) -> str:
        return f"did {n}"

    async def _second_thoughts(self, n: int, ctx: Context) -> str:
        if not ctx.approved:
            raise ApprovalRequired({"reason": "sure?"})
        return "did"

    async def _gamble(self, n: int) -> str:
        if self.doubtful:
            raise OutcomeUnknown("who knows")
        return "did"

    async def _later(self, n: int) -> Deferred:
        return Deferred(f"task-{n}")

    async def _fall(self, n: int) -> str:
        raise RuntimeError("fell")

    async def _login(self, name: str, place: str) -> str:
        return f"{name} at {place}"

    async def _nothing(self, n: int) -> None:
        return None

    async def _shout(self, said: str) -> str:
        return said.upper()


FORM = UserInput("needed", [Field("name"), Field("place")])


@dataclass
class Stage:
    """An engine and what a scene does with it."""

    engine: Assent
    clock: VirtualClock
    tools: Tools
    conversation_id: str | None = None

    async def send(self, *wanted: tuple[str, dict[str, Any]], **options: Any) -> Turn:
        return await self.engine.send("agent", json.dumps(wanted), by=ADA, **options)

    async def decide(self, turn: Turn, verdict: Any) -> Turn:
        [request] = turn.pending
        await self.engine.decide(request.id, verdict, by=ADA)
        return await self.rested(turn)

    async def rested(self, turn: Turn) -> Turn:
        async with asyncio.timeout(20):
            return await self.engine.wait(turn.id)


Scene = Callable[[Stage], Awaitable[Turn | None]]


def decided(name: str, verdict: Any) -> Scene:
    async def scene(stage: Stage) -> Turn:
        return await stage.decide(await stage.send((name, {"n": 1})), verdict)

    return scene


def undecided(name: str, arguments: dict[str, Any] | None = None) -> Scene:
    async def scene(stage: Stage) -> Turn:
        return await stage.send((name, {"n": 1} if arguments is None else arguments))

    return scene


async def several(stage: Stage) -> Turn:
    turn = await stage.send(*[("erase", {"n": n}) for n in range(3)], ("look", {"n": 1}))
    for request, verdict in zip(turn.pending, (approve(), reject(), approve()), strict=True):
        await stage.engine.decide(request.id, verdict, by=ADA)
    return await stage.rested(turn)


async def stopped(stage: Stage) -> Turn:
    turn = await stage.send(("erase", {"n": 1}), ("pick", {"n": 1}))
    return await stage.engine.stop(turn.id, by=ADA)


async def superseded(stage: Stage) -> Turn:
    turn = await stage.send(("erase", {"n": 1}))
    return await stage.send(
        ("look", {"n": 1}), conversation_id=turn.conversation_id, on_pending="supersede"
    )


async def expired(stage: Stage) -> Turn:
    turn = await stage.send(("erase", {"n": 1}))
    stage.clock.advance(timedelta(days=2))
    await stage.engine.sweeper.sweep()
    return await stage.rested(turn)


async def too_late(stage: Stage) -> Turn:
    turn = await stage.send(("erase", {"n": 1}))
    stage.clock.advance(timedelta(days=2))
    with pytest.raises(AssentError):
        await stage.decide(turn, approve())
    return await stage.rested(turn)


async def drafted(stage: Stage) -> Turn:
    turn = await stage.send(("login", {}))
    turn = await stage.decide(turn, draft({"name": "Ada"}))
    return await stage.decide(turn, answer(name="Ada", place="London"))


async def resolved(stage: Stage) -> Turn:
    turn = await stage.send(("later", {"n": 1}))
    await stage.engine.resolve("task-1", "came")
    return await stage.rested(turn)


async def run_again(stage: Stage) -> Turn:
    turn = await stage.send(("gamble", {"n": 1}))
    stage.tools.doubtful = False
    return await stage.decide(turn, RunAgain())


async def repeated(stage: Stage) -> Turn:
    turn = await stage.send(("erase", {"n": 1}))
    [request] = turn.pending
    await stage.decide(turn, approve())
    with pytest.raises(AssentError):
        await stage.engine.decide(request.id, reject(), by=ADA)
    return await stage.rested(turn)


SCENES: dict[str, Scene] = {
    "runs at once": undecided("look"),
    "denied": undecided("forbidden"),
    "unknown": undecided("missing"),
    "invalid": undecided("look", {"n": "many"}),
    "fails": undecided("fall"),
    "approved": decided("erase", approve()),
    "edited": decided("erase", approve({"n": 2})),
    "rejected": decided("erase", reject("no")),
    "cancelled": decided("erase", cancel()),
    "supplied": decided("pick", supply("this")),
    "reworked": decided("review", supply("fine")),
    "asks from inside": decided("think", approve()),
    "in doubt": decided("gamble", DidNotRun()),
    "in doubt, again": run_again,
    "deferred": resolved,
    "drafted": drafted,
    "several": several,
    "stopped": stopped,
    "superseded": superseded,
    "expired": expired,
    "too late": too_late,
    "repeated": repeated,
}

# The database itself keeps count, so that nobody who forgets an entry can forget this as well.
SQLITE_WITNESS = (
    "CREATE TABLE seen (n INTEGER PRIMARY KEY, call_id TEXT, source TEXT, target TEXT)",
    (
        "CREATE TRIGGER seen_insert AFTER INSERT ON calls BEGIN"
        " INSERT INTO seen (call_id, target) VALUES (NEW.id, NEW.status); END"
    ),
    (
        "CREATE TRIGGER seen_update AFTER UPDATE OF status ON calls BEGIN"
        " INSERT INTO seen (call_id, source, target) VALUES (NEW.id, OLD.status, NEW.status); END"
    ),
)
POSTGRES_WITNESS = (
    "CREATE TABLE seen (n BIGSERIAL PRIMARY KEY, call_id TEXT, source TEXT, target TEXT)",
    (
        "CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " INSERT INTO seen (call_id, source, target) VALUES"
        " (NEW.id, CASE TG_OP WHEN 'UPDATE' THEN OLD.status END, NEW.status); RETURN NULL; END $$"
    ),
    (
        "CREATE TRIGGER seen AFTER INSERT OR UPDATE OF status ON calls"
        " FOR EACH ROW EXECUTE FUNCTION witness()"
    ),
)


@asynccontextmanager
async def witnessed(world: World, clock: VirtualClock) -> AsyncIterator[Stage]:
    tools, raw = Tools(), RawSql(world.url)
    rules = [Rule.of(Effect.DENY, "forbidden")]
    async with world(script, *tools.all(), rules=rules, clock=clock, times=PATIENT) as engine:
        await raw.rows(*(SQLITE_WITNESS if raw.is_sqlite else POSTGRES_WITNESS))
        yield Stage(engine, clock, tools)


def transitions(source: str, target: str) -> list[tuple[str, str]]:
    """One change of a row is one transition, but for a call that is claimed as it is cleared."""
    if target == CallStatus.RUNNING and source not in {CallStatus.CLEARED, CallStatus.RUNNING}:
        return [(source, CallStatus.CLEARED), (CallStatus.CLEARED, target)]
    return [(source, target)]


async def assert_entries_are_transitions(raw: RawSql) -> int:
    """Each call's entries form one chain, and it is the chain that the database saw."""
    statuses = dict(await raw.rows("SELECT id, status FROM calls"))
    for call_id, status in statuses.items():
        entries = await raw.rows(
            f"SELECT source, target FROM audit WHERE call_id = '{call_id}'"
            " AND target IS NOT NULL ORDER BY at, id"
        )
        seen = await raw.rows(
            f"SELECT source, target FROM seen WHERE call_id = '{call_id}' ORDER BY n"
        )
        (_, born), *changed = seen
        changes = [step for change in changed for step in transitions(*change)]
        # What a call went through in its first commit is on record too, though no row shows it.
        first = entries[: len(entries) - len(changes)]
        assert first[0][0] == CallStatus.PROPOSED
        assert first[-1][1] == born
        assert entries[len(first) :] == changes
        assert all(one[1] == next_[0] for one, next_ in pairwise(entries))
        assert entries[-1][1] == status
    orphans = "SELECT count(*) FROM audit WHERE target IS NOT NULL AND call_id IS NULL"
    assert await raw.one(orphans) == 0
    proposed = "SELECT count(*) FROM audit WHERE action = 'propose'"
    assert await raw.one(proposed) == len(statuses)
    return len(statuses)


# requirement: L1
async def test_every_transition_has_one_entry_and_every_entry_a_transition(
    world: World, clock: VirtualClock
) -> None:
    async with witnessed(world, clock) as stage:
        for scene in SCENES.values():
            stage.tools.doubtful = True
            await scene(stage)
        seen = await RawSql(world.url).rows("SELECT DISTINCT target FROM seen")
    assert await assert_entries_are_transitions(RawSql(world.url)) >= len(SCENES)
    assert {target for (target,) in seen} == {status.value for status in CallStatus}


def poison(raw: RawSql, action: str) -> tuple[str, ...]:
    """Let the database refuse audit entries of one action."""
    if raw.is_sqlite:
        return (
            (
                f"CREATE TRIGGER poison BEFORE INSERT ON audit WHEN NEW.action = '{action}'"
                " BEGIN SELECT RAISE(ABORT, 'poisoned'); END"
            ),
        )
    return (f"ALTER TABLE audit ADD CONSTRAINT poison CHECK (action <> '{action}') NOT VALID",)


def antidote(raw: RawSql) -> str:
    return "DROP TRIGGER poison" if raw.is_sqlite else "ALTER TABLE audit DROP CONSTRAINT poison"


async def everything(raw: RawSql) -> dict[str, list[Any]]:
    """All rows of all tables."""
    return {
        table.name: sorted(await raw.rows(f"SELECT * FROM {table.name}"), key=repr)
        for table in metadata.sorted_tables
    }


# requirement: L1
@pytest.mark.parametrize(
    ("action", "verdict"),
    [
        ("approve", approve()),
        ("approve", approve({"n": 2})),
        ("edit", approve({"n": 2})),
        ("reject", reject("no")),
        ("cancel", cancel()),
    ],
)
async def test_a_decision_whose_entry_cannot_be_written_changes_nothing_at_all(
    world: World, action: str, verdict: Any
) -> None:
    raw, tools = RawSql(world.url), Tools().all()
    async with world(script, *tools) as asking:
        turn = await asking.send("agent", '[["erase", {"n": 1}]]', by=ADA)
    [request] = turn.pending
    await raw.rows(*poison(raw, action))
    before = await everything(raw)
    async with world(script, *tools, worker=False) as deciding:
        with pytest.raises(Exception, match="poison"):
            await deciding.decide(request.id, verdict, by=ADA)
    assert await everything(raw) == before
    await raw.rows(antidote(raw))
    async with world(script, *tools, worker=False) as deciding:
        await deciding.decide(request.id, verdict, by=ADA)


# requirement: L1
async def test_a_stop_whose_entry_cannot_be_written_stops_nothing(world: World) -> None:
    raw, tools = RawSql(world.url), Tools().all()
    async with world(script, *tools) as asking:
        turn = await asking.send("agent", '[["erase", {"n": 1}], ["pick", {}]]', by=ADA)
    await raw.rows(*poison(raw, "stop"))
    before = await everything(raw)
    async with world(script, *tools, worker=False) as stopping:
        with pytest.raises(Exception, match="poison"):
            await stopping.stop(turn.id, by=ADA)
    assert await everything(raw) == before


# requirement: L1
async def test_a_claim_whose_entry_cannot_be_written_runs_nothing(world: World) -> None:
    ran: list[int] = []

    @tool(requires_approval=True)
    async def erase(n: int) -> str:
        """Erase."""
        ran.append(n)
        return "erased"

    raw = RawSql(world.url)
    async with world(script, erase) as asking:
        turn = await asking.send("agent", '[["erase", {"n": 1}]]', by=ADA)
    [request] = turn.pending
    await raw.rows(*poison(raw, "claim"))
    async with world(script, erase) as working:
        with pytest.raises(Exception, match="poison"):
            await working.decide(request.id, approve(), by=ADA)
        assert await raw.one("SELECT status FROM calls") == "awaiting_approval"
        assert ran == []
        await raw.rows(antidote(raw))
        await working.decide(request.id, approve(), by=ADA)
        async with asyncio.timeout(20):
            turn = await working.wait(turn.id)
    assert ran == [1]
    assert turn.status is TurnStatus.DONE


# requirement: L1
async def test_a_proposal_whose_entry_cannot_be_written_leaves_no_call_and_no_question(
    world: World,
) -> None:
    raw, tools = RawSql(world.url), Tools().all()
    async with world(script, *tools) as working:
        await raw.rows(*poison(raw, "propose"))
        turn = await working.send("agent", '[["erase", {"n": 1}]]', by=ADA)
        assert turn.status is TurnStatus.FAILED
        assert await raw.one("SELECT count(*) FROM calls") == 0
        assert await raw.one("SELECT count(*) FROM requests") == 0
        await raw.rows(antidote(raw))
        async with asyncio.timeout(20):
            turn = await working.resume(turn.id, by=ADA)
    assert [request.tool for request in turn.pending] == ["erase"]


# requirement: L1
async def test_a_refusal_is_on_record_and_changes_nothing_else(world: World) -> None:
    raw, tools = RawSql(world.url), Tools().all()
    async with world(script, *tools) as asking:
        turn = await asking.send("agent", '[["erase", {"n": 1}]]', by=ADA)
    [request] = turn.pending
    before = await everything(raw)
    async with world(script, *tools, worker=False) as deciding:
        with pytest.raises(AssentError):
            await deciding.decide(request.id, approve(), by=Person("eve"))
    after = await everything(raw)
    [refused] = [entry for entry in after.pop("audit") if entry not in before["audit"]]
    assert "eve" in refused
    assert after == {name: rows for name, rows in before.items() if name != "audit"}
