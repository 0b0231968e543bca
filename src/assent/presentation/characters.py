"""Characters: those that people would not see, the columns they take, and lines wrapped by them."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

# Printable by category, yet blank on screen: fillers, joiners, variation selectors, blank symbols.
_BLANKS = frozenset(
    map(
        chr,
        (
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x2D7F),
            *(0x303F, 0x3164, *range(0xFE00, 0xFE10), 0xFFA0, 0xFFFC, 0x16FE4, 0x1D159),
            *(0x1107F, 0x11A47, 0x11A99, 0x1DA7F, 0x1DA80, *range(0xE0000, 0xE1000)),
        ),
    )
)
# The delimiters of our own marks, and brackets that could pass for them.
_BRACKETS = frozenset("\u27e8\u27e9\u2329\u232a\u3008\u3009\u276c\u276d\u29fc\u29fd\ufe3f\ufe40")
_NAMES = {"\t": "tab", "\n": "newline", "\r": "CR", " ": "space", "\x1b": "ESC"}
# A mark, a word, or a word with the blanks before it: blanks lead the next line and stay visible.
_PIECE = re.compile(r" *(?:⟨[^⟩]*⟩|[^ ⟨]+)| +")


@lru_cache(maxsize=4096)
def is_hidden(char: str) -> bool:
    """Return True for a code point that must be named: invisible, blank, or a bracket of ours."""
    # `isprintable` is false for exactly the categories C* and Z*, except the ASCII space.
    return not char.isprintable() or char in _BLANKS or char in _BRACKETS


@lru_cache(maxsize=4096)
def is_mark(char: str) -> bool:
    """Return True for a code point that is drawn onto the one before it."""
    return unicodedata.category(char)[0] == "M"


def is_enclosing(char: str) -> bool:
    """Return True for a code point that is drawn around the one before it and may hide it."""
    return unicodedata.category(char) == "Me"


def code_point_name(char: str) -> str:
    """Return the name of a code point in a mark: `tab`, or `U+202E`."""
    return _NAMES.get(char) or f"U+{ord(char):04X}"


def counted(char: str, times: int) -> str:
    """Return a run of one code point in words: `3 spaces`, `U+200B ×500`."""
    name = code_point_name(char)
    if times == 1:
        return name
    return f"{times:,} {name}s" if name in {"space", "newline", "tab"} else f"{name} ×{times:,}"


@lru_cache(maxsize=4096)
def cells(char: str) -> int:
    """Return the number of columns that a visible code point takes in a terminal."""
    if is_mark(char) and unicodedata.category(char) != "Mc":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


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
