"""Who comes second and what they are told; keys, batches, and decisions that come too late."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from assent import (
    Assent,
    DidNotRun,
    Fail,
    OutcomeUnknown,
    Person,
    Ran,
    RunAgain,
    approve,
    cancel,
    manual,
    reject,
    supply,
    tool,
)
from assent.domain.decisions import Verdict, VerdictName
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.messages import Prompt
from assent.engine.queries.snapshots import Turn
from assent.errors import (
    AlreadyAnswered,
    AlreadyApproved,
    AlreadyRejected,
    AlreadySettled,
    Cancelled,
    Expired,
    KeyReused,
    NotEligible,
    NotFound,
    StaleDigest,
    Superseded,
    WrongVerdict,
)
from assent.models.scripted import ScriptStep
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conformance.scenes import (
    Bank,
    actions,
    call_of,
    decide_only,
    output_of,
    statuses,
    told,
    votes,
)
from tests.conftest import QUICK, World

ANN = Person("ann", roles=frozenset({"ops"}))
BOB = Person("bob", roles=frozenset({"ops"}))
PAY = calls("pay", to="eve", amount=5)
DAY = timedelta(days=1, seconds=1)
# Nobody looks at deadlines by himself: the decision has to notice.
UNSWEPT = replace(QUICK, look=timedelta(hours=1))

Settle = Callable[[Assent, Turn, VirtualClock, Person], Awaitable[object]]


async def _approve(assent: Assent, turn: Turn, clock: VirtualClock, owner: Person) -> None:
    await assent.decide(turn.pending[0].id, approve(), by=ANN)


async def _reject(assent: Assent, turn: Turn, clock: VirtualClock, owner: Person) -> None:
    await assent.decide(turn.pending[0].id, reject(), by=ANN)


async def _cancel(assent: Assent, turn: Turn, clock: VirtualClock, owner: Person) -> None:
    await assent.decide(turn.pending[0].id, cancel(), by=owner)


async def _stop(assent: Assent, turn: Turn, clock: VirtualClock, owner: Person) -> None:
    await assent.stop(turn.id, by=owner)


async def _pass_deadline(assent: Assent, turn: Turn, clock: VirtualClock, owner: Person) -> None:
    clock.advance(DAY)


async def _sweep(assent: Assent, turn: Turn, clock: VirtualClock, owner: Person) -> None:
    clock.advance(DAY)
    await assent.sweeper.sweep()


async def _supersede(assent: Assent, turn: Turn, clock: VirtualClock, owner: Person) -> None:
    await assent.send(
        "agent",
        "never mind",
        by=owner,
        conversation_id=turn.conversation_id,
        on_pending="supersede",
    )


WAYS: dict[str, tuple[Settle, type[AlreadySettled], str]] = {
    "approved": (_approve, AlreadyApproved, "already_approved"),
    "rejected": (_reject, AlreadyRejected, "already_rejected"),
    "cancelled": (_cancel, Cancelled, "cancelled"),
    "stopped": (_stop, Cancelled, "cancelled"),
    "expired": (_pass_deadline, Expired, "expired"),
    "swept": (_sweep, Expired, "expired"),
    "superseded": (_supersede, Superseded, "superseded"),
}


# conformance: 58
# requirement: R2, R15
@pytest.mark.parametrize("late", [approve(), reject(), cancel()], ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("way", WAYS)
async def test_a_late_decision_is_told_what_won_and_reopens_nothing(
    world: World, owner: Person, clock: VirtualClock, way: str, late: Verdict
) -> None:
    settle, error, code = WAYS[way]
    bank, model = Bank(), ScriptedModel(_pays_once)
    pay = bank.pay(approvers=("ops",))
    async with world(model, pay, clock=clock, times=UNSWEPT) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        await settle(assent, turn, clock, owner)
        await assent.wait(turn.id)
        paid, before = list(bank.paid), await assent.request(request.id)

        with pytest.raises(error) as raised:
            await assent.decide(request.id, late, by=BOB)
        after = await assent.wait(turn.id)
        stored = await assent.request(request.id)
        again = await call_of(assent, request.call_id)
        log = await actions(assent, request.call_id)

    assert (type(raised.value), raised.value.code) == (error, code)
    assert raised.value.status == stored.status
    assert raised.value.by
    assert raised.value.at is not None
    assert before.is_open == (way == "expired")
    assert not stored.is_open
    assert again.is_settled
    assert statuses(after) == [again.status]
    assert bank.paid == paid
    assert log[-1] == "refused"


def _pays_once(prompt: Prompt) -> ScriptStep:
    return says("", PAY) if len(prompt.history) == 1 else "Done."


# requirement: R2
async def test_who_may_see_but_not_decide_is_not_eligible_and_a_stranger_finds_nothing(
    world: World, owner: Person
) -> None:
    bank = Bank()
    async with world([says("", PAY)], bank.pay(approvers=("ops",))) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending

        for person, error in [
            (owner, NotEligible),
            (Person("root", roles=frozenset({"admin"})), NotEligible),
            (Person("eve"), NotFound),
        ]:
            with pytest.raises(error):
                await assent.decide(request.id, approve(), by=person)
        assert (await assent.request(request.id)).is_open
        assert (await actions(assent, request.call_id)).count("refused") == 3
    assert bank.paid == []


# requirement: R2
async def test_a_decision_about_something_else_than_what_was_shown_is_stale(
    world: World, owner: Person
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending

        with pytest.raises(StaleDigest):
            await assent.decide(request.id, approve(), by=owner, digest="0" * 64)
        assert bank.paid == []
        await assent.decide(request.id, approve(), by=owner, digest=request.digest)
        await assent.wait(turn.id)
    assert bank.paid == [("eve", 5)]


# requirement: R2
async def test_a_verdict_that_does_not_fit_the_question_is_refused(
    world: World, owner: Person
) -> None:
    async with world([says("", PAY)], Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        for verdict in (supply("x"), Fail(reason="x"), Ran(), DidNotRun(), RunAgain()):
            with pytest.raises(WrongVerdict):
                await assent.decide(request.id, verdict, by=owner)
        assert (await assent.request(request.id)).is_open


# requirement: R3
@pytest.mark.parametrize("verdict", [approve(), approve({"to": "b", "amount": 1}), reject("no")])
async def test_the_same_decision_under_the_same_key_gets_the_original_answer(
    world: World, owner: Person, verdict: Verdict
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        first = await assent.decide(request.id, verdict, by=owner, idempotency_key="k1")
        turn = await assent.wait(turn.id)
        paid = list(bank.paid)

        again = await assent.decide(request.id, verdict, by=owner, idempotency_key="k1")
        assert await assent.wait(turn.id) == turn

    assert (again.request_id, again.status) == (first.request_id, first.status)
    assert (first.replayed, again.replayed) == (False, True)
    assert bank.paid == paid


# requirement: R3
async def test_a_key_used_for_another_decision_is_refused(world: World, owner: Person) -> None:
    bank = Bank()
    model = ScriptedModel([says("", PAY, calls("pay", to="zoe", amount=1))])
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        first, second = turn.pending
        await assent.decide(first.id, reject(), by=owner, idempotency_key="k1")

        with pytest.raises(KeyReused):
            await assent.decide(first.id, approve(), by=owner, idempotency_key="k1")
        with pytest.raises(KeyReused):
            await assent.decide(second.id, reject(), by=owner, idempotency_key="k1")
        assert (await assent.request(second.id)).is_open
    assert bank.paid == []


# requirement: R3
async def test_arguments_written_otherwise_are_the_same_decision(
    world: World, owner: Person
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        edit = approve({"to": "b", "amount": 1})
        await assent.decide(request.id, edit, by=owner, idempotency_key="k1")
        for same in (approve({"amount": 1, "to": "b"}), approve('{ "to": "b", "amount": 1 }')):
            again = await assent.decide(request.id, same, by=owner, idempotency_key="k1")
            assert again.replayed
        await assent.wait(turn.id)
    assert bank.paid == [("b", 1)]


# requirement: R3
async def test_concurrent_repeats_under_one_key_decide_once(world: World, owner: Person) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        edit = approve({"to": "b", "amount": 1})
        answers = await asyncio.gather(
            *(assent.decide(request.id, edit, by=owner, idempotency_key="k1") for _ in range(8))
        )
        await assent.wait(turn.id)

    assert sorted(answer.replayed for answer in answers) == [False] + [True] * 7
    assert bank.paid == [("b", 1)]


# requirement: R17
async def test_a_message_sent_twice_under_one_key_is_one_turn(world: World, owner: Person) -> None:
    bank, model = Bank(), ScriptedModel([says("", PAY)])
    async with world(model, bank.pay()) as assent:
        first = await assent.send("agent", "pay", by=owner, idempotency_key="k1")
        again = await assent.send("agent", "pay", by=owner, idempotency_key="k1")
        thread = await assent.conversation(first.conversation_id)

    assert again == first
    assert len(thread.messages) == 2
    assert len(model.prompts) == 1


# requirement: R17
async def test_another_message_under_a_used_key_is_refused(world: World, owner: Person) -> None:
    model = ScriptedModel(["Hello.", "Hello, Bob."])
    async with world(model) as assent:
        await assent.send("agent", "hello", by=owner, idempotency_key="k1")
        with pytest.raises(KeyReused):
            await assent.send("agent", "pay everybody", by=owner, idempotency_key="k1")
        assert len(model.prompts) == 1

        # A key belongs to whoever used it: nobody can block or read another person's.
        other = await assent.send("agent", "pay everybody", by=BOB, idempotency_key="k1")
    assert other.text == "Hello, Bob."


# requirement: R17
async def test_concurrent_sends_under_one_key_start_one_turn(world: World, owner: Person) -> None:
    model = ScriptedModel(["Hello."])
    async with world(model) as assent, world([], worker=False) as other:
        started = await asyncio.gather(
            *(
                engine.start("agent", "hello", by=owner, idempotency_key="k1")
                for engine in (assent, other) * 4
            )
        )
        turn = await assent.wait(started[0])

    assert set(started) == {turn.id}
    assert turn.text == "Hello."
    assert len(model.prompts) == 1


# conformance: 55, 56
async def test_a_batch_reports_each_outcome(world: World, owner: Person) -> None:
    bank = Bank()
    model = ScriptedModel(
        [says("", *(calls("pay", to=to, amount=1) for to in ("ann", "bob", "cy"))), "Done."]
    )
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        one, two, three = turn.pending
        await assent.decide(one.id, reject(), by=owner)

        outcomes = await assent.decide_all(
            [
                (one.id, approve()),
                (two.id, approve({"to": "bob", "amount": "no number"})),
                ("req_unknown", approve()),
                (three.id, approve()),
            ],
            by=owner,
        )
        turn = await assent.wait(turn.id)

    codes = [outcome.error.code if outcome.error else None for outcome in outcomes]
    assert codes == ["already_rejected", "invalid_arguments", "not_found", None]
    assert outcomes[3].decided is not None
    assert bank.paid == [("cy", 1)]
    assert [request.id for request in turn.pending] == [two.id]


# conformance: 58
async def test_a_decision_is_a_vote_on_record(world: World, owner: Person) -> None:
    async with world([says("", PAY), "Done."], Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, reject("why?"), by=owner, channel="terminal")
        [vote] = await votes(assent, request.id)

    assert request.quorum == 1
    assert (vote.person, vote.verdict, vote.reason, vote.channel) == (
        owner.id,
        VerdictName.REJECT,
        "why?",
        "terminal",
    )


IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
BLOCKS = [{"type": "input_text", "text": "see"}, IMAGE]


# conformance: 58
@pytest.mark.parametrize(
    ("verdict", "ended", "said"),
    [
        (supply("by hand"), (CallStatus.SUCCEEDED, RequestStatus.ANSWERED), "by hand"),
        (supply(BLOCKS), (CallStatus.SUCCEEDED, RequestStatus.ANSWERED), "see"),  # pyright: ignore[reportArgumentType]
        (Fail(reason="no paper"), (CallStatus.FAILED, RequestStatus.ANSWERED), "no paper"),
        (cancel("not today"), (CallStatus.CANCELLED, RequestStatus.CANCELLED), "not today"),
    ],
    ids=["supply", "blocks", "fail", "cancel"],
)
async def test_a_call_that_waits_for_its_result_is_settled_once(
    world: World,
    owner: Person,
    verdict: Verdict,
    ended: tuple[CallStatus, RequestStatus],
    said: str,
) -> None:
    printing = manual("printing", description="Print by hand.")
    model = ScriptedModel([says("", calls("printing")), "Done."])
    async with world(model, printing) as assent:
        turn = await assent.send("agent", "print", by=owner)
        [request] = turn.pending
        turn = await decide_only(assent, turn, verdict, owner)
        stored = await assent.request(request.id)
        with pytest.raises((AlreadyAnswered, Cancelled)):
            await assent.decide(request.id, supply("something else"), by=owner)

    assert (turn.calls[0].status, stored.status) == ended
    assert said in str(told(model)[0])


# conformance: 61
@pytest.mark.parametrize(
    ("verdict", "ended", "said"),
    [
        (Ran(output="it went through"), (CallStatus.SUCCEEDED, 1), "it went through"),
        (DidNotRun(reason="never arrived"), (CallStatus.FAILED, 1), "never arrived"),
        (RunAgain(), (CallStatus.SUCCEEDED, 2), "wired"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_call_in_doubt_is_resolved_by_a_person(
    world: World, owner: Person, verdict: Verdict, ended: tuple[CallStatus, int], said: str
) -> None:
    attempts: list[int] = []

    @tool
    async def wire() -> str:
        """Wire money over a bad line."""
        attempts.append(1)
        if len(attempts) == 1:
            raise OutcomeUnknown("the line went dead")
        return "wired"

    model = ScriptedModel([says("", calls("wire")), "Done."])
    async with world(model, wire) as assent:
        turn = await assent.send("agent", "wire", by=owner)
        assert statuses(turn) == [CallStatus.IN_DOUBT]
        turn = await decide_only(assent, turn, verdict, owner)

    assert (turn.calls[0].status, len(attempts)) == ended
    assert said in str(output_of(turn.calls[0]))
    assert said in told(model)[0]
    assert turn.status is TurnStatus.DONE
