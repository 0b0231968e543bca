"""Every type of field in a modal of Slack: drawn as it may be, and read back as it was."""

from datetime import UTC, datetime
from typing import Any

import pytest

from assent import Field, FieldType
from assent.channels.reference import Reference
from assent.channels.replies import Fill
from assent.channels.slack.modals import ModalOrigin, form_view, values_of
from assent.domain.suggestions import Suggestion
from assent.testing.hostile import DECEPTIONS
from tests.channels.slack.blocks import view_complaints
from tests.channels.slack.entries import entry
from tests.field_samples import ANSWERS, FIELDS

REFERENCE = Reference(verb="answer", request_id="req_1", digest="0123456789ab")


def drawn(*fields: Field, **values: object) -> dict[str, Any] | None:
    fill = Fill(reference=REFERENCE, title="A form", fields=fields, values=values)
    return form_view(fill, ModalOrigin())


def entered(view: dict[str, Any]) -> dict[str, object]:
    """What comes back if nobody touches the modal."""
    blocks = [block for block in view["blocks"] if block["type"] == "input"]
    values = {each["block_id"]: {"value": entry(each["element"])} for each in blocks}
    return values_of({"state": {"values": values}})


@pytest.mark.parametrize("field", FIELDS, ids=[each.name for each in FIELDS])
def test_a_known_value_is_drawn_and_comes_back_as_it_was(field: Field) -> None:
    view = drawn(field, **{field.name: ANSWERS[field.name]})
    assert view is not None
    assert view_complaints(view) == []
    found = field.accept(entered(view)[field.name])

    if field.type is FieldType.DATETIME:
        # Slack tells the moment alone, without the zone in which it was said.
        assert datetime.fromisoformat(str(found)) == datetime.fromisoformat(ANSWERS[field.name])
    else:
        assert found == ANSWERS[field.name]


def test_an_empty_form_is_drawn_and_nothing_comes_back() -> None:
    view = drawn(*FIELDS)
    assert view is not None
    assert view_complaints(view) == []
    assert not any(each.is_given(entered(view).get(each.name)) for each in FIELDS)


def test_what_slack_cannot_show_whole_is_left_to_the_page() -> None:
    moment = Field("x", type=FieldType.DATETIME)
    assert drawn(moment, x="1999-01-01T00:00:00Z") is None
    assert drawn(Field("x", type=FieldType.CONSENT, help="x" * 2_001)) is None


ALL = (*FIELDS, Field("day", type=FieldType.DATE), Field("number", type=FieldType.NUMBER))


@pytest.mark.parametrize("field", ALL, ids=[each.name for each in ALL])
def test_hostile_texts_make_a_view_that_slack_takes_or_none(field: Field) -> None:
    for text in DECEPTIONS.values():
        known = {"items": [{"what": text}], "tags": {text: text}, "price": {"amount": text}}
        view = drawn(field, **{field.name: known.get(field.name, text)})
        assert view is None or view_complaints(view) == []


def test_a_suggestion_is_told_with_its_origin_and_not_filled_in() -> None:
    def hinted(value: str, **field: Any) -> dict[str, Any]:
        found = Suggestion(
            field="host",
            value=value,
            call_id="call_1",
            tool="connect",
            conversation_id="conv_1",
            title="Connect \u202eto it",
            at=datetime(2026, 11, 3, tzinfo=UTC),
        )
        fill = Fill(
            reference=REFERENCE,
            title="A form",
            fields=(Field("host", **field),),
            suggestions={"host": found},
        )
        view = form_view(fill, ModalOrigin())
        assert view is not None
        assert view_complaints(view) == []
        [block] = [each for each in view["blocks"] if each["type"] == "input"]
        return block

    short, long = hinted("db1", help="A host."), hinted("x" * 2_000, help="A host.")
    assert short["hint"]["text"].startswith("A host. Last time: db1 (2026-11-03, in “Connect ")
    assert "\u202e" not in short["hint"]["text"]
    assert "initial_value" not in short["element"]
    # A part of it could be mistaken for all.
    assert long["hint"]["text"] == "A host."
