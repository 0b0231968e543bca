"""Answers that a person keeps for all their conversations."""

import logging
from typing import Any

import pytest

from assent import Audience, Field, FieldType, Person, PersonKind, answer, approve, draft
from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.domain.messages import Answer, Prompt
from assent.domain.preferences import Preference, ValueSource
from assent.errors import InvalidAnswer, InvalidVerdict, NotAllowed, NotFound
from assent.testing import calls, says
from tests.conformance.records import everything, query
from tests.conftest import World
from tests.engine.bureau import ADA, BEN, PIN, Bureau, calls_what_is_said, file, kept


async def rows(world: World) -> list[Preference]:
    async with world(calls_what_is_said, Bureau().tool(), worker=False) as assent:
        return [each.row for each in await assent.people.preferences.of(ADA)]


async def test_an_answer_kept_for_all_conversations_is_not_asked_for_again(world: World) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool()) as assent:
        await file(assent, kept(company="Acme"))
        turn = await file(assent)

    assert turn.status is TurnStatus.DONE
    assert [each["company"] for each in bureau.given] == ["Acme", "Acme"]


@pytest.mark.parametrize("keep", [None, "once", "conversation"])
async def test_nothing_is_kept_for_other_conversations_unless_the_person_says_so(
    world: World, keep: Any
) -> None:
    given = answer(company="Acme") if keep is None else answer(company="Acme").keeping(keep)
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        turn = await file(assent, given)
        again = await assent.send(
            "agent", "file_return", by=ADA, conversation_id=turn.conversation_id
        )
        other = await file(assent)

    assert other.pending[0].kind is RequestKind.INPUT
    is_saved = keep != "once"
    assert bool(again.pending) is not is_saved


@pytest.mark.parametrize(
    ("field", "value"), [("staff", 0), ("staff", 0.0), ("urgent", False), ("company", "0")]
)
async def test_values_that_look_like_nothing_are_kept_too(
    world: World, field: str, value: Json
) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool()) as assent:
        await file(assent, kept(**{"company": "Acme", field: value}))
        await file(assent)

    assert bureau.given[1] == bureau.given[0]
    assert bureau.given[1][field] == value


async def test_a_field_left_empty_is_not_kept(world: World) -> None:
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        await file(assent, kept(company="Acme", staff=None, urgent="", pin=""))

    assert [each.name for each in await rows(world)] == ["company"]


async def test_preferences_are_for_one_tool_or_for_the_whole_family(world: World) -> None:
    bureau = Bureau()
    tools = [bureau.tool(), bureau.tool("amend", family="tax"), bureau.tool("pay", family="tax")]
    async with world(calls_what_is_said, *tools) as assent:
        await file(assent, kept(company="Acme"), say="amend")
        of_family = await file(assent, say="pay")
        of_another = await file(assent, say="file_return")

    assert of_family.status is TurnStatus.DONE
    assert of_another.status is TurnStatus.WAITING


async def test_what_was_saved_for_the_conversation_comes_before_a_preference(
    world: World,
) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool()) as assent:
        turn = await file(assent, answer(company="Here"))
        await assent.people.preferences.set("tool:file_return", "company", "There", by=ADA)
        await file(assent, conversation_id=turn.conversation_id)
        await file(assent)

    assert [each["company"] for each in bureau.given] == ["Here", "Here", "There"]


async def test_a_preference_comes_before_what_the_model_may_fill_in(world: World) -> None:
    bureau = Bureau()
    filling = bureau.tool(fields=bureau.fields(model_may_fill=True))
    async with world(calls_what_is_said, filling) as assent:
        await assent.people.preferences.set("tool:file_return", "company", "Acme", by=ADA)
        await file(assent, say="file_return Evil")

    assert bureau.given[0]["company"] == "Acme"


async def test_what_the_model_filled_in_is_no_answer_of_the_person(world: World) -> None:
    """The person sends the form with what the agent suggested, and keeps it: not that."""
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        await file(assent, kept(company="Evil", staff=3), say="file_return Evil")

    assert [each.name for each in await rows(world)] == ["staff"]


@pytest.mark.parametrize(
    ("field", "filled", "posted"),
    [
        (Field("company", type=FieldType.PHONE), "+49 30 123-4567", "+49301234567"),
        (Field("staff", type=FieldType.NUMBER), "3.0", "3"),
        (Field("company", type=FieldType.MULTILINE), "a\r\nb", "a\nb"),
    ],
    ids=lambda each: each.type if isinstance(each, Field) else repr(each),
)
async def test_what_the_model_filled_in_is_its_own_however_it_is_spelt(
    world: World, field: Field, filled: str, posted: str
) -> None:
    """A page posts what is in its controls, which is spelt as the field spells it."""

    def fills_in(prompt: Prompt) -> Answer | str:
        if getattr(prompt.history[-1], "outputs", None):
            return "Done."
        return says("", calls("file_return", year=2025, **{field.name: filled}))

    async with world(fills_in, Bureau().tool(fields=[field])) as assent:
        turn = await file(assent)
        await assent.decide(turn.pending[0].id, kept(**{field.name: posted}), by=ADA)

    assert await rows(world) == []


async def test_answers_of_a_draft_are_kept_with_the_rest(world: World) -> None:
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        turn = await file(assent)
        await assent.decide(turn.pending[0].id, draft({"company": "Acme", "pin": PIN}), by=ADA)
        await assent.decide(turn.pending[0].id, kept(staff=2), by=ADA)
        await assent.wait(turn.id)

    assert [each.name for each in await rows(world)] == ["company", "pin", "staff"]


async def test_the_form_the_card_and_the_record_say_what_came_from_preferences(
    world: World,
) -> None:
    asking = Bureau().tool(requires_approval=True)
    async with world(calls_what_is_said, asking) as assent:
        made = await assent.people.preferences.set("tool:file_return", "company", "Acme", by=ADA)
        turn = await file(assent)
        [request] = turn.pending
        [review] = await assent.queries.requests.reviews(ADA, [request.id])
        card = review().card
        await assent.decide(request.id, approve(), by=ADA)
        turn = await assent.wait(turn.id)
        entries = await assent.audit(call_id=turn.calls[0].id)

    assert request.kind is RequestKind.APPROVAL
    assert request.origins["company"].source is ValueSource.PREFERENCE
    assert card.origins[0].id == made.id
    [gated] = [each for each in entries if each.action == "gate"]
    assert gated.data["origins"] == {
        "company": {"source": "preference", "id": made.id, "at": made.at.isoformat()}
    }


async def test_keeping_is_on_record_without_the_values(world: World) -> None:
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        turn = await file(assent, kept(company="Kept-Ltd"))
        [row] = [each.row for each in await assent.people.preferences.of(ADA)]
        entries = await assent.audit(call_id=turn.calls[0].id)
        await assent.people.preferences.set(row.scope, row.name, "Changed-Ltd", by=ADA)
        [changed] = [each.row for each in await assent.people.preferences.of(ADA)]
        await assent.people.preferences.delete(changed.id, by=ADA)
        whole = await assent.audit()

    [answered] = [each for each in entries if each.action == "answer"]
    assert answered.data["preferences"] == {"company": row.id}
    mine = {each.action: each for each in whole if "preference" in each.action}
    assert mine["set_preference"].data == {"id": changed.id, "scope": row.scope, "name": "company"}
    assert mine["delete_preference"].data == {"id": changed.id}
    assert mine["set_preference"].actor == mine["delete_preference"].actor == "ada"
    assert "Changed-Ltd" not in str([each.data for each in mine.values()])


async def test_a_changed_preference_counts_at_once_in_another_process(world: World) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool()) as worker:
        await file(worker, kept(company="Acme"))
        async with world(calls_what_is_said, bureau.tool(), worker=False) as other:
            await other.people.preferences.set("tool:file_return", "company", "Beta", by=ADA)
            await file(worker)
            [row] = [each.row for each in await other.people.preferences.of(ADA)]
            await other.people.preferences.delete(row.id, by=ADA)
            turn = await file(worker)

    assert [each["company"] for each in bureau.given] == ["Acme", "Beta"]
    assert turn.status is TurnStatus.WAITING


async def test_a_preference_that_no_longer_fits_is_asked_again_and_says_so(world: World) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool()) as assent:
        await file(assent, kept(company="Acme", pin="12"))
    stricter = [
        Field("company", pattern="[0-9]+"),
        Field("pin", type=FieldType.SECRET, may_keep=True, pattern="[0-9]{4}"),
    ]
    async with world(calls_what_is_said, bureau.tool(fields=stricter)) as assent:
        turn = await file(assent)
        [request] = turn.pending
        listed = await assent.people.preferences.of(ADA)

    assert {name: origin.fits for name, origin in request.origins.items()} == {
        "company": False,
        "pin": False,
    }
    assert not {"company", "pin"} & request.question.prefilled.keys()
    assert {each.row.name: each.fits for each in listed}["company"] is False


async def test_a_field_that_opts_out_is_not_kept_even_for_the_conversation(world: World) -> None:
    fields = [Field("company"), Field("staff", type=FieldType.NUMBER, may_keep=False)]
    async with world(calls_what_is_said, Bureau().tool(fields=fields)) as assent:
        turn = await file(assent, answer(company="Acme", staff=3))
        saved = await assent.saved_values(turn.conversation_id)
        await file(assent, kept(company="Acme", staff=3))

    assert saved == {"tool:file_return": {"company": "Acme"}}
    assert [each.name for each in await rows(world)] == ["company"]


# Who may keep what


@pytest.mark.parametrize("save", [False, True, "conversation"])
async def test_only_a_tool_that_allows_it_lets_people_keep_answers(world: World, save: Any) -> None:
    async with world(calls_what_is_said, Bureau().tool(save=save)) as assent:
        turn = await file(assent)
        with pytest.raises(InvalidAnswer, match="all your conversations"):
            await assent.decide(turn.pending[0].id, kept(company="Acme"), by=ADA)
        await assent.decide(turn.pending[0].id, answer(company="Acme"), by=ADA)

    assert await rows(world) == []


async def test_a_conversation_of_a_service_has_no_preferences(world: World) -> None:
    robot = Person("robot", kind=PersonKind.SERVICE)
    bureau = Bureau()
    routed = bureau.tool(approvers=Audience.of("staff"))
    boss = Person("boss", roles={"staff"})
    async with world(calls_what_is_said, routed) as assent:
        turn = await file(assent, by=robot)
        with pytest.raises(InvalidAnswer, match="all your conversations"):
            await assent.decide(turn.pending[0].id, kept(company="Acme"), by=boss)
        with pytest.raises(NotAllowed):
            await assent.people.preferences.set("tool:file_return", "company", "x", by=robot)


async def test_an_approver_who_edits_changes_nothing_that_the_owner_keeps(world: World) -> None:
    bureau = Bureau()
    asking = bureau.tool(requires_approval=True, approvers=Audience.of("boss"))
    boss = Person("boss", roles={"boss"})
    async with world(calls_what_is_said, asking) as assent:
        turn = await file(assent, kept(company="Acme"))
        [request] = turn.pending
        await assent.decide(request.id, approve(edit={"company": "Boss-Ltd"}), by=boss)
        await assent.wait(turn.id)
        [row] = [each.row for each in await assent.people.preferences.of(ADA)]
        others = await assent.people.preferences.of(boss)

    assert bureau.given[0]["company"] == "Boss-Ltd"
    assert row.value == "Acme"
    assert others == []


async def test_nobody_reads_changes_or_deletes_what_another_keeps(world: World) -> None:
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        await file(assent, kept(company="Acme"))
        preferences = assent.people.preferences
        [mine] = await preferences.of(ADA)
        assert await preferences.of(BEN) == []
        with pytest.raises(NotFound):
            await preferences.one(mine.row.id, by=BEN)
        with pytest.raises(NotFound):
            await preferences.delete(mine.row.id, by=BEN)
        await preferences.set(mine.row.scope, "company", "Ben-Ltd", by=BEN)
        turn = await file(assent, by=Person("cleo"))
        [left] = await preferences.of(ADA)

    assert left.row == mine.row
    assert turn.status is TurnStatus.WAITING


@pytest.mark.parametrize(
    ("scope", "name"),
    [
        ("", ""),
        ("tool:file_return", "code"),
        ("tool:file_return", "year"),
        ("tool:nothing", "company"),
        ("family:tax", "company"),
        ("\x00", "\ud800"),
        ("x" * 10_000, "company"),
    ],
)
async def test_what_no_tool_lets_people_keep_cannot_be_set(
    world: World, scope: str, name: str
) -> None:
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        with pytest.raises(NotFound):
            await assent.people.preferences.set(scope, name, "x", by=ADA)


@pytest.mark.parametrize("value", ["", " ", None, [], {}, 0, False, "x" * 10_001, "a\nb"])
async def test_a_value_that_does_not_fit_its_field_cannot_be_set(world: World, value: Any) -> None:
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        with pytest.raises(InvalidAnswer):
            await assent.people.preferences.set("tool:file_return", "company", value, by=ADA)


@pytest.mark.parametrize("keep", ["", "forever", 0, True, [], {}])
def test_how_long_to_keep_is_one_of_three_words(keep: Any) -> None:
    with pytest.raises(InvalidVerdict, match="'once', 'conversation' or 'person'"):
        answer(company="Acme").keeping(keep)


# Secrets


async def test_a_secret_is_kept_only_where_its_field_allows_it(world: World) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool()) as assent:
        await file(assent, kept(company="Acme", pin=PIN, code="other"))
        await file(assent)

    assert {each.name for each in await rows(world)} == {"company", "pin"}
    assert bureau.given[1]["pin"] == PIN
    assert bureau.given[1]["code"] == ""


async def test_a_kept_secret_is_nowhere_in_plain_text(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool()) as assent:
        turn = await file(assent, kept(company="Acme", pin=PIN))
        used = await file(assent)
        await assent.people.preferences.set("tool:file_return", "pin", f"{PIN}-2", by=ADA)
        events = [event async for event in assent.events(used.id)]
        exported = await assent.export(used.conversation_id, by=ADA)
        listed = await assent.people.preferences.of(ADA)
        audit = await assent.audit()
    tables = await everything(world.url)

    assert bureau.given[1]["pin"] == PIN
    assert turn.status is used.status is TurnStatus.DONE
    for place in (tables, events, exported, listed, audit, caplog.text):
        assert PIN not in str(place)


async def test_deleting_and_changing_a_secret_removes_its_sealed_row(world: World) -> None:
    async with world(calls_what_is_said, Bureau().tool()) as assent:
        await file(assent, kept(company="Acme", pin=PIN))
        preferences = assent.people.preferences
        sealed = "SELECT COUNT(*) FROM secrets"
        assert await query(world.url, sealed) == [(1,)]
        await preferences.set("tool:file_return", "pin", "other", by=ADA)
        assert await query(world.url, sealed) == [(1,)]
        [pin] = [each for each in await preferences.of(ADA) if each.row.secret]
        await preferences.delete(pin.row.id, by=ADA)

    assert await query(world.url, sealed) == [(0,)]


async def test_a_call_outlives_the_preference_that_was_made_with_it(world: World) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool(requires_approval=True)) as assent:
        turn = await file(assent, kept(company="Acme", pin=PIN))
        for each in await assent.people.preferences.of(ADA):
            await assent.people.preferences.delete(each.row.id, by=ADA)
        await assent.decide(turn.pending[0].id, approve(), by=ADA)
        turn = await assent.wait(turn.id)

    assert turn.calls[0].status is CallStatus.SUCCEEDED
    assert bureau.given[0]["pin"] == PIN


async def test_a_call_whose_secret_was_deleted_meanwhile_fails_and_runs_nothing(
    world: World,
) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.tool(requires_approval=True)) as assent:
        for name, value in (("company", "Acme"), ("pin", PIN)):
            await assent.people.preferences.set("tool:file_return", name, value, by=ADA)
        turn = await file(assent)
        for each in await assent.people.preferences.of(ADA):
            await assent.people.preferences.delete(each.row.id, by=ADA)
        await assent.decide(turn.pending[0].id, approve(), by=ADA)
        turn = await assent.wait(turn.id)

    assert turn.calls[0].status is CallStatus.FAILED
    assert bureau.given == []


@pytest.mark.parametrize("first", ["plain", "secret"])
async def test_what_is_a_secret_for_one_tool_of_a_family_is_kept_as_one(
    world: World, first: str
) -> None:
    plain, secret = Field("pin"), Field("pin", type=FieldType.SECRET, may_keep=True)
    made = {
        name: Bureau().tool(name, [field], family="tax")
        for name, field in (("plain", plain), ("secret", secret))
    }
    tools = made.values() if first == "plain" else reversed(made.values())
    async with world(calls_what_is_said, *tools) as assent:
        [(scope, offer)] = assent.people.preferences.offered()
        put = await assent.people.preferences.set(scope, "pin", PIN, by=ADA)

    assert offer.kind.is_secret
    assert put.secret
    assert PIN not in str(put.value)


async def test_a_plain_field_never_gets_a_secret_of_the_family(world: World) -> None:
    bureau = Bureau()
    plain = [Field("company"), Field("pin", required=False)]
    tools = [bureau.tool(family="tax"), bureau.tool("leak", fields=plain, family="tax")]
    async with world(calls_what_is_said, *tools) as assent:
        await file(assent, kept(company="Acme", pin=PIN))
        turn = await file(assent, say="leak")

    assert turn.status is TurnStatus.DONE
    assert bureau.given[1]["pin"] == ""


async def test_a_tool_that_an_agent_outside_runs_learns_nothing_of_preferences(
    world: World,
) -> None:
    """Whoever may propose calls could declare a form of the family only to read what is kept."""
    bureau = Bureau()
    ours = bureau.tool(family="tax")
    theirs = bureau.tool("leak", bureau.fields(suggest="family"), family="tax")
    async with world(calls_what_is_said, ours) as assent:
        await file(assent, kept(company="Acme", pin=PIN))
        guard = assent.guard_for(agent="outside", by=ADA)
        call = await guard.propose(theirs, {"year": 2025}, wait=0)
        [request] = await assent.pending(person=ADA)
        with pytest.raises(InvalidAnswer, match="all your conversations"):
            await assent.decide(request, kept(company="x"), by=ADA)

    assert call.status is CallStatus.AWAITING_INPUT
    assert request.question.prefilled == {}
    assert not request.question.origins
    assert not request.question.suggestions
