"""Calls as people who write Python read them."""

import json
from collections.abc import Mapping

import pytest

from assent import Person
from assent.domain.calls import Frozen
from assent.testing import calls, says
from tests.conformance.scenes import Bank
from tests.conftest import World


async def test_a_call_reads_like_a_mapping_with_a_result(world: World, owner: Person) -> None:
    bank = Bank()
    script = [says("", calls("pay", to="eve", amount=5)), "Done."]
    async with world(script, bank.pay(requires_approval=False)) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    [call] = turn.calls
    assert call.arguments["to"] == "eve"
    assert call.arguments == {"to": "eve", "amount": 5}
    assert dict(call.arguments) == {**call.arguments} == call.arguments.thaw()
    assert call.result == turn.result(call.id) == "paid 5 to eve"


async def test_a_call_that_waits_has_no_result_yet(world: World, owner: Person) -> None:
    async with world([says("", calls("pay", to="eve", amount=5))], Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)

    assert turn.calls[0].result is None


def test_arguments_answer_what_a_mapping_is_asked() -> None:
    arguments = Frozen.of({"path": "a", "deep": {"n": [1]}})

    assert isinstance(arguments, Mapping)
    assert "path" in arguments
    assert "text" not in arguments
    assert (len(arguments), sorted(arguments)) == (2, ["deep", "path"])
    assert (arguments.get("path"), arguments.get("no"), arguments.get("no", 0)) == ("a", None, 0)
    assert dict(arguments.items()) == dict(zip(arguments.keys(), arguments.values(), strict=True))
    with pytest.raises(KeyError, match="no"):
        arguments["no"]


def test_what_is_read_from_arguments_cannot_change_them() -> None:
    arguments = Frozen.of({"deep": {"n": [1]}})
    deep = arguments["deep"]
    assert isinstance(deep, dict)
    deep["n"] = "changed"
    assert json.loads(arguments.text) == {"deep": {"n": [1]}}
    assert arguments.is_intact


def test_no_arguments_are_not_passed_over() -> None:
    empty, original = Frozen.of({}), Frozen.of({"path": "a"})
    assert (empty or original) is empty
    assert len(empty) == 0


def test_arguments_are_alike_by_text_and_digest() -> None:
    one, same = Frozen.of({"a": 1, "b": 2}), Frozen.of({"b": 2, "a": 1})
    assert one == same
    assert not one != same  # noqa: SIM202 - the other operator has its own method
    assert not one != {"a": 1, "b": 2}  # noqa: SIM202 - as above
    assert hash(one) == hash(same)
    assert one != Frozen(one.text, "another digest")
    assert one != {"a": 1}
    assert one != one.text
