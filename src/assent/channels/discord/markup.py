"""Text for Discord: our words without markup, and an agent's words without links or mentions."""

import re
from collections.abc import Iterator
from typing import Final

from assent.presentation.characters import counted
from assent.presentation.rendering import units
from assent.presentation.text import mark, safe_block

MESSAGE_CHARS: Final = 2000
_SPECIAL: Final = re.compile(r"([\\`*_~|<>#@\[\]:]|^[-+])", re.MULTILINE)
# What Discord shows as it is: code blocks and code spans.
_CODE: Final = re.compile(r"```[\s\S]*?```|(`+)(?!`)[\s\S]*?[^`]\1(?!`)")
_URL: Final = re.compile(
    r"(?:https?|discord|mailto|tel)://?[^\s<>`]+|mailto:[^\s<>`]+", re.IGNORECASE
)
_RISKY: Final = re.compile(r"<|\|\||\[(?=[^\]\n]*\]\()|@(?=everyone|here)")
_FENCE: Final = "```"
_TICK: Final = re.compile("`+")
# Discord ends a code block at the next three backticks.
_TICKS: Final = re.compile("`{2,}")
_TRAILING: Final = re.compile(r"[ \t]+$", re.MULTILINE)
_GAP: Final = re.compile(r"\n{4,}")
# Room for closing and opening a code block at the edge of a message.
_FENCE_CHARS: Final = 24


def plain(words: str) -> str:
    """Return text that Discord shows character by character, whatever is in it."""
    return _SPECIAL.sub(r"\\\1", words)


def code(text: str) -> str:
    """Return safe text of one line as a code span that it cannot break out of."""
    return f"`{_TICK.sub(_counted, text)}`"


def code_block(text: str) -> str:
    """Return safe text as a code block that it cannot break out of."""
    return f"{_FENCE}\n{_TICKS.sub(_counted, text)}\n{_FENCE}"


def short(text: str, most: int) -> str:
    """Return a text of at most so many UTF-16 units; a cut is visible."""
    if units(text) <= most:
        return text
    kept = text[:most]
    while units(kept) > most - 1:
        kept = kept[:-1]
    return f"{kept}…"


def answer_parts(text: str) -> list[str]:
    """Return an agent's Markdown as messages, nothing lost: no links, mentions or hidden parts."""
    tidy = _GAP.sub("\n\n\n", _TRAILING.sub("", text.replace("\r\n", "\n").replace("\t", "    ")))
    return [part for part in _parts(_inert(safe_block(tidy))) if part.strip()]


def _inert(text: str) -> str:
    """Return Markdown whose code stays code, and whose other text links to nothing."""
    made, end = list[str](), 0
    for found in _CODE.finditer(text):
        made += [_harmless(text[end : found.start()]), found.group()]
        end = found.end()
    return "".join((*made, _harmless(text[end:])))


def _harmless(text: str) -> str:
    made, end = list[str](), 0
    for found in _URL.finditer(text):
        before = text[end : found.start()]
        made += [_RISKY.sub(_spelt, before), code(found.group())]
        end = found.end()
    return "".join((*made, _RISKY.sub(_spelt, text[end:])))


def _counted(found: re.Match[str]) -> str:
    return mark(counted("`", len(found.group())))


def _spelt(found: re.Match[str]) -> str:
    return "".join(f"\\{character}" for character in found.group())


def _parts(text: str, most: int = MESSAGE_CHARS) -> Iterator[str]:
    """Yield messages: cut between lines if possible, with code blocks closed and opened again."""
    page, used, opened = list[str](), 0, ""
    for line in _lines(text, most - _FENCE_CHARS):
        size = units(line) + 1
        if page and used + size > most - _FENCE_CHARS:
            yield "\n".join((*page, *((_FENCE,) if opened else ())))
            page, used = ([opened], units(opened) + 1) if opened else ([], 0)
        page.append(line)
        used += size
        if line.count(_FENCE) % 2:
            opened = "" if opened else line[line.index(_FENCE) :][: _FENCE_CHARS // 2]
    yield "\n".join((*page, *((_FENCE,) if opened else ())))


def _lines(text: str, most: int) -> Iterator[str]:
    for line in text.split("\n"):
        left = line
        while units(left) > most:
            at = _cut(left, most)
            yield left[:at]
            left = left[at:]
        yield left


def _cut(line: str, most: int) -> int:
    """Return where to cut a long line: at a space if there is one, never at an escape."""
    at, used = 0, 0
    while used + units(line[at]) <= most:
        used += units(line[at])
        at += 1
    space = line.rfind(" ", at // 2, at)
    at = space + 1 if space > 0 else at
    return at - 1 if line[at - 1] == "\\" and at > 1 else at
