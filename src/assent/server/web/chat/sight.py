"""An estimate of screen space: what a single click decides must be visible without scrolling."""

import re
from html import unescape
from math import ceil
from typing import Final

from assent.presentation.markup import Html

# The space on a phone between a call's name and its buttons.
_MOST_LINES: Final = 18
_LINE_CHARS: Final = 36
_ENDS: Final = re.compile(r"</(?:p|dd|li|pre|div|tr|dl|ul|ol)>")
_TAGS: Final = re.compile(r"<[^>]*>")


def is_at_a_glance(shown: Html) -> bool:
    """Return True if all of it can be read without scrolling."""
    return lines_of(shown) <= _MOST_LINES


def lines_of(shown: Html) -> int:
    """Return the number of lines that it takes on a narrow screen."""
    parts = (unescape(_TAGS.sub("", part)) for part in _ENDS.split(shown))
    return sum(_lines(part) for part in parts if part.strip())


def _lines(text: str) -> int:
    return sum(max(1, ceil(len(line) / _LINE_CHARS)) for line in text.split("\n"))
