"""Terminal output: our own words as they are, all other text behind a gutter."""

import os
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import TextIO

from assent.presentation.characters import width_of, wrapped
from assent.presentation.text import safe_block

# A narrower terminal is treated as this wide: a line must hold the gutter and a wide letter.
MIN_LINE_COLUMNS = 8
MAX_COLUMNS = 100
GUTTER = "│ "
# The left edge of a card. No other text may contain it or a character that looks like it: if a
# terminal was resized and breaks lines itself, not every line of foreign text has its gutter.
EDGE = "┃"
_EDGES = re.compile(
    "[\u2016\u2223\u2225\u239c\u239f\u23a2\u23a5\u23aa\u23ae\u23b8\u23b9\u23d0"
    "\u2501\u2503\u2505\u2507\u2509\u250b\u250d-\u250f\u2511-\u2513\u2515-\u2517"
    "\u2519-\u251b\u251d-\u2523\u2525-\u252b\u252d-\u2533\u2535-\u253b\u253d-\u2573"
    "\u2575-\u259f\u2758-\u275a\u2980\u2af4\u2af6\u2afc\u2afe\u2aff\uff5c\uffe8"
    "\U0001fb00-\U0001fbaf]"
)
_RESET = "\x1b[0m"
_CLEAR_LINE = "\r\x1b[K"
_WORD = re.compile(r" *[^ ]+| +")


class Ink(Enum):
    """The look of a piece of text."""

    PLAIN = ""
    FAINT = "\x1b[2m"
    STRONG = "\x1b[1m"
    GOOD = "\x1b[32m"
    BAD = "\x1b[31m"
    WARNING = "\x1b[1;33m"
    PROMPT = "\x1b[1;36m"


def terminal_size(out: TextIO) -> os.terminal_size:
    """Return the current size of the terminal; the environment variables may be out of date."""
    with suppress(OSError, ValueError):
        size = os.get_terminal_size(out.fileno())
        if size.columns and size.lines:
            return size
    return shutil.get_terminal_size()


def unframed(text: str) -> str:
    """Replace every character that could pass for the edge of a card."""
    return text if text.isascii() else _EDGES.sub("|", text)


def wants_colour(out: TextIO) -> bool:
    """Return True if the output takes colours; see no-color.org."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


@dataclass(slots=True)
class Screen:
    """Writes lines; all text passed to `line` is ours or was made safe before."""

    out: TextIO
    colour: bool = False
    size: Callable[[], tuple[int, int]] | None = None
    _fleeting: bool = field(default=False, init=False)

    def columns(self) -> int:
        """Return the width to write for: the terminal's, within readable limits."""
        return min(max(self._size()[0], MIN_LINE_COLUMNS), MAX_COLUMNS)

    def rows(self) -> int:
        """Return the number of lines that fit on the screen."""
        return self._size()[1]

    def _size(self) -> tuple[int, int]:
        return terminal_size(self.out) if self.size is None else self.size()

    def paint(self, text: str, ink: Ink) -> str:
        """Return the text in colour, if colours are on."""
        return f"{ink.value}{text}{_RESET}" if self.colour and ink.value and text else text

    def write(self, text: str) -> None:
        """Write text as it is, at once."""
        if self._fleeting:
            self._fleeting = False
            text = _CLEAR_LINE + text
        self.out.write(text)
        self.out.flush()

    def line(self, text: str = "", ink: Ink = Ink.PLAIN) -> None:
        """Write one line of our own; it cannot look like a line of a card."""
        self.write(self.paint(unframed(text), ink) + "\n")

    def told(self, text: str, ink: Ink = Ink.PLAIN) -> None:
        """Write a line of our own that has safe foreign text in it; the rest is behind a gutter."""
        self.line(self.folded(text), ink)

    def folded(self, text: str, *, after: str = GUTTER) -> str:
        """Return a safe line, broken where it does not fit, with the rest behind a gutter."""
        # If the terminal broke it, foreign text could begin a line that looks like one of ours.
        return f"\n{GUTTER}".join(wrapped(text, self.columns() - width_of(after)))

    def words(self, text: str, ink: Ink = Ink.PLAIN) -> None:
        """Write our own words, wrapped."""
        for line in text.split("\n"):
            for piece in wrapped(line, self.columns()):
                self.line(piece.lstrip() if piece is not line else piece, ink)

    def quote(self, text: str, ink: Ink = Ink.PLAIN) -> None:
        """Write foreign text in one piece."""
        speech = Speech(self, ink)
        speech.say(text)
        speech.end()

    def fitted(self, line: str) -> str:
        """Return as much of a safe line as fits, with a mark if there is more."""
        head, *rest = wrapped(line, self.columns() - 2)
        return f"{head} …" if rest else head

    def fleeting(self, text: str) -> None:
        """Write a line that the next one replaces; a normal line if lines cannot be replaced."""
        if not self.colour:
            self.line(text)
            return
        self.write(self.paint(unframed(text), Ink.FAINT))
        self._fleeting = True


class Speech:
    """Foreign text that arrives in pieces: made safe, wrapped, each line behind a gutter."""

    def __init__(self, screen: Screen, ink: Ink = Ink.PLAIN) -> None:
        self._screen, self._ink = screen, ink
        self._held = ""
        self._column: int | None = None

    def say(self, text: str) -> None:
        """Write more text; the last word is held back until it is whole and can be judged."""
        self._held += text
        *_, last = re.split(r"(?<=\s)(?=\S*$)", self._held)
        ready = self._held[: len(self._held) - len(last)].rstrip()
        if ready:
            self._held = self._held[len(ready) :]
            self._put(ready)

    def end(self) -> None:
        """Write the rest; the text is complete."""
        rest, self._held = self._held.rstrip(), ""
        if rest:
            self._put(rest)
        if self._column is not None:
            self._screen.line()
            self._column = None

    def _put(self, text: str) -> None:
        for number, line in enumerate(unframed(safe_block(text)).split("\n")):
            if number or self._column is None:
                self._break()
            for word in _WORD.findall(line):
                self._word(word)

    def _word(self, word: str) -> None:
        room = self._screen.columns() - len(GUTTER)
        if self._column and self._column + width_of(word) > room:
            self._break()
            word = word.lstrip(" ")
        for number, piece in enumerate(wrapped(word, room)):
            if number:
                self._break()
            self._screen.write(self._screen.paint(piece, self._ink))
            self._column = (self._column or 0) + width_of(piece)

    def _break(self) -> None:
        start = "" if self._column is None else "\n"
        self._screen.write(start + self._screen.paint(GUTTER, Ink.FAINT))
        self._column = 0
