"""Text on Discord: our words stay plain, an agent's words lose nothing and link nowhere."""

import re
import time
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assent.channels.discord.markup import answer_parts, code, code_block, plain
from assent.presentation.rendering import units
from assent.testing.hostile import DECEPTIONS, is_unseen

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=3000)
MARKDOWN = st.text(st.sampled_from("`*_~|<>[]()@#:/\\ \nahtps.é🙂"), max_size=3000)
# How Discord reads a message: the first rule that fits, again and again. An escape is read before
# all code, so an escaped backtick opens none; in code a backslash is only a backslash.
RULES = [
    ("escape", re.compile(r"\\[^0-9A-Za-z\s]")),
    (
        "code",
        re.compile(r"```(?:[a-z0-9_+\-.#]+?\n)?\n*[^\n][\s\S]*?\n*```", re.IGNORECASE),
    ),
    ("code", re.compile(r"(`+)[\s\S]*?[^`]\1(?!`)")),
    ("link", re.compile(r"\[[\s\S]*?\]\(")),
    ("address", re.compile(r"(?:https?|discord)://[^\s]|<[^\s>]+:[^\s>]*>|mailto:\S")),
    ("mention", re.compile(r"<[@#]|@everyone|@here")),
    ("spoiler", re.compile(r"\|\|")),
    ("text", re.compile(r"[\s\S]")),
]


def read(message: str) -> Iterator[tuple[str, str]]:
    """Yield what Discord makes of a message: the name of the rule, and the text."""
    at = 0
    while at < len(message):
        for name, rule in RULES:
            if (found := rule.match(message, at)) is not None:
                yield name, found.group()
                at = found.end()
                break


def live(text: str) -> list[tuple[str, str]]:
    """Return what would be more than text or code in the messages of an answer."""
    found = [each for part in answer_parts(text) for each in read(part)]
    return [each for each in found if each[0] not in ("escape", "code", "text")]


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


EVIL = "[Approve here](https://evil.example/x)"


# requirement: D9
@pytest.mark.parametrize(
    "text",
    [
        f"Look: \\`{EVIL}\\` and \\`https://evil.example\\`",
        "`" + "word\n" * 500 + f"{EVIL}\nend`",
        "`" + "word " * 500 + f"{EVIL} end`",
        "https://evil.example/" + "a" * 3000,
        f"``{EVIL}`",
        f"`a`{EVIL}`b`",
        f"```\n\n```\n{EVIL}\n```\nx\n```\n{EVIL}",
        f"```\n{'x' * 1900}\n\n```\n{EVIL}\n```\n{'y' * 1900}\n```",
        f"```python\n{EVIL}",
        f"````\n```\n{EVIL}\n````\n{EVIL}",
        f"the marker ``` {EVIL}",
        f"\\```\n{EVIL}\n```",
        "\\https://evil.example",
        "\\<@1> \\\\<@1> \\[a](b) \\\\[a](b) \\||x\\||",
        f"``{'`x' * 1000}`` {EVIL}",
    ],
    ids=range(15),
)
def test_no_link_or_mention_hides_behind_code_that_is_none(text: str):
    assert live(text) == []


@given(MARKDOWN)
@example("`` ` ``https://a`")
def test_nothing_that_an_agent_writes_is_live(text: str):
    assert live(text) == []


PIECES = (EVIL, "```", "`", "``", "\\", "\n", "https://a.b", "<@1>", "||", "x" * 700, "python", " ")


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_nothing_is_live_wherever_code_and_messages_end(text: str):
    assert live(text) == []
    assert all(0 < units(part) <= 2000 for part in answer_parts(text))


def test_what_is_escaped_already_is_not_escaped_again():
    assert answer_parts(r"\<@1> \[a](b) \` \*") == [r"\<@1> \[a](b) \` \*"]
    assert answer_parts("C:\\dir [1]") == ["C:\\\\dir \\[1]"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Use ``a `b` c``.", "Use `a ⟨U+0060⟩b⟨U+0060⟩ c`."),
        ("```x = 1```", "`x = 1`"),
        ("Here: ```python\nx\n```", "Here:\n```python\nx\n```"),
        ("```\nx```\nend", "```\nx\n```\nend"),
        ("a ` b", "a \\` b"),
        ("`a`https://b", "`a` `https://b`"),
        ("```js\n``\n```", "```js\n``\n```"),
        (r"\`https://a\` and \`b\`", r"\``https://a`\` and \`b\`"),
        (r"https://a\b", r"`https://a\b`"),
    ],
    ids=range(9),
)
def test_code_is_written_so_that_discord_reads_it_as_meant(text: str, wanted: str):
    assert answer_parts(text) == [wanted]


@pytest.mark.parametrize(
    "unit", ["[", " ", "`", "\\", "\\`", "`a", "``a`", "|", "<", "http:", "```\n", "x``` y\n", "\n"]
)
def test_the_work_grows_with_the_text_and_not_with_its_square(unit: str):
    def seconds(size: int) -> float:
        text = f"{unit * (size // len(unit))}x"
        taken = list[float]()
        for _ in range(3):
            begun = time.process_time()
            answer_parts(text)
            taken.append(time.process_time() - begun)
        return min(taken)

    # Ten times as much text takes about ten times as long; a hundred times if it is the square.
    assert seconds(100_000) < 40 * max(seconds(10_000), 0.0005)
