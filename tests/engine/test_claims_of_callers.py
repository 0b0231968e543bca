"""Claims that callers hold: few transactions, and the row decides whether one still counts."""

from collections.abc import Callable
from typing import Any

import pytest

from assent import Assent, approve
from assent.domain.definitions import external
from assent.domain.people import SYSTEM, Person
from assent.errors import NotAllowed, NotFound
from assent.guard import Returned, new_token
from assent.ports import Tx
from tests.conftest import World

LOOK = external("look", requires_approval=False)
PAY = external("pay")


def counted(assent: Assent, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The transactions from now on."""
    store, begun = assent.kernel.store, list[object]()
    run = store.run

    async def noted(work: Callable[[Tx], Any]) -> Any:
        begun.append(work)
        return await run(work)

    monkeypatch.setattr(store, "run", noted)
    return begun


async def test_a_call_that_nobody_is_asked_about_takes_three_transactions(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world([], worker=False) as assent:
        guard = assent.guard_for(agent="mailer", by="ana")
        await guard.run(LOOK, {}, lambda _: "seen", key="first")
        begun = counted(assent, monkeypatch)

        ended = await guard.run(LOOK, {}, lambda _: "seen", key="second")

        # Looked for by its key, recorded with its claim, and its outcome recorded.
        assert (ended.output, len(begun)) == ("seen", 3)


async def test_a_call_that_was_approved_takes_two_transactions_from_its_claim_to_its_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world([], worker=False) as assent:
        guard = assent.guard_for(agent="mailer", by="ana")
        call = await guard.propose(PAY, {})
        await assent.decide(str(call.request_id), approve(), by="ana")
        cleared = await guard.look(call.id)
        begun = counted(assent, monkeypatch)

        ended = await guard.finish(cleared, lambda _: "paid", tool=PAY)

        assert (ended.output, len(begun)) == ("paid", 2)


async def test_who_decided_is_told_with_the_outcome_as_with_any_later_look(world: World) -> None:
    async with world([]) as assent:
        guard = assent.guard_for(agent="mailer", by="ana")
        call = await guard.propose(PAY, {})
        await assent.decide(str(call.request_id), approve(), by="ana")

        ended = await guard.finish(await guard.look(call.id), lambda _: "paid", tool=PAY)

        assert (ended.decided_by, ended) == ("ana", await guard.look(call.id))


async def test_whoever_is_disabled_meanwhile_settles_nothing(world: World) -> None:
    async with world([]) as assent:
        await assent.people.add(Person("ana"), by=SYSTEM)
        guard = assent.guard_for(agent="mailer", by="ana")
        claim = (await guard.propose(LOOK, {}, token=new_token())).claim
        assert claim is not None
        await assent.people.change("ana", disabled=True, by=SYSTEM)

        with pytest.raises(NotAllowed, match="disabled"):
            await guard.settle(claim, Returned("seen"))


async def test_the_claim_of_another_person_settles_nothing(world: World) -> None:
    async with world([]) as assent:
        guard = assent.guard_for(agent="mailer", by="ana")
        claim = (await guard.propose(LOOK, {}, token=new_token())).claim
        assert claim is not None

        with pytest.raises(NotFound):
            await assent.guard_for(agent="mailer", by="eve").settle(claim, Returned("forged"))

        assert (await guard.settle(claim, Returned("seen"))).output == "seen"
