"""Cards as Markdown for Discord: all foreign text is in code blocks that it cannot leave.

Inside code blocks Discord has no formatting, links or mentions.
"""

import re
from collections.abc import Iterator
from datetime import UTC

from assent.domain.canonical import Json, encode
from assent.domain.cards import Card
from assent.domain.tools import Risk
from assent.presentation.characters import counted, wrapped
from assent.presentation.chat import ChatCard, Passage, fit_card, split_pages
from assent.presentation.outline import deadline_of
from assent.presentation.rendering import RENDERER_VERSION, MessageSize, Rendered, units
from assent.presentation.sheet import GOES_ON, MIN_TEXT_COLUMNS
from assent.presentation.text import fenced, mark

MESSAGE_VERSION = f"markdown/{RENDERER_VERSION}"
EMBED_VERSION = f"discord/{RENDERER_VERSION}"
# The width of a code block on a phone.
COLUMNS = 36
MESSAGE = MessageSize(text=2000, total=2000, texts=1)
EMBEDS = MessageSize(text=4096, total=6000, texts=10)
TITLE_CHARS = 256

_COLOURS = {Risk.SAFE: 0x2E7D32, Risk.MODERATE: 0xF9A825, Risk.DANGEROUS: 0xC62828}
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
# Discord ends a code block at the next three backticks, even if more had opened it.
_TICKS = re.compile("`{2,}")
_FENCE_CHARS = 16
# The indentation and sign before the gutter or the text.
_INDENT = re.compile(r" *(?:[-+~○] )?")


def render(card: Card, *, width: int = COLUMNS, room: MessageSize = MESSAGE) -> Rendered:
    """Return the card as the text of one message."""

    def draw(chat_card: ChatCard) -> str | None:
        text = "\n".join((f"**{_title(card)}**", *_pieces(card, chat_card, width, room.text)))
        return text if units(text) <= room.text else None

    text, chat_card = fit_card(card, width, room, draw)
    return _rendered(text or "", chat_card, MESSAGE_VERSION)


def render_embeds(card: Card, *, width: int = COLUMNS, room: MessageSize = EMBEDS) -> Rendered:
    """Return the card as a message with embeds; `Rendered.json()` is the payload to send."""
    title = _title(card)

    def draw(chat_card: ChatCard) -> list[str] | None:
        texts = list(_packed(_pieces(card, chat_card, width, room.text), room.text))
        total = units(title) + sum(map(units, texts))
        return texts if len(texts) <= room.texts and total <= room.total else None

    texts, chat_card = fit_card(card, width, room, draw)
    payload = _payload(title, texts or [], _COLOURS[card.risk])
    return _rendered(encode(payload), chat_card, EMBED_VERSION)


def _rendered(text: str, chat_card: ChatCard, version: str) -> Rendered:
    return Rendered(
        text=text,
        complete=not chat_card.withheld,
        cut=chat_card.cut,
        choices=chat_card.choices,
        version=version,
    )


def _payload(title: str, texts: list[str], colour: int) -> Json:
    embeds = [
        _embed(text, colour, title if number == 0 else "") for number, text in enumerate(texts)
    ]
    # Code blocks have no mentions; this also holds if Discord ever changes that.
    return {"content": "", "embeds": embeds, "allowed_mentions": {"parse": []}}


def _embed(text: str, colour: int, title: str) -> Json:
    heading: dict[str, Json] = {"title": title} if title else {}
    return {**heading, "description": text, "color": colour}


def _title(card: Card) -> str:
    """Return our title, with the tool's name only if it holds no Markdown."""
    name = f" · `{card.tool}`" if _PLAIN_NAME.fullmatch(card.tool) else ""
    return f"{card.title}{name} · {card.risk.upper()}"


def _pieces(card: Card, chat_card: ChatCard, width: int, most: int) -> Iterator[str]:
    if (deadline := deadline_of(card)) is not None:
        # Discord keeps this current in every reader's own time.
        seconds = int(deadline.astimezone(UTC).timestamp())
        yield f"Expires <t:{seconds}:R>"
    for passage in chat_card.passages:
        yield from _blocks(passage, width, most)


def _blocks(passage: Passage, width: int, most: int) -> Iterator[str]:
    remark = f" {passage.remark}" if passage.remark else ""
    heading = f"**{passage.heading}**{remark}\n" if passage.heading else ""
    lines = [part for line in passage.lines for part in _inert(line, width)]
    for number, text in enumerate(split_pages(lines, most - units(heading) - _FENCE_CHARS)):
        yield (heading if number == 0 else "") + fenced(text)


def _inert(line: str, width: int) -> list[str]:
    """Spell out backticks that would end a code block; the line may become several."""
    if "``" not in line:
        return [line]
    indent = _INDENT.match(line)
    before = indent.group() if indent else ""
    text = line.removeprefix(before)
    spelt = _TICKS.sub(lambda run: mark(counted("`", len(run.group()))), text)
    first, *others = wrapped(spelt, max(MIN_TEXT_COLUMNS, width - len(before) - len(GOES_ON)))
    return [before + first, *(before + GOES_ON + part for part in others)]


def _packed(pieces: Iterator[str], most: int) -> Iterator[str]:
    return split_pages([*pieces], most)
