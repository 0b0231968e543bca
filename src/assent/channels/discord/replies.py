"""Replies to one person: what the desk says, as messages that only they see, and as modals."""

from typing import Any, Final

from assent.channels.discord.cards import ROW_WIDTH, button, is_linkable, link_button
from assent.channels.discord.markup import MESSAGE_CHARS, block_text, code_block, plain
from assent.channels.discord.modals import fits, modal_of
from assent.channels.reference import Reference
from assent.channels.replies import Ask, Fill, Reply, Tell
from assent.presentation.chat import split_pages
from assent.presentation.rendering import units
from assent.presentation.truncation import clip

Payload = dict[str, Any]
EPHEMERAL: Final = 1 << 6
MESSAGE, DEFERRED, MODAL = 4, 5, 9
_NO_MENTIONS: Final[Payload] = {"parse": []}
# Pages of details: embeds of one message have 6,000 characters together.
_PAGE_CHARS: Final = 2800
_PAGES: Final = 2
_TOO_LONG: Final = "This is too long to show here. Open the full review."
_UNFIT: Final = "This form does not fit here. Open the full review."
LATER: Final = "That took a while. Go on here:"


def answer_to(reply: Reply, review_url: str = "") -> Payload:
    """Return the first answer to an interaction; a form that does not fit leads to its review."""
    match reply:
        case Fill() if fits(reply):
            return {"type": MODAL, "data": modal_of(reply)}
        case Fill():
            return {"type": MESSAGE, "data": _told(Tell(words=_UNFIT, url=review_url))}
        case Tell():
            return {"type": MESSAGE, "data": _told(reply)}
        case Ask():
            return {"type": MESSAGE, "data": _asked(reply)}


def said(words: str) -> Payload:
    """Return a first answer with nothing but our words."""
    return answer_to(Tell(words=words))


def shown(message: Payload) -> Payload:
    """Return a first answer that shows a message to its person alone."""
    data = {**message, "flags": EPHEMERAL, "allowed_mentions": _NO_MENTIONS}
    return {"type": MESSAGE, "data": data}


def deferral() -> Payload:
    """Return the answer that asks its person to wait."""
    return {"type": DEFERRED, "data": {"flags": EPHEMERAL}}


def late(answer: Payload, pressed: Reference | None) -> Payload:
    """Return an answer as the message that fills in a deferral, which a modal cannot do."""
    if answer["type"] == MESSAGE:
        return answer["data"]
    buttons = () if pressed is None else ({"type": 1, "components": [button(pressed, "Open")]},)
    return _message(LATER, [*buttons])


def _told(reply: Tell) -> Payload:
    rows = [_row(link_button(reply.url, "Full review"))] if is_linkable(reply.url) else []
    if not reply.is_foreign:
        return _message(reply.words, rows)
    pages = list(split_pages(_wrapped(block_text(reply.words)), _PAGE_CHARS))
    if len(pages) > _PAGES:
        return _message(_TOO_LONG, rows)
    embeds = [{"description": code_block(page)} for page in pages]
    return {**_message("", rows), "embeds": embeds}


def _wrapped(text: str) -> list[str]:
    """Return the lines of a text, none of them longer than a page."""
    lines = list[str]()
    for line in text.split("\n"):
        lines += [line[at : at + 1000] for at in range(0, max(len(line), 1), 1000)]
    return lines


def _asked(reply: Ask) -> Payload:
    buttons = [button(each.reference, each.label) for each in reply.buttons[:ROW_WIDTH]]
    return _message(reply.words, [_row(*buttons)] if buttons else [])


def _row(*buttons: Payload) -> Payload:
    return {"type": 1, "components": list(buttons)}


def _message(words: str, rows: list[Payload]) -> Payload:
    text = plain(words)
    if units(text) > MESSAGE_CHARS:
        cut = clip(words, MESSAGE_CHARS // 3)
        text = plain(f"{cut.head} … {cut.hidden:,} characters not shown … {cut.tail}")
    return {
        "content": text,
        "components": rows,
        "flags": EPHEMERAL,
        "allowed_mentions": _NO_MENTIONS,
    }
