import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.presentation.elision import clip, select, select_lines
from assent.presentation.text import safe_block


# requirement: D4
@given(st.text(max_size=300), st.integers(0, 120))
def test_head_hidden_and_tail_account_for_every_character(text: str, room: int) -> None:
    cut = clip(text, room)

    middle = text[len(cut.head) : len(text) - len(cut.tail)]
    assert text.startswith(cut.head)
    assert text.endswith(cut.tail)
    assert cut.hidden == (len(middle) if cut.tail or cut.head != text else 0)


@given(st.text(max_size=300), st.integers(0, 120))
def test_what_is_left_fits_with_its_escapes(text: str, room: int) -> None:
    cut = clip(text, room)

    assert len(safe_block(cut.head)) + len(safe_block(cut.tail)) <= room


def test_a_text_that_fits_is_not_cut() -> None:
    assert clip("x" * 100, 100).hidden == 0
    assert clip("x" * 100_000, None).hidden == 0


def test_padding_that_is_counted_anyway_needs_no_cut() -> None:
    assert clip("a" + " " * 100_000 + "b", 100).hidden == 0


@pytest.mark.parametrize("most", [0, 1, 2, 7])
def test_items_are_cut_in_the_middle_and_counted(most: int) -> None:
    chosen = select(range(10), most)

    assert len(chosen.head) + len(chosen.tail) == most
    assert chosen.hidden == 10 - most
    assert [*chosen.head, *chosen.tail] == [*range(10)][: most - most // 2] + [*range(10)][
        10 - most // 2 :
    ]


@given(st.lists(st.text(max_size=30), max_size=20), st.integers(0, 200))
def test_lines_of_a_diff_are_shown_or_counted(lines: list[str], characters: int) -> None:
    numbered = [*enumerate(lines)]

    chosen = select_lines(numbered, characters)

    assert len(chosen.head) + chosen.hidden + len(chosen.tail) == len(lines)
    assert [*chosen.head] == numbered[: len(chosen.head)]
    assert [*chosen.tail] == numbered[len(lines) - len(chosen.tail) :]
