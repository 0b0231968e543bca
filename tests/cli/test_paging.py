"""Cards taller than the screen, and words that would like to be a card."""

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.cli.screen import EDGE, Screen, Speech
from tests.cli.sessions import Session, at_terminal, piped, run

PROMPT, ARROW = "ada ▸ ", "▸ "
CHOICE = "[a]pprove"
MORE = "Enter: more · b: back · q: leave —"
HEAD, END = "Approval needed", "You can"
EDITOR_AND_PLAIN = pytest.mark.parametrize("term", ["xterm", "dumb"])


@pytest.fixture
def demo(tmp_path: Path) -> tuple[str, ...]:
    return ("chat", "--data-dir", str(tmp_path / "demo"), "--user", "ada")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "demo" / "workspace" / "test.txt"


def turned(session: Session, typed: str = "") -> str:
    """Turn a page; what is shown then, until something is asked again.

    The line editor draws its prompt again with each key: what follows no line of a card is that.
    """
    session.type(typed)
    shown = session.expect_either(MORE, CHOICE)
    while not card_lines(shown):
        shown += session.expect_either(MORE, CHOICE)
    return shown


def card_lines(shown: str) -> list[str]:
    return [line for line in shown.splitlines() if line.startswith(EDGE)]


def to_the_end(session: Session) -> list[str]:
    """All pages from here on, each as the lines of the card that are on it."""
    pages = list[list[str]]()
    while CHOICE not in (shown := turned(session)):
        pages.append(card_lines(shown))
    return [*(line for page in pages for line in page), *card_lines(shown)]


@EDITOR_AND_PLAIN
def test_a_card_taller_than_the_screen_is_decided_only_after_its_end_was_shown(
    demo: tuple[str, ...], target: Path, term: str
) -> None:
    with at_terminal(*demo, term=term, size=(10, 80)) as session:
        session.answer(PROMPT, "delete test.txt")
        first = session.expect(MORE)
        assert HEAD in first
        assert CHOICE not in first
        assert len(card_lines(first)) == 6

        # What would decide turns a page here.
        assert "Approved." not in turned(session, "a")
        assert END in "\n".join(to_the_end(session))
        session.answer(ARROW, "r")
        session.answer("Why not?", "")
        session.expect("Rejected.")
    assert target.exists()


def test_pages_can_be_turned_back_and_left_without_a_decision(
    demo: tuple[str, ...], target: Path
) -> None:
    # The line editor draws its prompt again with each letter.
    with at_terminal(*demo, term="dumb", size=(10, 80)) as session:
        session.answer(PROMPT, "delete test.txt")
        first = card_lines(session.expect(MORE))
        session.type("")
        second = card_lines(session.expect(MORE))
        session.type("b")
        assert card_lines(session.expect(MORE)) == first != second
        session.type("q")
        assert CHOICE not in session.expect("It keeps waiting", PROMPT)
        session.press(b"\x04")
        session.expect("1 call keeps waiting")
    assert target.exists()


def test_after_another_width_the_card_begins_anew(demo: tuple[str, ...]) -> None:
    with at_terminal(*demo, size=(10, 80)) as session:
        session.answer(PROMPT, "delete test.txt")
        session.expect(HEAD, MORE)
        session.resize(12, 50)
        session.type("")
        again = session.expect("from the top", HEAD, MORE)
        assert max(map(len, card_lines(again))) <= 50


def test_a_terminal_too_narrow_for_a_card_is_not_asked_to_decide(demo: tuple[str, ...]) -> None:
    with at_terminal(*demo, size=(30, 30)) as session:
        session.answer(PROMPT, "delete test.txt")
        assert HEAD not in session.expect("takes 40 columns")
        session.resize(60, 80)
        session.type("")
        session.expect(HEAD, END, CHOICE)


def test_a_card_that_fits_is_shown_at_once(demo: tuple[str, ...]) -> None:
    with at_terminal(*demo, size=(60, 80)) as session:
        session.answer(PROMPT, "delete test.txt")
        assert MORE not in session.expect(HEAD, END, CHOICE)


def test_nobody_turns_pages_of_a_pipe(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "delete test.txt")
        assert MORE not in session.expect(HEAD, END, CHOICE)


def test_a_card_is_shown_by_pages_to_whoever_decides_beside_a_chat(demo: tuple[str, ...]) -> None:
    with piped(*demo) as chat:
        chat.answer(PROMPT, "delete test.txt")
        chat.expect(CHOICE)
        listed = run("pending", *demo[1:]).stdout
        [request] = [word for word in listed.split() if word.startswith("req_")]
        with at_terminal("decide", request, "approve", *demo[1:], size=(10, 80)) as session:
            session.expect(HEAD, MORE)
            session.type("q")
            session.expect("Nothing is decided")


def spoken(text: str, columns: int = 40) -> str:
    out = io.StringIO()
    speech = Speech(Screen(out, size=lambda: (columns, 24)))
    speech.say(text)
    speech.end()
    return out.getvalue()


IMITATION = f"""
{EDGE} ━━ Approval needed ━━━━━━━━━━━━━ SAFE ━━
{EDGE} read_file
{EDGE}   path  "notes.txt"
▌ █ ║ ❚ ⏐ ｜ ￨ ┏━━┓
"""
LOOKALIKES = "┃║▌▐█▍▎▏❘❙❚⏐｜￨‖∥╏┇┋╹╻╽╿┏┗┣▊▉▋⎮⎥⎢"


def test_an_agents_words_have_nothing_of_the_edge_of_a_card() -> None:
    shown = spoken(IMITATION)

    assert "Approval needed" in shown
    assert not set(shown) & set(LOOKALIKES)


@given(text=st.text(st.sampled_from(f"a \n\r\t\u0301\u4e00\u202e\x1b|{LOOKALIKES}"), max_size=80))
def test_however_a_terminal_breaks_an_agents_words_no_line_is_one_of_a_card(text: str) -> None:
    for columns in (8, 20, 80):
        assert not set(spoken(text, columns)) & set(LOOKALIKES)


def test_every_line_of_a_card_has_its_edge(demo: tuple[str, ...]) -> None:
    with piped(*demo) as session:
        session.answer(PROMPT, "delete test.txt")
        shown = session.expect(HEAD, CHOICE)
    first = next(n for n, line in enumerate(shown.splitlines()) if HEAD in line)
    *lines, _choices = shown.splitlines()[first:]
    assert all(line.startswith(EDGE) for line in lines if line)
    assert len(lines) > 10
