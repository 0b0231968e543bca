"""Cutting a field to a limit: its head, its tail, and the exact count left out between them."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Generic, TypeVar

from assent.presentation.characters import is_hidden, is_mark
from assent.presentation.text import safe_block

T = TypeVar("T")
_LOOK_AHEAD = 4
_LAST_BLANKS = 200


@dataclass(frozen=True, slots=True)
class Clip:
    """A text with `hidden` characters cut from its middle; not cut if that is 0."""

    head: str
    hidden: int = 0
    tail: str = ""


@dataclass(frozen=True, slots=True)
class Selection(Generic[T]):
    """Items with `hidden` of them cut from the middle; not cut if that is 0."""

    head: Sequence[T]
    hidden: int = 0
    tail: Sequence[T] = ()


def clip(text: str, characters: int | None) -> Clip:
    """Cut the middle out of a text so that the rest, made safe, has at most `characters`."""
    if characters is None:
        return Clip(text)
    if not is_surely_longer(text, characters) and len(safe_block(text)) <= characters:
        return Clip(text)
    head = len(_fitting(text, characters - characters // 2, from_end=False))
    tail = len(text) - len(_fitting(text[head:], characters // 2, from_end=True))
    return Clip(text[:head], tail - head, text[tail:])


def is_surely_longer(text: str, characters: int) -> bool:
    """Return True if the start of a huge text, made safe, already exceeds `characters`."""
    start = text[: characters * _LOOK_AHEAD]
    if len(start) == len(text):
        return False
    if text.isascii():
        # Text after the start does not change its safe form, except for blanks at its end.
        return len(safe_block(start)) > characters + _LAST_BLANKS
    shown = sum(not (char.isspace() or is_hidden(char) or is_mark(char)) for char in start)
    return shown > characters


def select(items: Sequence[T], most: int | None) -> Selection[T]:
    """Cut the middle out of a list or object so that at most `most` items are left."""
    if most is None or len(items) <= most:
        return Selection(items)
    head, tail = most - most // 2, most // 2
    return Selection(items[:head], len(items) - head - tail, items[len(items) - tail :])


def select_lines(
    lines: Sequence[tuple[T, str]], characters: int | None
) -> Selection[tuple[T, str]]:
    """Cut the middle out of a diff so that the lines left have about `characters`."""
    if characters is None:
        return Selection(lines)
    sizes = list(accumulate(len(line) + 1 for _, line in lines))
    if not sizes or sizes[-1] <= characters:
        return Selection(lines)
    # The first and the last line always stay: each is cut by itself if it is too long.
    head = max(1, bisect_right(sizes, characters // 2))
    tail = min(len(lines) - 1, bisect_left(sizes, sizes[-1] - characters // 2))
    return Selection(lines[:head], max(0, tail - head), lines[max(head, tail) :])


def _fitting(text: str, room: int, *, from_end: bool) -> str:
    """Return as much of a text's start or end as fits once it is made safe."""
    size = min(room, len(text))
    while size:
        part = text[len(text) - size :] if from_end else text[:size]
        shown = len(safe_block(part))
        if shown <= room:
            return part
        size = min(size - 1, size * room // shown)
    return ""
