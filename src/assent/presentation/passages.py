"""Writing the regions of a card as lines, for surfaces with text of a fixed width."""

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from assent.domain.cards import Blank, Condition, Members, Note, Past, Text
from assent.domain.fields import Option
from assent.domain.verdicts import done_words
from assent.presentation.characters import width_of
from assent.presentation.outline import (
    Blanks,
    CardFact,
    Content,
    Diff,
    Edits,
    Excerpt,
    Fields,
    Notes,
    Pasts,
    Quote,
    moment,
)
from assent.presentation.sheet import Sheet, SheetPlace, Span, SpanRole, fits
from assent.presentation.sheet_values import (
    json_of,
    put_change,
    put_entries,
    put_line_edits,
    put_value,
)
from assent.presentation.text import quoted, safe_line
from assent.presentation.truncation import select

FACT_COLUMN = 8
PAST_CHARS = 160
LINE_CHARS = 400


def put_content(sheet: Sheet, content: Content, place: SheetPlace) -> None:
    """Write the content of a region."""
    match content:
        case Fields(entries=entries):
            put_entries(sheet, entries, place)
        case Quote(text=text):
            sheet.foreign(text, place)
        case Excerpt(text=text, characters=most):
            sheet.excerpt(text, most, place)
        case Diff(before=before, after=after, text=text):
            if text:
                sheet.foreign(text, place)
            put_line_edits(sheet, before, after, place)
        case Edits():
            _edits(sheet, content, place)
        case Blanks(blanks=blanks):
            _blanks(sheet, blanks, place)
        case Notes(notes=notes):
            _notes(sheet, notes, place)
        case Pasts(calls=calls):
            _pasts(sheet, calls, place)
        case _:
            assert_never(content)


def put_fact(sheet: Sheet, fact: CardFact, place: SheetPlace) -> None:
    """Write a label of ours and a foreign text, beside it or below it."""
    head = Span(fact.label.ljust(FACT_COLUMN + 2), SpanRole.LABEL)
    before = Span(fact.before, SpanRole.MUTED)
    room = sheet.room(place.indent + FACT_COLUMN + 2 + width_of(fact.before))
    if fits_line(fact.text, room):
        sheet.put(place, head, before, Span(safe_line(fact.text)))
        return
    sheet.own(place.indent, fact.label, FACT_COLUMN, fact.before)
    sheet.foreign(fact.text, place.inside())


def fits_line(text: str, room: int) -> bool:
    """Return True if a foreign text, made safe, fits on one line."""
    # Counted padding can make a long text short; such a text does not belong on one line.
    return len(text) <= LINE_CHARS and "\n" not in text and fits(safe_line(text), room)


def condition_words(condition: Condition) -> str:
    """Return the words for a condition up to its value: `only if colour is`."""
    return f"only if {condition.field} {'includes' if condition.among else 'is'}"


def _edits(sheet: Sheet, edits: Edits, place: SheetPlace) -> None:
    for editor in edits.editors:
        put_fact(sheet, CardFact(label="by", text=editor), place)
    selection = select(edits.changes, sheet.items(place))
    for change in selection.head:
        put_change(sheet, change, place)
    if selection.hidden:
        sheet.leave_out(f"{selection.hidden:,} changes not shown", place)
    for change in selection.tail:
        put_change(sheet, change, place)


def _blanks(sheet: Sheet, blanks: Sequence[Blank], place: SheetPlace) -> None:
    selection = select(blanks, sheet.items(place))
    for blank in selection.head:
        _blank(sheet, blank, place)
    if selection.hidden:
        sheet.leave_out(f"{selection.hidden:,} fields not shown", place)
    for blank in selection.tail:
        _blank(sheet, blank, place)


def _blank(sheet: Sheet, blank: Blank, place: SheetPlace) -> None:
    field, inside = blank.field, place.inside()
    sign = "* " if field.required else "  "
    name, kind = field.name, field.type.replace("_", " ")
    if fits(f"{sign}{name}  {kind}", sheet.room(place.indent)):
        spans = (Span(name, SpanRole.LABEL), Span(f"  {kind}", SpanRole.MUTED))
        sheet.put(place, Span(sign, SpanRole.WARNING), *spans)
    else:
        sheet.foreign(f"{sign}{name} ({kind})", place)
    if field.label.lower() != field.name.replace("_", " ").lower():
        sheet.foreign(field.label, inside)
    if field.help:
        sheet.foreign(field.help, inside)
    if blank.only_if is not None:
        put_value(sheet, condition_words(blank.only_if), blank.only_if.value, inside)
    _options(sheet, field.own_choices, replace(inside, sign="○", role=SpanRole.MUTED))
    if blank.prefilled is not None and not field.kind.is_secret:
        put_value(sheet, "filled in with", blank.prefilled, inside)


def _options(sheet: Sheet, options: Sequence[Option], place: SheetPlace) -> None:
    selection = select(options, sheet.items(place))
    for option in selection.head:
        _option(sheet, option, place)
    if selection.hidden:
        sheet.leave_out(f"{selection.hidden:,} options not shown", place)
    for option in selection.tail:
        _option(sheet, option, place)


def _option(sheet: Sheet, option: Option, place: SheetPlace) -> None:
    label = f"  {safe_line(option.label)}" if option.label else ""
    line = quoted(option.value) + label
    if fits(line, sheet.room(place.indent + place.lead)):
        sheet.put(place, Span(line))
    else:
        sheet.safe(line, place)


def _notes(sheet: Sheet, notes: Sequence[Note], place: SheetPlace) -> None:
    selection = select(notes, sheet.items(place))
    for note in selection.head:
        _note(sheet, note, place)
    if selection.hidden:
        sheet.leave_out(f"{selection.hidden:,} decisions not shown", place)
    for note in selection.tail:
        _note(sheet, note, place)


def _note(sheet: Sheet, note: Note, place: SheetPlace) -> None:
    sheet.put(place, Span(moment(note.at), SpanRole.MUTED), Span(f"  {done_words(note.verdict)}"))
    put_value(sheet, "by", Text(note.by), place.inside(), column=3)
    put_value(sheet, "via", Text(note.channel), place.inside(), column=3)
    if note.reason:
        sheet.foreign(note.reason, place.inside())


def _pasts(sheet: Sheet, calls: Sequence[Past], place: SheetPlace) -> None:
    # No decision rests on these, so a surface without room may leave some out.
    selection = select(calls, sheet.items(place.elided()))
    for past in (*selection.head, *selection.tail):
        _past(sheet, past, place)
    if selection.hidden:
        sheet.leave_out(f"{selection.hidden:,} earlier calls not shown", place.elided())


def _past(sheet: Sheet, past: Past, place: SheetPlace) -> None:
    status = past.status.replace("_", " ")
    sheet.put(place, Span(moment(past.at), SpanRole.MUTED), Span(f"  {status}"))
    if past.by:
        put_value(sheet, "by", Text(past.by), place.inside().elided(), column=3)
    if past.arguments:
        sheet.excerpt(json_of(Members(past.arguments)), PAST_CHARS, place.inside())
