"""Deciding: what a person says about a call, and what becomes of it (conformance 47–66)."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assent import (
    Effect,
    Limits,
    Person,
    Ran,
    Rule,
    approve,
    hitl,
    reject,
    supply,
    tool,
)
from assent.domain.calls import Call, Frozen
from assent.domain.conversations import status_of
from assent.domain.copies import changed
from assent.domain.decisions import VerdictName
from assent.domain.events import EventKind
from assent.domain.lifecycle import (
    CallStatus,
    ConversationStatus,
    RequestKind,
    RequestStatus,
    TurnStatus,
)
from assent.engine.settings import Texts
from assent.errors import (
    AlreadyApproved,
    AlreadyRejected,
    Conflict,
    ConflictingDecisions,
    NotFound,
)
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conformance.scenes import (
    Bank,
    decide_only,
    output_of,
    requests_of,
    split,
    statuses,
    told,
    votes,
)
from tests.conftest import QUICK, World

ANN, BOB = Person("ann", roles=frozenset({"ops"})), Person("bob", roles=frozenset({"ops"}))
PAY = calls("pay", to="eve", amount=5)
HURRIED = replace(QUICK, grace=timedelta(0))
SOME_CALL = Call(
    id="call",
    conversation_id="conv",
    turn_id="turn",
    message_id="msg",
    position=0,
    provider_id="p1",
    agent="agent",
    tool="pay",
    source="local",
    risk="moderate",
    definition_hash="",
    status=CallStatus.PROPOSED,
    revision=1,
    arguments=Frozen.of({}),
    proposed="{}",
    created_at=datetime(2030, 1, 1, tzinfo=UTC),
)


# conformance: 47
async def test_an_approved_call_runs_once_and_its_output_goes_to_the_model(
    world: World, owner: Person
) -> None:
    bank, model = Bank(), ScriptedModel([says("", PAY), "Done."])
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        assert (turn.status, statuses(turn), bank.paid) == (
            TurnStatus.WAITING,
            [CallStatus.AWAITING_APPROVAL],
            [],
        )

        turn = await decide_only(assent, turn, approve(), owner)
        thread = await assent.conversation(turn.conversation_id)

    assert bank.paid == [("eve", 5)]
    assert (turn.status, turn.text, turn.pending) == (TurnStatus.DONE, "Done.", ())
    assert told(model) == ["paid 5 to eve"]
    assert (thread.status, thread.pending) == (ConversationStatus.IDLE, ())
    assert len(model.prompts) == 2


# conformance: 48
async def test_a_rejected_call_does_not_run_and_the_conversation_goes_on(
    world: World, owner: Person
) -> None:
    bank, model = Bank(), ScriptedModel([says("", PAY), "As you wish."])
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        turn = await decide_only(assent, turn, reject("too much"), owner)

    assert bank.paid == []
    assert statuses(turn) == [CallStatus.REJECTED]
    assert list(turn.result(turn.calls[0].id)) == ["error"]  # pyright: ignore[reportArgumentType]
    [output] = model.prompts[1].history[-1].outputs  # pyright: ignore[reportAttributeAccessIssue]
    assert output.provider_id == turn.calls[0].provider_id
    assert output.failed
    assert (turn.status, turn.text) == (TurnStatus.DONE, "As you wish.")


# conformance: 49
@pytest.mark.parametrize(
    ("feedback", "expected"),
    [
        ("use the other account", "use the other account"),
        ("", "Do not run it again unless the user asks"),
    ],
)
async def test_the_model_reads_the_feedback_of_a_rejection_or_a_hint_not_to_try_again(
    world: World, owner: Person, feedback: str, expected: str
) -> None:
    model = ScriptedModel([says("", PAY), "OK."])
    async with world(model, Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await decide_only(assent, turn, reject(feedback), owner)

    assert expected in told(model)[0]


# conformance: 50
async def test_one_of_two_approved_runs_and_waits_unsent_for_the_other(
    world: World, owner: Person
) -> None:
    bank = Bank()
    model = ScriptedModel([says("", PAY, calls("pay", to="mallory", amount=9)), "Done."])
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay both", by=owner)
        first, second = turn.pending

        await assent.decide(first.id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        thread = await assent.conversation(turn.conversation_id)
        assert bank.paid == [("eve", 5)]
        assert statuses(turn) == [CallStatus.SUCCEEDED, CallStatus.AWAITING_APPROVAL]
        assert [request.id for request in thread.pending] == [second.id]
        assert thread.status is ConversationStatus.AWAITING_APPROVAL
        assert len(model.prompts) == 1

        turn = await decide_only(assent, turn, approve(), owner)

    assert bank.paid == [("eve", 5), ("mallory", 9)]
    assert told(model) == ["paid 5 to eve", "paid 9 to mallory"]
    assert len(model.prompts) == 2


# conformance: 51
async def test_an_approved_hitl_call_whose_hook_answers_nothing_waits_for_a_person(
    world: World, owner: Person
) -> None:
    asked: list[str] = []

    async def on_tool_called(question: str) -> None:
        asked.append(question)

    survey = hitl("survey", output=str, on_tool_called=on_tool_called, requires_approval=True)
    model = ScriptedModel([says("", calls("survey", question="why?"))])
    async with world(model, survey) as assent:
        turn = await assent.send("agent", "ask", by=owner)
        assert asked == []

        turn = await decide_only(assent, turn, approve(), owner)
        thread = await assent.conversation(turn.conversation_id)

    assert asked == ["why?"]
    assert statuses(turn) == [CallStatus.AWAITING_RESULT]
    assert [request.kind for request in turn.pending] == [RequestKind.RESULT]
    assert thread.status is ConversationStatus.AWAITING_HITL
    assert len(model.prompts) == 1


# conformance: 52
async def test_a_conversation_awaits_approval_before_hitl_before_being_in_progress(
    world: World, owner: Person
) -> None:
    release = asyncio.Event()

    async def on_tool_called() -> None:
        return None

    @tool(requires_approval=True)
    async def slow() -> str:
        """Take a while."""
        await release.wait()
        return "at last"

    survey = hitl("survey", output=str, on_tool_called=on_tool_called)
    model = ScriptedModel([says("", calls("slow"), calls("survey")), "Done."])
    async with world(model, slow, survey) as assent:
        turn = await assent.send("agent", "go", by=owner)

        async def status() -> ConversationStatus:
            return (await assent.conversation(turn.conversation_id)).status

        assert await status() is ConversationStatus.AWAITING_APPROVAL
        [approval] = [r for r in turn.pending if r.kind is RequestKind.APPROVAL]
        await assent.decide(approval.id, approve(), by=owner)
        assert await status() is ConversationStatus.AWAITING_HITL
        [result] = (await assent.turn(turn.id)).pending
        await assent.decide(result.id, supply("because"), by=owner)
        assert await status() is ConversationStatus.IN_PROGRESS

        release.set()
        await assent.wait(turn.id)
        assert await status() is ConversationStatus.IDLE


# conformance: 52
def test_any_undecided_call_outranks_everything_else() -> None:
    def waiting(*statuses: CallStatus) -> ConversationStatus:
        made = [changed(SOME_CALL, id=str(n), status=status) for n, status in enumerate(statuses)]
        return status_of(TurnStatus.WAITING, made, frozenset())

    everything = (CallStatus.RUNNING, CallStatus.AWAITING_RESULT, CallStatus.AWAITING_APPROVAL)
    assert waiting(*everything) is ConversationStatus.AWAITING_APPROVAL
    assert waiting(*everything[:2]) is ConversationStatus.AWAITING_HITL
    assert waiting(CallStatus.RUNNING) is ConversationStatus.IN_PROGRESS


# conformance: 53
async def test_an_approved_call_of_a_tool_that_is_gone_fails_and_its_siblings_run(
    world: World, owner: Person
) -> None:
    bank = Bank()

    @tool(requires_approval=True)
    async def greet() -> str:
        """Say hello."""
        return "hello"

    async with world([says("", PAY, calls("greet"))], bank.pay(), greet) as assent:
        turn = await assent.send("agent", "go", by=owner)

    model = ScriptedModel(["Done."])
    async with world(model, greet) as assent:
        for request in turn.pending:
            await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert statuses(turn) == [CallStatus.FAILED, CallStatus.SUCCEEDED]
    assert bank.paid == []
    gone, greeting = told(model)
    assert "'pay' is no longer there" in gone
    assert greeting == "hello"


# conformance: 54
async def test_a_batch_that_approves_and_rejects_one_request_decides_nothing(
    world: World, owner: Person
) -> None:
    bank = Bank()
    model = ScriptedModel([says("", PAY, calls("pay", to="mallory", amount=9))])
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        first, second = turn.pending

        batch = [(second.id, approve()), (first.id, approve()), (first.id, reject())]
        with pytest.raises(ConflictingDecisions) as raised:
            await assent.decide_all(batch, by=owner)

        turn = await assent.wait(turn.id)
        assert [request.id for request in turn.pending] == [first.id, second.id]
        assert await votes(assent, first.id) == []

    assert raised.value.request_ids == (first.id,)
    assert bank.paid == []


# conformance: 55
async def test_a_request_approved_twice_in_one_batch_runs_once(world: World, owner: Person) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending

        outcomes = await assent.decide_all([(request.id, approve())] * 2, by=owner)
        await assent.wait(turn.id)

    assert [outcome.request_id for outcome in outcomes] == [request.id]
    assert bank.paid == [("eve", 5)]


# conformance: 56
async def test_deciding_an_unknown_request_is_not_found_and_asks_no_model(
    world: World, owner: Person
) -> None:
    model = ScriptedModel([says("", PAY)])
    async with world(model, Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)

        for id in ("req_unknown", turn.calls[0].id):
            with pytest.raises(NotFound):
                await assent.decide(id, approve(), by=owner)
        [outcome] = await assent.decide_all([("req_unknown", approve())], by=owner)

    assert isinstance(outcome.error, NotFound)
    assert len(model.prompts) == 1


# conformance: 57
async def test_a_decision_for_a_conversation_that_awaits_none_conflicts_and_starts_no_turn(
    world: World, owner: Person
) -> None:
    model = ScriptedModel([says("", PAY), "Done.", "Never said."])
    async with world(model, Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        turn = await decide_only(assent, turn, approve(), owner)

        with pytest.raises(Conflict):
            await assent.decide(request.id, reject(), by=owner)
        after = await assent.wait(turn.id)
        thread = await assent.conversation(turn.conversation_id)

    assert after == turn
    assert thread.status is ConversationStatus.IDLE
    assert len(model.prompts) == 2


# conformance: 58
async def test_a_decided_call_tells_a_second_decider_who_won_and_does_not_change(
    world: World, owner: Person
) -> None:
    bank, model = Bank(), ScriptedModel([says("", PAY), "Done."])
    async with world(model, bank.pay(approvers=("ops",))) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        turn = await decide_only(assent, turn, approve(), ANN)

        with pytest.raises(AlreadyApproved) as raised:
            await assent.decide(request.id, reject(), by=BOB)
        after = await assent.wait(turn.id)
        stored = await assent.request(request.id)
        [vote] = await votes(assent, request.id)

    error = raised.value
    assert (error.status, error.by, error.at) == ("approved", "ann", stored.closed_at)
    assert after == turn
    assert vote.person == "ann"
    assert bank.paid == [("eve", 5)]
    assert len(model.prompts) == 2


# conformance: 58
async def test_the_same_decision_by_the_same_person_gets_the_first_answer_again(
    world: World, owner: Person
) -> None:
    bank, model = Bank(), ScriptedModel([says("", PAY), "Done."])
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        first = await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)

        again = await assent.decide(request.id, approve(), by=owner)
        after = await assent.wait(turn.id)

    assert (first.replayed, again.replayed) == (False, True)
    assert (again.request_id, again.status) == (request.id, RequestStatus.APPROVED)
    assert after == turn
    assert bank.paid == [("eve", 5)]
    assert len(model.prompts) == 2


# conformance: 59
async def test_of_two_concurrent_approvals_one_runs_the_tool_and_the_other_is_told(
    world: World, owner: Person
) -> None:
    bank, script = Bank(), [says("", PAY), "Done."] * 8
    pay = bank.pay(approvers=("ops",))
    async with world(script, pay) as assent, world([], pay, worker=False) as other:
        for rounds in range(1, 9):
            turn = await assent.send("agent", "pay", by=owner)
            [request] = turn.pending
            won, lost = split(
                await asyncio.gather(
                    assent.decide(request.id, approve(), by=ANN),
                    other.decide(request.id, approve(), by=BOB),
                    return_exceptions=True,
                )
            )
            turn = await assent.wait(turn.id)

            assert len(won) == len(lost) == 1
            assert isinstance(lost[0], AlreadyApproved)
            assert len(bank.paid) == rounds
            assert turn.status is TurnStatus.DONE


# conformance: 59
async def test_a_double_click_runs_the_tool_once(world: World, owner: Person) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        both = await asyncio.gather(
            *(assent.decide(request.id, approve(), by=owner) for _ in range(2))
        )
        await assent.wait(turn.id)

    assert sorted(answer.replayed for answer in both) == [False, True]
    assert bank.paid == [("eve", 5)]


# conformance: 60
async def test_of_a_concurrent_approval_and_rejection_one_wins_everywhere(
    world: World, owner: Person
) -> None:
    bank, script = Bank(), [says("", PAY), "Done."] * 8
    pay = bank.pay(approvers=("ops",))
    async with world(script, pay) as assent, world([], pay, worker=False) as other:
        for _ in range(8):
            bank.paid.clear()
            turn = await assent.send("agent", "pay", by=owner)
            [request] = turn.pending
            _, lost = split(
                await asyncio.gather(
                    assent.decide(request.id, approve(), by=ANN),
                    other.decide(request.id, reject(), by=BOB),
                    return_exceptions=True,
                )
            )
            turn = await assent.wait(turn.id)
            stored = await assent.request(request.id)
            [vote] = await votes(assent, request.id)
            shown = [
                e.data["status"]
                async for e in assent.events(turn.id)
                if e.kind is EventKind.DECIDED
            ]

            approved = vote.verdict is VerdictName.APPROVE
            assert stored.status == ("approved" if approved else "rejected")
            assert shown == [stored.status]
            assert stored.closed_by == vote.person
            assert bank.paid == ([("eve", 5)] if approved else [])
            assert statuses(turn) == [CallStatus.SUCCEEDED if approved else CallStatus.REJECTED]
            assert [type(e) for e in lost] == [AlreadyApproved if approved else AlreadyRejected]


# conformance: 61
async def test_a_call_whose_process_died_while_it_ran_is_in_doubt_and_not_run_again(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    began, never = asyncio.Event(), asyncio.Event()
    runs: list[int] = []

    @tool(requires_approval=True)
    async def launch() -> str:
        """Launch."""
        runs.append(1)
        began.set()
        await never.wait()
        return "launched"

    dead = world([says("", calls("launch"))], launch, clock=clock, times=HURRIED)
    async with dead:
        turn = await dead.send("agent", "go", by=owner)
        [request] = turn.pending
        await dead.decide(request.id, approve(), by=owner)
        await began.wait()
        # What kill -9 leaves: the rows as they are, and nobody who holds the database.
        await dead.kernel.store.close()
        clock.advance(timedelta(minutes=1))

        model = ScriptedModel(["Done."])
        async with world(model, launch, clock=clock) as assent:
            turn = await assent.wait(turn.id)
            thread = await assent.conversation(turn.conversation_id)
            assert statuses(turn) == [CallStatus.IN_DOUBT]
            assert thread.status is ConversationStatus.IN_DOUBT
            assert (await assent.request(request.id)).status is RequestStatus.APPROVED
            assert [pending.kind for pending in turn.pending] == [RequestKind.OUTCOME]
            assert model.prompts == []

            turn = await decide_only(assent, turn, Ran(output="it did launch"), owner)

    assert turn.status is TurnStatus.DONE
    assert told(model) == ["it did launch"]
    assert runs == [1]


# conformance: 61
async def test_a_call_declared_idempotent_is_run_again_after_its_process_died(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    began, never = asyncio.Event(), asyncio.Event()
    runs: list[int] = []

    @tool(requires_approval=True, idempotent=True)
    async def launch() -> str:
        """Launch."""
        runs.append(1)
        began.set()
        if len(runs) == 1:
            await never.wait()
        return "launched"

    dead = world([says("", calls("launch"))], launch, clock=clock, times=HURRIED)
    async with dead:
        turn = await dead.send("agent", "go", by=owner)
        [request] = turn.pending
        await dead.decide(request.id, approve(), by=owner)
        await began.wait()
        await dead.kernel.store.close()
        clock.advance(timedelta(minutes=1))

        async with world(["Done."], launch, clock=clock) as assent:
            turn = await assent.wait(turn.id)

    assert (statuses(turn), turn.status) == ([CallStatus.SUCCEEDED], TurnStatus.DONE)
    assert runs == [1, 1]


# conformance: 61
async def test_a_call_in_doubt_whose_tool_is_gone_can_still_be_resolved(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    began, never = asyncio.Event(), asyncio.Event()

    @tool(requires_approval=True)
    async def launch() -> str:
        """Launch."""
        began.set()
        await never.wait()
        return "launched"

    dead = world([says("", calls("launch"))], launch, clock=clock, times=HURRIED)
    async with dead:
        turn = await dead.send("agent", "go", by=owner)
        [request] = turn.pending
        await dead.decide(request.id, approve(), by=owner)
        await began.wait()
        await dead.kernel.store.close()
        clock.advance(timedelta(minutes=1))

        async with world(["Done."], clock=clock) as assent:
            turn = await assent.wait(turn.id)
            turn = await decide_only(assent, turn, Ran(output="it did"), owner)

    assert (statuses(turn), turn.status) == ([CallStatus.SUCCEEDED], TurnStatus.DONE)


# conformance: 61
async def test_a_call_approved_where_nobody_runs_it_is_run_once_by_the_next_worker(
    world: World, owner: Person
) -> None:
    bank = Bank()
    async with world([says("", PAY)], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
    [request] = turn.pending
    async with world([], bank.pay(), worker=False) as clerk:
        decided = await clerk.decide(request.id, approve(), by=owner)
    assert (decided.call_status, bank.paid) == (CallStatus.CLEARED, [])

    async with world(["Done."], bank.pay()) as assent:
        turn = await assent.wait(turn.id)

    assert (statuses(turn), turn.status) == ([CallStatus.SUCCEEDED], TurnStatus.DONE)
    assert bank.paid == [("eve", 5)]


# conformance: 62
@pytest.mark.parametrize("crash", [RuntimeError("kaput"), MemoryError(), SystemExit(1)], ids=repr)
async def test_an_approved_call_that_crashes_ends_failed_with_an_error(
    world: World, owner: Person, crash: BaseException
) -> None:
    @tool(requires_approval=True)
    async def explode() -> str:
        """Explode."""
        raise crash

    model = ScriptedModel([says("", calls("explode")), "Sorry."])
    async with world(model, explode) as assent:
        turn = await assent.send("agent", "go", by=owner)
        turn = await decide_only(assent, turn, approve(), owner)

    assert statuses(turn) == [CallStatus.FAILED]
    assert type(crash).__name__ in told(model)[0]
    assert turn.status is TurnStatus.DONE


# conformance: 63
async def test_a_tool_that_raises_leaves_the_approval_as_it_was(
    world: World, owner: Person
) -> None:
    @tool(requires_approval=True)
    async def explode() -> str:
        """Explode."""
        raise ValueError("no such account")

    model = ScriptedModel([says("", calls("explode")), "Sorry."])
    async with world(model, explode) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        decided = await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        stored = await assent.request(request.id)
        [vote] = await votes(assent, request.id)

    assert decided.status is RequestStatus.APPROVED
    assert (stored.status, vote.verdict) == (RequestStatus.APPROVED, VerdictName.APPROVE)
    assert output_of(turn.calls[0]) == {"error": "ValueError: no such account"}


# conformance: 64
@pytest.mark.parametrize("gated", [True, False], ids=["approved", "ordinary"])
async def test_an_approved_call_has_the_timeout_of_an_ordinary_one(
    world: World, owner: Person, gated: bool
) -> None:
    never = asyncio.Event()

    @tool(requires_approval=gated, timeout=timedelta(milliseconds=20))
    async def hang() -> str:
        """Hang."""
        await never.wait()
        return "?"

    async with world([says("", calls("hang"))], hang) as assent:
        turn = await assent.send("agent", "go", by=owner)
        if gated:
            turn = await decide_only(assent, turn, approve(), owner)

    assert statuses(turn) == [CallStatus.IN_DOUBT]
    assert [request.kind for request in turn.pending] == [RequestKind.OUTCOME]


# conformance: 64
@pytest.mark.parametrize("gated", [True, False], ids=["approved", "ordinary"])
@pytest.mark.parametrize("returned", ["7", "many"])
async def test_an_approved_call_has_its_output_shaped_like_an_ordinary_one(
    world: World, owner: Person, gated: bool, returned: str
) -> None:
    @tool(requires_approval=gated, output=int)
    async def count() -> str:
        """Count."""
        return returned

    async with world([says("", calls("count")), "Done."], count) as assent:
        turn = await assent.send("agent", "go", by=owner)
        if gated:
            turn = await decide_only(assent, turn, approve(), owner)

    [call] = turn.calls
    if returned == "7":
        assert output_of(call) == 7
    else:
        assert "It ran, but its output could not be kept" in str(output_of(call))
        assert call.status is CallStatus.FAILED


# conformance: 64
@pytest.mark.parametrize("gated", [True, False], ids=["approved", "ordinary"])
async def test_an_approved_call_is_torn_down_like_an_ordinary_one(
    world: World, owner: Person, gated: bool
) -> None:
    began, never = asyncio.Event(), asyncio.Event()
    torn: list[str] = []

    @tool(requires_approval=gated)
    async def hang() -> str:
        """Hang."""
        began.set()
        try:
            await never.wait()
        except asyncio.CancelledError:
            torn.append("cancelled")
            raise
        return "?"

    async with world([says("", calls("hang"))], hang, times=HURRIED) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        if gated:
            [request] = (await assent.wait(turn_id)).pending
            await assent.decide(request.id, approve(), by=owner)
        await began.wait()

    async with world([], hang) as assent:
        turn = await assent.wait(turn_id)
    assert torn == ["cancelled"]
    assert statuses(turn) == [CallStatus.IN_DOUBT]


# conformance: 64
async def test_an_approved_call_passes_the_deny_rules_once_more(
    world: World, owner: Person
) -> None:
    bank, closed = Bank(), [False]
    rule = Rule.of(Effect.DENY, "pay", when=lambda *_: closed[0], reason="The bank is closed.")
    model = ScriptedModel([says("", PAY), "Sorry."])
    async with world(model, bank.pay(), rules=[rule]) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        closed[0] = True
        turn = await decide_only(assent, turn, approve(), owner)

    assert statuses(turn) == [CallStatus.DENIED]
    assert bank.paid == []
    assert "The bank is closed." in told(model)[0]


# conformance: 65
async def test_the_same_call_again_and_again_is_not_asked_about_and_ends_the_turn(
    world: World, owner: Person
) -> None:
    bank = Bank()
    model = ScriptedModel(lambda _: says("", calls("pay", to="eve", amount=5)))
    async with world(model, bank.pay(), limits=Limits(repeats=2)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        for _ in range(2):
            turn = await decide_only(assent, turn, reject(), owner)
        asked = [await requests_of(assent, call.id) for call in turn.calls]

    assert [len(requests) for requests in asked] == [1, 1, 0, 0, 0]
    assert statuses(turn) == [CallStatus.REJECTED] * 2 + [CallStatus.FAILED] * 3
    assert "made too often" in told(model)[0]
    assert (turn.status, turn.pending) == (TurnStatus.FAILED, ())
    assert "same call" in (turn.error or "")
    assert bank.paid == []


# conformance: 66
@pytest.mark.parametrize(
    ("texts", "expected"),
    [(Texts(), "Tool execution denied by user."), (Texts(rejected="Nope."), "Nope.")],
    ids=["default", "configured"],
)
async def test_a_denied_call_has_its_own_text_and_the_next_ones_are_still_processed(
    world: World, owner: Person, texts: Texts, expected: str
) -> None:
    bank = Bank()
    model = ScriptedModel([says("", PAY, calls("pay", to="zoe", amount=1)), "Done."])
    async with world(model, bank.pay(), texts=texts) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        first, second = turn.pending
        await assent.decide(first.id, reject(), by=owner)
        await assent.decide(second.id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    outputs = model.prompts[1].history[-1].outputs  # pyright: ignore[reportAttributeAccessIssue]
    assert [output.provider_id for output in outputs] == [c.provider_id for c in turn.calls]
    assert expected in outputs[0].content
    assert outputs[1].content == "paid 1 to zoe"
    assert bank.paid == [("zoe", 1)]
