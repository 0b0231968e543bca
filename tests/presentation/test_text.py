import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assent.presentation.text import (
    MARKS_MAX,
    NEWLINES_MAX,
    SPACES_MAX,
    fence,
    fenced,
    quoted,
    safe_block,
    safe_line,
)
from assent.testing.hostile import (
    DECEPTIONS,
    HONEST,
    MARK_FLOODS,
    PADDING,
    TROJAN_SOURCE,
    every_code_point,
    is_unseen,
)

MARK = re.compile("⟨([^⟩]*)⟩")
MARK_NAMES = {"\t": "tab", "\n": "newline", "\r": "CR", "\x1b": "ESC"}
# Letters, dots and slashes make words and hosts of whatever is between them.
NASTY = (
    "ax.-/@: \n\t\r\x1b\x80\x9b\u00a0\u00fc\u0301\u0338\u0430\u05d0\u115f\u200b\u202e\u2013\u2028"
    "\u27e8\u27e9\u3002\u3164\ud800\ufe0f\uff0e\uffa0\U000e0041"
)
WORDS = {"tab": "\t", "newline": "\n", "CR": "\r", "space": " ", "ESC": "\x1b"}


def read_back(shown: str) -> str:
    """What a careful reader makes of safe text: marks replaced by what they stand for."""
    counted = re.sub(r"(⟨[0-9,]+ newlines⟩)\n", r"\1", shown)
    return MARK.sub(lambda match: _meant(match[1]), counted)


def _meant(words: str) -> str:
    if match := re.fullmatch(r"U\+([0-9A-F]{4,6})(?: ×([0-9,]+))?", words):
        return chr(int(match[1], 16)) * int((match[2] or "1").replace(",", ""))
    if match := re.fullmatch(r"(?:([0-9,]+) )?(tab|newline|space)s?", words):
        return WORDS[match[2]] * int((match[1] or "1").replace(",", ""))
    if match := re.fullmatch(r"(CR|ESC)(?: ×([0-9,]+))?", words):
        return WORDS[match[1]] * int((match[2] or "1").replace(",", ""))
    assert words.startswith(("look-alike: ", "host ", "holds right-to-left")), words
    return ""


# requirement: D5
def test_every_code_point_that_cannot_be_seen_is_named() -> None:
    unseen = [*filter(is_unseen, every_code_point())]

    shown = safe_line("a".join(unseen))

    assert not any(map(is_unseen, set(shown)))
    named = set(MARK.findall(shown))
    assert named == {MARK_NAMES.get(char, f"U+{ord(char):04X}") for char in unseen}


# requirement: D6
@pytest.mark.parametrize("text", TROJAN_SOURCE.values(), ids=TROJAN_SOURCE)
def test_directional_text_is_spelt_out(text: str) -> None:
    shown = safe_line(text)

    assert not any(map(is_unseen, shown))
    assert "⟨" in shown


# requirement: D6
def test_a_line_with_right_to_left_letters_starts_with_a_left_to_right_remark() -> None:
    shown = safe_block("first\n\u05d0\u05d1 = 100 > 200")

    assert shown == "first\n⟨holds right-to-left text⟩\u05d0\u05d1 = 100 > 200"


# requirement: D7
@pytest.mark.parametrize("text", PADDING.values(), ids=PADDING)
@pytest.mark.parametrize("safe", [safe_line, safe_block])
def test_padding_pushes_nothing_out_of_sight(safe, text: str) -> None:
    shown = safe(text)

    assert " " * (SPACES_MAX + 1) not in shown
    assert "\n" * (NEWLINES_MAX + 1) not in shown
    assert len(shown) < 200
    assert "⟨" in shown


# requirement: D7
def test_padding_is_counted_exactly() -> None:
    assert safe_line("a" + " " * 5000 + "b") == "a⟨5,000 spaces⟩b"
    assert safe_block("a" + "\n" * 12 + "  b") == "a⟨12 newlines⟩\n  b"
    assert safe_block("a" + "\n " * 12 + "b") == "a⟨12 newlines, 11 spaces⟩\n b"
    assert safe_block("a" + "\u200b" * 500 + "b") == "a⟨U+200B ×500⟩b"


# requirement: D7
def test_lone_carriage_return_and_backspace_are_spelt_out() -> None:
    assert safe_block("rm\rls\b") == "rm⟨CR⟩ls⟨U+0008⟩"


def test_ordinary_indentation_and_blank_lines_stay_as_they_are() -> None:
    code = "def f():\n    if x:\n        return 1\n\n\nprint(f())"

    assert safe_block(code) == code


def test_spaces_at_the_end_of_a_line_are_visible() -> None:
    assert safe_block("a  \nb ") == "a⟨2 spaces⟩\nb⟨space⟩"


def test_a_mark_cannot_be_forged() -> None:
    shown = safe_line("⟨U+202E⟩")

    assert shown == "⟨U+27E8⟩U+202E⟨U+27E9⟩"


def test_marks_of_a_letter_stay_and_a_flood_of_them_is_counted() -> None:
    assert safe_line("e\u0301") == "e\u0301"
    assert safe_line("e" + "\u0301" * 300) == "e" + "\u0301" * MARKS_MAX + "⟨U+0301 ×296⟩"


@pytest.mark.parametrize("text", MARK_FLOODS.values(), ids=MARK_FLOODS)
def test_no_flood_of_marks_gets_through(text: str) -> None:
    assert re.search(r"[\u0300-\u036f]{5,}", safe_line(text)) is None


def test_a_mark_without_a_letter_cannot_be_drawn_onto_our_frame() -> None:
    assert safe_line("\u0338x") == "⟨U+0338⟩x"
    assert safe_block("a\n\u0336b") == "a\n⟨U+0336⟩b"
    assert safe_line("-\u20dd") == "-⟨U+20DD⟩"


@pytest.mark.parametrize("text", HONEST)
def test_honest_text_in_any_script_stays_as_it_is(text: str) -> None:
    assert safe_line(text) == text


@given(st.text())
def test_what_was_written_can_be_read_back(text: str) -> None:
    shown = safe_block(text)
    assume(not any("," in words and "look-alike" not in words for words in MARK.findall(shown)))

    assert read_back(shown) == text


@settings(max_examples=500)
@given(st.text(alphabet=NASTY, max_size=30))
def test_what_was_written_in_hostile_letters_can_be_read_back(text: str) -> None:
    shown = safe_block(text)
    assume(not any("," in words and "look-alike" not in words for words in MARK.findall(shown)))

    assert read_back(shown) == text


@settings(max_examples=500)
@given(st.one_of(st.text(), st.text(alphabet=NASTY), st.sampled_from(list(DECEPTIONS.values()))))
def test_a_line_is_one_line_and_all_of_it_can_be_seen(text: str) -> None:
    assert not any(map(is_unseen, safe_line(text)))


def test_what_a_remark_repeats_of_a_text_can_be_seen_too() -> None:
    assert safe_line("\x1b.\u00fc.com") == "⟨ESC⟩.\u00fc.com⟨host (no host).xn--tda.com⟩"
    assert safe_line("//\x1b\u0430b") == (
        "//⟨ESC⟩\u0430b⟨look-alike: \u0430 U+0430; host (no host)⟩"
    )


def test_a_quoted_text_shows_where_it_ends() -> None:
    assert quoted('a"b\\c\nd') == '"a\\"b\\\\c⟨newline⟩d"'


@given(st.text(alphabet='ab"\\\n', max_size=20), st.text(alphabet='ab"\\\n', max_size=20))
def test_two_texts_are_never_quoted_alike(one: str, other: str) -> None:
    assert (quoted(one) == quoted(other)) == (one == other)


# requirement: D10
@given(st.text(alphabet="`a \n\r~", max_size=60))
def test_nothing_inside_a_fence_closes_it(text: str) -> None:
    lines = re.split(r"\r\n|\n|\r", fenced(text))
    ticks = lines[0]
    closing = [
        number
        for number, line in enumerate(lines[1:], start=1)
        if re.fullmatch(rf" {{0,3}}`{{{len(ticks)},}}[ \t]*", line)
    ]

    assert closing == [len(lines) - 1]


# requirement: D10
def test_a_fence_has_at_least_three_backticks_and_more_than_any_run_inside() -> None:
    assert fence("plain") == "```"
    assert fence("a ```` b ``") == "`````"
