"""How long an answer is kept, in modals of Discord: the choice of its owner."""

from typing import Any

import pytest

from assent import Audience, Field, FieldType, Person, PersonKind, UserInput, schema_tool
from assent.demo.discord_sandbox import Interaction, Message
from assent.demo.discord_sandbox.interactions import InteractionType
from assent.domain.fields import ShowIf
from assent.domain.tools import Tool
from assent.testing import calls, says
from tests.channels.discord.company import Company, company
from tests.channels.discord.stage import buttons_of

ADA = Person("ada")


def filing(*fields: Field) -> Tool:
    """A tool whose form people may keep the answers to."""
    named: Any = {each.name: {"type": "string"} for each in fields}

    async def execute(_context: Any, arguments: dict[str, Any]) -> str:
        return " ".join(map(str, arguments.values()))

    return schema_tool(
        "file",
        description="File it.",
        parameters={"type": "object", "properties": named},
        execute=execute,
        user_input=UserInput("Who files it?", fields, save="person"),
        requires_approval=False,
        # Who answers where a program owns the conversation.
        approvers=Audience.of("ops"),
    )


async def asked(place: Company) -> Message:
    """The card of a form that waits."""
    place.script.append(says("", calls("file")))
    return await place.card(await place.thread(place.mention("file it")), "answer")


async def opened(place: Company, message: Message) -> list[dict[str, Any]]:
    """The controls of the modal that the first button of a message opens."""
    place.ada.press(message, buttons_of(message)[0])
    modal = await place.ada.sees_modal()
    return [each["component"] for each in modal.data["components"]]


async def preferences(place: Company) -> dict[str, Any]:
    found = await place.assent.people.preferences.of(ADA)
    return {each.row.name: each.row.value for each in found}


def names(controls: list[dict[str, Any]]) -> list[str]:
    return [each["custom_id"] for each in controls]


def forged(place: Company, values: dict[str, str]) -> Interaction:
    """Submit the open modal with values that no client would send."""
    modal = place.ada.modal
    assert modal is not None
    opener = modal.opener
    controls: list[dict[str, Any]] = [
        {"type": 4, "custom_id": "company", "value": values["company"]},
        {"type": 3, "custom_id": "keep", "values": [values["keep"]]},
    ]
    data = {
        "custom_id": modal.custom_id,
        "components": [{"type": 18, "component": each} for each in controls],
    }
    return place.sandbox.interactions.open(
        InteractionType.MODAL_SUBMIT, place.ada.user, opener.channel, data, opener.message
    )


@pytest.mark.parametrize("keep", [None, "once", "person"])
async def test_the_owner_of_a_conversation_chooses(url: str, keep: str | None) -> None:
    async with company(url, filing(Field("company"))) as place:
        _, choice = await opened(place, await asked(place))
        [request] = await place.pending()
        told = [(each["label"], each["default"]) for each in choice["options"]]
        chosen = {} if keep is None else {"keep": keep}
        sent = place.ada.submit({"company": "Acme", **chosen})
        assert await place.answer(place.ada, sent) == "Answered."
        await place.assent.wait(request.turn_id)
        place.script.append(says("", calls("file")))
        turn = await place.assent.send(
            "agent", "file it", by=ADA, conversation_id=request.conversation_id
        )
        kept = await preferences(place)

    assert told == [
        ("Only this time", False),
        ("For this conversation", True),
        ("For all my conversations", False),
    ]
    assert kept == ({"company": "Acme"} if keep == "person" else {})
    assert bool(turn.pending) is (keep == "once")


async def test_where_a_modal_is_full_the_choice_has_one_of_its_own(url: str) -> None:
    many = [Field(f"line_{number}") for number in range(5)]
    async with company(url, filing(*many)) as place:
        assert names(await opened(place, await asked(place))) == [each.name for each in many]
        sent = place.ada.submit({each.name: each.name for each in many})
        assert await place.answer(place.ada, sent) == "Kept. One question is left:"
        assert sent.original is not None
        assert names(await opened(place, sent.original)) == ["keep"]
        assert await place.answer(place.ada, place.ada.submit({"keep": "person"})) == "Answered."
        kept = await preferences(place)

    assert kept == {each.name: each.name for each in many}


async def test_the_choice_is_in_the_modal_that_turns_out_to_be_the_last(url: str) -> None:
    fields = [
        Field("login", type=FieldType.SELECT, options=("key", "password")),
        Field("password", show_if=ShowIf("login", "password")),
        Field("host"),
        Field("hint", show_if=ShowIf("login", "password")),
    ]
    async with company(url, filing(*fields)) as place:
        assert names(await opened(place, await asked(place))) == ["login"]
        sent = place.ada.submit({"login": "key"})
        await place.answer(place.ada, sent)
        assert sent.original is not None
        assert names(await opened(place, sent.original)) == ["host", "keep"]
        done = place.ada.submit({"host": "db1", "keep": "person"})
        assert await place.answer(place.ada, done) == "Answered."
        kept = await preferences(place)

    assert kept == {"login": "key", "host": "db1"}


async def test_a_field_of_the_tool_may_have_any_name(url: str) -> None:
    fields = [Field("keep"), Field("keep_0")]
    async with company(url, filing(*fields)) as place:
        assert names(await opened(place, await asked(place))) == ["keep", "keep_0", "keep_1"]
        sent = place.ada.submit({"keep": "a", "keep_0": "b", "keep_1": "person"})
        assert await place.answer(place.ada, sent) == "Answered."
        kept = await preferences(place)

    assert kept == {"keep": "a", "keep_0": "b"}


async def test_a_choice_that_was_not_offered_is_refused(url: str) -> None:
    async with company(url, filing(Field("company"))) as place:
        await opened(place, await asked(place))
        sent = forged(place, {"company": "Acme", "keep": "forever"})
        told = await place.answer(place.ada, sent)
        waits = await place.pending()
        kept = await preferences(place)

    assert "Nothing was decided yet.\nKeep these answers:" in told
    assert len(waits) == 1
    assert kept == {}


async def test_nobody_but_the_owner_keeps_anything(url: str) -> None:
    async with company(url, filing(Field("company"))) as place:
        place.script.append(says("", calls("file")))
        program = Person("robot", kind=PersonKind.SERVICE)
        turn = await place.assent.start("agent", "file it", by=program)
        shown = names(await opened(place, await place.card(place.room, "answer")))
        sent = forged(place, {"company": "Acme", "keep": "person"})
        assert await place.answer(place.ada, sent) == "Answered."
        await place.assent.wait(turn)
        kept = await preferences(place)

    assert shown == ["company"]
    assert kept == {}
