"""Drafts of forms: saved from several devices, and carried into a form that has changed."""

import asyncio
from typing import Any

import pytest

from assent import (
    Assent,
    Field,
    FieldType,
    Person,
    ShowIf,
    Step,
    UserInput,
    answer,
    draft,
    schema_tool,
    tool,
)
from assent.domain.decisions import Give
from assent.domain.lifecycle import RequestStatus
from assent.domain.requests import Request
from assent.engine.queries.review import Review
from assent.errors import DraftChanged, InvalidAnswer, InvalidVerdict, Superseded
from assent.testing import ScriptedModel, calls, says
from tests.conformance.records import everything
from tests.conftest import World

CANARY = "canary-4711-never-in-clear"
STEPS = [
    Step("Who", [Field("name"), Field("country", type=FieldType.SELECT, options=("DE", "NO"))]),
    Step("Customs", [Field("contents", show_if=ShowIf("country", "NO"))]),
    Step("Payment", [Field("card", type=FieldType.SECRET)]),
]
MANY = [Field(f"field_{number}") for number in range(8)]


class Post:
    """A tool that ships a parcel, with a form in steps, and keeps what it was given."""

    def __init__(self, **form: Any) -> None:
        self.shipped: list[dict[str, Any]] = []
        self.card = ""

        async def ship(
            parcel: str,
            *,
            name: str = "",
            country: str = "",
            contents: str = "",
            card: str = "",
            weight: float = 0,
        ) -> str:
            """Ship a parcel."""
            self.shipped.append({"name": name, "country": country, "contents": contents})
            self.card = card
            return "shipped"

        wanted = UserInput("The carrier wants to know", **(form or {"steps": STEPS}))
        self.tool: Any = tool(name="ship", user_input=wanted)(ship)


def shipping() -> ScriptedModel:
    return ScriptedModel([says("", calls("ship", parcel="p1")), "On its way."])


async def asked(assent: Assent, owner: Person) -> Request:
    turn = await assent.send("agent", "go", by=owner)
    [request] = turn.pending
    return request


async def looked(assent: Assent, owner: Person, request: Request) -> Review:
    [draw] = await assent.queries.requests.reviews(owner, [request.id])
    return draw()


async def test_each_step_is_kept_and_the_last_sends_them_all(world: World, owner: Person) -> None:
    post = Post()
    async with world(shipping(), post.tool) as assent:
        request = await asked(assent, owner)
        await assent.decide(request.id, draft({"name": "Bea", "country": "NO"}), by=owner)
        await assent.decide(request.id, draft({"contents": "books"}), by=owner)
        await assent.decide(request.id, draft({"card": CANARY}), by=owner)
        seen = await looked(assent, owner, request)
        await assent.decide(request.id, Give(values={}, seen=seen.draft_number), by=owner)
        await assent.wait(request.turn_id)
        written = repr(await everything(world.url))

    assert post.shipped == [{"name": "Bea", "country": "NO", "contents": "books"}]
    assert (post.card, seen.draft_number) == (CANARY, 3)
    assert CANARY not in written


async def test_a_draft_survives_the_process_that_kept_it(world: World, owner: Person) -> None:
    post = Post()
    async with world(shipping(), post.tool) as assent:
        request = await asked(assent, owner)
        await assent.decide(request.id, draft({"name": "Bea", "country": "NO"}), by=owner)
        before = await looked(assent, owner, request)
        assert "Bea" not in repr(await everything(world.url))
    async with world(ScriptedModel(["On its way."]), post.tool) as assent:
        after = await looked(assent, owner, request)
        rest = answer(contents="books", card="4711")
        await assent.decide(request.id, rest, by=owner)
        await assent.wait(request.turn_id)

    assert (after.draft, after.draft_at) == (before.draft, before.draft_at)
    assert after.draft == {"name": "Bea", "country": "NO"}
    assert post.shipped == [{"name": "Bea", "country": "NO", "contents": "books"}]


async def test_saves_of_different_fields_from_two_devices_are_both_kept(
    world: World, owner: Person
) -> None:
    async with world(shipping(), Post().tool) as assent:
        request = await asked(assent, owner)
        await assent.decide(request.id, draft({"name": "Bea"}, seen=0), by=owner)
        await assent.decide(request.id, draft({"country": "NO"}, seen=0), by=owner)
        seen = await looked(assent, owner, request)

    assert seen.draft == {"name": "Bea", "country": "NO"}
    assert seen.draft_changes == {"name": 1, "country": 2}


async def test_an_answer_from_elsewhere_is_not_replaced_unseen(world: World, owner: Person) -> None:
    async with world(shipping(), Post().tool) as assent:
        request = await asked(assent, owner)
        await assent.decide(request.id, draft({"name": "Bea"}, seen=0), by=owner)
        mine = draft({"name": "Carl", "country": "DE"}, seen=0)
        with pytest.raises(DraftChanged) as refused:
            await assent.decide(request.id, mine, by=owner)
        kept = await looked(assent, owner, request)
        await assent.decide(request.id, draft({"name": "Carl"}, seen=1), by=owner)
        after = await looked(assent, owner, request)

    assert (refused.value.fields, refused.value.number) == (("name",), 1)
    assert "Bea" not in str(refused.value)
    assert kept.draft == {"name": "Bea"}
    assert after.draft == {"name": "Carl"}


async def test_the_same_answer_from_two_devices_is_no_conflict(world: World, owner: Person) -> None:
    async with world(shipping(), Post().tool) as assent:
        request = await asked(assent, owner)
        for _ in range(2):
            await assent.decide(request.id, draft({"name": "Bea"}, seen=0), by=owner)
        seen = await looked(assent, owner, request)

    assert seen.draft == {"name": "Bea"}


async def test_answers_that_were_not_seen_are_not_sent(world: World, owner: Person) -> None:
    post = Post()
    async with world(shipping(), post.tool) as assent:
        request = await asked(assent, owner)
        first = {"name": "Bea", "country": "DE", "card": "1"}
        await assent.decide(request.id, draft(first), by=owner)
        await assent.decide(request.id, draft({"name": "Carl"}), by=owner)
        with pytest.raises(DraftChanged):
            await assent.decide(request.id, Give(values={}, seen=1), by=owner)
        assert (await assent.request(request.id)).is_open
        await assent.decide(request.id, Give(values={}, seen=2), by=owner)
        await assent.wait(request.turn_id)

    assert post.shipped == [{"name": "Carl", "country": "DE", "contents": ""}]


async def test_saves_at_the_same_moment_lose_nothing(world: World, owner: Person) -> None:
    async def sort(_context: Any, _arguments: Any) -> str:
        return "sorted"

    names = [item.name for item in MANY]
    properties = {name: {"type": "string"} for name in names}
    schema: Any = {"type": "object", "properties": properties}
    wanted = UserInput("needed", MANY)
    sorting = schema_tool(
        "sort", description="Sort.", parameters=schema, execute=sort, user_input=wanted
    )
    model = ScriptedModel([says("", calls("sort")), "Done."])
    async with world(model, sorting) as assent, world(model, sorting, worker=False) as other:
        request = await asked(assent, owner)
        saves = [
            engine.decide(request.id, draft({name: f"{name} here"}, seen=0), by=owner)
            for name, engine in zip(names, [assent, other] * 4, strict=True)
        ]
        await asyncio.gather(*saves)
        seen = await looked(assent, owner, request)

    assert seen.draft == {name: f"{name} here" for name in names}


async def test_a_form_that_changed_keeps_what_fits_and_says_the_rest(
    world: World, owner: Person
) -> None:
    before = [
        Field("name", label="Your name"),
        Field("weight", label="Weight", type=FieldType.NUMBER),
        Field("country", label="Country"),
        Field("card", type=FieldType.SECRET),
    ]
    now = [
        Step("Who", [Field("name"), Field("contents")]),
        Step("Where", [Field("country", type=FieldType.SELECT, options=("DE", "NO"))]),
        Step("Payment", [Field("card", type=FieldType.SECRET)]),
    ]
    post = Post(steps=now)
    async with world(shipping(), Post(fields=before).tool) as assent:
        request = await asked(assent, owner)
        entered = {"name": "Bea", "weight": 3, "country": "Norge", "card": CANARY}
        await assent.decide(request.id, draft(entered), by=owner)
    async with world(ScriptedModel(["On its way."]), post.tool) as assent:
        with pytest.raises(Superseded):
            await assent.decide(request.id, answer(), by=owner)
        [fresh] = (await assent.turn(request.turn_id)).pending
        seen = await looked(assent, owner, fresh)
        assert post.shipped == []
        await assent.decide(fresh.id, answer(contents="books", country="NO"), by=owner)
        await assent.wait(request.turn_id)
        old = await assent.request(request.id)
        written = repr(await everything(world.url))

    assert (old.status, old.closed_by) == (RequestStatus.SUPERSEDED, "definition")
    assert (seen.draft, seen.kept_secrets) == ({"name": "Bea"}, {"card"})
    assert "No longer asked for: Weight." in fresh.question.text
    assert "To be answered again: Country." in fresh.question.text
    assert "Norge" not in fresh.question.text
    assert post.shipped == [{"name": "Bea", "country": "NO", "contents": "books"}]
    assert post.card == CANARY
    assert CANARY not in written


async def test_a_secret_does_not_turn_up_in_a_field_that_is_shown(
    world: World, owner: Person
) -> None:
    secret = [Field("name"), Field("card", type=FieldType.SECRET)]
    async with world(shipping(), Post(fields=secret).tool) as assent:
        request = await asked(assent, owner)
        await assent.decide(request.id, draft({"name": "Bea", "card": CANARY}), by=owner)
    plain = Post(fields=[Field("name"), Field("card")])
    async with world(ScriptedModel(["On its way."]), plain.tool) as assent:
        with pytest.raises(Superseded):
            await assent.decide(request.id, draft({"name": "Bea"}), by=owner)
        [fresh] = (await assent.turn(request.turn_id)).pending
        seen = await looked(assent, owner, fresh)

    assert (seen.draft, seen.kept_secrets) == ({"name": "Bea"}, frozenset())
    assert "To be answered again: Card." in fresh.question.text


async def test_a_wrong_answer_in_a_step_keeps_the_draft_as_it_was(
    world: World, owner: Person
) -> None:
    async with world(shipping(), Post().tool) as assent:
        request = await asked(assent, owner)
        await assent.decide(request.id, draft({"name": "Bea"}), by=owner)
        with pytest.raises(InvalidAnswer):
            await assent.decide(request.id, draft({"name": "Carl", "country": "FR"}), by=owner)
        seen = await looked(assent, owner, request)

    assert (seen.draft, seen.draft_number) == ({"name": "Bea"}, 1)


@pytest.mark.parametrize("seen", [-1, True, "1", 1.0, [], {}])
def test_what_is_no_number_of_a_draft_is_refused(seen: Any) -> None:
    with pytest.raises(InvalidVerdict):
        draft({}, seen=seen)
