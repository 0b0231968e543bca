"""Suggestions from earlier calls: looked up, marked, and never taken without a yes."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent import (
    Agent,
    Assent,
    Deferred,
    Field,
    InputRequired,
    Person,
    PersonKind,
    UserInput,
    answer,
    approve,
    tool,
)
from assent.domain.lifecycle import RequestKind, TurnStatus
from assent.domain.preferences import ValueSource
from assent.domain.requests import Request
from assent.errors import InvalidAnswer, InvalidTool, NotFound
from assent.testing import ScriptedModel
from tests.conformance.records import execute, query
from tests.conftest import World
from tests.engine.bureau import ADA, BEN, Bureau, calls_what_is_said, file, within

ACME = answer(company="Acme")


def suggested(request: Request, by: Person = ADA) -> dict[str, Any]:
    return {name: each.value for name, each in request.suggestions_for(by.id).items()}


async def test_the_newest_successful_call_of_the_tool_is_suggested_with_its_origin(
    world: World,
) -> None:
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        await file(assent, ACME)
        newest = await file(assent, answer(company="Beta"))
        [request] = (await file(assent)).pending

    [found] = request.suggestions_for("ada").values()
    assert (found.field, found.value) == ("company", "Beta")
    assert found.call_id == newest.calls[0].id
    assert found.conversation_id == newest.conversation_id
    assert found.title == "file_return"
    assert "company" not in request.question.prefilled


async def test_a_suggestion_is_never_taken_without_a_yes(world: World) -> None:
    bureau = Bureau()
    fields = [Field("company", suggest="tool", required=False), Field("code")]
    tools = bureau.tool(fields=fields, save=False)
    async with world(calls_what_is_said, tools) as assent:
        await file(assent, answer(company="Acme", code="1"))
        for given in (
            answer(code="2"),
            answer(code="2", company=""),
            answer(code="2", company=None),
        ):
            await file(assent, given)
        turn = await file(assent)
        with pytest.raises(InvalidAnswer):
            await assent.decide(turn.pending[0].id, answer(company="x"), by=ADA)

    assert [each["company"] for each in bureau.given] == ["Acme", "", "", ""]


async def test_a_suggestion_that_is_taken_is_on_record_with_the_call_it_came_from(
    world: World,
) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.suggesting(requires_approval=True)) as assent:
        first = await file(assent, ACME)
        await assent.decide(first.pending[0].id, approve(), by=ADA)
        first = await assent.wait(first.id)
        turn = await file(assent, answer().accepting("company"))
        entries = await assent.audit(call_id=turn.calls[0].id)

    [request] = turn.pending
    assert request.kind is RequestKind.APPROVAL
    assert request.origins["company"].source is ValueSource.SUGGESTION
    assert request.origins["company"].id == first.calls[0].id
    [answered] = [each for each in entries if each.action == "answer"]
    origins: Any = answered.data["origins"]
    assert origins["company"]["id"] == first.calls[0].id


@pytest.mark.parametrize(("typed", "is_taken"), [("Acme", True), ("Other", False)])
async def test_what_the_person_typed_instead_counts(
    world: World, typed: str, *, is_taken: bool
) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.suggesting()) as assent:
        await file(assent, ACME)
        turn = await file(assent, answer(company=typed).accepting("company"))
        entries = await assent.audit(call_id=turn.calls[0].id)

    [answered] = [each for each in entries if each.action == "answer"]
    assert bureau.given[1]["company"] == typed
    assert ("origins" in answered.data) is is_taken


@pytest.mark.parametrize("name", ["staff", "nothing", "\x00", "company"])
async def test_what_is_not_suggested_cannot_be_taken(world: World, name: str) -> None:
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        turn = await file(assent)
        with pytest.raises(InvalidAnswer, match="Nothing is suggested"):
            await assent.decide(turn.pending[0].id, answer().accepting(name), by=ADA)


@pytest.mark.parametrize(
    ("suggest", "expected"),
    [
        (within("tool", "person"), "Pay"),
        (within("tool", "conversation"), None),
        (within("family", "person"), "Amend"),
        (within("family", "conversation"), "Here"),
    ],
)
async def test_where_suggestions_come_from(
    world: World, suggest: Any, expected: str | None
) -> None:
    bureau = Bureau()
    tools = [
        bureau.suggesting("pay", suggest, family="tax"),
        bureau.tool("amend", save=False, family="tax"),
    ]
    async with world(calls_what_is_said, *tools) as assent:
        await file(assent, answer(company="Pay"), say="pay")
        here = await file(assent, answer(company="Here"), say="amend")
        await file(assent, answer(company="Amend"), say="amend")
        turn = await file(assent, say="pay", conversation_id=here.conversation_id)

    assert suggested(turn.pending[0]).get("company") == expected


async def test_a_call_that_ends_later_or_elsewhere_is_suggested_from_too(world: World) -> None:
    form = UserInput("For whom?", [Field("company", suggest="tool")])

    @tool(name="file_return", user_input=form)
    async def queued(year: int, company: str) -> Deferred:
        """File a tax return overnight."""
        return Deferred(f"filing-for-{company}")

    async with world(calls_what_is_said, queued) as assent:
        first = await file(assent, ACME)
        waiting = await file(assent)
        await assent.resolve("filing-for-Acme", "filed")
        await assent.wait(first.id)
        again = await file(assent)

    assert suggested(waiting.pending[0]) == {}
    assert suggested(again.pending[0]) == {"company": "Acme"}


async def test_a_call_that_failed_or_was_rejected_suggests_nothing(world: World) -> None:
    fields = [Field("company", suggest="tool")]

    @tool(name="file_return", user_input=UserInput("Which?", fields))
    async def breaks(year: int, company: str) -> str:
        """File a tax return."""
        raise RuntimeError("no")

    async with world(calls_what_is_said, breaks) as assent:
        await file(assent, ACME)
        turn = await file(assent)

    assert suggested(turn.pending[0]) == {}


async def test_what_a_tool_declares_secret_is_not_suggested(world: World) -> None:
    for hidden in (True, False):
        async with world(calls_what_is_said, Bureau().suggesting(hidden=True)) as assent:
            await file(assent, ACME)
        # Nor by a later version that hides nothing: the call ran under the one that did.
        async with world(calls_what_is_said, Bureau().suggesting(hidden=hidden)) as assent:
            turn = await file(assent)
        assert suggested(turn.pending[0]) == {}


def test_a_secret_field_is_never_suggested() -> None:
    with pytest.raises(InvalidTool, match="never suggested"):
        Field("pin", type="secret", suggest="tool")  # pyright: ignore[reportArgumentType] - as people write it


def test_a_family_must_be_there_to_suggest_from() -> None:
    with pytest.raises(InvalidTool, match="family"):
        Bureau().suggesting(suggest="family")


async def test_a_value_that_no_longer_fits_is_not_suggested(world: World) -> None:
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        await file(assent, ACME)
    stricter = Bureau().suggesting(field={"pattern": "[0-9]+"})
    async with world(calls_what_is_said, stricter) as assent:
        turn = await file(assent)

    assert suggested(turn.pending[0]) == {}


async def test_suggestions_are_for_the_owner_only(world: World) -> None:
    robot = Person("robot", kind=PersonKind.SERVICE)
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        await file(assent, ACME)
        turn = await file(assent)
        of_ben = await file(assent, by=BEN)
        of_robot = await file(assent, by=robot)

    assert suggested(turn.pending[0]) == {"company": "Acme"}
    assert suggested(turn.pending[0], BEN) == {}
    assert suggested(of_ben.pending[0], BEN) == {}
    assert of_robot.pending == () or not of_robot.pending[0].question.suggestions


async def test_a_row_that_names_the_wrong_person_suggests_nothing(world: World) -> None:
    """Even if the table of last calls was tampered with, the conversation's owner is compared."""
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        await file(assent, ACME)
        await execute(world.url, "UPDATE last_calls SET person = 'ben'")
        turn = await file(assent, by=BEN)

    assert suggested(turn.pending[0], BEN) == {}


async def test_a_person_can_stop_suggestions_for_a_field_and_take_that_back(
    world: World,
) -> None:
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        await file(assent, ACME)
        [request] = (await file(assent)).pending
        preferences = assent.people.preferences
        with pytest.raises(NotFound):
            await preferences.stop_suggesting(request.id, "company", by=BEN)
        with pytest.raises(NotFound):
            await preferences.stop_suggesting(request.id, "staff", by=ADA)
        await preferences.stop_suggesting(request.id, "company", by=ADA)
        [review] = await assent.queries.requests.reviews(ADA, [request.id])
        stopped = await file(assent)
        [row] = await preferences.stopped(ADA)
        with pytest.raises(NotFound):
            await preferences.suggest_again(row.id, by=BEN)
        await preferences.suggest_again(row.id, by=ADA)
        again = await file(assent)
        actions = [each.action for each in await assent.audit()]

    assert suggested(review().request) == {}
    assert suggested(stopped.pending[0]) == {}
    assert (row.scope, row.name) == ("tool:file_return", "company")
    assert suggested(again.pending[0]) == {"company": "Acme"}
    assert actions.count("stop_suggesting") == actions.count("suggest_again") == 1


async def test_what_is_stopped_in_one_form_is_seen_no_more_in_another_that_waits(
    world: World,
) -> None:
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        await file(assent, ACME)
        one, other = [(await file(assent)).pending[0] for _ in range(2)]
        await assent.people.preferences.stop_suggesting(one.id, "company", by=ADA)
        [stopped] = await assent.queries.requests.reviews(ADA, [other.id])
        [row] = await assent.people.preferences.stopped(ADA)
        await assent.people.preferences.suggest_again(row.id, by=ADA)
        [again] = await assent.queries.requests.reviews(ADA, [other.id])

    assert suggested(other) == {"company": "Acme"}
    assert suggested(stopped().request) == {}
    assert suggested(again().request) == {"company": "Acme"}


async def test_suggestions_are_not_in_an_export(world: World) -> None:
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        await file(assent, answer(company="Elsewhere-Ltd"))
        turn = await file(assent)
        exported = await assent.export(turn.conversation_id, by=ADA)
        copy = await assent.import_(exported, by=Person("root", roles={"admin"}))

    assert suggested(turn.pending[0]) == {"company": "Elsewhere-Ltd"}
    assert "Elsewhere-Ltd" not in exported
    assert copy


async def test_a_question_of_a_running_body_keeps_nothing(world: World) -> None:
    @tool(name="file_return")
    async def asks(year: int) -> str:
        """File a tax return."""
        raise InputRequired(UserInput("Which?", [Field("company")]))

    async with world(calls_what_is_said, asks) as assent:
        turn = await file(assent)
        with pytest.raises(InvalidAnswer, match="nothing of it is kept"):
            await assent.decide(turn.pending[0].id, answer(company="x").keeping("person"), by=ADA)


@pytest.mark.parametrize("save", [True, "person"])
async def test_a_question_of_a_running_body_does_not_offer_to_keep(world: World, save: Any) -> None:
    @tool(name="file_return")
    async def asks(year: int) -> str:
        """File a tax return."""
        raise InputRequired(UserInput("Which?", [Field("company")], save=save))

    async with world(calls_what_is_said, asks) as assent:
        [request] = (await file(assent)).pending

    assert request.keeps_for(ADA) == ()
    assert request.question.form is not None
    assert request.question.form["save"] is False
    assert "for_person" not in request.question.form


@pytest.mark.parametrize("earlier", [10, 1_000])
async def test_one_row_is_kept_however_many_calls_there_were(world: World, earlier: int) -> None:
    """Rows of a conversation replace each other; a lookup reads one of them by its index."""
    async with world(calls_what_is_said, Bureau().suggesting()) as assent:
        turn = await file(assent, ACME)
        call = turn.calls[0]

        def many(tx: Any) -> None:
            for _ in range(earlier):
                tx.suggestions.remember(
                    "ada", "tool:file_return", call.conversation_id, call.id, ["company"]
                )

        await assent.kernel.store.run(many)
        again = await file(assent)

    assert await query(world.url, "SELECT COUNT(*) FROM last_calls") == [(1,)]
    assert suggested(again.pending[0]) == {"company": "Acme"}


PEOPLE = ("ada", "ben", "cleo")
STEP = st.tuples(
    st.sampled_from(PEOPLE),
    st.sampled_from(["pay", "amend", "other"]),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=12, deadline=None)
@given(steps=st.lists(STEP, min_size=4, max_size=14))
async def test_nothing_of_one_person_reaches_another(steps: list[Any]) -> None:
    """People talk to the same tools; each value names its person, and none sees another's."""
    bureau = Bureau()
    form = {"family": "tax", "save": "person"}
    tools = [
        bureau.tool("pay", bureau.fields(suggest=within("family", "person")), **form),
        bureau.tool("amend", bureau.fields(suggest="tool"), **form),
        bureau.tool("other", bureau.fields(suggest="tool"), save="person"),
    ]
    agent = Agent("agent", model=ScriptedModel(calls_what_is_said), tools=tools)
    async with Assent("sqlite:///:memory:", agents=[agent]) as assent:
        last: dict[str, str] = {}
        for number, (who, name, keeps, goes_on) in enumerate(steps):
            person, given = Person(who), answer(company=f"{who}-{number}")
            place: Any = {"conversation_id": last[who]} if goes_on and who in last else {}
            before = len(bureau.given)
            turn = await assent.send("agent", name, by=person, **place)
            for request in turn.pending:
                assert all(str(v).startswith(who) for v in suggested(request, person).values())
                others = [each for each in PEOPLE if each != who]
                assert not any(suggested(request, Person(each)) for each in others)
                mine = given.keeping("person" if keeps else "conversation")
                await assent.decide(request.id, mine, by=person)
                turn = await assent.wait(turn.id)
            assert turn.status is TurnStatus.DONE
            assert [each["company"].split("-")[0] for each in bureau.given[before:]] == [who]
            last[who] = turn.conversation_id
