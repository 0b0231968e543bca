import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.domain.tools import Risk
from assent.presentation import markdown
from assent.testing.hostile import DECEPTIONS
from tests.presentation.reading import CODE_BLOCK
from tests.presentation.samples import card, hostile_card

deceptions = pytest.mark.parametrize("text", DECEPTIONS.values(), ids=DECEPTIONS)


def ours(text: str) -> str:
    """What Discord would read as Markdown: all that is outside code blocks."""
    return CODE_BLOCK.sub("", text)


def descriptions(payload) -> str:
    return "\n".join(embed["description"] for embed in payload["embeds"])


# requirement: D9, D10
# conformance: 138
@deceptions
def test_no_foreign_text_is_outside_a_code_block(text: str) -> None:
    hostile = hostile_card(f"{text}canary")

    message = ours(markdown.render(hostile).text)
    embeds = ours(descriptions(markdown.render_embeds(hostile).json()))

    for outside in (message, embeds):
        words = re.sub(r"\*\*[A-Z][A-Za-z' ]+( · DANGEROUS)?\*\*.*|Expires <t:\d+:R>", "", outside)
        assert words.strip() == ""
        assert "canary" not in outside


# requirement: D10
@settings(deadline=None)
@given(st.text(alphabet="`~a \n\r\\", max_size=60), st.text(alphabet="`a", max_size=12))
def test_nothing_closes_the_code_block_it_is_in(text: str, name: str) -> None:
    rendered = markdown.render(card({"x": f"{text}\ncanary", name: text}))

    assert "canary" not in ours(rendered.text)
    assert "`" not in ours(rendered.text).replace("`send_mail`", "")
    assert rendered.complete


# requirement: D10
def test_backticks_that_would_close_a_block_are_spelt_out_and_single_ones_stay() -> None:
    shown = markdown.render(card({"x": "`date` ```\nx"})).text

    assert "│ `date` ⟨U+0060 ×3⟩" in shown


# requirement: D9
def test_a_message_mentions_nobody_and_has_no_content_that_could() -> None:
    payload = markdown.render_embeds(card({"x": "@everyone <@1>"})).json()

    assert payload["allowed_mentions"] == {"parse": []}
    assert payload["content"] == ""


# requirement: D12
@pytest.mark.parametrize(
    ("tool", "title"),
    [
        ("send_mail", "Approval needed · `send_mail` · DANGEROUS"),
        ("**x** <@1>", "Approval needed · DANGEROUS"),
        ("x" * 500, "Approval needed · DANGEROUS"),
    ],
)
def test_a_tools_name_is_in_the_title_only_where_it_is_a_plain_one(tool: str, title: str) -> None:
    payload = markdown.render_embeds(card(tool=tool)).json()

    assert payload["embeds"][0]["title"] == title


def test_the_colour_tells_the_risk() -> None:
    colours = {
        markdown.render_embeds(card(risk=risk)).json()["embeds"][0]["color"] for risk in Risk
    }

    assert len(colours) == len(Risk)


def test_a_closed_request_does_not_expire() -> None:
    assert "Expires" in markdown.render(card()).text
    assert "Expires" not in markdown.render(card(deadline=None)).text


def test_a_line_spelt_out_longer_than_the_width_goes_on_behind_a_gutter() -> None:
    shown = markdown.render(card({"x": "``a" * 12 + "\nend"})).text

    lines = [line for line in shown.split("\n") if "0060" in line]
    assert len(lines) > 2
    assert all(re.match(r"  [│┊] ", line) for line in lines)
    assert max(map(len, lines)) <= markdown.COLUMNS
