"""Cards as Slack blocks of rich text and plain text only, which Slack does not interpret.

There is no mrkdwn in them: foreign text cannot become a mention, link, format or emoji.
"""

from collections.abc import Iterator

from assent.domain.canonical import Json, encode
from assent.domain.cards import Card
from assent.presentation.chat import ChatCard, Passage, fit_card, split_pages
from assent.presentation.rendering import RENDERER_VERSION, MessageSize, Rendered, units

VERSION = f"slack/{RENDERER_VERSION}"
COLUMNS = 44
# Slack takes 50 blocks; five are left for buttons and additions of a channel. It refuses messages
# of rich text beyond about 12,000 characters, so this stays below.
BLOCKS = MessageSize(text=3000, total=10_000, texts=45)
HEADER_CHARS = 150


def render(card: Card, *, width: int = COLUMNS, room: MessageSize = BLOCKS) -> Rendered:
    """Return the card as a message; `Rendered.json()` has `blocks`, `text` and settings."""
    title = f"{card.title} · {card.risk.upper()}"

    def draw(chat_card: ChatCard) -> list[Json] | None:
        blocks = [_header(title), *_blocks(chat_card, room.text)]
        lines = (line for passage in chat_card.passages for line in passage.lines)
        total = sum(units(line) + 1 for line in lines)
        return blocks if len(blocks) <= room.texts and total <= room.total else None

    blocks, chat_card = fit_card(card, width, room, draw)
    return Rendered(
        text=encode(_payload(title, blocks or [])),
        complete=not chat_card.withheld,
        cut=chat_card.cut,
        choices=chat_card.choices,
        version=VERSION,
    )


def _payload(title: str, blocks: list[Json]) -> Json:
    # Slack formats this fallback text in notifications, so it holds only our words.
    quiet: dict[str, Json] = {"mrkdwn": False, "parse": "none", "link_names": False}
    unlinked: dict[str, Json] = {"unfurl_links": False, "unfurl_media": False}
    return {"text": title, "blocks": blocks, **quiet, **unlinked}


def _header(title: str) -> Json:
    text: Json = {"type": "plain_text", "text": title[:HEADER_CHARS], "emoji": False}
    return {"type": "header", "text": text}


def _blocks(chat_card: ChatCard, most: int) -> Iterator[Json]:
    for passage in chat_card.passages:
        for number, text in enumerate(split_pages(passage.lines, most)):
            yield {
                "type": "rich_text",
                "elements": [
                    *(_heading(passage) if number == 0 else ()),
                    {"type": "rich_text_preformatted", "elements": [_text(text)]},
                ],
            }


def _heading(passage: Passage) -> Iterator[Json]:
    if not passage.heading:
        return
    words = [_text(passage.heading, bold=True)]
    if passage.remark:
        words.append(_text(f"  {passage.remark}"))
    yield {"type": "rich_text_section", "elements": words}


def _text(text: str, *, bold: bool = False) -> Json:
    style: dict[str, Json] = {"style": {"bold": True}} if bold else {}
    return {"type": "text", "text": text, **style}
