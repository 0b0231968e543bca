"""Writing values of a card to a sheet: short ones on one line, others as a tree or a block."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import assert_never

from assent.domain.canonical import Path
from assent.domain.cards import (
    Added,
    Blob,
    Changed,
    FieldChange,
    Items,
    Members,
    NamedValue,
    Null,
    Number,
    Removed,
    Secret,
    Text,
    Truth,
    Value,
)
from assent.presentation.characters import width_of
from assent.presentation.diff import LineState, line_edits
from assent.presentation.sheet import Sheet, SheetPlace, Span, SpanRole, fits
from assent.presentation.text import quoted, safe_line
from assent.presentation.truncation import select, select_lines

MASK = "••••••"
UNINSPECTABLE = "uninspectable data"
LABEL_COLUMNS = 20
_BLOB_COLUMN = 10
_INLINE_ITEMS = 8
_INLINE_CHARS = 160
_BARE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")

_Row = tuple[str, Value, bool]


def put_entries(sheet: Sheet, entries: Sequence[NamedValue], place: SheetPlace) -> None:
    """Write named values below each other, the short ones in a column."""
    rows = [(name_label(e.name), e.value, place.elidable or e.elidable) for e in entries]
    _put_rows(sheet, rows, place, "fields")


def put_value(sheet: Sheet, label: str, value: Value, place: SheetPlace, column: int = 0) -> None:
    """Write one value after its label, in full unless the sheet has a limit."""
    used = place.indent + place.lead
    if not fits(label, sheet.room(used + 2)) or sheet.is_long(label, place):
        label, column = _put_name(sheet, label, place), 0
    inline = inline_of(value)
    space = max(width_of(label), column) + 2
    short = inline is not None and fits(inline, sheet.room(used + space))
    if inline is not None and short and not sheet.is_long(inline, place):
        padding = " " * (space - width_of(label))
        sheet.put(place, Span(label + padding, SpanRole.LABEL), Span(inline, place.role))
        return
    remark = described(value)
    shown = remark if fits(remark, sheet.room(used + width_of(label) + 2)) else ""
    role = SpanRole.WARNING if isinstance(value, Blob) else SpanRole.MUTED
    sheet.put(place, Span(f"{label}  ", SpanRole.LABEL), Span(shown, role))
    _put_inside(sheet, value, place.inside())


def put_change(sheet: Sheet, change: FieldChange, place: SheetPlace) -> None:
    """Write one edited field: the model's value after `-`, the current one after `+`."""
    label = path_label(change.path)
    removed = replace(place, sign="-", role=SpanRole.REMOVED)
    added = replace(place, sign="+", role=SpanRole.ADDED)
    match change:
        case Changed(old=Text(text=old), new=Text(text=new)) if "\n" in old and "\n" in new:
            _put_heading(sheet, label, replace(place, sign="~"))
            put_line_edits(sheet, old, new, place.inside())
        case Changed(old=old, new=new):
            put_value(sheet, label, old, removed)
            put_value(sheet, label, new, added)
        case Removed(old=old):
            put_value(sheet, label, old, removed)
        case Added(new=new):
            put_value(sheet, label, new, added)
        case _:
            assert_never(change)


def put_line_edits(sheet: Sheet, before: str, after: str, place: SheetPlace) -> None:
    """Write a unified diff of two texts."""
    selection = select_lines(line_edits(before, after), sheet.characters(place))
    _put_lines(sheet, selection.head, place)
    if selection.hidden:
        sheet.leave_out(f"{selection.hidden:,} lines not shown", place)
    _put_lines(sheet, selection.tail, place)


def _put_lines(sheet: Sheet, lines: Sequence[tuple[LineState, str]], place: SheetPlace) -> None:
    for edit, line in lines:
        match edit:
            case LineState.KEPT:
                sheet.foreign(line, replace(place, sign=" "))
            case LineState.REMOVED:
                sheet.foreign(line, replace(place, sign="-", role=SpanRole.REMOVED))
            case LineState.ADDED:
                sheet.foreign(line, replace(place, sign="+", role=SpanRole.ADDED))
            case LineState.SKIPPED:
                sheet.put(replace(place, sign=" "), Span(f"… {line}", SpanRole.MUTED))
            case _:
                assert_never(edit)


def inline_of(value: Value) -> str | None:
    """Return a value as one short line of JSON; None if it needs more room."""
    match value:
        case Text(text=text):
            return None if "\n" in text or len(text) > _INLINE_CHARS else quoted(text)
        case Number(literal=literal):
            return literal
        case Truth(value=truth):
            return "true" if truth else "false"
        case Null():
            return "null"
        case Secret():
            return MASK
        case Blob():
            return None
        case Items(items=items):
            return _joined("[", map(inline_of, items), "]")
        case Members(members=members):
            return _joined("{", map(_inline_member, members), "}")
        case _:
            assert_never(value)


def name_label(name: str) -> str:
    """Return a plain name as it is, any other as a quoted string."""
    return name if _BARE_NAME.fullmatch(name) else quoted(name)


def path_label(path: Path) -> str:
    """Return a path to a nested field: `to[0].address`."""
    label = ""
    for step in path:
        if isinstance(step, int):
            label += f"[{step}]"
        else:
            label += f".{name_label(step)}" if label else name_label(step)
    return label


def described(value: Value) -> str:
    """Describe a value that is not shown beside its name, in our words."""
    match value:
        case Text(text=text):
            lines = f"{text.count(chr(10)) + 1:,} lines, " if "\n" in text else ""
            return f"text, {lines}{len(text):,} characters"
        case Number():
            return "number"
        case Blob():
            return UNINSPECTABLE
        case Items(items=items):
            return f"list of {len(items):,}"
        case Members(members=members):
            return f"object with {len(members):,} field{'' if len(members) == 1 else 's'}"
        case Truth() | Null() | Secret():
            return ""
        case _:
            assert_never(value)


def blob_facts(blob: Blob) -> tuple[tuple[str, str], ...]:
    """Return the facts about data that people cannot read: its type, size and hash."""
    kind = f"{blob.media}, by its first bytes" if blob.media else "unknown"
    facts = [("type", kind), ("size", f"{blob.size:,} bytes"), ("sha256", blob.sha256)]
    if blob.declared:
        facts.insert(1, ("declared", blob.declared))
    return tuple(facts)


def json_of(value: Value) -> str:
    """Return a value as JSON, for places without room for a tree; it is not safe text yet."""
    match value:
        case Text(text=text) | Blob(encoded=text):
            return json.dumps(text, ensure_ascii=False)
        case Items(items=items):
            return f"[{', '.join(map(json_of, items))}]"
        case Members(members=members):
            parts = (
                f"{json.dumps(m.name, ensure_ascii=False)}: {json_of(m.value)}" for m in members
            )
            return f"{{{', '.join(parts)}}}"
        case Number() | Truth() | Null() | Secret():
            return inline_of(value) or ""
        case _:
            assert_never(value)


def _put_name(sheet: Sheet, label: str, place: SheetPlace) -> str:
    """Write a long name on lines of its own; return the label for its value."""
    sheet.put(place, Span("a long name, then its value", SpanRole.MUTED))
    sheet.safe(label, place)
    return "="


def _put_heading(sheet: Sheet, label: str, place: SheetPlace) -> None:
    room = sheet.room(place.indent + place.lead + 2)
    if fits(label, room) and not sheet.is_long(label, place):
        sheet.put(place, Span(label, SpanRole.LABEL))
    else:
        _put_name(sheet, label, place)


def _put_inside(sheet: Sheet, value: Value, place: SheetPlace) -> None:
    if isinstance(value, Items | Members) and (sheet.is_narrow(place) or sheet.limits.flat):
        sheet.foreign(json_of(value), place)
        return
    match value:
        case Text(text=text):
            sheet.foreign(text, place)
        case Blob(encoded=encoded):
            for label, words in blob_facts(value):
                sheet.own(place.indent, label, _BLOB_COLUMN, safe_line(words))
            sheet.foreign(encoded, place)
        case Items(items=items):
            rows = [(f"[{n}]", item, place.elidable) for n, item in enumerate(items)]
            _put_rows(sheet, rows, place, "items")
        case Members(members=members):
            put_entries(sheet, members, place)
        case Number() | Truth() | Null() | Secret():
            sheet.foreign(json_of(value), place)
        case _:
            assert_never(value)


def _put_rows(sheet: Sheet, rows: Sequence[_Row], place: SheetPlace, unit: str) -> None:
    # Very long names do not widen the column.
    widths = [width for width in (width_of(row[0]) for row in rows) if width <= LABEL_COLUMNS]
    column = max(widths, default=0)
    selection = select(rows, sheet.items(place))
    for label, value, elidable in selection.head:
        put_value(sheet, label, value, replace(place, elidable=elidable), column)
    if selection.hidden:
        sheet.leave_out(f"{selection.hidden:,} {unit} not shown", place)
    for label, value, elidable in selection.tail:
        put_value(sheet, label, value, replace(place, elidable=elidable), column)


def _inline_member(entry: NamedValue) -> str | None:
    inline = inline_of(entry.value)
    return None if inline is None else f"{quoted(entry.name)}: {inline}"


def _joined(opening: str, parts: Iterable[str | None], closing: str) -> str | None:
    # Part by part, so that a huge tree costs no more than the parts that fit.
    shown: list[str] = []
    room = _INLINE_CHARS
    for part in parts:
        room -= len(part or "") + 2
        if part is None or room < 0 or len(shown) == _INLINE_ITEMS:
            return None
        shown.append(part)
    return opening + ", ".join(shown) + closing
