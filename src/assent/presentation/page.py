"""A card laid out: the same regions in the same order on every text surface."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import assert_never

from assent.domain.cards import (
    Blank,
    Card,
    CardPreview,
    Choice,
    DiffPreview,
    FailedPreview,
    Note,
    Text,
    TextPreview,
    Verb,
)
from assent.domain.fields import FieldType, Option
from assent.domain.lifecycle import RequestStatus
from assent.domain.tools import Risk
from assent.presentation.elision import clip
from assent.presentation.fields import put_change, put_entries, put_line_edits, put_value
from assent.presentation.sheet import Place, Role, Sheet, Span, fits
from assent.presentation.text import mark, quoted, safe_line
from assent.presentation.wrapping import width_of

AGENT_WORDS_CHARS = 600
RULE_COLUMNS = 72
FACT_COLUMN = 8
DIGEST_CHARS = 16

REVIEW = Choice(verb=Verb.REVIEW, effect="open the full review: not everything is shown here")

_BODY = Place(indent=2)
_INNER = Place(indent=4)
_RISK_ROLES = {
    Risk.SAFE: Role.SAFE,
    Risk.MODERATE: Role.MODERATE,
    Risk.DANGEROUS: Role.DANGEROUS,
}


def lay_out(card: Card, sheet: Sheet, now: datetime) -> tuple[Choice, ...]:
    """Write the whole card onto the sheet; the choices that may be offered with it."""
    _heading(card, sheet)
    _facts(card, sheet, now)
    _arguments(card, sheet)
    _preview(card.preview, sheet)
    _edits(card, sheet)
    _form(card, sheet)
    # After the arguments: what the agent says about a call must not be read before the call.
    _agent_words(card, sheet)
    _history(card, sheet)
    choices = _choices(card, sheet)
    _footer(card, sheet)
    return choices


def remaining(time: timedelta) -> str:
    """How long until a deadline, rounded down: `in 23 h`."""
    seconds = int(time.total_seconds())
    if seconds <= 0:
        return "now"
    for size, unit in ((86_400 * 2, "days"), (3600, "h"), (60, "min"), (1, "s")):
        if seconds >= size:
            return f"in {seconds // (86_400 if unit == 'days' else size)} {unit}"
    return "now"


def _heading(card: Card, sheet: Sheet) -> None:
    risk = f" {card.risk.upper()} "
    fill = max(2, _columns(sheet) - width_of(card.title) - len(risk) - 6)
    sheet.lines.append(
        (
            Span("━━ ", Role.FRAME),
            Span(card.title, Role.TITLE),
            Span(f" {'━' * fill}", Role.FRAME),
            Span(risk, _RISK_ROLES[card.risk]),
            Span("━━", Role.FRAME),
        )
    )
    sheet.gap()


def _facts(card: Card, sheet: Sheet, now: datetime) -> None:
    _tool(card, sheet)
    claim = "its server says: " if card.is_foreign else ""
    _fact(sheet, "impact", card.impact, before=claim)
    _fact(sheet, "question", card.question)
    _fact(sheet, "why", card.reason)
    _fact(sheet, "agent", card.agent)
    _fact(sheet, "for", card.on_behalf_of)
    if card.deadline is not None and card.status is RequestStatus.OPEN:
        until = f"{card.deadline.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
        words = f"{remaining(card.deadline - now)} ({until})"
        sheet.own(_BODY.indent, "expires", FACT_COLUMN, words)
    sheet.gap()


def _tool(card: Card, sheet: Sheet) -> None:
    origin = f"from {card.source}" if card.is_foreign else ""
    about = " · ".join(safe_line(part) for part in (card.category, origin) if part)
    name = safe_line(card.tool)
    if fits(f"{name}  {about}", sheet.room(_BODY.indent)):
        sheet.put(_BODY, Span(name, Role.STRONG), Span(f"  {about}" if about else "", Role.MUTED))
        return
    sheet.foreign(card.tool, Place(indent=_BODY.indent, role=Role.STRONG))
    _fact(sheet, "kind", card.category)
    _fact(sheet, "from", card.source)


def _fact(sheet: Sheet, label: str, text: str, *, before: str = "") -> None:
    """A short text of somebody else behind our label."""
    if not text:
        return
    head = Span(label.ljust(FACT_COLUMN + 2), Role.LABEL)
    room = sheet.room(_BODY.indent + FACT_COLUMN + 2 + width_of(before))
    if "\n" not in text and fits(safe_line(text), room):
        sheet.put(_BODY, head, Span(before, Role.MUTED), Span(safe_line(text)))
        return
    sheet.put(_BODY, head, Span(before, Role.MUTED))
    sheet.foreign(text, _INNER)


def _arguments(card: Card, sheet: Sheet) -> None:
    if not card.arguments:
        sheet.put(_BODY, Span("Arguments", Role.HEADING), Span("  none", Role.MUTED))
    else:
        _title(sheet, "Arguments")
        put_entries(sheet, card.arguments, _INNER)
    sheet.gap()
    if card.details:
        _title(sheet, "The tool adds")
        put_entries(sheet, card.details, _INNER)
        sheet.gap()


def _preview(preview: CardPreview | None, sheet: Sheet) -> None:
    match preview:
        case None:
            return
        case TextPreview(text=text):
            _title(sheet, "Preview", "what the tool says it would do")
            sheet.foreign(text, _INNER)
        case DiffPreview(before=before, after=after, text=text):
            _title(sheet, "Preview", "what the tool says it would change")
            if text:
                sheet.foreign(text, _INNER)
            put_line_edits(sheet, before, after, _INNER)
        case FailedPreview(reason=reason):
            sheet.put(_BODY, Span("Preview failed", Role.WARNING))
            sheet.foreign(reason, _INNER)
        case _:
            assert_never(preview)
    sheet.gap()


def _edits(card: Card, sheet: Sheet) -> None:
    if not card.edits:
        return
    heading = f"Changed by {', '.join(map(safe_line, card.edited_by))}"
    named = bool(card.edited_by) and fits(heading, sheet.room(_BODY.indent))
    _title(sheet, heading if named else "Changed", "- as the model had it  + as it will run")
    for editor in () if named else card.edited_by:
        _fact(sheet, "by", editor)
    for change in card.edits:
        put_change(sheet, change, _INNER)
    sheet.gap()


def _form(card: Card, sheet: Sheet) -> None:
    if not card.blanks:
        return
    _title(sheet, "To fill in", "* is required")
    for blank in card.blanks:
        _blank(blank, sheet)
    sheet.gap()


def _blank(blank: Blank, sheet: Sheet) -> None:
    field, inside = blank.field, _INNER.inside()
    sign = "* " if field.required else "  "
    sheet.put(
        _INNER,
        Span(sign, Role.WARNING),
        Span(field.name, Role.LABEL),
        Span(f"  {field.type.replace('_', ' ')}", Role.MUTED),
    )
    if field.label.lower() != field.name.replace("_", " ").lower():
        sheet.foreign(field.label, inside)
    if field.help:
        sheet.foreign(field.help, inside)
    for option in field.choices:
        _option(option, sheet, replace(inside, sign="○", role=Role.MUTED))
    if blank.prefilled is not None and field.type is not FieldType.SECRET:
        put_value(sheet, "filled in with", blank.prefilled, inside)


def _option(option: Option, sheet: Sheet, place: Place) -> None:
    label = f"  {safe_line(option.label)}" if option.label else ""
    line = quoted(option.value) + label
    if fits(line, sheet.room(place.indent + place.lead)):
        sheet.put(place, Span(line))
    else:
        sheet.safe(line, place)


def _agent_words(card: Card, sheet: Sheet) -> None:
    if not card.agent_words:
        return
    _title(sheet, "The agent says", "its own words, not checked")
    words = clip(card.agent_words, AGENT_WORDS_CHARS)
    sheet.foreign(words.head, _INNER.elided())
    if words.hidden:
        sheet.remark(f"{words.hidden:,} characters not shown", _INNER)
        sheet.foreign(words.tail, _INNER.elided())
    sheet.gap()


def _history(card: Card, sheet: Sheet) -> None:
    if not card.history:
        return
    _title(sheet, "So far")
    for note in card.history:
        _note(note, sheet)
    sheet.gap()


def _note(note: Note, sheet: Sheet) -> None:
    at = f"{note.at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    sheet.put(_INNER, Span(at, Role.MUTED), Span(f"  {note.verdict.replace('_', ' ')}"))
    put_value(sheet, "by", Text(note.by), _INNER.inside(), column=3)
    put_value(sheet, "via", Text(note.channel), _INNER.inside(), column=3)
    if note.reason:
        sheet.foreign(note.reason, _INNER.inside())


def _choices(card: Card, sheet: Sheet) -> tuple[Choice, ...]:
    # Nobody may approve here what they could not read here.
    choices = (REVIEW,) if sheet.withheld and card.choices else card.choices
    if choices:
        _title(sheet, "You can")
    labels = [choice.verb.replace("_", " ") for choice in choices]
    column = max(map(len, labels), default=0)
    for label, choice in zip(labels, choices, strict=True):
        sheet.own(_INNER.indent, label, column, safe_line(choice.effect))
    sheet.gap()
    return choices


def _footer(card: Card, sheet: Sheet) -> None:
    if any("⟨" in span.text for line in sheet.lines for span in line):
        words = "spells out what the text itself would hide or disguise"
        sheet.own(_BODY.indent, mark("…"), FACT_COLUMN, words)
    ids = f"{card.request_id} · {card.call_id} · revision {card.revision}"
    sheet.own(_BODY.indent, "request", FACT_COLUMN, safe_line(ids))
    whole = safe_line(card.arguments_digest)
    room = sheet.room(_BODY.indent + FACT_COLUMN + 2)
    digest = whole if fits(whole, room) else f"{whole[:DIGEST_CHARS]}…"
    sheet.own(_BODY.indent, "sha256", FACT_COLUMN, digest)
    sheet.lines.append((Span("━" * _columns(sheet), Role.FRAME),))


def _title(sheet: Sheet, words: str, remark: str = "") -> None:
    one_line = fits(f"{words}  {remark}", sheet.room(_BODY.indent))
    if remark and one_line:
        sheet.put(_BODY, Span(words, Role.HEADING), Span(f"  {remark}", Role.MUTED))
        return
    sheet.put(_BODY, Span(words, Role.HEADING))
    if remark:
        sheet.put(_BODY, Span(remark, Role.MUTED))


def _columns(sheet: Sheet) -> int:
    return RULE_COLUMNS if sheet.width is None else sheet.width
