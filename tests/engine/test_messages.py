"""What is said to an agent, before anything comes of it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from assent import Person
from assent.domain.events import EventKind
from assent.domain.lifecycle import RequestStatus, TurnStatus
from assent.domain.messages import UserSaid
from assent.errors import EmptyMessage, KeyReused, ModelFailed, PendingCalls
from assent.ports import Tx
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import UNASKED, Bank
from tests.conftest import World

BLANK = ["", " ", "\n\t \r", "\u00a0\u3000", "\u200b\u2060\ufeff", "\u202e\u2066", "\x07"]


@pytest.mark.parametrize("text", BLANK, ids=ascii)
async def test_a_message_in_which_nothing_can_be_read_is_refused_and_not_kept(
    world: World, owner: Person, text: str
) -> None:
    model = ScriptedModel(["Hello."])
    async with world(model) as assent:
        with pytest.raises(EmptyMessage):
            await assent.send("agent", text, by=owner, conversation_id="talk", create=True)

        turn = await assent.send("agent", "hello", by=owner, conversation_id="talk", create=True)
        assert (turn.status, turn.text) == (TurnStatus.DONE, "Hello.")
    [prompt] = model.prompts
    assert len(prompt.history) == 1


@pytest.mark.parametrize("text", ["?", " . ", "\u200bno\u200b", "👍", "\x00", "\ud800"], ids=ascii)
async def test_whatever_can_be_read_is_a_message(world: World, owner: Person, text: str) -> None:
    async with world(["Hello."]) as assent:
        turn = await assent.send("agent", text, by=owner)
        assert turn.status is TurnStatus.DONE


async def test_a_predicate_is_forgotten_with_the_message_that_was_refused(
    world: World, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("pay", to="eve", amount=5)), "Paid."])
    async with world(model, Bank().pay()) as assent:
        talk, key = "talk", "once"
        await assent.send(
            "agent", "pay", by=owner, conversation_id=talk, create=True, idempotency_key=key
        )

        for error, used in ((PendingCalls, None), (KeyReused, key)):
            with pytest.raises(error):
                await assent.start(
                    "agent",
                    "more",
                    by=owner,
                    conversation_id=talk,
                    idempotency_key=used,
                    ask_when=asks,
                )
        # The same message once more is no refusal, and no turn of its own either.
        await assent.start(
            "agent", "pay", by=owner, conversation_id=talk, idempotency_key=key, ask_when=asks
        )

        assert len(assent.kernel.predicates) == 0


@pytest.mark.parametrize("ended", ["answered", "stopped", "superseded", "failed", "elsewhere"])
async def test_a_predicate_is_forgotten_with_its_turn(
    world: World, owner: Person, ended: str
) -> None:
    paying = says("", calls("pay", to="eve", amount=5))
    scripts = {"answered": ["Hello."], "failed": [ModelFailed("it is gone"), "Hello."]}
    script = scripts.get(ended, [paying, "Never mind."])
    async with world(script, Bank().pay(), worker=ended != "elsewhere") as assent:
        talk = (await assent.open("agent", by=owner)).id
        id = await assent.start("agent", "pay", by=owner, conversation_id=talk, ask_when=asks)
        if ended in ("stopped", "superseded", "failed"):
            await assent.wait(id)
            # A turn that failed can be resumed, until the conversation goes on without it.
            assert len(assent.kernel.predicates) == 1
        if ended == "stopped":
            await assent.stop(id, by=owner)
        elif ended in ("superseded", "failed"):
            await assent.send("agent", "no", by=owner, conversation_id=talk, on_pending="supersede")
        elif ended == "answered":
            await assent.wait(id)

        assert len(assent.kernel.predicates) == 0


def asks(*_: object) -> bool:
    return True


@pytest.mark.parametrize("status", [RequestStatus.CANCELLED, RequestStatus.SUPERSEDED])
async def test_followers_hear_of_a_request_that_was_withdrawn(
    world: World, owner: Person, status: RequestStatus
) -> None:
    model = ScriptedModel([says("", calls("pay", to="eve", amount=5)), "Never mind."])
    async with world(model, Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        if status is RequestStatus.CANCELLED:
            await assent.stop(turn, by=owner)
        else:
            talk = turn.conversation_id
            await assent.send("agent", "no", by=owner, conversation_id=talk, on_pending="supersede")
        told = [event async for event in assent.events(turn.id)]

    last = [event.kind for event in told][-3:]
    assert last == [EventKind.DECIDED, EventKind.RESULT, EventKind.FINISHED]
    assert told[-3].data == {
        "request_id": request.id,
        "call_id": request.call_id,
        "status": status,
        "by": owner.id,
    }


def is_looking(task: asyncio.Task[Any] | None) -> bool:
    """True in the tasks of a worker, which look at the rows at times of their own."""
    looking = {"assent-heartbeat", "assent-sweeper", "assent-reconciler"}
    return task is not None and task.get_name() in looking


async def test_a_later_message_takes_no_more_transactions_than_the_first(
    world: World, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(model := ScriptedModel(["One.", "Two."])) as assent:
        store, begun = assent.kernel.store, list[object]()
        run, waiting = store.run, asyncio.current_task()

        async def counted(work: Callable[[Tx], Any]) -> Any:
            # Who waits for the answer reads it only if it was there sooner.
            if (task := asyncio.current_task()) is not waiting and not is_looking(task):
                begun.append(work)
            return await run(work)

        monkeypatch.setattr(store, "run", counted)
        first = await assent.send("agent", "a", by=owner)
        of_first = len(begun)
        await assent.send("agent", "b", by=owner, conversation_id=first.conversation_id)

    assert len(begun) - of_first == of_first > 0
    asked = [item.text for item in model.prompts[1].history if isinstance(item, UserSaid)]
    assert asked == ["a", "b"]


async def test_a_call_that_has_ended_has_no_lease_however_often_it_was_renewed(
    world: World, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("pay", to="eve", amount=5)), "Done."])
    async with world(model, Bank().pay(**UNASKED)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        stored = await assent.turn(turn.id)

    # As its worker left it and as it is read: a renewal in between would make a difference.
    assert [call.lease_until for call in (*turn.calls, *stored.calls)] == [None, None]
    assert turn == stored
