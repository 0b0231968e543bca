"""Cards for a terminal, with colours; foreign text cannot send escape sequences."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from assent.domain.cards import Card, FieldChange, NamedValue
from assent.presentation.page import lay_out
from assent.presentation.rendering import RENDERER_VERSION, UNLIMITED, FieldLimits, Rendered
from assent.presentation.sheet import Line, Sheet, SheetPlace, Span, SpanRole
from assent.presentation.sheet_values import put_change, put_entries

VERSION = f"terminal/{RENDERER_VERSION}"
COLUMNS = 80
MIN_COLUMNS = 24

_RESET = "\x1b[0m"
# A mark, or the part of it on this line; delimiters in foreign text were spelt out before.
_MARK = re.compile("⟨[^⟩]*⟩?|^[^⟨⟩]*⟩")
_MARKED = "\x1b[30;43m"
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
}


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


def _text(sheet: Sheet, *, colour: bool) -> str:
    return "\n".join(map(_painted, sheet.lines)) + "\n" if colour else sheet.text()


def _painted(line: Line) -> str:
    return "".join(map(_span, line)).rstrip(" ")


def _span(span: Span) -> str:
    style = _STYLES[span.role] if span.text else ""
    text = _MARK.sub(lambda match: f"{_RESET}{_MARKED}{match.group()}{_RESET}{style}", span.text)
    return f"{style}{text}{_RESET}" if style or text != span.text else text
