"""Notes: what happened, in one line at the bottom, and all of them on a page."""

from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from assent.cli.inbox_app.dialogs import ours

_KEPT = 100


class NoteLine(Static):
    """The newest note; nothing as long as there is none."""

    def __init__(self) -> None:
        super().__init__(id="note", markup=False)
        self._said: deque[str] = deque(maxlen=_KEPT)

    @property
    def said(self) -> tuple[str, ...]:
        """All notes that are kept, the newest first."""
        return tuple(self._said)

    def say(self, words: str) -> None:
        """Say something; the words are ours, or were made safe."""
        note = f"{datetime.now().astimezone():%H:%M:%S} {words}"
        self._said.appendleft(note)
        self.update(Content(note))


class NotesScreen(ModalScreen[None]):
    """All notes, the newest first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,m", "end", "back")]

    def __init__(self, said: Sequence[str]) -> None:
        super().__init__(classes="dialog -tall")
        self._said = said

    def compose(self) -> ComposeResult:
        """Lay out the notes."""
        with VerticalScroll(id="dialog"):
            yield ours("Notes, the newest first; Esc goes back", id="title")
            for note in self._said or ("Nothing happened yet.",):
                yield ours(note, classes="key")

    def action_end(self) -> None:
        """Go back."""
        self.dismiss(None)
