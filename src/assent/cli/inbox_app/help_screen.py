"""The keys of the inbox, on one page."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from assent.cli.inbox_app.dialogs import ours
from assent.domain.lifecycle import RequestKind
from assent.domain.verdicts import offers

_KEYS = (
    ("↑ ↓  j k", "the previous, the next request; at the end of a page, the next page"),
    ("Enter", "read it; Esc goes back to the list, Tab changes between both"),
    ("Space  b", "in a card: a page on, a page back; ↑ ↓ by lines, End to its end"),
    ("Ctrl-R", "read everything anew; otherwise what others do shows by itself"),
    ("m", "the notes so far: what others decided meanwhile"),
    ("t", "light or dark"),
    ("q", "leave; what waits is kept"),
)
_KINDS = {
    RequestKind.APPROVAL: "A call that waits for approval",
    RequestKind.INPUT: "A call that needs input",
    RequestKind.RESULT: "A call whose result people supply",
    RequestKind.OUTCOME: "A call in doubt: nobody knows whether it ran",
}
_RULES = (
    "Keys that let a call run work once the end of its card was on the screen. What is dangerous "
    "takes the word yes, or a value typed in. Nothing is decided by Enter alone, and after a "
    "decision no other request takes its place by itself."
)


class HelpScreen(ModalScreen[None]):
    """Lists all keys; any of Esc, q and ? leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,question_mark", "end", "back")]

    def __init__(self) -> None:
        super().__init__(classes="dialog -tall")

    def compose(self) -> ComposeResult:
        """Lay out the keys."""
        with VerticalScroll(id="dialog"):
            yield ours("Keys", id="title")
            for key, words in _KEYS:
                yield ours(f"{key:<10} {words}", classes="key")
            for kind, heading in _KINDS.items():
                yield ours(heading, classes="words heading")
                for row in offers(kind):
                    yield ours(f"{row.key[0]:<10} {row.key[1]}", classes="key")
            yield ours(_RULES, classes="words")
            yield ours("Esc goes back.", classes="words")

    def action_end(self) -> None:
        """Go back."""
        self.dismiss(None)
