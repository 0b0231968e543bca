"""The top line: whose inbox it is and where, how much waits, and whether it is live."""

from textual.content import Content
from textual.widgets import Static

from assent.cli.inbox_app.backend import InboxBackend
from assent.presentation.text import safe_line


class TopLine(Static):
    """Says in words what it says; colour adds nothing."""

    def __init__(self, backend: InboxBackend) -> None:
        super().__init__(id="head", markup=False)
        self._whose = f"Assent · {safe_line(backend.person)}"
        self._place = safe_line(backend.place)
        self._count, self._state = "…", "connecting"

    def on_mount(self) -> None:
        """Begin."""
        self._draw()

    def on_resize(self) -> None:
        """Fit it to another width."""
        self._draw()

    def count(self, rows: int, *, page: int, has_more: bool) -> None:
        """Say how much waits."""
        many = f"{rows}+" if has_more else str(rows)
        self._count = f"{many} waiting" if page == 1 else f"page {page}, {rows} on it"
        self._draw()

    def say_live(self) -> None:
        """Say that changes show by themselves."""
        self._state = "live"
        self._draw()

    def say_offline(self) -> None:
        """Say that they do not."""
        self._state = "OFFLINE, trying again"
        self._draw()

    def _draw(self) -> None:
        right = f"{self._count} · {self._state}"
        room = self.size.width - 2
        lefts = (f"{self._whose} · {self._place}", self._whose)
        fitting = (
            f"{left}{right:>{room - len(left)}}" for left in lefts if self._fits(left, right)
        )
        self.update(Content(next(fitting, right[: max(room, 0)])))

    def _fits(self, left: str, right: str) -> bool:
        return len(left) + len(right) + 3 <= self.size.width - 2
