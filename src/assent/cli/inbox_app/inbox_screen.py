"""The inbox on one screen: the list, the card of the selected request, and what others do."""

import asyncio
from contextlib import suppress
from typing import ClassVar, cast

from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from assent.cli.inbox_app.action_bar import ActionKey
from assent.cli.inbox_app.backend import (
    Connected,
    Disconnected,
    InboxBackend,
    InboxCard,
    InboxChange,
    RequestAdded,
    RequestRemoved,
)
from assent.cli.inbox_app.card_pane import CardPane
from assent.cli.inbox_app.card_view import CardView
from assent.cli.inbox_app.deciding import DecisionDialogs, Sight
from assent.cli.inbox_app.dialogs import Dialog, ProblemDialog, ours
from assent.cli.inbox_app.edit_dialog import EditDialog, EditEnd
from assent.cli.inbox_app.help_screen import HelpScreen
from assent.cli.inbox_app.look import DARK, LIGHT, SLIM_COLUMNS, WIDE_COLUMNS
from assent.cli.inbox_app.notes import NoteLine, NotesScreen
from assent.cli.inbox_app.pages import InboxPages
from assent.cli.inbox_app.pauses import USUAL, Pauses
from assent.cli.inbox_app.request_list import RequestList
from assent.cli.inbox_app.top_line import TopLine
from assent.domain.lifecycle import RequestStatus
from assent.domain.verdicts import Verb, row_of
from assent.errors import AssentError
from assent.presentation.text import safe_line

# Reads of the list are this far apart, however much happens, and no further apart than this.
PACE_SECONDS, LOOK_SECONDS = 0.5, 30.0
_LIST_KEYS = "↑↓ choose · Enter read · ? keys · q leave"
_CARD_KEYS = "Space page · j next · Esc list · ? keys"
_ENDS = {"expired": "has expired", "superseded": "was replaced by a newer request"}


class InboxScreen(Screen[None]):
    """The list on the left and the card on the right, or one of them on a narrow terminal."""

    AUTO_FOCUS: ClassVar[str | None] = "#list"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,ctrl+c", "leave", show=False),
        Binding("question_mark", "help", show=False),
        Binding("escape", "back", show=False),
        Binding("tab", "swap", show=False, priority=True),
        Binding("j", "step(1)", show=False),
        Binding("k", "step(-1)", show=False),
        Binding("ctrl+r,f5", "look", show=False),
        Binding("m", "notes", show=False),
        Binding("t", "theme", show=False),
    ]

    def __init__(self, backend: InboxBackend, pauses: Pauses = USUAL) -> None:
        super().__init__()
        self._backend, self._pages = backend, InboxPages(backend=backend)
        self._list, self._pane = RequestList(id="list"), CardPane(backend, pauses)
        self._top, self._note = TopLine(backend), NoteLine()
        self._wanted = asyncio.Event()
        # Requests that were decided here, until the feed tells of them.
        self._mine: set[str] = set()
        self._is_deciding = False
        # The reason why nothing is heard from the back end; empty if all is well.
        self._reason = ""
        self._deciding = DecisionDialogs(
            app=cast("App[None]", self.app),
            backend=backend,
            tell=self._note.say,
            done=self._done,
            changed=self._pane.reopen,
            pauses=pauses,
        )

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield self._top
        with Horizontal(id="body"):
            yield self._list
            with Vertical(id="reading"):
                yield self._pane
        yield self._note
        yield ours(_LIST_KEYS, id="keys")

    def on_mount(self) -> None:
        """Read the list, and follow what happens from now on."""
        self.run_worker(self._keep_list, name="list", group="list")
        self.run_worker(self._follow, name="changes", group="changes")
        self.set_interval(1.0, self._tick)

    # The list

    async def _keep_list(self) -> None:
        while True:
            self._wanted.clear()
            await self._read_list()
            await asyncio.sleep(PACE_SECONDS)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._wanted.wait()

    async def _read_list(self) -> None:
        try:
            rows = await self._pages.read()
        except AssentError as error:
            self._offline(str(error))
            return
        self._list.show(rows)
        self._top.count(len(rows), page=self._pages.number, has_more=self._pages.has_more)
        await self._pane.look_again()

    def on_descendant_focus(self) -> None:
        """Say which keys are of use here."""
        words = _LIST_KEYS if self._list.has_focus else _CARD_KEYS
        self.query_one("#keys", Static).update(Content(words))

    def _offline(self, reason: str) -> None:
        self._top.say_offline()
        # Once: it is tried again and again, and the newest note must stay readable.
        if reason != self._reason:
            self._reason = reason
            self._note.say(safe_line(reason))

    @on(RequestList.Passed)
    async def _turn(self, event: RequestList.Passed) -> None:
        if self._pages.turn(event.way):
            await self._read_list()
            self._list.begin(event.way)

    @on(RequestList.Selected)
    def _selected(self) -> None:
        row = self._list.selected
        if row is not None and self._is_reading:
            self._pane.open(row.id)

    @on(RequestList.Opened)
    def _opened(self) -> None:
        if (row := self._list.selected) is None:
            return
        self.add_class("-reading")
        self.query_one(CardView).focus()
        # On a narrow terminal the card has no width before it is shown.
        self.call_after_refresh(self._pane.open, row.id)

    @property
    def _is_reading(self) -> bool:
        return not self.has_class("-narrow") or self.has_class("-reading")

    def _tick(self) -> None:
        self._list.refresh()
        self._pane.tick()

    # What others do

    async def _follow(self) -> None:
        async for change in self._backend.changes():
            self._take(change)

    def _take(self, change: InboxChange) -> None:
        match change:
            case Connected():
                self._reason = ""
                self._top.say_live()
            case Disconnected(reason=reason):
                self._offline(reason)
                return
            case RequestRemoved():
                self._forget(change)
            case RequestAdded():
                pass
        self._wanted.set()

    def _forget(self, change: RequestRemoved) -> None:
        id = change.request_id
        known = {**self._pane.names, **{row.id: row.tool for row in self._list.rows}}
        if id in self._mine or id == self._deciding.sending:
            # The answer to the person's own decision says it better, and may come later.
            self._mine.discard(id)
        elif id in known:
            words = closing_words(known[id], change)
            self._note.say(words)
            if self._pane.request_id == id:
                self._close_dialogs()
                self._pane.say(words, "Press j for the next one.")
        self._list.forget(id)

    def _close_dialogs(self) -> None:
        """Take away the questions about a request that somebody else has decided."""
        for screen in reversed(cast("App[None]", self.app).screen_stack):
            match screen:
                case Dialog():
                    cast("Dialog[object]", screen).end()
                case ProblemDialog():
                    screen.dismiss(False)
                case EditDialog():
                    screen.dismiss(EditEnd.BACK)
                case _:
                    pass

    # Deciding

    async def on_key(self, event: events.Key) -> None:
        """Take the keys of the choices that the card offers."""
        for verb in self._pane.verbs if self._is_reading else ():
            if event.character == row_of(verb).key[0]:
                event.stop()
                self._choose(verb)

    @on(ActionKey.Pressed)
    def _pressed(self, event: ActionKey.Pressed) -> None:
        self._choose(event.verb)

    def _choose(self, verb: Verb) -> None:
        sight = self._pane.sight_for(verb)
        if isinstance(sight, str):
            self._note.say(sight)
        elif not self._is_deciding:
            self._is_deciding = True
            self.run_worker(self._decide(sight, verb), name="deciding", group="deciding")

    async def _decide(self, sight: Sight, verb: Verb) -> None:
        try:
            await self._deciding.choose(sight, verb)
        finally:
            self._is_deciding = False

    def _done(self, card: InboxCard, status: str, words: str) -> None:
        self._note.say(words)
        self._wanted.set()
        if status == RequestStatus.OPEN:
            self._pane.reopen()
            return
        self._mine.add(card.request_id)
        self._list.forget(card.request_id)
        # Nothing takes its place by itself: the next key could be meant for this one.
        self._pane.say(words, "Press j for the next one.")

    # Keys

    def action_step(self, by: int) -> None:
        """Go to the next or the previous request, from the card, too."""
        self._list.action_step(by)

    def action_back(self) -> None:
        """Go back to the list."""
        self.remove_class("-reading")
        self._list.focus()

    def action_swap(self) -> None:
        """Change between the list and the card."""
        if self._list.has_focus:
            self._list.action_open()
        else:
            self.action_back()

    def action_look(self) -> None:
        """Read everything anew."""
        self._wanted.set()
        self._pane.reopen()

    def action_help(self) -> None:
        """Show the keys."""
        cast("App[None]", self.app).push_screen(HelpScreen())

    def action_notes(self) -> None:
        """Show what was said so far."""
        cast("App[None]", self.app).push_screen(NotesScreen(self._note.said))

    def action_theme(self) -> None:
        """Change between light and dark."""
        app = cast("App[None]", self.app)
        app.theme = LIGHT if app.theme == DARK else DARK

    def action_leave(self) -> None:
        """Leave; what waits is kept."""
        cast("App[None]", self.app).exit()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for another width."""
        self.set_class(event.size.width < WIDE_COLUMNS, "-narrow")
        self.set_class(event.size.width < SLIM_COLUMNS, "-slim")


def closing_words(tool: str, change: RequestRemoved) -> str:
    """Return who did what to a request, in one sentence."""
    name = safe_line(tool)
    if change.status in _ENDS:
        return f"{name} {_ENDS[change.status]}."
    by = f" by {safe_line(change.by)}" if change.by else ""
    return f"{name} was {safe_line(change.status)}{by}."
