"""The list of what waits: two rows each, drawn for any width."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from assent.cli.inbox_app.backend import InboxRow
from assent.cli.inbox_app.look import badge_of, style_of
from assent.presentation.page import remaining
from assent.presentation.sheet import SpanRole
from assent.presentation.text import safe_line

ROW_LINES = 2
_POINTER, _NO_POINTER = "▌", " "
# The columns of a row that hold neither words nor the badge.
_MARGINS = 4
_TOO_LONG = "arguments too long for a list: open it"


class RequestList(ScrollView, can_focus=True):
    """Shows one page of requests; one of them, or none, is selected."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "step(1)", show=False),
        Binding("up,k", "step(-1)", show=False),
        Binding("pagedown", "leap(1)", show=False),
        Binding("pageup", "leap(-1)", show=False),
        Binding("home,g", "edge(0)", show=False),
        Binding("end,G", "edge(-1)", show=False),
        Binding("enter,l,o", "open", show=False),
    ]

    COMPONENT_CLASSES: ClassVar[set[str]] = {"request-list--chosen", "request-list--left"}
    DEFAULT_CSS = """
    RequestList > .request-list--chosen { background: $primary 40%; text-style: bold; }
    RequestList > .request-list--left { background: $foreground 12%; text-style: bold; }
    """

    class Selected(Message):
        """Another request is selected."""

    class Opened(Message):
        """The person wants to read the selected request."""

    class Passed(Message):
        """The person went on from the last row (1) or back from the first (-1)."""

        def __init__(self, way: int) -> None:
            super().__init__()
            self.way = way

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: tuple[InboxRow, ...] = ()
        # The place in the list, and whether the row there is selected: after a request vanished
        # the next one must not take its place under the person's finger.
        self._at, self._is_selected = 0, False

    @property
    def rows(self) -> tuple[InboxRow, ...]:
        """The rows of this page."""
        return self._rows

    @property
    def selected(self) -> InboxRow | None:
        """The selected row; None if there is none."""
        return self._rows[self._at] if self._is_selected and self._at < len(self._rows) else None

    def show(self, rows: Sequence[InboxRow]) -> None:
        """Show these rows; the selected request stays selected if it is among them."""
        before = self.selected
        self._rows = tuple(rows)
        found = [n for n, row in enumerate(rows) if before is not None and row.id == before.id]
        self._is_selected = bool(found)
        self._at = found[0] if found else min(self._at, max(len(rows) - 1, 0))
        self.virtual_size = Size(self.scrollable_content_region.width, len(rows) * ROW_LINES)
        self.refresh()
        if before is not None and not found:
            self.post_message(self.Selected())

    def begin(self, way: int) -> None:
        """Select the first row of a page (1) or its last (-1)."""
        self._select(0 if way > 0 else len(self._rows) - 1)

    def forget(self, request_id: str) -> None:
        """Take a row away; if it was selected, none is."""
        self.show([row for row in self._rows if row.id != request_id])

    def action_step(self, by: int) -> None:
        """Select the next or the previous row; if none was, the one at this place."""
        if not self._is_selected:
            self._select(self._at)
        elif not 0 <= self._at + by < len(self._rows):
            self.post_message(self.Passed(by))
        else:
            self._select(self._at + by)

    def action_leap(self, way: int) -> None:
        """Go on by as many rows as are in sight."""
        many = max(1, self.scrollable_content_region.height // ROW_LINES - 1)
        if (self._at, way) in ((len(self._rows) - 1, 1), (0, -1)):
            self.post_message(self.Passed(way))
        else:
            self._select(self._at + way * many)

    def action_edge(self, at: int) -> None:
        """Go to the first or the last row of the page."""
        self._select(at % max(len(self._rows), 1))

    def action_open(self) -> None:
        """Read the selected request, or the one at this place."""
        if not self._is_selected:
            self._select(self._at)
        if self.selected is not None:
            self.post_message(self.Opened())

    def on_click(self, event: events.Click) -> None:
        """Select a row with the mouse; a second click opens it."""
        at = (self.scroll_offset.y + event.y) // ROW_LINES
        if at < len(self._rows):
            self._select(at)
            if event.chain > 1:
                self.post_message(self.Opened())

    def _select(self, at: int) -> None:
        if not self._rows:
            return
        before = self.selected
        self._at, self._is_selected = min(max(at, 0), len(self._rows) - 1), True
        region = Region(0, self._at * ROW_LINES, self.columns, ROW_LINES)
        self.scroll_to_region(region, animate=False, immediate=True)
        self.refresh()
        if before is None or before.id != self._rows[self._at].id:
            self.post_message(self.Selected())

    @property
    def columns(self) -> int:
        """The columns that a row has room for."""
        return self.scrollable_content_region.width

    def on_resize(self) -> None:
        """Keep the selected row in sight."""
        self.virtual_size = Size(self.columns, len(self._rows) * ROW_LINES)
        if self.selected is not None:
            self._select(self._at)

    def render_line(self, y: int) -> Strip:
        """Return one row of the widget."""
        number, which = divmod(self.scroll_offset.y + y, ROW_LINES)
        if number >= len(self._rows):
            empty = not self._rows and y == 0
            words = " Nothing waits for you." if empty else ""
            return Strip([Segment(words, self.rich_style)]).extend_cell_length(
                self.columns, self.rich_style
            )
        is_here = self._is_selected and number == self._at
        base = self.rich_style + (self._chosen if is_here else Style())
        row, draw = self._rows[number], self._first if which == 0 else self._second
        pointer = Segment(_POINTER if is_here else _NO_POINTER, base)
        return Strip([pointer, *draw(row, base)]).adjust_cell_length(self.columns, base)

    @property
    def _chosen(self) -> Style:
        """The style of the selected row, stronger while keys go to the list."""
        name = "request-list--chosen" if self.has_focus else "request-list--left"
        return self.get_component_rich_style(name)

    def _first(self, row: InboxRow, base: Style) -> list[Segment]:
        badge, role = badge_of(row.risk)
        left = countdown(row.deadline)
        room = self.columns - len(badge) - len(left) - _MARGINS
        name = fitted(safe_line(row.tool), room)
        gap = " " * (room - cell_len(name))
        clock = SpanRole.WARNING if is_urgent(row) else SpanRole.MUTED
        return [
            Segment(badge, base + self._style(role)),
            Segment(f" {name}{gap} ", base + Style(bold=True)),
            Segment(f"{left} ", base + self._style(clock)),
        ]

    def _second(self, row: InboxRow, base: Style) -> list[Segment]:
        kind = "" if row.kind == "approval" else f"{row.kind} · "
        who = f"{kind}for {safe_line(row.owner)}"
        room = self.columns - _MARGINS
        who = fitted(who, max(room // 2, 8))
        said = _TOO_LONG if row.in_short is None else row.in_short or "no arguments"
        line = fitted(said, room - cell_len(who) - 2)
        gap = " " * (room - cell_len(line) - cell_len(who))
        muted = base + self._style(SpanRole.MUTED)
        return [Segment(f"  {line}{gap}", muted), Segment(f"{who} ", muted)]

    def _style(self, role: SpanRole) -> Style:
        return style_of(role, self)


def countdown(deadline: datetime | None) -> str:
    """Return the time that is left, or an empty text if there is no deadline."""
    return "" if deadline is None else remaining(deadline - datetime.now(UTC))


def is_urgent(row: InboxRow) -> bool:
    """Return True if less than five minutes are left."""
    return row.deadline is not None and (row.deadline - datetime.now(UTC)).total_seconds() < 300


def fitted(text: str, room: int) -> str:
    """Return as much of a safe line as fits, with a mark if there is more."""
    if cell_len(text) <= room:
        return text
    used, count = 1, 0
    while used + cell_len(text[count]) <= room:
        used, count = used + cell_len(text[count]), count + 1
    return f"{text[:count]}…" if room > 0 else ""
