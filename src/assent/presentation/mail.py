"""Cards as HTML for mails, with styles on every element and nothing to load or to click.

A card that a mail cannot show in full offers only the full review.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final, assert_never

from assent.domain.cards import Blank, Card, Choice, Members, Note, Past
from assent.domain.fields import Option
from assent.domain.verdicts import done_words
from assent.presentation.chat import fit
from assent.presentation.mail_style import RISKS, Style, styled
from assent.presentation.mail_values import MailSheet, inert, row, table, wide_row
from assent.presentation.markup import Html, element, joined
from assent.presentation.outline import (
    Blanks,
    Content,
    Diff,
    Edits,
    Excerpt,
    Fields,
    Notes,
    Pasts,
    Quote,
    Region,
    deadline_of,
    facts_of,
    moment,
    regions_of,
    rejections_of,
    warning_of,
)
from assent.presentation.passages import PAST_CHARS, condition_words
from assent.presentation.rendering import (
    RENDERER_VERSION,
    FieldLimits,
    MessageSize,
    Rendered,
    offered,
)
from assent.presentation.sheet import Full
from assent.presentation.sheet_values import json_of
from assent.presentation.text import mark, quoted, safe_line
from assent.presentation.truncation import clip

VERSION = f"mail/{RENDERER_VERSION}"
# More than this is read better on the page itself, to which every mail leads.
ROOM = MessageSize(text=10_000, total=10_000, texts=1)
# Gmail cuts a mail at about 102 kB; a letter adds a few to the card.
HTML_BYTES: Final = 80_000
_NAME_CHARS: Final = 60


def render(card: Card, *, room: MessageSize = ROOM, most: int = HTML_BYTES) -> Rendered:
    """Return the card as a part of a mail's HTML; `letter` makes the whole mail of it."""

    def attempt(limits: FieldLimits) -> Rendered | None:
        sheet = MailSheet(limits=limits, room=room.total)
        try:
            drawn = _drawn(card, sheet)
        except Full:
            return None
        return drawn if len(drawn.text.encode()) <= most else None

    return fit(attempt) or _stub(card)


def _drawn(card: Card, sheet: MailSheet) -> Rendered:
    regions = regions_of(card)
    parts = [_header(card, sheet), _facts(card, sheet)]
    parts += [_region(sheet, region) for region in regions]
    choices = offered(card, withheld=sheet.withheld, typing=False)
    return _rendered(card, parts, choices, sheet)


def _rendered(
    card: Card, parts: Sequence[Html], choices: tuple[Choice, ...], sheet: MailSheet
) -> Rendered:
    body = joined((*parts, *((_choices(choices),) if choices else ())))
    body = joined((body, _footer(card, is_marked="<mark>" in body)))
    return Rendered(
        text=styled(Style.CARD, "div", body),
        complete=not sheet.withheld,
        cut=sheet.cut,
        choices=choices,
        version=VERSION,
    )


def _header(card: Card, sheet: MailSheet) -> Html:
    """Return our title and the tool's name; never a title from a foreign server."""
    name = styled(Style.CODE, "code", sheet.words(card.tool))
    return joined((_title(card), styled(Style.TOOL, "div", element("b", name))))


def _title(card: Card) -> Html:
    badge = styled(RISKS[card.risk], "span", card.risk)
    return styled(Style.TITLE, "h1", card.title, " ", badge)


def _facts(card: Card, sheet: MailSheet) -> Html:
    about = (("category", card.category), ("from", card.source if card.is_foreign else ""))
    rows = [row(label, sheet.words(text)) for label, text in about if text]
    warnings = (("before", rejections_of(card)), ("risk", warning_of(card)))
    rows += [row(label, styled(Style.STRONG, "b", words)) for label, words in warnings if words]
    for fact in facts_of(card):
        before = (styled(Style.MUTED, "span", fact.before),) if fact.before else ()
        rows.append(row(fact.label, joined((*before, sheet.words(fact.text)))))
    if (deadline := deadline_of(card)) is not None:
        rows.append(row("expires", element("b", moment(deadline))))
    return table(rows)


def _region(sheet: MailSheet, region: Region) -> Html:
    remark = (" ", styled(Style.MUTED, "span", region.remark)) if region.remark else ()
    words = styled(Style.STRONG, "span", region.heading) if region.is_warning else region.heading
    heading = styled(Style.HEADING, "h2", words, *remark)
    return joined((heading, _content(sheet, region.content)))


def _content(sheet: MailSheet, content: Content) -> Html:
    match content:
        case Fields(entries=()):
            return styled(Style.MUTED, "p", "none")
        case Fields(entries=found):
            return sheet.entries(found)
        case Quote(text=text):
            return sheet.block(text)
        case Excerpt(text=text, characters=most):
            return sheet.excerpt(text, most)
        case Diff(before=before, after=after, text=text):
            said = (sheet.block(text),) if text else ()
            return joined((*said, sheet.text_diff(before, after)))
        case Edits(changes=found, editors=editors):
            by = (sheet.rows(("by", editor) for editor in editors),) if editors else ()
            return joined((*by, sheet.selected(found, sheet.change, "changes")))
        case Blanks(blanks=blanks):
            return sheet.selected(blanks, partial(_blank, sheet), "fields")
        case Notes(notes=notes):
            return sheet.selected(notes, partial(_note, sheet), "decisions")
        case Pasts(calls=calls):
            draw = partial(_past, sheet)
            return sheet.selected(calls, draw, "earlier calls", elidable=True)
        case _:
            assert_never(content)


def _blank(sheet: MailSheet, blank: Blank) -> Html:
    field = blank.field
    kind = f"{field.type.replace('_', ' ')}{', required' if field.required else ''}"
    sign = "* " if field.required else ""
    name = joined((sign, sheet.words(field.name), " ", styled(Style.MUTED, "span", kind)))
    about = (element("div", part) for part in _about(sheet, blank))
    return wide_row(name, *about)


def _about(sheet: MailSheet, blank: Blank) -> Iterator[Html]:
    field = blank.field
    if field.label.lower() != field.name.replace("_", " ").lower():
        yield sheet.words(field.label)
    if field.help:
        yield sheet.words(field.help)
    if blank.only_if is not None:
        yield table((sheet.value(condition_words(blank.only_if), blank.only_if.value),))
    if field.own_choices:
        yield sheet.selected(field.own_choices, partial(_option, sheet), "options")
    if blank.prefilled is not None and not field.kind.is_secret:
        yield table((sheet.value("filled in with", blank.prefilled),))


def _option(sheet: MailSheet, option: Option) -> Html:
    label = f"  {safe_line(option.label)}" if option.label else ""
    return wide_row("○ ", sheet.safe(quoted(option.value) + label))


def _note(sheet: MailSheet, note: Note) -> Html:
    who = joined((" by ", sheet.words(note.by), " via ", sheet.words(note.channel)))
    reason = (sheet.block(note.reason),) if note.reason else ()
    return wide_row(_time(note.at), done_words(note.verdict), who, *reason)


def _past(sheet: MailSheet, past: Past) -> Html:
    by = (" by ", sheet.words(past.by)) if past.by else ()
    arguments = (
        (sheet.excerpt(json_of(Members(past.arguments)), PAST_CHARS),) if past.arguments else ()
    )
    return wide_row(_time(past.at), past.status.replace("_", " "), *by, *arguments)


def _time(at: datetime) -> Html:
    return joined((styled(Style.MUTED, "span", moment(at)), " "))


def _choices(choices: Sequence[Choice]) -> Html:
    rows = (
        row(choice.verb.replace("_", " "), inert(safe_line(choice.effect))) for choice in choices
    )
    return joined((styled(Style.HEADING, "h2", "You can"), table(rows)))


def _footer(card: Card, *, is_marked: bool) -> Html:
    ids = f"{card.request_id} · {card.call_id} · revision {card.revision}"
    legend = joined(
        (element("mark", mark("…")), " spells out what the text itself would hide or disguise")
    )
    lines = [element("div", legend)] if is_marked else []
    lines.append(element("div", "request ", inert(safe_line(ids))))
    lines.append(element("div", "sha256 ", inert(safe_line(card.arguments_digest))))
    return styled(Style.FOOT, "div", *lines)


def _stub(card: Card) -> Rendered:
    """Return the shortest form of a card, for one that does not fit with any cuts."""
    sheet = MailSheet(room=10 * _NAME_CHARS, cut=True, withheld=True)
    name = clip(card.tool, _NAME_CHARS)
    hidden = mark(f"{name.hidden:,} characters not shown") if name.hidden else ""
    tool = inert(safe_line(name.head) + hidden + safe_line(name.tail))
    count = len(card.arguments)
    words = f"{count:,} argument{'' if count == 1 else 's'}, and more than fits into a mail"
    parts = [
        _title(card),
        styled(Style.TOOL, "div", styled(Style.CODE, "code", tool)),
        table((row("not shown", Html(words)),)),
    ]
    return _rendered(card, parts, offered(card, withheld=True), sheet)
