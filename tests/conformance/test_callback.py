"""Deciders without a person in front: the in-process callback, and approvals switched off."""

import asyncio
import logging
import threading
from typing import Any

import pytest

from assent import (
    Agent,
    ApprovalRequired,
    Context,
    Effect,
    Person,
    Risk,
    Rule,
    approve,
    reject,
    run_once,
    tool,
)
from assent.domain.calls import Call
from assent.domain.decisions import VerdictName
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.tools import EffectiveTool
from assent.errors import InvalidParameter
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import Bank, decide_only, statuses, told, votes
from tests.conftest import World

PAY = calls("pay", to="eve", amount=5)


# conformance: 22, 58
async def test_a_callback_that_answers_true_approves_on_record(world: World, owner: Person) -> None:
    bank, seen = Bank(), list[tuple[str, object, str]]()

    def on_confirmation(call: Call, metadata: EffectiveTool) -> bool:
        seen.append((call.tool, call.arguments.thaw(), metadata.risk))
        return True

    model = ScriptedModel([says("", PAY), "Done."])
    async with world(model, bank.pay(), on_confirmation=on_confirmation) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        requests = await assent.kernel.store.run(lambda tx: tx.requests.of_turn(turn.id))
        [vote] = await votes(assent, requests[0].id)

    assert seen == [("pay", {"to": "eve", "amount": 5}, Risk.MODERATE)]
    assert bank.paid == [("eve", 5)]
    assert turn.status is TurnStatus.DONE
    assert (vote.verdict, vote.channel, vote.person) == (
        VerdictName.APPROVE,
        "callback",
        owner.id,
    )


# conformance: 22, 48
async def test_a_callback_that_answers_false_rejects(world: World, owner: Person) -> None:
    async def on_confirmation(call: Call, metadata: EffectiveTool) -> bool:
        return False

    bank, model = Bank(), ScriptedModel([says("", PAY), "OK."])
    async with world(model, bank.pay(), on_confirmation=on_confirmation) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert statuses(turn) == [CallStatus.REJECTED]
    assert "denied by user" in told(model)[0]
    assert bank.paid == []


# conformance: 22
@pytest.mark.parametrize(
    "answer",
    [None, 1, "yes", "True", 0, object()],
    ids=["None", "1", "yes", "True", "0", "object"],
)
async def test_only_true_approves_and_anything_unclear_leaves_the_call_pending(
    world: World, owner: Person, answer: Any
) -> None:
    bank = Bank()
    async with world([says("", PAY)], bank.pay(), on_confirmation=lambda *_: answer) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert statuses(turn) == [CallStatus.AWAITING_APPROVAL]
    assert len(turn.pending) == 1
    assert bank.paid == []


# conformance: 22
@pytest.mark.parametrize(
    "error",
    [RuntimeError("the dialog was closed"), SystemExit(1), asyncio.CancelledError()],
    ids=repr,
)
async def test_a_callback_that_raises_leaves_the_call_for_people(
    world: World, owner: Person, error: BaseException
) -> None:
    def on_confirmation(call: Call, metadata: EffectiveTool) -> bool:
        raise error

    bank = Bank()
    script = [says("", PAY), "Done."]
    async with world(script, bank.pay(), on_confirmation=on_confirmation) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        assert statuses(turn) == [CallStatus.AWAITING_APPROVAL]

        turn = await decide_only(assent, turn, approve(), owner)

    assert turn.status is TurnStatus.DONE
    assert bank.paid == [("eve", 5)]


# conformance: 22
async def test_a_callback_decides_nothing_that_others_have_to_decide(
    world: World, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    bank = Bank()
    pay = bank.pay(approvers=("boss",))
    async with world([says("", PAY)], pay, on_confirmation=lambda *_: True) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert statuses(turn) == [CallStatus.AWAITING_APPROVAL]
    assert bank.paid == []
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


# conformance: 58
async def test_a_callback_that_comes_after_a_person_changes_nothing(
    world: World, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    async def on_confirmation(call: Call, metadata: EffectiveTool) -> bool:
        asked.set()
        await answer.wait()
        return True

    bank, script = Bank(), [says("", PAY), "OK."]
    async with world(script, bank.pay(), on_confirmation=on_confirmation) as assent:
        turn_id = await assent.start("agent", "pay", by=owner)
        await asked.wait()
        [request] = (await assent.turn(turn_id)).pending
        await assent.decide(request.id, reject(), by=owner)
        answer.set()
        turn = await assent.wait(turn_id)
        stored = await assent.request(request.id)

    assert stored.status is RequestStatus.REJECTED
    assert statuses(turn) == [CallStatus.REJECTED]
    assert bank.paid == []
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


# conformance: 22, 75
async def test_a_callback_is_also_asked_when_a_body_asks_for_approval(
    world: World, owner: Person
) -> None:
    runs: list[bool] = []

    @tool
    async def remove(ctx: Context) -> str:
        """Remove, but ask first."""
        runs.append(ctx.approved)
        if not ctx.approved:
            raise ApprovalRequired
        return "removed"

    script = [says("", calls("remove")), "Done."]
    async with world(script, remove, on_confirmation=lambda *_: True) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert runs == [False, True]
    assert turn.status is TurnStatus.DONE


# conformance: 22
async def test_approvals_off_runs_what_would_be_asked_and_says_so_on_record(
    world: World, owner: Person
) -> None:
    approved: list[bool] = []

    @tool(risk=Risk.DANGEROUS)
    async def wipe(ctx: Context) -> str:
        """Wipe."""
        approved.append(ctx.approved)
        return "wiped"

    model = ScriptedModel([says("", calls("wipe")), "Done."])
    async with world(model, wipe, approvals="off") as assent:
        turn = await assent.send("agent", "go", by=owner)
        everything = await assent.audit()
        gated = await assent.audit(call_id=turn.calls[0].id)

    assert (approved, turn.status) == ([True], TurnStatus.DONE)
    assert "approvals_off" in [entry.action for entry in everything]
    assert [e.data["by"] for e in gated if e.action == "gate"] == ["approvals:off"]
    assert turn.calls[0].cleared_by == "approvals:off"


# conformance: 22, 75
async def test_approvals_off_answers_a_body_that_asks_for_approval(
    world: World, owner: Person
) -> None:
    attempts: list[tuple[int, bool, Any]] = []

    @tool(idempotent=False)
    async def remove(ctx: Context) -> str:
        """Remove, but ask first."""
        attempts.append((ctx.attempt, ctx.approved, dict(ctx.metadata)))
        if not ctx.approved:
            raise ApprovalRequired({"reason": "it is not empty"})
        return "removed"

    script = [says("", calls("remove")), "Done."]
    async with world(script, remove, approvals="off") as assent:
        turn = await assent.send("agent", "go", by=owner)
        entries = await assent.audit(call_id=turn.calls[0].id)

    why = {"reason": "it is not empty"}
    assert attempts == [(1, False, {}), (2, True, why)]
    assert (turn.status, turn.pending) == (TurnStatus.DONE, ())
    assert turn.calls[0].cleared_by == "approvals:off"
    assert [e.action for e in entries][-5:] == ["claim", "ask", "gate", "claim", "succeed"]
    assert entries[-3].data["by"] == "approvals:off"


# conformance: 22, 75
async def test_approvals_off_does_not_answer_a_body_for_ever(world: World, owner: Person) -> None:
    @tool
    async def nag() -> str:
        """Ask, whatever was said."""
        raise ApprovalRequired

    script = [says("", calls("nag")), "Done."]
    async with world(script, nag, approvals="off") as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert statuses(turn) == [CallStatus.FAILED]
    assert turn.calls[0].attempts == 2


# conformance: 22, 75
async def test_approvals_off_runs_no_body_that_a_rule_denies_since_it_asked(
    world: World, owner: Person
) -> None:
    runs: list[bool] = []

    @tool
    async def remove(ctx: Context) -> str:
        """Remove, but ask first."""
        runs.append(ctx.approved)
        raise ApprovalRequired

    rules = [Rule.of(Effect.DENY, "remove", when=lambda _a, _c: bool(runs))]
    script = [says("", calls("remove")), "OK."]
    async with world(script, remove, approvals="off", rules=rules) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert runs == [False]
    assert statuses(turn) == [CallStatus.DENIED]


# conformance: 22, 75
async def test_run_once_with_approvals_off_answers_a_body_that_asks_for_approval() -> None:
    @tool
    async def remove(ctx: Context) -> str:
        """Remove, but ask first."""
        if not ctx.approved:
            raise ApprovalRequired
        return "removed"

    model = ScriptedModel([says("", calls("remove")), "Done."])
    agent = Agent("files", model=model, tools=[remove])
    assert await run_once(agent, "go", approvals="off") == "Done."


# conformance: 22
async def test_approvals_off_waives_no_denial(world: World, owner: Person) -> None:
    bank, model = Bank(), ScriptedModel([says("", PAY), "OK."])
    rules = [Rule.of(Effect.DENY, "pay", reason="Never.")]
    async with world(model, bank.pay(), approvals="off", rules=rules) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert statuses(turn) == [CallStatus.DENIED]
    assert bank.paid == []


# conformance: 22
@pytest.mark.parametrize("unclear", [None, "OFF", "no", "", False, True], ids=repr)
def test_only_the_word_off_switches_approvals_off(world: World, unclear: Any) -> None:
    with pytest.raises(InvalidParameter, match="approvals must be 'on' or 'off'"):
        world([], Bank().pay(), approvals=unclear)


async def test_a_plain_callback_asks_about_one_after_the_other_and_holds_nobody_up(
    world: World, owner: Person
) -> None:
    asking, most, may_go_on = 0, 0, threading.Event()

    def ask(*_: object) -> bool:
        nonlocal asking, most
        asking += 1
        most = max(most, asking)
        may_go_on.wait(10)
        asking -= 1
        return True

    bank = Bank()
    model = ScriptedModel([says("", PAY, calls("pay", to="mallory", amount=6)), "Done."])
    async with world(model, bank.pay(), on_confirmation=ask) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        async with asyncio.timeout(20):
            while not asking:  # noqa: ASYNC110 - a thread asks
                await asyncio.sleep(0.01)
            assert len(await assent.pending()) == 2
            may_go_on.set()
            while (await assent.turn(turn_id)).status is not TurnStatus.DONE:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert sorted(bank.paid) == [("eve", 5), ("mallory", 6)]
    assert most == 1
