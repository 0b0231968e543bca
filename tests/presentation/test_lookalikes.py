import pytest

from assent.presentation.text import safe_line
from assent.testing.hostile import LOOK_ALIKES


# requirement: D8
@pytest.mark.parametrize("text", LOOK_ALIKES, ids=LOOK_ALIKES.values())
def test_a_word_that_reads_as_another_is_flagged_with_its_code_points(text: str) -> None:
    shown = safe_line(text)

    assert "⟨look-alike: " in shown
    assert "U+" in shown


# requirement: D8
def test_the_flagged_word_itself_is_not_altered() -> None:
    assert safe_line("see \u0430pple.com now") == (
        "see \u0430pple.com⟨look-alike: \u0430 U+0430; host xn--pple-43d.com⟩ now"
    )


# requirement: D8
@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("https://b\u00fccher.example/x", "xn--bcher-kva.example"),
        ("ada@b\u00fccher.example", "xn--bcher-kva.example"),
        ("\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444", "xn--e1afmkfd.xn--p1ai"),
        ("go to \u043f\u0440\u0438\u043c\u0435\u0440.com", "xn--e1afmkfd.com"),
    ],
)
def test_a_foreign_host_is_shown_in_its_ascii_form_too(text: str, host: str) -> None:
    assert f"host {host}⟩" in safe_line(text)


def test_a_foreign_file_name_in_a_path_is_no_host() -> None:
    path = "/home/ada/\u043e\u0442\u0447\u0451\u0442.pdf"

    assert safe_line(path) == path


def test_a_label_that_no_host_can_have_is_said_to_be_none() -> None:
    assert "host (no host).com" in safe_line("https://" + "\u00fc" * 100 + ".com")


def test_a_word_in_twins_is_flagged_among_ascii_words_but_not_in_prose_of_its_language() -> None:
    copy = "\u0441\u043e\u0440\u0443"
    russian = "\u0421\u043a\u0430\u0436\u0438 \u0441 \u0443\u0442\u0440\u0430"

    assert "look-alike" in safe_line(f"run {copy} now")
    assert "look-alike" not in safe_line(russian)


def test_many_suspects_are_counted_not_listed() -> None:
    word = "x" * 30 + "".join(map(chr, range(0x430, 0x43F)))

    assert safe_line(word).endswith("and 7 more⟩")
