"""Ids, keys and names that no database can keep: refused alike, before anything is queued."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from assent import Assent, Person, approve
from assent.domain.people import ADMIN, SYSTEM
from assent.engine.queries.snapshots import Turn
from assent.errors import AssentError, InvalidIdentifier, NotFound
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import Bank, actions, call_of
from tests.conftest import World

HALF, NUL, ENDLESS = "\ud800", "a\x00b", "x" * 5_000_000
Act = Callable[[Assent, Turn, Person, str], Awaitable[object]]


def pays() -> ScriptedModel:
    return ScriptedModel([says("", calls("pay", to="eve", amount=5)), "Paid."])


KEPT: dict[str, Act] = {
    "channel": lambda assent, turn, by, text: assent.decide(
        turn.pending[0].id, approve(), by=by, channel=text
    ),
    "shown": lambda assent, turn, by, text: assent.decide(
        turn.pending[0].id, approve(), by=by, shown=text
    ),
    "key of a decision": lambda assent, turn, by, text: assent.decide(
        turn.pending[0].id, approve(), by=by, idempotency_key=text
    ),
    "key of a message": lambda assent, turn, by, text: assent.start(
        "agent", "hello", by=by, idempotency_key=text
    ),
    "conversation": lambda assent, turn, by, text: assent.start(
        "agent", "hello", by=by, conversation_id=text
    ),
    "who decides": lambda assent, turn, by, text: assent.decide(
        turn.pending[0].id, approve(), by=Person(text)
    ),
    "whose role decides": lambda assent, turn, by, text: assent.decide(
        turn.pending[0].id, approve(), by=Person("bob", roles=frozenset({text}))
    ),
    "who says something": lambda assent, turn, by, text: assent.start(
        "agent", "hello", by=Person(text)
    ),
    "who opens a conversation": lambda assent, turn, by, text: assent.open(
        "agent", by=Person(text)
    ),
    "who is behind them": lambda assent, turn, by, text: assent.open(
        "agent", by=Person("bob", behind=text)
    ),
    "who stops": lambda assent, turn, by, text: assent.stop(
        turn.id, by=Person(text, roles=frozenset({ADMIN}))
    ),
}
SOUGHT: dict[str, Act] = {
    "request": lambda assent, turn, by, text: assent.decide(text, approve(), by=by),
    "turn to stop": lambda assent, turn, by, text: assent.stop(text, by=by),
    "turn to resume": lambda assent, turn, by, text: assent.restart(text, by=by),
    "turn": lambda assent, turn, by, text: assent.turn(text),
    "turn to follow": lambda assent, turn, by, text: anext(assent.events(text)),
    "request to look at": lambda assent, turn, by, text: assent.request(text),
    "conversation": lambda assent, turn, by, text: assent.conversation(text),
    "conversation to export": lambda assent, turn, by, text: assent.export(text, by=by),
    "conversation to forget of": lambda assent, turn, by, text: assent.clear_values(text, by=by),
    "account": lambda assent, turn, by, text: assent.people.get(text),
    "task": lambda assent, turn, by, text: assent.resolve(text, "done"),
    "recipient of a link": lambda assent, turn, by, text: assent.people.links.to_sign_in(
        text, by=SYSTEM
    ),
    "request of a link": lambda assent, turn, by, text: assent.people.links.to_decide(
        by.id, text, by=SYSTEM
    ),
}


async def refused(act: Awaitable[object]) -> AssentError:
    with pytest.raises(AssentError) as refusal:
        await act
    return refusal.value


@pytest.mark.parametrize("text", [HALF, NUL, ENDLESS], ids=["half", "nul", "endless"])
async def test_what_no_database_can_keep_is_refused_and_changes_nothing(
    world: World, owner: Person, text: str
) -> None:
    bank = Bank()
    async with world(pays(), bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        call_id = turn.pending[0].call_id
        before = await actions(assent, call_id)

        for act in KEPT.values():
            assert isinstance(await refused(act(assent, turn, owner, text)), InvalidIdentifier)

        assert await actions(assent, call_id) == before
        assert [each.id for each in await assent.pending()] == [turn.pending[0].id]


@pytest.mark.parametrize("text", [HALF, NUL, ENDLESS, ""], ids=["half", "nul", "endless", "empty"])
async def test_nothing_is_found_under_an_id_that_no_database_can_hold(
    world: World, owner: Person, text: str
) -> None:
    async with world(pays(), Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await assent.people.add(owner, by=SYSTEM)

        for act in SOUGHT.values():
            assert isinstance(await refused(act(assent, turn, owner, text)), NotFound)


async def test_in_a_batch_only_the_one_who_sent_it_is_refused(world: World, owner: Person) -> None:
    bank = Bank()
    async with world(pays(), bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        decisions = [(HALF, approve()), (turn.pending[0].id, approve())]

        lost, won = await assent.decide_all(decisions, by=owner)

        assert isinstance(lost.error, NotFound)
        assert won.error is None
        await assent.wait(turn.id)
    assert bank.paid == [("eve", 5)]


async def test_whoever_shares_the_commit_is_not_harmed(world: World, owner: Person) -> None:
    """Strangers too may try: what they send is noted with who they are."""
    bank = Bank()
    async with world(pays(), bank.pay()) as assent, asyncio.timeout(20):
        turn = await assent.send("agent", "pay", by=owner)
        request = turn.pending[0]

        results = await asyncio.gather(
            *(act(assent, turn, Person("mallory"), HALF) for act in KEPT.values()),
            assent.decide(request.id, approve(), by=owner),
            *(act(assent, turn, Person("mallory"), NUL) for act in KEPT.values()),
            return_exceptions=True,
        )

        assert sum(isinstance(each, InvalidIdentifier) for each in results) == 2 * len(KEPT)
        await assent.wait(turn.id)
        assert (await call_of(assent, request.call_id)).status == "succeeded"
    assert bank.paid == [("eve", 5)]
