"""Several decisions that count together or not at all."""

import asyncio
from typing import Any

import pytest

from assent import Assent, Audience, Person, Risk, approve, reject, tool
from assent.domain.messages import Answer, Prompt
from assent.domain.requests import Request
from assent.errors import AlreadySettled, InvalidArguments, NotEligible
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World

ROUNDS = 10


class Errands:
    """A gated errand, and one that is for others to approve; `ran` notes what really ran."""

    def __init__(self) -> None:
        self.ran: list[str] = []

        async def run_errand(what: str) -> str:
            """Run an errand."""
            self.ran.append(what)
            return f"ran {what}"

        async def spend(what: str) -> str:
            """Spend something."""
            self.ran.append(what)
            return f"spent {what}"

        self.errand = tool(risk=Risk.DANGEROUS, requires_approval=True)(run_errand)
        others = Audience.of("boss", exclude_requester=True)
        self.spend = tool(risk=Risk.DANGEROUS, requires_approval=True, approvers=others)(spend)


def errands(*names: str) -> ScriptedModel:
    def script(prompt: Prompt) -> Answer | str:
        if getattr(prompt.history[-1], "outputs", None):
            return "Done."
        return says("", *(calls("run_errand", what=each) for each in names))

    return ScriptedModel(script)


async def asked(assent: Assent, owner: Person, chat: str = "one") -> list[Request]:
    turn = await assent.send("agent", "go", by=owner, conversation_id=chat, create=True)
    return list(turn.pending)


async def test_all_of_them_count(world: World, owner: Person) -> None:
    jobs = Errands()
    async with world(errands("a", "b"), jobs.errand) as assent:
        first, second = await asked(assent, owner)
        outcomes = await assent.decide_together(
            [(second.id, reject("no")), (first.id, approve({"what": "c"}))], by=owner
        )
        await assent.wait(first.turn_id)

    assert {each.request_id: each.error for each in outcomes} == {first.id: None, second.id: None}
    assert jobs.ran == ["c"]


@pytest.mark.parametrize("where", ["first", "last"])
async def test_what_stands_against_one_leaves_all_as_they_were(
    world: World, owner: Person, where: str
) -> None:
    jobs = Errands()
    script = says("", *(calls("run_errand", what=it) for it in "abc"), calls("spend", what="d"))
    async with world([script, "Done."], jobs.errand, jobs.spend) as assent:
        requests = await asked(assent, owner)
        *mine, theirs = sorted(requests, key=lambda each: each.tool)
        order = [theirs, *mine] if where == "first" else [*mine, theirs]
        with pytest.raises(NotEligible):
            await assent.decide_together([(each.id, approve()) for each in order], by=owner)
        still = [(await assent.request(each.id)).is_open for each in requests]
        record = [it.action for it in await assent.audit() if it.request_id == theirs.id]

    assert all(still)
    assert jobs.ran == []
    assert record.count("refused") == 1


async def test_an_edit_that_does_not_fit_leaves_all_as_they_were(
    world: World, owner: Person
) -> None:
    jobs = Errands()
    async with world(errands("a", "b"), jobs.errand) as assent:
        first, second = await asked(assent, owner)
        wrong: Any = {"what": ["no text"]}
        with pytest.raises(InvalidArguments):
            await assent.decide_together(
                [(first.id, approve({"what": "c"})), (second.id, approve(wrong))], by=owner
            )
        still = [(await assent.request(each.id)).is_open for each in (first, second)]

    assert still == [True, True]
    assert jobs.ran == []


async def test_what_is_waived_is_reported_and_the_others_count(world: World, owner: Person) -> None:
    jobs = Errands()
    async with world(errands("a", "b"), jobs.errand) as assent:
        first, second = await asked(assent, owner)
        await assent.decide(first.id, reject("no"), by=owner)
        outcomes = await assent.decide_together(
            [(first.id, approve()), (second.id, approve())],
            by=owner,
            waives=lambda _, error: isinstance(error, AlreadySettled),
        )
        await assent.wait(first.turn_id)

    refused = {each.request_id for each in outcomes if each.error is not None}
    assert refused == {first.id}
    assert jobs.ran == ["b"]


async def test_two_who_decide_the_same_together_never_halve_it(world: World, owner: Person) -> None:
    jobs = Errands()
    async with world(errands("a", "b", "c"), jobs.errand) as assent:
        for round_ in range(ROUNDS):
            jobs.ran.clear()
            requests = await asked(assent, owner, f"chat-{round_}")
            ids = [each.id for each in requests]

            async def attempt(verdict: Any, ids: list[str]) -> bool:
                try:
                    await assent.decide_together([(id, verdict) for id in ids], by=owner)
                except AlreadySettled:
                    return False
                return True

            async with asyncio.timeout(30):
                yes, no = await asyncio.gather(
                    attempt(approve(), ids), attempt(reject("no"), ids[::-1])
                )
                statuses = {str((await assent.request(id)).status) for id in ids}

            assert yes != no
            assert statuses == {"approved" if yes else "rejected"}


async def test_a_single_decision_beside_them_waits_for_nobody_for_ever(
    world: World, owner: Person
) -> None:
    jobs = Errands()
    async with world(errands("a", "b", "c"), jobs.errand) as assent:
        for round_ in range(ROUNDS):
            requests = await asked(assent, owner, f"chat-{round_}")
            ids = [each.id for each in requests]
            async with asyncio.timeout(30):
                results = await asyncio.gather(
                    assent.decide_together([(id, reject("all")) for id in ids], by=owner),
                    *(assent.decide(id, reject("one"), by=owner) for id in ids),
                    return_exceptions=True,
                )

            assert all(
                isinstance(it, AlreadySettled) for it in results if isinstance(it, Exception)
            )
            assert not any([(await assent.request(id)).is_open for id in ids])
