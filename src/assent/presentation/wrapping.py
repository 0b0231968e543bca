"""Wrapping safe text to a width without losing a character."""

import re
from collections.abc import Iterator

from assent.presentation.characters import cells, is_mark

# A mark, a word, or a word with the blanks before it: blanks lead the next line and stay visible.
_PIECE = re.compile(r" *(?:⟨[^⟩]*⟩|[^ ⟨]+)| +")


def width_of(text: str) -> int:
    """Return the number of columns that a safe text takes."""
    return len(text) if text.isascii() else sum(map(cells, text))


def wrapped(text: str, width: int) -> list[str]:
    """Split one line of safe text into pieces of at most `width` columns, with nothing lost."""
    if width_of(text) <= width:
        return [text]
    lines, line, used = list[str](), "", 0
    for piece, size in _pieces(text, width):
        if line and used + size > width:
            lines.append(line)
            line, used = "", 0
        line, used = line + piece, used + size
    return [*lines, line]


def _pieces(text: str, width: int) -> Iterator[tuple[str, int]]:
    for match in _PIECE.finditer(text):
        piece = match.group()
        size = width_of(piece)
        if size <= width:
            yield piece, size
        else:
            yield from _cut(piece, width)


def _cut(piece: str, width: int) -> Iterator[tuple[str, int]]:
    """Split a long piece into lines; a combining mark stays with its letter."""
    part, used = "", 0
    for char in piece:
        size = cells(char)
        if part and used + size > width and not is_mark(char):
            yield part, used
            part, used = "", 0
        part, used = part + char, used + size
    yield part, used
