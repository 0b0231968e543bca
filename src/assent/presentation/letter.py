"""Letters: the whole mail about a request, as plain text and as HTML from the same card.

A letter decides nothing. It leads to the review page, and its only links are ours.
"""

import re
from dataclasses import dataclass
from typing import Final

from assent.domain.cards import Card
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.presentation import line, mail, plain
from assent.presentation.chat import fit
from assent.presentation.mail_style import Style, dark_sheet, styled
from assent.presentation.mail_values import inert
from assent.presentation.markup import Html, element, joined
from assent.presentation.rendering import FieldLimits, Rendered
from assent.presentation.text import mark, safe_line
from assent.presentation.truncation import clip

COLUMNS: Final = 72
PLAIN_CHARS: Final = 16_000
_NAME_CHARS: Final = 60
_ID_CHARS: Final = 6
_SUBJECTS: Final = {
    RequestKind.APPROVAL: "Approval needed",
    RequestKind.INPUT: "Input needed",
    RequestKind.RESULT: "Result needed",
    RequestKind.OUTCOME: "Outcome unknown",
}
# Mail programs make links of these in plain text.
_LINK: Final = re.compile(r"://|(?<=www)\.", re.IGNORECASE)
_UNLINKED: Final = f"{mark('://')} keeps an address in the text above from becoming a link"
_UNCHANGED: Final = "Opening it changes nothing. The link is for you alone: do not pass it on."
CHOOSE: Final = "Choose which mails you get, or get none"
_HEAD: Final = Html(
    '<meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1">'
    '<meta name="color-scheme" content="light dark">'
    '<meta name="supported-color-schemes" content="light dark">'
    '<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">'
    '<meta name="referrer" content="no-referrer">'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A mail without its addresses; `complete` is False if something of the card was cut."""

    subject: str
    text: str
    html: str
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """The words and links around a card."""

    invitation: str
    notice: str
    url: str
    stop_url: str


def letter(card: Card, *, url: str, notice: str = "", stop_url: str = "") -> Letter:
    """Return the letter about a request; `url` opens its page, `stop_url` ends such letters.

    `notice` is a line before the card, which may quote foreign text.
    """
    shown, text = mail.render(card), _plain(card)
    # One of the parts may have room for more: both invite to the same.
    complete = shown.complete and text.complete
    invitation = _invitation(card, complete=complete)
    words = _Words(invitation=invitation, notice=notice, url=url, stop_url=stop_url)
    return Letter(
        subject=subject_of(card),
        text=_text(text.text, words),
        html=_document(subject_of(card), Html(shown.text), words),
        complete=complete,
    )


def subject_of(card: Card) -> str:
    """Return the subject, which stays the same as long as the request exists, on one line."""
    tool = _short(card.tool)
    origin = f" from {_short(card.source)}" if card.is_foreign else ""
    # Without it, programs would show two requests for the same tool as one conversation.
    short_id = _short(card.request_id[-_ID_CHARS:])
    return f"{_SUBJECTS[card.kind]}: {tool}{origin} ({card.risk}) [{short_id}]"


def unlinked(text: str) -> str:
    """Return plain text with a mark in each address, so that it does not become a link."""
    return _LINK.sub(lambda found: mark(found.group()), text)


def _plain(card: Card) -> Rendered:
    def attempt(limits: FieldLimits) -> Rendered | None:
        rendered = plain.render(card, width=COLUMNS, limits=limits)
        return rendered if len(rendered.text) <= PLAIN_CHARS else None

    return fit(attempt) or line.render(card)


def _text(card: str, words: _Words) -> str:
    before = f"{safe_line(words.notice)}\n\n{card}" if words.notice else card
    body = unlinked(before)
    parts = [body.rstrip("\n")]
    if body != before:
        parts.append(_UNLINKED)
    parts.append(f"{words.invitation}:\n{words.url}\n\n{_UNCHANGED}")
    if words.stop_url:
        parts.append(f"{CHOOSE}:\n{words.stop_url}")
    return "\n\n".join(parts) + "\n"


def _document(subject: str, card: Html, words: _Words) -> str:
    notice = styled(Style.WORDS, "p", inert(safe_line(words.notice))) if words.notice else Html("")
    button = styled(Style.WORDS, "p", styled(Style.BUTTON, "a", words.invitation, href=words.url))
    body = joined((notice, card, button))
    return page(subject, body, words=_UNCHANGED, stop_url=words.stop_url)


def page(subject: str, body: Html, *, words: str = "", stop_url: str = "") -> str:
    """Return the HTML of a mail: its body, our words below, and a link that ends such mails."""
    after = [styled(Style.WORDS, "p", words)] if words else []
    if stop_url:
        stop = styled(Style.MUTED, "a", CHOOSE, href=stop_url)
        after.append(styled(Style.WORDS, "p", stop))
    sheet = element("style", Html(dark_sheet()))
    head = element("head", _HEAD, element("title", subject), sheet)
    whole = element("html", head, styled(Style.PAGE, "body", body, *after), lang="en")
    return f"<!doctype html>\n{whole}\n"


def _invitation(card: Card, *, complete: bool) -> str:
    if card.status is not RequestStatus.OPEN:
        return "Open the request"
    return "Review and decide" if complete else "Open the full review"


def _short(text: str) -> str:
    """Return a foreign text on one short line, cut with a count."""
    found = clip(text, _NAME_CHARS)
    hidden = mark(f"{found.hidden:,} characters not shown") if found.hidden else ""
    return safe_line(found.head) + hidden + safe_line(found.tail)
