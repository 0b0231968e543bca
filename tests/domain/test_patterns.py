"""Regular expressions of strangers, on RE2."""

from __future__ import annotations

import pytest

from assent.domain.patterns import MAX_PATTERN_CHARS, Pattern
from assent.errors import InvalidPattern


def test_a_pattern_is_found_in_a_value_or_covers_all_of_it() -> None:
    digits = Pattern("[0-9]+")
    assert digits.is_in("a1b")
    assert not digits.is_in("ab")
    assert digits.is_all_of("12")
    assert not digits.is_all_of("12\n")


def test_characters_count_not_bytes() -> None:
    assert Pattern(".").is_all_of("é")
    assert Pattern("^.{2}$").is_in("😀é")


def test_patterns_with_one_text_are_equal() -> None:
    assert Pattern("a") == Pattern("a")
    assert Pattern("a") != Pattern("b")
    assert repr(Pattern("a")) == "Pattern(text='a')"


@pytest.mark.parametrize(
    "text",
    ["(", "[", "a**", "(?=a)", "(?<!a)b", r"(a)\1", "a{1001}", r"(?i)\pL{1,500}", "\ud800",
     "a" * (MAX_PATTERN_CHARS + 1)],
    ids=lambda text: ascii(text)[:20],
)  # fmt: skip
def test_what_re2_does_not_compile_within_bounds_is_refused(
    text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(InvalidPattern) as caught:
        Pattern(text)
    assert caught.value.pattern == text
    assert len(str(caught.value)) < 300
    assert capfd.readouterr().err == ""


def test_the_cost_of_a_match_grows_with_the_program_and_the_bytes() -> None:
    small, large = Pattern("a"), Pattern("a{100}")
    assert large.size > small.size
    assert large.cost("é" * 10) == large.size * 21
