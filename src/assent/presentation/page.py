"""Cards as one framed page of text, for terminals, mails and logs."""

from datetime import datetime, timedelta

from assent.domain.cards import Card, Choice
from assent.domain.tools import Risk
from assent.presentation.characters import width_of
from assent.presentation.outline import (
    CardFact,
    Fields,
    Region,
    deadline_of,
    facts_of,
    moment,
    regions_of,
    rejections_of,
    warning_of,
)
from assent.presentation.passages import FACT_COLUMN, fits_line, put_content, put_fact
from assent.presentation.rendering import offered
from assent.presentation.sheet import Sheet, SheetPlace, Span, SpanRole, fits
from assent.presentation.text import mark, safe_line

RULE_COLUMNS = 72
DIGEST_CHARS = 16

_BODY = SheetPlace(indent=2)
_INNER = SheetPlace(indent=4)
_RISK_ROLES = {
    Risk.SAFE: SpanRole.SAFE,
    Risk.MODERATE: SpanRole.MODERATE,
    Risk.DANGEROUS: SpanRole.DANGEROUS,
}


def lay_out(card: Card, sheet: Sheet, now: datetime | None) -> tuple[Choice, ...]:
    """Write the whole card to the sheet; return the choices that may be offered with it."""
    _heading(card, sheet)
    put_tool(sheet, card, _BODY)
    put_facts(sheet, card, _BODY, now)
    sheet.gap()
    for region in regions_of(card):
        _region(sheet, region)
        sheet.gap()
    choices = offered(card, withheld=sheet.withheld)
    if choices:
        _title(sheet, "You can")
        put_choices(sheet, choices, _INNER)
    sheet.gap()
    put_footer(sheet, card, _BODY, is_marked=sheet.is_marked)
    sheet.lines.append((Span("━" * _columns(sheet), SpanRole.FRAME),))
    return choices


def remaining(time: timedelta) -> str:
    """Return the time until a deadline, rounded down: `in 23 h`."""
    seconds = int(time.total_seconds())
    if seconds <= 0:
        return "now"
    for size, unit in ((86_400 * 2, "days"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= size:
            return f"in {seconds // (86_400 if unit == 'days' else size)} {unit}"
    return "now"


def put_tool(sheet: Sheet, card: Card, place: SheetPlace) -> None:
    """Write the tool's name, category and source; never a title from a foreign server."""
    category = f"category {card.category}" if card.category else ""
    origin = f"from {card.source}" if card.is_foreign else ""
    parts = [part for part in (category, origin) if part]
    room = sheet.room(place.indent)
    if all(fits_line(text, room) for text in (card.tool, *parts)):
        about = " · ".join(map(safe_line, parts))
        name = safe_line(card.tool)
    else:
        about = name = ""
    if name and fits(f"{name}  {about}", room):
        sheet.put(
            place, Span(name, SpanRole.STRONG), Span(f"  {about}" if about else "", SpanRole.MUTED)
        )
        return
    sheet.foreign(card.tool, SheetPlace(indent=place.indent, role=SpanRole.STRONG))
    for label, text in (("category", card.category), ("from", card.source)):
        if text:
            put_fact(sheet, CardFact(label=label, text=text), place)


def put_facts(sheet: Sheet, card: Card, place: SheetPlace, now: datetime | None = None) -> None:
    """Write the facts that come before the arguments."""
    if warning := warning_of(card):
        sheet.own(place.indent, "risk", FACT_COLUMN, warning)
    if before := rejections_of(card):
        sheet.own(place.indent, "before", FACT_COLUMN, before)
    for fact in facts_of(card):
        put_fact(sheet, fact, place)
    if (deadline := deadline_of(card)) is not None:
        sheet.own(place.indent, "expires", FACT_COLUMN, moment(deadline))
        _clock(sheet, deadline, now)


def put_choices(sheet: Sheet, choices: tuple[Choice, ...], place: SheetPlace) -> None:
    """Write the choices with their effects."""
    labels = [choice.verb.replace("_", " ") for choice in choices]
    column = max(map(len, labels), default=0)
    for label, choice in zip(labels, choices, strict=True):
        sheet.own(place.indent, label, column, safe_line(choice.effect))


def put_footer(sheet: Sheet, card: Card, place: SheetPlace, *, is_marked: bool) -> None:
    """Write the ids of the request and the digest of its arguments."""
    if is_marked:
        words = "spells out what the text itself would hide or disguise"
        sheet.own(place.indent, mark("…"), FACT_COLUMN, words)
    ids = f"{card.request_id} · {card.call_id} · revision {card.revision}"
    sheet.own(place.indent, "request", FACT_COLUMN, safe_line(ids))
    whole = safe_line(card.arguments_digest)
    room = sheet.room(place.indent + FACT_COLUMN + 2)
    digest = whole if fits(whole, room) else f"{whole[:DIGEST_CHARS]}…"
    sheet.own(place.indent, "sha256", FACT_COLUMN, digest)


def _heading(card: Card, sheet: Sheet) -> None:
    risk = f" {card.risk.upper()} "
    fill = max(2, _columns(sheet) - width_of(card.title) - len(risk) - 6)
    sheet.lines.append(
        (
            Span("━━ ", SpanRole.FRAME),
            Span(card.title, SpanRole.TITLE),
            Span(f" {'━' * fill}", SpanRole.FRAME),
            Span(risk, _RISK_ROLES[card.risk]),
            Span("━━", SpanRole.FRAME),
        )
    )
    sheet.gap()


def _clock(sheet: Sheet, deadline: datetime, now: datetime | None) -> None:
    """Write the remaining time beside the deadline or below it."""
    if now is None:
        return
    words = remaining(deadline - now)
    line = "".join(span.text for span in sheet.lines[-1])
    if fits(f"{line}  {words}", sheet.room(0)):
        sheet.lines[-1] += (Span(f"  {words}", SpanRole.CLOCK),)
    else:
        sheet.lines.append((Span(" " * (_BODY.indent + FACT_COLUMN + 2) + words, SpanRole.CLOCK),))


def _region(sheet: Sheet, region: Region) -> None:
    match region.content:
        case Fields(entries=()):
            spans = Span(region.heading, SpanRole.HEADING), Span("  none", SpanRole.MUTED)
            sheet.put(_BODY, *spans)
        case _:
            role = SpanRole.WARNING if region.is_warning else SpanRole.HEADING
            _title(sheet, region.heading, region.remark, role)
            put_content(sheet, region.content, _INNER)


def _title(sheet: Sheet, words: str, remark: str = "", role: SpanRole = SpanRole.HEADING) -> None:
    one_line = fits(f"{words}  {remark}", sheet.room(_BODY.indent))
    if remark and one_line:
        sheet.put(_BODY, Span(words, role), Span(f"  {remark}", SpanRole.MUTED))
        return
    sheet.put(_BODY, Span(words, role))
    if remark:
        sheet.put(_BODY, Span(remark, SpanRole.MUTED))


def _columns(sheet: Sheet) -> int:
    return RULE_COLUMNS if sheet.width is None else sheet.width
