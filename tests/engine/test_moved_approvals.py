"""An approval that was moved, or outlived what it was given for, lets nothing run."""

from assent import OutcomeUnknown, Person, RunAgain, Tool, approve, tool
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.testing import calls, says
from tests.conformance.scenes import decide_only, revisions_of, statuses
from tests.conftest import World
from tests.engine.till import STAFF, Till, approved, ask, audited, carried_out
from tests.store.rawsql import RawSql


# requirement: T1
async def test_an_approval_is_void_once_the_revision_is_another(world: World) -> None:
    till = Till()
    turn = await approved(world, till.pay())
    await RawSql(world.url).rows("UPDATE calls SET revision = revision + 1")

    turn = await carried_out(world, turn, till.pay())

    assert till.paid == []
    assert statuses(turn) == [CallStatus.FAILED]
    assert await audited(world, "altered") == 1
    assert await audited(world, "claim") == 0


def two_calls(prompt: Prompt) -> Answer | str:
    """The same payment twice, then an answer."""
    if getattr(prompt.history[-1], "outputs", None):
        return "Done."
    return says("Twice.", *(calls("pay", amount=5, to="bob") for _ in range(2)))


# requirement: T1
async def test_an_approval_of_one_call_lets_no_other_run_that_looks_the_same(
    world: World,
) -> None:
    till = Till()
    async with world(two_calls, till.pay()) as asking:
        turn = await asking.send("agent", "pay bob", by=STAFF)
    first, second = (call.id for call in turn.calls)
    async with world(two_calls, till.pay(), worker=False) as clerk:
        [request] = [each for each in turn.pending if each.call_id == first]
        await clerk.decide(request.id, approve(), by=STAFF)
    # The open question about the second goes, and the first's approval takes its place.
    await RawSql(world.url).rows(
        f"DELETE FROM requests WHERE call_id = '{second}'",
        f"UPDATE requests SET call_id = '{second}' WHERE call_id = '{first}'",
        "UPDATE calls SET status = 'cleared', approved = (SELECT approved FROM calls"
        f" WHERE id = '{first}'), cleared_by = 'person:ada', run_by = NULL WHERE id = '{second}'",
    )

    turn = await carried_out(world, turn, till.pay())

    assert till.paid == []
    assert statuses(turn) == [CallStatus.FAILED, CallStatus.FAILED]
    assert await audited(world, "claim") == 0


def line(runs: list[str], version: str) -> Tool:
    """A payment over a bad line, in one version."""

    @tool(name="pay", version=version, caller_roles={"staff"}, requires_approval=False)
    async def pay(amount: int, to: str) -> str:
        """Pay over a bad line."""
        runs.append(version)
        if len(runs) == 1:
            raise OutcomeUnknown("the line went dead")
        return "paid"

    return pay


# conformance: 61
# requirement: T3
async def test_running_a_call_in_doubt_again_is_asked_about_if_the_tool_changed(
    world: World,
) -> None:
    runs: list[str] = []
    turn = await ask(world, line(runs, "1"))
    assert [request.kind for request in turn.pending] == [RequestKind.OUTCOME]

    async with world(["Done."], line(runs, "2")) as assent:
        turn = await decide_only(assent, turn, RunAgain(), STAFF)
        assert (statuses(turn), runs) == ([CallStatus.AWAITING_APPROVAL], ["1"])
        assert [request.kind for request in turn.pending] == [RequestKind.APPROVAL]
        turn = await decide_only(assent, turn, approve(), STAFF)
        authors = [str(each.author) for each in await revisions_of(assent, turn.calls[0].id)]

    assert (turn.status, runs) == (TurnStatus.DONE, ["1", "2"])
    assert authors == ["model", "definition"]


# requirement: T3
async def test_nobody_else_may_run_a_call_in_doubt_again(world: World) -> None:
    runs: list[str] = []
    turn = await ask(world, line(runs, "1"))
    [request] = turn.pending
    async with world([], line(runs, "1")) as assent:
        for person in (Person("eve"), Person("eve", roles=frozenset({"staff"}))):
            [outcome] = await assent.decide_all([(request.id, RunAgain())], by=person)
            assert outcome.error is not None
            assert outcome.error.code == "not_found"
        after = await assent.turn(turn.id)

    assert (statuses(after), runs) == ([CallStatus.IN_DOUBT], ["1"])
