"""An approval that has to be typed: on every channel, also after edits and changed policies."""

import asyncio
from typing import Any

import pytest

from assent import (
    Ask,
    Assent,
    AssentError,
    Confirmation,
    Effect,
    Override,
    Person,
    Risk,
    Rule,
    RunAgain,
    approve,
    reject,
    tool,
)
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.messages import Answer, Prompt
from assent.engine.queries.snapshots import Turn
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.errors import ConfirmationRequired
from assent.testing import calls, says
from tests.conftest import World
from tests.engine.till import STAFF, Till, ask, one_call, rested
from tests.store.rawsql import RawSql

CLICK, STEP, TYPED = Confirmation
ADMIN = Person("root", roles=frozenset({"admin"}))


async def refused(assent: Assent, turn: Turn, verdict: Any) -> ConfirmationRequired:
    """The refusal of a decision, which has changed nothing."""
    before = await assent.audit()
    with pytest.raises(ConfirmationRequired) as caught:
        await assent.decide(turn.pending[0].id, verdict, by=STAFF)
    assert (await assent.request(turn.pending[0].id)).is_open
    assert await assent.audit() == before
    return caught.value


# requirement: F5
async def test_an_approval_takes_the_typed_value_and_nothing_else_does(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(confirmation=TYPED)) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        assert turn.pending[0].confirmation is TYPED
        missing = await refused(assent, turn, approve())
        assert (missing.to_type, missing.argument, missing.typed) == ("bob", "to", False)
        for wrong in ("", "Bob", "bob,", "pay", "alice"):
            assert (await refused(assent, turn, approve(typed=wrong))).typed
        assert till.paid == []
        await assent.decide(turn.pending[0].id, approve(typed=" bob "), by=STAFF)
        await rested(assent, turn.id)
    assert till.paid == [(5, "bob")]


# requirement: F5
async def test_an_edit_is_confirmed_by_its_own_value(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(confirmation=TYPED)) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        edit = {"amount": 5, "to": "carol"}
        assert (await refused(assent, turn, approve(edit))).to_type == "carol"
        await refused(assent, turn, approve(edit, typed="bob"))
        await assent.decide(turn.pending[0].id, approve(edit, typed="carol"), by=STAFF)
        await rested(assent, turn.id)
    assert till.paid == [(5, "carol")]


async def test_a_rejection_takes_no_typing(world: World) -> None:
    async with world(one_call, Till().pay(confirmation=TYPED)) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        decided = await assent.decide(turn.pending[0].id, reject("no"), by=STAFF)
    assert decided.status == "rejected"


async def test_the_same_approval_again_is_the_first_one_whatever_was_typed(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(confirmation=TYPED)) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        id = turn.pending[0].id
        await assent.decide(id, approve(typed="bob"), by=STAFF)
        assert (await assent.decide(id, approve(), by=STAFF)).replayed
        await rested(assent, turn.id)
    assert till.paid == [(5, "bob")]


async def test_who_may_not_decide_is_not_told_what_to_type(world: World) -> None:
    async with world(one_call, Till().pay(confirmation=TYPED)) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        with pytest.raises(AssentError) as caught:
            await assent.decide(turn.pending[0].id, approve(), by=Person("mallory"))
    assert caught.value.code == "not_found"


def over(limit: int) -> Any:
    return lambda arguments, _context: arguments["amount"] > limit


@pytest.mark.parametrize(
    ("rules", "wanted"),
    [
        ([], STEP),
        ([Rule.of(Effect.ASK, "pay", confirmation=CLICK)], STEP),
        ([Rule.of(Effect.ASK, "pay", confirmation=TYPED)], TYPED),
        (
            [Rule.of(Effect.ASK, "pay"), Rule.of(Effect.ASK, "*", confirmation=TYPED)],
            TYPED,
        ),
        ([Rule.of(Effect.ASK, "pay", confirmation=TYPED, when=over(10))], STEP),
    ],
)
async def test_the_stronger_of_rule_and_tool_counts(
    world: World, rules: list[Rule], wanted: Confirmation
) -> None:
    turn = await ask(world, Till().pay(), rules=rules)
    assert turn.pending[0].confirmation is wanted


async def test_a_hook_can_ask_for_it(world: World) -> None:
    turn = await ask(world, Till().pay(), policy=lambda *_: Ask(by="hook", confirmation=TYPED))
    assert turn.pending[0].confirmation is TYPED


# requirement: F5, D15
async def test_an_edit_that_a_rule_holds_to_more_has_to_be_typed(world: World) -> None:
    till, rule = Till(), Rule.of(Effect.ASK, "pay", confirmation=TYPED, when=over(10))
    async with world(one_call, till.pay(), rules=[rule]) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        edit = {"amount": 500, "to": "bob"}
        assert turn.pending[0].confirmation is STEP
        assert (await refused(assent, turn, approve(edit))).to_type == "bob"
        await assent.decide(turn.pending[0].id, approve(edit, typed="bob"), by=STAFF)
        await rested(assent, turn.id)
    assert till.paid == [(500, "bob")]


async def test_a_policy_that_became_firmer_meanwhile_counts(world: World) -> None:
    till = Till()
    turn = await ask(world, till.pay())
    rule = Rule.of(Effect.ASK, "pay", confirmation=TYPED)
    async with world(one_call, till.pay(), rules=[rule]) as assent:
        await refused(assent, turn, approve())
        await assent.decide(turn.pending[0].id, approve(typed="bob"), by=STAFF)
        await rested(assent, turn.id)
    assert till.paid == [(5, "bob")]


async def test_an_override_is_kept_and_counts_for_what_is_asked_from_then_on(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay()) as assent:
        await assent.override("pay", Override(confirmation=TYPED), by=ADMIN)
    async with world(one_call, till.pay()) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        assert turn.pending[0].confirmation is TYPED
        assert [each.confirmation for each in assent.tools()] == [TYPED]


# requirement: T1
async def test_an_easier_confirmation_written_into_the_row_approves_nothing(world: World) -> None:
    till = Till()
    turn = await ask(world, till.pay(confirmation=TYPED))
    await RawSql(world.url).rows("UPDATE requests SET confirmation = 'click'")
    async with world(one_call, till.pay(confirmation=TYPED)) as assent:
        decided = await assent.decide(turn.pending[0].id, approve(), by=STAFF)
        assert decided.call_status == CallStatus.FAILED
        await rested(assent, turn.id)
    assert till.paid == []


async def test_running_a_call_in_doubt_again_is_an_approval_and_is_typed(world: World) -> None:
    runs: list[str] = []

    @tool(risk=Risk.DANGEROUS, requires_approval=True, confirmation=TYPED, timeout=None)
    async def erase(path: str) -> str:
        """Erase a file."""
        runs.append(path)
        if len(runs) == 1:
            raise OutcomeUnknown("the line went dead")
        return "erased"

    def script(prompt: Prompt) -> Answer | str:
        done = getattr(prompt.history[-1], "outputs", None)
        return "Done." if done else says("", calls("erase", path="/srv/x"))

    async with world(script, erase) as assent:
        turn = await assent.send("agent", "erase", by=STAFF)
        await assent.decide(turn.pending[0].id, approve(typed="/srv/x"), by=STAFF)
        turn = await rested(assent, turn.id)
        assert turn.pending[0].kind is RequestKind.OUTCOME
        assert (await refused(assent, turn, RunAgain())).to_type == "/srv/x"
        await assent.decide(turn.pending[0].id, RunAgain(typed="/srv/x"), by=STAFF)
        await rested(assent, turn.id)
    assert runs == ["/srv/x", "/srv/x"]


async def test_a_callback_types_nothing_so_people_are_asked(world: World) -> None:
    till, asked = Till(), asyncio.Event()

    def yes(*_: object) -> bool:
        asked.set()
        return True

    async with world(one_call, till.pay(confirmation=TYPED), on_confirmation=yes) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        await asyncio.wait_for(asked.wait(), 10)
        await assent.kernel.tasks.quiet(turn.id)
        assert (await assent.request(turn.pending[0].id)).is_open
    assert till.paid == []


# requirement: D13
async def test_a_decision_keeps_what_was_shown_and_the_record_has_it_too(world: World) -> None:
    seen = "html/2/unicode-15.0.0:" + "a" * 64
    async with world(one_call, Till().pay()) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        id = turn.pending[0].id
        await assent.decide(id, approve(), by=STAFF, shown=seen)
        [decision] = await assent.kernel.store.run(lambda tx: tx.decisions.of_request(id))
        [entry] = [each for each in await assent.audit() if each.action == "approve"]
    assert decision.shown == seen
    assert entry.data["shown"] == seen
