"""Text on Discord: our words stay plain, an agent's words lose nothing and link nowhere."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from assent.channels.discord.markup import answer_parts, code, code_block, plain
from assent.presentation.rendering import units
from assent.testing.hostile import DECEPTIONS, is_unseen

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=3000)
MARKDOWN = st.text(st.sampled_from("`*_~|<>[]()@#:/\\ \nahtps.é🙂"), max_size=3000)


@given(TEXTS)
@example("`*bold*` <@1> https://evil.example [a](b) # x - y")
def test_plain_words_come_back_as_they_were(words: str):
    shown = plain(words)

    assert re.sub(r"\\([^A-Za-z0-9\s])", r"\1", shown) == words or "\\" in words
    # No URL, mention or format survives.
    assert not re.search(r"(?<!\\)[`*_~|<@\[]", re.sub(r"\\\\", "", shown))
    assert not re.search(r"\w://", shown)


# requirement: D10
@given(TEXTS | MARKDOWN)
def test_a_code_block_holds_everything(text: str):
    block = code_block(text)

    assert block.startswith("```\n")
    assert "```" not in block[3:-3]
    assert "`" not in code(text)[1:-1]


@given(MARKDOWN)
@example("```python\nx = 1")
@example("x" * 9000)
@example("`" * 4000)
@example("\\" * 4001)
def test_parts_fit_and_no_word_is_lost(text: str):
    parts = answer_parts(text)

    assert all(0 < units(part) <= 2000 for part in parts)
    wanted = re.sub(r"[^ahtpsé🙂]", "", text)
    kept = re.sub(r"⟨[^⟩]*⟩", "", "".join(parts))
    assert re.sub(r"[^ahtpsé🙂]", "", kept).count("é") == wanted.count("é")


def test_code_blocks_are_closed_and_opened_again_at_the_edge_of_a_message():
    parts = answer_parts("Look:\n```python\n" + "print('x')\n" * 400 + "```\nDone.")

    assert len(parts) > 2
    assert all(part.count("```") % 2 == 0 for part in parts)
    assert all(part.startswith("```python") for part in parts[1:])
    assert parts[-1].endswith("Done.")
    assert sum(part.count("print('x')") for part in parts) == 400


def test_markdown_that_does_no_harm_stays():
    text = "# Title\n**bold** *it* `code`\n- one\n- two\n> quote"

    assert answer_parts(text) == [text]


# requirement: D5, D6, D9
def test_hostile_text_reaches_nobody_and_nothing():
    for name, text in DECEPTIONS.items():
        whole = "\n".join(answer_parts(text))
        outside = re.sub(r"```[\s\S]*?```|`[^`]*`", "", whole)
        assert not re.search(r"(?<!\\)<[@#:t]", outside), name
        assert "://" not in outside, name
        assert not re.search(r"(?<!\\)\[[^\]\n]*\]\(", outside), name
        assert not any(is_unseen(char) for char in whole if char not in " \n"), name
