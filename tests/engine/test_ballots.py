"""Ballots of the wrong kind: refused in our words, and the request stays open."""

from typing import Any

import pytest

from assent import Person, approve
from assent.domain.errors import InvalidJson
from assent.models.scripted import ScriptedModel, calls, says
from tests.conformance.scenes import Bank
from tests.conftest import World


@pytest.mark.parametrize("arguments", [[1], [], b"{}", 5, {"to"}], ids=repr)
async def test_arguments_that_are_no_object_are_refused(
    world: World, owner: Person, arguments: Any
) -> None:
    bank = Bank()
    model = ScriptedModel([says("", calls("pay", to="eve", amount=5)), "Paid."])
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)

        with pytest.raises(InvalidJson, match="arguments are an object"):
            await assent.decide(turn.pending[0].id, approve(arguments), by=owner)

        assert [each.id for each in await assent.pending()] == [turn.pending[0].id]
    assert bank.paid == []
