import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.presentation.text import safe_block
from assent.presentation.truncation import clip, is_surely_longer, select, select_lines


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


# requirement: D3
@settings(max_examples=500)
@given(
    st.lists(
        st.sampled_from(
            ["a", "word ", " " * 40, "\n" * 9, "\t", "\u0430", "\u200b" * 30, "e\u0301"]
        ),
        max_size=60,
    ).map("".join),
    st.integers(1, 60),
)
def test_a_text_that_fits_is_never_called_too_long(text: str, room: int) -> None:
    if is_surely_longer(text * 8, room):
        assert len(safe_block(text * 8)) > room


def test_a_huge_text_is_known_to_be_too_long_by_its_start() -> None:
    assert is_surely_longer("lorem ipsum; " * 20_000, 2_000)
    assert is_surely_longer("\u041f\u0440\u0438\u0432\u0435\u0442 " * 20_000, 2_000)
    assert not is_surely_longer(" " * 200_000, 2_000)
