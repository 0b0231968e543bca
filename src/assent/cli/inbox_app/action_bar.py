"""The choices that a card offers, each with its key; a mouse can press them, too."""

from collections.abc import Sequence

from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from assent.domain.verdicts import Verb, row_of


class ActionKey(Static):
    """One choice; closed while the card was not shown to its end.

    It never has the focus, so that Enter or Space meant for the card chooses nothing.
    """

    class Pressed(Message):
        """The choice was clicked."""

        def __init__(self, verb: Verb) -> None:
            super().__init__()
            self.verb = verb

    def __init__(self, verb: Verb, *, closed: bool) -> None:
        letter, words = row_of(verb).key
        key = Content.styled(f" {letter} ", "" if closed else "bold reverse")
        super().__init__(key + Content(f" {words} "), markup=False)
        self.verb = verb
        self.set_class(closed, "-closed")

    def on_click(self) -> None:
        """Choose it."""
        self.post_message(self.Pressed(self.verb))


class ActionBar(Horizontal):
    """All choices of a card; approving comes last."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[tuple[Verb, bool], ...] = ()

    async def offer(self, verbs: Sequence[Verb], closed: frozenset[Verb]) -> None:
        """Offer these, those that are closed as such."""
        last = sorted(verbs, key=lambda verb: row_of(verb).runs and verb is not Verb.EDIT)
        wanted = tuple((verb, verb in closed) for verb in last)
        if wanted == self._shown:
            return
        self._shown = wanted
        await self.remove_children()
        opened = [ActionKey(verb, closed=False) for verb, is_closed in wanted if not is_closed]
        later = [ActionKey(verb, closed=True) for verb, is_closed in wanted if is_closed]
        words = [Static(Content("after the end:"), classes="later", markup=False)] if later else []
        await self.mount(*opened, *words, *later)
