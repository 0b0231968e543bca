from hypothesis import given
from hypothesis import strategies as st

from assent.presentation.characters import width_of, wrapped
from assent.presentation.text import safe_line


@given(st.text(max_size=200), st.integers(8, 40))
def test_no_character_is_lost_by_wrapping(text: str, width: int) -> None:
    line = safe_line(text)

    assert "".join(wrapped(line, width)) == line


@given(st.text(max_size=200), st.integers(8, 40))
def test_no_piece_is_wider_than_the_line(text: str, width: int) -> None:
    assert all(width_of(piece) <= width for piece in wrapped(safe_line(text), width))


def test_a_line_breaks_before_a_blank_which_stays_visible() -> None:
    assert wrapped("one two three", 8) == ["one two", " three"]


def test_a_mark_that_fits_on_a_line_stays_in_one_piece() -> None:
    assert wrapped("abcdef⟨U+202E⟩gh", 10) == ["abcdef", "⟨U+202E⟩gh"]


def test_a_letter_keeps_its_marks_when_a_word_is_cut() -> None:
    assert wrapped("e\u0301" * 10, 4) == ["e\u0301" * 4, "e\u0301" * 4, "e\u0301" * 2]


def test_wide_characters_take_two_columns_and_marks_none() -> None:
    assert width_of("\u6771\u4eac") == 4
    assert width_of("e\u0301") == 1
