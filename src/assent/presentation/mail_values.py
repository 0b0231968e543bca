"""Values of a card as HTML for mails: cut field by field to a limit, and with nothing to click.

Mail programs make links of text that looks like an address; theirs is the text between two tags, so
tags inside of addresses keep them from it.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar, assert_never

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
from assent.presentation.diff import LineState, line_edits
from assent.presentation.mail_style import Style, styled
from assent.presentation.markup import Html, element, joined, marked
from assent.presentation.rendering import UNLIMITED, FieldLimits
from assent.presentation.sheet import Full
from assent.presentation.sheet_values import (
    blob_facts,
    described,
    inline_of,
    json_of,
    name_label,
    path_label,
)
from assent.presentation.text import mark, safe_block, safe_line
from assent.presentation.truncation import Clip, clip, is_surely_longer, select, select_lines

T = TypeVar("T")

LABEL_CHARS: Final = 28
DEPTH_MAX: Final = 2
# Joints of an address: without them a mail program sees only words.
_JOINT: Final = re.compile(r"://|(?<=\w)[.@](?=[^\W\d_])")
_LINES: Final = {LineState.REMOVED: Style.OLD, LineState.ADDED: Style.NEW}


@dataclass(slots=True, kw_only=True)
class MailSheet:
    """Elements of a mail within limits, with flags for parts that were left out."""

    limits: FieldLimits = UNLIMITED
    # The number of characters that the mail has room for.
    room: int
    cut: bool = False
    withheld: bool = False

    def rows(self, found: Iterable[tuple[str, str]]) -> Html:
        """Return labels of ours with short foreign texts as a table."""
        return table(row(label, self.words(text)) for label, text in found)

    def entries(
        self, entries: Sequence[NamedValue], *, elidable: bool = False, depth: int = 0
    ) -> Html:
        """Return named values as a table."""
        rows = [(name_label(e.name), e.value, elidable or e.elidable) for e in entries]
        return self._table(rows, "fields", elidable=elidable, depth=depth)

    def value(self, label: str, value: Value, look: Style = Style.CODE) -> Html:
        """Return a row with one value after a label of safe text."""
        return self._row(label, value, elidable=False, depth=0, look=look)

    def words(self, text: str) -> Html:
        """Return foreign text on one line, or as a block if it has several."""
        if "\n" in text:
            return self.block(text)
        clipped = self._clipped(text, elidable=False)
        if not clipped.hidden:
            return self.safe(safe_line(text))
        hidden = self._leave_out(f"{clipped.hidden:,} characters not shown", elidable=False)
        return self.safe(f"{safe_line(clipped.head)}{hidden}{safe_line(clipped.tail)}")

    def safe(self, text: str) -> Html:
        """Return safe text as markup; raises `Full` if there is no room for it."""
        self.room -= len(text)
        if self.room < 0:
            raise Full
        return inert(text)

    def block(self, text: str, *, elidable: bool = False) -> Html:
        """Return foreign text with its line breaks."""
        clipped = self._clipped(text, elidable=elidable)
        shown = safe_block(clipped.head)
        if clipped.hidden:
            hidden = self._leave_out(f"{clipped.hidden:,} characters not shown", elidable=elidable)
            shown += hidden + safe_block(clipped.tail)
        return _block(self.safe(shown))

    def excerpt(self, text: str, most: int) -> Html:
        """Return foreign text that no decision rests on, with a counted cut."""
        limit = self._characters(elidable=True)
        clipped = clip(text, most if limit is None else min(most, limit))
        hidden = mark(f"{clipped.hidden:,} characters not shown") if clipped.hidden else ""
        return _block(self.safe(safe_block(clipped.head) + hidden + safe_block(clipped.tail)))

    def text_diff(self, before: str, after: str) -> Html:
        """Return a unified diff of two texts."""
        chosen = select_lines(line_edits(before, after), self._characters(elidable=False))
        lines = [self._line(edit, text) for edit, text in chosen.head]
        if chosen.hidden:
            words = f"{chosen.hidden:,} lines not shown"
            lines.append(joined((marked(self._leave_out(words, elidable=False)), "\n")))
        lines += [self._line(edit, text) for edit, text in chosen.tail]
        return _block(joined(lines))

    def change(self, change: FieldChange) -> Html:
        """Return one edited field as rows: the model's value after -, the current one after +."""
        label = path_label(change.path)
        match change:
            case Changed(old=Text(text=old), new=Text(text=new)) if "\n" in old and "\n" in new:
                return self._wide(f"~ {label}", self.text_diff(old, new))
            case Changed(old=old, new=new):
                return joined((self._old(label, old), self._new(label, new)))
            case Removed(old=old):
                return self._old(label, old)
            case Added(new=new):
                return self._new(label, new)
            case _:
                assert_never(change)

    def selected(
        self, items: Sequence[T], draw: Callable[[T], Html], unit: str, *, elidable: bool = False
    ) -> Html:
        """Return a table with a row for each item, and a count of those that do not fit."""
        chosen = select(items, self._items(elidable=elidable))
        head = [draw(item) for item in chosen.head]
        if chosen.hidden:
            words = self._leave_out(f"{chosen.hidden:,} {unit} not shown", elidable=elidable)
            head.append(wide_row(marked(words)))
        return table((*head, *(draw(item) for item in chosen.tail)))

    def _table(
        self, rows: Sequence[tuple[str, Value, bool]], unit: str, *, elidable: bool, depth: int
    ) -> Html:
        def draw(given: tuple[str, Value, bool]) -> Html:
            label, value, each = given
            return self._row(label, value, elidable=each, depth=depth)

        return self.selected(rows, draw, unit, elidable=elidable)

    def _row(
        self, label: str, value: Value, *, elidable: bool, depth: int, look: Style = Style.CODE
    ) -> Html:
        inline = inline_of(value)
        most = self._characters(elidable=elidable)
        if inline is not None and (most is None or len(inline) <= most):
            shown = styled(look, "code", self.safe(inline))
            if _is_short(label):
                return row(self._label(label), shown)
            return self._wide(label, _nested(shown))
        inside = self._inside(value, elidable=elidable, depth=depth + 1)
        return self._wide(label, inside, described(value))

    def _inside(self, value: Value, *, elidable: bool, depth: int) -> Html:
        if isinstance(value, Items | Members) and (depth > DEPTH_MAX or self.limits.flat):
            return self.block(json_of(value), elidable=elidable)
        match value:
            case Text(text=text):
                return self.block(text, elidable=elidable)
            case Blob(encoded=encoded):
                facts = self.rows(blob_facts(value))
                return _nested(joined((facts, self.block(encoded, elidable=elidable))))
            case Items(items=items):
                rows = [(f"[{n}]", item, elidable) for n, item in enumerate(items)]
                return _nested(self._table(rows, "items", elidable=elidable, depth=depth))
            case Members(members=members):
                return _nested(self.entries(members, elidable=elidable, depth=depth))
            case Number() | Truth() | Null() | Secret():
                return self.block(json_of(value), elidable=elidable)
            case _:
                assert_never(value)

    def _wide(self, label: str, shown: Html, remark: str = "") -> Html:
        about = (" ", styled(Style.MUTED, "span", remark)) if remark else ()
        return wide_row(self._label(label), *about, shown)

    def _label(self, label: str) -> Html:
        """Return a name, which is safe text already; only its size if it is too long."""
        most = self._characters(elidable=False)
        if most is not None and len(label) > most:
            label = self._leave_out(f"{len(label):,} characters not shown", elidable=False)
        return self.safe(label)

    def _old(self, label: str, value: Value) -> Html:
        return self.value(f"- {label}", value, Style.OLD)

    def _new(self, label: str, value: Value) -> Html:
        return self.value(f"+ {label}", value, Style.NEW)

    def _line(self, edit: LineState, text: str) -> Html:
        if edit is LineState.SKIPPED:
            return joined((styled(Style.MUTED, "span", f"… {text}"), "\n"))
        clipped = self._clipped(text, elidable=False)
        shown = safe_line(clipped.head)
        if clipped.hidden:
            hidden = self._leave_out(f"{clipped.hidden:,} characters not shown", elidable=False)
            shown += hidden + safe_line(clipped.tail)
        line = joined((f"{edit} ", self.safe(shown)))
        look = _LINES.get(edit)
        return joined((element("span", line) if look is None else styled(look, "span", line), "\n"))

    def _leave_out(self, what: str, *, elidable: bool) -> str:
        """Return a mark for what is missing; the card may then not be approved by what is shown."""
        self.cut = True
        self.withheld = self.withheld or not elidable
        return mark(what)

    def _characters(self, *, elidable: bool) -> int | None:
        return None if self.limits.sparing and not elidable else self.limits.characters

    def _items(self, *, elidable: bool) -> int | None:
        return None if self.limits.sparing and not elidable else self.limits.items

    def _clipped(self, text: str, *, elidable: bool) -> Clip:
        most = self._characters(elidable=elidable)
        if most is None and is_surely_longer(text, self.room):
            raise Full
        return clip(text, most)


def inert(text: str) -> Html:
    """Return safe text that no mail program makes a link of, isolated in its direction."""
    unlinked = Html(_JOINT.sub(r"<span>\g<0></span>", marked(text)))
    return element("bdi", unlinked, dir="ltr")


def table(rows: Iterable[Html]) -> Html:
    """Return rows as a table that only arranges them."""
    return styled(Style.TABLE, "table", *rows, role="presentation")


def row(label: str, shown: Html) -> Html:
    """Return a row of a label and what belongs to it."""
    return element("tr", styled(Style.LABEL, "td", label), styled(Style.CELL, "td", shown))


def wide_row(*shown: str) -> Html:
    """Return a row of one cell."""
    return element("tr", styled(Style.WIDE, "td", *shown, colspan="2"))


def _nested(shown: Html) -> Html:
    return styled(Style.NEST, "div", shown)


def _block(shown: Html) -> Html:
    return styled(Style.BLOCK, "pre", shown, dir="ltr")


def _is_short(label: str) -> bool:
    return len(label) <= LABEL_CHARS
