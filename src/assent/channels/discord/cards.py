"""Posts as Discord messages: cards with buttons, how they ended, and lists."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assent.channels.discord.markup import code, short
from assent.channels.reference import DETAILS, Reference
from assent.domain.deliveries import Post, PostItem
from assent.domain.lifecycle import RequestStatus
from assent.domain.verdicts import Verb, row_of
from assent.presentation import line, markdown
from assent.presentation.rendering import MessageSize, Rendered, units
from assent.presentation.settled import settled_words

Payload = dict[str, Any]
# A row of buttons for each card; Discord has five rows.
ROWS: Final = 5
ROW_WIDTH: Final = 5
# Room for the line above each card.
_NOTE_CHARS: Final = 256
_LIST_CHARS: Final = 4000
_KEY_CHARS: Final = 12
_LEAST: Final = MessageSize(text=1000, total=1000, texts=1)

_GREEN, _RED, _GREY, _BLUE = 0x2E7D32, 0xC62828, 0x6B7280, 0x3B6EF5
_COLOURS: Final = {
    RequestStatus.APPROVED: _GREEN,
    RequestStatus.ANSWERED: _GREEN,
    RequestStatus.REJECTED: _RED,
}
_PRIMARY, _SECONDARY, _SUCCESS, _DANGER, _LINK = 1, 2, 3, 4, 5
_STYLES: Final = {
    Verb.APPROVE: _SUCCESS,
    Verb.REJECT: _DANGER,
    Verb.EDIT: _PRIMARY,
    Verb.ANSWER: _PRIMARY,
    Verb.SUPPLY: _PRIMARY,
    Verb.RUN_AGAIN: _DANGER,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawn:
    """A card as it fits into its share of the message."""

    item: PostItem
    rendered: Rendered


def message_of(post: Post) -> Payload:
    """Return a post as a message, in its present state."""
    return list_of(post.items, post.key) if post.is_digest else cards_of(post.items)


def is_of(message: Mapping[str, Any], post: Post) -> bool:
    """Return True if a message, as Discord has it, is an earlier state of a post.

    Requests that were settled since have no buttons any more, and lists have none at all.
    """
    components = json.dumps(message.get("components") or [])
    if any(f":{item.request.id}:" in components for item in post.items):
        return True
    embeds: list[Payload] = message.get("embeds") or []
    footers: list[Payload] = [each["footer"] for each in embeds if each.get("footer")]
    return any(footer.get("text") == _mark(post.key) for footer in footers)


def cards_of(items: Sequence[PostItem]) -> Payload:
    """Return up to five requests as cards, each with a row of buttons while it is open."""
    drawn = _fitted(items)
    embeds, rows = list[Payload](), list[Payload]()
    for number, each in enumerate(drawn, 1):
        embeds += _embeds(each, number, len(drawn))
        if buttons := _buttons(each, number, len(drawn)):
            rows.append({"type": 1, "components": buttons})
    return {"content": _headline(items), "embeds": embeds, "components": rows}


def list_of(items: Sequence[PostItem], key: str) -> Payload:
    """Return many requests as a list with links; one that is settled says so."""
    lines, used = list[str](), 0
    for number, item in enumerate(items, 1):
        text = _listed(item, number)
        if used + units(text) + 1 > _LIST_CHARS:
            lines.append(f"… and {len(items) - number + 1:,} more: see your inbox.")
            break
        lines.append(text)
        used += units(text) + 1
    footer = {"text": _mark(key)}
    embed = {"description": "\n".join(lines), "color": _BLUE, "footer": footer}
    return {"content": _headline(items), "embeds": [embed], "components": []}


def link_button(url: str, label: str) -> Payload:
    """Return a button that opens a page."""
    return {"type": 2, "style": _LINK, "label": label, "url": url}


def button(reference: Reference, label: str, style: int = _SECONDARY) -> Payload:
    """Return a button that comes back to us."""
    return {"type": 2, "style": style, "label": short(label, 80), "custom_id": str(reference)}


def is_linkable(url: str) -> bool:
    """Return True if a button can open this address."""
    return url.startswith(("https://", "http://")) and len(url) <= 512


def _headline(items: Sequence[PostItem]) -> str:
    waiting = sum(item.request.is_open for item in items)
    if not waiting:
        return ""
    return "Waiting for a decision" if waiting == 1 else f"{waiting} requests wait for a decision"


# Cards


def _fitted(items: Sequence[PostItem]) -> list[_Drawn]:
    """Draw all cards in full if they fit together; cut the largest to their share if not."""
    room = markdown.EMBEDS.total - _NOTE_CHARS * len(items) if len(items) > 1 else None
    total = markdown.EMBEDS.total - _NOTE_CHARS if room is None else room
    whole = [_drawn(item, _room(total, markdown.EMBEDS.texts)) for item in items]
    sizes = [_size(each.rendered) for each in whole]
    texts = [len(each.rendered.json()["embeds"]) for each in whole]
    if sum(sizes) <= total and sum(texts) <= markdown.EMBEDS.texts:
        return whole
    return _shared(whole, sizes, total)


def _shared(whole: Sequence[_Drawn], sizes: Sequence[int], total: int) -> list[_Drawn]:
    """Give each card an equal share, and what small ones leave to the larger ones."""
    made: dict[int, _Drawn] = {}
    left, texts = total, markdown.EMBEDS.texts
    for index in sorted(range(len(whole)), key=lambda each: sizes[each]):
        others = len(whole) - len(made)
        share, embeds = left // others, max(1, texts // others)
        each = whole[index]
        if sizes[index] > share or len(each.rendered.json()["embeds"]) > embeds:
            each = _drawn(each.item, _room(share, embeds))
        made[index] = each
        left -= _size(each.rendered)
        texts -= len(each.rendered.json()["embeds"])
    return [made[index] for index in range(len(whole))]


def _room(total: int, texts: int) -> MessageSize:
    total = max(total, _LEAST.total)
    return MessageSize(text=min(markdown.EMBEDS.text, total), total=total, texts=texts)


def _drawn(item: PostItem, room: MessageSize) -> _Drawn:
    return _Drawn(item=item, rendered=markdown.render_embeds(item.card, room=room))


def _size(rendered: Rendered) -> int:
    embeds: list[Payload] = rendered.json()["embeds"]
    return sum(units(each.get("title", "")) + units(each["description"]) for each in embeds)


def _embeds(drawn: _Drawn, number: int, count: int) -> list[Payload]:
    """Return the embeds of a card; the line above says its number and how it ended."""
    embeds: list[Payload] = drawn.rendered.json()["embeds"]
    request = drawn.item.request
    words = [f"{number} of {count}"] if count > 1 else []
    if not request.is_open:
        words.append(settled_words(drawn.item.card, request))
        colour = _COLOURS.get(request.status, _GREY)
        embeds = [{**embed, "color": colour} for embed in embeds]
    if words and embeds:
        # The name of an author is the one text of an embed without Markdown.
        embeds[0] = {**embeds[0], "author": {"name": short(" · ".join(words), _NOTE_CHARS)}}
    return embeds


def _buttons(drawn: _Drawn, number: int, count: int) -> list[Payload]:
    """Return the buttons of an open card: what it offers, its details, and the full review."""
    item, request = drawn.item, drawn.item.request
    if not request.is_open:
        return []
    mark = f" {number}" if count > 1 else ""
    verbs = [choice.verb for choice in drawn.rendered.choices if choice.verb is not Verb.REVIEW]
    made = [_verdict_button(item, verb, mark) for verb in verbs]
    made.append(button(Reference.to(request, DETAILS), f"Details{mark}"))
    if is_linkable(item.url):
        made.append(link_button(item.url, f"Review{mark}"))
    return made[:ROW_WIDTH]


def _verdict_button(item: PostItem, verb: Verb, mark: str) -> Payload:
    # The short names that a terminal has for its keys fit five times into a row.
    _, name = row_of(verb).key
    label = f"{name[:1].upper()}{name[1:]}{mark}"
    return button(Reference.to(item.request, verb), label, _STYLES.get(verb, _SECONDARY))


# Lists


def _mark(key: str) -> str:
    """Return the words by which a list is found again: nothing else in it stays the same."""
    return f"List {key[:_KEY_CHARS]}"


def _listed(item: PostItem, number: int) -> str:
    shown = code(line.render(item.card).text)
    link = f" [Open]({item.url})" if is_linkable(item.url) else ""
    if item.request.is_open:
        return f"{number}\\. {shown}{link}"
    return f"{number}\\. ~~{shown}~~ {code(settled_words(item.card, item.request))}"
