"""What several people have to approve: each once, all of them the same arguments."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from assent import Ask, Audience, Effect, Person, Risk, Rule, RunAgain, approve, reject, tool
from assent.domain.cards import FieldChange
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.people import PersonKind
from assent.domain.requests import Request
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.errors import (
    AlreadySettled,
    AlreadyVoted,
    NotEligible,
    NotFound,
    StaleDigest,
)
from assent.presentation.card import card_of
from tests.conftest import World
from tests.engine.till import STAFF, Till, ask, one_call, rested
from tests.store.rawsql import RawSql

BOARD = Audience.of("board")
ANN, BEN, CAT = (Person(id, roles=frozenset({"board"})) for id in ("ann", "ben", "cat"))
ROOT = Person("root", roles=frozenset({"admin"}))
TWO = [Rule.of(Effect.ASK, "pay", audience=BOARD, quorum=2)]


async def test_it_runs_after_the_last_of_them_and_not_before(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=TWO) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        request = turn.pending[0]
        assert (request.quorum, request.votes) == (2, 0)
        first = await assent.decide(request.id, approve(), by=ANN, digest=request.digest)
        assert (first.status, first.call_status) == ("open", "awaiting_approval")
        assert till.paid == []
        assert (await assent.request(request.id)).votes == 1
        last = await assent.decide(request.id, approve(), by=BEN, digest=request.digest)
        assert last.status == "approved"
        await rested(assent, turn.id)
        votes = [entry for entry in await assent.audit() if entry.action in ("vote", "approve")]
    assert till.paid == [(5, "bob")]
    assert [(entry.action, entry.actor) for entry in votes] == [("vote", "ann"), ("approve", "ben")]


# requirement: D15
async def test_an_edit_in_between_takes_back_what_was_approved_before(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=TWO) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        before = turn.pending[0]
        await assent.decide(before.id, approve(), by=ANN, digest=before.digest)
        edited = await assent.decide(before.id, approve({"amount": 9, "to": "bob"}), by=BEN)
        assert edited.status == "superseded"
        assert till.paid == []
        [after] = [r for r in await assent.pending() if r.call_id == before.call_id]
        # Whoever edited has approved what they wrote; nobody else has.
        assert (after.votes, after.quorum, after.revision) == (1, 2, before.revision + 1)
        assert after.digest != before.digest
        with pytest.raises(AlreadyVoted):
            await assent.decide(after.id, approve(), by=BEN)
        with pytest.raises(AlreadySettled):
            await assent.decide(before.id, approve(), by=CAT)
        with pytest.raises(StaleDigest):
            await assent.decide(after.id, approve(), by=ANN, digest=before.digest)
        # The one who approved it first sees what was changed, and by whom.
        changes, by = await shown(assent, after)
        assert [str(change.path[0]) for change in changes] == ["amount"]
        assert by == ("ben",)
        await assent.decide(after.id, approve(), by=ANN, digest=after.digest)
        await rested(assent, turn.id)
    assert till.paid == [(9, "bob")]


async def shown(assent: Any, request: Request) -> tuple[tuple[FieldChange, ...], tuple[str, ...]]:
    """The edits that a card tells of, and who made them."""

    def read(tx: Any) -> Any:
        call = tx.calls.get(request.call_id)
        tool = assent.kernel.catalogue.tool(call.agent, call.tool)
        return card_of(request, call, tool, revisions=tx.calls.revisions(call.id))

    card = await assent.kernel.store.run(read)
    return card.edits, card.edited_by


async def test_one_person_counts_once(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=TWO) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        id = turn.pending[0].id
        await assent.decide(id, approve(), by=ANN)
        again = await assent.decide(id, approve(), by=ANN)
        assert (again.replayed, again.status) == (True, "open")
        assert (await assent.request(id)).votes == 1
    assert till.paid == []


async def test_the_accounts_of_one_human_count_once(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=TWO) as assent:
        await assent.people.add(ANN, by=ROOT)
        phone = Person("ann-phone", roles=ANN.roles, behind="ann")
        await assent.people.add(phone, by=ROOT)
        turn = await assent.send("agent", "pay bob", by=STAFF)
        id = turn.pending[0].id
        await assent.decide(id, approve(), by=phone)
        with pytest.raises(AlreadyVoted):
            await assent.decide(id, approve(), by=ANN)
    assert till.paid == []


async def test_who_has_no_account_here_counts_as_the_human_they_say_to_be(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=TWO) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        id = turn.pending[0].id
        await assent.decide(id, approve(), by=Person("ann-phone", roles=ANN.roles, behind="ann"))
        with pytest.raises(AlreadyVoted):
            await assent.decide(id, approve(), by=ANN)
        with pytest.raises(AlreadyVoted):
            await assent.decide(id, approve({"amount": 5, "to": "bob"}), by=ANN)
    assert till.paid == []


async def test_a_program_that_nobody_stands_behind_is_no_pair_of_eyes(world: World) -> None:
    robot = Person("robot", roles=ANN.roles, kind=PersonKind.SERVICE)
    async with world(one_call, Till().pay(), rules=TWO) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        with pytest.raises((NotEligible, NotFound)):
            await assent.decide(turn.pending[0].id, approve(), by=robot)
        assert (await assent.request(turn.pending[0].id)).votes == 0


async def test_a_programs_edit_is_no_vote_where_it_makes_several_people_necessary(
    world: World,
) -> None:
    till = Till()
    robot = Person("robot", roles=ANN.roles, kind=PersonKind.SERVICE)

    def hook(_tool: object, args: Any, _context: object) -> Ask:
        return Ask(by="", audience=BOARD, quorum=2 if args["amount"] > 10 else 1)

    async with world(one_call, till.pay(), policy=hook) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        edit = approve({"amount": 1000, "to": "bob"})
        decided = await assent.decide(turn.pending[0].id, edit, by=robot)
        [request] = await assent.pending()
        assert (decided.status, request.quorum, request.votes) == ("superseded", 2, 0)
        assert (await assent.decide(request.id, approve(), by=ANN)).status == "open"
        assert till.paid == []
        assert (await assent.decide(request.id, approve(), by=BEN)).status == "approved"
        await rested(assent, turn.id)
    assert till.paid == [(1000, "bob")]


async def test_a_programs_approval_is_no_vote_once_the_policy_wants_several_people(
    world: World,
) -> None:
    till = Till()
    robot = Person("robot", roles=ANN.roles, kind=PersonKind.SERVICE)
    turn = await ask(world, till.pay(), rules=[Rule.of(Effect.ASK, "pay", audience=BOARD)])
    async with world(one_call, till.pay(), rules=TWO) as assent:
        await assent.decide(turn.pending[0].id, approve(), by=robot)
        [request] = await assent.pending()
        assert (request.votes, request.quorum) == (0, 2)
    assert till.paid == []


async def test_an_approval_does_not_outlive_the_account_it_came_from(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=TWO) as assent:
        await assent.people.add(ANN, by=ROOT)
        turn = await assent.send("agent", "pay bob", by=STAFF)
        id = turn.pending[0].id
        await assent.decide(id, approve(), by=ANN)
        await assent.people.change("ann", disabled=True, by=ROOT)
        assert (await assent.decide(id, approve(), by=BEN)).status == "open"
        assert till.paid == []
        assert (await assent.decide(id, approve(), by=CAT)).status == "approved"
        await rested(assent, turn.id)
    assert till.paid == [(5, "bob")]


async def test_the_callback_of_an_owner_is_the_human_behind_the_owner(world: World) -> None:
    till = Till()
    rule = Rule.of(Effect.ASK, "pay", audience=replace(BOARD, owner=True), quorum=2)
    owner = Person("ann-bot", roles=STAFF.roles, behind="ann")
    async with world(one_call, till.pay(), rules=[rule], on_confirmation=lambda *_: True) as assent:
        turn = await assent.send("agent", "pay bob", by=owner)
        async with asyncio.timeout(20):
            while not [e for e in await assent.audit() if e.action == "vote"]:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        with pytest.raises(AlreadyVoted):
            await assent.decide(turn.pending[0].id, approve(), by=ANN)
    assert till.paid == []


async def test_an_edit_leaves_it_to_people_who_can_be_as_many(world: World) -> None:
    till = Till()
    large = Rule.of(
        Effect.ASK, "pay", audience=BOARD, quorum=2, when=lambda args, _: args["amount"] >= 5
    )
    async with world(one_call, till.pay(), rules=[large]) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        await assent.decide(turn.pending[0].id, approve({"amount": 3, "to": "bob"}), by=ANN)
        [request] = await assent.pending()
        assert (request.audience, request.quorum) == (BOARD, 2)
        await assent.decide(request.id, approve(), by=BEN)
        await rested(assent, turn.id)
    assert till.paid == [(3, "bob")]


async def test_one_rejection_ends_it_also_by_who_had_approved(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=TWO) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        id = turn.pending[0].id
        await assent.decide(id, approve(), by=ANN)
        assert (await assent.decide(id, reject("wrong account"), by=ANN)).status == "rejected"
        with pytest.raises(AlreadySettled):
            await assent.decide(id, approve(), by=BEN)
    assert till.paid == []


@pytest.mark.parametrize("quorum", [2, 3])
async def test_those_who_approve_at_once_are_all_counted(world: World, quorum: int) -> None:
    till = Till()
    rule = Rule.of(Effect.ASK, "pay", audience=BOARD, quorum=quorum)
    people = [Person(f"p{n}", roles=ANN.roles) for n in range(quorum)]
    async with world(one_call, till.pay(), rules=[rule]) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        id = turn.pending[0].id
        decided = await asyncio.gather(*(assent.decide(id, approve(), by=p) for p in people))
        assert sorted(each.status for each in decided) == ["approved"] + ["open"] * (quorum - 1)
        await rested(assent, turn.id)
        assert (await assent.request(id)).status is RequestStatus.APPROVED
    assert till.paid == [(5, "bob")]
    count = "SELECT count(*) FROM decisions WHERE verdict = 'approve'"
    assert await RawSql(world.url).one(count) == quorum


async def test_running_again_what_is_in_doubt_takes_as_many(world: World) -> None:
    till = Till()

    @tool(name="pay", risk=Risk.DANGEROUS, requires_approval=True)
    async def pay(amount: int, to: str) -> str:
        """Pay somebody."""
        till.paid.append((amount, to))
        if len(till.paid) == 1:
            raise OutcomeUnknown("the line went dead")
        return "paid"

    async with world(one_call, pay, rules=TWO) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        for person in (ANN, BEN):
            await assent.decide(turn.pending[0].id, approve(), by=person)
        async with asyncio.timeout(20):
            while not (open_ := await assent.pending()):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        [doubt] = open_
        assert (doubt.kind, doubt.quorum) == (RequestKind.OUTCOME, 2)
        first = await assent.decide(doubt.id, RunAgain(), by=ANN)
        assert (first.status, first.call_status) == ("open", CallStatus.IN_DOUBT)
        assert len(till.paid) == 1
        await assent.decide(doubt.id, RunAgain(), by=CAT)
        await rested(assent, turn.id)
    assert len(till.paid) == 2


async def test_a_policy_that_wants_more_people_by_now_asks_them(world: World) -> None:
    till = Till()
    one = [Rule.of(Effect.ASK, "pay", audience=BOARD)]
    turn = await ask(world, till.pay(), rules=one)
    async with world(one_call, till.pay(), rules=TWO) as assent:
        decided = await assent.decide(turn.pending[0].id, approve(), by=ANN)
        assert decided.status == "superseded"
        assert till.paid == []
        [request] = await assent.pending()
        assert (request.votes, request.quorum) == (1, 2)
        await assent.decide(request.id, approve(), by=BEN)
        await rested(assent, turn.id)
    assert till.paid == [(5, "bob")]


async def test_of_rules_and_hook_the_larger_number_counts(world: World) -> None:
    rules = [
        Rule.of(Effect.ASK, "pay", audience=BOARD, name="one"),
        Rule.of(Effect.ASK, "pay", quorum=3, name="three"),
    ]
    turn = await ask(world, Till().pay(), rules=rules)
    assert (turn.pending[0].quorum, turn.pending[0].audience) == (3, BOARD)


async def test_a_hook_can_want_several(world: World) -> None:
    hook = Ask(by="hook", audience=BOARD, quorum=2)
    turn = await ask(world, Till().pay(), policy=lambda *_: hook)
    assert turn.pending[0].quorum == 2


async def test_more_people_than_there_can_be_means_that_it_never_runs(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay(), rules=[Rule.of(Effect.ASK, "pay", quorum=2)]) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
    assert turn.calls[0].status is CallStatus.DENIED
    assert "No 2 people" in str(turn.calls[0].output)
    assert till.paid == []


def test_a_quorum_of_nobody_is_refused() -> None:
    with pytest.raises(ValueError, match="quorum must be a whole number from 1 to 1000"):
        Rule.of(Effect.ASK, "pay", quorum=0)
