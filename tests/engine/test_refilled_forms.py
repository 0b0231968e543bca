"""Forms that wait, filled in with what was kept or suggested, while that or the form changes."""

from contextlib import suppress
from typing import Any

import pytest

from assent import Assent, Field, FieldType, Hint, Tool, answer
from assent.domain.lifecycle import CallStatus
from assent.domain.requests import Request
from assent.errors import InvalidAnswer, Superseded
from tests.conftest import World
from tests.engine.bureau import ADA, PIN, Bureau, calls_what_is_said, file

CODE = Field("code")
KEPT = Field("company")
SUGGESTED = Field("company", suggest="tool")
SECRET = Field("pin", type=FieldType.SECRET, may_keep=True)


def bureau(*fields: Field, given: Bureau | None = None, **more: Any) -> Tool:
    return (given or Bureau()).tool(fields=[*fields, CODE], **more)


async def waiting(assent: Assent) -> Request:
    [request] = await assent.pending(person=ADA)
    return request


async def opened_again(assent: Assent) -> Request:
    """The form that replaces the one that was open before its definition changed."""
    with suppress(Superseded):
        await assent.decide((await waiting(assent)).id, answer(code="2"), by=ADA)
    return await waiting(assent)


@pytest.mark.parametrize(
    "changed",
    [
        bureau(Field("staff", required=False)),
        bureau(Field("company", type=FieldType.SECRET)),
        bureau(Field("company", type=FieldType.NUMBER, suggest="tool")),
        bureau(Field("company", pattern="[0-9]+", suggest="tool")),
        bureau(Field("company")),
        bureau(SUGGESTED, hints={"company": Hint(secret=True)}, description="Another one."),
    ],
    ids=["gone", "secret", "number", "pattern", "no more", "hidden"],
)
async def test_what_does_not_fit_the_changed_form_is_suggested_no_more(
    world: World, changed: Tool
) -> None:
    async with world(calls_what_is_said, bureau(SUGGESTED, save=False)) as assent:
        await file(assent, answer(company="Acme", code="1"))
        before = (await file(assent)).pending[0]
    async with world(calls_what_is_said, changed) as assent:
        after = await opened_again(assent)
        with pytest.raises(InvalidAnswer, match="Nothing is suggested"):
            await assent.decide(after.id, answer(code="2").accepting("company"), by=ADA)

    assert "company" in before.suggestions_for("ada")
    assert after.suggestions_for("ada") == {}


async def test_what_still_fits_the_changed_form_is_suggested_in_it(world: World) -> None:
    given = Bureau()
    async with world(calls_what_is_said, bureau(SUGGESTED, save=False)) as assent:
        await file(assent, answer(company="Acme", code="1"))
        await file(assent)
    more = bureau(SUGGESTED, Field("staff", required=False), given=given, save=False)
    async with world(calls_what_is_said, more) as assent:
        after = await opened_again(assent)
        done = await assent.decide(after.id, answer(code="2").accepting("company"), by=ADA)
        await assent.wait(done.turn_id)

    assert [each["company"] for each in given.given] == ["Acme"]


@pytest.mark.parametrize(
    "company",
    [
        Field("company", type=FieldType.SECRET),
        Field("company", may_keep=False),
        Field("company", type=FieldType.NUMBER),
        Field("company", pattern="[0-9]+"),
    ],
    ids=["secret", "not to be kept", "number", "pattern"],
)
async def test_a_preference_that_does_not_fit_the_changed_form_is_asked_again_and_never_sent(
    world: World, company: Field
) -> None:
    async with world(calls_what_is_said, bureau(KEPT)) as assent:
        await assent.people.preferences.set("tool:file_return", "company", "Acme", by=ADA)
        before = (await file(assent)).pending[0]
    async with world(calls_what_is_said, bureau(company)) as assent:
        after = await opened_again(assent)
        with pytest.raises(InvalidAnswer, match="company"):
            await assent.decide(after.id, answer(code="2"), by=ADA)

    assert before.origins["company"].fits
    assert not after.origins["company"].fits
    assert "company" not in after.question.prefilled


async def test_a_preference_that_fits_the_changed_form_fills_it_in(world: World) -> None:
    given = Bureau()
    async with world(calls_what_is_said, bureau(KEPT, SECRET)) as assent:
        await assent.people.preferences.set("tool:file_return", "company", "Acme", by=ADA)
        await assent.people.preferences.set("tool:file_return", "pin", PIN, by=ADA)
        await file(assent)
    more = bureau(KEPT, SECRET, Field("staff", required=False), given=given)
    async with world(calls_what_is_said, more) as assent:
        after = await opened_again(assent)
        done = await assent.decide(after.id, answer(code="2"), by=ADA)
        await assent.wait(done.turn_id)

    assert (given.given[0]["company"], given.given[0]["pin"]) == ("Acme", PIN)


async def test_what_the_model_filled_in_is_in_no_field_that_became_a_secret(world: World) -> None:
    async with world(calls_what_is_said, bureau(KEPT)) as assent:
        await file(assent, say="file_return Acme")
    turned = bureau(Field("company", type=FieldType.SECRET))
    async with world(calls_what_is_said, turned) as assent:
        after = await opened_again(assent)
        with pytest.raises(InvalidAnswer, match="company"):
            await assent.decide(after.id, answer(code="2"), by=ADA)

    assert after.question.prefilled == {}


async def test_a_secret_that_is_deleted_while_a_form_waits_is_asked_for_again(
    world: World,
) -> None:
    given = Bureau()
    async with world(calls_what_is_said, bureau(SECRET, given=given)) as assent:
        kept = await assent.people.preferences.set("tool:file_return", "pin", PIN, by=ADA)
        turn = await file(assent)
        [before] = await assent.queries.requests.reviews(ADA, [turn.pending[0].id])
        await assent.people.preferences.delete(kept.id, by=ADA)
        [after] = await assent.queries.requests.reviews(ADA, [turn.pending[0].id])
        with pytest.raises(InvalidAnswer, match="pin"):
            await assent.decide(turn.pending[0].id, answer(code="2"), by=ADA)
        await assent.decide(turn.pending[0].id, answer(code="2", pin="new"), by=ADA)
        turn = await assent.wait(turn.id)

    assert before().kept_secrets == {"pin"}
    assert after().kept_secrets == frozenset()
    assert after().card.origins == ()
    assert turn.calls[0].status is CallStatus.SUCCEEDED
    assert given.given[0]["pin"] == "new"
