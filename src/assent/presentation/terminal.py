"""Cards for a terminal, with colours; foreign text cannot send escape sequences."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from assent.domain.cards import Card, FieldChange, NamedValue
from assent.presentation.page import lay_out
from assent.presentation.rendering import RENDERER_VERSION, UNLIMITED, FieldLimits, Rendered
from assent.presentation.sheet import Line, Sheet, SheetPlace, Span, SpanRole
from assent.presentation.sheet_values import put_change, put_entries

VERSION = f"terminal/{RENDERER_VERSION}"
COLUMNS = 80
MIN_COLUMNS = 24

_TOP = SheetPlace(indent=0)
_RESET = "\x1b[0m"
# A mark, or the part of it on this line; delimiters in foreign text were spelt out before.
_MARK = re.compile("⟨[^⟩]*⟩?|^[^⟨⟩]*⟩")
_STYLES = {
    SpanRole.FRAME: "\x1b[2m",
    SpanRole.TITLE: "\x1b[1m",
    SpanRole.HEADING: "\x1b[1;4m",
    SpanRole.LABEL: "\x1b[36m",
    SpanRole.STRONG: "\x1b[1m",
    SpanRole.PLAIN: "",
    SpanRole.MUTED: "\x1b[2m",
    SpanRole.ADDED: "\x1b[32m",
    SpanRole.REMOVED: "\x1b[31m",
    SpanRole.WARNING: "\x1b[1;33m",
    SpanRole.SAFE: "\x1b[1;30;42m",
    SpanRole.MODERATE: "\x1b[1;30;43m",
    SpanRole.DANGEROUS: "\x1b[1;37;41m",
    SpanRole.CLOCK: "\x1b[1m",
    SpanRole.MARK: "\x1b[30;43m",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CardSheet:
    """A card as lines of spans, for an app that paints them itself, and what a decision records."""

    lines: tuple[Line, ...]
    rendered: Rendered


def render(
    card: Card,
    *,
    now: datetime | None = None,
    width: int = COLUMNS,
    colour: bool = True,
    limits: FieldLimits = UNLIMITED,
) -> Rendered:
    """Return the card for a terminal of this width; pass `colour=False` for NO_COLOR."""
    sheet = Sheet(width=max(width, MIN_COLUMNS), limits=limits)
    choices = lay_out(card, sheet, now)
    return Rendered(
        text=_text(sheet, colour=colour),
        complete=not sheet.withheld,
        cut=sheet.cut,
        choices=choices,
        version=VERSION,
        lasting=sheet.lasting(),
    )


def lay_out_card(card: Card, *, width: int = COLUMNS) -> CardSheet:
    """Return the card as lines of spans, without remaining times; nothing is cut."""
    sheet = Sheet(width=max(width, MIN_COLUMNS))
    choices = lay_out(card, sheet, None)
    rendered = Rendered(
        text=sheet.text(),
        complete=not sheet.withheld,
        cut=sheet.cut,
        choices=choices,
        version=VERSION,
        lasting=sheet.lasting(),
    )
    return CardSheet(lines=tuple(map(_marked, sheet.lines)), rendered=rendered)


def lay_out_edit(
    changes: Iterable[FieldChange], entries: Sequence[NamedValue], *, width: int = COLUMNS
) -> tuple[Line, ...]:
    """Return an edit as lines of spans: its changes, then everything that would run."""
    sheet = Sheet(width=max(width, MIN_COLUMNS))
    sheet.put(_TOP, Span("Your changes", SpanRole.HEADING))
    for change in changes:
        put_change(sheet, change, SheetPlace(indent=2))
    sheet.gap()
    runs = "It will run with" if entries else "It will run with no arguments"
    sheet.put(_TOP, Span(runs, SpanRole.HEADING))
    put_entries(sheet, entries, SheetPlace(indent=2))
    return tuple(map(_marked, sheet.lines))


def render_changes(
    changes: Iterable[FieldChange], *, width: int = COLUMNS, colour: bool = True
) -> str:
    """Return edits alone, before they are approved: `-` as it is, `+` as it would run."""
    sheet = Sheet(width=max(width, MIN_COLUMNS))
    for change in changes:
        put_change(sheet, change, SheetPlace(indent=2))
    return _text(sheet, colour=colour)


def render_entries(
    entries: Sequence[NamedValue], *, width: int = COLUMNS, colour: bool = True
) -> str:
    """Return all arguments of an edit, before it is approved."""
    sheet = Sheet(width=max(width, MIN_COLUMNS))
    put_entries(sheet, entries, SheetPlace(indent=2))
    return _text(sheet, colour=colour)


def _marked(line: Line) -> Line:
    """Return the line with each mark as a span of its own."""
    return tuple(piece for span in line for piece in _pieces(span))


def _pieces(span: Span) -> Iterator[Span]:
    start = 0
    for match in _MARK.finditer(span.text):
        if before := span.text[start : match.start()]:
            yield Span(before, span.role)
        yield Span(match.group(), SpanRole.MARK)
        start = match.end()
    if rest := span.text[start:]:
        yield Span(rest, span.role)


def _text(sheet: Sheet, *, colour: bool) -> str:
    return "\n".join(map(_painted, sheet.lines)) + "\n" if colour else sheet.text()


def _painted(line: Line) -> str:
    return "".join(map(_span, line)).rstrip(" ")


def _span(span: Span) -> str:
    style = _STYLES[span.role] if span.text else ""
    text = _MARK.sub(
        lambda match: f"{_RESET}{_STYLES[SpanRole.MARK]}{match.group()}{_RESET}{style}", span.text
    )
    return f"{style}{text}{_RESET}" if style or text != span.text else text
