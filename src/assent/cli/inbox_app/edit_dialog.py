"""An edit before it counts: what changes, and everything that would run."""

from enum import Enum, auto
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from assent.cli.inbox_app.card_view import CardView
from assent.cli.inbox_app.dialogs import ours
from assent.cli.inbox_app.look import DIALOG_COLUMNS
from assent.cli.inbox_app.pauses import USUAL, Pauses
from assent.engine.queries.previews import EditPreview

# The columns that the border, the padding and the scroll bar of the dialog take.
_EDGES = 7


def edit_columns(width: int) -> int:
    """Return the columns that an edit has room for on a terminal of this width."""
    return min(width * 9 // 10, DIALOG_COLUMNS) - _EDGES


class EditEnd(Enum):
    """The ways in which the look at an edit ends."""

    APPROVE = auto()
    AGAIN = auto()
    BACK = auto()


class EditDialog(ModalScreen[EditEnd]):
    """Shows an edit; it can be approved once its end was on the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "end('BACK')", "back"),
        Binding("e", "end('AGAIN')", "edit again"),
        Binding("a", "approve", "approve"),
    ]

    def __init__(self, preview: EditPreview, pauses: Pauses = USUAL) -> None:
        super().__init__(classes="dialog -tall")
        self._preview, self._pauses = preview, pauses

    def compose(self) -> ComposeResult:
        """Lay out the edit and the ways on; the focus is on the edit."""
        with Vertical(id="dialog"):
            yield ours("Your edit, before it counts", id="title")
            yield CardView(id="edit", pauses=self._pauses)
            yield ours("", id="problem")
            with Horizontal(id="buttons"):
                yield Button(Content("Back (Esc)"), id="back", compact=True)
                yield Button(Content("Edit again (e)"), id="again", compact=True)
                yield Button(Content("Approve (a)"), id="approve", compact=True, disabled=True)

    def on_mount(self) -> None:
        """Show the edit once its width is known."""
        view = self.query_one(CardView)
        view.focus()
        self.call_after_refresh(view.show, self._preview.lines)

    def on_resize(self) -> None:
        """Fit the lines to another width; they may be folded, never cut."""
        view = self.query_one(CardView)
        self.call_after_refresh(view.show, self._preview.lines, anew=False)

    def on_card_view_scrolled(self) -> None:
        """Offer the approval once the end was shown."""
        self.query_one("#approve", Button).disabled = not self.query_one(CardView).is_seen

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """End with the button."""
        event.stop()
        if event.button.id == "approve":
            self.action_approve()
        else:
            self.dismiss(EditEnd.AGAIN if event.button.id == "again" else EditEnd.BACK)

    def action_end(self, name: str) -> None:
        """End with a key."""
        self.dismiss(EditEnd[name])

    def action_approve(self) -> None:
        """Go on to approve it, if all of it was shown."""
        view = self.query_one(CardView)
        if view.is_armed:
            self.dismiss(EditEnd.APPROVE)
            return
        problem = self.query_one("#problem", Static)
        words = (
            "That was too fast to have read it." if view.is_seen else "Read it to its end first."
        )
        problem.update(Content(words))
        problem.display = True
