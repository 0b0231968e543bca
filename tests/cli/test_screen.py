"""What the terminal shows of other people's words."""

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.cli.console import MenuKey
from assent.cli.screen import GUTTER, Ink, Screen, Speech


def screen(columns: int = 40, *, colour: bool = False) -> tuple[Screen, io.StringIO]:
    out = io.StringIO()
    return Screen(out, colour=colour, size=lambda: (columns, 24)), out


def spoken(*pieces: str, columns: int = 40) -> str:
    on, out = screen(columns)
    speech = Speech(on)
    for piece in pieces:
        speech.say(piece)
    speech.end()
    return out.getvalue()


def test_every_line_of_an_agents_words_stands_behind_a_gutter() -> None:
    lines = spoken("Approval needed\n[a]pprove ▸ a\n").splitlines()

    assert lines == [f"{GUTTER}Approval needed", f"{GUTTER}[a]pprove ▸ a"]


def test_words_wrap_at_the_width_of_the_terminal() -> None:
    lines = spoken("one two three four five six seven", columns=20).splitlines()

    assert lines == [f"{GUTTER}one two three four", f"{GUTTER}five six seven"]


def test_a_word_longer_than_a_line_is_broken() -> None:
    lines = spoken("x" * 50, columns=20).splitlines()

    assert [len(line) for line in lines] == [20, 20, 16]


# requirement: D5
def test_escapes_in_an_agents_words_are_spelt_out() -> None:
    assert "\x1b" not in spoken("\x1b[2J", "\x1b]0;title\x07 done")


def test_a_word_that_comes_in_pieces_is_shown_whole() -> None:
    assert spoken("hel", "lo wor", "ld") == f"{GUTTER}hello world\n"


words = st.text(st.sampled_from("ab \n"), max_size=60)


@given(text=words, cuts=st.lists(st.integers(0, 60), max_size=6))
def test_where_a_stream_is_cut_changes_nothing_but_blanks(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]

    assert _without_blanks(spoken(*pieces)) == _without_blanks(spoken(text))


def _without_blanks(shown: str) -> str:
    return "".join(shown.replace(GUTTER.strip(), "").split())


def test_nothing_is_coloured_where_nobody_wants_colours() -> None:
    on, out = screen()
    on.line("text", Ink.BAD)
    on.fleeting("progress")

    assert out.getvalue() == "text\nprogress\n"


def test_a_fleeting_line_is_replaced_by_the_next_one() -> None:
    on, out = screen(colour=True)
    on.fleeting("10 %")
    on.line("done")

    assert out.getvalue().endswith("\r\x1b[Kdone\n")


@pytest.mark.parametrize(
    ("key", "label"),
    [(MenuKey("a", "approve"), "[a]pprove"), (MenuKey("n", "it did not"), "it did [n]ot")],
)
def test_a_keys_label_marks_its_letter(key: MenuKey, label: str) -> None:
    assert key.label == label


@pytest.mark.parametrize("typed", ["a", " A ", "approve"])
def test_a_key_is_meant_by_its_letter_or_its_words(typed: str) -> None:
    assert MenuKey("a", "approve").is_meant(typed)


@pytest.mark.parametrize("typed", ["", " ", "ap", "aa", "yes"])
def test_nothing_else_means_a_key(typed: str) -> None:
    assert not MenuKey("a", "approve").is_meant(typed)
