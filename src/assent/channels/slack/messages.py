"""Posts as messages of Slack: cards, each with its buttons, or the lines of a digest."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from assent.channels.reference import DETAILS, Reference
from assent.channels.replies import Button
from assent.channels.slack.rich_text import plain, preformatted, rich, section, span
from assent.domain.canonical import encode
from assent.domain.cards import Choice
from assent.domain.deliveries import Post, PostItem
from assent.domain.verdicts import Verb, row_of
from assent.presentation import line
from assent.presentation.rendering import MessageSize, Rendered, units
from assent.presentation.settled import settled_words
from assent.presentation.slack import render

Block = dict[str, Any]
EVENT: Final = "assent_post"
# Of one message in JSON. Slack refuses messages somewhere above it and does not say where.
MESSAGE_CHARS: Final = 13_000
# The characters of all cards of a message, tried in this order.
ROOMS: Final = (10_000, 8_000, 5_000, 3_000)
SMALLEST_ROOM: Final = 300
LINK: Final = "assent:link"
_QUIET: Final[dict[str, Any]] = {
    "mrkdwn": False,
    "parse": "none",
    "link_names": False,
    "unfurl_links": False,
    "unfurl_media": False,
}
_STYLES: Final = {Verb.APPROVE: "primary", Verb.ANSWER: "primary", Verb.REJECT: "danger"}


def message_of(post: Post) -> dict[str, Any]:
    """Return the content of a message that shows the post."""
    if post.is_digest:
        return content(_digest_title(post), _digest(post))
    found = (_cards(post, room) for room in ROOMS)
    blocks = next((each for each in found if _fits(each)), None)
    return content(_title(post), blocks) if blocks is not None else brief_message(post)


def brief_message(post: Post) -> dict[str, Any]:
    """Return a short content that leads to the full review, for a post that does not fit."""
    return content(_title(post), [_header(_title(post)), *_digest(post)])


def content(text: str, blocks: Sequence[Block]) -> dict[str, Any]:
    """Return what a message holds; `text` is for notifications, and only our own words."""
    return {"text": text, "blocks": list(blocks), **_QUIET}


def metadata_of(key: str) -> dict[str, Any]:
    """Return the mark by which a message is found again."""
    return {"event_type": EVENT, "event_payload": {"key": key}}


def buttons_block(buttons: Sequence[Button], link: str = "") -> list[Block]:
    """Return a row of buttons for one person, and a link if there is one; no block without any."""
    elements = [_button(each.label, each.reference) for each in buttons]
    if link:
        elements.append(_link(link))
    return [{"type": "actions", "elements": elements}] if elements else []


def _title(post: Post) -> str:
    cards = [item.card for item in post.items]
    if len(cards) == 1:
        return f"{cards[0].title} · {cards[0].risk.upper()}"
    count = sum(item.request.is_open for item in post.items)
    return f"{count} of {len(cards)} requests wait for a decision"


def _digest_title(post: Post) -> str:
    count = sum(item.request.is_open for item in post.items)
    return f"{count} request{'' if count == 1 else 's'} for you"


def _fits(blocks: Sequence[Block]) -> bool:
    return units(encode(list(blocks))) <= MESSAGE_CHARS


# Cards


def _cards(post: Post, room: int) -> list[Block]:
    each = max(SMALLEST_ROOM, room // len(post.items))
    blocks = list[Block]()
    for number, item in enumerate(post.items, 1):
        if number > 1:
            blocks.append({"type": "divider"})
        blocks += _card(item, each, f"{number}. " if len(post.items) > 1 else "")
    return blocks


def _card(item: PostItem, room: int, number: str) -> Iterator[Block]:
    rendered = render(item.card, room=MessageSize(text=3000, total=room, texts=45))
    header, *passages = rendered.json()["blocks"] or [_header(f"{item.card.title}")]
    yield _header(f"{number}{header['text']['text']}")
    if not item.request.is_open:
        yield rich(section(span(settled_words(item.card, item.request), bold=True)))
    if passages:
        # One block for all passages: a message has 50 blocks, and a group up to ten cards.
        yield {
            "type": "rich_text",
            "elements": [part for passage in passages for part in passage["elements"]],
        }
    if item.request.is_open:
        yield from _decisions(item, rendered)


def _decisions(item: PostItem, rendered: Rendered) -> Iterator[Block]:
    elements = [
        _button(_label(choice), Reference.to(item.request, choice.verb))
        for choice in rendered.choices
        if choice.verb is not Verb.REVIEW
    ]
    if item.url and any(choice.verb is Verb.REVIEW for choice in rendered.choices):
        elements.insert(0, _link(item.url))
    elements.append(_button("Details", Reference.to(item.request, DETAILS)))
    yield {"type": "actions", "elements": elements}


def _label(choice: Choice) -> str:
    row = row_of(choice.verb)
    return row.opener or row.label


def _button(label: str, reference: Reference) -> Block:
    style = _STYLES.get(Verb(reference.verb)) if reference.verb in list(Verb) else None
    return {
        "type": "button",
        "text": plain(label),
        # Ids are unique in their row: a form may ask for two pages with the same verb.
        "action_id": f"assent:{reference.verb}:{reference.page}:{int(reference.confirmed)}",
        "value": str(reference),
        **({"style": style} if style else {}),
    }


def _link(url: str) -> Block:
    return {
        "type": "button",
        "text": plain("Open the full review"),
        "action_id": LINK,
        "url": url,
    }


def _header(title: str) -> Block:
    return {"type": "header", "text": plain(title[:150])}


# Digests


def _digest(post: Post) -> list[Block]:
    """Return a line for each request, with a link to its review."""
    return [
        rich(section(span(_digest_title(post), bold=True))),
        *(rich(*_line(item)) for item in post.items),
    ]


def _line(item: PostItem) -> Iterator[Block]:
    request, card = item.request, item.card
    state = card.risk.upper() if request.is_open else settled_words(card, request)
    spans = [span(f"{state}  ", bold=True)]
    if item.url and request.is_open:
        spans.append({"type": "link", "url": item.url, "text": "Open the review"})
    yield section(*spans)
    yield preformatted(line.render(card).text)
