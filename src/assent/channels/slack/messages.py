"""Posts as messages of Slack: cards, each with its buttons, or the lines of a digest."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

from assent.channels.reference import DETAILS, Reference
from assent.channels.replies import Button
from assent.channels.slack.rich_text import (
    BLOCK_CHARS,
    plain,
    preformatted,
    rich,
    section,
    span,
)
from assent.domain.cards import Choice
from assent.domain.deliveries import Post, PostItem
from assent.domain.verdicts import Verb, row_of
from assent.presentation import line
from assent.presentation.rendering import MessageSize, Rendered, units
from assent.presentation.settled import settled_words
from assent.presentation.slack import render

Block = dict[str, Any]
EVENT: Final = "assent_post"
# Slack refuses messages beyond about 13,000 characters, and does not say what counts. By what its
# users measured it is the texts, and more than a hundred for each block; buttons may count, too.
MESSAGE_CHARS: Final = 12_000
BUTTON_CHARS: Final = 40
# A message has at most 50 blocks; a list leaves room for a header above it, and for its last line.
MESSAGE_BLOCKS: Final = 50
LIST_BLOCKS: Final = MESSAGE_BLOCKS - 1
LIST_CHARS: Final = 11_000
CARD_CHARS: Final = 10_000
SMALLEST_CARD: Final = 300
LINK: Final = "assent:link"
_QUIET: Final[dict[str, Any]] = {
    "mrkdwn": False,
    "parse": "none",
    "link_names": False,
    "unfurl_links": False,
    "unfurl_media": False,
}
_STYLES: Final = {Verb.APPROVE: "primary", Verb.ANSWER: "primary", Verb.REJECT: "danger"}


def message_of(post: Post, *, inbox: str = "") -> dict[str, Any]:
    """Return the content of a message that shows the post; `inbox` is the address of the inbox."""
    if post.is_digest:
        return content(_digest_title(post), _digest(post, inbox))
    share = CARD_CHARS // len(post.items)
    # First everything in full; what does not fit like this is cut, and then offers only the review.
    rooms = ((CARD_CHARS, False), (CARD_CHARS, True), (share, True), (share // 2, True))
    for room, is_dense in rooms:
        blocks = _cards(post, max(SMALLEST_CARD, room), is_dense=is_dense)
        if len(blocks) <= MESSAGE_BLOCKS and _size(blocks) <= MESSAGE_CHARS:
            return content(_title(post), blocks)
    return brief_message(post, inbox=inbox)


def brief_message(post: Post, *, inbox: str = "") -> dict[str, Any]:
    """Return a short content that leads to the full review, for a post that does not fit."""
    return content(_title(post), [_header(_title(post)), *_digest(post, inbox)])


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


def _size(blocks: Sequence[Block]) -> int:
    """Return what blocks count towards Slack's limit, as far as that is known."""
    buttons = sum(len(block["elements"]) for block in blocks if block["type"] == "actions")
    texts = sum(map(units, _texts(blocks)))
    return texts + BLOCK_CHARS * len(blocks) + BUTTON_CHARS * buttons


def _texts(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        for name, value in cast("dict[str, Any]", node).items():
            if name == "text" and isinstance(value, str):
                yield value
            else:
                yield from _texts(value)
    elif isinstance(node, list):
        for each in cast("list[Any]", node):
            yield from _texts(each)


# Cards


def _cards(post: Post, room: int, *, is_dense: bool) -> list[Block]:
    blocks = list[Block]()
    for number, item in enumerate(post.items, 1):
        if number > 1 and not is_dense:
            blocks.append({"type": "divider"})
        mark = f"{number}. " if len(post.items) > 1 else ""
        blocks += _card(item, room, mark, is_dense=is_dense)
    return blocks


def _card(item: PostItem, room: int, mark: str, *, is_dense: bool) -> Iterator[Block]:
    rendered = render(item.card, room=MessageSize(text=3000, total=room, texts=45))
    passages = rendered.json()["blocks"][1:]
    title = f"{mark}{item.card.title} · {item.card.risk.upper()}"
    if not is_dense:
        yield _header(title)
    heads = [title] if is_dense else []
    if not item.request.is_open:
        heads.append(settled_words(item.card, item.request))
    # One block for all passages: a message has 50 blocks, and a group up to ten cards.
    yield rich(
        *(section(span(head, bold=True)) for head in heads),
        *(part for passage in passages for part in passage["elements"]),
    )
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


def _digest(post: Post, inbox: str) -> list[Block]:
    """Return a line for each request that fits, with a link to its review, and count the others."""
    blocks = [rich(section(span(_digest_title(post), bold=True)))]
    used, last = _size(blocks), len(post.items)
    for number, item in enumerate(post.items, 1):
        listed = rich(*_line(item))
        used += _size([listed])
        # Below every line but the last there has to be room for the number of the others.
        if used > LIST_CHARS or len(blocks) + 1 + (number < last) > LIST_BLOCKS:
            return [*blocks, _others(last - number + 1, inbox)]
        blocks.append(listed)
    return blocks


def _others(count: int, inbox: str) -> Block:
    words = f"… and {count:,} more: see your inbox."
    link = [{"type": "link", "url": inbox, "text": "Open the inbox"}] if inbox else []
    return rich(section(span(f"{words}  " if inbox else words), *link))


def _line(item: PostItem) -> Iterator[Block]:
    request, card = item.request, item.card
    state = card.risk.upper() if request.is_open else settled_words(card, request)
    spans = [span(f"{state}  ", bold=True)]
    if item.url and request.is_open:
        spans.append({"type": "link", "url": item.url, "text": "Open the review"})
    yield section(*spans)
    yield preformatted(line.render(card).text)
