"""Every type of field in a modal of Discord: drawn as it may be, and read back as it was."""

from typing import Any

import pytest

from assent import Field, FieldType
from assent.channels.discord.modals import entered_in, fits, modal_of
from assent.channels.reference import Reference
from assent.channels.replies import Fill
from assent.demo.discord_sandbox.components import check_modal
from assent.demo.discord_sandbox.form_body import FormBody
from assent.testing.hostile import DECEPTIONS
from tests.field_samples import ANSWERS, FIELDS

REFERENCE = Reference(verb="answer", request_id="req_1", digest="0123456789ab")


def fill(*fields: Field, **values: object) -> Fill:
    return Fill(reference=REFERENCE, title="A form", fields=fields, values=values)


def untouched(modal: dict[str, Any]) -> dict[str, object]:
    """What comes back if nobody touches the modal."""
    components = [dict(each["component"]) for each in modal["components"]]
    for each in components:
        if "options" in each:
            each["values"] = [one["value"] for one in each["options"] if one["default"]]
    return entered_in({"components": [{"component": each} for each in components]})


@pytest.mark.parametrize("field", FIELDS, ids=[each.name for each in FIELDS])
def test_a_known_value_is_drawn_and_comes_back_as_it_was(field: Field) -> None:
    filled = fill(field, **{field.name: ANSWERS[field.name]})
    assert fits(filled)
    body, modal = FormBody(), modal_of(filled)
    check_modal(body.root(), modal)
    body.check()

    assert field.accept(untouched(modal)[field.name]) == ANSWERS[field.name]


def test_a_text_to_agree_to_is_never_cut() -> None:
    assert not fits(fill(Field("x", type=FieldType.CONSENT, label="x" * 46)))
    assert not fits(fill(Field("x", type=FieldType.CONSENT, help="x" * 101)))


def test_many_countries_are_written_and_few_are_chosen() -> None:
    many, few = modal_of(
        fill(Field("a", type=FieldType.COUNTRY), Field("b", type=FieldType.COUNTRY, options=["DE"]))
    )["components"]
    assert "options" not in many["component"]
    assert [each["label"] for each in few["component"]["options"]] == ["Germany"]


@pytest.mark.parametrize("field", FIELDS, ids=[each.name for each in FIELDS])
def test_hostile_texts_make_a_modal_that_discord_takes_or_none(field: Field) -> None:
    for text in DECEPTIONS.values():
        known = {"items": [{"what": text}], "tags": {text: text}, "price": {"amount": text}}
        filled = fill(field, **{field.name: known.get(field.name, text)})
        if fits(filled):
            body, modal = FormBody(), modal_of(filled)
            check_modal(body.root(), modal)
            body.check()
