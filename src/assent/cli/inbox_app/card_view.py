"""Lines of a card on the screen, page by page; knows whether its end was shown."""

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from assent.cli.inbox_app.look import style_of
from assent.cli.inbox_app.pauses import USUAL, Pauses
from assent.presentation.sheet import Line, Span


class CardView(ScrollView, can_focus=True):
    """Shows lines as they are: nothing in them is interpreted, nothing is cut."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "page_down", show=False),
        Binding("b", "page_up", show=False),
    ]

    class Scrolled(Message):
        """Other lines are in sight than before, or the end was shown for the first time."""

    def __init__(self, *, id: str | None = None, pauses: Pauses = USUAL) -> None:
        super().__init__(id=id)
        self._pauses = pauses
        self._lines: list[Line] = []
        self._seen_at: float | None = None

    @property
    def columns(self) -> int:
        """The columns that a line has room for."""
        return self.scrollable_content_region.width

    @property
    def is_seen(self) -> bool:
        """True if the last line was on the screen."""
        return self._seen_at is not None

    @property
    def seen_for(self) -> float:
        """The seconds since the last line was first on the screen; 0 if it was not."""
        return 0.0 if self._seen_at is None else monotonic() - self._seen_at

    @property
    def is_armed(self) -> bool:
        """True if a key that lets a call run can have been meant for these lines."""
        return self.is_seen and self.seen_for >= self._pauses.arming.total_seconds()

    @property
    def in_sight(self) -> tuple[int, int, int]:
        """The first and the last line in sight, counted from 1, and how many there are."""
        first, count = self.scroll_offset.y, len(self._lines)
        return min(first + 1, count), min(first + self._rows, count), count

    def show(self, lines: Sequence[Line], *, anew: bool = True) -> None:
        """Show these lines; `anew` from the top, and nothing of them was seen yet."""
        self._lines = list(_folded(lines, self.columns))
        if anew:
            self._seen_at = None
        self.virtual_size = Size(self.columns, len(self._lines))
        if anew:
            self.scroll_to(y=0, animate=False, immediate=True)
        self.refresh()
        self.call_after_refresh(self._look)

    def render_line(self, y: int) -> Strip:
        """Return one row of the widget."""
        number, width = self.scroll_offset.y + y, self.columns
        line: Line = self._lines[number] if number < len(self._lines) else ()
        base = self.rich_style
        parts = [Segment(span.text, base + style_of(span.role, self)) for span in line]
        return Strip(parts).extend_cell_length(width, base)

    def action_page_down(self) -> None:
        """Turn to the next page; one line of this one stays for orientation."""
        self.scroll_relative(y=max(1, self._rows - 1), animate=False, immediate=True)

    def action_page_up(self) -> None:
        """Turn to the page before."""
        self.scroll_relative(y=-max(1, self._rows - 1), animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notice what is in sight now."""
        super().watch_scroll_y(old_value, new_value)
        self.call_after_refresh(self._look)

    def on_resize(self) -> None:
        """Notice what is in sight now."""
        self.call_after_refresh(self._look)

    @property
    def _rows(self) -> int:
        return self.scrollable_content_region.height

    def _look(self) -> None:
        if not self.is_attached:
            return
        end = self.scroll_offset.y + self._rows
        if self._lines and self._rows and not self.is_seen and end >= len(self._lines):
            self._seen_at = monotonic()
        self.post_message(self.Scrolled())


def _folded(lines: Iterable[Line], width: int) -> Iterator[Line]:
    """Return lines that fit by the count of the library, which would cut what is wider.

    It follows a newer Unicode than Python does and counts some characters as wider.
    """
    for line in lines:
        if width < 1 or sum(cell_len(span.text) for span in line) <= width:
            yield line
        else:
            yield from _rows_of(line, width)


def _rows_of(line: Line, width: int) -> Iterator[Line]:
    row, used = list[Span](), 0
    for span in line:
        text = ""
        for char in span.text:
            size = cell_len(char)
            if used + size > width and (row or text):
                yield (*row, Span(text, span.role))
                row, text, used = [], "", 0
            text, used = text + char, used + size
        row.append(Span(text, span.role))
    yield tuple(row)
