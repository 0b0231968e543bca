"""Text for Discord: our words without markup, and an agent's words without links or mentions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from assent.presentation.characters import counted
from assent.presentation.rendering import units
from assent.presentation.text import mark, safe_block

MESSAGE_CHARS: Final = 2000
_SPECIAL: Final = re.compile(r"([\\`*_~|<>#@\[\]:]|^[-+])", re.MULTILINE)
_FENCE: Final = "```"
_TICK: Final = re.compile("`+")
# Discord ends a code block at the next three backticks.
_TICKS: Final = re.compile("`{2,}")
_ROWS: Final = re.compile("`{3,}")
_GAP: Final = re.compile(r"\n{4,}")
# A line that opens a code block, and the language that it may name.
_OPENING: Final = re.compile(r"([^`]*)(`{3,})([^`]*)")
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+.#-]{1,20}")
# What is not shown as it is, outside of code: an escape, backticks, an address, and whatever else
# could be a link, a mention or hidden.
_TOKEN: Final = re.compile(
    r"""(?P<escape>\\[^0-9A-Za-z\s])
    | (?P<ticks>`+)
    | (?P<address>(?:(?:https?|discord|mailto|tel)://? | mailto:)(?:[^\s<>`\\] | \\(?!`))+)
    | (?P<risky>[\\<\[] | \|{2,} | @(?=everyone|here))""",
    re.IGNORECASE | re.VERBOSE,
)
_WORD: Final = re.compile(r"\s+|\S+")
# The longest piece: every message can hold one, in a code block as well.
_PIECE_UNITS: Final = 1900
# Room for closing and opening a code block at the edge of a message.
_FENCE_CHARS: Final = 32


def plain(words: str) -> str:
    """Return text that Discord shows character by character, whatever is in it."""
    return _SPECIAL.sub(r"\\\1", words)


def code(text: str) -> str:
    """Return safe text of one line as a code span that it cannot break out of."""
    return f"`{_TICK.sub(_counted, text)}`"


def code_block(text: str) -> str:
    """Return safe text as a code block that it cannot break out of."""
    return f"{_FENCE}\n{block_text(text)}\n{_FENCE}"


def block_text(text: str) -> str:
    """Return safe text as it is written in a code block, where it may be much longer."""
    return _TICKS.sub(_counted, text)


def short(text: str, most: int) -> str:
    """Return a text of at most so many UTF-16 units; a cut is visible."""
    if units(text) <= most:
        return text
    kept = text[:most]
    while units(kept) > most - 1:
        kept = kept[:-1]
    return f"{kept}…"


def answer_parts(text: str) -> list[str]:
    """Return an agent's Markdown as messages, nothing lost: no links, mentions or hidden parts.

    The only code in them is what is written as code here, with nothing inside that could end it,
    and everything else is escaped: Discord never reads more code, or less, than was meant.
    """
    lines = text.replace("\r\n", "\n").replace("\t", "    ").split("\n")
    tidy = _GAP.sub("\n\n\n", "\n".join(line.rstrip(" ") for line in lines))
    written = [*_written(safe_block(tidy).split("\n"))]
    return [part for part in _parts(written) if part.strip()]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of a message; `block` counts the code blocks and is 0 outside, `opened` opens it."""

    text: str
    block: int = 0
    opened: str = ""


def _written(lines: Sequence[str]) -> Iterator[_Line]:
    """Yield lines as they are written in messages: code stays code, other text does nothing."""
    ends = _ends(lines)
    block, opened, ticks = 0, "", 0
    for number, line in enumerate(lines):
        if ticks:
            code_line, closes = line, _closing(line) >= ticks
            if closes:
                code_line, ticks = line.rstrip("`"), 0
            if not closes or code_line.strip():
                yield from _in_block(code_line, block, opened)
            continue
        found = _opening(line, ends[number + 1])
        if found is None:
            yield from _plain_lines(line)
            continue
        block, ticks = block + 1, len(found[2])
        if found[1].strip():
            yield from _plain_lines(found[1].rstrip())
        named = found[3].strip()
        is_language = _LANGUAGE.fullmatch(named) is not None
        opened = f"{_FENCE}{named if is_language else ''}"
        if named and not is_language:
            yield from _in_block(named, block, opened)


def _ends(lines: Sequence[str]) -> list[int]:
    """Return for each line the longest row of backticks that ends it or a later one."""
    longest = [0]
    for line in reversed(lines):
        longest.append(max(longest[-1], _closing(line)))
    return longest[::-1]


def _closing(line: str) -> int:
    return len(line) - len(line.rstrip("`"))


def _opening(line: str, end: int) -> re.Match[str] | None:
    """Return the parts of a line that opens a code block; one after other text has to end."""
    found = _OPENING.fullmatch(line)
    if found is None or not found[1].strip():
        return found
    named = found[3].strip()
    is_opening = not found[1].endswith("\\") and end >= len(found[2])
    return found if is_opening and (not named or _LANGUAGE.fullmatch(named)) else None


def _in_block(line: str, block: int, opened: str) -> Iterator[_Line]:
    for piece in [*_cut(_ROWS.sub(_counted, line))] or [""]:
        yield _Line(text=piece, block=block, opened=opened)


def _plain_lines(line: str) -> Iterator[_Line]:
    """Yield a line in as many pieces as it needs: no escape and no code is cut."""
    page, used = list[str](), 0
    for atom in _atoms(line):
        size = units(atom)
        if page and used + size > MESSAGE_CHARS - _FENCE_CHARS:
            yield _Line(text="".join(page))
            page, used = [], 0
        page.append(atom)
        used += size
    yield _Line(text="".join(page))


def _atoms(line: str) -> Iterator[str]:
    """Yield what a line is written as, in pieces that are whole."""
    ends, at, was_code = _code_ends(line), 0, False
    while (found := _TOKEN.search(line, at)) is not None:
        if found.start() > at:
            yield from _pieces(line[at : found.start()])
            was_code = False
        inside, at = _code_at(found, ends)
        for piece in _cut(_TICK.sub(_counted, inside)):
            # Two rows of backticks that touch would be one.
            yield f" {code(piece)}" if was_code else code(piece)
            was_code = True
        if not inside:
            yield _spelt(found)
            was_code = False
    yield from _pieces(line[at:])


def _code_ends(line: str) -> dict[tuple[int, int], int]:
    """Return where code ends, by the end and the length of the row of backticks before it."""
    ends, later = dict[tuple[int, int], int](), dict[int, int]()
    for found in reversed([*_TICK.finditer(line)]):
        size = len(found.group())
        # An escape takes the first of a row: the others may begin code as well.
        for length in (size, size - 1):
            if length in later:
                ends[found.end(), length] = later[length]
        later[size] = found.start()
    return ends


def _code_at(found: re.Match[str], ends: Mapping[tuple[int, int], int]) -> tuple[str, int]:
    """Return the code that begins at a token, empty if none does, and where to go on."""
    if found["address"] is not None:
        return found.group(), found.end()
    size = len(found.group())
    start = ends.get((found.end(), size)) if found["ticks"] is not None else None
    if start is None:
        return "", found.end()
    return found.string[found.end() : start], start + size


def _pieces(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        yield from _cut(found.group())


def _cut(text: str) -> Iterator[str]:
    size = _PIECE_UNITS if text.isascii() else _PIECE_UNITS // 2
    for at in range(0, len(text), size):
        yield text[at : at + size]


def _counted(found: re.Match[str]) -> str:
    return mark(counted("`", len(found.group())))


def _spelt(found: re.Match[str]) -> str:
    if found["escape"] is not None:
        return found.group()
    return "".join(f"\\{character}" for character in found.group())


def _parts(lines: Sequence[_Line]) -> Iterator[str]:
    """Yield messages: cut between lines, with code blocks closed and opened again."""
    page, used = list[_Line](), 0
    for line in lines:
        size = units(line.text) + 1
        if page and page[-1].block != line.block:
            size += _FENCE_CHARS
        if page and used + size > MESSAGE_CHARS - _FENCE_CHARS:
            yield _joined(page)
            page, used = [], 0
        page.append(line)
        used += size
    yield _joined(page)


def _joined(page: Sequence[_Line]) -> str:
    made = list[str]()
    for block, lines in groupby(page, key=lambda line: line.block):
        together = [*lines]
        text = "\n".join(line.text for line in together)
        # Discord takes the end of an empty block for the beginning of one.
        if block and text.strip():
            text = f"{together[0].opened}\n{text}\n{_FENCE}"
        made.append(text)
    return "\n".join(made)
