"""Forms of ours as Discord's modals, and what comes back from them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.channels.discord.modals import entered_in, fits, modal_of
from assent.channels.discord.replies import answer_to
from assent.channels.reference import Reference
from assent.channels.replies import Ask, Button, Fill, Tell
from assent.demo.discord_sandbox.components import check_modal
from assent.demo.discord_sandbox.form_body import FormBody
from assent.demo.discord_sandbox.message_body import message_body
from assent.domain.fields import Field, FieldType, Option

REFERENCE = Reference(verb="answer", request_id="req_1", digest="0123456789ab")
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=300)


def checked(fill: Fill) -> dict[str, Any]:
    """Check a modal as Discord does."""
    body, modal = FormBody(), modal_of(fill)
    check_modal(body.root(), modal)
    body.check()
    return modal


def fill(*fields: Field, title: str = "A form", **values: object) -> Fill:
    return Fill(reference=REFERENCE, title=title, fields=fields, values=values)


# What is searched for is left to the page.
KINDS = [kind for kind in FieldType if kind is not FieldType.SEARCH]


@given(TEXTS, TEXTS, TEXTS, st.sampled_from(KINDS), TEXTS)
def test_any_field_makes_a_modal_that_discord_takes(
    title: str, label: str, more: str, kind: FieldType, value: str
):
    several = kind in (FieldType.SELECT, FieldType.MULTI_SELECT)
    options = (Option("a", label or "A"), Option("b", "B")) if several else ()
    columns = (Field("a"), Field("b")) if kind is FieldType.ROWS else ()
    field = Field(
        "x", label=label, help=more, placeholder=more, type=kind, options=options, columns=columns
    )

    checked(fill(field, title=title.strip() or "A form", x=value))


def test_what_was_known_is_filled_in_but_never_a_secret():
    modal = checked(
        fill(
            Field("host"),
            Field("mode", type=FieldType.SELECT, options=("fast", "slow")),
            Field("pin", type=FieldType.SECRET),
            Field("sure", type=FieldType.BOOLEAN),
            host="db1",
            mode="slow",
            pin="canary",
            sure=False,
        )
    )
    [host, mode, pin, sure] = [each["component"] for each in modal["components"]]

    assert host["value"] == "db1"
    assert [each["value"] for each in mode["options"] if each["default"]] == ["slow"]
    assert "canary" not in str(modal)
    assert "value" not in pin
    assert [each["label"] for each in sure["options"] if each["default"]] == ["No"]


def test_what_people_entered_comes_back_by_the_name_of_the_field():
    data = {
        "components": [
            {"type": 18, "component": {"type": 4, "custom_id": "host", "value": "db1"}},
            {"type": 18, "component": {"type": 3, "custom_id": "mode", "values": ["fast"]}},
            {"type": 18, "component": {"type": 3, "custom_id": "*tags", "values": ["a", "b"]}},
            {"type": 18, "component": {"type": 3, "custom_id": "none", "values": []}},
            {"type": 1, "components": [{"type": 4, "custom_id": "old", "value": "way"}]},
        ]
    }

    assert entered_in(data) == {
        "host": "db1",
        "mode": "fast",
        "tags": ["a", "b"],
        "none": "",
        "old": "way",
    }


@pytest.mark.parametrize("value", ["x" * 101, " padded ", "🙂" * 51])
def test_options_that_discord_cannot_carry_lead_to_the_full_review(value: str):
    unfit = fill(Field("mode", type=FieldType.SELECT, options=(value, "b")))

    assert not fits(unfit)
    assert answer_to(unfit)["type"] == 4


@pytest.mark.parametrize(("char", "times"), [("x", 4001), ("🙂", 2001)])
def test_a_text_that_a_field_cannot_hold_is_never_cut(char: str, times: int):
    long = fill(Field("text", type=FieldType.MULTILINE), text=char * times)
    answer = answer_to(long, "https://a.test/r/1")

    assert not fits(long)
    assert "does not fit" in answer["data"]["content"]
    assert "https://a.test/r/1" in str(answer["data"]["components"])


def test_a_text_is_measured_by_the_limit_of_its_own_field():
    short, secret = Field("x", max_length=3), Field("x", type=FieldType.SECRET, max_length=3)

    assert [fits(fill(short, x=value)) for value in ("abc", "abcd", "🙂🙂")] == [True, False, False]
    assert modal_of(fill(short, x="abc"))["components"][0]["component"]["value"] == "abc"
    # Secrets are not filled in, however long they are.
    assert fits(fill(secret, x="abcd"))


@given(TEXTS, st.booleans())
def test_any_words_make_an_answer_that_discord_takes(words: str, foreign: bool):
    told = answer_to(Tell(words=words * 20 or "-", is_foreign=foreign, url="https://a.test/r/1"))
    message_body(told["data"])
    asked = answer_to(Ask(words=words * 20, buttons=(Button(reference=REFERENCE, label="Go"),)))
    message_body(asked["data"])

    assert told["data"]["flags"] == asked["data"]["flags"] == 64


def test_details_full_of_backticks_fit_or_lead_to_the_full_review():
    details = "\n".join(["``x" * 20] * 20)
    shown = answer_to(Tell(words=details, is_foreign=True))["data"]
    message_body(shown)
    long = answer_to(Tell(words=details * 3, is_foreign=True, url="https://a.test/r/1"))["data"]
    message_body(long)

    assert "".join(str(each) for each in shown["embeds"]).count("⟨U+0060 ×2⟩x") == 400
    assert "too long to show here" in long["content"]
    assert "https://a.test/r/1" in str(long["components"])
