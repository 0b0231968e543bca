"""Which value has to be typed: one that says what the call is done to, and that keys can say."""

import base64
import hashlib
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import Confirmation, Field, Hint, UserInput, schema_tool
from assent.domain.calls import Frozen
from assent.domain.confirmations import Phrase
from assent.domain.fields import FieldType
from assent.domain.tools import EffectiveTool, effective
from assent.presentation.phrases import CHARACTERS_MAX, phrase_of
from assent.presentation.text import safe_line

ANYTHING: dict[str, Any] = {"type": "object"}


def transfer(hints: dict[str, Hint] | None = None, **options: Any) -> EffectiveTool:
    async def run(_ctx: object, _arguments: object) -> None: ...

    made = schema_tool(
        "transfer",
        description="Move money.",
        parameters=ANYTHING,
        execute=run,
        requires_approval=True,
        confirmation=Confirmation.TYPED,
        hints=hints,
        **options,
    )
    return effective(made, None)


def chosen(arguments: dict[str, Any], tool: EffectiveTool | None = None) -> Phrase:
    return phrase_of("transfer", Frozen.of(arguments), tool or transfer())


NAME = Phrase(text="transfer")


# requirement: F5
@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ({"amount": 5, "account": "acct-42"}, Phrase(text="acct-42", argument="account")),
        ({"note": "x", "toAccount": 77}, Phrase(text="77", argument="toAccount")),
        ({"name": "report", "path": "/srv/x"}, Phrase(text="/srv/x", argument="path")),
        ({"file_id": "f1", "body": "long"}, Phrase(text="f1", argument="file_id")),
        ({"host": "münchen", "n": 1}, Phrase(text="münchen", argument="host")),
        ({"amount": 5, "reason": "because"}, NAME),
        ({}, NAME),
    ],
)
def test_the_value_is_what_the_call_is_aimed_at(arguments: dict[str, Any], wanted: Phrase) -> None:
    assert chosen(arguments) == wanted


def test_a_hint_says_which_value_is_significant() -> None:
    tool = transfer({"amount": Hint(significant=True)})
    assert chosen({"amount": 12.5, "account": "acct-42"}, tool) == Phrase(
        text="12.5", argument="amount"
    )


# requirement: F5
@pytest.mark.parametrize(
    "value",
    [
        "",
        True,
        None,
        ["a"],
        {"$secret": "sec_1"},
    ],
)
def test_what_is_no_target_or_should_not_be_seen_is_not_chosen(value: Any) -> None:
    assert chosen({"path": value}) == NAME


# requirement: F5
@pytest.mark.parametrize(
    "value",
    [
        " padded ",
        "two  spaces",
        "a\nb",
        "zero\u200bwidth",
        "right\u202eleft",
        "\u0430pple.com",
        "a\u0308",
        "x" * (CHARACTERS_MAX + 1),
        base64.b64encode(random.Random(7).randbytes(300)).decode(),
    ],
)
@pytest.mark.parametrize("hints", [None, {"path": Hint(significant=True)}], ids=["", "significant"])
def test_of_a_target_that_cannot_be_typed_a_check_is(
    value: str, hints: dict[str, Hint] | None
) -> None:
    phrase = chosen({"path": value, "name": "harmless"}, transfer(hints))
    check = hashlib.sha256(value.encode()).hexdigest()[:8]
    assert phrase == Phrase(text=check, argument="path", is_check=True)
    assert phrase.what == "the check of 'path'"


def test_a_secret_is_never_chosen() -> None:
    hinted = transfer({"account": Hint(secret=True, significant=True)})
    assert chosen({"account": "acct-42"}, hinted) == NAME
    form = UserInput("Which?", [Field("account", type=FieldType.SECRET)])
    assert chosen({"account": "acct-42"}, transfer(user_input=form)) == NAME


def test_without_the_tool_its_name_is_typed() -> None:
    assert phrase_of("transfer", Frozen.of({"account": "acct-42"}), None) == NAME


@given(st.text(max_size=100))
def test_what_is_to_be_typed_is_all_that_is_seen(text: str) -> None:
    try:
        frozen = Frozen.of({"path": text})
    except Exception:  # noqa: BLE001 - what intake refuses is nothing to type
        return
    phrase = phrase_of("transfer", frozen, transfer())
    assert safe_line(phrase.text) == phrase.text
    assert 0 < len(phrase.text) <= CHARACTERS_MAX
    assert phrase.is_typed(f" {phrase.text} ")
    assert not phrase.is_typed(f"{phrase.text}x")
    assert not phrase.is_typed(None)


def test_letters_may_be_composed_by_the_keyboard() -> None:
    assert Phrase(text="Zoë").is_typed("Zoe\u0308")
    assert not Phrase(text="Zoë").is_typed("zoë")
    assert not Phrase(text="ada").is_typed("")
