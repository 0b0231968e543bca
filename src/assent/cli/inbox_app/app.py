"""The app itself: one screen, our style sheet, nothing that the library adds by itself."""

from typing import ClassVar

from textual.app import App
from textual.screen import Screen

from assent.cli.inbox_app.backend import InboxBackend
from assent.cli.inbox_app.inbox_screen import InboxScreen
from assent.cli.inbox_app.look import DARK, SHEET
from assent.cli.inbox_app.pauses import USUAL, Pauses


class InboxApp(App[None]):
    """Shows one person's inbox until they leave."""

    TITLE = "Assent"
    CSS = SHEET
    # The palette would offer commands of the library, such as saving what is on the screen.
    ENABLE_COMMAND_PALETTE: ClassVar[bool] = False

    def __init__(self, backend: InboxBackend, pauses: Pauses = USUAL) -> None:
        super().__init__()
        self._backend, self._pauses = backend, pauses
        self.theme = DARK
        self.animation_level = "none"

    def get_default_screen(self) -> Screen[None]:
        """Return the inbox."""
        return InboxScreen(self._backend, self._pauses)
