"""Rich text of Slack, in which nothing is interpreted: no mention, link or format can be forged."""

import re
from collections.abc import Iterator
from typing import Any, Final

from assent.presentation.chat import split_pages
from assent.presentation.rendering import units
from assent.presentation.text import safe_block

Part = dict[str, Any]
# Of one text within a message, and of one message with an agent's words, in which each block
# counts, too.
TEXT_CHARS: Final = 2_900
BLOCK_CHARS: Final = 125
MESSAGE_CHARS: Final = 3 * (TEXT_CHARS + BLOCK_CHARS)
# Slack takes 50 blocks, and refuses the whole message if there is one more.
MESSAGE_BLOCKS: Final = 45
_FENCE: Final = re.compile(r"^```[^\n`]*\n(.*?)(?:^```[ \t]*$\n?|\Z)", re.MULTILINE | re.DOTALL)
_SPAN: Final = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*")


def plain(text: str) -> Part:
    """Return text without formats or emoji."""
    return {"type": "plain_text", "text": text, "emoji": False}


def span(text: str, *, bold: bool = False, code: bool = False) -> Part:
    """Return a piece of text."""
    style = {name: True for name, on in (("bold", bold), ("code", code)) if on}
    return {"type": "text", "text": text or " ", **({"style": style} if style else {})}


def section(*spans: Part) -> Part:
    """Return a paragraph."""
    return {"type": "rich_text_section", "elements": list(spans)}


def preformatted(text: str) -> Part:
    """Return text in a box, as it is."""
    return {"type": "rich_text_preformatted", "elements": [span(text)]}


def rich(*parts: Part) -> dict[str, Any]:
    """Return a block of paragraphs and boxes."""
    return {"type": "rich_text", "elements": list(parts)}


def boxes(text: str, most: int) -> list[dict[str, Any]]:
    """Return a long text as blocks of boxes, each within Slack's limit for a text."""
    pages = split_pages(list(pieces(text.split("\n"), most)), most)
    return [rich(preformatted(page)) for page in pages if page]


def pieces(lines: list[str], most: int) -> Iterator[str]:
    """Return the lines, those beyond the limit in pieces."""
    for line in lines:
        yield from _cut(line, most - 1)


def _cut(line: str, most: int) -> Iterator[str]:
    while units(line) > most:
        # A character beyond the BMP counts twice, so half of the limit always fits.
        size = most if line[:most].isascii() else most // 2
        yield line[:size]
        line = line[size:]
    yield line


def words_of_agent(text: str) -> list[list[dict[str, Any]]]:
    """Return a model's words as the blocks of one message or several.

    Fences, code and bold are drawn; everything else stays the text that it is, spelt out where
    people would not see it.
    """
    messages, used = list[list[dict[str, Any]]](), 0
    for block, size in _blocks(safe_block(text)):
        is_full = not messages or len(messages[-1]) == MESSAGE_BLOCKS
        if is_full or used + size > MESSAGE_CHARS:
            messages.append([])
            used = 0
        messages[-1].append(block)
        used += size
    return messages


def _blocks(text: str) -> Iterator[tuple[dict[str, Any], int]]:
    for body, is_code in _parted(text):
        for page in split_pages(list(pieces(body.strip("\n").split("\n"), TEXT_CHARS)), TEXT_CHARS):
            if page.strip():
                part = preformatted(page) if is_code else section(*_spans(page))
                yield rich(part), units(page) + BLOCK_CHARS


def _parted(text: str) -> Iterator[tuple[str, bool]]:
    """Return the text in parts, those between fences marked as code."""
    end = 0
    for found in _FENCE.finditer(text):
        yield text[end : found.start()], False
        yield found.group(1), True
        end = found.end()
    yield text[end:], False


def _spans(text: str) -> Iterator[Part]:
    end = 0
    for found in _SPAN.finditer(text):
        if found.start() > end:
            yield span(text[end : found.start()])
        code, bold = found.group(1), found.group(2)
        yield span(code or bold, code=code is not None, bold=bold is not None)
        end = found.end()
    if end < len(text):
        yield span(text[end:])
