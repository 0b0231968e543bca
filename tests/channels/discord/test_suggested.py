"""What an earlier call had, in a modal of Discord: shown to its person, and never filled in."""

from datetime import UTC, datetime
from typing import Any

from assent import Field, FieldType, UserInput, tool
from assent.channels.discord.modals import modal_of
from assent.channels.reference import Reference
from assent.channels.replies import Fill
from assent.demo.discord_sandbox.components import check_modal
from assent.demo.discord_sandbox.form_body import FormBody
from assent.domain.suggestions import Suggestion
from assent.testing import calls, says
from assent.testing.hostile import DECEPTIONS
from tests.channels.discord.company import company

REFERENCE = Reference(verb="answer", request_id="req_1", digest="0123456789ab")


def found(value: Any, title: str = "Connect to it") -> Suggestion:
    return Suggestion(
        field="x",
        value=value,
        call_id="call_1",
        tool="connect",
        conversation_id="conv_1",
        title=title,
        at=datetime(2026, 11, 3, tzinfo=UTC),
    )


def labelled(field: Field, suggestion: Suggestion) -> dict[str, Any]:
    fill = Fill(reference=REFERENCE, title="A form", fields=(field,), suggestions={"x": suggestion})
    body, modal = FormBody(), modal_of(fill)
    check_modal(body.root(), modal)
    body.check()
    return modal["components"][0]


def test_a_suggestion_is_told_with_its_origin_and_not_filled_in() -> None:
    made = labelled(Field("x", help="A host."), found("db1"))

    assert made["description"] == "A host. Last time: db1 (2026-11-03, in “Connect to it”)"
    assert "value" not in made["component"]


def test_a_suggestion_is_told_as_it_is_typed() -> None:
    money = Field("x", type=FieldType.MONEY)
    made = labelled(money, found({"amount": "12.50", "currency": "EUR"}, title=""))

    assert made["description"] == "Last time: 12.50 EUR (2026-11-03)"


def test_of_a_suggestion_that_is_too_long_nothing_is_told() -> None:
    brief, none = (
        labelled(Field("x"), found("db1", "x" * 80)),
        labelled(Field("x"), found("x" * 99)),
    )

    assert brief["description"] == "Last time: db1 (2026-11-03)"
    assert "description" not in none


def test_hostile_suggestions_are_shown_for_what_they_are() -> None:
    for text in DECEPTIONS.values():
        told = labelled(Field("x"), found(text, text)).get("description", "")
        assert told.isprintable()


async def test_a_person_sees_what_their_earlier_call_had(url: str) -> None:
    given: list[str] = []

    @tool(user_input=UserInput("Where to?", [Field("host", suggest="tool")]))
    def connect(host: str) -> str:
        """Connect."""
        given.append(host)
        return "connected"

    described = list[str | None]()
    async with company(url, connect) as place:
        for host in ("db1", "db2"):
            place.script.append(says("", calls("connect")))
            thread = await place.thread(place.mention("connect"))
            card = await place.card(thread, "answer")
            place.ada.press(card, place.button(card, "answer"))
            [control] = (await place.ada.sees_modal()).data["components"]
            described.append(control.get("description"))
            assert not control["component"].get("value")
            told = await place.answer(place.ada, place.ada.submit({"host": host}))
            assert told == "Answered."
            await place.said(thread, lambda text: text == "Done.")

    first, second = described
    assert first is None
    assert second is not None
    assert second.startswith("Last time: db1 (")
    assert given == ["db1", "db2"]
