"""An approval is an authorisation: for exactly this, once, in time, checked where it is used."""

import hashlib
from pathlib import Path

import pytest

from assent import (
    AssentError,
    Audience,
    Context,
    Effect,
    Rule,
    approve,
    manual,
    tool,
)
from assent.domain.calls import Call
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.domain.tools import Arguments
from assent.testing import calls, says
from tests.conftest import World
from tests.engine.till import (
    STAFF,
    Till,
    approved,
    ask,
    audited,
    carried_out,
    one_call,
    rested,
)
from tests.store.rawsql import RawSql


@pytest.fixture
def file_world(tmp_path: Path) -> World:
    """One SQLite file: for what the engine decides whatever the database is."""
    return World(f"sqlite:///{tmp_path / 'assent.db'}")


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
    file_world: World, element: str
) -> None:
    till = Till()
    tools = till.pay(), till.refund()
    turn = await ask(file_world, *tools)
    await RawSql(file_world.url).rows(*ALTERATIONS[element])
    async with file_world(one_call, *tools) as working:
        try:
            decided = await working.decide(turn.pending[0].id, approve(), by=STAFF)
        except AssentError:
            pass
        else:
            assert decided.call_status == CallStatus.FAILED
        await rested(working, turn.id)
    assert till.paid == []
    assert await audited(file_world, "claim") == 0


# requirement: T1
@pytest.mark.parametrize("element", ["source", "tool", "arguments", "policy", "expiry"])
async def test_an_edit_does_not_approve_a_question_that_was_altered(
    file_world: World, element: str
) -> None:
    till = Till()
    tools = till.pay(), till.refund()
    turn = await ask(file_world, *tools)
    await RawSql(file_world.url).rows(*ALTERATIONS[element])
    async with file_world(one_call, *tools) as working:
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
    file_world: World,
) -> None:
    till = Till()
    spent = False

    def is_spent(arguments: Arguments, context: Context) -> bool:
        return spent

    rules = [Rule.of(Effect.DENY, "pay", when=is_spent)]
    turn = await approved(file_world, till.pay(), rules=rules)
    spent = True
    turn = await carried_out(file_world, turn, till.pay(), rules=rules)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


# requirement: T3
async def test_the_claim_asks_again_where_the_policy_changed(file_world: World) -> None:
    till = Till()
    turn = await approved(file_world, till.pay())
    rule = Rule.of(Effect.ASK, "pay", audience=Audience.of("ops"))
    turn = await carried_out(file_world, turn, till.pay(), rules=[rule])
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
async def test_the_claim_does_not_run_a_tool_that_is_gone(file_world: World) -> None:
    till = Till()
    turn = await approved(file_world, till.pay())
    turn = await carried_out(file_world, turn, till.refund())
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]


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
    file_world: World, copy: str
) -> None:
    till = Till()
    turn = await ask(file_world, till.pay())
    await RawSql(file_world.url).rows(*COPIES[copy])
    async with file_world(one_call, till.pay()) as working:
        decided = await working.decide(turn.pending[0].id, approve(), by=STAFF)
        turn = await rested(working, turn.id)
    assert till.paid == []
    assert decided.status is RequestStatus.CANCELLED
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert await audited(file_world, "altered") == 1


# requirement: D1
@pytest.mark.parametrize("copy", COPIES)
async def test_changed_arguments_of_a_manual_tool_are_not_handed_on(
    file_world: World, copy: str
) -> None:
    parameters = {"type": "object", "properties": {"amount": {"type": "integer"}}}
    pay = manual("pay", description="Pay.", parameters=parameters, requires_approval=True)
    turn = await ask(file_world, pay)
    await RawSql(file_world.url).rows(*COPIES[copy])
    async with file_world(one_call, pay) as working:
        await working.decide(turn.pending[0].id, approve(), by=STAFF)
        turn = await rested(working, turn.id)
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]


# requirement: D1
@pytest.mark.parametrize("copy", COPIES)
async def test_changed_arguments_of_an_edited_call_do_not_run(file_world: World, copy: str) -> None:
    till = Till()
    turn = await ask(file_world, till.pay())
    async with file_world(one_call, till.pay(), worker=False) as deciding:
        edit = approve({"amount": 4, "to": "bob"})
        await deciding.decide(turn.pending[0].id, edit, by=STAFF)
    await RawSql(file_world.url).rows(*COPIES[copy])
    turn = await carried_out(file_world, turn, till.pay())
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]


# requirement: D1
async def test_a_changed_copy_of_an_earlier_revision_is_recognised(file_world: World) -> None:
    till = Till()
    turn = await ask(file_world, till.pay())
    async with file_world(one_call, till.pay()) as working:
        edit = approve({"amount": 4, "to": "bob"})
        await working.decide(turn.pending[0].id, edit, by=STAFF)
        await rested(working, turn.id)
        await RawSql(file_world.url).rows(
            f"UPDATE revisions SET arguments = '{OTHER_ARGUMENTS}' WHERE revision = 1"
        )
        id = turn.calls[0].id
        kept = await working.kernel.store.run(lambda tx: tx.calls.revisions(id))
    assert [revision.arguments.is_intact for revision in kept] == [False, True]
    assert till.paid == [(4, "bob")]


# requirement: D1
async def test_a_body_cannot_change_the_arguments_on_record(file_world: World) -> None:
    async def scribble(basket: list[str]) -> str:
        basket.append("scribbled")
        return "ok"

    pay = tool(name="pay", description="Scribble.", requires_approval=True)(scribble)

    def script(prompt: Prompt) -> Answer | str:
        if getattr(prompt.history[-1], "outputs", None):
            return "Done."
        return says("", calls("pay", basket=["a"]))

    async with file_world(script, pay) as working:
        turn = await working.send("agent", "go", by=STAFF)
        await working.decide(turn.pending[0].id, approve(), by=STAFF)
        turn = await rested(working, turn.id)
    [call] = turn.calls
    assert isinstance(call, Call)
    assert call.arguments.text == '{"basket":["a"]}'
    assert call.arguments.is_intact
