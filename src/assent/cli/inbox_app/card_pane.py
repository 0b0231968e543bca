"""The card of one request with its choices: what was seen of it, and what may be chosen when."""

from collections.abc import Mapping
from time import monotonic

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from assent.cli.inbox_app.action_bar import ActionBar
from assent.cli.inbox_app.backend import InboxBackend, InboxCard
from assent.cli.inbox_app.card_view import CardView
from assent.cli.inbox_app.deciding import Sight
from assent.cli.inbox_app.look import CARD_COLUMNS
from assent.cli.inbox_app.pauses import Pauses
from assent.cli.inbox_app.request_list import countdown
from assent.domain.decisions import ReasonVerdict
from assent.domain.lifecycle import RequestKind
from assent.domain.verdicts import Verb, row_of
from assent.errors import AssentError, NotFound
from assent.presentation.characters import wrapped
from assent.presentation.sheet import Line, Span, SpanRole
from assent.presentation.text import safe_line

_DOUBT = (
    "Nobody knows whether this call ran. Look for yourself before you answer. If you say that it "
    "ran, the agent goes on with the result you give; if you run it again and it had run, it runs "
    "twice."
)


class CardPane(Vertical):
    """Shows one card at a time, or words in its place."""

    def __init__(self, backend: InboxBackend, pauses: Pauses) -> None:
        super().__init__(id="pane")
        self._pauses = pauses
        self._backend = backend
        self._card: InboxCard | None = None
        # The request that is to be shown, and the width that it was last laid out for.
        self._request_id, self._columns = "", 0

    def compose(self) -> ComposeResult:
        """Lay out the card, how far it was read, and the choices."""
        yield CardView(id="card", pauses=self._pauses)
        yield Static(id="progress", markup=False)
        yield ActionBar()

    @property
    def request_id(self) -> str:
        """The request that is shown; empty if there is none."""
        return self._request_id

    @property
    def names(self) -> Mapping[str, str]:
        """The tool of the request that is shown, by the request's id."""
        return {} if self._card is None else {self._card.request_id: self._card.tool}

    @property
    def verbs(self) -> tuple[Verb, ...]:
        """The choices that the card offers to this person."""
        card = self._card
        if card is None or not card.may_decide:
            return ()
        return tuple(each.verb for each in card.choices if _is_open_to(card, each.verb))

    def open(self, request_id: str) -> None:
        """Show a request, from its top."""
        self._request_id, self._card = request_id, None
        self.run_worker(self._load, name="card", group="card", exclusive=True)

    def reopen(self) -> None:
        """Show the same request as it is now, from its top."""
        if self._request_id:
            self.open(self._request_id)

    async def look_again(self) -> None:
        """Show the same request anew if it looks otherwise by now."""
        card = self._card
        if card is None:
            return
        try:
            now = await self._backend.card(card.request_id, card.columns)
        except AssentError:
            # The top line tells of a lost connection; what was shown stays.
            return
        if self._card is card and now.shown != card.shown:
            await self._show(now)

    def say(self, *words: str) -> None:
        """Show words in the place of a card; nothing can be chosen."""
        self._request_id, self._card = "", None
        width = max(self.query_one(CardView).columns, 8)
        self._put([line for text in words for line in _own(text, width, SpanRole.STRONG)])

    def tick(self) -> None:
        """Say how far the card was read and how much time is left."""
        view, card = self.query_one(CardView), self._card
        first, last, count = view.in_sight
        more = "end" if last == count else "Space: more below"
        read = f"lines {first}–{last} of {count} · {more}" if card is not None else ""
        left = countdown(card.deadline) if card is not None and card.is_open else ""
        until = f"expires {left}" if left else ""
        room = max(self.size.width - 2 - len(read), len(until) + 1)
        self.query_one("#progress", Static).update(Content(f"{read}{until:>{room}}"))

    def sight_for(self, verb: Verb) -> Sight | str:
        """Return what a choice rests on, or the words why it cannot be chosen yet."""
        view, card = self.query_one(CardView), self._card
        if card is None or verb not in self.verbs:
            return "There is nothing to choose."
        if _needs_end(verb) and not view.is_seen:
            return "Read it to its end first: Space turns the page, End goes there."
        # An edit is shown by itself before it counts.
        if row_of(verb).runs and verb is not Verb.EDIT and not view.is_armed:
            return "That was too fast to have read it. Press the key again."
        shown = card.shown if view.is_seen else None
        return Sight(card=card, shown=shown, ready_at=self._ready_at)

    @property
    def _ready_at(self) -> float:
        """The moment from which on a typed value counts."""
        seen_at = monotonic() - self.query_one(CardView).seen_for
        return seen_at + self._pauses.dwell.total_seconds()

    async def _load(self) -> None:
        id, columns = self._request_id, self.query_one(CardView).columns
        self._columns = columns
        if columns < CARD_COLUMNS:
            self._put(_own(f"A card takes {CARD_COLUMNS} columns. Widen the window.", columns))
            return
        try:
            card = await self._backend.card(id, columns)
        except NotFound:
            self.say("It is not there any more.")
        except AssentError as error:
            self._put(_own(safe_line(str(error)), columns, SpanRole.WARNING))
        else:
            await self._show(card)

    async def _show(self, card: InboxCard) -> None:
        self._card = card
        doubt = _own(_DOUBT, card.columns) if card.kind is RequestKind.OUTCOME else []
        self._put([*card.lines, *doubt])

    def _put(self, lines: list[Line]) -> None:
        self.query_one(CardView).show(lines)

    @on(CardView.Scrolled)
    async def _moved(self) -> None:
        view = self.query_one(CardView)
        if self._request_id and view.columns and view.columns != self._columns:
            # Another width is another rendering, which has to be seen to its own end.
            self.reopen()
        self.tick()
        closed = frozenset(v for v in self.verbs if _needs_end(v) and not view.is_seen)
        await self.query_one(ActionBar).offer(self.verbs, closed)


def _is_open_to(card: InboxCard, verb: Verb) -> bool:
    if verb is Verb.REVIEW or (verb is Verb.EDIT and not card.may_edit):
        return False
    return not (card.has_voted and row_of(verb).runs)


def _needs_end(verb: Verb) -> bool:
    """Return True unless the choice only refuses: that takes no more than a glance."""
    return not issubclass(row_of(verb).verdict, ReasonVerdict)


def _own(words: str, width: int, role: SpanRole = SpanRole.WARNING) -> list[Line]:
    return [(), *[(Span(piece.strip(), role),) for piece in wrapped(words, max(width, 8))]]
