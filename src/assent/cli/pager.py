"""Showing a card in a frame that no foreign text can imitate, one screenful at a time."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from assent.cli.console import Console
from assent.cli.screen import EDGE, Ink

# The columns that a card's heading with the longest risk takes in its frame; a narrower terminal
# would break the line.
MIN_COLUMNS = 40
# Rows below the last line: a gap, the choices, the prompt, and the typed text.
_PROMPT_ROWS = 4
_EDGE = f"{EDGE} "


class Drawn(Protocol):
    """Something that was drawn for a certain width."""

    @property
    def text(self) -> str:
        """Its lines."""
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
            if columns >= MIN_COLUMNS:
                rendered = draw(columns - len(_EDGE))
                is_seen = await self._pages(self._framed(rendered), columns)
                if is_seen is not None:
                    return rendered if is_seen else None
                screen.line("The width of the terminal changed: from the top.", Ink.WARNING)
            elif await self._left(f"A card takes {MIN_COLUMNS} columns. Widen, Enter; q leaves"):
                return None

    def print(self, draw: Callable[[int], D]) -> D:
        """Print everything at once, for outputs without pages: a pipe, a file, a script."""
        rendered = draw(max(self.console.screen.columns(), MIN_COLUMNS) - len(_EDGE))
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
