"""A screen and a keyboard together: questions with a few answers, and cards page by page.

A card is shown in a frame that no foreign text can imitate.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from assent.cli.keyboard import Keyboard
from assent.cli.screen import EDGE, Ink, Screen
from assent.errors import ConfirmationRequired
from assent.presentation.text import safe_line

ARROW = "▸ "
# The columns that a card's heading with the longest risk takes in its frame; a narrower terminal
# would break the line.
CARD_COLUMNS = 40
# Rows below the last line: a gap, the choices, the prompt, and the typed text.
_PROMPT_ROWS = 4
_EDGE = f"{EDGE} "


@dataclass(frozen=True, slots=True)
class MenuKey:
    """One answer to choose: its letter, and the words that contain the letter."""

    letter: str
    words: str

    @property
    def label(self) -> str:
        """The words with their letter marked: `[a]pprove`."""
        before, letter, after = self.words.partition(self.letter)
        return f"{before}[{letter}]{after}"

    def is_meant(self, typed: str) -> bool:
        """Return True if the typed text is the letter or the words."""
        return typed.strip().lower() in (self.letter, self.words)


@dataclass(frozen=True, slots=True)
class Console:
    """The screen and the keyboard of one person."""

    screen: Screen
    keyboard: Keyboard

    @property
    def is_interactive(self) -> bool:
        """True if a person sits at a terminal, who sees the output and can turn pages."""
        return self.screen.out.isatty() and self.keyboard.is_terminal

    async def choose(self, keys: Sequence[MenuKey], remark: str = "") -> MenuKey:
        """Ask until one of the keys is typed, by letter or words; an empty line asks again."""
        labels = "  ".join(key.label for key in keys)
        while True:
            room = self.screen.columns() - len(labels)
            self.screen.write(self.screen.paint(labels, Ink.STRONG))
            fits = len(remark) + 2 < room
            self.screen.line(remark.rjust(room) if fits else "", Ink.FAINT)
            typed = await self.keyboard.ask(ARROW, deciding=True)
            for key in keys:
                if key.is_meant(typed):
                    return key
            letters = ", ".join(key.letter for key in keys)
            self.screen.line(f"Nothing is decided yet. Type one of {letters}.", Ink.WARNING)

    async def retyped(self, error: ConfirmationRequired) -> str:
        """Ask the person to type the value that confirms an approval; Ctrl-C gives up."""
        if error.typed:
            self.screen.line("That is not it. Compare it letter by letter.", Ink.BAD)
        kind = "check" if error.is_check else "value"
        what = f"the {kind} of {safe_line(error.argument)}" if error.argument else "the tool's name"
        self.screen.words(f"To approve this, type {what}; Ctrl-C goes back.", Ink.WARNING)
        self.screen.quote(error.to_type)
        return await self.keyboard.ask(ARROW, deciding=True)

    async def is_sure(self, question: str) -> bool:
        """Return True if the person types the whole word `yes`; nothing shorter counts."""
        self.screen.words(question, Ink.WARNING)
        typed = await self.keyboard.ask(f"Type yes to go on {ARROW}", deciding=True)
        if typed.strip().lower() == "yes":
            return True
        self.screen.line("Not done: that was not yes.", Ink.FAINT)
        return False


class Drawn(Protocol):
    """Text that was laid out for one width."""

    @property
    def text(self) -> str:
        """The lines, joined by line breaks."""
        ...


D = TypeVar("D", bound=Drawn)


@dataclass(frozen=True, slots=True)
class Drawing:
    """Lines that are not the card of a request, for example an edit of one."""

    text: str


@dataclass(frozen=True, slots=True)
class Pager:
    """Shows cards; a person is asked to decide only after the last line was on the screen."""

    console: Console

    async def show(self, draw: Callable[[int], D]) -> D | None:
        """Show what `draw` returns for a width; None if the person left before its end."""
        screen = self.console.screen
        if not self.console.is_interactive:
            return self.print(draw)
        while True:
            columns = screen.columns()
            if columns >= CARD_COLUMNS:
                rendered = draw(columns - len(_EDGE))
                is_seen = await self._pages(self._framed(rendered), columns)
                if is_seen is not None:
                    return rendered if is_seen else None
                screen.line("The width of the terminal changed: from the top.", Ink.WARNING)
            elif await self._left(f"A card takes {CARD_COLUMNS} columns. Widen, Enter; q leaves"):
                return None

    def print(self, draw: Callable[[int], D]) -> D:
        """Print everything at once, for outputs without pages: a pipe, a file, a script."""
        rendered = draw(max(self.console.screen.columns(), CARD_COLUMNS) - len(_EDGE))
        self._put(self._framed(rendered))
        return rendered

    def _framed(self, rendered: Drawn) -> list[str]:
        edge = self.console.screen.paint(_EDGE, Ink.STRONG)
        return [f"{edge}{line}".rstrip() for line in rendered.text.rstrip("\n").split("\n")]

    def _put(self, lines: list[str]) -> None:
        self.console.screen.write("".join(f"{line}\n" for line in lines))

    async def _pages(self, lines: list[str], columns: int) -> bool | None:
        """Show page after page; False if the person left, None if the width has changed."""
        screen, start = self.console.screen, 0
        while True:
            room = max(screen.rows() - _PROMPT_ROWS, 1)
            self._put(lines[start : start + room])
            after = start + room
            if after >= len(lines):
                return True
            typed = await self._turned(
                f"— {after}/{len(lines)} · Enter: more · b: back · q: leave —"
            )
            if typed == "q":
                return False
            if screen.columns() != columns:
                return None
            start = max(start - room, 0) if typed == "b" else after

    async def _turned(self, prompt: str) -> str:
        # Keys that were typed ahead turn no page, because the page has not been read yet.
        typed = await self.console.keyboard.ask(f"{prompt} ", deciding=True)
        return typed.strip().lower()

    async def _left(self, prompt: str) -> bool:
        return await self._turned(prompt) == "q"
