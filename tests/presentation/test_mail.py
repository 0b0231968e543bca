"""What mails do beyond what every surface does: nothing in them loads or links."""

import re

import pytest

from assent.domain.canonical import Json
from assent.domain.cards import Verb
from assent.domain.fields import Field, FieldType
from assent.presentation import mail
from assent.presentation.mail_values import inert
from assent.presentation.markup import marked
from assent.presentation.text import safe_line
from assent.testing.hostile import DECEPTIONS
from tests.presentation.reading import Document, document
from tests.presentation.samples import Blank, card, hostile_card
from tests.presentation.test_surfaces import full_card

deceptions = pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)

TAGS = {
    *("div", "h1", "h2", "p", "b", "span", "table", "tr", "td", "code", "pre", "bdi", "mark"),
}
ATTRIBUTES = {"class", "style", "dir", "role", "colspan"}


class Outside(Document):
    """The text that no `bdi` isolates: all of it should be ours."""

    def handle_data(self, data: str) -> None:
        if "bdi" not in self.open:
            super().handle_data(data)


# requirement: D9
# conformance: 138
@deceptions
def test_markup_in_any_slot_stays_text(text: str) -> None:
    parsed = document(mail.render(hostile_card(text)).text)

    assert set(parsed.tags) <= TAGS
    assert {name for _, name, _ in parsed.attributes} <= ATTRIBUTES
    assert parsed.others == []


# requirement: D6
@deceptions
def test_all_foreign_text_is_isolated(text: str) -> None:
    parsed = Outside()
    parsed.feed(mail.render(hostile_card(f"{text}\ncanary")).text)

    assert not any("canary" in ours for ours in parsed.texts)


# requirement: D9
@pytest.mark.parametrize(
    "text",
    [
        *("https://evil.test/?q=1", "http://evil", "ftp://x", "www.evil.com", "evil.com"),
        *("ada@example.com", "mailto:ada@example.com", "a.b.c.evil.co.uk/path"),
    ],
)
def test_no_piece_of_text_is_long_enough_for_a_link(text: str) -> None:
    shown = inert(safe_line(text))

    pieces = re.split("<[^>]*>", shown)
    assert "".join(pieces) == text
    for piece in pieces:
        assert not re.search(r"\w://\w|\w\.[a-z]|\w@\w", piece)


# requirement: D9
@deceptions
def test_an_unlinked_text_reads_as_it_was(text: str) -> None:
    safe = safe_line(text)

    assert "".join(document(inert(safe)).texts) == safe
    assert "".join(document(marked(safe)).texts) == safe


def test_styles_load_nothing() -> None:
    for _, name, value in document(mail.render(full_card()).text).attributes:
        if name == "style":
            assert value
            assert "url(" not in value
            assert "expression" not in value


# requirement: D3
def test_a_card_of_which_not_even_the_outline_fits_is_only_named() -> None:
    rendered = mail.render(card({"x": 1}, tool="t" * 500), most=10)

    assert [choice.verb for choice in rendered.choices] == [Verb.REVIEW]
    shown = "".join(document(rendered.text).texts)
    assert "440 characters not shown" in shown
    assert "1 argument, and more than fits into a mail" in shown


def test_many_changes_and_options_are_cut_before_they_are_drawn() -> None:
    options = [f"option {number}" for number in range(2_000)]
    blank = Blank(field=Field("region", type=FieldType.SELECT, options=options))

    rendered = mail.render(card({"x": "short"}, blanks=(blank,)))

    shown = "".join(document(rendered.text).texts)
    assert "options not shown" in shown
    assert '"short"' in shown
    assert not rendered.complete


def test_what_is_deep_is_shown_as_json_so_that_it_fits_a_phone() -> None:
    deep: dict[str, Json] = {"a": {"b": {"c": {"d": ["x" * 200, "y"]}}}}

    parsed = document(mail.render(card(deep)).text)

    assert any('{"d": ["xxx' in "".join(block) for block in parsed.blocks)
