"""An approval is an authorisation: for exactly this, once, in time, checked where it is used."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from assent import (
    Allow,
    Assent,
    AssentError,
    Audience,
    Context,
    Effect,
    Person,
    PersonKind,
    Risk,
    Rule,
    approve,
    cancel,
    manual,
    reject,
    supply,
    tool,
)
from assent.domain.calls import Call
from assent.domain.decisions import Verdict
from assent.domain.errors import Expired
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.domain.policy import Ask, Deny, Policy
from assent.domain.tools import Arguments, EffectiveTool, Predicate, effective
from assent.engine.gate import Gate
from assent.engine.kernel import Times
from assent.engine.snapshots import Turn
from assent.models.scripted import ScriptedModel, calls, says
from tests.conftest import VirtualClock, World
from tests.store.rawsql import RawSql

STAFF = Person("ada", roles=frozenset({"staff"}))
DECIDE_WITHIN = timedelta(hours=1)
RUN_WITHIN = timedelta(minutes=15)
MILLISECOND = timedelta(milliseconds=1)
PATIENT = Times(lease=timedelta(days=1), look=timedelta(milliseconds=100))


def one_call(prompt: Prompt) -> Answer | str:
    """Call `pay` once, then answer."""
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("I will.", calls("pay", amount=5, to="bob"))


@dataclass
class Till:
    """A tool that moves money, and what it moved."""

    paid: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def pay(self, description: str = "Pay somebody.", **options: Any) -> Any:
        options.setdefault("decide_within", DECIDE_WITHIN)

        async def pay(amount: int, to: str) -> str:
            self.paid.append((amount, to))
            return f"paid {amount} to {to}"

        declare = tool(
            name="pay",
            description=description,
            risk=Risk.DANGEROUS,
            requires_approval=True,
            caller_roles={"staff"},
            **options,
        )
        return declare(pay)

    def refund(self) -> Any:
        @tool(risk=Risk.DANGEROUS, requires_approval=True)
        async def refund(amount: int, to: str) -> str:
            """Pay somebody back."""
            self.paid.append((-amount, to))
            return "refunded"

        return refund


async def ask(world: World, *tools: Any, **options: Any) -> Turn:
    """A turn that waits for a person, and nobody at work any more."""
    async with world(one_call, *tools, **options) as asking:
        turn = await asking.send("agent", "pay bob", by=STAFF)
    assert turn.status is TurnStatus.WAITING
    return turn


async def approved(world: World, *tools: Any, **options: Any) -> Turn:
    """A turn whose call was approved where no worker could claim it."""
    turn = await ask(world, *tools, **options)
    async with world(one_call, *tools, worker=False, **options) as deciding:
        decided = await deciding.decide(turn.pending[0].id, approve(), by=STAFF)
    assert decided.call_status == CallStatus.CLEARED
    return turn


async def carried_out(world: World, turn: Turn, *tools: Any, **options: Any) -> Turn:
    """What a worker that starts now makes of the turn."""
    async with world(one_call, *tools, **options) as working:
        return await rested(working, turn.id)


async def rested(engine: Assent, turn_id: str) -> Turn:
    """The turn at rest; one that never rests fails the test instead of holding it up."""
    async with asyncio.timeout(20):
        return await engine.wait(turn_id)


async def audited(world: World, action: str) -> int:
    count = await RawSql(world.url).one(f"SELECT count(*) FROM audit WHERE action = '{action}'")
    return int(count)


OTHER_ARGUMENTS = '{"amount":5000,"to":"mallory"}'
OTHER_DIGEST = hashlib.sha256(OTHER_ARGUMENTS.encode()).hexdigest()
OTHER_CONVERSATION = (
    "INSERT INTO conversations (id, agent, owner, owner_kind, owner_roles, created_at)"
    " SELECT 'conv_other', agent, owner, owner_kind, owner_roles, created_at FROM conversations"
)
# One element each of what an approval is given for.
ALTERATIONS: dict[str, tuple[str, ...]] = {
    "caller": ("UPDATE conversations SET owner = 'mallory'",),
    "source": ("UPDATE calls SET source = 'elsewhere'",),
    "tool": ("UPDATE calls SET tool = 'refund'",),
    "definition": (f"UPDATE calls SET definition_hash = '{'0' * 64}'",),
    "arguments": (
        f"UPDATE calls SET arguments = '{OTHER_ARGUMENTS}', arguments_digest = '{OTHER_DIGEST}'",
    ),
    "policy": ("UPDATE requests SET policy_version = 'another'",),
    "expiry": ("UPDATE requests SET decide_by = decide_by + 1",),
    "nonce": (
        "UPDATE requests SET id = 'req_other'",
        "UPDATE decisions SET request_id = 'req_other'",
    ),
    "conversation": (OTHER_CONVERSATION, "UPDATE calls SET conversation_id = 'conv_other'"),
}


# requirement: T1
async def test_an_approval_that_nobody_touched_is_carried_out(world: World) -> None:
    till = Till()
    tools = till.pay(), till.refund()
    turn = await approved(world, *tools)
    turn = await carried_out(world, turn, *tools)
    assert till.paid == [(5, "bob")]
    assert turn.status is TurnStatus.DONE


# requirement: T1
@pytest.mark.parametrize("element", ALTERATIONS)
async def test_an_approval_is_void_once_an_element_it_was_given_for_is_altered(
    world: World, element: str
) -> None:
    till = Till()
    tools = till.pay(), till.refund()
    turn = await approved(world, *tools)
    await RawSql(world.url).rows(*ALTERATIONS[element])

    turn = await carried_out(world, turn, *tools)

    assert till.paid == []
    assert turn.calls[0].status is CallStatus.FAILED
    assert "altered" in str(turn.result(turn.calls[0].id))
    assert await audited(world, "altered") == 1
    assert await audited(world, "claim") == 0


# requirement: T1
@pytest.mark.parametrize("element", ALTERATIONS)
async def test_a_question_whose_element_is_altered_cannot_be_approved_as_it_was_asked(
    world: World, element: str
) -> None:
    till = Till()
    tools = till.pay(), till.refund()
    turn = await ask(world, *tools)
    await RawSql(world.url).rows(*ALTERATIONS[element])
    async with world(one_call, *tools) as working:
        try:
            decided = await working.decide(turn.pending[0].id, approve(), by=STAFF)
        except AssentError:
            pass
        else:
            assert decided.call_status == CallStatus.FAILED
        await rested(working, turn.id)
    assert till.paid == []
    assert await audited(world, "claim") == 0


# requirement: T1
@pytest.mark.parametrize("element", ["source", "tool", "arguments", "policy", "expiry"])
async def test_an_edit_does_not_approve_a_question_that_was_altered(
    world: World, element: str
) -> None:
    till = Till()
    tools = till.pay(), till.refund()
    turn = await ask(world, *tools)
    await RawSql(world.url).rows(*ALTERATIONS[element])
    async with world(one_call, *tools) as working:
        edit = approve({"amount": 4, "to": "bob"})
        try:
            decided = await working.decide(turn.pending[0].id, edit, by=STAFF)
        except AssentError:
            pass
        else:
            assert decided.call_status == CallStatus.FAILED
        await rested(working, turn.id)
    assert till.paid == []


# requirement: T3
async def test_the_claim_finds_a_call_that_was_stopped_after_its_approval(world: World) -> None:
    till = Till()
    turn = await approved(world, till.pay())
    async with world(one_call, till.pay(), worker=False) as stopping:
        await stopping.stop(turn.id, by=STAFF)
    turn = await carried_out(world, turn, till.pay())
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.CANCELLED]


# requirement: T3
async def test_the_claim_checks_the_deny_rules_of_now(world: World) -> None:
    till = Till()
    turn = await approved(world, till.pay())
    rule = Rule.of(Effect.DENY, "pay", reason="The budget is spent.")
    turn = await carried_out(world, turn, till.pay(), rules=[rule])
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]
    assert "budget" in str(turn.result(turn.calls[0].id))


# requirement: T3
async def test_the_claim_evaluates_a_deny_rule_again_although_the_policy_is_the_same(
    world: World,
) -> None:
    till = Till()
    spent = False

    def is_spent(arguments: Arguments, context: Context) -> bool:
        return spent

    rules = [Rule.of(Effect.DENY, "pay", when=is_spent)]
    turn = await approved(world, till.pay(), rules=rules)
    spent = True
    turn = await carried_out(world, turn, till.pay(), rules=rules)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


# requirement: T3
async def test_the_claim_asks_again_where_the_policy_changed(world: World) -> None:
    till = Till()
    turn = await approved(world, till.pay())
    rule = Rule.of(Effect.ASK, "pay", audience=Audience.of("ops"))
    turn = await carried_out(world, turn, till.pay(), rules=[rule])
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.AWAITING_APPROVAL]
    assert len(turn.pending) == 1


# requirement: T3
async def test_the_claim_asks_again_where_the_definition_changed(world: World) -> None:
    till = Till()
    turn = await approved(world, till.pay())
    changed = till.pay("Pay somebody, and tell the press.")
    turn = await carried_out(world, turn, changed)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.AWAITING_APPROVAL]
    [request] = turn.pending
    assert "definition changed" in request.question.reason


# requirement: T3
async def test_the_claim_checks_the_roles_the_caller_has_now(world: World) -> None:
    till = Till()
    turn = await approved(world, till.pay())
    await RawSql(world.url).rows("UPDATE conversations SET owner_roles = '[]'")
    turn = await carried_out(world, turn, till.pay())
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


# requirement: T3
async def test_the_claim_does_not_run_a_tool_that_is_gone(world: World) -> None:
    till = Till()
    turn = await approved(world, till.pay())
    turn = await carried_out(world, turn, till.refund())
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]


# requirement: R5, T3
@pytest.mark.parametrize(
    ("late", "status"),
    [
        (-MILLISECOND, CallStatus.SUCCEEDED),
        (timedelta(0), CallStatus.EXPIRED),
        (MILLISECOND, CallStatus.EXPIRED),
    ],
)
async def test_an_approval_can_be_claimed_before_run_by_and_not_from_then_on(
    world: World, clock: VirtualClock, late: timedelta, status: CallStatus
) -> None:
    till = Till()
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    turn = await approved(world, till.pay(), **options)
    clock.advance(RUN_WITHIN + late)
    turn = await carried_out(world, turn, till.pay(), **options)
    assert [call.status for call in turn.calls] == [status]
    assert till.paid == ([(5, "bob")] if status is CallStatus.SUCCEEDED else [])


# conformance: 113
# requirement: R5
@pytest.mark.parametrize(
    ("late", "in_time"), [(-MILLISECOND, True), (timedelta(0), False), (MILLISECOND, False)]
)
@pytest.mark.parametrize("verdict", [approve(), approve({"amount": 1, "to": "eve"}), reject()])
async def test_a_decision_counts_before_the_deadline_and_not_from_then_on(
    world: World, clock: VirtualClock, late: timedelta, in_time: bool, verdict: Verdict
) -> None:
    till = Till()
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    turn = await ask(world, till.pay(), **options)
    [request] = turn.pending
    clock.advance(DECIDE_WITHIN + late)
    # Nobody sweeps: there is no worker.
    async with world(one_call, till.pay(), worker=False, **options) as deciding:
        if in_time:
            decided = await deciding.decide(request.id, verdict, by=STAFF)
            assert decided.status in (RequestStatus.APPROVED, RequestStatus.REJECTED)
            return
        for _ in range(2):
            with pytest.raises(Expired) as refused:
                await deciding.decide(request.id, verdict, by=STAFF)
            assert refused.value.status == RequestStatus.EXPIRED
        settled = await deciding.request(request.id)
    assert settled.status is RequestStatus.EXPIRED
    turn = await carried_out(world, turn, till.pay(), **options)
    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]
    assert till.paid == []


# requirement: R5
async def test_an_output_cannot_be_supplied_from_the_deadline_on(
    world: World, clock: VirtualClock
) -> None:
    within = timedelta(minutes=1)
    pick = manual("pay", description="Pick.", parameters={"type": "object"}, decide_within=within)
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    turn = await ask(world, pick, **options)
    clock.advance(within)
    async with world(one_call, pick, worker=False, **options) as deciding:
        with pytest.raises(Expired):
            await deciding.decide(turn.pending[0].id, supply("late"), by=STAFF)
    turn = await carried_out(world, turn, pick, **options)
    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]


# conformance: 113
async def test_a_late_cancellation_does_not_turn_an_expired_call_into_a_cancelled_one(
    world: World, clock: VirtualClock
) -> None:
    till = Till()
    options: dict[str, Any] = {"clock": clock, "times": PATIENT}
    turn = await ask(world, till.pay(), **options)
    clock.advance(DECIDE_WITHIN)
    async with world(one_call, till.pay(), **options) as working:
        with pytest.raises(Expired):
            await working.decide(turn.pending[0].id, cancel(), by=STAFF)
        turn = await rested(working, turn.id)
    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]


async def waits_for_lock(connection: Any) -> None:
    """Until some session of this database waits for a lock that we hold."""
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    async with asyncio.timeout(10):
        while not await connection.fetchval(waiting):  # noqa: ASYNC110 - another process's state
            await asyncio.sleep(0.01)


async def until_past(connection: Any, column: str) -> None:
    """Until the server's own clock is past a stored time."""
    left = f"SELECT ({column}) / 1e6 - extract(epoch from clock_timestamp())::float8"
    async with asyncio.timeout(20):
        while (seconds := float(await connection.fetchval(left))) >= 0:  # noqa: ASYNC110 - its clock
            await asyncio.sleep(seconds + 0.01)


async def behind_a_lock(
    url: str, row: str, deadline: str, work: Callable[[], Awaitable[object]]
) -> object:
    """Start work that has to wait for a row until after a deadline that was ahead at its start."""
    holder: Any = await asyncpg.connect(url)
    watcher: Any = await asyncpg.connect(url)
    try:
        held = holder.transaction()
        await held.start()
        await holder.fetch(f"{row} FOR UPDATE")
        working = asyncio.ensure_future(work())
        await waits_for_lock(watcher)
        await until_past(watcher, deadline)
        # Only locked, never changed: PostgreSQL does not look at the conditions again by itself.
        await held.commit()
        return await working
    finally:
        await holder.close()
        await watcher.close()


# conformance: 114
# requirement: R5
@pytest.mark.postgres
async def test_a_decision_that_waited_for_the_lock_beyond_the_deadline_is_refused(
    postgres_url: str,
) -> None:
    world, till = World(postgres_url), Till()
    pay = till.pay(decide_within=timedelta(seconds=1.5))
    turn = await ask(world, pay)
    async with world(one_call, pay, worker=False) as deciding:

        async def decide() -> object:
            try:
                return await deciding.decide(turn.pending[0].id, approve(), by=STAFF)
            except Expired as error:
                return error

        answer = await behind_a_lock(
            postgres_url, "SELECT 1 FROM requests", "SELECT decide_by FROM requests", decide
        )
    assert isinstance(answer, Expired)
    turn = await carried_out(world, turn, pay)
    assert [call.status for call in turn.calls] == [CallStatus.EXPIRED]
    assert till.paid == []


# requirement: R5
@pytest.mark.postgres
async def test_a_claim_that_waited_for_the_lock_beyond_run_by_is_refused(
    postgres_url: str,
) -> None:
    world, till = World(postgres_url), Till()
    pay = till.pay()
    turn = await approved(world, pay)
    soon = "UPDATE calls SET run_by = (extract(epoch from clock_timestamp()) + 1.5) * 1000000"
    await RawSql(postgres_url).rows(soon)

    async def claim() -> object:
        return await carried_out(world, turn, pay)

    await behind_a_lock(postgres_url, "SELECT 1 FROM calls", "SELECT run_by FROM calls", claim)
    assert till.paid == []
    assert await RawSql(postgres_url).one("SELECT status FROM calls") == "expired"


# Gate


def raising(*_: object) -> bool:
    raise RuntimeError("broken predicate")


async def hanging(*_: object) -> bool:
    await asyncio.Event().wait()
    return False


async def raising_later(*_: object) -> bool:
    await asyncio.sleep(0)
    raise RuntimeError("broken predicate")


def answering(value: object) -> Any:
    return lambda *_: value


class Quirk:
    """An answer that is neither yes nor no, and objects to being asked."""

    def __bool__(self) -> bool:
        raise RuntimeError("neither")


FAULTS: dict[str, Any] = {
    "raises": raising,
    "raises later": raising_later,
    "times out": hanging,
    "None": answering(None),
    "text": answering("no"),
    "empty text": answering(""),
    "zero": answering(0),
    "object": answering(Quirk()),
    "takes no arguments": lambda: True,
}


async def judged(policy: Policy, wish: bool | Predicate = True, **gate: Any) -> object:
    declared = Till().pay()
    asking = effective(declared, None)
    subject = EffectiveTool(
        tool=asking.tool,
        risk=asking.risk,
        requires_approval=wish,
        decide_within=None,
        impact="",
        category="",
        audience=Audience(),
    )
    context = Context(call_id="c", conversation_id="v", agent="a", tool="pay", owner=STAFF)
    return await Gate(policy=policy, **gate).judge(subject, {"amount": 5}, context)


SHORT = timedelta(milliseconds=20)


# requirement: T9
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_faulty_wish_of_the_tool_never_allows(fault: str) -> None:
    assert not isinstance(await judged(Policy(timeout=SHORT), FAULTS[fault]), Allow)


# requirement: T9
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_faulty_predicate_of_the_run_never_allows(fault: str) -> None:
    verdict = await judged(Policy(timeout=SHORT), per_run=FAULTS[fault])
    assert not isinstance(verdict, Allow)


# requirement: T9
@pytest.mark.parametrize("fault", sorted(FAULTS.keys() - {"None"}))
async def test_a_faulty_policy_hook_denies(fault: str) -> None:
    verdict = await judged(Policy(hook=FAULTS[fault], timeout=SHORT), wish=False)
    assert isinstance(verdict, Deny)


# requirement: T9
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("effect", Effect)
async def test_a_rule_with_a_faulty_predicate_never_allows(effect: Effect, fault: str) -> None:
    rule = Rule.of(effect, "pay", when=FAULTS[fault])
    # Where the rule is the only thing that says no, it has to say it; an allow must not count.
    wish = effect is Effect.ALLOW
    verdict = await judged(Policy(rules=(rule,), timeout=SHORT), wish=wish)
    assert not isinstance(verdict, Allow)


# requirement: T9
async def test_a_missing_policy_leaves_a_tool_that_asks_asking() -> None:
    assert isinstance(await judged(Policy()), Ask)


# requirement: D1, T9
@pytest.mark.parametrize("place", ["wish", "per_run", "hook", "rule"])
async def test_a_predicate_that_changes_its_arguments_does_not_hide_them_from_a_deny_rule(
    place: str,
) -> None:
    def meddling(*given: Any) -> Any:
        arguments = given[-2]
        arguments["amount"] = 0
        return None if place == "hook" else True

    def is_large(arguments: Arguments, context: Context) -> bool:
        return arguments["amount"] == 5

    meddler = Rule.of(Effect.ASK, "pay", when=meddling)
    rules = (Rule.of(Effect.DENY, "pay", when=is_large),)
    policy = Policy(
        rules=(meddler, *rules) if place == "rule" else rules,
        hook=meddling if place == "hook" else None,
    )
    wish = meddling if place == "wish" else True
    verdict = await judged(policy, wish, per_run=meddling if place == "per_run" else None)
    assert isinstance(verdict, Deny)


# requirement: T9
@pytest.mark.parametrize("fault", ["raises", "raises later", "object", "takes no arguments"])
async def test_a_call_that_the_policy_could_not_judge_does_not_run_and_the_model_is_told(
    world: World, fault: str
) -> None:
    till = Till()
    model = ScriptedModel(one_call)
    async with world(model, till.pay(), policy=FAULTS[fault]) as working:
        turn = await working.send("agent", "pay bob", by=STAFF)
    assert till.paid == []
    assert turn.status is TurnStatus.DONE
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]
    assert model.prompts[1].history[-1].outputs[0].failed


# requirement: T9
async def test_a_deny_rule_that_fails_at_the_claim_keeps_the_call_from_running(
    world: World,
) -> None:
    till, broken = Till(), False

    def fragile(arguments: Arguments, context: Context) -> bool:
        if broken:
            raise RuntimeError("broken predicate")
        return False

    rules = [Rule.of(Effect.DENY, "pay", when=fragile)]
    turn = await approved(world, till.pay(), rules=rules)
    broken = True
    turn = await carried_out(world, turn, till.pay(), rules=rules)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


# requirement: T9
async def test_an_unknown_tool_fails_and_nobody_is_asked(world: World) -> None:
    till = Till()
    async with world(one_call, till.refund()) as working:
        turn = await working.send("agent", "pay bob", by=STAFF)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert turn.pending == ()


# requirement: T9
async def test_a_turn_whose_own_predicate_is_gone_asks_about_everything(world: World) -> None:
    ran: list[int] = []

    @tool
    async def pay(amount: int, to: str) -> str:
        """A tool that does not ask by itself."""
        ran.append(amount)
        return "paid"

    async with world(one_call, pay, worker=False) as starting:
        turn_id = await starting.start("agent", "pay", by=STAFF, ask_when=lambda *_: False)
    async with world(one_call, pay) as working:
        turn = await rested(working, turn_id)
    assert ran == []
    assert [call.status for call in turn.calls] == [CallStatus.AWAITING_APPROVAL]


# requirement: T9
async def test_a_call_that_nobody_can_be_asked_about_is_denied(world: World) -> None:
    till = Till()
    robot = Person("robot", roles=frozenset({"staff"}), kind=PersonKind.SERVICE)
    async with world(one_call, till.pay()) as working:
        turn = await working.send("agent", "pay bob", by=robot)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


# Arguments

COPIES: dict[str, tuple[str, ...]] = {
    "text": (f"UPDATE calls SET arguments = '{OTHER_ARGUMENTS}'",),
    "digest": (f"UPDATE calls SET arguments_digest = '{OTHER_DIGEST}'",),
    "both": ALTERATIONS["arguments"],
}


# requirement: D1
@pytest.mark.parametrize("copy", COPIES)
async def test_arguments_that_were_changed_after_the_approval_do_not_run(
    world: World, copy: str
) -> None:
    till = Till()
    turn = await approved(world, till.pay())
    await RawSql(world.url).rows(*COPIES[copy])
    turn = await carried_out(world, turn, till.pay())
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert await audited(world, "altered") == 1


# requirement: D1
@pytest.mark.parametrize("copy", COPIES)
async def test_arguments_that_were_changed_before_the_approval_are_neither_approved_nor_run(
    world: World, copy: str
) -> None:
    till = Till()
    turn = await ask(world, till.pay())
    await RawSql(world.url).rows(*COPIES[copy])
    async with world(one_call, till.pay()) as working:
        decided = await working.decide(turn.pending[0].id, approve(), by=STAFF)
        turn = await rested(working, turn.id)
    assert till.paid == []
    assert decided.status is RequestStatus.CANCELLED
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert await audited(world, "altered") == 1


# requirement: D1
@pytest.mark.parametrize("copy", COPIES)
async def test_changed_arguments_of_a_manual_tool_are_not_handed_on(
    world: World, copy: str
) -> None:
    parameters = {"type": "object", "properties": {"amount": {"type": "integer"}}}
    pay = manual("pay", description="Pay.", parameters=parameters, requires_approval=True)
    turn = await ask(world, pay)
    await RawSql(world.url).rows(*COPIES[copy])
    async with world(one_call, pay) as working:
        await working.decide(turn.pending[0].id, approve(), by=STAFF)
        turn = await rested(working, turn.id)
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]


# requirement: D1
@pytest.mark.parametrize("copy", COPIES)
async def test_changed_arguments_of_an_edited_call_do_not_run(world: World, copy: str) -> None:
    till = Till()
    turn = await ask(world, till.pay())
    async with world(one_call, till.pay(), worker=False) as deciding:
        edit = approve({"amount": 4, "to": "bob"})
        await deciding.decide(turn.pending[0].id, edit, by=STAFF)
    await RawSql(world.url).rows(*COPIES[copy])
    turn = await carried_out(world, turn, till.pay())
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]


# requirement: D1
async def test_a_changed_copy_of_an_earlier_revision_is_recognised(world: World) -> None:
    till = Till()
    turn = await ask(world, till.pay())
    async with world(one_call, till.pay()) as working:
        edit = approve({"amount": 4, "to": "bob"})
        await working.decide(turn.pending[0].id, edit, by=STAFF)
        await rested(working, turn.id)
        await RawSql(world.url).rows(
            f"UPDATE revisions SET arguments = '{OTHER_ARGUMENTS}' WHERE revision = 1"
        )
        id = turn.calls[0].id
        kept = await working.kernel.store.run(lambda tx: tx.calls.revisions(id))
    assert [revision.arguments.is_intact for revision in kept] == [False, True]
    assert till.paid == [(4, "bob")]


# requirement: D1
async def test_a_body_cannot_change_the_arguments_on_record(world: World) -> None:
    async def scribble(basket: list[str]) -> str:
        basket.append("scribbled")
        return "ok"

    pay = tool(name="pay", description="Scribble.", requires_approval=True)(scribble)

    def script(prompt: Prompt) -> Answer | str:
        if getattr(prompt.history[-1], "outputs", None):
            return "Done."
        return says("", calls("pay", basket=["a"]))

    async with world(script, pay) as working:
        turn = await working.send("agent", "go", by=STAFF)
        await working.decide(turn.pending[0].id, approve(), by=STAFF)
        turn = await rested(working, turn.id)
    [call] = turn.calls
    assert isinstance(call, Call)
    assert call.arguments.text == '{"basket":["a"]}'
    assert call.arguments.is_intact
