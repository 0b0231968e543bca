"""Questions that are asked again about a call: they still say which values were kept."""

import asyncio
from typing import Any

import pytest

from assent import (
    ApprovalRequired,
    Assent,
    Audience,
    Context,
    Effect,
    Field,
    OwnRule,
    Person,
    Rule,
    UserInput,
    answer,
    approve,
    tool,
)
from assent.domain.lifecycle import CallStatus
from assent.domain.preferences import ValueSource
from assent.domain.requests import Request
from assent.errors import Superseded
from tests.conftest import World
from tests.engine.bureau import ADA, Bureau, calls_what_is_said, file

BOSS = Person("boss", roles={"boss"})
TO_BOSS = Rule.of(Effect.ASK, "file_return", audience=Audience.of("boss"))
ASKS: dict[str, Any] = {"requires_approval": True}


async def keep(assent: Assent, **values: str) -> None:
    for name, value in values.items():
        await assent.people.preferences.set("tool:file_return", name, value, by=ADA)


def sources(request: Request) -> dict[str, ValueSource]:
    return {name: each.source for name, each in request.origins.items()}


async def only(assent: Assent, person: Person = ADA) -> Request:
    [request] = await assent.pending(person=person)
    return request


async def once_asked(assent: Assent) -> Request:
    async with asyncio.timeout(20):
        while not (waiting := await assent.pending(person=ADA)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return waiting[0]


async def test_a_question_that_goes_to_others_after_the_policy_changed(world: World) -> None:
    async with world(calls_what_is_said, Bureau().tool(**ASKS)) as assent:
        await keep(assent, company="Acme")
        await file(assent)
    async with world(calls_what_is_said, Bureau().tool(**ASKS), rules=[TO_BOSS]) as assent:
        await assent.decide((await only(assent)).id, approve(), by=ADA)
        asked = await only(assent, BOSS)

    assert sources(asked) == {"company": ValueSource.PREFERENCE}


async def test_a_question_about_a_tool_that_was_redefined(world: World) -> None:
    async with world(calls_what_is_said, Bureau().tool(**ASKS)) as assent:
        await keep(assent, company="Acme")
        await file(assent)
    changed = Bureau().tool(**ASKS, description="File it, but in another way.")
    async with world(calls_what_is_said, changed) as assent:
        with pytest.raises(Superseded):
            await assent.decide((await only(assent)).id, approve(), by=ADA)
        asked = await only(assent)

    assert sources(asked) == {"company": ValueSource.PREFERENCE}


async def test_an_argument_that_was_edited_is_the_editors(world: World) -> None:
    two = Rule.of(
        Effect.ASK, "file_return", audience=Audience.of("boss"), quorum=2, name="two of them"
    )
    async with world(calls_what_is_said, Bureau().tool(), rules=[two]) as assent:
        await keep(assent, company="Acme", staff="3")
        await file(assent)
        first = await only(assent, BOSS)
        await assent.decide(first.id, approve(edit={"company": "Boss-Ltd"}), by=BOSS)
        asked = await only(assent, Person("chief", roles={"boss"}))

    assert set(sources(first)) == {"company", "staff"}
    assert sources(asked) == {"staff": ValueSource.PREFERENCE}


async def test_a_question_of_the_body_itself(world: World) -> None:
    @tool(name="file_return", user_input=UserInput("For whom?", [Field("company")], save="person"))
    async def careful(year: int, company: str, ctx: Context) -> str:
        """File a tax return."""
        if not ctx.approved:
            raise ApprovalRequired({"reason": "Is it complete?"})
        return "filed"

    async with world(calls_what_is_said, careful) as assent:
        await keep(assent, company="Acme")
        turn = await file(assent)

    assert sources(turn.pending[0]) == {"company": ValueSource.PREFERENCE}


async def test_what_was_typed_in_place_of_a_preference_is_from_nowhere(world: World) -> None:
    fields = [Field("company"), Field("staff")]

    async def careful(year: int, company: str, staff: str, ctx: Context) -> str:
        """File a tax return."""
        if not ctx.approved:
            raise ApprovalRequired({"reason": "Is it complete?"})
        return "filed"

    form: Any = UserInput("For whom?", fields, save="person")
    made = tool(name="file_return", user_input=form)(careful)
    async with world(calls_what_is_said, made) as assent:
        await keep(assent, company="Acme")
        turn = await file(assent, answer(company="Beta", staff="3"))

    assert turn.calls[0].status is CallStatus.AWAITING_APPROVAL
    assert sources(turn.pending[0]) == {}


async def test_a_suggestion_that_was_taken_and_an_own_rule_made_just_before_it_runs(
    world: World,
) -> None:
    bureau = Bureau()
    async with world(calls_what_is_said, bureau.suggesting()) as assent:
        await file(assent, answer(company="Acme"))
    async with world(calls_what_is_said, bureau.suggesting(), worker=False) as asking:
        await asking.start("agent", "file_return", by=ADA)
        async with world(calls_what_is_said, bureau.suggesting()) as worker:
            await once_asked(worker)
        await asking.decide((await only(asking)).id, answer().accepting("company"), by=ADA)
        await asking.own_rules.add(OwnRule("ask", tool="file_return"), by=ADA)
    async with world(calls_what_is_said, bureau.suggesting()) as worker:
        asked = await once_asked(worker)

    assert asked.question.reason == "You asked to be asked about calls of file_return."
    assert sources(asked) == {"company": ValueSource.SUGGESTION}
