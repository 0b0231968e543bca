"""Whatever one caller sends, the event loop comes round again for everybody else.

Measured is the CPU time that the loop's own thread spends in one step, so that what other tests and
other machines' guests do does not count.
"""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from assent import (
    Effect,
    Field,
    FieldType,
    Limits,
    Person,
    Progress,
    Rule,
    Tool,
    UserInput,
    approve,
    manual,
    schema_tool,
    tool,
)
from assent.domain.canonical import Json
from assent.domain.decisions import Give, Supply
from assent.errors import Superseded
from assent.testing import calls, says
from tests.conftest import World
from tests.lag import nobody_held_up

# Close to what the arguments of one call may come to: many small things are the slowest.
LARGE: list[Json] = [{} for _ in range(60_000)]
# Close to what one output may come to.
OUTPUT: list[Json] = [[{"a": number}] for number in range(60_000)]


@tool(requires_approval=True)
async def keep(value: Any) -> int:
    return len(value)


async def test_the_largest_arguments_hold_up_nobody(world: World, owner: Person) -> None:
    rule = Rule.of(Effect.DENY, "keep", when=lambda arguments, _: not arguments["value"])
    script = [says("", calls("keep", value=LARGE)), "Done."]
    async with world(script, keep, rules=[rule]) as assent:
        with nobody_held_up():
            turn = await assent.send("agent", "go", by=owner)
            await assent.decide(turn.pending[0].id, approve(), by=owner)
            turn = await assent.wait(turn.id)
    assert turn.result(turn.calls[0].id) == len(LARGE)


async def test_a_large_edit_holds_up_nobody(world: World, owner: Person) -> None:
    async with world([says("", calls("keep", value=[1])), "Done."], keep) as assent:
        with nobody_held_up():
            turn = await assent.send("agent", "go", by=owner)
            await assent.decide(turn.pending[0].id, approve({"value": LARGE}), by=owner)
            turn = await assent.wait(turn.id)
    assert turn.result(turn.calls[0].id) == len(LARGE)


async def test_reading_a_large_card_holds_up_nobody(world: World, owner: Person) -> None:
    async with world([says("", calls("keep", value=LARGE))], keep) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.card(turn.pending[0])
        with nobody_held_up():
            card = await assent.card(turn.pending[0])
    assert len(card) > len(LARGE)


async def test_a_redefined_tool_is_judged_again_beside_the_loop(
    world: World, owner: Person
) -> None:
    async with world([says("", calls("keep", value=LARGE))], keep) as assent:
        turn = await assent.send("agent", "go", by=owner)
    other = replace(keep, description="Something else.")
    async with world(["Done."], other) as assent:
        with nobody_held_up(), pytest.raises(Superseded):
            await assent.decide(turn.pending[0].id, approve(), by=owner)


async def test_unique_items_of_a_foreign_schema_hold_up_nobody(world: World, owner: Person) -> None:
    async def body(_: Any, arguments: Any) -> int:
        return len(arguments["items"])

    items: Json = {"type": "array", "uniqueItems": True}
    schema: dict[str, Json] = {"type": "object", "properties": {"items": items}}
    store = schema_tool("store", description="Store.", parameters=schema, execute=body)
    script = [says("", calls("store", items=[{"a": n} for n in range(12_000)])), "Done."]
    async with world(script, store) as assent:
        with nobody_held_up():
            turn = await assent.wait((await assent.send("agent", "go", by=owner)).id)
    assert turn.result(turn.calls[0].id) == 12_000


async def test_many_large_calls_hold_up_nobody(world: World, owner: Person) -> None:
    answer = says("", *(calls("keep", value=LARGE[number:16_000]) for number in range(12)))
    async with world([answer], keep) as assent:
        with nobody_held_up():
            turn = await assent.send("agent", "go", by=owner)
    assert len(turn.pending) == 12


async def test_many_small_calls_hold_up_nobody(world: World, owner: Person) -> None:
    answer = says("", *(calls("keep", value=[number]) for number in range(640)))
    async with world([answer], keep, limits=Limits(calls_per_answer=640)) as assent:
        with nobody_held_up():
            turn = await assent.send("agent", "go", by=owner)
    assert len(turn.pending) == 640


async def test_a_large_output_holds_up_nobody(world: World, owner: Person) -> None:
    @tool
    async def give() -> Any:
        return OUTPUT

    script = [says("", calls("give")), says("", calls("give")), "Done."]
    async with world(script, give) as assent:
        with nobody_held_up():
            turn = await assent.wait((await assent.send("agent", "go", by=owner)).id)
    assert [len(call.output or "") > 700_000 for call in turn.calls] == [True, True]


async def test_secrets_are_taken_out_of_a_large_output_beside_the_loop(
    world: World, owner: Person
) -> None:
    @tool(user_input=UserInput("A pin is needed.", [Field("pin", type=FieldType.SECRET)]))
    async def give(pin: str) -> Any:
        return [*OUTPUT, pin]

    async with world([says("", calls("give")), "Done."], give) as assent:
        with nobody_held_up():
            turn = await assent.send("agent", "go", by=owner)
            await assent.decide(turn.pending[0].id, Give(values={"pin": "open sesame"}), by=owner)
            turn = await assent.wait(turn.id)
    assert (turn.calls[0].output or "").endswith('"[secret]"]')


async def test_a_large_answer_to_a_form_holds_up_nobody(world: World, owner: Person) -> None:
    @tool(user_input=UserInput("Why?", [Field("why", type=FieldType.TEXT)]))
    async def note(value: Any, why: str) -> int:
        return len(value) + len(why)

    async with world([says("", calls("note", value=LARGE[:50_000])), "Done."], note) as assent:
        with nobody_held_up():
            turn = await assent.send("agent", "go", by=owner)
            await assent.decide(
                turn.pending[0].id, Give(values={"why": "é" * 1_000}, partial=True), by=owner
            )
            await assent.decide(turn.pending[0].id, Give(values={"why": "é" * 1_000}), by=owner)
            turn = await assent.wait(turn.id)
    assert turn.result(turn.calls[0].id) == 51_000


async def test_a_large_supplied_result_holds_up_nobody(world: World, owner: Person) -> None:
    ask = manual("ask", description="Ask.", parameters={"type": "object"})
    async with world([says("", calls("ask")), "Done."], ask) as assent:
        with nobody_held_up():
            turn = await assent.send("agent", "go", by=owner)
            await assent.decide(turn.pending[0].id, Supply(output=OUTPUT), by=owner)
            turn = await assent.wait(turn.id)
    assert len(turn.calls[0].output or "") > 700_000


async def test_progress_without_end_or_bound_holds_up_nobody(world: World, owner: Person) -> None:
    @tool
    async def steps() -> AsyncIterator[Progress | int]:
        for _ in range(10_000):
            yield Progress("a")
        for _ in range(30):
            yield Progress("a" * 1_000_000)
        yield 1

    async with world([says("", calls("steps")), "Done."], steps) as assent:
        with nobody_held_up():
            turn = await assent.wait((await assent.send("agent", "go", by=owner)).id)
    assert turn.result(turn.calls[0].id) == 1


async def test_an_answer_in_many_pieces_holds_up_nobody(world: World, owner: Person) -> None:
    async with world(["a *word* " * 20_000]) as assent:
        with nobody_held_up():
            turn = await assent.wait((await assent.send("agent", "go", by=owner)).id)
    assert len(turn.text) >= 179_999


def all_there_are(query: str) -> list[str]:
    return [f"{query}{number}" for number in range(300_000)]


async def test_a_search_that_finds_everything_holds_up_nobody(world: World, owner: Person) -> None:
    field = Field("company", type=FieldType.SEARCH, search=all_there_are)

    @tool(user_input=UserInput("Which?", [field]))
    async def visit(company: dict[str, str]) -> str:
        return company["value"]

    async with world([says("", calls("visit"))], visit) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with nobody_held_up():
            page = await assent.queries.options.find(owner, turn.pending[0].id, "company", "a")
    assert len(page.options) == 50


async def forget(_: object, arguments: object) -> None:
    """Keep nothing."""


async def test_many_preferences_hold_up_nobody(world: World, owner: Person) -> None:
    names = [f"f{number}" for number in range(20)]

    def asking(number: int) -> Tool:
        return schema_tool(
            f"note{number}",
            description="Keep it.",
            parameters={"type": "object", "properties": {name: {} for name in names}},
            execute=forget,
            user_input=UserInput("?", list(map(Field, names)), save="person"),
        )

    async with world([], *map(asking, range(50))) as assent:
        for scope, item in assent.people.preferences.offered():
            await assent.people.preferences.set(scope, item.name, "a", by=owner)
        with nobody_held_up():
            kept = await assent.people.preferences.of(owner)
    assert len(kept) == 1_000
    assert all(each.fits for each in kept)
